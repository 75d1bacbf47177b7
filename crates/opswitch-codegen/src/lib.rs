//! The code generator behind `#[backend_extension]`: parse, model, check, emit.
//!
//! A plain library on `proc-macro2`, so that it is tested and shown (`cargo opswitch`) without a compiler run. It knows of no
//! concrete backend.

#[cfg(feature = "sources")]
mod annotated;
mod check;
mod diag;
mod emit;
#[cfg(feature = "sources")]
mod expand;
mod model;
mod parse;
#[cfg(feature = "sources")]
pub mod survey;
mod tokens;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

#[cfg(feature = "sources")]
pub use self::{
    annotated::{Mistake, parse_source},
    expand::{ExpandError, Expansion, expand_files, expand_source},
};
use self::{
    diag::Sink,
    emit::{coverage, derive, dispatch, extend, ops},
    model::Extension,
};

/// `#[backend_extension(..)]` on a unit struct, a trait, or an implementation of one.
pub fn backend_extension(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut sink = Sink::new();
    let extension = parse::extension(&mut sink, options, &item);
    if let Some(extension) = &extension {
        check::extension(&mut sink, extension);
    }
    match (sink.finish(), extension) {
        (Ok(()), Some(Extension::Dispatch(dispatch))) => dispatch::emit(&dispatch),
        (Ok(()), Some(Extension::Ops(ops))) => ops::emit(&ops),
        (Ok(()), Some(Extension::Implementation(implementation))) => coverage::mark(*implementation),
        (Ok(()), None) => item,
        // What the list says without mistakes is a dispatch for everything that names it.
        (Err(errors), Some(Extension::Dispatch(dispatch))) if !dispatch.backends.is_empty() => {
            let dispatch = dispatch::emit(&dispatch);
            quote!(#errors #dispatch)
        }
        (Err(errors), _) => {
            let kept = parse::trait_without_helpers(item.clone());
            let item = kept.map_or(item, |item| coverage::with_own_ops(item).into_token_stream());
            quote!(#item #errors)
        }
    }
}

/// `extend_dispatch!(Dispatch: flash::FlashOps, ..)`.
pub fn extend_dispatch(input: TokenStream) -> TokenStream {
    parse::extend_dispatch(input)
        .map_or_else(syn::Error::into_compile_error, |request| extend::emit(&request))
}

/// The last link of a declaration whose backends have `cfg`s: they are resolved by now.
pub fn declare_dispatch(input: TokenStream) -> TokenStream {
    parse::declaration(input)
        .map_or_else(syn::Error::into_compile_error, |declared| dispatch::emit_schema(&declared))
}

/// The last link of a trait for other crates whose ops have `cfg`s: they are resolved by now.
pub fn declare_ops(input: TokenStream) -> TokenStream {
    parse::ops_declaration(input)
        .map_or_else(syn::Error::into_compile_error, |item| emit::schema::emit_schema(&item))
}

/// The last link of an extension: a dispatch and a trait have met.
pub fn route(input: TokenStream) -> TokenStream {
    parse::route(input).map_or_else(syn::Error::into_compile_error, |route| emit::routing::emit(&route))
}

/// `#[derive(ExtensionType)]`.
pub fn derive_extension_type(input: TokenStream) -> TokenStream {
    let mut sink = Sink::new();
    let model = parse::extension_type(&mut sink, input);
    match (sink.finish(), model) {
        (Ok(()), Some(model)) => derive::emit(&model),
        (Ok(()), None) => TokenStream::new(),
        (Err(errors), _) => errors,
    }
}
