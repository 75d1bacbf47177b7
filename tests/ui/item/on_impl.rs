//! An implementation has ops where it is one of a trait.

use opswitch::backend_extension;

#[backend_extension]
impl Kernels {
    fn scale() {}
}

struct Kernels;

fn main() {}
