//! The procedural macros of opswitch: entry points only, one call each. They are documented where they are
//! re-exported, and written in `opswitch-codegen`.
#![allow(missing_docs, reason = "documented at the re-exports")]

use proc_macro::TokenStream;

#[proc_macro_attribute]
pub fn backend_extension(options: TokenStream, item: TokenStream) -> TokenStream {
    opswitch_codegen::backend_extension(options.into(), item.into()).into()
}

#[proc_macro]
pub fn extend_dispatch(input: TokenStream) -> TokenStream {
    opswitch_codegen::extend_dispatch(input.into()).into()
}

#[proc_macro_derive(ExtensionType, attributes(extension))]
pub fn derive_extension_type(input: TokenStream) -> TokenStream {
    opswitch_codegen::derive_extension_type(input.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn declare_dispatch(input: TokenStream) -> TokenStream {
    opswitch_codegen::declare_dispatch(input.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn declare_ops(input: TokenStream) -> TokenStream {
    opswitch_codegen::declare_ops(input.into()).into()
}

#[doc(hidden)]
#[proc_macro]
pub fn route(input: TokenStream) -> TokenStream {
    opswitch_codegen::route(input.into()).into()
}
