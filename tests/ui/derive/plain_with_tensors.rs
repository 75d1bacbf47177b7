//! A type with tensors is not `plain`.

use opswitch::{Backend, ExtensionType, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

#[derive(ExtensionType)]
#[extension(plain)]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
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
