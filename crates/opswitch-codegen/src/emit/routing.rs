//! A trait of ops on a dispatch: one function an op, one arm a backend and mode.
//!
//! ```text
//! impl FusedOps for Dispatch {
//!     fn fused(lhs: FloatTensor<Self>) -> FloatTensor<Self> {
//!         let __call = __rt::Call::<Self, FloatTensor<Self>>::new("FusedOps::fused");
//!         match __rt::select!(__call, &lhs) {
//!             __Device::Cpu(__device) => {
//!                 let __to = __call.to::<__Cpu>(__device);
//!                 __to.lift(<__Cpu as FusedOps>::fused(__rt::lower!(__to, lhs)))
//!             }
//!             __Device::Autodiff(__device) => match __device { __AutodiffDevice::Cpu(__device) => { .. } },
//!         }
//!     }
//! }
//! __rt::register!(Dispatch, FusedOps, [__Cpu]);
//! ```

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Index, TypeGenerics};

use super::{
    allows, block, coverage, impl_params, is_reference, op_name, plain_signature, turbofish, variants,
};
use crate::model::{Asynchrony, Method, Route};

pub(crate) fn emit(route: &Route) -> TokenStream {
    let Route { krate, dispatch, schema, trait_, trait_generics, methods, .. } = route;
    let backends = schema.backends.iter().map(|(index, name)| {
        let (alias, index) = (backend_alias(name), Index::from(*index));
        quote!(type #alias = <#dispatch as __rt::Listed<#index>>::Backend;)
    });
    let autodiff_device = schema
        .autodiff
        .then(|| quote!(type __AutodiffDevice = <#dispatch as __rt::DispatchBackend>::AutodiffDevice;));
    let params = impl_params(trait_generics);
    let (_, type_generics, where_clause) = trait_generics.split_for_impl();
    let bounds = bounds(route, &type_generics);
    let predicates = where_clause.map(|clause| clause.predicates.iter());
    let predicates = predicates.into_iter().flatten();
    let variants = route.types.iter().map(|ty| variants::emit(route, ty));
    let types = route.types.iter().map(variants::assoc_type);
    let functions = methods.iter().map(|method| function(route, method));
    let record = coverage::record(route);
    let allows = allows();
    block(
        krate,
        &quote! {
            type __Device = __rt::Device<#dispatch>;
            #autodiff_device
            #(#backends)*

            #(#variants)*

            #[automatically_derived]
            #allows
            impl<#(#params),*> #trait_ #type_generics for #dispatch
            where
                #(#bounds,)*
                #(#predicates,)*
            {
                #(#types)*
                #(#functions)*
            }

            #record
        },
    )
}

pub(super) fn backend_alias(name: &Ident) -> Ident {
    format_ident!("__{name}", span = name.span())
}

/// Every backend has the ops: an error stands at the backend in the list, once, and not inside generated code.
fn bounds(route: &Route, type_generics: &TypeGenerics<'_>) -> Vec<TokenStream> {
    let bounds = route.schema.backends.iter().map(|(_, name)| {
        let (alias, place) = (backend_alias(name), name.span());
        let trait_ = at(route.trait_.to_token_stream(), place);
        if route.schema.autodiff {
            quote_spanned! {place=>
                #alias: #trait_ #type_generics + __rt::PlainBackend,
                __rt::Autodiff<#alias>: #trait_ #type_generics
            }
        } else {
            quote_spanned!(place=> #alias: #trait_ #type_generics)
        }
    });
    bounds.collect()
}

/// A path, to be reported at another place. What `$crate` means depends on where it stands.
fn at(path: TokenStream, place: Span) -> TokenStream {
    let moved = path.into_iter().map(|mut token| {
        if !matches!(&token, TokenTree::Ident(ident) if ident == "$crate") {
            token.set_span(place);
        }
        token
    });
    moved.collect()
}

fn function(route: &Route, method: &Method) -> TokenStream {
    let sig = plain_signature(method);
    let attrs = &method.attrs;
    let body = body(route, method);
    match method.output.asynchrony {
        Asynchrony::Sync => quote!(#(#attrs)* #[track_caller] #sig { #body }),
        Asynchrony::AsyncFn => quote!(#(#attrs)* #sig { #body }),
        Asynchrony::ReturnsFuture => quote!(#(#attrs)* #sig { async move { #body } }),
    }
}

fn body(route: &Route, method: &Method) -> TokenStream {
    let op = op_name(&route.trait_name, method);
    let output = &method.output.ty;
    let new = if method.output.asynchrony == Asynchrony::Sync { quote!(new) } else { quote!(asynchronous) };
    let routed = method.args.iter().filter(|arg| arg.routed).map(|arg| {
        let name = &arg.name;
        quote_spanned!(name.span()=> &#name)
    });
    let arms = route.schema.backends.iter().map(|(_, name)| {
        let alias = backend_alias(name);
        let call = call(route, method, &quote!(#alias));
        quote!(__Device::#name(__device) => { #call })
    });
    let autodiff = route.schema.autodiff.then(|| {
        let arms = route.schema.backends.iter().map(|(_, name)| {
            let alias = backend_alias(name);
            let call = call(route, method, &quote!(__rt::Autodiff<#alias>));
            quote!(__AutodiffDevice::#name(__device) => { #call })
        });
        quote!(__Device::Autodiff(__device) => match __device { #(#arms)* },)
    });
    quote! {
        let __call = __rt::Call::<Self, #output>::#new(#op);
        match __rt::select!(__call #(, #routed)*) {
            #(#arms)*
            #autodiff
        }
    }
}

/// One backend, one mode.
fn call(route: &Route, method: &Method, backend: &TokenStream) -> TokenStream {
    let (trait_, func) = (&route.trait_, &method.sig.ident);
    let (_, type_generics, _) = route.trait_generics.split_for_impl();
    let turbofish = turbofish(&method.sig.generics);
    let to = quote!(__to);
    let args = method.args.iter().map(|arg| {
        let name = &arg.name;
        match (arg.routed, is_reference(arg)) {
            (true, true) => quote_spanned!(name.span()=> __rt::lower!(#to, &#name)),
            (true, false) => quote_spanned!(name.span()=> __rt::lower!(#to, #name)),
            (false, _) => quote!(#name),
        }
    });
    let mut result = quote!(<#backend as #trait_ #type_generics>::#func #turbofish(#(#args),*));
    if method.output.asynchrony != Asynchrony::Sync {
        result = quote!(#to.in_span(#result).await);
    }
    if matches!(method.sig.safety, syn::Safety::Unsafe(_)) {
        result = quote!(unsafe { #result });
    }
    if method.output.routed {
        let lift = format_ident!("lift", span = method.output.span());
        result = quote!(#to.#lift(#result));
    }
    quote! {
        let __to = __call.to::<#backend>(__device);
        #result
    }
}
