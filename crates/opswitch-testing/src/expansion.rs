//! Reviews of generated code.

use std::path::Path;

use opswitch_codegen::expand_source;

/// Compares what `#[backend_extension]` or `#[derive(ExtensionType)]` emits for an item with a snapshot of [insta], in the
/// folder `snapshots` beside the test, as [insta] has it.
///
/// The source is a text, or a file of the package: `file = "src/ops.rs"`. With several items in it, the name of one chooses;
/// a dispatch beside a trait is used for the routing. The snapshot holds the formatted code.
///
/// ```no_run
/// # fn main() {
/// use opswitch_testing::assert_expansion;
///
/// assert_expansion!("fused_ops", "FusedOps", file = "src/fused.rs");
/// assert_expansion!("ray", "Ray", "
///     #[derive(ExtensionType)]
///     struct Ray<B: Backend> { origin: FloatTensor<B> }
/// ");
/// # }
/// ```
///
/// After a deliberate change, `cargo insta review` or the variable `INSTA_UPDATE=always` accept the new code.
///
/// [insta]: https://insta.rs
///
/// # Panics
///
/// If the code differs from the snapshot, or there is none yet; also if the source is not Rust, an attribute is used wrongly,
/// or nothing has that name.
#[macro_export]
macro_rules! assert_expansion {
    ($snapshot:expr, $item:expr, file = $path:expr) => {
        $crate::__private::insta::with_settings!({ omit_expression => true }, {
            let expanded = $crate::__private::expand_file(env!("CARGO_MANIFEST_DIR"), $path, $item);
            $crate::__private::insta::assert_snapshot!($snapshot, expanded);
        })
    };
    ($snapshot:expr, $item:expr, $source:expr) => {
        $crate::__private::insta::with_settings!({ omit_expression => true }, {
            let expanded = $crate::__private::expand_text($source, $item);
            $crate::__private::insta::assert_snapshot!($snapshot, expanded);
        })
    };
}

/// A source, and what the attribute of one of its items emits.
///
/// # Panics
///
/// If nothing can be expanded.
#[doc(hidden)]
#[track_caller]
pub fn expand_text(source: &str, item: &str) -> String {
    let source = source.trim();
    format!("{source}\n\n// becomes\n\n{}", expand(source, item))
}

/// What the attribute of an item in a file of a package emits.
///
/// # Panics
///
/// If the file cannot be read, or nothing can be expanded.
#[doc(hidden)]
#[track_caller]
pub fn expand_file(package: &str, path: &str, item: &str) -> String {
    let path = Path::new(package).join(path);
    match std::fs::read_to_string(&path) {
        Ok(source) => expand(&source, item),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

#[track_caller]
fn expand(source: &str, item: &str) -> String {
    match expand_source(source, Some(item)) {
        Ok(expanded) => expanded,
        Err(error) => panic!("{item}: {error}"),
    }
}
