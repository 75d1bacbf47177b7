//! What a trait tells of itself to dispatches in other crates.
//!
//! ```text
//! pub trait FlashOps: CoreOps {    =>   pub trait FlashOps: CoreOps + __FlashOpsTypes { .. }
//!     fn flash(                         pub trait __FlashOpsTypes: CoreOps { type __FlashOps_FloatTensor; }
//!         q: FloatTensor<Self>,         impl<__B: CoreOps> __FlashOpsTypes for __B { type __FlashOps_FloatTensor = FloatTensor<__B>; }
//!     ) -> FloatTensor<Self>;           macro_rules! .. { .. fn flash(q: Self::__FlashOps_FloatTensor) -> .. }
//! }                                     pub use .. as FlashOps;
//! ```
//!
//! A type such as `FloatTensor<Self>` has a meaning where the trait stands, and perhaps none where it is routed. The hidden
//! supertrait gives each a name that every implementation of the trait can say: `Self::..`. What does not mention the
//! backend is marked `#[plain]`, since those names all do. The macro shares the trait's name, so that whoever can name the
//! trait can route it.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, FnArg, GenericArgument, Generics, ItemTrait, Path, PathArguments, ReturnType, TraitItem, Type,
    TypeParamBound, Visibility, ext::IdentExt, parse_quote,
};

use super::{
    allows,
    conditions::{self, Entry},
};
use crate::{
    model::Ops,
    parse::schema_items,
    tokens::{self, any_ident, mentions, rename, stable_hash, type_name, with_dollar_crate},
};

/// The trait with its hidden supertrait, and everything beside it.
pub(super) fn emit(ops: &Ops, mut item: ItemTrait) -> (ItemTrait, TokenStream) {
    let mut names = Names::new(&ops.item);
    let schema = names.rewrite(schema_items(&ops.item));
    let supertrait = names.supertrait(&ops.item);
    let macro_ = declare(&ops.krate, schema);
    if let Some(bound) = names.bound() {
        item.colon_token.get_or_insert_with(Default::default);
        item.supertraits.push(bound);
    }
    (item, quote!(#supertrait #macro_))
}

/// The macro of the trait, at once or behind the conditions of its functions.
fn declare(krate: &Path, mut schema: ItemTrait) -> TokenStream {
    let entries: Vec<Entry> = schema.items.iter().map(entry).collect();
    if entries.iter().all(|entry| entry.condition.is_none()) {
        return emit_schema(&schema);
    }
    schema.items.clear();
    let declare = quote!(#krate::__private::declare_ops);
    conditions::resolve(&schema.ident, &declare, &quote!({#schema}), &entries)
}

/// A function or type, and what all its `cfg`s come to.
fn entry(member: &TraitItem) -> Entry {
    let mut member = member.clone();
    let mut condition = None;
    if let TraitItem::Fn(func) = &mut member {
        condition = tokens::condition(&func.attrs);
        func.attrs.retain(|attr| !attr.path().is_ident("cfg"));
    }
    Entry { tokens: quote!(#member), condition }
}

/// The macro under the name of the trait.
pub(crate) fn emit_schema(schema: &ItemTrait) -> TokenStream {
    let item = with_dollar_crate(schema.to_token_stream());
    let rules =
        quote!(([$($callback:tt)*] $($arguments:tt)*) => { $($callback)*! { $($arguments)* {#item} } };);
    export(&schema.vis, &schema.ident, &rules)
}

/// A macro under the name of the item that it speaks for.
pub(super) fn export(vis: &Visibility, name: &Ident, rules: &TokenStream) -> TokenStream {
    let kind = format_ident!("__opswitch_{}_{:016x}", name.unraw(), stable_hash(rules));
    let exported = matches!(vis, Visibility::Public(_)).then(|| quote!(#[macro_export]));
    quote! {
        #[doc(hidden)]
        #exported
        macro_rules! #kind { #rules }
        #[doc(hidden)]
        #[allow(unused_imports)]
        #vis use #kind as #name;
    }
}

/// The names that the hidden supertrait gives to the types of the signatures.
struct Names {
    trait_: Ident,
    /// Names that only mean something inside one signature, or inside the trait.
    local: Vec<String>,
    /// By tokens, so that a type that is written twice has one name.
    types: BTreeMap<String, (Ident, Type)>,
}

impl Names {
    fn new(item: &ItemTrait) -> Self {
        let params = item.generics.params.iter().filter_map(param_name);
        let types = item.items.iter().filter_map(|member| match member {
            TraitItem::Type(ty) => Some(ty.ident.to_string()),
            _ => None,
        });
        Self { trait_: item.ident.clone(), local: params.chain(types).collect(), types: BTreeMap::new() }
    }

    fn rewrite(&mut self, mut item: ItemTrait) -> ItemTrait {
        for member in &mut item.items {
            let TraitItem::Fn(func) = member else { continue };
            let generics = func.sig.generics.clone();
            for input in &mut func.sig.inputs {
                if let FnArg::Typed(typed) = input {
                    typed.attrs = plain(&typed.ty);
                    self.replace(&mut typed.ty, &generics);
                }
            }
            if let ReturnType::Type(_, ty) = &mut func.sig.output {
                func.attrs.extend(plain(ty));
                self.replace(ty, &generics);
            }
        }
        item
    }

    /// Gives the type a name, unless it can be said anywhere or only here.
    fn replace(&mut self, ty: &mut Type, generics: &Generics) {
        match ty {
            Type::Reference(reference) => return self.replace(&mut reference.elem, generics),
            Type::Slice(slice) => return self.replace(&mut slice.elem, generics),
            Type::Path(path) if is_primitive(path) => return,
            Type::ImplTrait(_) => return self.replace_inside(ty, generics),
            Type::Path(_) | Type::Tuple(_) | Type::Array(_) => {}
            _ => return,
        }
        let locals: Vec<String> =
            generics.params.iter().filter_map(param_name).chain(self.local.iter().cloned()).collect();
        let is_local =
            any_ident(ty.to_token_stream(), &mut |ident| locals.iter().any(|local| ident == local));
        let is_unit = matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty());
        if is_unit {
            return;
        }
        if is_local || has_lifetime(ty) {
            return self.replace_inside(ty, generics);
        }
        let name = self.name_of(ty);
        *ty = parse_quote!(Self::#name);
    }

    /// Names the parts of a type that has no name as a whole.
    fn replace_inside(&mut self, ty: &mut Type, generics: &Generics) {
        match ty {
            Type::Array(array) => self.replace(&mut array.elem, generics),
            Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(|elem| self.replace(elem, generics)),
            Type::Path(path) => {
                if let Some(last) = path.path.segments.last_mut() {
                    self.replace_arguments(&mut last.arguments, generics);
                }
            }
            Type::ImplTrait(ty) => {
                for bound in &mut ty.bounds {
                    if let TypeParamBound::Trait(bound) = bound
                        && let Some(last) = bound.path.segments.last_mut()
                    {
                        self.replace_arguments(&mut last.arguments, generics);
                    }
                }
            }
            _ => {}
        }
    }

    fn replace_arguments(&mut self, arguments: &mut PathArguments, generics: &Generics) {
        let PathArguments::AngleBracketed(arguments) = arguments else { return };
        for argument in &mut arguments.args {
            match argument {
                GenericArgument::Type(ty) => self.replace(ty, generics),
                GenericArgument::AssocType(assoc) => self.replace(&mut assoc.ty, generics),
                _ => {}
            }
        }
    }

    fn name_of(&mut self, ty: &Type) -> Ident {
        let key = ty.to_token_stream().to_string();
        if let Some((name, _)) = self.types.get(&key) {
            return name.clone();
        }
        let base = format!("__{}_{}", self.trait_.unraw(), type_name(ty));
        let taken = |name: &str| self.types.values().any(|(other, _)| other == name);
        let mut name = base.clone();
        for number in 2.. {
            if !taken(&name) {
                break;
            }
            name = format!("{base}{number}");
        }
        let name = format_ident!("{name}");
        self.types.insert(key, (name.clone(), ty.clone()));
        name
    }

    fn hidden_trait(&self) -> Ident {
        format_ident!("__{}Types", self.trait_.unraw())
    }

    fn bound(&self) -> Option<TypeParamBound> {
        let hidden = self.hidden_trait();
        (!self.types.is_empty()).then(|| parse_quote!(#hidden))
    }

    fn supertrait(&self, item: &ItemTrait) -> Option<TokenStream> {
        if self.types.is_empty() {
            return None;
        }
        let (vis, hidden, bounds) = (&item.vis, self.hidden_trait(), &item.supertraits);
        let names = self.types.values().map(|(name, _)| name);
        let definitions = self.types.values().map(|(name, ty)| {
            let ty = rename(ty, "Self", "__B");
            quote!(type #name = #ty;)
        });
        let allows = allows();
        Some(quote! {
            /// The types in the signatures, under names that can be said anywhere.
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #vis trait #hidden: #bounds {
                #(type #names;)*
            }

            #[automatically_derived]
            #allows
            impl<__B: #bounds> #hidden for __B {
                #(#definitions)*
            }
        })
    }
}

fn param_name(param: &syn::GenericParam) -> Option<String> {
    match param {
        syn::GenericParam::Type(param) => Some(param.ident.to_string()),
        syn::GenericParam::Const(param) => Some(param.ident.to_string()),
        syn::GenericParam::Lifetime(_) => None,
    }
}

/// `#[plain]` for a type that does not mention the backend.
fn plain(ty: &Type) -> Vec<Attribute> {
    if mentions(ty, "Self") { Vec::new() } else { vec![parse_quote!(#[plain])] }
}

fn has_lifetime(ty: &Type) -> bool {
    ty.to_token_stream().to_string().contains('\'')
}

fn is_primitive(path: &syn::TypePath) -> bool {
    const PRIMITIVES: [&str; 18] = [
        "bool", "char", "str", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
        "u64", "u128", "usize", "Self",
    ];
    path.qself.is_none()
        && path.path.get_ident().is_some_and(|ident| PRIMITIVES.iter().any(|name| ident == name))
}
