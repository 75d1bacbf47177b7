//! The backend is a type parameter.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension(backend = Bakc)]
pub struct Camera<T, Back: Backend> {
    position: FloatTensor<Back>,
    tag: T,
}

fn main() {}
