//! Looking into tokens and changing them.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Meta, Path, parse::ParseStream, parse_quote};

/// A path to an item, without type arguments. `Self` is none: generated code stands outside of any type.
pub(crate) fn item_path(input: ParseStream<'_>) -> syn::Result<Path> {
    let path = input.call(Path::parse_mod_style)?;
    match path.segments.iter().find(|segment| segment.ident == "Self") {
        None => Ok(path),
        Some(segment) => Err(syn::Error::new(
            segment.ident.span(),
            "`Self` means nothing here, outside of a type; write the path of the item",
        )),
    }
}

/// Whether the tokens mention this name anywhere.
pub(crate) fn mentions(tokens: &impl ToTokens, name: &str) -> bool {
    any_ident(tokens.to_token_stream(), &mut |ident| ident == name)
}

/// Whether one of the identifiers has the property.
pub(crate) fn any_ident(tokens: TokenStream, property: &mut impl FnMut(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => property(&ident),
        TokenTree::Group(group) => any_ident(group.stream(), property),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// The tokens with one name replaced by another; spans stay.
pub(crate) fn rename(tokens: &impl ToTokens, from: &str, to: &str) -> TokenStream {
    map_idents(tokens.to_token_stream(), &|ident| {
        if ident == from { format_ident!("{to}", span = ident.span()) } else { ident }
    })
}

/// The tokens of a macro that other crates call: a path from `crate` starts in the crate that defines it.
pub(crate) fn with_dollar_crate(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let starts_path = |position: usize| matches!(tokens.get(position + 1), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let mapped = tokens.iter().enumerate().map(|(position, token)| match token {
        TokenTree::Ident(ident) if ident == "crate" && starts_path(position) => quote!($#ident),
        TokenTree::Group(group) => {
            let mut mapped = Group::new(group.delimiter(), with_dollar_crate(group.stream()));
            mapped.set_span(group.span());
            quote!(#mapped)
        }
        other => quote!(#other),
    });
    mapped.collect()
}

fn map_idents(tokens: TokenStream, map: &impl Fn(Ident) -> Ident) -> TokenStream {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Ident(ident) => TokenTree::Ident(map(ident)),
            TokenTree::Group(group) => {
                let mut mapped = Group::new(group.delimiter(), map_idents(group.stream(), map));
                mapped.set_span(group.span());
                TokenTree::Group(mapped)
            }
            other => other,
        })
        .collect()
}

/// How a formula uses a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// As a value.
    pub(crate) value: bool,
    /// As `x.shape()`, `x.dtype()`, `x.device()` or `x.shapes()`.
    pub(crate) metadata: bool,
}

/// How the tokens use this name. A field or method of that name is no use of it.
pub(crate) fn uses(tokens: &impl ToTokens, name: &Ident) -> Uses {
    let mut uses = Uses::default();
    map_uses(tokens.to_token_stream(), name, &mut |ident, metadata| {
        uses.value |= !metadata;
        uses.metadata |= metadata;
        ident
    });
    uses
}

/// The tokens with the metadata calls on a name made on another.
pub(crate) fn rename_metadata(tokens: &impl ToTokens, name: &Ident, to: &Ident) -> TokenStream {
    map_uses(tokens.to_token_stream(), name, &mut |ident, metadata| {
        if metadata { format_ident!("{to}", span = ident.span()) } else { ident }
    })
}

/// The tokens with each use of a name mapped; whether it is one of metadata alone is told.
fn map_uses(tokens: TokenStream, name: &Ident, map: &mut impl FnMut(Ident, bool) -> Ident) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mapped = tokens.iter().enumerate().map(|(position, token)| match token {
        TokenTree::Group(group) => {
            let mut mapped = Group::new(group.delimiter(), map_uses(group.stream(), name, map));
            mapped.set_span(group.span());
            TokenTree::Group(mapped)
        }
        TokenTree::Ident(ident) if ident == name && !is_member(&tokens[..position]) => {
            TokenTree::Ident(map(ident.clone(), is_metadata_call(&tokens[position + 1..])))
        }
        other => other.clone(),
    });
    mapped.collect()
}

/// Whether what comes next is the name of a field, a method or an item in a path. Two dots are a range.
fn is_member(before: &[TokenTree]) -> bool {
    let punct = |back: usize| match before.len().checked_sub(back).map(|at| &before[at]) {
        Some(TokenTree::Punct(punct)) => Some(punct.as_char()),
        _ => None,
    };
    match punct(1) {
        Some('.') => punct(2) != Some('.'),
        Some(':') => punct(2) == Some(':'),
        _ => false,
    }
}

fn is_metadata_call(after: &[TokenTree]) -> bool {
    match after {
        [TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(arguments), ..] => {
            dot.as_char() == '.'
                && ["shape", "dtype", "device", "shapes"].iter().any(|name| method == name)
                && arguments.stream().is_empty()
        }
        _ => false,
    }
}

/// The last name of a path, which is what the path is of.
pub(crate) fn last_name(path: &Path) -> &Ident {
    &path.segments.last().expect("a path has a segment").ident
}

/// What all `#[cfg(..)]` among the attributes come to.
pub(crate) fn condition(attrs: &[Attribute]) -> Option<Meta> {
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let mut conditions: Vec<Meta> = cfgs.filter_map(|attr| attr.parse_args().ok()).collect();
    match conditions.len() {
        0 | 1 => conditions.pop(),
        _ => Some(parse_quote!(all(#(#conditions),*))),
    }
}

/// A name for a type, from the names in it: `Option<FloatTensor<Self>>` gives `OptionFloatTensor`.
pub(crate) fn type_name(ty: &impl ToTokens) -> String {
    let mut name = String::new();
    any_ident(ty.to_token_stream(), &mut |ident| {
        if ident != "Self" && ident != "crate" && ident != "self" && ident != "super" {
            let ident = ident.to_string();
            let ident = ident.trim_start_matches("r#");
            let mut letters = ident.chars();
            name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
            name.push_str(letters.as_str());
        }
        false
    });
    name
}

/// A number that is the same for the same tokens, on every machine (64-bit FNV-1a).
pub(crate) fn stable_hash(tokens: &impl ToTokens) -> u64 {
    tokens.to_token_stream().to_string().bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
