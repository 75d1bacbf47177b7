//! From tokens to the model. What can be checked about one thing alone is checked here.

mod assoc_type;
mod backward;
mod extension_type;
mod forms;
mod op_trait;
mod options;
mod protocol;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Item, ItemImpl, ItemStruct, ItemTrait, Path, parse_quote};

use self::options::Options;
pub(crate) use self::{
    extension_type::extension_type,
    protocol::{declaration, extend_dispatch, ops_declaration, route, schema_items},
};
use crate::{
    diag::Sink,
    model::{Dispatch, Extension, Implementation, Ops, Target},
    tokens,
};

/// `#[backend_extension(options)] item`
pub(crate) fn extension(sink: &mut Sink, options: TokenStream, item: &TokenStream) -> Option<Extension> {
    let item = syn::parse2::<Item>(item.clone());
    if let Ok(Item::Impl(item)) = item {
        let implementation = implementation(sink, &options, item)?;
        return Some(Extension::Implementation(Box::new(implementation)));
    }
    let options = options::parse(sink, options);
    match sink.ok(item)? {
        Item::Struct(item) => {
            dispatch(sink, options, item).map(|dispatch| Extension::Dispatch(Box::new(dispatch)))
        }
        Item::Trait(item) => ops(sink, options, item).map(|ops| Extension::Ops(Box::new(ops))),
        other => {
            sink.error(first_line(&other), format!("`#[backend_extension]` stands on a unit struct, which becomes a dispatch, on a trait of ops, or on a backend's implementation of one; {}", where_instead(&other)));
            None
        }
    }
}

/// `#[backend_extension] impl FusedOps for Cpu { .. }`
fn implementation(sink: &mut Sink, options: &TokenStream, item: ItemImpl) -> Option<Implementation> {
    if !options.is_empty() {
        sink.error(options, "on an implementation the attribute takes no options: the ops are routed where the trait says; write `#[backend_extension]`");
    }
    let Some((trait_, _)) = &item.trait_ else {
        let ty = &item.self_ty;
        let message = format!(
            "an implementation has ops where it is one of a trait, as in `impl FusedOps for {}`; remove `#[backend_extension]` here",
            quote!(#ty)
        );
        sink.error(first_line(&Item::Impl(item.clone())), message);
        return None;
    };
    let place = tokens::last_name(trait_).span();
    Some(Implementation { item, place })
}

/// What to do with the attribute on another item.
fn where_instead(item: &Item) -> &'static str {
    match item {
        // A function without a body is one of a trait.
        Item::Verbatim(_) => "put it on the trait that this is in",
        Item::Fn(_) => "put the function into a trait, and the attribute on that",
        Item::Enum(_) | Item::Union(_) => "write `struct` and `;`: the enums of its tensors are generated",
        Item::Mod(_) => "put it on each trait of ops inside",
        Item::Type(_) | Item::Use(_) => "put it where the item itself is declared",
        _ => "remove it here",
    }
}

fn dispatch(sink: &mut Sink, options: Options, item: ItemStruct) -> Option<Dispatch> {
    if !matches!(item.fields, syn::Fields::Unit) || !item.generics.params.is_empty() {
        sink.error(&item.ident, format!("a dispatch is a unit struct: write `struct {};`", item.ident));
        return None;
    }
    if let Some(path) = &options.dispatch {
        sink.error(path, "`dispatch = ` goes on a trait of ops; a struct lists the backends themselves");
    }
    if let Some(path) = &options.any_backend {
        sink.error(path, "`backends = any` goes on a trait of ops; a dispatch lists its backends");
    }
    if let Some(option) = &options.no_diagnostic {
        sink.error(
            option,
            "`diagnostic = none` goes on a trait of ops; a dispatch has no such attribute to leave out",
        );
    }
    if options.backends.is_empty() && options.dispatch.is_none() && !options.broken {
        let message = "a dispatch needs at least one backend: write `#[backend_extension(Cpu)]`, or `#[backend_extension(Cpu, Autodiff)]` to train as well";
        sink.error(&item.ident, message);
    }
    Some(declare(options, item))
}

fn declare(options: Options, item: ItemStruct) -> Dispatch {
    let families = options.no_families.is_none();
    Dispatch { item, backends: options.backends, autodiff: options.autodiff, krate: options.krate, families }
}

fn ops(sink: &mut Sink, mut options: Options, item: ItemTrait) -> Option<Ops> {
    let (krate, diagnostic) = (options.krate.clone(), options.no_diagnostic.is_none());
    let listed = !options.backends.is_empty() || options.autodiff.is_some();
    if let Some(option) = options.no_families.as_ref().filter(|_| !listed && !options.broken) {
        sink.error(option, "`families = none` goes where backends are listed; this trait declares no dispatch to leave the families out of");
    }
    op_trait::check_supertrait(sink, &item);
    let any_backend = options.any_backend.take();
    if let Some(any) = any_backend.as_ref().filter(|_| listed || options.dispatch.is_some()) {
        sink.error(any, "`backends = any` is for an op library, which names neither backends nor a dispatch; keep one, and implement the trait for your backends");
    }
    let target = match options.dispatch.take() {
        Some(path) if listed => {
            let message =
                "name a dispatch with `dispatch = `, or list backends, which declares a new one; not both";
            sink.error(path, message);
            return None;
        }
        Some(path) => Target::Existing(path),
        None if options.backends.is_empty() && listed && !options.broken => {
            sink.error(
                &item.ident,
                "the list names `Autodiff` alone: it needs a backend to wrap, as in `(Cpu, Autodiff)`",
            );
            return None;
        }
        None if listed => {
            let vis = &item.vis;
            let name = format_ident!("Dispatch", span = item.ident.span());
            let doc = format!(" Runs the ops of [`{}`] on the backend of their tensors.", item.ident);
            Target::Declared(Box::new(declare(options, parse_quote!(#[doc = #doc] #vis struct #name;))))
        }
        None => Target::Schema,
    };
    let ops = op_trait::parse(sink, item, target, krate);
    Some(Ops { diagnostic, any_backend: any_backend.is_some(), ..ops })
}

/// A trait with mistakes, without the helper attributes that only this macro knows and without what is reported. One that is
/// wrong in one place is still a trait for everything else that names it.
pub(crate) fn trait_without_helpers(item: TokenStream) -> Option<ItemTrait> {
    let mut item = syn::parse2(item).ok()?;
    op_trait::take_helpers(&mut item);
    op_trait::leave_out_reported(&mut item);
    Some(item)
}

/// The default path to the crate that generated code calls.
pub(crate) fn default_krate() -> Path {
    parse_quote!(::opswitch)
}

/// Whether this is one of the attributes that only this macro knows.
pub(crate) fn is_helper(attr: &Attribute) -> bool {
    attr.path().is_ident("backward") || attr.path().is_ident("op")
}

/// The tokens of an item up to its body, so that an error does not underline a whole page.
fn first_line(item: &Item) -> TokenStream {
    item.to_token_stream().into_iter().take_while(|token| !matches!(token, proc_macro2::TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace)).collect()
}
