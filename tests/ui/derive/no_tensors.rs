//! A type without tensors says so.

use opswitch::ExtensionType;

#[derive(ExtensionType)]
pub struct Size<T> {
    pub width: T,
}

fn main() {}
