//! The associated types of a trait of ops.

use quote::ToTokens;
use syn::{ItemTrait, Path, TraitItem, TraitItemType, TypeParamBound, parse_quote};

use crate::{diag::Sink, model::AssocType, tokens};

/// Every value of an associated type can be copied into the graph of a backward pass, and sent to the thread that walks it.
const REQUIRED: [&str; 4] = ["Clone", "Send", "Sync", "'static"];

/// What an enum of the backends' types can implement besides.
const DERIVED: [&str; 5] = ["Copy", "Debug", "PartialEq", "Eq", "Hash"];

/// The associated types, as a dispatch makes enums of them.
pub(super) fn parse(sink: &mut Sink, item: &ItemTrait) -> Vec<AssocType> {
    let types = item.items.iter().filter_map(|member| match member {
        TraitItem::Type(ty) => Some(ty),
        _ => None,
    });
    types.filter_map(|ty| assoc_type(sink, item, ty)).collect()
}

fn assoc_type(sink: &mut Sink, item: &ItemTrait, ty: &TraitItemType) -> Option<AssocType> {
    let name = &ty.ident;
    if !item.generics.params.is_empty() {
        sink.error(name, "a generic trait of ops cannot have associated types; move them into a supertrait that is not generic");
        return None;
    }
    if !ty.generics.params.is_empty() || ty.generics.where_clause.is_some() {
        sink.error(
            &ty.generics,
            format!("`{name}` is one type for each backend, without parameters of its own"),
        );
        return None;
    }
    if let Some(condition) = tokens::condition(&ty.attrs) {
        sink.error(condition, format!("`{name}` is there in every build, since the ops that take it are; put the type and its ops into a trait with this `#[cfg]`"));
    }
    let bounds: Vec<String> = ty.bounds.iter().map(bound_name).collect();
    if let Some(missing) = REQUIRED.iter().find(|required| !bounds.iter().any(|bound| bound == *required)) {
        sink.error(name, format!("a dispatch keeps values of `{name}` beside tensors, so the type is as mobile as they are, and `{missing}` is missing: write `type {name}: {};`", REQUIRED.join(" + ")));
    }
    for (bound, written) in bounds.iter().zip(&ty.bounds) {
        if ![REQUIRED.as_slice(), &DERIVED].concat().contains(&bound.as_str()) {
            sink.error(written, format!("on a dispatch, `{name}` is an enum of its backends' types, which cannot implement `{bound}`; it can implement `{}`", [&REQUIRED[..3], &DERIVED].concat().join("`, `")));
        }
    }
    let derives = bounds.iter().filter_map(|bound| derive_path(bound)).collect();
    let default = ty.default.as_ref().map(|(_, ty)| ty.clone());
    Some(AssocType { name: name.clone(), default, derives })
}

fn bound_name(bound: &TypeParamBound) -> String {
    match bound {
        TypeParamBound::Trait(bound) if bound.maybe.is_none() => tokens::last_name(&bound.path).to_string(),
        other => other.to_token_stream().to_string(),
    }
}

/// The trait to derive for a bound; those that every enum of such types has need none.
fn derive_path(bound: &str) -> Option<Path> {
    Some(match bound {
        "Clone" => parse_quote!(::core::clone::Clone),
        "Copy" => parse_quote!(::core::marker::Copy),
        "Debug" => parse_quote!(::core::fmt::Debug),
        "PartialEq" => parse_quote!(::core::cmp::PartialEq),
        "Eq" => parse_quote!(::core::cmp::Eq),
        "Hash" => parse_quote!(::core::hash::Hash),
        _ => return None,
    })
}
