//! The autodiff implementation of a trait of ops.
//!
//! ```text
//! impl<__B: FusedOps + PlainBackend> FusedOps for Autodiff<__B> {
//!     fn fused(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self> {
//!         fn __backward<__I, B>(..) -> (Option<Gradient<..>>, ..) { /* the formulas */ }
//!
//!         let mut __tape = __rt::Tape::<__B>::new("FusedOps::fused");
//!         let __needs = [__tape.watch(&lhs), __tape.watch(&rhs)];
//!         let __saved = __tape.is_tracked().then(|| ([__tape.edges(&lhs), ..], __tape.save(&rhs, __needs[0]), ..));
//!         let mut __output = __tape.lift(<__B as FusedOps>::fused(__tape.lower(lhs), __tape.lower(rhs)));
//!         if let Some((__edges, mut __rhs, ..)) = __saved {
//!             __tape.record(&mut __output, __edges, None, move |__step| { /* restore, __backward, give */ });
//!         }
//!         __output
//!     }
//! }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::TraitItem;

use super::{allows, block, formulas, impl_params, is_reference, op_name, plain_signature, turbofish};
use crate::model::{Arg, AssocType, Asynchrony, Backward, Method, Ops};

pub(super) fn emit(ops: &Ops) -> TokenStream {
    let trait_ = &ops.item.ident;
    let params = impl_params(&ops.item.generics);
    let (_, type_generics, where_clause) = ops.item.generics.split_for_impl();
    let predicates = where_clause.map(|clause| &clause.predicates);
    let types = types(ops);
    let constants = constants(ops);
    let functions = ops.methods.iter().filter_map(|method| function(ops, method, method.sig.ident.clone()));
    let allows = allows();
    block(
        &ops.krate,
        &quote! {
            #[automatically_derived]
            #allows
            impl<#(#params,)* __B> #trait_ #type_generics for __rt::Autodiff<__B>
            where
                __B: #trait_ #type_generics + __rt::PlainBackend,
                #predicates
            {
                #(#types)*
                #(#constants)*
                #(#functions)*
            }
        },
    )
}

/// The types of the backend inside, without gradients.
pub(super) fn types(ops: &Ops) -> impl Iterator<Item = TokenStream> {
    let trait_ = &ops.item.ident;
    ops.types
        .iter()
        .map(move |AssocType { name, .. }| quote!(type #name = __rt::Opaque<<__B as #trait_>::#name>;))
}

/// What the backend inside says, which is not always what the trait says.
fn constants(ops: &Ops) -> impl Iterator<Item = TokenStream> {
    ops.item.items.iter().filter_map(|member| {
        let TraitItem::Const(constant) = member else { return None };
        let (trait_, name, ty) = (&ops.item.ident, &constant.ident, &constant.ty);
        let (_, type_generics, _) = ops.item.generics.split_for_impl();
        let attrs = constant.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
        Some(quote!(#(#attrs)* const #name: #ty = <__B as #trait_ #type_generics>::#name;))
    })
}

/// `None` for an op whose default body is its gradient: the trait has it already.
pub(super) fn function(ops: &Ops, method: &Method, name: Ident) -> Option<TokenStream> {
    let body = match &method.backward {
        Some(Backward::Default(_)) => return None,
        Some(Backward::Formulas(formulas)) if method.output.routed => formulas::body(ops, method, formulas),
        Some(Backward::Formulas(_) | Backward::None) | None => refusing_body(ops, method),
    };
    let sig = syn::Signature { ident: name, ..plain_signature(method) };
    let attrs = &method.attrs;
    Some(match method.output.asynchrony {
        Asynchrony::Sync => quote!(#(#attrs)* #[track_caller] #sig { #body }),
        Asynchrony::AsyncFn => quote!(#(#attrs)* #sig { #body }),
        Asynchrony::ReturnsFuture => quote!(#(#attrs)* #sig { async move { #body } }),
    })
}

/// An op without a gradient.
fn refusing_body(ops: &Ops, method: &Method) -> TokenStream {
    let op = op_name(&ops.item.ident, method);
    let call = inner_call(ops, method);
    let watched = routed(method).map(|arg| {
        let (name, watch) = (&arg.name, watch(arg));
        let text = name.to_string();
        quote!((#text, #watch))
    });
    if !method.output.routed {
        return quote! {
            let __tape = __rt::Tape::<__B>::new(#op);
            #call
        };
    }
    let output = &method.output.ty;
    quote! {
        let mut __tape = __rt::Tape::<__B>::new(#op);
        let __tracked = [#(#watched),*];
        let mut __output: #output = __tape.lift(#call);
        __tape.refuse(&mut __output, &__tracked);
        __output
    }
}

pub(super) fn routed(method: &Method) -> impl Iterator<Item = &Arg> {
    method.args.iter().filter(|arg| arg.routed)
}

/// `&x`, or `x` for an argument that is a reference already.
pub(super) fn borrowed(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    if is_reference(arg) { quote!(#name) } else { quote!(&#name) }
}

pub(super) fn watch(arg: &Arg) -> TokenStream {
    let borrowed = borrowed(arg);
    quote!(__tape.watch(#borrowed))
}

/// The argument holds no floats; if it does, the error stands at it.
pub(super) fn pass(arg: &Arg) -> TokenStream {
    let name = &arg.name;
    let borrowed = if is_reference(arg) { quote!(#name) } else { quote_spanned!(name.span()=> &#name) };
    quote_spanned!(name.span()=> __tape.pass(#borrowed);)
}

/// The op on the backend inside, with its arguments lowered.
pub(super) fn inner_call(ops: &Ops, method: &Method) -> TokenStream {
    let args = method.args.iter().map(|arg| {
        let name = &arg.name;
        match (arg.routed, is_reference(arg)) {
            (true, true) => quote!(&*__tape.lower_ref(#name)),
            (true, false) => quote!(__tape.lower(#name)),
            (false, _) => quote!(#name),
        }
    });
    inner_call_with(ops, method, args)
}

/// The op on the backend inside, with these arguments.
pub(super) fn inner_call_with(
    ops: &Ops,
    method: &Method,
    args: impl Iterator<Item = TokenStream>,
) -> TokenStream {
    let (trait_, func) = (&ops.item.ident, &method.sig.ident);
    let (_, type_generics, _) = ops.item.generics.split_for_impl();
    let turbofish = turbofish(&method.sig.generics);
    let wait = (method.output.asynchrony != Asynchrony::Sync).then(|| quote!(.await));
    let call = quote!(<__B as #trait_ #type_generics>::#func #turbofish(#(#args),*) #wait);
    if matches!(method.sig.safety, syn::Safety::Unsafe(_)) { quote!(unsafe { #call }) } else { call }
}
