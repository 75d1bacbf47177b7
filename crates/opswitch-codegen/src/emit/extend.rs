//! `extend_dispatch!(Dispatch: flash::FlashOps)`
//!
//! ```text
//! const _: fn() = is_dispatch::<Dispatch>;
//! flash::FlashOps! { [Dispatch!] [route] {crate} {Dispatch} {flash::FlashOps} }
//! ```

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use crate::model::ExtendRequest;

pub(crate) fn emit(request: &ExtendRequest) -> TokenStream {
    let ExtendRequest { krate, dispatch, traits } = request;
    let proof = proof(krate, dispatch);
    quote!(#proof #(#traits! { [#dispatch] [#krate::__private::route] {#krate} {#dispatch} {#traits} })*)
}

/// Says what is wrong with a path that names no dispatch, where the compiler only misses a macro.
pub(super) fn proof(krate: &Path, dispatch: &Path) -> TokenStream {
    quote!(const _: fn() = #krate::__private::is_dispatch::<#dispatch>;)
}
