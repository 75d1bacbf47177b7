//! An unknown option, close to one that exists.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension(bakcend = Back)]
pub struct Camera<T, Back: Backend> {
    position: FloatTensor<Back>,
    tag: T,
}

fn main() {}
