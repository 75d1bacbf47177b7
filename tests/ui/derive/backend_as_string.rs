//! The backend is a name, not a string.

use opswitch::{Backend, ExtensionType, FloatTensor};

#[derive(ExtensionType)]
#[extension(backend = "B")]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

fn main() {}
