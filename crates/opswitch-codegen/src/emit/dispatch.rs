//! A dispatch: the struct, the enums of its devices and tensors, and the macro under its name.
//!
//! ```text
//! #[backend_extension(Cpu, Autodiff)]     pub struct Dispatch;
//! pub struct Dispatch;               =>   pub enum DispatchDevice { Cpu(Device<Cpu>), Autodiff(DispatchAutodiffDevice) }
//!                                         pub enum DispatchTensor<K> { Cpu(K::Primitive<Cpu>), Autodiff(DispatchAutodiff<K>) }
//!                                         impl Backend for Dispatch { .. }
//!                                         macro_rules! .. { .. 0 Cpu, autodiff .. }  pub use .. as Dispatch;
//!                                         extend_dispatch! { Dispatch: ops::FloatOps, .. }
//! ```
//!
//! A backend with a `cfg` is there or not when the macro of the dispatch is defined, in the crate that declares it
//! ([`conditions`]).

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Index;

use super::{
    backend,
    conditions::{self, Entry},
    device, schema, suffixed, tensor,
};
use crate::model::{Backend, Declared, Dispatch, DispatchSchema};

/// The names of what is emitted for a dispatch.
pub(super) struct Names {
    pub(super) device: Ident,
    pub(super) autodiff_device: Ident,
    pub(super) tensor: Ident,
    pub(super) autodiff_tensor: Ident,
}

impl Names {
    fn new(dispatch: &Ident) -> Self {
        Self {
            device: suffixed(dispatch, "Device"),
            autodiff_device: suffixed(dispatch, "AutodiffDevice"),
            tensor: suffixed(dispatch, "Tensor"),
            autodiff_tensor: suffixed(dispatch, "Autodiff"),
        }
    }
}

pub(crate) fn emit(dispatch: &Dispatch) -> TokenStream {
    let item = &dispatch.item;
    let names = Names::new(&item.ident);
    let device = device::emit(dispatch, &names);
    let tensor = tensor::emit(dispatch, &names);
    let backend = backend::emit(dispatch, &names);
    let schema = declare_schema(dispatch);
    let families = dispatch.families.then(|| families(dispatch));
    quote! {
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::core::default::Default)]
        #item

        #device
        #tensor
        #backend
        #schema
        #families
    }
}

/// The built-in op families, routed as those of any library.
fn families(dispatch: &Dispatch) -> TokenStream {
    let (krate, name) = (&dispatch.krate, &dispatch.item.ident);
    quote! {
        #krate::extend_dispatch! {
            crate = #krate;
            #name: #krate::ops::BoolOps, #krate::ops::IntOps, #krate::ops::FloatOps, #krate::ops::NnOps,
                #krate::ops::CollectiveOps, #krate::AutodiffOps
        }
    }
}

/// The macro of the dispatch, at once or behind its conditions.
fn declare_schema(dispatch: &Dispatch) -> TokenStream {
    let (krate, vis, name) = (&dispatch.krate, &dispatch.item.vis, &dispatch.item.ident);
    let entries = entries(dispatch);
    if entries.iter().all(|entry| entry.condition.is_none()) {
        let backends =
            dispatch.backends.iter().enumerate().map(|(index, backend)| (index, backend.name.clone()));
        let schema = DispatchSchema { backends: backends.collect(), autodiff: dispatch.autodiff.is_some() };
        return emit_schema(&Declared { vis: vis.clone(), name: name.clone(), schema });
    }
    let declare = quote!(#krate::__private::declare_dispatch);
    conditions::resolve(name, &declare, &quote!({#vis #name}), &entries)
}

/// What the list says of each backend, and of `Autodiff`, with its condition.
fn entries(dispatch: &Dispatch) -> Vec<Entry> {
    let backends = dispatch.backends.iter().enumerate().map(|(index, Backend { name, cfg, .. })| {
        let index = Index::from(index);
        Entry { tokens: quote!(#index #name,), condition: cfg.clone() }
    });
    let autodiff = dispatch.autodiff.iter();
    let autodiff = autodiff.map(|entry| Entry { tokens: quote!(autodiff,), condition: entry.cfg.clone() });
    backends.chain(autodiff).collect()
}

/// The macro under the name of the dispatch.
pub(crate) fn emit_schema(declared: &Declared) -> TokenStream {
    let DispatchSchema { backends, autodiff } = &declared.schema;
    let backends = backends.iter().map(|(index, name)| {
        let index = Index::from(*index);
        quote!(#index #name)
    });
    let autodiff = autodiff.then(|| quote!(autodiff));
    let entries = backends.chain(autodiff);
    let rules = quote!(([$($callback:tt)*] $($arguments:tt)*) => { $($callback)*! { {#(#entries),*} $($arguments)* } };);
    schema::export(&declared.vis, &declared.name, &rules)
}
