//! A union does not say what is in it.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
pub union Either<B: Backend> {
    float: std::mem::ManuallyDrop<FloatTensor<B>>,
    int: std::mem::ManuallyDrop<opswitch::IntTensor<B>>,
}

fn main() {}
