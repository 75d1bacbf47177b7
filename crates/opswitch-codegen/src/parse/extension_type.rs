//! `#[derive(ExtensionType)]`

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::{
    Data, DeriveInput, Fields, Index, Member, Meta, Path, Token, Type, WherePredicate,
    ext::IdentExt,
    parse::ParseStream,
    parse_quote,
    visit_mut::{self, VisitMut},
};

use crate::{
    diag::{Sink, did_you_mean},
    model::{Derived, ExtensionType, Field, PlainType, Variant},
    tokens::{item_path, mentions},
};

pub(crate) fn extension_type(sink: &mut Sink, input: TokenStream) -> Option<Derived> {
    let mut input: DeriveInput = sink.ok(syn::parse2(input))?;
    name_self(&mut input);
    let mut options =
        Options { krate: super::default_krate(), backend: None, plain: false, seen: Vec::new() };
    for attr in input.attrs.iter().filter(|attr| attr.path().is_ident("extension")) {
        if !matches!(&attr.meta, Meta::List(list) if !list.tokens.is_empty()) {
            sink.error(
                attr,
                format!("write an option, as in `#[extension(plain)]`: there are {}", Options::ALL),
            );
            return None;
        }
        let parsed = attr.parse_args_with(|input: ParseStream<'_>| options.parse(input));
        sink.ok(parsed)?;
    }
    check_fields(sink, &input.data);
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
    seen: Vec<Ident>,
}

impl Options {
    const ALL: &str = "`plain`, `backend = B` and `crate = path`";

    fn parse(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            if name == "plain" {
                self.plain = true;
            } else if name == "crate" || name == "backend" {
                self.parse_value(&name, input)?;
            } else {
                let hint = did_you_mean(&name.to_string(), ["crate", "backend", "plain"]);
                let hint = if hint.is_empty() { format!("; there are {}", Self::ALL) } else { hint };
                return Err(syn::Error::new(name.span(), format!("unknown option `{name}`{hint}")));
            }
            if self.seen.contains(&name) {
                return Err(syn::Error::new(name.span(), format!("`{name}` is given twice; keep one")));
            }
            if !input.is_empty() && !input.peek(Token![,]) {
                return Err(input.error(if name == "plain" {
                    "`plain` has no value: write `#[extension(plain)]`"
                } else {
                    "a comma stands between options, as in `#[extension(backend = B, crate = path)]`"
                }));
            }
            input.parse::<Option<Token![,]>>()?;
            self.seen.push(name);
        }
        Ok(())
    }

    /// `= path` behind `crate`, and `= B` behind `backend`.
    fn parse_value(&mut self, name: &Ident, input: ParseStream<'_>) -> syn::Result<()> {
        let usage = |error: syn::Error| {
            let usage = if name == "crate" {
                "write `crate = path`, as in `crate = my_facade::opswitch`"
            } else {
                "write `backend = B`, with the name of the type parameter that is the backend"
            };
            syn::Error::new(error.span(), usage)
        };
        input.parse::<Token![=]>().map_err(usage)?;
        if name == "crate" {
            self.krate = input.call(item_path).map_err(usage)?;
        } else {
            self.backend = Some(input.parse().map_err(usage)?);
        }
        Ok(())
    }
}

/// The attribute speaks for the whole type.
fn check_fields(sink: &mut Sink, data: &Data) {
    let (variants, fields): (Vec<_>, Vec<_>) = match data {
        Data::Struct(data) => (Vec::new(), data.fields.iter().collect()),
        Data::Enum(data) => (
            data.variants.iter().map(|variant| &variant.attrs).collect(),
            data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        ),
        Data::Union(_) => return,
    };
    let attrs = variants.into_iter().chain(fields.into_iter().map(|field| &field.attrs)).flatten();
    for attr in attrs.filter(|attr| attr.path().is_ident("extension")) {
        sink.error(
            attr,
            "`#[extension(..)]` stands on the type, not on a part of it; a field without tensors needs no attribute",
        );
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
    let found = found.map(|ident| (*ident).clone())?;
    check_bound(sink, input, &found);
    Some(found)
}

/// Without a bound, each generated line would be reported.
fn check_bound(sink: &mut Sink, input: &DeriveInput, backend: &Ident) {
    let on_param =
        input.generics.type_params().any(|param| param.ident == *backend && !param.bounds.is_empty());
    let clauses = input.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let in_clause = clauses.into_iter().any(|predicate| match predicate {
        WherePredicate::Type(bound) => mentions(&bound.bounded_ty, &backend.to_string()),
        _ => false,
    });
    if !on_param && !in_clause {
        sink.error(backend, format!("`{backend}` is the backend of `{}`: write `{backend}: Backend`; if there is no tensor inside, add `#[extension(plain)]`", input.ident));
    }
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
