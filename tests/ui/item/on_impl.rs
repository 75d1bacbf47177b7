//! The attribute stands on the trait, not on its implementation.

use opswitch::backend_extension;

#[backend_extension]
impl Kernels {
    fn scale() {}
}

struct Kernels;

fn main() {}
