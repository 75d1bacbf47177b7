//! A trait of an op library whose ops run on any backend: `backends = any`.
//!
//! ```text
//! pub trait FlashOps: CoreOps {     =>   pub trait FlashOps: CoreOps { fn flash(..) -> ..; }
//!     #[backward { .. }]                 pub trait __FlashOpsIn<__M>: CoreOps { fn __op_flash(..) -> ..; }
//!     fn flash(..) -> .. { body }        impl<__B> FlashOps for __B where __B: HasMode + __FlashOpsIn<__B::Mode> { .. }
//! }                                      impl<__B: CoreOps + PlainBackend> __FlashOpsIn<Plain> for __B { body }
//!                                        impl<__B: CoreOps + PlainBackend> __FlashOpsIn<Tracking> for Autodiff<__B> { .. }
//! ```
//!
//! Nobody but the library could implement its trait for the backend of another crate, and to the compiler an implementation
//! for every plain backend might overlap with the one for `Autodiff`. So there is one implementation for all, and the mode of
//! the backend chooses the body.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    FnArg, ItemTrait, Pat, Signature, Token, TraitItem, TraitItemType, WherePredicate, ext::IdentExt,
    parse_quote,
};

use super::{
    allows, autodiff, block, coverage, hidden, impl_params, plain_signature, turbofish, type_and_const_args,
};
use crate::model::{AssocType, Asynchrony, Backward, Method, Ops};

/// The trait without the bodies, and the implementations that have them.
pub(super) fn emit(ops: &Ops, mut item: ItemTrait) -> (ItemTrait, Option<TokenStream>) {
    for member in &mut item.items {
        match member {
            TraitItem::Fn(func) => {
                func.default = None;
                func.semi_token = Some(<Token![;]>::default());
                func.sig.inputs.iter_mut().for_each(without_mut);
            }
            TraitItem::Type(ty) => ty.default = None,
            _ => {}
        }
    }
    let (mode_trait, every_backend, plain) = (mode_trait(ops), every_backend(ops), plain_backends(ops));
    let autodiff = ops.has_gradients().then(|| autodiff_backends(ops));
    (item, Some(block(&ops.krate, &quote!(#mode_trait #every_backend #plain #autodiff))))
}

/// A function without a body has no `mut` arguments.
fn without_mut(input: &mut FnArg) {
    if let FnArg::Typed(typed) = input
        && let Pat::Ident(pat) = &mut *typed.pat
    {
        pat.mutability = None;
    }
}

/// The name of an op in the hidden trait: another one, so that `Self::flash` in a body still means the op.
fn mode_op(method: &Method) -> Ident {
    hidden("op", &method.sig.ident)
}

fn mode_trait_name(ops: &Ops) -> Ident {
    format_ident!("__{}In", ops.item.ident.unraw())
}

/// The ops once more, with the mode as a parameter. A body that is its own gradient stands here, for both modes.
fn mode_trait(ops: &Ops) -> TokenStream {
    let (trait_, name, supertraits) = (&ops.item.ident, mode_trait_name(ops), &ops.item.supertraits);
    let (params, where_clause) = (impl_params(&ops.item.generics), &ops.item.generics.where_clause);
    let (_, type_generics, _) = ops.item.generics.split_for_impl();
    let types = ops.item.items.iter().filter_map(|member| match member {
        TraitItem::Type(ty) => Some(TraitItemType { default: None, ..ty.clone() }),
        _ => None,
    });
    let functions = ops.methods.iter().map(|method| {
        if !is_own_gradient(method) {
            return with_signature(method, plain_signature(method), &quote!(;));
        }
        let mut sig = method.sig.clone();
        // A supertrait would say the same, and hide from the implementation for every backend what its own futures are.
        let is_op: WherePredicate = parse_quote!(Self: #trait_ #type_generics);
        sig.generics.make_where_clause().predicates.push(is_op);
        with_signature(method, sig, &method.default)
    });
    quote! {
        #[allow(async_fn_in_trait, unreachable_pub)]
        pub trait #name<#(#params,)* __M>: #supertraits #where_clause {
            #(#types)*
            #(#functions)*
        }
    }
}

fn is_own_gradient(method: &Method) -> bool {
    matches!(method.backward, Some(Backward::Default(_)))
}

/// The op of the hidden trait.
fn with_signature(method: &Method, sig: Signature, body: &impl ToTokens) -> TokenStream {
    let (attrs, located) = (&method.attrs, located(method));
    let sig = Signature { ident: mode_op(method), ..sig };
    quote!(#(#attrs)* #located #sig #body)
}

fn every_backend(ops: &Ops) -> TokenStream {
    let (trait_, mode_trait, supertraits) = (&ops.item.ident, mode_trait_name(ops), &ops.item.supertraits);
    let params = impl_params(&ops.item.generics);
    let (_, type_generics, _) = ops.item.generics.split_for_impl();
    let (args, predicates) = (trait_args(ops), predicates(ops));
    let mode_trait = quote!(#mode_trait<#args <__B as __rt::HasMode>::Mode>);
    let functions = ops.methods.iter().map(|method| {
        let (op, turbofish) = (mode_op(method), turbofish(&method.sig.generics));
        let names = method.args.iter().map(|arg| &arg.name);
        let call = quote!(<__B as #mode_trait>::#op #turbofish(#(#names),*));
        let call =
            if matches!(method.sig.safety, syn::Safety::Unsafe(_)) { quote!(unsafe { #call }) } else { call };
        let wait = (method.output.asynchrony == Asynchrony::AsyncFn).then(|| quote!(.await));
        let (attrs, located, sig) = (&method.attrs, located(method), plain_signature(method));
        quote!(#(#attrs)* #located #sig { #call #wait })
    });
    let types =
        ops.types.iter().map(|AssocType { name, .. }| quote!(type #name = <__B as #mode_trait>::#name;));
    let no_own_ops = coverage::no_own_ops();
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl<#(#params,)* __B> #trait_ #type_generics for __B
        where
            __B: #supertraits + __rt::HasMode + #mode_trait,
            #predicates
        {
            #(#types)*
            #no_own_ops
            #(#functions)*
        }
    }
}

/// The bodies, as the user wrote them.
fn plain_backends(ops: &Ops) -> TokenStream {
    let types = ops.types.iter().map(|AssocType { name, default, .. }| quote!(type #name = #default;));
    let methods = ops.methods.iter().filter(|method| !is_own_gradient(method));
    let functions = methods.map(|method| with_signature(method, method.sig.clone(), &method.default));
    implementation(ops, &quote!(__rt::Plain), &quote!(__B), &quote!(#(#types)* #(#functions)*))
}

/// What the gradients are.
fn autodiff_backends(ops: &Ops) -> TokenStream {
    let types = autodiff::types(ops);
    let functions = ops.methods.iter().filter_map(|method| autodiff::function(ops, method, mode_op(method)));
    let members = quote!(#(#types)* #(#functions)*);
    let implementation = implementation(ops, &quote!(__rt::Tracking), &quote!(__rt::Autodiff<__B>), &members);
    let allows = allows();
    quote!(#[automatically_derived] #allows #implementation)
}

fn implementation(ops: &Ops, mode: &TokenStream, ty: &TokenStream, members: &TokenStream) -> TokenStream {
    let (mode_trait, supertraits) = (mode_trait_name(ops), &ops.item.supertraits);
    let params = impl_params(&ops.item.generics);
    let (args, predicates) = (trait_args(ops), predicates(ops));
    quote! {
        impl<#(#params,)* __B> #mode_trait<#args #mode> for #ty
        where
            __B: #supertraits + __rt::PlainBackend,
            #predicates
        {
            #members
        }
    }
}

/// A future has no caller.
fn located(method: &Method) -> Option<TokenStream> {
    (method.output.asynchrony == Asynchrony::Sync).then(|| quote!(#[track_caller]))
}

/// The generics of the trait as arguments, before the mode.
fn trait_args(ops: &Ops) -> TokenStream {
    let lifetimes = ops.item.generics.lifetimes().map(|param| &param.lifetime);
    let args = type_and_const_args(&ops.item.generics);
    quote!(#(#lifetimes,)* #(#args,)*)
}

fn predicates(ops: &Ops) -> Option<TokenStream> {
    ops.item.generics.where_clause.as_ref().map(|clause| clause.predicates.to_token_stream())
}
