//! A trait of an op library whose ops run on any backend: `backends = any`.
//!
//! ```text
//! pub trait FlashOps: CoreOps {     =>   pub trait FlashOps: CoreOps { fn flash(..) -> ..; }
//!     #[backward { .. }]                 pub trait __FlashOpsIn<__M>: CoreOps { fn __op_flash(..) -> .. { body } }
//!     fn flash(..) -> .. { body }        impl<__B> FlashOps for __B where __B: HasMode + __FlashOpsIn<__B::Mode> { .. }
//! }                                      impl<__B: CoreOps + PlainBackend> __FlashOpsIn<PlainMode> for __B {}
//!                                        impl<__B: CoreOps + PlainBackend> __FlashOpsIn<AutodiffMode> for Autodiff<__B> { .. }
//! ```
//!
//! Nobody but the library could implement its trait for the backend of another crate, and to the compiler an implementation
//! for every plain backend might overlap with the one for `Autodiff`. So there is one implementation for all, and the mode of
//! the backend chooses the body.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{FnArg, ItemTrait, Pat, Signature, TraitItem, WherePredicate, ext::IdentExt, parse_quote};

use super::{allows, autodiff, block, hidden, impl_params, plain_signature, turbofish, type_and_const_args};
use crate::model::{Asynchrony, Method, Ops};

/// The trait without the bodies, and the implementations that have them.
pub(super) fn emit(ops: &Ops, mut item: ItemTrait) -> (ItemTrait, Option<TokenStream>) {
    for member in &mut item.items {
        if let TraitItem::Fn(func) = member {
            func.default = None;
            func.semi_token = Some(<syn::Token![;]>::default());
            func.sig.inputs.iter_mut().for_each(without_mut);
        }
    }
    let (mode_trait, every_backend, modes) = (mode_trait(ops), every_backend(ops), modes(ops));
    (item, Some(block(&ops.krate, &quote!(#mode_trait #every_backend #modes))))
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

/// The ops once more, with their bodies, and with the mode as a parameter.
fn mode_trait(ops: &Ops) -> TokenStream {
    let (trait_, name, supertraits) = (&ops.item.ident, mode_trait_name(ops), &ops.item.supertraits);
    let (params, where_clause) = (impl_params(&ops.item.generics), &ops.item.generics.where_clause);
    let (_, type_generics, _) = ops.item.generics.split_for_impl();
    let functions = ops.methods.iter().map(|method| {
        let (attrs, located, body) = (&method.attrs, located(method), &method.default);
        let mut sig = Signature { ident: mode_op(method), ..method.sig.clone() };
        // Not a supertrait: one would hide from the implementation for every backend what its own futures are.
        let is_op: WherePredicate = parse_quote!(Self: #trait_ #type_generics);
        sig.generics.make_where_clause().predicates.push(is_op);
        quote!(#(#attrs)* #located #sig #body)
    });
    quote! {
        #[allow(async_fn_in_trait, unreachable_pub)]
        pub trait #name<#(#params,)* __M>: #supertraits #where_clause {
            #(#functions)*
        }
    }
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
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl<#(#params,)* __B> #trait_ #type_generics for __B
        where
            __B: #supertraits + __rt::HasMode + #mode_trait,
            #predicates
        {
            #(#functions)*
        }
    }
}

/// The bodies, on plain backends; on autodiff, what the gradients are, or the bodies where they are the gradients too.
fn modes(ops: &Ops) -> TokenStream {
    let (mode_trait, supertraits) = (mode_trait_name(ops), &ops.item.supertraits);
    let params = impl_params(&ops.item.generics);
    let (args, predicates, allows) = (trait_args(ops), predicates(ops), allows());
    let autodiff = ops.has_gradients().then(|| {
        let functions =
            ops.methods.iter().filter_map(|method| autodiff::function(ops, method, mode_op(method)));
        quote! {
            #[automatically_derived]
            #allows
            impl<#(#params,)* __B> #mode_trait<#args __rt::AutodiffMode> for __rt::Autodiff<__B>
            where
                __B: #supertraits + __rt::PlainBackend,
                #predicates
            {
                #(#functions)*
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl<#(#params,)* __B> #mode_trait<#args __rt::PlainMode> for __B
        where
            __B: #supertraits + __rt::PlainBackend,
            #predicates
        {
        }

        #autodiff
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
