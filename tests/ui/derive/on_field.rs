//! The attribute speaks for the whole type.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
    #[extension(plain)]
    pub width: u32,
}

fn main() {}
