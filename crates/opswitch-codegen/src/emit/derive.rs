//! `#[derive(ExtensionType)]`: a struct or enum of tensors that can cross backends.
//!
//! ```text
//! struct Camera<B: Backend> {    =>   impl<__R, __Outer: Backend, __Inner: Backend> Routed<__R> for Camera<__Outer>
//!     position: FloatTensor<B>,       where __R: Route<Outer = __Outer, Inner = __Inner>, FloatTensor<__Outer>: Routed<..>
//!     width: u32,                     { type Lowered = Camera<__Inner>; .. }
//! }                                   impl<B: Backend> Visit<B> for Camera<B> { .. }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{GenericParam, Generics, Member, WherePredicate, parse_quote, parse2};

use super::{allows, block};
use crate::{
    model::{Derived, ExtensionType, Field, PlainType, Variant},
    tokens::{mentions, rename},
};

pub(crate) fn emit(derived: &Derived) -> TokenStream {
    match derived {
        Derived::Tensors(ty) => tensors(ty),
        Derived::Plain(ty) => plain(ty),
    }
}

/// A type without tensors passes as it is.
fn plain(ty: &PlainType) -> TokenStream {
    let PlainType { krate, name, generics } = ty;
    let with = |param: GenericParam| {
        let mut generics = generics.clone();
        generics.params.push(param);
        generics
    };
    let (routed, visited) = (with(parse_quote!(__R)), with(parse_quote!(__B: __rt::Backend)));
    let (routed_generics, _, _) = routed.split_for_impl();
    let (visited_generics, _, _) = visited.split_for_impl();
    let (impl_generics, args, where_clause) = generics.split_for_impl();
    let allows = allows();
    block(
        krate,
        &quote! {
            #[automatically_derived]
            #allows
            impl #routed_generics __rt::Routed<__R> for #name #args #where_clause {
                type Lowered = Self;

                fn lower(self, _: &__R) -> __rt::Result<Self, __rt::DispatchError> {
                    __rt::Result::Ok(self)
                }

                fn lift(lowered: Self, _: &__R) -> Self {
                    lowered
                }
            }

            #[automatically_derived]
            impl #visited_generics __rt::Visit<__B> for #name #args #where_clause {}

            #[automatically_derived]
            impl #impl_generics __rt::NoFloats for #name #args #where_clause {}
        },
    )
}

fn tensors(ty: &ExtensionType) -> TokenStream {
    let (routed, visit, markers) = (routed(ty), visit(ty), markers(ty));
    block(
        &ty.krate,
        &quote! {
            #routed
            #visit
            #markers
        },
    )
}

/// The fields whose types are asked to be routed. One that holds the type itself would ask for what is being shown.
fn bounded_fields(ty: &ExtensionType) -> impl Iterator<Item = &Field> {
    let fields = ty.variants.iter().flat_map(|variant| &variant.fields);
    fields.filter(|field| field.routed && !mentions(&field.ty, &ty.name.to_string()))
}

/// The generics with another name for the backend.
fn with_backend(ty: &ExtensionType, name: &str) -> Generics {
    let mut generics = ty.generics.clone();
    for param in generics.type_params_mut() {
        param.default = None;
    }
    let backend = ty.backend.to_string();
    let renamed: Generics =
        parse2(rename(&generics, &backend, name)).expect("a name for a name keeps generics generics");
    let clause = generics.where_clause.map(|clause| {
        parse2(rename(&clause, &backend, name)).expect("a name for a name keeps a where clause one")
    });
    Generics { where_clause: clause, ..renamed }
}

fn add_predicates(generics: &mut Generics, predicates: impl IntoIterator<Item = WherePredicate>) {
    generics.make_where_clause().predicates.extend(predicates);
}

/// The way to the inner backend and back.
fn routed(ty: &ExtensionType) -> TokenStream {
    let name = &ty.name;
    let (outer, inner) = (with_backend(ty, "__Outer"), with_backend(ty, "__Inner"));
    let backend = ty.backend.to_string();
    let mut generics = outer.clone();
    generics.params.push(parse_quote!(__R));
    let inner_params = inner
        .params
        .iter()
        .filter(|param| matches!(param, GenericParam::Type(param) if param.ident == "__Inner"));
    generics.params.extend(inner_params.cloned());
    add_predicates(&mut generics, [parse_quote!(__R: __rt::Route<Outer = __Outer, Inner = __Inner>)]);
    add_predicates(
        &mut generics,
        inner.where_clause.iter().flat_map(|clause| clause.predicates.iter().cloned()),
    );
    add_predicates(
        &mut generics,
        bounded_fields(ty).map(|field| {
            let (over, under) =
                (rename(&field.ty, &backend, "__Outer"), rename(&field.ty, &backend, "__Inner"));
            parse_quote!(#over: __rt::Routed<__R, Lowered = #under>)
        }),
    );
    sort_lifetimes_first(&mut generics);
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, outer_args, _) = outer.split_for_impl();
    let (_, inner_args, _) = inner.split_for_impl();
    let lower = arms(ty, &quote!(#name), |field, value| {
        let text = format!(".{}", member_text(&field.member));
        quote!(__rt::Routed::<__R>::lower(#value, __route).map_err(|error| error.at_argument(#text))?)
    });
    let lift = arms(ty, &quote!(#name), |field, value| {
        let over = rename(&field.ty, &backend, "__Outer");
        quote!(<#over as __rt::Routed<__R>>::lift(#value, __route))
    });
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl #impl_generics __rt::Routed<__R> for #name #outer_args #where_clause {
            type Lowered = #name #inner_args;

            fn lower(self, __route: &__R) -> __rt::Result<Self::Lowered, __rt::DispatchError> {
                __rt::Result::Ok(match self { #(#lower)* })
            }

            fn lift(lowered: Self::Lowered, __route: &__R) -> Self {
                match lowered { #(#lift)* }
            }
        }
    }
}

fn sort_lifetimes_first(generics: &mut Generics) {
    let mut params: Vec<_> = generics.params.iter().cloned().collect();
    params.sort_by_key(|param| match param {
        GenericParam::Lifetime(_) => 0,
        GenericParam::Type(_) | GenericParam::Const(_) => 1,
    });
    generics.params = params.into_iter().collect();
}

/// The tensors and devices inside.
fn visit(ty: &ExtensionType) -> TokenStream {
    let (name, backend) = (&ty.name, &ty.backend);
    let mut generics = with_backend(ty, &backend.to_string());
    let types = bounded_fields(ty).map(|field| &field.ty);
    add_predicates(&mut generics, types.map(|ty| parse_quote!(#ty: __rt::Visit<#backend>)));
    let (impl_generics, args, where_clause) = generics.split_for_impl();
    let visit = visits(ty, &quote!(__rt::Visit::<#backend>::visit), &quote!(__visitor));
    let change = visits(ty, &quote!(__rt::Visit::<#backend>::visit_floats_mut), &quote!(__change));
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl #impl_generics __rt::Visit<#backend> for #name #args #where_clause {
            fn visit(&self, __visitor: &mut impl __rt::Visitor<#backend>) {
                match self { #(#visit)* }
            }

            fn visit_floats_mut(&mut self, __change: &mut impl __rt::FnMut(&mut __rt::FloatTensor<#backend>)) {
                match self { #(#change)* }
            }
        }
    }
}

/// Where the type stands in gradient formulas.
fn markers(ty: &ExtensionType) -> TokenStream {
    let (name, backend) = (&ty.name, &ty.backend);
    let generics = with_backend(ty, &backend.to_string());
    let (impl_generics, args, where_clause) = generics.split_for_impl();
    let mut without = generics.clone();
    add_predicates(
        &mut without,
        bounded_fields(ty).map(|field| {
            let ty = &field.ty;
            parse_quote!(#ty: __rt::NoFloats)
        }),
    );
    let (without_generics, _, without_clause) = without.split_for_impl();
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl #impl_generics __rt::Present for #name #args #where_clause {
            type Present = Self;

            fn present(self) -> Self {
                self
            }
        }

        #[automatically_derived]
        #allows
        impl #impl_generics __rt::Differentiable for #name #args #where_clause {}

        #[automatically_derived]
        #allows
        impl #without_generics __rt::NoFloats for #name #args #without_clause {}
    }
}

/// One arm a variant that takes it apart, and puts it together from what becomes of its fields.
fn arms(
    ty: &ExtensionType,
    path: &TokenStream,
    convert: impl Fn(&Field, &Ident) -> TokenStream,
) -> Vec<TokenStream> {
    let arm = |variant: &Variant| {
        let path = variant_path(path, variant);
        let pattern = pattern(variant);
        let values = variant.fields.iter().map(|field| {
            let (member, binding) = (&field.member, binding(&field.member));
            let value = if field.routed { convert(field, &binding) } else { quote!(#binding) };
            quote!(#member: #value)
        });
        quote!(#path #pattern => #path { #(#values,)* },)
    };
    ty.variants.iter().map(arm).collect()
}

/// One arm a variant that calls a function on each routed field.
fn visits(ty: &ExtensionType, func: &TokenStream, with: &TokenStream) -> Vec<TokenStream> {
    let arm = |variant: &Variant| {
        let (path, pattern) = (variant_path(&quote!(Self), variant), pattern(variant));
        let calls = variant.fields.iter().filter(|field| field.routed).map(|field| {
            let binding = binding(&field.member);
            quote!(#func(#binding, #with);)
        });
        quote!(#path #pattern => { #(#calls)* })
    };
    ty.variants.iter().map(arm).collect()
}

fn variant_path(ty: &TokenStream, variant: &Variant) -> TokenStream {
    variant.name.as_ref().map_or_else(|| ty.clone(), |name| quote!(#ty::#name))
}

fn pattern(variant: &Variant) -> TokenStream {
    let fields = variant.fields.iter().map(|field| {
        let (member, binding) = (&field.member, binding(&field.member));
        quote!(#member: #binding)
    });
    quote!({ #(#fields,)* })
}

fn binding(member: &Member) -> Ident {
    match member {
        Member::Named(name) => super::hidden("field", name),
        Member::Unnamed(index) => format_ident!("__field_{}", index.index),
    }
}

fn member_text(member: &Member) -> String {
    match member {
        Member::Named(name) => syn::ext::IdentExt::unraw(name).to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
