//! What the table of a dispatch's ops is made of.
//!
//! ```text
//! #[backend_extension]             pub trait FusedOps: CoreOps {
//! pub trait FusedOps: CoreOps {        fn fused(..) -> ..;
//!     #[backward { .. }]       =>      const __BACKEND_EXTENSION_OPS: Option<&[&str]> = None;
//!     fn fused(..) -> ..;          }
//! }                                pub const FusedOps: OpTrait = OpTrait { path: "..::FusedOps", ops: &[Op::new("fused", ..)] };
//!
//! #[backend_extension]             impl FusedOps for Cpu {
//! impl FusedOps for Cpu {      =>      fn fused(..) -> .. { .. }
//!     fn fused(..) -> .. { .. }        const __BACKEND_EXTENSION_OPS: Option<&[&str]> = Some(&["fused"]);
//! }                                }
//!
//! where trait and dispatch meet:   __rt::register!(Dispatch, FusedOps, [__Cpu]);
//! ```
//!
//! The constant shares the trait's name, as its macro does: whoever can name the trait can describe it, also where it is
//! generic and no constant inside it can be reached.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Attribute, ImplItem, ImplItemMacro, ItemTrait, ext::IdentExt, parse_quote_spanned};

use super::routing::backend_alias;
use crate::{
    model::{Backward, Implementation, Method, Ops, Route},
    tokens::any_ident,
};

/// The trait with a constant for what an implementation has of its own, which marked ones set.
pub(crate) fn with_own_ops(mut item: ItemTrait) -> ItemTrait {
    let (name, ty) = own_ops(Span::call_site());
    item.items.push(syn::parse_quote! {
        #[doc(hidden)]
        const #name: #ty = ::core::option::Option::None;
    });
    item
}

/// What an implementation says that has nothing of its own.
pub(super) fn no_own_ops() -> TokenStream {
    let (name, ty) = own_ops(Span::call_site());
    quote!(const #name: #ty = ::core::option::Option::Some(&[]);)
}

/// The implementation, which says what it has.
pub(crate) fn mark(Implementation { mut item, place }: Implementation) -> TokenStream {
    let (name, ty) = own_ops(place);
    let ops = item.items.iter().flat_map(|member| match member {
        ImplItem::Fn(func) => vec![entry(&func.attrs, &func.sig.ident, |name| quote!(#name))],
        ImplItem::Macro(call) => named_in(call),
        _ => Vec::new(),
    });
    item.items.push(parse_quote_spanned! {place=>
        const #name: #ty = ::core::option::Option::Some(&[#(#ops),*]);
    });
    item.into_token_stream()
}

/// What a macro writes cannot be seen, but it has the names of its ops from somewhere: they are among the words that it is
/// given. The other words are no ops.
fn named_in(call: &ImplItemMacro) -> Vec<TokenStream> {
    let mut words = BTreeSet::new();
    any_ident(call.mac.tokens.clone(), &mut |word| {
        words.insert(word.clone());
        false
    });
    let is_function = |word: &Ident| !word.unraw().to_string().starts_with(char::is_uppercase);
    let functions = words.iter().filter(|word| is_function(word));
    functions.map(|word| entry(&call.attrs, word, |name| quote!(#name))).collect()
}

/// The constant of an implementation. Its paths are those that every crate has: no option says how to reach ours.
fn own_ops(place: Span) -> (Ident, TokenStream) {
    let name = format_ident!("__BACKEND_EXTENSION_OPS", span = place);
    (name, quote_spanned!(place=> ::core::option::Option<&'static [&'static str]>))
}

/// The trait in words.
pub(super) fn describe(ops: &Ops) -> TokenStream {
    let (krate, vis, trait_) = (&ops.krate, &ops.item.vis, &ops.item.ident);
    let path = format!("::{}", trait_.unraw());
    let entries = ops.methods.iter().map(|method| {
        let gradient = gradient(ops, method);
        let new = if method.default.is_some() { quote!(with_body) } else { quote!(new) };
        entry(&method.attrs, &method.sig.ident, |name| quote!(__rt::Op::#new(#name, #gradient)))
    });
    quote! {
        #[doc(hidden)]
        #[allow(dead_code, non_upper_case_globals)]
        #vis const #trait_: #krate::__private::OpTrait = {
            use #krate::__private as __rt;

            __rt::OpTrait {
                path: ::core::concat!(::core::module_path!(), #path),
                ops: &[#(#entries),*],
            }
        };
    }
}

/// The element of a list for a function, which is there where the function is.
fn entry(attrs: &[Attribute], name: &Ident, element: impl Fn(String) -> TokenStream) -> TokenStream {
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let element = element(name.unraw().to_string());
    quote!(#(#cfgs)* #element)
}

fn gradient(ops: &Ops, method: &Method) -> TokenStream {
    match &method.backward {
        Some(Backward::Formulas(formulas)) => {
            let (with, without): (Vec<_>, Vec<_>) =
                formulas.entries.iter().partition(|formula| formula.expr.is_some());
            let [inputs, none] = [with, without].map(|formulas| {
                formulas.into_iter().map(|formula| formula.input.unraw().to_string()).collect::<Vec<_>>()
            });
            quote!(__rt::formula(&[#(#inputs),*], &[#(#none),*]))
        }
        Some(Backward::Default(_)) => quote!(__rt::OpGradient::DefaultBody),
        Some(Backward::None) => quote!(__rt::OpGradient::None),
        None if ops.has_gradients() => quote!(__rt::OpGradient::None),
        None => quote!(__rt::OpGradient::HandWritten),
    }
}

/// The record of a trait and a dispatch.
pub(super) fn record(route: &Route) -> TokenStream {
    let (dispatch, trait_) = (&route.dispatch, &route.trait_);
    let backends = route.schema.backends.iter().map(|(_, name)| backend_alias(name));
    let generic = (!route.trait_generics.params.is_empty()).then(|| quote!(, generic));
    quote!(__rt::register!(#dispatch, #trait_, [#(#backends),*] #generic);)
}
