//! Which backend an op runs on.

use super::{DispatchBackend, DispatchDeviceHandle, Visit, Visitor, call::at, mixed_devices};
use crate::{
    autodiff::Checkpointing,
    backend::{Device, TensorHandle},
    error::{DispatchError, DispatchErrorKind},
    trace::Forms,
};

/// Looks at the arguments of an op: the backend and device are those of the first tensor, else of the first device, and
/// the autodiff implementation runs if any of them is one of autodiff.
pub struct Selection<D: DispatchBackend> {
    tensor: Option<Device<D>>,
    device: Option<Device<D>>,
    checkpointing: Option<Checkpointing>,
    /// A device that differs from the first, and the argument that it is in.
    mixed: Option<(Device<D>, &'static str)>,
    argument: &'static str,
    forms: Forms,
}

impl<D: DispatchBackend> Selection<D> {
    /// A selection that has seen nothing.
    #[inline]
    pub(super) fn start(forms: Forms) -> Self {
        Self { tensor: None, device: None, checkpointing: None, mixed: None, argument: "", forms }
    }

    /// Looks at one argument.
    #[inline]
    #[must_use]
    pub fn see(mut self, argument: &'static str, value: &(impl Visit<D> + ?Sized)) -> Self {
        self.argument = argument;
        value.visit(&mut self);
        self
    }

    /// The shapes of the tensors that it has seen.
    #[inline]
    pub(super) fn take_forms(&mut self) -> Forms {
        std::mem::take(&mut self.forms)
    }

    /// Where the op runs.
    ///
    /// # Errors
    ///
    /// If there was no tensor and no device, or the devices differ in whether they are autodiff devices.
    #[inline]
    pub(super) fn finish(self) -> Result<Device<D>, DispatchError> {
        if let (Some(expected), Some((found, argument))) = (&self.device, self.mixed) {
            return Err(at(mixed_devices(expected.clone(), found), argument));
        }
        let Some(device) = self.tensor.or(self.device) else {
            return Err(no_tensor());
        };
        match self.checkpointing {
            Some(checkpointing) if device.checkpointing().is_none() => {
                device.try_autodiff_with(checkpointing)
            }
            _ => Ok(device),
        }
    }
}

impl<D: DispatchBackend> Visitor<D> for Selection<D> {
    #[inline]
    fn tensor(&mut self, handle: &impl TensorHandle<Device = Device<D>>) {
        self.forms.add(handle);
        let device = handle.device();
        self.checkpointing = self.checkpointing.or(device.checkpointing());
        if self.tensor.is_none() {
            self.tensor = Some(device);
        }
    }

    #[inline]
    fn device(&mut self, device: &Device<D>) {
        let checkpointing = device.checkpointing();
        self.checkpointing = self.checkpointing.or(checkpointing);
        match &self.device {
            None => self.device = Some(device.clone()),
            Some(first) if first.checkpointing().is_some() != checkpointing.is_some() => {
                self.mixed = Some((device.clone(), self.argument));
            }
            Some(_) => {}
        }
    }
}

#[cold]
fn no_tensor() -> DispatchError {
    DispatchError::new(
        DispatchErrorKind::NoTensor,
        "give at least one tensor, or add an argument of type `Device<Self>` to the op",
    )
}
