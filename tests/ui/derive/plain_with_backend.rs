//! A type without tensors has no backend.

use opswitch::{Backend, ExtensionType};

#[derive(ExtensionType)]
#[extension(plain, backend = B)]
pub struct Padding<B: Backend> {
    pub amount: usize,
    pub marker: std::marker::PhantomData<B>,
}

fn main() {}
