//! A trait of ops.

use proc_macro2::Ident;
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, FnArg, GenericArgument, ItemTrait, Pat, Path, PathArguments, ReturnType, Signature, TraitItem,
    TraitItemFn, Type, TypeParamBound, spanned::Spanned,
};

use super::{backward, is_helper};
use crate::{
    diag::Sink,
    model::{Arg, Asynchrony, Backward, Method, Ops, Output, Target},
    tokens::mentions,
};

pub(super) fn parse(sink: &mut Sink, mut item: ItemTrait, target: Target, krate: Path) -> Option<Ops> {
    let (on_trait, on_methods) = take_helpers(&mut item);
    let default_none = trait_backward(sink, &on_trait);
    let mut methods = Vec::new();
    let mut helpers = on_methods.into_iter();
    for member in &item.items {
        match member {
            TraitItem::Fn(func) => methods.extend(method(sink, func, helpers.next().unwrap_or_default())),
            TraitItem::Const(constant) if constant.default.is_some() => {}
            TraitItem::Const(constant) => sink.error(
                &constant.ident,
                "a constant without a value would differ between backends, and a dispatch is all of them; give it a value, or make it an op that takes `Device<Self>`",
            ),
            TraitItem::Type(ty) => sink.error(
                &ty.ident,
                "an associated type would differ between backends, and a dispatch is all of them; use a struct of tensors with `#[derive(ExtensionType)]`",
            ),
            other => sink.error(other, "a trait of ops holds functions, and constants with a value"),
        }
    }
    Some(Ops { item, methods, target, krate, default_none })
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

/// `#[backward(none)]` on the whole trait.
fn trait_backward(sink: &mut Sink, attrs: &[Attribute]) -> bool {
    for attr in attrs {
        if !matches!(backward::attribute(attr), Ok(Some(Backward::None))) {
            sink.error(attr, "on a trait only `#[backward(none)]` is allowed: it speaks for every op without an attribute of its own");
        }
    }
    !attrs.is_empty()
}

fn method(sink: &mut Sink, func: &TraitItemFn, helpers: Vec<Attribute>) -> Option<Method> {
    let sig = &func.sig;
    let args = args(sink, sig)?;
    let mut backward = None;
    let mut memory_bound = false;
    for attr in &helpers {
        if attr.path().is_ident("op") {
            memory_bound |= sink.ok(op_attribute(attr)).unwrap_or_default();
        } else if backward.is_some() {
            sink.error(attr, format!("`{}` has two `#[backward]` attributes", sig.ident));
        } else {
            backward = sink.ok(backward::attribute(attr))?;
        }
    }
    let output = output(sig, &func.attrs);
    let attrs = func.attrs.iter().filter(|attr| travels(attr)).cloned().collect();
    Some(Method { sig: sig.clone(), attrs, args, output, default: func.default.clone(), backward, memory_bound })
}

/// `#[op(memory_bound)]`
fn op_attribute(attr: &Attribute) -> syn::Result<bool> {
    let option: Ident = attr.parse_args()?;
    if option == "memory_bound" {
        Ok(true)
    } else {
        Err(syn::Error::new(option.span(), format!("unknown op option `{option}`; the only one is `memory_bound`")))
    }
}

/// Whether generated items repeat this attribute: those that switch code and lints, not docs.
pub(super) fn travels(attr: &Attribute) -> bool {
    ["cfg", "cfg_attr", "allow", "expect", "deny", "warn", "forbid"].iter().any(|name| attr.path().is_ident(name))
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
    if let Some(attr) = typed.attrs.iter().find(|attr| attr.path().is_ident("cfg")) {
        sink.error(attr, "an argument cannot depend on a `cfg`; write two ops, each with its own `#[cfg]`");
    }
    let name = match &*typed.pat {
        Pat::Ident(pat) if pat.subpat.is_none() && pat.by_ref.is_none() => pat.ident.clone(),
        Pat::Wild(_) => format_ident!("__arg{position}", span = typed.pat.span()),
        other => {
            sink.error(other, "an argument of an op is a plain name or `_`; take it apart in the body");
            return None;
        }
    };
    if let Some(reserved) = ["grad", "grads", "output"].iter().find(|reserved| name == reserved) {
        sink.error(&name, format!("`{reserved}` is what formulas call a gradient or the result; name the argument otherwise, as in `cotangent`"));
    }
    let routed = is_routed(&typed.ty, &typed.attrs);
    if routed {
        check_reference(sink, &typed.ty);
    }
    Some(Arg { name, ty: (*typed.ty).clone(), routed })
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
    if has_reference(inside) {
        sink.error(inside, "a reference to a tensor cannot stand inside another type here; handles are cheap to clone, so take the tensors by value");
    }
}

fn has_reference(ty: &Type) -> bool {
    use syn::visit::{self, Visit};

    struct Finder(bool);

    impl<'ast> Visit<'ast> for Finder {
        fn visit_type_reference(&mut self, reference: &'ast syn::TypeReference) {
            self.0 |= mentions(&reference.elem, "Self");
            visit::visit_type_reference(self, reference);
        }
    }

    let mut finder = Finder(false);
    finder.visit_type(ty);
    finder.0
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
