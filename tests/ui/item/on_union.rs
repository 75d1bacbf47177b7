//! A dispatch is a unit struct; the enums are generated.

use opswitch::backend_extension;

#[backend_extension]
pub union Dispatch {
    cpu: u8,
    npu: u8,
}

fn main() {}
