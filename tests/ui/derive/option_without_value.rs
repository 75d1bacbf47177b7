//! `backend` has a value.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension(backend)]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

fn main() {}
