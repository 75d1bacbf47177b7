//! The rules that hold between items. What concerns one item alone is checked while it is parsed.

use proc_macro2::Ident;
use quote::{ToTokens, quote};
use syn::{Expr, WherePredicate, parse_quote};

use crate::{
    diag::{Sink, did_you_mean, nearest},
    model::{AssocType, Asynchrony, Backward, Extension, Formula, Formulas, Method, Ops},
    tokens::mentions,
};

pub(crate) fn extension(sink: &mut Sink, extension: &Extension) {
    if let Extension::Ops(ops) = extension {
        check_types(sink, ops);
        for method in ops.methods.iter().filter(|method| !method.partial) {
            check_selects(sink, method);
            check_self_bounds(sink, method);
            check_backward(sink, ops, method);
            check_memory_bound(sink, method);
            check_body(sink, ops, method);
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

/// A bound on the backend for one op alone would have to hold for every backend, which no one op can ask for.
fn check_self_bounds(sink: &mut Sink, method: &Method) {
    let predicates = method.sig.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    for predicate in predicates {
        if let WherePredicate::Type(bound) = predicate
            && bound.bounded_ty == parse_quote!(Self)
            && !mentions(&bound.bounds, "Sized")
        {
            let bounds = bound.bounds.to_token_stream();
            sink.error(
                bound,
                format!(
                    "one op cannot ask more of the backend than its trait does; make `{bounds}` a supertrait"
                ),
            );
        }
    }
}

/// Either no op of a trait has a gradient, or each says what its gradient is.
fn check_backward(sink: &mut Sink, ops: &Ops, method: &Method) {
    let name = &method.sig.ident;
    match &method.backward {
        None if ops.default_none || !ops.has_gradients() || method.args.iter().all(|arg| !arg.routed) => {}
        None => {
            let default = if method.default.is_some() {
                "`#[backward(default)]` to differentiate through its body, "
            } else {
                ""
            };
            sink.error(name, format!("other ops of this trait have gradients, and `{name}` does not say what its gradient is: write {}, {default}or `#[backward(none)]` if it has none", formulas_for(method)));
        }
        Some(Backward::None) => {}
        Some(Backward::Default(attr)) => {
            if method.default.is_none() {
                sink.error(
                    attr,
                    format!(
                        "`{name}` has no body to differentiate through; give it one, or write {}",
                        formulas_for(method)
                    ),
                );
            }
        }
        Some(Backward::Formulas(formulas)) => check_formulas(sink, method, formulas),
    }
}

/// The attribute to write, for the first argument that can have a formula.
fn formulas_for(method: &Method) -> String {
    let input = method.args.iter().find(|arg| arg.routed);
    let input = input.map_or_else(|| "input".to_owned(), |arg| arg.name.to_string());
    format!("`#[backward {{ {input} => formula; }}]`")
}

// That an op in a formula has no gradient itself is no mistake: only a pass with `create_graph` differentiates formulas, and
// it refuses such an op by name.
fn check_formulas(sink: &mut Sink, method: &Method, formulas: &Formulas) {
    if !method.output.routed {
        let name = &method.sig.ident;
        sink.error(name, format!("`{name}` returns no tensor, so that no gradient comes back to its formulas; write `#[backward(none)]`"));
    }
    for (position, formula) in formulas.entries.iter().enumerate() {
        let input = &formula.input;
        match method.args.iter().find(|arg| arg.name == *input) {
            None => sink.error(input, no_such_argument(method, input)),
            Some(arg) if !arg.routed => {
                let ty = arg.ty.to_token_stream();
                sink.error(
                    input,
                    format!(
                        "`{input}` has the type `{ty}`, of which there is no gradient; remove this formula"
                    ),
                );
            }
            Some(_) => check_none(sink, method, formulas, formula),
        }
        if let Some(earlier) = formulas.entries[..position].iter().find(|earlier| earlier.input == *input) {
            let both = earlier.expr.is_some() && formula.expr.is_some();
            let what = if both { "has two formulas" } else { "has a line with `none` and another" };
            sink.error(input, format!("`{input}` {what}; keep one"));
        }
    }
}

fn no_such_argument(method: &Method, input: &Ident) -> String {
    let routed = method.args.iter().filter(|arg| arg.routed);
    let names: Vec<String> = routed.map(|arg| arg.name.to_string()).collect();
    let nearest = did_you_mean(&input.to_string(), names.iter().map(String::as_str));
    let hint =
        if nearest.is_empty() { format!("; write formulas for `{}`", names.join("`, `")) } else { nearest };
    format!("`{}` has no argument `{input}`{hint}", method.sig.ident)
}

/// A formula that is one word, and close to `none`, would be reported as a name that does not exist.
fn check_none(sink: &mut Sink, method: &Method, formulas: &Formulas, formula: &Formula) {
    let Some(Expr::Path(path)) = &formula.expr else { return };
    let Some(word) = path.path.get_ident() else { return };
    let shared = &formulas.shared;
    let means_something = ["grad", "grads", "output"].iter().any(|name| word == name)
        || method.args.iter().any(|arg| arg.name == *word)
        || mentions(&quote!(#(#shared)*), &word.to_string());
    if !means_something && nearest(&word.to_string().to_lowercase(), ["none"]).is_some() {
        sink.error(word, format!("`{word}` is no formula; did you mean `{} => none;`, which says that this input is not differentiable?", formula.input));
    }
}

/// What is computed again is one tensor, at once.
fn check_memory_bound(sink: &mut Sink, method: &Method) {
    let Some(option) = &method.memory_bound else { return };
    if !matches!(method.backward, Some(Backward::Formulas(_))) {
        sink.error(option, format!("`#[op(memory_bound)]` is for an op with formulas, whose result they read; remove it, or write {}", formulas_for(method)));
    } else if method.output.asynchrony != Asynchrony::Sync {
        sink.error(
            option,
            "the result of an asynchronous op cannot be computed again; remove `#[op(memory_bound)]`",
        );
    }
}

/// With `backends = any` nobody else writes the kernels.
fn check_body(sink: &mut Sink, ops: &Ops, method: &Method) {
    if !ops.any_backend {
        return;
    }
    let name = &method.sig.ident;
    if method.default.is_none() {
        sink.error(name, format!("with `backends = any` the body of an op is its kernel on every backend, and `{name}` has none; compose it of other ops, or leave `backends = any` out and implement the trait for each backend"));
    }
    if let Some(Backward::Default(attr)) = &method.backward {
        let (sig, body) = (&method.sig, &method.default);
        let tokens = quote!(#sig #body);
        let mentioned = ops.types.iter().find(|ty| mentions(&tokens, &ty.name.to_string()));
        if let Some(AssocType { name: ty, .. }) = mentioned {
            sink.error(attr, format!("`{ty}` is another type under autodiff, so the body of `{name}` does not hold there; write `#[backward {{ input => formula; }}]` or `#[backward(none)]`"));
        }
    }
}

/// With `backends = any` nobody else says what a type is.
fn check_types(sink: &mut Sink, ops: &Ops) {
    for AssocType { name, .. } in ops.types.iter().filter(|ty| ops.any_backend && ty.default.is_none()) {
        sink.error(name, format!("with `backends = any` nobody else says what `{name}` is on a backend; write it behind the bounds, as in `type {name}: Clone + Send + Sync + 'static = Tiles;`"));
    }
}

impl Ops {
    /// Whether the macro writes the autodiff implementation.
    pub(crate) fn has_gradients(&self) -> bool {
        self.default_none || self.methods.iter().any(|method| method.backward.is_some())
    }
}
