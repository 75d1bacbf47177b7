//! The build script of both sides: writes the trait of ops of this side and variant.

mod ops;

use std::{env, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-changed=../build.rs");
    println!("cargo::rerun-if-changed=../ops.rs");
    let has = |feature: &str| env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    let side = match env::var("CARGO_PKG_NAME").as_deref() {
        Ok("macro-bench-burn") => ops::BURN,
        _ => ops::OPSWITCH,
    };
    let folder = env::var("OUT_DIR").expect("cargo says where");
    let text = side.text(has("FORMULAS"), has("BARE"));
    fs::write(Path::new(&folder).join("ops.rs"), text).expect("the folder is there");
}
