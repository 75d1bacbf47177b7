//! The code generator behind `#[backend_extension]`.
use proc_macro2::TokenStream;
use quote::ToTokens;

/// pass-through
pub fn backend_extension(_options: TokenStream, item: TokenStream) -> TokenStream {
    let mut item: syn::ItemTrait = syn::parse2(item).unwrap();
    let keep = |a: &syn::Attribute| !a.path().is_ident("backward") && !a.path().is_ident("op");
    item.attrs.retain(keep);
    for i in &mut item.items {
        if let syn::TraitItem::Fn(f) = i {
            f.attrs.retain(keep);
        }
    }
    item.into_token_stream()
}
