use opswitch::{
    OrRaise, PlainBackend, Slice,
    ops::{BoolOps, CollectiveOps, Distribution, FloatOps, IntOps, NnOps},
};

/// An argument or a result of an op, as the CPU has it.
trait Forward {
    type OnCpu;

    fn forward(self) -> Self::OnCpu;

    /// The device, where the value has one.
    fn place(&self) -> Option<NpuDevice> {
        None
    }
}

impl Forward for NpuTensor {
    type OnCpu = CpuTensor;

    fn forward(self) -> CpuTensor {
        self.buffer
    }

    fn place(&self) -> Option<NpuDevice> {
        Some(self.device)
    }
}

impl Forward for Vec<NpuTensor> {
    type OnCpu = Vec<CpuTensor>;

    fn forward(self) -> Vec<CpuTensor> {
        self.into_iter().map(Forward::forward).collect()
    }

    fn place(&self) -> Option<NpuDevice> {
        self.first().map(|tensor| tensor.device)
    }
}

impl Forward for &NpuDevice {
    type OnCpu = &'static CpuDevice;

    fn forward(self) -> &'static CpuDevice {
        &CpuDevice
    }

    fn place(&self) -> Option<NpuDevice> {
        Some(**self)
    }
}

macro_rules! as_it_is {
    ($($ty:ty),*) => {$(
        impl Forward for $ty {
            type OnCpu = Self;

            fn forward(self) -> Self {
                self
            }
        }
    )*};
}

as_it_is!(bool, f64, i32, i64, u64, usize, &[usize], &[Slice], DType, Distribution, Shape);

/// What the CPU gave, on a device of this backend.
trait Back<T> {
    fn back(self, device: NpuDevice) -> T;
}

impl Back<NpuTensor> for CpuTensor {
    fn back(self, device: NpuDevice) -> NpuTensor {
        NpuTensor { buffer: self, device }
    }
}

impl Back<(NpuTensor, NpuTensor)> for (CpuTensor, CpuTensor) {
    fn back(self, device: NpuDevice) -> (NpuTensor, NpuTensor) {
        (self.0.back(device), self.1.back(device))
    }
}

impl Back<()> for () {
    fn back(self, _: NpuDevice) {}
}

/// `[float_add float_sub](lhs: T, rhs: T) -> T;` is two kernels of one signature; in braces stand the kernels that are written
/// here.
macro_rules! forward {
    ($family:ident { $($kernel:item)* } $([$($op:ident)*] $args:tt -> $output:ty;)*) => {
        impl $family for Npu {
            $($kernel)*
            $($(kernel!($op $args -> $output);)*)*
        }
    };
}

macro_rules! kernel {
    ($op:ident ($($arg:ident: $ty:ty),*) -> $output:ty) => {
        #[track_caller]
        fn $op($($arg: $ty),*) -> $output {
            let places = [$($arg.place()),*];
            let device = places.into_iter().flatten().next().unwrap_or_default();
            <Cpu>::$op($($arg.forward()),*).back(device)
        }
    };
}

type T = NpuTensor;
type D = NpuDevice;

forward! { BoolOps {}
    [bool_full](shape: Shape, value: bool, device: &D) -> T;
    [bool_reshape bool_expand](x: T, shape: Shape) -> T;
    [bool_permute](x: T, axes: &[usize]) -> T;
    [bool_swap_dims](x: T, dim1: usize, dim2: usize) -> T;
    [bool_flip](x: T, dims: &[usize]) -> T;
    [bool_slice](x: T, slices: &[Slice]) -> T;
    [bool_unfold](x: T, dim: usize, size: usize, step: usize) -> T;
    [bool_slice_assign](x: T, slices: &[Slice], value: T) -> T;
    [bool_cat](tensors: Vec<T>, dim: usize) -> T;
    [bool_into_int bool_into_float](x: T, dtype: DType) -> T;
    [bool_not](x: T) -> T;
    [bool_and bool_or bool_xor bool_eq](lhs: T, rhs: T) -> T;
    [bool_any bool_all](x: T, dims: &[usize], keep_dims: bool) -> T;
    [bool_gather bool_select](x: T, dim: usize, index: T) -> T;
    [bool_mask_where](x: T, mask: T, value: T) -> T;
    [bool_mask_fill](x: T, mask: T, value: bool) -> T;
}

forward! { IntOps {}
    [int_zeros int_ones](shape: Shape, dtype: DType, device: &D) -> T;
    [int_full](shape: Shape, value: i64, dtype: DType, device: &D) -> T;
    [int_arange](start: i64, end: i64, step: i64, dtype: DType, device: &D) -> T;
    [int_reshape int_expand](x: T, shape: Shape) -> T;
    [int_permute](x: T, axes: &[usize]) -> T;
    [int_swap_dims](x: T, dim1: usize, dim2: usize) -> T;
    [int_flip](x: T, dims: &[usize]) -> T;
    [int_slice](x: T, slices: &[Slice]) -> T;
    [int_unfold](x: T, dim: usize, size: usize, step: usize) -> T;
    [int_slice_assign](x: T, slices: &[Slice], value: T) -> T;
    [int_cat](tensors: Vec<T>, dim: usize) -> T;
    [int_cast int_into_float](x: T, dtype: DType) -> T;
    [int_into_bool int_neg int_abs int_sign int_bitwise_not](x: T) -> T;
    [int_add int_sub int_mul int_div int_rem](lhs: T, rhs: T) -> T;
    [
        int_bitwise_and int_bitwise_or int_bitwise_xor int_shift_left int_shift_right
    ](lhs: T, rhs: T) -> T;
    [
        int_bitwise_and_scalar int_bitwise_or_scalar int_bitwise_xor_scalar int_shift_left_scalar int_shift_right_scalar
    ](x: T, scalar: i64) -> T;
    [int_add_scalar int_sub_scalar int_mul_scalar int_div_scalar int_rem_scalar](x: T, scalar: i64) -> T;
    [int_eq int_ne int_lt int_le int_gt int_ge](lhs: T, rhs: T) -> T;
    [int_eq_scalar int_ne_scalar int_lt_scalar int_le_scalar int_gt_scalar int_ge_scalar](x: T, scalar: i64) -> T;
    [int_sum int_prod int_max int_min](x: T, dims: &[usize], keep_dims: bool) -> T;
    [int_cumsum](x: T, dim: usize) -> T;
    [int_argmax int_argmin](x: T, dim: usize, keep_dims: bool) -> T;
    [int_gather int_select](x: T, dim: usize, index: T) -> T;
    [int_scatter_add int_select_add](x: T, dim: usize, index: T, src: T) -> T;
    [int_mask_where](x: T, mask: T, value: T) -> T;
    [int_mask_fill](x: T, mask: T, value: i64) -> T;
    [int_one_hot](index: T, num_classes: usize, dtype: DType) -> T;
}

forward! {
    FloatOps {
        /// The first kernel of this backend's own.
        fn relu(x: NpuTensor) -> NpuTensor {
            let (shape, buffer) = (x.shape(), x.buffer.contiguous());
            let Some(values) = buffer.as_slice::<f32>() else {
                return Cpu::relu(buffer).back(x.device);
            };
            let result: Vec<f32> = values.iter().map(|&x| if x < 0.0 { 0.0 } else { x }).collect();
            CpuTensor::from_data(TensorData::new(result, shape).or_raise()).back(x.device)
        }
    }
    [float_zeros float_ones](shape: Shape, dtype: DType, device: &D) -> T;
    [float_full](shape: Shape, value: f64, dtype: DType, device: &D) -> T;
    [float_random](shape: Shape, distribution: Distribution, dtype: DType, device: &D) -> T;
    [float_seed](seed: u64, device: &D) -> ();
    [float_reshape float_expand](x: T, shape: Shape) -> T;
    [float_permute](x: T, axes: &[usize]) -> T;
    [float_swap_dims](x: T, dim1: usize, dim2: usize) -> T;
    [float_flip](x: T, dims: &[usize]) -> T;
    [float_slice](x: T, slices: &[Slice]) -> T;
    [float_unfold](x: T, dim: usize, size: usize, step: usize) -> T;
    [float_slice_assign](x: T, slices: &[Slice], value: T) -> T;
    [float_cat](tensors: Vec<T>, dim: usize) -> T;
    [float_cast float_into_int](x: T, dtype: DType) -> T;
    [float_into_bool float_neg float_abs float_sign](x: T) -> T;
    [
        float_exp float_exp_m1 float_ln float_ln_1p float_sqrt float_rsqrt float_recip float_square
    ](x: T) -> T;
    [
        float_sin float_cos float_tan float_asin float_acos float_atan float_sinh float_cosh float_tanh
        float_erf
    ](x: T) -> T;
    [float_floor float_ceil float_round float_trunc](x: T) -> T;
    [sigmoid log_sigmoid gelu silu](x: T) -> T;
    [softplus](x: T, beta: f64) -> T;
    [leaky_relu](x: T, negative_slope: f64) -> T;
    [relu_backward](y: T, cotangent: T) -> T;
    [float_add float_sub float_mul float_div float_rem float_powf float_atan2](lhs: T, rhs: T) -> T;
    [float_minimum float_maximum float_matmul](lhs: T, rhs: T) -> T;
    [
        float_add_scalar float_sub_scalar float_mul_scalar float_div_scalar float_rem_scalar
    ](x: T, scalar: f64) -> T;
    [float_powf_scalar](x: T, scalar: f64) -> T;
    [float_powi_scalar](x: T, scalar: i32) -> T;
    [float_clamp_min](x: T, min: f64) -> T;
    [float_clamp_max](x: T, max: f64) -> T;
    [float_eq float_ne float_lt float_le float_gt float_ge](lhs: T, rhs: T) -> T;
    [
        float_eq_scalar float_ne_scalar float_lt_scalar float_le_scalar float_gt_scalar float_ge_scalar
    ](x: T, scalar: f64) -> T;
    [float_is_nan float_is_inf float_is_finite](x: T) -> T;
    [float_sum float_prod float_max float_min float_log_sum_exp](x: T, dims: &[usize], keep_dims: bool) -> T;
    [float_max_dim float_min_dim](x: T, dim: usize, keep_dims: bool) -> (T, T);
    [float_argmax float_argmin](x: T, dim: usize, keep_dims: bool) -> T;
    [float_cumsum float_cumprod](x: T, dim: usize) -> T;
    [float_argsort](x: T, dim: usize, descending: bool) -> T;
    [float_gather float_select](x: T, dim: usize, index: T) -> T;
    [float_scatter_add float_select_add](x: T, dim: usize, index: T, src: T) -> T;
    [float_mask_where](x: T, mask: T, value: T) -> T;
    [float_mask_fill](x: T, mask: T, value: f64) -> T;
    [float_one_hot](index: T, num_classes: usize, dtype: DType) -> T;
}

forward! { NnOps {}
    [softmax log_softmax](x: T, dim: usize) -> T;
}

impl CollectiveOps for Npu {}

impl PlainBackend for Npu {}
