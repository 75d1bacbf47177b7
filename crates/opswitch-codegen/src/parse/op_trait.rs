//! A trait of ops.

use proc_macro2::Ident;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, FnArg, GenericArgument, Generics, ItemTrait, Pat, PatWild, Path, PathArguments, PredicateType,
    ReturnType, Signature, Token, TraitItem, TraitItemFn, Type, TypeParamBound, WherePredicate, parse_quote,
    punctuated::Punctuated, spanned::Spanned,
};

use super::{assoc_type, backward, forms, is_helper};
use crate::{
    diag::Sink,
    model::{Arg, Asynchrony, Backward, Method, Ops, Output, Target},
    tokens::mentions,
};

pub(super) fn parse(sink: &mut Sink, mut item: ItemTrait, target: Target, krate: Path) -> Ops {
    let (on_trait, on_methods) = take_helpers(&mut item);
    let default_none = trait_backward(sink, &on_trait);
    let mut methods = Vec::new();
    let mut helpers = on_methods.into_iter();
    for member in &item.items {
        match member {
            TraitItem::Fn(func) => {
                forms::check(sink, func);
                methods.extend(forms_of(sink, func, &helpers.next().unwrap_or_default()));
            }
            TraitItem::Const(constant) if constant.default.is_some() => {}
            TraitItem::Const(constant) => sink.error(
                &constant.ident,
                "a constant without a value would differ between backends, and a dispatch is all of them; give it a value, or make it an op that takes `Device<Self>`",
            ),
            TraitItem::Type(_) => {}
            TraitItem::Macro(call) => {
                sink.error(&call.mac.path, "the attribute cannot look into a macro; write the ops out");
            }
            other => sink.error(other, "a trait of ops holds functions, types, and constants with a value"),
        }
    }
    let types = assoc_type::parse(sink, &item);
    Ops { item, methods, types, target, krate, any_backend: false, default_none, diagnostic: true }
}

/// The methods that an op is: more than one if some of its arguments depend on a `cfg`.
fn forms_of(sink: &mut Sink, func: &TraitItemFn, helpers: &[Attribute]) -> Vec<Method> {
    let mut forms = forms::of(func).into_iter();
    let whole = forms.next().and_then(|form| method(sink, &form, helpers));
    let mut methods = Vec::from_iter(whole);
    for form in forms {
        // Every mistake in it is one in the whole op.
        let mut reported = Sink::new();
        methods.extend(method(&mut reported, &form, helpers).map(without_missing_inputs));
        let _ = reported.into_result();
    }
    methods
}

/// The op without the formulas for arguments that it does not have.
fn without_missing_inputs(mut method: Method) -> Method {
    if let Some(Backward::Formulas(formulas)) = &mut method.backward {
        formulas.entries.retain(|formula| method.args.iter().any(|arg| arg.name == formula.input));
    }
    Method { partial: true, ..method }
}

/// Takes the attributes that only this macro knows off the trait and, in order, off its methods.
pub(crate) fn take_helpers(item: &mut ItemTrait) -> (Vec<Attribute>, Vec<Vec<Attribute>>) {
    let take = |attrs: &mut Vec<Attribute>| attrs.extract_if(.., |attr| is_helper(attr)).collect::<Vec<_>>();
    let on_trait = take(&mut item.attrs);
    let funcs = item.items.iter_mut().filter_map(|member| match member {
        TraitItem::Fn(func) => Some(take(&mut func.attrs)),
        _ => None,
    });
    (on_trait, funcs.collect())
}

/// Takes out of a trait with mistakes those that the compiler would report a second time.
pub(crate) fn leave_out_reported(item: &mut ItemTrait) {
    for member in &mut item.items {
        if let TraitItem::Type(ty) = member {
            ty.default = None;
        }
        let TraitItem::Fn(func) = member else { continue };
        func.sig.variadic = None;
        for input in &mut func.sig.inputs {
            if let FnArg::Typed(typed) = input
                && func.default.is_none()
                && !matches!(&*typed.pat, Pat::Ident(_) | Pat::Wild(_))
            {
                *typed.pat =
                    Pat::Wild(PatWild { attrs: Vec::new(), underscore_token: <Token![_]>::default() });
            }
        }
    }
}

/// A trait without a supertrait is none of backends, so that its types cannot say `FloatTensor<Self>`.
pub(super) fn check_supertrait(sink: &mut Sink, item: &ItemTrait) {
    let clauses = item.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let bounds_self = clauses.into_iter().any(|predicate| matches!(predicate, WherePredicate::Type(bound) if bound.bounded_ty == parse_quote!(Self)));
    if item.supertraits.is_empty() && !bounds_self {
        let name = &item.ident;
        sink.error(name, format!("a trait of ops is one of backends: write `trait {name}: Backend`, or `trait {name}: CoreOps` to use the built-in ops"));
    }
}

/// `#[backward(none)]` on the whole trait.
fn trait_backward(sink: &mut Sink, attrs: &[Attribute]) -> bool {
    for attr in attrs {
        if attr.path().is_ident("op") {
            sink.error(attr, "`#[op(..)]` stands on an op, not on the trait");
        } else if !matches!(backward::attribute(attr), Ok(Backward::None)) {
            sink.error(attr, "formulas stand on an op, not on the trait; a trait takes `#[backward(none)]` alone, which speaks for every op without an attribute of its own");
        }
    }
    !attrs.is_empty()
}

fn method(sink: &mut Sink, func: &TraitItemFn, helpers: &[Attribute]) -> Option<Method> {
    let sig = &func.sig;
    let args = args(sink, sig)?;
    let mut backward = None;
    let mut memory_bound = None;
    for attr in helpers {
        if attr.path().is_ident("op") && memory_bound.is_some() {
            sink.error(attr, format!("`{}` has two `#[op]` attributes; keep one", sig.ident));
        } else if attr.path().is_ident("op") {
            memory_bound = sink.ok(op_attribute(attr));
        } else if backward.is_some() {
            sink.error(attr, format!("`{}` has two `#[backward]` attributes; keep one", sig.ident));
        } else {
            backward = Some(sink.ok(backward::attribute(attr))?);
        }
    }
    check_bounds(sink, &sig.generics);
    if is_routed(&sig.output, &func.attrs) {
        check_output(sink, &sig.output);
    }
    let output = output(sig, &func.attrs);
    let attrs = func.attrs.iter().filter(|attr| travels(attr)).cloned().collect();
    Some(Method {
        sig: sig.clone(),
        attrs,
        args,
        output,
        default: func.default.clone(),
        backward,
        memory_bound,
        partial: false,
    })
}

/// `#[op(memory_bound)]`
fn op_attribute(attr: &Attribute) -> syn::Result<Ident> {
    let usage = |_| {
        let message = "`#[op(..)]` has one option: write `#[op(memory_bound)]`, or remove the attribute";
        syn::Error::new_spanned(attr, message)
    };
    let option: Ident = attr.parse_args().map_err(usage)?;
    if option == "memory_bound" {
        return Ok(option);
    }
    let message = format!("unknown option `{option}`; the only one of an op is `memory_bound`");
    Err(syn::Error::new(option.span(), message))
}

/// Whether generated items repeat this attribute: those that switch code and lints, not docs. What an `expect` waits for
/// is in the trait alone.
pub(super) fn travels(attr: &Attribute) -> bool {
    ["cfg", "cfg_attr", "allow", "deny", "warn", "forbid"].iter().any(|name| attr.path().is_ident(name))
}

fn args(sink: &mut Sink, sig: &Signature) -> Option<Vec<Arg>> {
    if let Some(variadic) = &sig.variadic {
        sink.error(variadic, "an op has a fixed number of arguments; take a `Vec` of tensors");
    }
    sig.inputs.iter().enumerate().map(|(position, input)| arg(sink, sig, position, input)).collect()
}

fn arg(sink: &mut Sink, sig: &Signature, position: usize, input: &FnArg) -> Option<Arg> {
    let typed = match input {
        FnArg::Receiver(receiver) => {
            sink.error(receiver, format!("`{}` takes `self`, but a backend is a type, not a value; name each tensor as an argument", sig.ident));
            return None;
        }
        FnArg::Typed(typed) => typed,
    };
    let name = match &*typed.pat {
        Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => pat.ident.clone(),
        Pat::Wild(_) => format_ident!("__arg{position}", span = typed.pat.span()),
        other => {
            sink.error(
                other,
                "an argument of an op is a name or `_`; give it a name, and take it apart in the body",
            );
            return None;
        }
    };
    check_reserved(sink, &name);
    let routed = is_routed(&typed.ty, &typed.attrs);
    if routed {
        check_reference(sink, &typed.ty);
    }
    Some(Arg { name, ty: (*typed.ty).clone(), routed })
}

/// Formulas have names of their own.
fn check_reserved(sink: &mut Sink, name: &Ident) {
    let reserved = [
        ("grad", "the gradient of the result", "cotangent"),
        ("grads", "the gradients of the results", "cotangents"),
        ("output", "the result", "target"),
    ];
    if let Some((word, meaning, other)) = reserved.iter().find(|(word, ..)| name == word) {
        let message = format!(
            "`{word}` is what formulas call {meaning}; give the argument another name, as in `{other}`"
        );
        sink.error(name, message);
    }
}

/// `Self` is what implements the trait.
fn check_self(sink: &mut Sink, ty: &Type) {
    if *ty == parse_quote!(Self) {
        sink.error(ty, "`Self` is the backend, which is a type, not a value; write a tensor, such as `FloatTensor<Self>`, or `Device<Self>`");
    }
}

/// A reference is routed where it is the whole argument.
fn check_reference(sink: &mut Sink, ty: &Type) {
    let inside = match ty {
        Type::Reference(reference) => {
            if let Some(mutability) = reference.mutability {
                sink.error(mutability, "a tensor cannot be changed in place through a dispatch; take it by value and return the result");
            }
            &*reference.elem
        }
        other => other,
    };
    check_self(sink, inside);
    check_inside(sink, inside);
}

/// What cannot cross from one backend to another, wherever in a type it stands.
fn check_inside(sink: &mut Sink, ty: &Type) {
    use syn::visit::{self, Visit};

    struct Finder<'a>(&'a mut Sink);

    impl<'ast> Visit<'ast> for Finder<'_> {
        fn visit_type(&mut self, ty: &'ast Type) {
            let message = match ty {
                _ if !mentions(ty, "Self") => return,
                Type::Reference(_) => {
                    "a reference to a tensor cannot stand inside another type; handles are cheap to clone, so take the tensors by value"
                }
                Type::ImplTrait(_) => {
                    "each backend would see another type here; write the type itself, such as `FloatTensor<Self>`"
                }
                Type::Ptr(_) => {
                    "a pointer to a tensor cannot cross from one backend to another; handles are cheap to clone, so take the tensor by value"
                }
                Type::TraitObject(_) | Type::FnPtr(_) => {
                    "a function or object over tensors cannot cross from one backend to another; compose ops in a default body instead"
                }
                _ => return visit::visit_type(self, ty),
            };
            self.0.error(ty, message);
        }
    }

    Finder(sink).visit_type(ty);
}

/// A type parameter is one type, and the backend that it is bounded by would be another one in each arm.
fn check_bounds(sink: &mut Sink, generics: &Generics) {
    let mut check = |ty: &Ident, bounds: &Punctuated<TypeParamBound, Token![+]>| {
        for bound in bounds.iter().filter(|bound| mentions(bound, "Self")) {
            sink.error(bound, format!("`{ty}` is the same type on every backend, so that no bound of it can name `Self`; take tensors, and compose ops in a default body"));
        }
    };
    for param in generics.type_params() {
        check(&param.ident, &param.bounds);
    }
    for predicate in generics.where_clause.iter().flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(PredicateType { bounded_ty: Type::Path(path), bounds, .. }) = predicate
            && let Some(ident) = path.path.get_ident().filter(|ident| *ident != "Self")
        {
            check(ident, bounds);
        }
    }
}

/// A result is a value of its own.
fn check_output(sink: &mut Sink, output: &ReturnType) {
    let ReturnType::Type(_, ty) = output else { return };
    match &**ty {
        Type::Reference(reference) if mentions(reference, "Self") => {
            sink.error(ty, "an op returns a tensor, not a reference to one; handles are cheap to clone, so return it by value");
        }
        ty => {
            let value = future_output(ty).unwrap_or(ty);
            check_self(sink, value);
            check_inside(sink, value);
        }
    }
}

/// Whether the type mentions the backend. A schema marks those that only seem to.
fn is_routed(ty: &impl ToTokens, attrs: &[Attribute]) -> bool {
    mentions(ty, "Self") && !attrs.iter().any(|attr| attr.path().is_ident("plain"))
}

fn output(sig: &Signature, attrs: &[Attribute]) -> Output {
    let (ty, asynchrony) = match &sig.output {
        ReturnType::Default => (quote!(()), Asynchrony::Sync),
        ReturnType::Type(_, ty) => match future_output(ty) {
            Some(output) => (output.to_token_stream(), Asynchrony::ReturnsFuture),
            None => (ty.to_token_stream(), Asynchrony::Sync),
        },
    };
    let asynchrony = if sig.asyncness.is_some() { Asynchrony::AsyncFn } else { asynchrony };
    let routed = is_routed(&ty, attrs);
    Output { ty, routed, asynchrony }
}

/// The `T` of `impl Future<Output = T> + ..`.
fn future_output(ty: &Type) -> Option<&Type> {
    let Type::ImplTrait(ty) = ty else { return None };
    ty.bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else { return None };
        let last = bound.path.segments.last()?;
        let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(assoc) if assoc.ident == "Output" => Some(&assoc.ty),
            _ => None,
        })
    })
}
