//! A dispatch as a backend.
//!
//! ```text
//! impl Backend for Dispatch { type FloatTensor = DispatchTensor<Float>; .. }
//! impl DispatchBackend for Dispatch { .. }
//! impl Listed<0> for Dispatch { type Backend = Cpu; }
//! impl Position<Cpu> for Dispatch { type Index = At<0>; type Mode = Plain; }
//! ```

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::{Index, Path, spanned::Spanned};

use super::{allows, block, by_device, cfg, dispatch::Names, no_backend_arm};
use crate::model::{Backend, Dispatch};

pub(super) fn emit(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let proofs = proofs(dispatch);
    let backend = backend(dispatch, names);
    let dispatch_backend = dispatch_backend(dispatch, names);
    let listed =
        dispatch.backends.iter().enumerate().map(|(index, backend)| listed(dispatch, index, backend));
    block(
        &dispatch.krate,
        &quote! {
            #proofs
            #backend
            #dispatch_backend
            #(#listed)*
        },
    )
}

/// Which backend stands where.
fn listed(dispatch: &Dispatch, index: usize, backend: &Backend) -> TokenStream {
    let Backend { path, cfg: condition, .. } = backend;
    let (name, cfg_plain, index) = (&dispatch.item.ident, cfg(condition.as_ref()), Index::from(index));
    let tracking = dispatch.autodiff.as_ref().map(|entry| {
        let cfg_autodiff = cfg(entry.cfg.as_ref());
        quote! {
            #cfg_plain
            #cfg_autodiff
            #[automatically_derived]
            impl __rt::Position<__rt::Autodiff<#path>> for #name {
                type Index = __rt::At<#index>;
                type Mode = __rt::Tracking;
            }
        }
    });
    quote! {
        #cfg_plain
        #[automatically_derived]
        impl __rt::Listed<#index> for #name {
            type Backend = #path;
        }

        #cfg_plain
        #[automatically_derived]
        impl __rt::Position<#path> for #name {
            type Index = __rt::At<#index>;
            type Mode = __rt::Plain;
        }

        #tracking
    }
}

/// Fails at the entry in the list, and not inside generated code, if it is no backend.
fn proofs(dispatch: &Dispatch) -> TokenStream {
    let proof = if dispatch.autodiff.is_some() { quote!(__can_be_wrapped) } else { quote!(__is_backend) };
    let proofs = dispatch.backends.iter().map(|Backend { path, cfg: condition, .. }| {
        let cfg = cfg(condition.as_ref());
        let wraps = quote_spanned!(path.span()=> #proof::<#path>(););
        quote!(#cfg #wraps)
    });
    let bound = if dispatch.autodiff.is_some() { quote!(__rt::PlainBackend) } else { quote!(__rt::Backend) };
    quote! {
        const fn #proof<__B: #bound>() {}
        const _: () = { #(#proofs)* };
    }
}

fn backend(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let name = &dispatch.item.ident;
    let Names { device, tensor, .. } = names;
    let asked = |call: &dyn Fn(&Path, TokenStream) -> TokenStream| {
        by_device(
            dispatch,
            names,
            |Backend { path, .. }| call(path, quote!(device)),
            |Backend { path, .. }| call(path, quote!(device.inner())),
        )
    };
    let device_info = asked(&|path, device| quote!(<#path as __rt::Backend>::device_info(#device)));
    let supports = asked(&|path, device| quote!(<#path as __rt::Backend>::supports(dtype, #device)));
    let int_dtype = asked(&|path, device| quote!(<#path as __rt::Backend>::int_dtype(#device)));
    let sync = asked(&|path, device| quote!(<#path as __rt::Backend>::sync(#device)));
    let kinds = [("Float", "float"), ("Int", "int"), ("Bool", "bool"), ("Quantized", "quantized")].map(|(kind, prefix)| {
        let kind_type = format_ident!("{kind}");
        let [from_data, into_data, to_device] = ["from_data", "into_data", "to_device"].map(|op| format_ident!("{prefix}_{op}"));
        quote! {
            fn #from_data(data: __rt::TensorData, device: &#device) -> __rt::Result<#tensor<__rt::#kind_type>, __rt::DataError> {
                #tensor::from_data(data, device)
            }

            fn #into_data(
                tensor: #tensor<__rt::#kind_type>,
            ) -> impl __rt::Future<Output = __rt::Result<__rt::TensorData, __rt::DataError>> + __rt::Send {
                tensor.into_data()
            }

            fn #to_device(tensor: #tensor<__rt::#kind_type>, device: &#device) -> __rt::Result<#tensor<__rt::#kind_type>, __rt::DataError> {
                tensor.to_device(device)
            }
        }
    });
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl __rt::Backend for #name {
            const NAME: &'static str = "dispatch";

            type Device = #device;
            type FloatTensor = #tensor<__rt::Float>;
            type IntTensor = #tensor<__rt::Int>;
            type BoolTensor = #tensor<__rt::Bool>;
            type QuantizedTensor = #tensor<__rt::Quantized>;

            fn devices() -> __rt::Vec<#device> {
                #device::enumerate()
            }

            fn device_info(device: &#device) -> __rt::DeviceInfo {
                #device_info
            }

            fn supports(dtype: __rt::DType, device: &#device) -> bool {
                #supports
            }

            fn int_dtype(device: &#device) -> __rt::DType {
                #int_dtype
            }

            fn sync(device: &#device) -> __rt::Result<(), __rt::DeviceError> {
                #sync
            }

            fn read_many(
                tensors: __rt::Vec<__rt::AnyTensor<Self>>,
            ) -> impl __rt::Future<Output = __rt::Result<__rt::Vec<__rt::TensorData>, __rt::DataError>> + __rt::Send {
                __rt::read_all(tensors)
            }

            #(#kinds)*
        }
    }
}

fn dispatch_backend(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let name = &dispatch.item.ident;
    let Names { tensor, autodiff_tensor, autodiff_device, .. } = names;
    let without = quote!(
        type AutodiffDevice = __rt::NoAutodiff;
    );
    let device = match &dispatch.autodiff {
        None => without,
        Some(entry) => {
            let with = quote!(type AutodiffDevice = #autodiff_device;);
            match &entry.cfg {
                None => with,
                Some(condition) => quote!(#[cfg(#condition)] #with #[cfg(not(#condition))] #without),
            }
        }
    };
    let none = no_backend_arm(dispatch);
    let inner = dispatch.autodiff.as_ref().map(|entry| {
        let cfg_all = cfg(entry.cfg.as_ref());
        let arms = dispatch.backends.iter().map(|Backend { name, cfg: condition, .. }| {
            let cfg = cfg(condition.as_ref());
            quote!(#cfg #autodiff_tensor::#name(tensor) => #tensor::#name(tensor.into_inner()),)
        });
        quote!(#cfg_all #tensor::Autodiff(tensor) => match tensor { #(#arms)* #none },)
    });
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl __rt::DispatchBackend for #name {
            #device

            fn from_inner(tensor: #tensor<__rt::Float>) -> __rt::Result<#tensor<__rt::Float>, __rt::DispatchError> {
                let device = __rt::TensorHandle::device(&tensor);
                if device.is_autodiff() {
                    return __rt::Result::Err(__rt::tensor_wrapped_twice(&device));
                }
                let device = __rt::DispatchDeviceHandle::try_autodiff_with(device, __rt::Checkpointing::Off)?;
                __rt::Result::Ok(__rt::OrRaise::or_raise(tensor.to_device(&device)))
            }

            fn inner(tensor: #tensor<__rt::Float>) -> #tensor<__rt::Float> {
                match tensor {
                    #inner
                    plain => plain,
                }
            }
        }
    }
}
