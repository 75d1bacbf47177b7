//! What is asked of every entry point of the code generator. The tests here and the fuzz target in `fuzz` share it.

use proc_macro2::TokenStream;
use quote::quote;

/// Calls every macro, twice, with what could be its input.
///
/// # Panics
///
/// If one of them panics, gives other tokens the second time, or gives tokens that are neither items nor an error.
pub(crate) fn expand_all(options: &TokenStream, item: &TokenStream) {
    let route = quote!({0 Cpu, 2 Npu, autodiff} {::opswitch} {#options} {crate::FusedOps} {#item});
    let inputs: [(&str, &dyn Fn() -> TokenStream); 10] = [
        ("backend_extension", &|| opswitch_codegen::backend_extension(options.clone(), item.clone())),
        ("backend_extension of a library", &|| {
            opswitch_codegen::backend_extension(TokenStream::new(), item.clone())
        }),
        ("extend_dispatch", &|| opswitch_codegen::extend_dispatch(options.clone())),
        ("derive_extension_type", &|| opswitch_codegen::derive_extension_type(item.clone())),
        ("declare_dispatch", &|| opswitch_codegen::declare_dispatch(quote!({pub Dispatch} #options))),
        ("declare_dispatch without a name", &|| opswitch_codegen::declare_dispatch(options.clone())),
        ("declare_ops", &|| opswitch_codegen::declare_ops(quote!({#item} #options))),
        ("declare_ops without a trait", &|| opswitch_codegen::declare_ops(options.clone())),
        ("route", &|| opswitch_codegen::route(route.clone())),
        ("route without its parts", &|| opswitch_codegen::route(options.clone())),
    ];
    for (name, expand) in inputs {
        check(name, expand);
    }
}

fn check(name: &str, expand: &dyn Fn() -> TokenStream) {
    let tokens = expand();
    let text = tokens.to_string();
    assert_eq!(text, expand().to_string(), "`{name}` does not give the same tokens twice");
    if !text.contains("compile_error") {
        let parsed = syn::parse2::<syn::File>(tokens);
        assert!(parsed.is_ok(), "`{name}` gives neither items nor an error: {}\n{text}", parsed.unwrap_err());
    }
}
