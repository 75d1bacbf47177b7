//! An associated type of a trait of ops, on a dispatch.
//!
//! ```text
//! type Plan: Clone + Debug + ..;   =>   #[derive(Clone, Debug)]
//!                                       pub enum __Plan { Cpu(<__Cpu as PlanOps>::Plan), Npu(<__Npu as PlanOps>::Plan) }
//!                                       impl Variant<At<0>> for __Plan { .. }
//!                                       impl PlanOps for Dispatch { type Plan = OneOf<__Plan>; .. }
//! ```

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Index, ext::IdentExt};

use super::{allows, routing::backend_alias};
use crate::model::{AssocType, Route};

/// The enum, and how each backend's values go in and come out.
pub(super) fn emit(route: &Route, ty: &AssocType) -> TokenStream {
    let (enum_, derives) = (enum_name(ty), &ty.derives);
    let backends = || route.schema.backends.iter().map(|(_, backend)| backend);
    let fields = backends().map(|backend| {
        let value = value(route, ty, backend);
        quote!(#backend(#value))
    });
    let names = backends().map(|backend| {
        let alias = backend_alias(backend);
        quote!(Self::#backend(_) => <#alias as __rt::Backend>::NAME)
    });
    let variants = route.schema.backends.iter().map(|(index, backend)| variant(route, ty, *index, backend));
    let (allows, vis) = (allows(), &route.trait_vis);
    quote! {
        #[derive(#(#derives),*)]
        #allows
        #vis enum #enum_ {
            #(#fields),*
        }

        #allows
        impl #enum_ {
            fn backend_name(&self) -> &'static str {
                match *self { #(#names),* }
            }
        }

        #(#variants)*
    }
}

/// The enum as the associated type of the dispatch.
pub(super) fn assoc_type(ty: &AssocType) -> TokenStream {
    let (name, enum_) = (&ty.name, enum_name(ty));
    quote!(type #name = __rt::OneOf<#enum_>;)
}

fn variant(route: &Route, ty: &AssocType, index: usize, backend: &Ident) -> TokenStream {
    let (enum_, index, value) = (enum_name(ty), Index::from(index), value(route, ty, backend));
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl __rt::Variant<__rt::At<#index>> for #enum_ {
            type Value = #value;

            fn take(self) -> __rt::Result<Self::Value, &'static str> {
                match self {
                    Self::#backend(value) => __rt::Result::Ok(value),
                    other => __rt::Result::Err(other.backend_name()),
                }
            }

            fn get(&self) -> __rt::Option<&Self::Value> {
                match self {
                    Self::#backend(value) => __rt::Option::Some(value),
                    _ => __rt::Option::None,
                }
            }

            fn made(value: Self::Value) -> Self {
                Self::#backend(value)
            }
        }
    }
}

/// What one backend calls the type.
fn value(route: &Route, ty: &AssocType, backend: &Ident) -> TokenStream {
    let (alias, trait_, name) = (backend_alias(backend), &route.trait_, &ty.name);
    quote!(<#alias as #trait_>::#name)
}

fn enum_name(ty: &AssocType) -> Ident {
    format_ident!("__{}", ty.name.unraw())
}
