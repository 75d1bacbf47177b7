//! A generic backend is listed under an alias.

use opswitch::backend_extension;

#[backend_extension(acme::Npu<f32>)]
pub struct Dispatch;

mod acme {
    pub struct Npu<T>(T);
}

fn main() {}
