//! A type of tensors derives `ExtensionType`, inside a container too.

use opswitch::{Backend, FloatTensor, backend_extension};
use opswitch_cpu::Cpu;

pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

#[backend_extension(Cpu)]
pub trait CameraOps: Backend {
    fn project(points: FloatTensor<Self>, camera: Option<Camera<Self>>) -> FloatTensor<Self>;
}

impl CameraOps for Cpu {
    fn project(points: FloatTensor<Self>, _: Option<Camera<Self>>) -> FloatTensor<Self> {
        points
    }
}

fn main() {}
