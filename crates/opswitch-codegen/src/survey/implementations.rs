//! Who implements a trait, and with which methods: by `impl`, or perhaps by a macro.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{GenericParam, ImplItem, ItemImpl, ItemMacro, Macro, Type, spanned::Spanned};

use super::{Name, name};
use crate::tokens::any_ident;

/// An `impl` of a trait.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Implementation {
    /// The trait.
    pub trait_: Name,
    /// The type that implements it.
    pub implementor: Implementor,
    /// The functions that the `impl` holds.
    pub functions: BTreeSet<String>,
    /// The calls of macros among them, which may stand for more functions.
    pub macro_calls: Vec<MacroCall>,
}

/// The type that implements a trait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Implementor {
    /// A type with this path.
    Type(Name),
    /// Every type that has some property: `impl<B: ..> Trait for B`.
    Every,
}

impl Implementation {
    pub(super) fn of(item: &ItemImpl) -> Option<Self> {
        let (trait_, _) = item.trait_.as_ref()?;
        let Type::Path(ty) = &*item.self_ty else { return None };
        let parameter = |name: &syn::Ident| {
            item.generics
                .params
                .iter()
                .any(|param| matches!(param, GenericParam::Type(ty) if ty.ident == *name))
        };
        let every = ty.path.get_ident().is_some_and(parameter);
        let mut functions = BTreeSet::new();
        let mut macro_calls = Vec::new();
        for member in &item.items {
            match member {
                ImplItem::Fn(func) => _ = functions.insert(func.sig.ident.to_string()),
                ImplItem::Macro(call) => macro_calls.push(MacroCall::of(&call.mac)),
                _ => {}
            }
        }
        let implementor = if every { Implementor::Every } else { Implementor::Type(name(&ty.path)) };
        Some(Self { trait_: name(trait_), implementor, functions, macro_calls })
    }
}

/// A call of a macro.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MacroCall {
    /// The macro.
    pub macro_: Name,
    /// The line, from 1.
    pub line: usize,
    /// The identifiers between its brackets.
    pub words: BTreeSet<String>,
}

impl MacroCall {
    pub(super) fn of(call: &Macro) -> Self {
        let line = call.path.span().start().line;
        Self { macro_: name(&call.path), line, words: words(&call.tokens) }
    }
}

/// A `macro_rules!`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MacroDefinition {
    /// Its name.
    pub name: String,
    /// The identifiers in it.
    pub words: BTreeSet<String>,
    /// Whether the name of each function that it writes comes from its call, as in `fn $name()`, or stands in
    /// [`words`](Self::words), and it calls no other macro that could write more.
    pub transparent: bool,
}

impl MacroDefinition {
    pub(super) fn of(item: &ItemMacro) -> Option<Self> {
        let name = item.ident.as_ref()?.to_string();
        let tokens = &item.mac.tokens;
        Some(Self { name, words: words(tokens), transparent: !calls_macro_for_items(tokens) })
    }
}

fn words(tokens: &TokenStream) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    any_ident(tokens.clone(), &mut |ident| {
        words.insert(ident.to_string());
        false
    });
    words
}

/// Whether a macro is called where functions stand: at the top of an arm, or inside an `impl`. Inside the body of a function
/// it cannot write methods.
fn calls_macro_for_items(tokens: &TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(position, token)| match token {
        // An attribute, as in `#[doc = concat!(..)]`.
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => false,
        TokenTree::Group(group) => !is_body(&tokens[..position]) && calls_macro_for_items(&group.stream()),
        TokenTree::Punct(punct) if punct.as_char() == '!' => {
            let named =
                position.checked_sub(1).is_some_and(|before| matches!(&tokens[before], TokenTree::Ident(_)));
            named && matches!(tokens.get(position + 1), Some(TokenTree::Group(_)))
        }
        _ => false,
    })
}

/// Whether a group after these tokens is the signature or the body of a function.
fn is_body(before: &[TokenTree]) -> bool {
    let since_item = before.rsplit(|token| {
        matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';')
            || matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    });
    since_item.take(1).flatten().any(|token| matches!(token, TokenTree::Ident(ident) if ident == "fn"))
}
