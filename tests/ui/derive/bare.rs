//! `#[extension]` says something.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

fn main() {}
