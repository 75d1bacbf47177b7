//! The type parameter says that it is a backend.

use opswitch::{ExtensionType, FloatTensor};

#[derive(ExtensionType)]
pub struct Camera<B> {
    pub position: FloatTensor<B>,
}

fn main() {}
