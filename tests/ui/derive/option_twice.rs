//! An option is given once.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension(backend = B, backend = B)]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

fn main() {}
