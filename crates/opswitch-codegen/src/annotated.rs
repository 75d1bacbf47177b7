//! The items of a source file that carry one of our attributes.

use std::{fmt, str::FromStr};

use proc_macro2::{LineColumn, TokenStream};
use quote::ToTokens;
use syn::{Attribute, File, Ident, Item, Meta};

use crate::{check, diag::Sink, model::Extension, parse, tokens};

/// A mistake in a source file. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The line.
    pub line: usize,
    /// The column.
    pub column: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl Mistake {
    /// The mistakes behind an error. Those without a place of their own are put at `item`.
    pub(crate) fn list(errors: syn::Error, item: LineColumn) -> Vec<Self> {
        let place = |error: syn::Error| {
            let start = match error.span().start() {
                LineColumn { line: 0, .. } => item,
                start => start,
            };
            Self { line: start.line, column: start.column + 1, message: error.to_string() }
        };
        errors.into_iter().map(place).collect()
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

/// Reads a source file.
///
/// # Errors
///
/// If the text is not Rust.
pub fn parse_source(source: &str) -> Result<File, Mistake> {
    syn::parse_file(source).map_err(|error| {
        let mut mistake = Mistake::list(error, LineColumn { line: 1, column: 0 }).swap_remove(0);
        if TokenStream::from_str(source).is_err() {
            // Told of the tokens alone, the error says no more than that there are none.
            mistake.message = String::from("a bracket has no match, or a text or comment no end");
        }
        mistake
    })
}

/// An item with one of our attributes.
pub(crate) struct Annotated {
    pub(crate) name: Ident,
    /// `struct`, `trait` or `enum`.
    pub(crate) keyword: &'static str,
    pub(crate) role: Role,
    /// The item, without the attribute if that is `#[backend_extension]`.
    pub(crate) item: TokenStream,
}

/// Which attribute it is.
pub(crate) enum Role {
    /// `#[backend_extension(..)]`, with what stands in the parentheses.
    Extension(TokenStream),
    /// `#[derive(ExtensionType)]`.
    Derive,
}

impl Annotated {
    /// What our attributes on an item are, of which there may be two.
    pub(crate) fn of(item: &Item) -> Vec<Self> {
        let (attrs, name, keyword) = match item {
            Item::Trait(item) => (&item.attrs, &item.ident, "trait"),
            Item::Struct(item) => (&item.attrs, &item.ident, "struct"),
            Item::Enum(item) => (&item.attrs, &item.ident, "enum"),
            _ => return Vec::new(),
        };
        let found = |role, item| Self { name: name.clone(), keyword, role, item };
        let extension = attrs.iter().find(|attr| is_extension(attr));
        let extension = extension.map(|attr| found(Role::Extension(options(attr)), bare(item.clone())));
        let derive = attrs.iter().any(is_derive).then(|| found(Role::Derive, item.to_token_stream()));
        extension.into_iter().chain(derive).collect()
    }

    /// Where the item's name stands.
    pub(crate) fn start(&self) -> LineColumn {
        self.name.span().start()
    }

    /// The checked model of an item with `#[backend_extension]`.
    pub(crate) fn extension(&self, options: &TokenStream) -> Result<Option<Extension>, Vec<Mistake>> {
        let mut sink = Sink::new();
        let extension = parse::extension(&mut sink, options.clone(), &self.item);
        if let Some(extension) = &extension {
            check::extension(&mut sink, extension);
        }
        sink.into_result().map_err(|errors| Mistake::list(errors, self.start()))?;
        Ok(extension)
    }

    /// What the attribute emits.
    pub(crate) fn expand(&self) -> Result<TokenStream, Vec<Mistake>> {
        match &self.role {
            Role::Extension(options) => {
                self.extension(options)?;
                Ok(crate::backend_extension(options.clone(), self.item.clone()))
            }
            Role::Derive => {
                let mut sink = Sink::new();
                parse::extension_type(&mut sink, self.item.clone());
                sink.into_result().map_err(|errors| Mistake::list(errors, self.start()))?;
                Ok(crate::derive_extension_type(self.item.clone()))
            }
        }
    }
}

fn is_extension(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "backend_extension")
}

fn is_derive(attr: &Attribute) -> bool {
    attr.path().is_ident("derive") && tokens::mentions(&attr.meta, "ExtensionType")
}

fn options(attr: &Attribute) -> TokenStream {
    match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        _ => TokenStream::new(),
    }
}

/// The item without the attribute that is expanded.
fn bare(mut item: Item) -> TokenStream {
    if let Item::Trait(syn::ItemTrait { attrs, .. }) | Item::Struct(syn::ItemStruct { attrs, .. }) = &mut item
    {
        attrs.retain(|attr| !is_extension(attr));
    }
    item.into_token_stream()
}
