//! `#[derive(ExtensionType)]`

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{
    Data, DeriveInput, Fields, Index, Member, Path, Token, Type,
    ext::IdentExt,
    parse::ParseStream,
    parse_quote,
    visit_mut::{self, VisitMut},
};

use crate::{
    diag::{Sink, did_you_mean},
    model::{Derived, ExtensionType, Field, PlainType, Variant},
    tokens::mentions,
};

pub(crate) fn extension_type(sink: &mut Sink, input: TokenStream) -> Option<Derived> {
    let mut input: DeriveInput = sink.ok(syn::parse2(input))?;
    name_self(&mut input);
    let mut options = Options { krate: super::default_krate(), backend: None, plain: false };
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("extension")) {
        let parsed = attr.parse_args_with(|input: ParseStream<'_>| options.parse(input));
        sink.ok(parsed)?;
    }
    let krate = options.krate;
    if options.plain {
        if let Some(backend) = &options.backend {
            sink.error(
                backend,
                "`plain` says that there is no tensor inside, and so no backend; keep one of the two",
            );
        }
        let (name, generics) = (input.ident, input.generics);
        return Some(Derived::Plain(PlainType { krate, name, generics }));
    }
    let backend = backend(sink, &input, options.backend)?;
    let variants = match &input.data {
        Data::Struct(data) => vec![variant(None, &data.fields, &backend)],
        Data::Enum(data) => data
            .variants
            .iter()
            .map(|each| variant(Some(each.ident.clone()), &each.fields, &backend))
            .collect(),
        Data::Union(data) => {
            sink.error(data.union_token, "a union does not say which of its fields is there; use an enum");
            return None;
        }
    };
    let (name, generics) = (input.ident, input.generics);
    Some(Derived::Tensors(ExtensionType { krate, name, generics, backend, variants }))
}

/// Replaces `Self` in the fields by the type's name, since it is another type on the inner backend.
fn name_self(input: &mut DeriveInput) {
    struct NameSelf(Type);

    impl VisitMut for NameSelf {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            match ty {
                Type::Path(path) if path.qself.is_none() && path.path.is_ident("Self") => {
                    *ty = self.0.clone();
                }
                _ => visit_mut::visit_type_mut(self, ty),
            }
        }
    }

    let (name, (_, args, _)) = (&input.ident, input.generics.split_for_impl());
    let mut named = NameSelf(parse_quote!(#name #args));
    named.visit_data_mut(&mut input.data);
}

/// `#[extension(crate = path, backend = B)]` or `#[extension(plain)]`
struct Options {
    krate: Path,
    backend: Option<Ident>,
    plain: bool,
}

impl Options {
    fn parse(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            if name == "plain" {
                self.plain = true;
            } else if name == "crate" || name == "backend" {
                input.parse::<Token![=]>()?;
                if name == "crate" {
                    self.krate = input.call(Path::parse_mod_style)?;
                } else {
                    self.backend = Some(input.parse()?);
                }
            } else {
                let hint = did_you_mean(&name.to_string(), ["crate", "backend", "plain"]);
                let message = format!(
                    "unknown option `{name}`{hint} (options: `crate = path`, `backend = B`, `plain`)"
                );
                return Err(syn::Error::new(name.span(), message));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }
}

/// The type parameter that is the backend: the one that is named so, the one called `B`, or the only one.
fn backend(sink: &mut Sink, input: &DeriveInput, named: Option<Ident>) -> Option<Ident> {
    let params: Vec<&Ident> = input.generics.type_params().map(|param| &param.ident).collect();
    let found = match &named {
        Some(named) => params.iter().find(|param| **param == named),
        None => params.iter().find(|param| **param == "B").or(match params.as_slice() {
            [only] => Some(only),
            _ => None,
        }),
    };
    if found.is_none() {
        let (at, message) = match (&named, params.is_empty()) {
            (Some(named), _) => {
                let params: Vec<String> = params.iter().map(ToString::to_string).collect();
                let hint = did_you_mean(&named.to_string(), params.iter().map(String::as_str));
                (named.to_token_stream(), format!("`{}` has no type parameter `{named}`{hint}", input.ident))
            }
            (None, true) => (
                input.ident.to_token_stream(),
                format!(
                    "`{0}` is not generic in a backend: write `{0}<B: Backend>`, and `FloatTensor<B>` for its tensors; if it holds none, add `#[extension(plain)]`",
                    input.ident
                ),
            ),
            (None, false) => (
                input.generics.params.to_token_stream(),
                format!(
                    "it is not clear which type parameter is the backend: call it `B`, or write `#[extension(backend = {})]`",
                    params[params.len() - 1]
                ),
            ),
        };
        sink.error(at, message);
    }
    found.map(|ident| (*ident).clone())
}

fn variant(name: Option<Ident>, fields: &Fields, backend: &Ident) -> Variant {
    let backend = backend.to_string();
    let fields = fields.iter().enumerate().map(|(position, field)| Field {
        member: match &field.ident {
            Some(ident) => Member::Named(ident.clone()),
            None => Member::Unnamed(Index::from(position)),
        },
        ty: field.ty.clone(),
        routed: mentions(&field.ty, &backend),
    });
    Variant { name, fields: fields.collect() }
}
