//! From the model to tokens. Emission is total: after the checks, nothing here fails.
//!
//! One file an artefact. Generated names start with two underscores; paths go through one hidden module, bound to `__rt`
//! inside the blocks that hold implementations.

mod any_backend;
mod autodiff;
mod backend;
mod conditions;
pub(crate) mod coverage;
pub(crate) mod derive;
mod device;
pub(crate) mod dispatch;
pub(crate) mod extend;
mod formulas;
pub(crate) mod ops;
pub(crate) mod routing;
pub(crate) mod schema;
mod tensor;
mod variants;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, GenericParam, Generics, Meta, Path, Signature, Type, ext::IdentExt, parse_quote};

use self::dispatch::Names;
use crate::{
    model::{Arg, Backend, Dispatch, Method},
    tokens,
};

/// The lints that generated code may break, on every emitted implementation. Consumers deny what they like for their own
/// code; here the signatures are theirs and the bodies ours.
fn allows() -> TokenStream {
    quote! {
        // What clippy says of style, a generator cannot know; the rest follows from signatures that are repeated. Nothing is
        // allowed that need not be: a crate that forbids one of these cannot be served.
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        #[allow(deprecated, unused)]
    }
}

/// A block of implementations, in which the hidden module is `__rt`.
fn block(krate: &Path, implementations: &TokenStream) -> TokenStream {
    quote! {
        const _: () = {
            use #krate::__private as __rt;

            #implementations
        };
    }
}

/// `#[cfg(condition)]`, or nothing.
fn cfg(condition: Option<&Meta>) -> Option<Attribute> {
    condition.map(|condition| parse_quote!(#[cfg(#condition)]))
}

/// Where what is made of a listed backend is reported: at its entry in the list.
fn entry_span(path: &Path) -> Span {
    tokens::last_name(path).span().resolved_at(Span::call_site())
}

/// `#[cfg(..)]` for a build in which the condition of every backend is off; nothing if one has no condition.
fn no_backend(dispatch: &Dispatch) -> Option<TokenStream> {
    let conditions: Option<Vec<&Meta>> =
        dispatch.backends.iter().map(|backend| backend.cfg.as_ref()).collect();
    conditions.map(|conditions| quote!(#[cfg(not(any(#(#conditions),*)))]))
}

/// The arm of a `match` for such a build: there is no value to match then.
fn no_backend_arm(dispatch: &Dispatch) -> Option<TokenStream> {
    no_backend(dispatch).map(|cfg| quote!(#cfg _ => ::core::unreachable!("no backend is compiled in"),))
}

/// What is matched for each backend of a dispatch: a device, or a tensor.
struct Matched<'a> {
    /// The value.
    value: TokenStream,
    /// The enum that it is of.
    plain: TokenStream,
    /// The enum inside its variant `Autodiff`.
    autodiff: &'a Ident,
    /// What the arms call the value inside.
    binding: &'a str,
}

impl Matched<'_> {
    /// The `match`, with an arm for each plain backend and one for each with autodiff around it.
    fn arms(
        &self,
        dispatch: &Dispatch,
        plain: impl Fn(&Backend) -> TokenStream,
        tracked: impl Fn(&Backend) -> TokenStream,
    ) -> TokenStream {
        let Self { value, plain: plain_enum, autodiff: autodiff_enum, binding } = self;
        let binding = format_ident!("{binding}");
        let arm = |enum_: &TokenStream, backend: &Backend, body: TokenStream| {
            let (cfg, name) = (cfg(backend.cfg.as_ref()), &backend.name);
            quote!(#cfg #enum_::#name(#binding) => #body,)
        };
        let none = no_backend_arm(dispatch);
        let plain_arms = dispatch.backends.iter().map(|backend| arm(plain_enum, backend, plain(backend)));
        let autodiff = dispatch.autodiff.as_ref().map(|entry| {
            let cfg = cfg(entry.cfg.as_ref());
            let inside = quote!(#autodiff_enum);
            let arms = dispatch.backends.iter().map(|backend| arm(&inside, backend, tracked(backend)));
            quote!(#cfg #plain_enum::Autodiff(#binding) => match #binding { #(#arms)* #none },)
        });
        quote!(match #value { #(#plain_arms)* #autodiff #none })
    }
}

/// `match device` with an arm for each plain device and one for each autodiff device.
fn by_device(
    dispatch: &Dispatch,
    names: &Names,
    plain: impl Fn(&Backend) -> TokenStream,
    tracked: impl Fn(&Backend) -> TokenStream,
) -> TokenStream {
    let (device, autodiff) = (&names.device, &names.autodiff_device);
    let matched = Matched { value: quote!(device), plain: quote!(#device), autodiff, binding: "device" };
    matched.arms(dispatch, plain, tracked)
}

/// `Dispatch` and `Tensor` give `DispatchTensor`, at the place of the dispatch's name.
fn suffixed(name: &Ident, suffix: &str) -> Ident {
    format_ident!("{}{suffix}", name.unraw(), span = name.span())
}

/// `__in_x` for the argument `x`, and the like: no other local of generated code has the prefix of its role.
fn hidden(role: &str, name: &Ident) -> Ident {
    format_ident!("__{role}_{}", name.unraw())
}

/// The name of an op in messages: `FusedOps::matmul_add_relu`.
fn op_name(trait_: &Ident, method: &Method) -> String {
    format!("{}::{}", trait_.unraw(), method.sig.ident.unraw())
}

/// The signature with plain names for patterns, to stand above a generated body.
fn plain_signature(method: &Method) -> Signature {
    let mut sig = method.sig.clone();
    for (input, arg) in sig.inputs.iter_mut().zip(&method.args) {
        if let syn::FnArg::Typed(typed) = input {
            let name = &arg.name;
            typed.attrs.clear();
            *typed.pat = parse_quote!(#name);
        }
    }
    sig
}

/// `::<T, N>` for a method that is generic in types or constants. Lifetimes are inferred.
fn turbofish(generics: &Generics) -> Option<TokenStream> {
    let args = type_and_const_args(generics);
    (!args.is_empty()).then(|| quote!(::<#(#args),*>))
}

fn type_and_const_args(generics: &Generics) -> Vec<&Ident> {
    let args = generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(&param.ident),
        GenericParam::Const(param) => Some(&param.ident),
        GenericParam::Lifetime(_) => None,
    });
    args.collect()
}

/// The generics of a trait without defaults, as they stand after `impl`.
fn impl_params(generics: &Generics) -> Vec<GenericParam> {
    let mut generics = generics.clone();
    for param in &mut generics.params {
        if let GenericParam::Type(param) = param {
            param.default = None;
        }
    }
    generics.params.into_iter().collect()
}

/// The type behind a reference, as a value that can be kept: `T` for `&T`, `Vec<T>` for `&[T]`.
fn owned(arg: &Arg) -> TokenStream {
    match &arg.ty {
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(slice) => {
                let elem = &slice.elem;
                quote!(__rt::Vec<#elem>)
            }
            elem => elem.to_token_stream(),
        },
        ty => ty.to_token_stream(),
    }
}

fn is_reference(arg: &Arg) -> bool {
    matches!(arg.ty, Type::Reference(_))
}
