//! The op families. Ops with a default body are left to it.

use opswitch_core::{DType, Shape, Slice, ops::Distribution};

use super::{NpuDevice, NpuTensor, delegate::delegate};

type Pair = (NpuTensor, NpuTensor);

delegate! { BoolOps:
    [bool_full](shape: Shape, value: bool, device: &NpuDevice) -> NpuTensor;
    [bool_reshape bool_expand](x: NpuTensor, shape: Shape) -> NpuTensor;
    [bool_permute](x: NpuTensor, axes: &[usize]) -> NpuTensor;
    [bool_swap_dims](x: NpuTensor, dim1: usize, dim2: usize) -> NpuTensor;
    [bool_flip](x: NpuTensor, dims: &[usize]) -> NpuTensor;
    [bool_slice](x: NpuTensor, slices: &[Slice]) -> NpuTensor;
    [bool_unfold](x: NpuTensor, dim: usize, size: usize, step: usize) -> NpuTensor;
    [bool_slice_assign](x: NpuTensor, slices: &[Slice], value: NpuTensor) -> NpuTensor;
    [bool_cat](tensors: Vec<NpuTensor>, dim: usize) -> NpuTensor;
    [bool_into_int bool_into_float](x: NpuTensor, dtype: DType) -> NpuTensor;
    [bool_not](x: NpuTensor) -> NpuTensor;
    [bool_and bool_or bool_xor bool_eq](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
    [bool_any bool_all](x: NpuTensor, dims: &[usize], keep_dims: bool) -> NpuTensor;
    [bool_gather bool_select](x: NpuTensor, dim: usize, index: NpuTensor) -> NpuTensor;
    [bool_mask_where](x: NpuTensor, mask: NpuTensor, value: NpuTensor) -> NpuTensor;
    [bool_mask_fill](x: NpuTensor, mask: NpuTensor, value: bool) -> NpuTensor;
}

delegate! { IntOps:
    [int_zeros int_ones](shape: Shape, dtype: DType, device: &NpuDevice) -> NpuTensor;
    [int_full](shape: Shape, value: i64, dtype: DType, device: &NpuDevice) -> NpuTensor;
    [int_arange](start: i64, end: i64, step: i64, dtype: DType, device: &NpuDevice) -> NpuTensor;
    [int_reshape int_expand](x: NpuTensor, shape: Shape) -> NpuTensor;
    [int_permute](x: NpuTensor, axes: &[usize]) -> NpuTensor;
    [int_swap_dims](x: NpuTensor, dim1: usize, dim2: usize) -> NpuTensor;
    [int_flip](x: NpuTensor, dims: &[usize]) -> NpuTensor;
    [int_slice](x: NpuTensor, slices: &[Slice]) -> NpuTensor;
    [int_unfold](x: NpuTensor, dim: usize, size: usize, step: usize) -> NpuTensor;
    [int_slice_assign](x: NpuTensor, slices: &[Slice], value: NpuTensor) -> NpuTensor;
    [int_cat](tensors: Vec<NpuTensor>, dim: usize) -> NpuTensor;
    [int_cast int_into_float](x: NpuTensor, dtype: DType) -> NpuTensor;
    [int_into_bool int_neg int_abs int_sign int_bitwise_not](x: NpuTensor) -> NpuTensor;
    [int_add int_sub int_mul int_div int_rem](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
    [
        int_bitwise_and int_bitwise_or int_bitwise_xor int_shift_left int_shift_right
    ](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
    [
        int_bitwise_and_scalar int_bitwise_or_scalar int_bitwise_xor_scalar int_shift_left_scalar int_shift_right_scalar
    ](x: NpuTensor, scalar: i64) -> NpuTensor;
    [
        int_add_scalar int_sub_scalar int_mul_scalar int_div_scalar int_rem_scalar
    ](x: NpuTensor, scalar: i64) -> NpuTensor;
    [int_eq int_ne int_lt int_le int_gt int_ge](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
    [
        int_eq_scalar int_ne_scalar int_lt_scalar int_le_scalar int_gt_scalar int_ge_scalar
    ](x: NpuTensor, scalar: i64) -> NpuTensor;
    [int_sum int_prod int_max int_min](x: NpuTensor, dims: &[usize], keep_dims: bool) -> NpuTensor;
    [int_cumsum](x: NpuTensor, dim: usize) -> NpuTensor;
    [int_argmax int_argmin](x: NpuTensor, dim: usize, keep_dims: bool) -> NpuTensor;
    [int_gather int_select](x: NpuTensor, dim: usize, index: NpuTensor) -> NpuTensor;
    [int_scatter_add int_select_add](x: NpuTensor, dim: usize, index: NpuTensor, src: NpuTensor) -> NpuTensor;
    [int_mask_where](x: NpuTensor, mask: NpuTensor, value: NpuTensor) -> NpuTensor;
    [int_mask_fill](x: NpuTensor, mask: NpuTensor, value: i64) -> NpuTensor;
    [int_one_hot](index: NpuTensor, num_classes: usize, dtype: DType) -> NpuTensor;
}

delegate! { FloatOps:
    [float_zeros float_ones](shape: Shape, dtype: DType, device: &NpuDevice) -> NpuTensor;
    [float_full](shape: Shape, value: f64, dtype: DType, device: &NpuDevice) -> NpuTensor;
    [float_random](shape: Shape, distribution: Distribution, dtype: DType, device: &NpuDevice) -> NpuTensor;
    [float_seed](seed: u64, device: &NpuDevice) -> ();
    [float_reshape float_expand](x: NpuTensor, shape: Shape) -> NpuTensor;
    [float_permute](x: NpuTensor, axes: &[usize]) -> NpuTensor;
    [float_swap_dims](x: NpuTensor, dim1: usize, dim2: usize) -> NpuTensor;
    [float_flip](x: NpuTensor, dims: &[usize]) -> NpuTensor;
    [float_slice](x: NpuTensor, slices: &[Slice]) -> NpuTensor;
    [float_unfold](x: NpuTensor, dim: usize, size: usize, step: usize) -> NpuTensor;
    [float_slice_assign](x: NpuTensor, slices: &[Slice], value: NpuTensor) -> NpuTensor;
    [float_cat](tensors: Vec<NpuTensor>, dim: usize) -> NpuTensor;
    [float_cast float_into_int](x: NpuTensor, dtype: DType) -> NpuTensor;
    [float_into_bool float_neg float_abs float_sign](x: NpuTensor) -> NpuTensor;
    [
        float_exp float_exp_m1 float_ln float_ln_1p float_sqrt float_rsqrt float_recip float_square
    ](x: NpuTensor) -> NpuTensor;
    [
        float_sin float_cos float_tan float_asin float_acos float_atan float_sinh float_cosh float_tanh
        float_erf
    ](x: NpuTensor) -> NpuTensor;
    [float_floor float_ceil float_round float_trunc](x: NpuTensor) -> NpuTensor;
    [relu sigmoid log_sigmoid gelu silu](x: NpuTensor) -> NpuTensor;
    [softplus](x: NpuTensor, beta: f64) -> NpuTensor;
    [leaky_relu](x: NpuTensor, negative_slope: f64) -> NpuTensor;
    [relu_backward](y: NpuTensor, cotangent: NpuTensor) -> NpuTensor;
    [
        float_add float_sub float_mul float_div float_rem float_powf float_atan2
    ](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
    [float_minimum float_maximum float_matmul](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
    [
        float_add_scalar float_sub_scalar float_mul_scalar float_div_scalar float_rem_scalar
    ](x: NpuTensor, scalar: f64) -> NpuTensor;
    [float_powf_scalar](x: NpuTensor, scalar: f64) -> NpuTensor;
    [float_powi_scalar](x: NpuTensor, scalar: i32) -> NpuTensor;
    [float_clamp_min](x: NpuTensor, min: f64) -> NpuTensor;
    [float_clamp_max](x: NpuTensor, max: f64) -> NpuTensor;
    [float_eq float_ne float_lt float_le float_gt float_ge](lhs: NpuTensor, rhs: NpuTensor) -> NpuTensor;
    [
        float_eq_scalar float_ne_scalar float_lt_scalar float_le_scalar float_gt_scalar float_ge_scalar
    ](x: NpuTensor, scalar: f64) -> NpuTensor;
    [float_is_nan float_is_inf float_is_finite](x: NpuTensor) -> NpuTensor;
    [
        float_sum float_prod float_max float_min float_log_sum_exp
    ](x: NpuTensor, dims: &[usize], keep_dims: bool) -> NpuTensor;
    [float_max_dim float_min_dim](x: NpuTensor, dim: usize, keep_dims: bool) -> Pair;
    [float_argmax float_argmin](x: NpuTensor, dim: usize, keep_dims: bool) -> NpuTensor;
    [float_cumsum float_cumprod](x: NpuTensor, dim: usize) -> NpuTensor;
    [float_argsort](x: NpuTensor, dim: usize, descending: bool) -> NpuTensor;
    [float_gather float_select](x: NpuTensor, dim: usize, index: NpuTensor) -> NpuTensor;
    [
        float_scatter_add float_select_add
    ](x: NpuTensor, dim: usize, index: NpuTensor, src: NpuTensor) -> NpuTensor;
    [float_mask_where](x: NpuTensor, mask: NpuTensor, value: NpuTensor) -> NpuTensor;
    [float_mask_fill](x: NpuTensor, mask: NpuTensor, value: f64) -> NpuTensor;
    [float_one_hot](index: NpuTensor, num_classes: usize, dtype: DType) -> NpuTensor;
}

delegate! { NnOps:
    [softmax log_softmax](x: NpuTensor, dim: usize) -> NpuTensor;
}
