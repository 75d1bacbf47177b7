//! A type of tensors derives `ExtensionType`.

use opswitch::{Autodiff, Backend, FloatTensor, PlainBackend, backend_extension};

pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
}

#[backend_extension(dispatch = opswitch::Dispatch)]
pub trait CameraOps: Backend {
    fn project(points: FloatTensor<Self>, camera: Camera<Self>) -> FloatTensor<Self>;
}

impl CameraOps for opswitch_cpu::Cpu {
    fn project(points: FloatTensor<Self>, _: Camera<Self>) -> FloatTensor<Self> {
        points
    }
}

impl<B: CameraOps + PlainBackend> CameraOps for Autodiff<B> {
    fn project(points: FloatTensor<Self>, _: Camera<Self>) -> FloatTensor<Self> {
        points
    }
}

fn main() {}
