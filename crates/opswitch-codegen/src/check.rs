//! The rules that hold between items. What concerns one item alone is checked while it is parsed.

use quote::ToTokens;

use crate::{
    diag::{Sink, did_you_mean},
    model::{Asynchrony, Backward, Extension, Formulas, Method, Ops},
};

pub(crate) fn extension(sink: &mut Sink, extension: &Extension) {
    if let Extension::Ops(ops) = extension {
        for method in &ops.methods {
            check_selects(sink, method);
            check_backward(sink, ops, method);
            check_memory_bound(sink, method);
        }
    }
}

/// Something must say on which backend the op runs.
fn check_selects(sink: &mut Sink, method: &Method) {
    if !method.args.iter().any(|arg| arg.routed) {
        let name = &method.sig.ident;
        sink.error(name, format!("no argument of `{name}` says on which backend it runs; take a tensor, or add `device: &Device<Self>`"));
    }
}

/// Either no op of a trait has a gradient, or each says what its gradient is.
fn check_backward(sink: &mut Sink, ops: &Ops, method: &Method) {
    let name = &method.sig.ident;
    match &method.backward {
        None if ops.default_none || !ops.has_gradients() => {}
        None => sink.error(name, format!("other ops of this trait have gradients, and `{name}` does not say what its is: write `#[backward {{ input => formula; }}]`, `#[backward(none)]`, or, if it has a body, `#[backward(default)]`")),
        Some(Backward::None) => {}
        Some(Backward::Default(attr)) => {
            if method.default.is_none() {
                sink.error(attr, format!("`{name}` has no body to differentiate through; give it one, or write formulas"));
            }
        }
        Some(Backward::Formulas(formulas)) => check_formulas(sink, method, formulas),
    }
}

fn check_formulas(sink: &mut Sink, method: &Method, formulas: &Formulas) {
    if formulas.entries.is_empty() {
        sink.error(&method.sig.ident, "`#[backward]` holds no formula: write `input => formula;` for each differentiable input, or `#[backward(none)]`");
    }
    for (position, formula) in formulas.entries.iter().enumerate() {
        let input = &formula.input;
        let names: Vec<String> = method.args.iter().map(|arg| arg.name.to_string()).collect();
        match method.args.iter().find(|arg| arg.name == *input) {
            None => {
                let hint = did_you_mean(&input.to_string(), names.iter().map(String::as_str));
                sink.error(input, format!("`{}` has no argument `{input}`{hint}", method.sig.ident));
            }
            Some(arg) if !arg.routed => {
                let ty = arg.ty.to_token_stream();
                sink.error(input, format!("`{input}` is a `{ty}`, which has no gradient; remove its formula"));
            }
            Some(_) => {}
        }
        if formulas.entries[..position].iter().any(|earlier| earlier.input == *input) {
            sink.error(input, format!("`{input}` has two formulas; keep one"));
        }
    }
}

/// What is computed again is one tensor, at once.
fn check_memory_bound(sink: &mut Sink, method: &Method) {
    let differentiable = matches!(method.backward, Some(Backward::Formulas(_)));
    if method.memory_bound && (!differentiable || method.output.asynchrony != Asynchrony::Sync) {
        sink.error(&method.sig.ident, "`#[op(memory_bound)]` goes on an op with formulas that is not asynchronous");
    }
}

impl Ops {
    /// Whether the macro writes the autodiff implementation.
    pub(crate) fn has_gradients(&self) -> bool {
        self.default_none || self.methods.iter().any(|method| method.backward.is_some())
    }
}
