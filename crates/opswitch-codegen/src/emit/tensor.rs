//! The tensors of a dispatch: one enum for every kind.
//!
//! ```text
//! pub enum DispatchTensor<K: TensorKind> { Cpu(K::Primitive<Cpu>), .., Autodiff(DispatchAutodiff<K>) }
//! pub enum DispatchAutodiff<K: TensorKind> { Cpu(K::Tracked<Cpu>), .. }
//! ```
//!
//! `K::Tracked` is an empty type for ints, bools and quantized tensors, so that a tracked int cannot be written down.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;

use super::{Matched, allows, block, by_device, cfg, dispatch::Names, entry_span, no_backend};
use crate::model::{Backend, Dispatch};

pub(super) fn emit(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let enums = enums(dispatch, names);
    let handle = handle(dispatch, names);
    let moves = moves(dispatch, names);
    let routes = dispatch.backends.iter().map(|backend| routes(dispatch, names, backend));
    let implementations = block(
        &dispatch.krate,
        &quote! {
            #handle
            #moves
            #(#routes)*
        },
    );
    quote!(#enums #implementations)
}

fn enums(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let (krate, vis, name) = (&dispatch.krate, &dispatch.item.vis, &dispatch.item.ident);
    let Names { tensor, autodiff_tensor, .. } = names;
    let variants = dispatch.backends.iter().map(|Backend { name, path, cfg: condition }| {
        let (cfg, doc) = (cfg(condition.as_ref()), format!(" A tensor of `{name}`."));
        let ty = quote_spanned!(entry_span(path)=> K::Primitive<#path>);
        quote!(#[doc = #doc] #cfg #name(#ty),)
    });
    let autodiff = dispatch.autodiff.as_ref().map(|entry| {
        let cfg = cfg(entry.cfg.as_ref());
        quote!(/** A float tensor of an autodiff device. */ #cfg Autodiff(#autodiff_tensor<K>),)
    });
    // Uses `K` where no other variant does, and has no value.
    let none = no_backend(dispatch).map(|cfg| quote!(#cfg #[doc(hidden)] __None(#krate::NoTensor<K>),));
    let autodiff_enum = dispatch.autodiff.as_ref().map(|entry| {
        let cfg_all = cfg(entry.cfg.as_ref());
        let variants = dispatch.backends.iter().map(|Backend { name, path, cfg: condition }| {
            let (cfg, doc) =
                (cfg(condition.as_ref()), format!(" A float tensor of `{name}`, with autodiff around it."));
            let ty = quote_spanned!(entry_span(path)=> K::Tracked<#path>);
            quote!(#[doc = #doc] #cfg #name(#ty),)
        });
        let doc = format!(" The float tensors of the autodiff devices of [`{name}`].");
        quote! {
            #[doc = #doc]
            #cfg_all
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #vis enum #autodiff_tensor<K: #krate::TensorKind> { #(#variants)* #none }
        }
    });
    let doc = format!(" A tensor of [`{name}`], of any kind.");
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis enum #tensor<K: #krate::TensorKind> {
            #(#variants)*
            #autodiff
            #none
        }

        #autodiff_enum
    }
}

/// `match self` with an arm for each plain tensor and one for each tensor of autodiff.
fn by_tensor(
    dispatch: &Dispatch,
    names: &Names,
    plain: impl Fn(&Backend) -> TokenStream,
    tracked: impl Fn(&Backend) -> TokenStream,
) -> TokenStream {
    let autodiff = &names.autodiff_tensor;
    let matched = Matched { value: quote!(self), plain: quote!(Self), autodiff, binding: "tensor" };
    matched.arms(dispatch, plain, tracked)
}

fn handle(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let (name, Names { tensor, device, autodiff_device, .. }) = (&dispatch.item.ident, names);
    let property = |property: TokenStream| {
        let get = |_: &Backend| quote!(__rt::TensorHandle::#property(tensor));
        by_tensor(dispatch, names, get, get)
    };
    let (shape, dtype) = (property(quote!(shape)), property(quote!(dtype)));
    let place = by_tensor(
        dispatch,
        names,
        |Backend { name, .. }| quote!(#device::#name(__rt::TensorHandle::device(tensor))),
        |Backend { name, .. }| quote!(#device::Autodiff(#autodiff_device::#name(__rt::TensorHandle::device(tensor)))),
    );
    let queue = by_tensor(
        dispatch,
        names,
        |Backend { path, .. }| quote!(reads.add::<K, #path>(tensor)),
        |Backend { path, .. }| quote!(reads.add_tracked::<K, #path>(tensor)),
    );
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl<K: __rt::TensorKind> __rt::TensorHandle for #tensor<K> {
            type Device = #device;

            #[inline]
            fn shape(&self) -> __rt::Shape {
                #shape
            }

            #[inline]
            fn dtype(&self) -> __rt::DType {
                #dtype
            }

            #[inline]
            fn device(&self) -> #device {
                #place
            }
        }

        #[automatically_derived]
        #allows
        impl<K: __rt::TensorKind> __rt::Readable for #tensor<K> {
            fn queue(self, reads: &mut __rt::Reads) {
                #queue
            }
        }

        #[automatically_derived]
        impl<K: __rt::TensorKind> __rt::Visit<#name> for #tensor<K> {
            #[inline]
            fn visit(&self, visitor: &mut impl __rt::Visitor<#name>) {
                visitor.tensor(self);
            }
        }
    }
}

/// The local `tensor` of the autodiff backend, in the variant that its kind has: those that are never tracked stay plain.
fn lifted(names: &Names, name: &Ident, path: &Path) -> TokenStream {
    let autodiff_tensor = &names.autodiff_tensor;
    quote! {
        match K::into_tracked::<#path>(tensor) {
            __rt::Result::Ok(tensor) => Self::Autodiff(#autodiff_tensor::#name(tensor)),
            __rt::Result::Err(tensor) => Self::#name(tensor),
        }
    }
}

/// Data in, data out, and from device to device.
fn moves(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let Names { tensor, device, autodiff_tensor, .. } = names;
    let from_data = by_device(
        dispatch,
        names,
        |Backend { name, path, .. }| quote!(K::from_data::<#path>(data, device).map(Self::#name)),
        |Backend { name, path, .. }| {
            let lifted = lifted(names, name, path);
            quote! {{
                let tensor = K::constant::<#path>(K::from_data::<#path>(data, device.inner())?, device.checkpointing());
                __rt::Result::Ok(#lifted)
            }}
        },
    );
    let into_data = by_tensor(
        dispatch,
        names,
        |Backend { path, .. }| quote!(K::into_data::<#path>(tensor).await),
        |Backend { path, .. }| quote!(K::into_data::<__rt::Autodiff<#path>>(K::from_tracked::<#path>(tensor)).await),
    );
    let to_device = by_tensor(
        dispatch,
        names,
        |Backend { path, .. }| quote!(Self::transfer::<#path>(tensor, device)),
        |Backend { path, .. }| quote!(Self::transfer_tracked::<#path>(tensor, device)),
    );
    let transfer = by_device(
        dispatch,
        names,
        |Backend { name, path, .. }| quote!(__rt::transfer::<K, __From, #path>(tensor, device).map(Self::#name)),
        |Backend { name, path, .. }| {
            let lifted = lifted(names, name, path);
            quote! {{
                let tensor = __rt::transfer::<K, __From, #path>(tensor, device.inner())?;
                let tensor = K::constant::<#path>(tensor, device.checkpointing());
                __rt::Result::Ok(#lifted)
            }}
        },
    );
    let autodiff = dispatch.autodiff.as_ref().map(|entry| {
        let cfg_all = cfg(entry.cfg.as_ref());
        let arms = dispatch.backends.iter().map(|Backend { name, path, cfg: condition }| {
            let cfg = cfg(condition.as_ref());
            quote! {
                #cfg
                #device::#name(device) => {
                    let device = __rt::AutodiffDevice::new(__rt::Clone::clone(device), checkpointing);
                    Self::Autodiff(#autodiff_tensor::#name(K::transfer_tracked::<__From, #path>(tensor, &device)?))
                }
            }
        });
        quote! {
            /// Moves a tensor of autodiff; its gradient comes back the same way. It stays one on a plain device.
            #cfg_all
            fn transfer_tracked<__From: __rt::PlainBackend>(
                tensor: K::Tracked<__From>, device: &#device,
            ) -> __rt::Result<Self, __rt::DataError> {
                let checkpointing = match __rt::DispatchDeviceHandle::checkpointing(device) {
                    __rt::Option::Some(checkpointing) => checkpointing,
                    __rt::Option::None => __rt::TensorHandle::device(&tensor).checkpointing(),
                };
                __rt::Result::Ok(match &device.inner() {
                    #(#arms)*
                    _ => ::core::unreachable!("the device inside is a plain one that is compiled in"),
                })
            }
        }
    });
    let allows = allows();
    quote! {
        #allows
        impl<K: __rt::TensorKind> #tensor<K> {
            /// A tensor with the data's shape, element type and elements.
            ///
            /// # Errors
            ///
            /// If the backend of the device has no tensors of this kind with the data's type.
            pub fn from_data(data: __rt::TensorData, device: &#device) -> __rt::Result<Self, __rt::DataError> {
                #from_data
            }

            /// Reads the tensor.
            ///
            /// # Errors
            ///
            /// If the device fails.
            pub async fn into_data(self) -> __rt::Result<__rt::TensorData, __rt::DataError> {
                #into_data
            }

            /// Moves the tensor to another device, gradient included. A tensor of autodiff stays one on a plain device.
            ///
            /// # Errors
            ///
            /// If a device fails, or the other backend has no tensors of this type.
            pub fn to_device(self, device: &#device) -> __rt::Result<Self, __rt::DataError> {
                #to_device
            }

            fn transfer<__From: __rt::Backend>(
                tensor: K::Primitive<__From>, device: &#device,
            ) -> __rt::Result<Self, __rt::DataError> {
                #transfer
            }

            #autodiff
        }
    }
}

/// The way of a tensor to one backend and back, plain and with autodiff.
fn routes(dispatch: &Dispatch, names: &Names, backend: &Backend) -> TokenStream {
    let Names { tensor, autodiff_tensor, .. } = names;
    let (outer, Backend { name, path, cfg: condition }) = (&dispatch.item.ident, backend);
    let cfg_plain = cfg(condition.as_ref());
    let allows = allows();
    let tracked = dispatch.autodiff.as_ref().map(|entry| {
        let cfg_autodiff = cfg(entry.cfg.as_ref());
        let lifted = lifted(names, name, path);
        quote! {
            #cfg_plain
            #cfg_autodiff
            #[automatically_derived]
            #allows
            impl<K: __rt::TensorKind> __rt::Routed<__rt::Via<#outer, __rt::Autodiff<#path>>> for #tensor<K> {
                type Lowered = K::Primitive<__rt::Autodiff<#path>>;

                #[inline(always)]
                fn lower(self, route: &__rt::Via<#outer, __rt::Autodiff<#path>>) -> __rt::Result<Self::Lowered, __rt::DispatchError> {
                    match self {
                        Self::Autodiff(#autodiff_tensor::#name(tensor)) => route.tracked::<K>(tensor),
                        Self::#name(tensor) => route.constant::<K>(tensor),
                        other => __rt::Result::Err(route.wrong_backend(other)),
                    }
                }

                #[inline(always)]
                fn lift(tensor: Self::Lowered, _: &__rt::Via<#outer, __rt::Autodiff<#path>>) -> Self {
                    #lifted
                }
            }
        }
    });
    quote! {
        #cfg_plain
        #[automatically_derived]
        #allows
        impl<K: __rt::TensorKind> __rt::Routed<__rt::Via<#outer, #path>> for #tensor<K> {
            type Lowered = K::Primitive<#path>;

            #[inline(always)]
            fn lower(self, route: &__rt::Via<#outer, #path>) -> __rt::Result<Self::Lowered, __rt::DispatchError> {
                match self {
                    Self::#name(tensor) => route.here(tensor),
                    other => __rt::Result::Err(route.wrong_backend(other)),
                }
            }

            #[inline(always)]
            fn lift(tensor: Self::Lowered, _: &__rt::Via<#outer, #path>) -> Self {
                Self::#name(tensor)
            }

            #[inline(always)]
            fn borrow_lowered(&self, route: &__rt::Via<#outer, #path>) -> __rt::Option<&Self::Lowered> {
                match self {
                    Self::#name(tensor) => route.borrow_here(tensor),
                    _ => __rt::Option::None,
                }
            }
        }

        #tracked
    }
}
