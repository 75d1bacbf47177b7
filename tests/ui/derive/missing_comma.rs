//! Options are separated by commas.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension(backend = B crate = opswitch)]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

fn main() {}
