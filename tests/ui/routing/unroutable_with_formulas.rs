//! A type of tensors derives `ExtensionType`, under autodiff too.

use opswitch::{Backend, FloatTensor, backend_extension};

pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

#[backend_extension]
pub trait CameraOps: Backend {
    #[backward { points => grad; }]
    fn project(points: FloatTensor<Self>, camera: Camera<Self>) -> FloatTensor<Self>;
}

fn main() {}
