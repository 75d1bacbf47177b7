//! Kernels that are those of the CPU.
//!
//! ```text
//! [float_add float_sub](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
//!     =>  fn float_add(lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor {
//!             let device = /* the first that an argument is on */;
//!             Cpu::float_add(lhs.to_cpu(), rhs.to_cpu()).on(device)
//!         }
//! ```

use opswitch_core::{DType, Shape, Slice, ops::Distribution};
use opswitch_cpu::{CpuDevice, CpuTensor};

use super::{NpuDevice, NpuTensor};

/// An argument of a kernel.
pub(super) trait ToCpu {
    /// What the kernel of the CPU takes for it.
    type OnCpu;

    fn to_cpu(self) -> Self::OnCpu;

    /// The device that it is on, if it is on one.
    fn place(&self) -> Option<NpuDevice> {
        None
    }
}

/// A result of a kernel of the CPU.
pub(super) trait FromCpu<T> {
    fn on(self, device: NpuDevice) -> T;
}

impl ToCpu for NpuTensor {
    type OnCpu = CpuTensor;

    fn to_cpu(self) -> CpuTensor {
        self.values
    }

    fn place(&self) -> Option<NpuDevice> {
        Some(self.device)
    }
}

impl ToCpu for Vec<NpuTensor> {
    type OnCpu = Vec<CpuTensor>;

    fn to_cpu(self) -> Vec<CpuTensor> {
        self.into_iter().map(NpuTensor::to_cpu).collect()
    }

    fn place(&self) -> Option<NpuDevice> {
        self.first().map(|tensor| tensor.device)
    }
}

impl ToCpu for &NpuDevice {
    type OnCpu = &'static CpuDevice;

    fn to_cpu(self) -> &'static CpuDevice {
        &CpuDevice
    }

    fn place(&self) -> Option<NpuDevice> {
        Some(**self)
    }
}

macro_rules! plain_arguments {
    ($($ty:ty),*) => {$(
        impl ToCpu for $ty {
            type OnCpu = Self;

            fn to_cpu(self) -> Self {
                self
            }
        }
    )*};
}

plain_arguments!(bool, f64, i32, i64, u64, usize, &[usize], &[Slice], DType, Distribution, Shape);

impl FromCpu<NpuTensor> for CpuTensor {
    fn on(self, device: NpuDevice) -> NpuTensor {
        NpuTensor::new(self, device)
    }
}

impl FromCpu<(NpuTensor, NpuTensor)> for (CpuTensor, CpuTensor) {
    fn on(self, device: NpuDevice) -> (NpuTensor, NpuTensor) {
        (self.0.on(device), self.1.on(device))
    }
}

impl FromCpu<()> for () {
    fn on(self, _: NpuDevice) {}
}

/// The implementation of an op family for `Npu`, of lines that give several ops one signature.
macro_rules! delegate {
    ($family:ident: $([$($op:ident)*] $args:tt -> $output:ty;)*) => {
        $crate::delegate::implement! { $family: $($($op $args -> $output;)*)* }
    };
}

/// The same, of one line an op.
macro_rules! implement {
    ($family:ident: $($op:ident ($($arg:ident: $ty:ty),*) -> $output:ty;)*) => {
        #[opswitch_core::backend_extension]
        impl opswitch_core::ops::$family for $crate::Npu {$(
            #[track_caller]
            fn $op($($arg: $ty),*) -> $output {
                use $crate::delegate::{FromCpu as _, ToCpu as _};

                let places = [$($arg.place()),*];
                let device = places.into_iter().flatten().next().unwrap_or_default();
                <opswitch_cpu::Cpu>::$op($($arg.to_cpu()),*).on(device)
            }
        )*}
    };
}

pub(super) use {delegate, implement};
