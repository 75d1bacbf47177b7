//! A field of tensors is routed itself.

use opswitch::{Backend, ExtensionType, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

pub struct Lens<B: Backend> {
    pub focus: FloatTensor<B>,
}

#[derive(ExtensionType)]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
    pub lens: Lens<B>,
}

#[backend_extension(Cpu)]
pub trait CameraOps: Backend {
    fn project(camera: Camera<Self>) -> FloatTensor<Self>;
}

impl CameraOps for Cpu {
    fn project(camera: Camera<Self>) -> FloatTensor<Self> {
        camera.position
    }
}

fn main() {}
