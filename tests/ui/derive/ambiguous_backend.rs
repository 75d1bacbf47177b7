//! One of two type parameters is the backend.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
pub struct Camera<T, Back: Backend> {
    position: FloatTensor<Back>,
    tag: T,
}

fn main() {}
