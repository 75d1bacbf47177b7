//! `extend_dispatch!(Dispatch: flash::FlashOps)`
//!
//! ```text
//! flash::FlashOps! { [Dispatch!] [route] {crate} {Dispatch} {flash::FlashOps} }
//! ```

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::ExtendRequest;

pub(crate) fn emit(request: &ExtendRequest) -> TokenStream {
    let ExtendRequest { krate, dispatch, traits } = request;
    quote!(#(#traits! { [#dispatch] [#krate::__private::route] {#krate} {#dispatch} {#traits} })*)
}
