//! What the emitted macros hand to each other.
//!
//! A dispatch and a trait each emit a macro under their own name. Called with `[callback] arguments..`, a dispatch calls
//! `callback! { {its schema} arguments.. }` and a trait `callback! { arguments.. {its schema} }`. An extension calls the
//! trait with the dispatch as callback, and the dispatch with [`route`], so that in the end both schemas meet there:
//! `route! { {dispatch schema} {crate} {dispatch} {trait} {trait schema} }`.

use proc_macro2::{Ident, TokenStream};
use syn::{
    ItemTrait, LitInt, Path, Token, TraitItem, TraitItemFn, TraitItemType, Visibility, braced,
    parse::{Parse, ParseStream, Parser},
    punctuated::Punctuated,
};

use super::{default_krate, forms, op_trait};
use crate::{
    diag::Sink,
    model::{Declared, DispatchSchema, ExtendRequest, Ops, Route, Target},
    tokens::item_path,
};

/// `[crate = path;] Dispatch: a::AOps, b::BOps`
pub(crate) fn extend_dispatch(input: TokenStream) -> syn::Result<ExtendRequest> {
    let parser = |input: ParseStream<'_>| {
        let krate = if input.peek(Token![crate]) && input.peek2(Token![=]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            let krate = input.call(item_path)?;
            input.parse::<Token![;]>()?;
            krate
        } else {
            default_krate()
        };
        let usage = |error: syn::Error| {
            syn::Error::new(
                error.span(),
                "write `extend_dispatch!(Dispatch: flash::FlashOps)`: a dispatch, a colon, and the op traits to route through it",
            )
        };
        let dispatch = input.call(item_path).map_err(usage)?;
        input.parse::<Token![:]>().map_err(usage)?;
        let traits = Punctuated::<Path, Token![,]>::parse_terminated_with(input, item_path).map_err(usage)?;
        if traits.is_empty() {
            return Err(usage(input.error("")));
        }
        Ok(ExtendRequest { krate, dispatch, traits: traits.into_iter().collect() })
    };
    parser.parse2(input)
}

/// `{vis name} schema..`
pub(crate) fn declaration(input: TokenStream) -> syn::Result<Declared> {
    let parser = |input: ParseStream<'_>| {
        let head;
        braced!(head in input);
        let vis: Visibility = head.parse()?;
        let name: Ident = head.parse()?;
        Ok(Declared { vis, name, schema: input.parse()? })
    };
    parser.parse2(input)
}

/// `{trait without functions} functions..`
pub(crate) fn ops_declaration(input: TokenStream) -> syn::Result<ItemTrait> {
    let parser = |input: ParseStream<'_>| {
        let mut item = in_braces(input)?.parse2_as::<ItemTrait>()?;
        while !input.is_empty() {
            item.items.push(input.parse()?);
        }
        Ok(item)
    };
    parser.parse2(input)
}

impl Parse for DispatchSchema {
    /// `0 Cpu, 2 Npu, autodiff`
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut schema = Self { backends: Vec::new(), autodiff: false };
        while !input.is_empty() {
            if input.peek(LitInt) {
                let index: LitInt = input.parse()?;
                schema.backends.push((index.base10_parse()?, input.parse()?));
            } else {
                input.call(autodiff)?;
                schema.autodiff = true;
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(schema)
    }
}

fn autodiff(input: ParseStream<'_>) -> syn::Result<()> {
    let word: Ident = input.parse()?;
    if word == "autodiff" { Ok(()) } else { Err(syn::Error::new(word.span(), "expected `autodiff`")) }
}

/// `{dispatch schema} {crate} {dispatch} {trait} {trait schema}`
pub(crate) fn route(input: TokenStream) -> syn::Result<Route> {
    let parser = |input: ParseStream<'_>| {
        let Ok(schema) = in_braces(input)?.parse2_as::<DispatchSchema>() else {
            return Err(no_dispatch(in_braces(input)?.0));
        };
        let krate = item_path.parse2(in_braces(input)?.0)?;
        let dispatch = item_path.parse2(in_braces(input)?.0)?;
        let trait_ = item_path.parse2(in_braces(input)?.0)?;
        let item = in_braces(input)?.parse2_as::<ItemTrait>()?;
        Ok((schema, krate, dispatch, trait_, item))
    };
    let (schema, krate, dispatch, trait_, item) = parser.parse2(input)?;
    let (trait_vis, trait_generics, trait_name) =
        (item.vis.clone(), item.generics.clone(), item.ident.clone());
    let mut sink = Sink::new();
    let ops = op_trait::parse(&mut sink, item, Target::Schema, krate.clone());
    // The trait was checked where it was declared, so this says something only where the macro is called by hand.
    sink.into_result()?;
    let Ops { methods, types, .. } = ops;
    Ok(Route { krate, dispatch, schema, trait_, trait_generics, trait_name, trait_vis, methods, types })
}

/// A trait of ops in the place of a dispatch has put its own schema behind the arguments.
fn no_dispatch(named: TokenStream) -> syn::Error {
    let name = named.to_string().replace(' ', "");
    syn::Error::new_spanned(
        named,
        format!(
            "`{name}` is a trait of ops, not a dispatch; write the name of the struct that lists the backends, as in `dispatch = Dispatch`"
        ),
    )
}

struct Braced(TokenStream);

impl Braced {
    fn parse2_as<T: Parse>(self) -> syn::Result<T> {
        syn::parse2(self.0)
    }
}

fn in_braces(input: ParseStream<'_>) -> syn::Result<Braced> {
    let content;
    braced!(content in input);
    content.parse().map(Braced)
}

/// The functions and types of a trait, as its schema carries them: signatures, with the attributes that switch code.
pub(crate) fn schema_items(item: &ItemTrait) -> ItemTrait {
    let mut item = item.clone();
    item.attrs.clear();
    item.supertraits.clear();
    item.colon_token = None;
    item.items = item.items.iter().flat_map(schema_item).collect();
    item
}

fn schema_item(member: &TraitItem) -> Vec<TraitItem> {
    match member {
        TraitItem::Fn(func) => forms::of(func).into_iter().map(signature).map(TraitItem::Fn).collect(),
        TraitItem::Type(ty) => vec![TraitItem::Type(TraitItemType { attrs: Vec::new(), ..ty.clone() })],
        _ => Vec::new(),
    }
}

fn signature(mut func: TraitItemFn) -> TraitItemFn {
    // Lints that a condition switches are the business of the trait's own crate.
    func.attrs.retain(|attr| op_trait::travels(attr) && !attr.path().is_ident("cfg_attr"));
    func.default = None;
    func.semi_token = Some(Token![;](func.sig.ident.span()));
    func
}
