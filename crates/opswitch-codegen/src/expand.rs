//! What the attribute emits, as source text, without a compiler run.

use std::fmt;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, File, Item, ItemMacro, Path};

/// Why a file could not be expanded.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExpandError {
    /// The file is not Rust.
    Syntax(syn::Error),
    /// No item has the attribute, or none has this name.
    Nothing {
        /// The name that was asked for.
        name: Option<String>,
        /// The items that have the attribute.
        found: Vec<String>,
    },
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(error) => {
                let start = error.span().start();
                write!(f, "line {}, column {}: {error}", start.line, start.column + 1)
            }
            Self::Nothing { name: Some(name), found } => {
                write!(
                    f,
                    "no item `{name}` has `#[backend_extension]`; those that have: {}",
                    found.join(", ")
                )
            }
            Self::Nothing { name: None, .. } => {
                f.write_str("no item has `#[backend_extension]` or `#[derive(ExtensionType)]`")
            }
        }
    }
}

impl std::error::Error for ExpandError {}

/// What the attributes in a source file emit, formatted: for every item that has one, or for the one with this name.
///
/// Where a trait meets a dispatch that the same file declares, the routing is shown too; else the call of the dispatch's
/// macro.
///
/// # Errors
///
/// If the text is not Rust, or nothing in it has the attribute.
pub fn expand_source(source: &str, name: Option<&str>) -> Result<String, ExpandError> {
    let file = syn::parse_file(source).map_err(ExpandError::Syntax)?;
    let annotated: Vec<Annotated> = annotated(&file.items);
    let chosen: Vec<&Annotated> =
        annotated.iter().filter(|item| name.is_none_or(|name| item.name == name)).collect();
    if chosen.is_empty() {
        let found = annotated.into_iter().map(|item| item.name).collect();
        return Err(ExpandError::Nothing { name: name.map(str::to_owned), found });
    }
    let dispatches: Vec<(String, TokenStream)> = annotated.iter().filter_map(Annotated::schema).collect();
    let expanded: TokenStream = chosen.into_iter().map(|item| item.tokens.clone()).collect();
    let mut file: File = syn::parse2(expanded).map_err(ExpandError::Syntax)?;
    meet(&mut file.items, &dispatches).map_err(ExpandError::Syntax)?;
    Ok(prettyplease::unparse(&file))
}

/// An item with one of our attributes, expanded.
struct Annotated {
    name: String,
    tokens: TokenStream,
}

impl Annotated {
    /// The dispatch that the expansion declares, with the tokens that its macro hands on.
    fn schema(&self) -> Option<(String, TokenStream)> {
        let file: File = syn::parse2(self.tokens.clone()).ok()?;
        file.items.iter().find_map(|item| match item {
            Item::Struct(item) => Some((item.ident.to_string(), dispatch_entries(&file)?)),
            _ => None,
        })
    }
}

/// The entries of the dispatch that a file declares, all conditions taken to hold.
fn dispatch_entries(file: &File) -> Option<TokenStream> {
    let device = file.items.iter().find_map(|item| match item {
        Item::Enum(item) => Some(item),
        _ => None,
    })?;
    let entries = device.variants.iter().enumerate().map(|(index, variant)| {
        let name = &variant.ident;
        let index = syn::Index::from(index);
        if name == "Autodiff" { quote!(autodiff) } else { quote!(#index #name) }
    });
    Some(quote!(#(#entries),*))
}

fn annotated(items: &[Item]) -> Vec<Annotated> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Mod(module) => {
                found.extend(annotated(module.content.as_ref().map_or(&[], |(_, items)| items)));
            }
            Item::Trait(item) => found.extend(extension(&item.attrs, item.ident.to_string(), item)),
            Item::Struct(item) => {
                found.extend(extension(&item.attrs, item.ident.to_string(), item));
                found.extend(derived(&item.attrs, item.ident.to_string(), item));
            }
            Item::Enum(item) => found.extend(derived(&item.attrs, item.ident.to_string(), item)),
            _ => {}
        }
    }
    found
}

fn is_extension(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "backend_extension")
}

fn extension(attrs: &[Attribute], name: String, item: &impl ToTokens) -> Option<Annotated> {
    let attr = attrs.iter().find(|attr| is_extension(attr))?;
    let options = match &attr.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    };
    let mut item: Item = syn::parse2(item.to_token_stream()).ok()?;
    match &mut item {
        Item::Trait(item) => item.attrs.retain(|attr| !is_extension(attr)),
        Item::Struct(item) => item.attrs.retain(|attr| !is_extension(attr)),
        _ => {}
    }
    Some(Annotated { name, tokens: crate::backend_extension(options, item.into_token_stream()) })
}

fn derived(attrs: &[Attribute], name: String, item: &impl ToTokens) -> Option<Annotated> {
    let derives = attrs
        .iter()
        .any(|attr| attr.path().is_ident("derive") && crate::tokens::mentions(&attr.meta, "ExtensionType"));
    derives.then(|| Annotated { name, tokens: crate::derive_extension_type(item.to_token_stream()) })
}

/// Replaces the call of a dispatch's macro by what it would lead to, if the dispatch is known.
fn meet(items: &mut Vec<Item>, dispatches: &[(String, TokenStream)]) -> syn::Result<()> {
    let mut met = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        match routed(&item, dispatches) {
            Some(tokens) => met.extend(syn::parse2::<File>(tokens)?.items),
            None => met.push(item),
        }
    }
    *items = met;
    Ok(())
}

fn routed(item: &Item, dispatches: &[(String, TokenStream)]) -> Option<TokenStream> {
    let Item::Macro(ItemMacro { mac, .. }) = item else { return None };
    let name = last_name(&mac.path);
    let (_, entries) = dispatches.iter().find(|(dispatch, _)| *dispatch == name)?;
    let mut arguments = mac.tokens.clone().into_iter();
    arguments.next()?;
    let arguments: TokenStream = arguments.collect();
    Some(crate::route(quote!({#entries} #arguments)))
}

fn last_name(path: &Path) -> String {
    path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
}
