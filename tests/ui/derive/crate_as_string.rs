//! The crate is a path, not a string.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension(crate = "opswitch")]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

fn main() {}
