//! Gradients across backends.

use super::{backend::AutodiffDevice, tape::Tape, tensor::AutodiffTensor};
use crate::{
    backend::{Device, PlainBackend},
    error::DataError,
    kind::Float,
    routing::transfer,
};

/// Moves a float tensor to a device of another backend; its gradient comes back the same way.
///
/// # Errors
///
/// If a device fails, or the other backend has no tensors of this type.
pub fn transfer_tracked<From: PlainBackend, To: PlainBackend>(
    tensor: AutodiffTensor<From>,
    device: &AutodiffDevice<Device<To>>,
) -> Result<AutodiffTensor<To>, DataError> {
    let from = tensor.device();
    let mut tape = Tape::<From>::new("Backend::float_to_device");
    let tracked = tape.watch(&tensor);
    let edges = tracked.then(|| tape.edges(&tensor));
    let moved = transfer::<Float, From, To>(tensor.into_inner(), device.inner())?;
    let mut output = AutodiffTensor::constant(moved, device.checkpointing());
    if let Some(edges) = edges {
        Tape::<To>::new("Backend::float_to_device").record(&mut output, [edges], None, move |step| {
            let grad = transfer_tracked::<To, From>(step.grad()?, &from)?;
            step.give("tensor", Some(&grad))
        });
    }
    Ok(output)
}
