//! Dispatches and traits that are visible in this crate alone, or in one module.

#![cfg(test)]

use opswitch::{DispatchDeviceHandle, FloatTensor, backend_extension, extend_dispatch, ops::FloatOps};

/// A dispatch and an op of the crate.
#[backend_extension(Npu = acme_npu::Npu, Cpu = opswitch_cpu::Cpu, Autodiff)]
pub(crate) struct Inside;

/// Ops of the crate, without a dispatch yet.
pub(crate) mod library {
    use super::{FloatOps, FloatTensor, backend_extension};

    #[backend_extension(backends = any)]
    pub(crate) trait HalfOps: FloatOps {
        #[backward { x => B::float_mul_scalar(grad, 0.5); }]
        fn half(x: FloatTensor<Self>) -> FloatTensor<Self> {
            Self::float_mul_scalar(x, 0.5)
        }
    }
}

pub(crate) use library::HalfOps;

extend_dispatch!(Inside: HalfOps, flash::FlashOps);

/// A dispatch, a trait, a type and a library trait that only this module can name.
mod hidden {
    use opswitch::{Backend, ExtensionType};

    use super::{FloatOps, FloatTensor, backend_extension, extend_dispatch};

    #[backend_extension(Npu = acme_npu::Npu)]
    struct Local;

    #[derive(Clone, ExtensionType)]
    struct Pair<B: Backend>(FloatTensor<B>, FloatTensor<B>);

    #[backend_extension(dispatch = Local)]
    trait PairOps: FloatOps {
        fn sum(pair: Pair<Self>) -> FloatTensor<Self>;
    }

    impl PairOps for acme_npu::Npu {
        fn sum(pair: Pair<Self>) -> FloatTensor<Self> {
            Self::float_add(pair.0, pair.1)
        }
    }

    #[backend_extension]
    trait SplitOps: FloatOps {
        fn split(x: FloatTensor<Self>) -> Pair<Self>;
    }

    impl SplitOps for acme_npu::Npu {
        fn split(x: FloatTensor<Self>) -> Pair<Self> {
            Pair(x.clone(), x)
        }
    }

    extend_dispatch!(Local: SplitOps);

    #[test]
    fn a_private_dispatch_with_a_private_trait() {
        for device in LocalDevice::enumerate() {
            let x = super::float::<Local>(&[1.0, 2.0], &device);
            assert_eq!(super::values::<Local>(Local::sum(Local::split(x))), [2.0, 4.0]);
        }
    }
}

fn float<D: opswitch::Backend>(values: &[f64], device: &D::Device) -> FloatTensor<D> {
    let data = opswitch::TensorData::new(values.to_vec(), [values.len()]).expect("a vector");
    D::float_from_data(data, device).expect("every backend has f64")
}

fn values<D: opswitch::Backend>(x: FloatTensor<D>) -> Vec<f64> {
    D::float_into_data_blocking(x).expect("no device fails").to_vec()
}

#[test]
fn a_dispatch_of_the_crate() {
    let devices = InsideDevice::enumerate();
    assert_eq!(
        devices.iter().map(DispatchDeviceHandle::backend_name).collect::<Vec<_>>(),
        ["npu", "npu", "cpu"]
    );
    for device in devices {
        for device in [device.autodiff(), device] {
            assert_eq!(values::<Inside>(Inside::half(float::<Inside>(&[1.0, 4.0], &device))), [0.5, 2.0]);
        }
    }
}
