//! An op has one form for each combination of the conditions on its arguments.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    fn scale(
        x: FloatTensor<Self>,
        #[cfg(unix)] a: f64,
        #[cfg(windows)] b: f64,
        #[cfg(debug_assertions)] c: f64,
        #[cfg(target_pointer_width = "64")] d: f64,
        #[cfg(target_pointer_width = "32")] e: f64,
    ) -> FloatTensor<Self>;
}

fn main() {}
