//! The device of a dispatch.
//!
//! ```text
//! pub enum DispatchDevice { Cpu(Device<Cpu>), Wgpu(Device<Wgpu>), Autodiff(DispatchAutodiffDevice) }
//! pub enum DispatchAutodiffDevice { Cpu(AutodiffDevice<Device<Cpu>>), Wgpu(..) }
//! ```
//!
//! An autodiff device holds a plain one, so that autodiff around autodiff cannot be written down.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};

use super::{Matched, allows, block, cfg, dispatch::Names, entry_span, routing::at};
use crate::model::{Backend, Dispatch};

pub(super) fn emit(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let enums = enums(dispatch, names);
    let methods = methods(dispatch, names);
    let text = text(dispatch, names);
    let handle = handle(dispatch, names);
    let routes = dispatch.backends.iter().map(|backend| routes(dispatch, names, backend));
    let implementations = block(
        &dispatch.krate,
        &quote! {
            #methods
            #text
            #handle
            #(#routes)*
        },
    );
    quote!(#enums #implementations)
}

fn enums(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let (krate, vis, name) = (&dispatch.krate, &dispatch.item.vis, &dispatch.item.ident);
    let Names { device, autodiff_device, .. } = names;
    let variants = dispatch.backends.iter().map(|Backend { name, path, cfg: condition }| {
        let (cfg, doc) = (cfg(condition.as_ref()), format!(" A device of `{name}`."));
        let place = entry_span(path);
        let krate = at(krate.to_token_stream(), place);
        let ty = quote_spanned!(place=> #krate::Device<#path>);
        quote!(#[doc = #doc] #cfg #name(#ty),)
    });
    let autodiff = dispatch.autodiff.as_ref().map(|entry| {
        let cfg = cfg(entry.cfg.as_ref());
        quote!(/** A device whose float tensors can be tracked. */ #cfg Autodiff(#autodiff_device),)
    });
    let autodiff_enum = dispatch.autodiff.as_ref().map(|entry| {
        let cfg_all = cfg(entry.cfg.as_ref());
        let variants = dispatch.backends.iter().map(|Backend { name, path, cfg: condition }| {
            let (cfg, doc) = (cfg(condition.as_ref()), format!(" A device of `{name}`, with autodiff around it."));
            let place = entry_span(path);
            let krate = at(krate.to_token_stream(), place);
            let ty = quote_spanned!(place=> #krate::AutodiffDevice<#krate::Device<#path>>);
            quote!(#[doc = #doc] #cfg #name(#ty),)
        });
        let doc = format!(" The autodiff devices of [`{name}`].");
        quote! {
            #[doc = #doc]
            #cfg_all
            #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash)]
            #vis enum #autodiff_device { #(#variants)* }
        }
    });
    let doc = format!(" A device of [`{name}`]: written and read as `cpu`, `wgpu:1` or `autodiff(wgpu:1)`.");
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug, ::core::cmp::PartialEq, ::core::cmp::Eq, ::core::hash::Hash)]
        #vis enum #device {
            #(#variants)*
            #autodiff
        }

        #autodiff_enum
    }
}

/// `match self` with an arm for each plain device and one for each autodiff device.
fn by_device(
    dispatch: &Dispatch,
    names: &Names,
    plain: impl Fn(&Backend) -> TokenStream,
    tracked: impl Fn(&Backend) -> TokenStream,
) -> TokenStream {
    let autodiff = &names.autodiff_device;
    let matched = Matched { value: quote!(self), plain: quote!(Self), autodiff, binding: "device" };
    matched.arms(dispatch, plain, tracked)
}

fn methods(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let device = &names.device;
    let devices = dispatch.backends.iter().map(|Backend { name, path, cfg: condition }| {
        let cfg = cfg(condition.as_ref());
        quote!(#cfg || __rt::devices_of::<#path, Self>(Self::#name),)
    });
    let inner = by_device(
        dispatch,
        names,
        |Backend { name, .. }| quote!(Self::#name(__rt::Clone::clone(device))),
        |Backend { name, .. }| quote!(Self::#name(__rt::Clone::clone(device.inner()))),
    );
    let allows = allows();
    quote! {
        #allows
        impl #device {
            /// What lists the devices of each backend.
            const __DEVICES: &'static [fn() -> __rt::Vec<Self>] = &[#(#devices)*];

            /// The devices that this machine has, in the order of the list.
            pub fn enumerate() -> __rt::Vec<Self> {
                __rt::enumerate(Self::__DEVICES)
            }

            /// The device that `OPSWITCH_DEVICE` names, or else the first that this machine has. Backends further down the
            /// list are not asked for theirs.
            ///
            /// # Errors
            ///
            /// If the variable names no device of this machine, or the machine has none.
            pub fn try_default() -> __rt::Result<Self, __rt::DispatchError> {
                __rt::default_device(Self::__DEVICES)
            }

            /// The autodiff device around this one.
            ///
            /// # Panics
            ///
            /// If this is one already, or the dispatch is declared without `Autodiff`.
            #[track_caller]
            pub fn autodiff(&self) -> Self {
                self.autodiff_with(__rt::Checkpointing::Off)
            }

            /// The autodiff device around this one, with a strategy for what is kept.
            ///
            /// # Panics
            ///
            /// If this is one already, or the dispatch is declared without `Autodiff`.
            #[track_caller]
            pub fn autodiff_with(&self, checkpointing: __rt::Checkpointing) -> Self {
                __rt::OrRaise::or_raise(__rt::DispatchDeviceHandle::try_autodiff_with(__rt::Clone::clone(self), checkpointing))
            }

            /// Whether this is an autodiff device.
            pub fn is_autodiff(&self) -> bool {
                __rt::DispatchDeviceHandle::checkpointing(self).is_some()
            }

            /// The device without autodiff around it.
            pub fn inner(&self) -> Self {
                #inner
            }
        }

        #[automatically_derived]
        impl __rt::Default for #device {
            /// The device that `OPSWITCH_DEVICE` names, or else the first that this machine has.
            ///
            /// # Panics
            ///
            /// With the text of the error that `try_default` gives.
            #[track_caller]
            fn default() -> Self {
                __rt::OrRaise::or_raise(Self::try_default())
            }
        }
    }
}

/// Writing and reading.
fn text(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let device = &names.device;
    let display = by_device(
        dispatch,
        names,
        |_| quote!(__rt::fmt::Display::fmt(device, f)),
        |_| quote!(__rt::fmt::Display::fmt(device, f)),
    );
    let listed = dispatch.backends.iter().map(|Backend { path, cfg: condition, .. }| {
        let cfg = cfg(condition.as_ref());
        quote!(#cfg <#path as __rt::Backend>::NAME)
    });
    let arms = dispatch.backends.iter().map(|Backend { name, path, cfg: condition }| {
        let cfg = cfg(condition.as_ref());
        let compiled_out = condition.as_ref().map(|condition| {
            let (text, name) = (quote!(#condition).to_string(), name.to_string().to_lowercase());
            quote!(#[cfg(not(#condition))] #name => __rt::Result::Err(__rt::compiled_out(text, #text, ::core::module_path!())),)
        });
        quote! {
            #cfg
            name if name == <#path as __rt::Backend>::NAME => __rt::parse_device(text).map(Self::#name),
            #compiled_out
        }
    });
    quote! {
        #[automatically_derived]
        impl __rt::fmt::Display for #device {
            fn fmt(&self, f: &mut __rt::fmt::Formatter<'_>) -> __rt::fmt::Result {
                #display
            }
        }

        #[automatically_derived]
        impl __rt::FromStr for #device {
            type Err = __rt::DispatchError;

            fn from_str(text: &str) -> __rt::Result<Self, __rt::DispatchError> {
                if let __rt::Option::Some(inner) = __rt::autodiff_text(text) {
                    let inner: Self = __rt::FromStr::from_str(inner)?;
                    return __rt::DispatchDeviceHandle::try_autodiff_with(inner, __rt::Checkpointing::Off);
                }
                match __rt::backend_text(text) {
                    #(#arms)*
                    _ => __rt::Result::Err(__rt::unsupported_backend(text, &[#(#listed),*])),
                }
            }
        }
    }
}

fn handle(dispatch: &Dispatch, names: &Names) -> TokenStream {
    let Names { device, autodiff_device, .. } = names;
    let name = &dispatch.item.ident;
    let name_of = |Backend { path, .. }: &Backend| quote!(<#path as __rt::Backend>::NAME);
    let backend_name = by_device(dispatch, names, name_of, name_of);
    let checkpointing = by_device(
        dispatch,
        names,
        |_| quote!(__rt::Option::None),
        |_| quote!(__rt::Option::Some(device.checkpointing())),
    );
    let without = quote!(__rt::Result::Err(__rt::autodiff_disabled(&self)));
    let wrapped = match &dispatch.autodiff {
        None => without,
        Some(entry) => {
            let wrapped = by_device(
                dispatch,
                names,
                |Backend { name, .. }| quote!(#autodiff_device::#name(__rt::AutodiffDevice::new(device, checkpointing))),
                |_| quote!(return __rt::Result::Err(__rt::wrapped_twice(device))),
            );
            let wrapped = quote!(__rt::Result::Ok(Self::Autodiff(#wrapped)));
            match &entry.cfg {
                None => wrapped,
                Some(condition) => quote! {
                    #[cfg(#condition)]
                    { #wrapped }
                    #[cfg(not(#condition))]
                    { #without }
                },
            }
        }
    };
    let allows = allows();
    quote! {
        #[automatically_derived]
        #allows
        impl __rt::DispatchDeviceHandle for #device {
            fn backend_name(&self) -> &'static str {
                #backend_name
            }

            #[inline]
            fn checkpointing(&self) -> __rt::Option<__rt::Checkpointing> {
                #checkpointing
            }

            #[inline]
            fn try_autodiff_with(self, checkpointing: __rt::Checkpointing) -> __rt::Result<Self, __rt::DispatchError> {
                #wrapped
            }
        }

        #[automatically_derived]
        impl __rt::Visit<#name> for #device {
            #[inline]
            fn visit(&self, visitor: &mut impl __rt::Visitor<#name>) {
                visitor.device(self);
            }
        }
    }
}

/// The way of a device to one backend and back, plain and with autodiff.
fn routes(dispatch: &Dispatch, names: &Names, backend: &Backend) -> TokenStream {
    let Names { device, autodiff_device, .. } = names;
    let (outer, Backend { name, path, cfg: condition }) = (&dispatch.item.ident, backend);
    let cfg_plain = cfg(condition.as_ref());
    let allows = allows();
    let tracked = dispatch.autodiff.as_ref().map(|entry| {
        let cfg_autodiff = cfg(entry.cfg.as_ref());
        quote! {
            #cfg_plain
            #cfg_autodiff
            #[automatically_derived]
            #allows
            impl __rt::Routed<__rt::Via<#outer, __rt::Autodiff<#path>>> for #device {
                type Lowered = __rt::AutodiffDevice<__rt::Device<#path>>;

                #[inline]
                fn lower(self, route: &__rt::Via<#outer, __rt::Autodiff<#path>>) -> __rt::Result<Self::Lowered, __rt::DispatchError> {
                    match self {
                        Self::Autodiff(#autodiff_device::#name(device)) => __rt::Result::Ok(device),
                        Self::#name(device) => __rt::Result::Ok(route.wrap(device)),
                        other => __rt::Result::Err(route.other_device(other)),
                    }
                }

                #[inline]
                fn lift(device: Self::Lowered, _: &__rt::Via<#outer, __rt::Autodiff<#path>>) -> Self {
                    Self::Autodiff(#autodiff_device::#name(device))
                }
            }
        }
    });
    quote! {
        #cfg_plain
        #[automatically_derived]
        #allows
        impl __rt::Routed<__rt::Via<#outer, #path>> for #device {
            type Lowered = __rt::Device<#path>;

            #[inline]
            fn lower(self, route: &__rt::Via<#outer, #path>) -> __rt::Result<Self::Lowered, __rt::DispatchError> {
                match self {
                    Self::#name(device) => __rt::Result::Ok(device),
                    other => __rt::Result::Err(route.other_device(other)),
                }
            }

            #[inline]
            fn lift(device: Self::Lowered, _: &__rt::Via<#outer, #path>) -> Self {
                Self::#name(device)
            }
        }

        #tracked
    }
}
