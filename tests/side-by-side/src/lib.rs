//! An app with two dispatches side by side, which share a library of ops and exchange their tensors as data.
//!
//! Beside them: an op of its own on the dispatch of another app, and dispatches and traits that nobody else can name.

mod foreign;
mod private;

use flash::FlashOps;
use opswitch::{Backend, DataError, FloatTensor, TensorData, backend_extension, extend_dispatch};

pub use self::foreign::CountOps;

/// Where data is prepared.
#[backend_extension(Cpu = opswitch_cpu::Cpu)]
pub struct Host;

/// Where a model is trained.
#[backend_extension(Npu = acme_npu::Npu, Autodiff)]
pub struct Accelerator;

extend_dispatch!(Host: flash::FlashOps);
extend_dispatch!(Accelerator: flash::FlashOps);

/// The values, capped on a device of either dispatch.
///
/// # Errors
///
/// If the device fails.
pub fn capped<D: FlashOps>(values: TensorData, device: &D::Device) -> Result<TensorData, DataError> {
    D::float_into_data_blocking(D::cap(D::float_from_data(values, device)?, 1.0))
}

/// The tensor on a device of another dispatch.
///
/// # Errors
///
/// If one of the devices fails, or the other has no tensors of this element type.
pub fn moved<From: Backend, To: Backend>(
    tensor: FloatTensor<From>,
    device: &To::Device,
) -> Result<FloatTensor<To>, DataError> {
    To::float_from_data(From::float_into_data_blocking(tensor)?, device)
}

#[cfg(test)]
mod tests {
    use opswitch::{AutodiffOps, BackwardOptions, TensorHandle, ops::FloatOps};

    use super::{
        Accelerator, AcceleratorDevice, Backend, FlashOps, Host, HostDevice, TensorData, capped, moved,
    };

    fn data(values: &[f64]) -> TensorData {
        TensorData::new(values.to_vec(), [values.len()]).expect("a vector")
    }

    #[test]
    fn one_library_on_both() {
        let expected = [0.5f64.tanh(), -2f64.tanh()];
        for device in HostDevice::enumerate() {
            assert_eq!(
                capped::<Host>(data(&[0.5, -2.0]), &device).expect("no device fails").to_vec::<f64>(),
                expected
            );
        }
        for device in AcceleratorDevice::enumerate() {
            for device in [device.autodiff(), device] {
                let capped = capped::<Accelerator>(data(&[0.5, -2.0]), &device).expect("no device fails");
                assert_eq!(capped.to_vec::<f64>(), expected);
            }
        }
    }

    #[test]
    fn tensors_pass_as_data() {
        let (host, accelerator): (HostDevice, AcceleratorDevice) =
            ("cpu".parse().expect("it is listed"), "autodiff(npu:1)".parse().expect("it is listed"));
        let prepared = Host::float_square(Host::float_from_data(data(&[1.0, 2.0, 3.0]), &host).expect("f64"));
        let x = moved::<Host, Accelerator>(prepared, &accelerator).expect("no device fails");
        assert_eq!(x.device(), accelerator);
        let x = Accelerator::require_grad(x).expect("an autodiff device");
        let target = Accelerator::float_from_data(data(&[0.0, 4.0, 6.0]), &accelerator).expect("f64");
        let loss = Accelerator::squared_error(x.clone(), target);
        let gradients = Accelerator::backward(loss, None, BackwardOptions::default()).expect("it is tracked");
        let gradient = Accelerator::gradient(&x, &gradients).expect("it is tracked").expect("it is used");
        let gradient = moved::<Accelerator, Host>(gradient, &host).expect("no device fails");
        assert_eq!(gradient.device(), host);
        // 2 (x² - target) / n
        let expected = [2.0 / 3.0, 0.0, 2.0];
        assert_eq!(
            Host::float_into_data_blocking(gradient).expect("no device fails").to_vec::<f64>(),
            expected
        );
    }

    #[test]
    fn neither_has_the_devices_of_the_other() {
        assert!("npu".parse::<HostDevice>().is_err());
        assert!("cpu".parse::<AcceleratorDevice>().is_err());
        assert!("autodiff(cpu)".parse::<HostDevice>().is_err());
    }
}
