//! What the attributes emit, as source text, without a compiler run.

use std::fmt;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{File, Item, ItemMacro, visit::Visit};

use crate::{
    annotated::{Annotated, Mistake, parse_source},
    tokens::last_name,
};

/// What one attribute emits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Expansion {
    /// The position, in the list of files, of the file that the item is in.
    pub file: usize,
    /// The line of the item's name, from 1.
    pub line: usize,
    /// The item, as in `trait FusedOps`.
    pub item: String,
    /// The emitted code, formatted.
    pub text: String,
}

/// Why nothing could be expanded.
#[derive(Debug)]
#[non_exhaustive]
pub enum ExpandError {
    /// A file is not Rust, or an attribute is used wrongly.
    Mistakes {
        /// The position of the file in the list of files.
        file: usize,
        /// At least one mistake.
        mistakes: Vec<Mistake>,
    },
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
            Self::Mistakes { mistakes, .. } => {
                let lines: Vec<String> = mistakes.iter().map(Mistake::to_string).collect();
                f.write_str(&lines.join("\n"))
            }
            Self::Nothing { name: Some(name), found } if !found.is_empty() => {
                write!(
                    f,
                    "no item `{name}` has `#[backend_extension]` or `#[derive(ExtensionType)]`; those that have: {}",
                    found.join(", ")
                )
            }
            Self::Nothing { .. } => {
                f.write_str("no item has `#[backend_extension]` or `#[derive(ExtensionType)]`")
            }
        }
    }
}

impl std::error::Error for ExpandError {}

/// What the attributes in a source text emit, formatted: for every item that has one, or for the one with this name.
///
/// Where a trait meets a dispatch that the same text declares, the routing is shown too; else the call of the dispatch's
/// macro.
///
/// # Errors
///
/// If the text is not Rust, an attribute is used wrongly, or nothing has one.
///
/// ```
/// let source = "#[derive(ExtensionType)] struct Ray<B: Backend> { origin: FloatTensor<B> }";
/// let emitted = opswitch_codegen::expand_source(source, Some("Ray"))?;
/// assert!(emitted.contains("for Ray<"));
/// # Ok::<(), opswitch_codegen::ExpandError>(())
/// ```
pub fn expand_source(source: &str, name: Option<&str>) -> Result<String, ExpandError> {
    let file =
        parse_source(source).map_err(|mistake| ExpandError::Mistakes { file: 0, mistakes: vec![mistake] })?;
    let expansions = expand_files(&[&file], name)?;
    Ok(expansions.into_iter().map(|expansion| expansion.text).collect())
}

/// What the attributes in several files emit, which may name each other's dispatches; else as [`expand_source`].
///
/// # Errors
///
/// If an attribute is used wrongly, or nothing has one.
pub fn expand_files(files: &[&File], name: Option<&str>) -> Result<Vec<Expansion>, ExpandError> {
    let items: Vec<Expanded> = files
        .iter()
        .enumerate()
        .flat_map(|(file, source)| annotated(&source.items).into_iter().map(move |item| (file, item)))
        .map(|(file, item)| Expanded::of(file, item))
        .collect();
    let chosen = |item: &&Expanded| name.is_none_or(|name| item.item.name == name);
    if !items.iter().any(|item| chosen(&item)) {
        let found = items.into_iter().map(|item| item.item.name.to_string()).collect();
        return Err(ExpandError::Nothing { name: name.map(str::to_owned), found });
    }
    let dispatches: Vec<Dispatch> = items.iter().filter_map(Expanded::dispatch).collect();
    items.iter().filter(chosen).map(|item| item.text(&dispatches)).collect()
}

fn annotated(items: &[Item]) -> Vec<Annotated> {
    let mut found = Vec::new();
    for item in items {
        match item {
            Item::Mod(module) => {
                found.extend(annotated(module.content.as_ref().map_or(&[], |(_, items)| items)));
            }
            item => found.extend(Annotated::of(item)),
        }
    }
    found
}

/// An item, and what its attribute emits.
struct Expanded {
    file: usize,
    item: Annotated,
    emitted: Result<File, Vec<Mistake>>,
}

/// A dispatch that is declared in one of the files.
struct Dispatch {
    file: usize,
    name: String,
    /// What its macro hands on, all conditions taken to hold.
    entries: TokenStream,
}

impl Expanded {
    fn of(file: usize, item: Annotated) -> Self {
        let parse = |tokens| syn::parse2(tokens).map_err(|error| Mistake::list(error, item.start()));
        let emitted = item.expand().and_then(parse);
        Self { file, item, emitted }
    }

    /// The dispatch that the expansion declares.
    fn dispatch(&self) -> Option<Dispatch> {
        let emitted = self.emitted.as_ref().ok()?;
        emitted.items.iter().find_map(|item| match item {
            Item::Struct(item) => Some(Dispatch {
                file: self.file,
                name: item.ident.to_string(),
                entries: dispatch_entries(emitted)?,
            }),
            _ => None,
        })
    }

    fn text(&self, dispatches: &[Dispatch]) -> Result<Expansion, ExpandError> {
        let fail = |mistakes| ExpandError::Mistakes { file: self.file, mistakes };
        let mut file = self.emitted.clone().map_err(fail)?;
        meet(&mut file.items, self.file, dispatches)
            .map_err(|error| fail(Mistake::list(error, self.item.start())))?;
        Ok(Expansion {
            file: self.file,
            line: self.item.start().line,
            item: format!("{} {}", self.item.keyword, self.item.name),
            text: format(&file),
        })
    }
}

/// The entries of the dispatch that a file declares.
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

/// Replaces the call of a dispatch's macro by what it would lead to, if the dispatch is known.
fn meet(items: &mut Vec<Item>, file: usize, dispatches: &[Dispatch]) -> syn::Result<()> {
    let mut met = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        match routed(&item, file, dispatches) {
            Some(tokens) => met.extend(syn::parse2::<File>(tokens)?.items),
            None => met.push(item),
        }
    }
    *items = met;
    Ok(())
}

fn routed(item: &Item, file: usize, dispatches: &[Dispatch]) -> Option<TokenStream> {
    let Item::Macro(ItemMacro { mac, .. }) = item else { return None };
    let name = last_name(&mac.path).to_string();
    let named = || dispatches.iter().filter(|dispatch| dispatch.name == name);
    // Of two dispatches with one name, the nearer is meant.
    let dispatch = named().find(|dispatch| dispatch.file == file).or_else(|| named().next())?;
    let mut arguments = mac.tokens.clone().into_iter();
    arguments.next()?;
    let (entries, arguments) = (&dispatch.entries, arguments.collect::<TokenStream>());
    Some(crate::route(quote!({#entries} #arguments)))
}

/// The code, formatted. What syn keeps as bare tokens, which is syntax of compilers to come, cannot be formatted; the code
/// is then given as it is.
fn format(file: &File) -> String {
    let mut bare = BareTokens(false);
    bare.visit_file(file);
    if bare.0 { format!("{}\n", file.to_token_stream()) } else { prettyplease::unparse(file) }
}

struct BareTokens(bool);

/// One method for each kind of node that may be bare tokens. Empty ones, as a stray `;` is, can be formatted.
macro_rules! find_bare_tokens {
    ($($visit:ident: $node:ident)*) => {
        impl<'ast> Visit<'ast> for BareTokens {
            $(fn $visit(&mut self, node: &'ast syn::$node) {
                self.0 |= matches!(node, syn::$node::Verbatim(tokens) if !tokens.is_empty());
                syn::visit::$visit(self, node);
            })*
        }
    };
}

find_bare_tokens! {
    visit_expr: Expr
    visit_foreign_item: ForeignItem
    visit_impl_item: ImplItem
    visit_item: Item
    visit_pat: Pat
    visit_trait_item: TraitItem
    visit_type: Type
    visit_type_param_bound: TypeParamBound
}
