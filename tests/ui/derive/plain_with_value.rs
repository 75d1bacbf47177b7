//! `plain` has no value.

use opswitch::ExtensionType;

#[derive(ExtensionType)]
#[extension(plain = true)]
pub struct Padding {
    pub amount: usize,
}

fn main() {}
