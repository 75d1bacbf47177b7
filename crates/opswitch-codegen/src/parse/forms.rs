//! Ops with arguments that depend on a `cfg`.
//!
//! ```text
//! fn fused(x: T, #[cfg(a)] y: T);   =>   #[cfg(a)]      fn fused(x: T, y: T);
//!                                        #[cfg(not(a))] fn fused(x: T);
//! ```
//!
//! The trait keeps the op as it is written; where it is implemented, a call cannot leave an argument out by a `cfg`, so each
//! form is a function of its own.

use quote::ToTokens;
use syn::{FnArg, Meta, TraitItemFn, parse_quote};

use crate::{diag::Sink, tokens};

/// Each further condition doubles the number of forms.
const MAX_CONDITIONS: usize = 4;

/// The forms of an op, the one with all arguments first.
pub(super) fn of(func: &TraitItemFn) -> Vec<TraitItemFn> {
    let mut forms = vec![func.clone()];
    for condition in conditions(func).iter().take(MAX_CONDITIONS) {
        let without: Vec<_> = forms.iter().map(|form| without(form.clone(), condition)).collect();
        for form in &mut forms {
            keep(form, condition);
        }
        forms.extend(without);
    }
    forms
}

/// Says so where an op has more forms than are emitted.
pub(super) fn check(sink: &mut Sink, func: &TraitItemFn) {
    if let Some(condition) = conditions(func).get(MAX_CONDITIONS) {
        let message = format!(
            "the arguments of an op can depend on at most {MAX_CONDITIONS} conditions; write two ops, each with its own `#[cfg]`"
        );
        sink.error(condition, message);
    }
}

/// The conditions on arguments, each once.
fn conditions(func: &TraitItemFn) -> Vec<Meta> {
    let mut conditions: Vec<Meta> = Vec::new();
    for condition in func.sig.inputs.iter().filter_map(condition_of) {
        if !conditions.iter().any(|other| same(other, &condition)) {
            conditions.push(condition);
        }
    }
    conditions
}

fn condition_of(input: &FnArg) -> Option<Meta> {
    match input {
        FnArg::Typed(typed) => tokens::condition(&typed.attrs),
        FnArg::Receiver(_) => None,
    }
}

fn same(lhs: &Meta, rhs: &Meta) -> bool {
    lhs.to_token_stream().to_string() == rhs.to_token_stream().to_string()
}

/// The form of a build in which the condition holds.
fn keep(form: &mut TraitItemFn, condition: &Meta) {
    form.attrs.push(parse_quote!(#[cfg(#condition)]));
    for input in &mut form.sig.inputs {
        let depends = condition_of(input).is_some_and(|other| same(&other, condition));
        if let (true, FnArg::Typed(typed)) = (depends, input) {
            typed.attrs.retain(|attr| !attr.path().is_ident("cfg"));
        }
    }
}

/// The form of a build in which it does not.
fn without(mut form: TraitItemFn, condition: &Meta) -> TraitItemFn {
    form.attrs.push(parse_quote!(#[cfg(not(#condition))]));
    let inputs = form.sig.inputs.into_iter();
    form.sig.inputs =
        inputs.filter(|input| !condition_of(input).is_some_and(|other| same(&other, condition))).collect();
    form
}
