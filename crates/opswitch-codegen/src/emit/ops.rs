//! A trait of ops.
//!
//! ```text
//! #[backend_extension(dispatch = Dispatch)]      pub trait FusedOps: CoreOps { fn fused(..) -> ..; }
//! pub trait FusedOps: CoreOps {            =>    const _: () = { impl<__B> FusedOps for Autodiff<__B> { .. } };
//!     #[backward { .. }]                         Dispatch! { [route] .. }
//!     fn fused(..) -> ..;
//! }
//! ```

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{ItemTrait, Path, TraitItem, parse_quote};

use super::{any_backend, autodiff, coverage, dispatch, extend, schema};
use crate::{
    model::{Asynchrony, Ops, Target},
    parse::schema_items,
};

pub(crate) fn emit(ops: &Ops) -> TokenStream {
    let (item, implementations) = if ops.any_backend {
        any_backend::emit(ops, with_locations(ops, ops.item.clone()))
    } else {
        (with_locations(ops, with_diagnostic(ops)), ops.has_gradients().then(|| autodiff::emit(ops)))
    };
    let item = coverage::with_own_ops(item);
    let description = coverage::describe(ops);
    let (item, target) = match &ops.target {
        Target::Schema => schema::emit(ops, item),
        Target::Existing(path) => {
            let (proof, meeting) = (extend::proof(&ops.krate, path), meet(ops, path));
            (item, quote!(#proof #meeting))
        }
        Target::Declared(declared) => {
            let name = &declared.item.ident;
            let (declaration, meeting) = (dispatch::emit(declared), meet(ops, &parse_quote!(#name)));
            (item, quote!(#declaration #meeting))
        }
    };
    quote!(#item #description #implementations #target)
}

/// Hands the trait to the dispatch, which hands both to `route`.
fn meet(ops: &Ops, dispatch: &Path) -> TokenStream {
    let (krate, name) = (&ops.krate, &ops.item.ident);
    let items = schema_items(&ops.item);
    quote!(#dispatch! { [#krate::__private::route] {#krate} {#dispatch} {#name} {#items} })
}

/// The trait with `#[track_caller]` on its ops, which holds for default bodies and every implementation: what does not fit
/// is refused at the line that calls the op. A future has no caller.
fn with_locations(ops: &Ops, mut item: ItemTrait) -> ItemTrait {
    for member in &mut item.items {
        let TraitItem::Fn(func) = member else { continue };
        let has_one = func.attrs.iter().any(|attr| attr.path().is_ident("track_caller"));
        let is_sync = ops
            .methods
            .iter()
            .any(|method| method.sig.ident == func.sig.ident && method.output.asynchrony == Asynchrony::Sync);
        if is_sync && !has_one {
            func.attrs.push(parse_quote!(#[track_caller]));
        }
    }
    item
}

/// The trait with a message for a backend that does not implement it, unless the user wrote one.
fn with_diagnostic(ops: &Ops) -> ItemTrait {
    let mut item = ops.item.clone();
    let has_one =
        item.attrs.iter().any(|attr| attr.path().to_token_stream().to_string().starts_with("diagnostic"));
    if ops.diagnostic && !has_one {
        let name = &item.ident;
        let message = format!("backend `{{Self}}` has no kernels for `{name}`");
        let label = format!("`{name}` is not implemented for this backend");
        let note = format!(
            "write an `impl {name} for` this backend, with a kernel for each op that has no default body"
        );
        let gradients = if ops.has_gradients() {
            format!("`Autodiff<_>` implements `{name}` where the backend inside does")
        } else {
            format!(
                "`Autodiff<_>` needs gradients instead: write `#[backward {{{{ input => formula; }}}}]` or `#[backward(none)]` on each op of `{name}`"
            )
        };
        item.attrs.push(parse_quote!(#[diagnostic::on_unimplemented(message = #message, label = #label, note = #note, note = #gradients)]));
    }
    item
}
