//! Conditions, decided in the crate that declares what they stand on.
//!
//! ```text
//! Cpu, Wgpu: cfg(feature = "wgpu")    =>   macro_rules! link_0 { .. => { $next! { .. $($entries)* 0 Cpu, } } }
//!                                          #[cfg(feature = "wgpu")]
//!                                          macro_rules! link_1 { .. => { $next! { .. $($entries)* 1 Wgpu, } } }
//!                                          #[cfg(not(feature = "wgpu"))]
//!                                          macro_rules! link_1 { .. => { $next! { .. $($entries)* } } }
//!                                          macro_rules! declare { .. => { declare_dispatch! { {pub Dispatch} $($entries)* } } }
//!                                          link_0! { {link_1 declare} }
//! ```
//!
//! A `cfg` inside tokens that another crate expands would be decided with the features of that crate. Here each entry is a
//! macro that hands the list on with the entry or without it, and the last one declares what the list is for.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Meta, ext::IdentExt};

use super::cfg;

/// What may be there or not.
pub(super) struct Entry {
    pub(super) tokens: TokenStream,
    pub(super) condition: Option<Meta>,
}

/// Calls the macro `declare` with `head` and the entries whose conditions hold.
pub(super) fn resolve(
    name: &Ident,
    declare: &TokenStream,
    head: &TokenStream,
    entries: &[Entry],
) -> TokenStream {
    let last = format_ident!("__opswitch_declare_{}", name.unraw());
    let links: Vec<Ident> =
        (0..entries.len()).map(|link| format_ident!("__opswitch_link_{}_{link}", name.unraw())).collect();
    let definitions = entries.iter().zip(&links).map(|(entry, link)| definition(link, entry));
    let mut names = links.iter().chain([&last]);
    let first = names.next();
    quote! {
        #(#definitions)*
        macro_rules! #last {
            ({} $($entries:tt)*) => { #declare! { #head $($entries)* } };
        }
        #first! { {#(#names)*} }
    }
}

/// A macro that appends the entry, if its condition holds, and calls the next.
fn definition(link: &Ident, Entry { tokens, condition }: &Entry) -> TokenStream {
    let with = quote!(({$next:ident $($links:ident)*} $($entries:tt)*) => { $next! { {$($links)*} $($entries)* #tokens } };);
    let Some(condition) = condition else {
        return quote!(macro_rules! #link { #with });
    };
    let on = cfg(Some(condition));
    quote! {
        #on
        macro_rules! #link { #with }
        #[cfg(not(#condition))]
        macro_rules! #link {
            ({$next:ident $($links:ident)*} $($entries:tt)*) => { $next! { {$($links)*} $($entries)* } };
        }
    }
}
