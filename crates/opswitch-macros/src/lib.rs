//! The procedural macros of opswitch: entry points only, one call each. They are documented where they are
//! re-exported, and written in `opswitch-codegen`.

use proc_macro::TokenStream;

#[allow(missing_docs, reason = "documented at its re-export")]
#[proc_macro_attribute]
pub fn backend_extension(options: TokenStream, item: TokenStream) -> TokenStream {
    opswitch_codegen::backend_extension(options.into(), item.into()).into()
}
