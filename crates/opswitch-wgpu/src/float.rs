//! The float ops.

use opswitch_core::{
    DType, Shape, Slice, backend_extension, check_same_type, check_type, movement_methods,
    ops::{Distribution, FloatOps},
};

use crate::{
    assign,
    device::{Wgpu, WgpuDevice},
    elementwise::{
        ABS, ACOS, ADD, ADD_SCALAR, ASIN, ATAN, ATAN2, CEIL, CLAMP, CLAMP_MAX, CLAMP_MIN, COS, COSH, DIV,
        DIV_SCALAR, EQ, EQ_SCALAR, ERF, EXP, EXP_M1, FLOOR, Function, GE, GE_SCALAR, GELU, GT, GT_SCALAR,
        IS_FINITE, IS_INF, IS_NAN, LE, LE_SCALAR, LEAKY_RELU, LN, LN_1P, LOG_SIGMOID, LT, LT_SCALAR, MAXIMUM,
        MINIMUM, MUL, MUL_SCALAR, NE, NE_SCALAR, NEG, POWF, POWF_SCALAR, POWI_SCALAR, RECIP, RELU,
        RELU_BACKWARD, REM, REM_SCALAR, ROUND, RSQRT, SIGMOID, SIGN, SILU, SIN, SINH, SOFTPLUS, SQRT, SQUARE,
        SUB, SUB_SCALAR, TAN, TANH, TRUNC, binary, cast, float_bits, full, mask_fill, mask_where, unary,
    },
    index, matmul, random,
    reduce::{self, Extreme},
    tensor::WgpuTensor,
};

/// Methods of one float tensor and some scalars, which go to the kernel as an `f32` unless another form is given.
macro_rules! unary_methods {
    ($($name:ident($($scalar:ident: $ty:ty $(as $bits:expr)?),*) => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: WgpuTensor $(, $scalar: $ty)*) -> WgpuTensor {
            check_float(stringify!($name), x.element_type());
            let scalars = scalars([$(unary_methods!(@bits $scalar $(, $bits)?)),*]);
            unary(stringify!($name), &$function, &x, x.element_type(), scalars)
        }
    )*};
    (@bits $scalar:ident) => { ($scalar as f32).to_bits() };
    (@bits $scalar:ident, $bits:expr) => { $bits };
}

macro_rules! binary_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: WgpuTensor, rhs: WgpuTensor) -> WgpuTensor {
            check_pair(stringify!($name), &lhs, &rhs);
            binary(stringify!($name), &$function, &lhs, &rhs, lhs.element_type(), 0)
        }
    )*};
}

macro_rules! comparison_methods {
    ($($name:ident => $function:ident, $name_scalar:ident => $function_scalar:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: WgpuTensor, rhs: WgpuTensor) -> WgpuTensor {
            check_pair(stringify!($name), &lhs, &rhs);
            binary(stringify!($name), &$function, &lhs, &rhs, DType::Bool, 0)
        }

        #[track_caller]
        fn $name_scalar(x: WgpuTensor, scalar: f64) -> WgpuTensor {
            compare_scalar(stringify!($name_scalar), &$function_scalar, &x, scalar)
        }
    )*};
}

macro_rules! predicate_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: WgpuTensor) -> WgpuTensor {
            check_float(stringify!($name), x.element_type());
            unary(stringify!($name), &$function, &x, DType::Bool, [0; 2])
        }
    )*};
}

#[backend_extension]
impl FloatOps for Wgpu {
    #[track_caller]
    fn float_zeros(shape: Shape, dtype: DType, device: &WgpuDevice) -> WgpuTensor {
        check_float("float_zeros", dtype);
        full("float_zeros", shape, 0, dtype, *device)
    }

    #[track_caller]
    fn float_ones(shape: Shape, dtype: DType, device: &WgpuDevice) -> WgpuTensor {
        check_float("float_ones", dtype);
        full("float_ones", shape, float_bits(1.0, dtype), dtype, *device)
    }

    #[track_caller]
    fn float_full(shape: Shape, value: f64, dtype: DType, device: &WgpuDevice) -> WgpuTensor {
        check_float("float_full", dtype);
        full("float_full", shape, float_bits(value, dtype), dtype, *device)
    }

    #[track_caller]
    fn float_random(
        shape: Shape,
        distribution: Distribution,
        dtype: DType,
        device: &WgpuDevice,
    ) -> WgpuTensor {
        check_float("float_random", dtype);
        random::random("float_random", shape, distribution, dtype, *device)
    }

    fn float_seed(seed: u64, device: &WgpuDevice) {
        random::seed(seed, *device);
    }

    movement_methods! {
        WgpuTensor: float_reshape, float_permute, float_swap_dims, float_expand, float_flip, float_slice, float_unfold
    }

    #[track_caller]
    fn float_cat(tensors: Vec<WgpuTensor>, dim: usize) -> WgpuTensor {
        assign::cat("float_cat", &tensors, dim)
    }

    #[track_caller]
    fn float_slice_assign(x: WgpuTensor, slices: &[Slice], value: WgpuTensor) -> WgpuTensor {
        check_float("float_slice_assign", x.element_type());
        assign::slice_assign("float_slice_assign", x, slices, &value)
    }

    #[track_caller]
    fn float_cast(x: WgpuTensor, dtype: DType) -> WgpuTensor {
        check_float("float_cast", x.element_type());
        check_float("float_cast", dtype);
        cast("float_cast", x, dtype)
    }

    #[track_caller]
    fn float_into_int(x: WgpuTensor, dtype: DType) -> WgpuTensor {
        check_float("float_into_int", x.element_type());
        check_type("float_into_int", "an integer type", dtype, DType::is_int);
        cast("float_into_int", x, dtype)
    }

    #[track_caller]
    fn float_into_bool(x: WgpuTensor) -> WgpuTensor {
        check_float("float_into_bool", x.element_type());
        cast("float_into_bool", x, DType::Bool)
    }

    unary_methods! {
        float_neg() => NEG;
        float_abs() => ABS;
        float_sign() => SIGN;
        float_exp() => EXP;
        float_exp_m1() => EXP_M1;
        float_ln() => LN;
        float_ln_1p() => LN_1P;
        float_sqrt() => SQRT;
        float_rsqrt() => RSQRT;
        float_recip() => RECIP;
        float_square() => SQUARE;
        float_sin() => SIN;
        float_cos() => COS;
        float_tan() => TAN;
        float_asin() => ASIN;
        float_acos() => ACOS;
        float_atan() => ATAN;
        float_sinh() => SINH;
        float_cosh() => COSH;
        float_tanh() => TANH;
        float_erf() => ERF;
        float_floor() => FLOOR;
        float_ceil() => CEIL;
        float_round() => ROUND;
        float_trunc() => TRUNC;
        relu() => RELU;
        sigmoid() => SIGMOID;
        log_sigmoid() => LOG_SIGMOID;
        gelu() => GELU;
        silu() => SILU;
        softplus(beta: f64) => SOFTPLUS;
        leaky_relu(negative_slope: f64) => LEAKY_RELU;
        float_add_scalar(scalar: f64) => ADD_SCALAR;
        float_sub_scalar(scalar: f64) => SUB_SCALAR;
        float_mul_scalar(scalar: f64) => MUL_SCALAR;
        float_div_scalar(scalar: f64) => DIV_SCALAR;
        float_rem_scalar(scalar: f64) => REM_SCALAR;
        float_powf_scalar(scalar: f64) => POWF_SCALAR;
        float_powi_scalar(scalar: i32 as scalar as u32) => POWI_SCALAR;
        float_clamp(min: f64, max: f64) => CLAMP;
        float_clamp_min(min: f64) => CLAMP_MIN;
        float_clamp_max(max: f64) => CLAMP_MAX;
    }

    binary_methods! {
        relu_backward => RELU_BACKWARD;
        float_add => ADD;
        float_sub => SUB;
        float_mul => MUL;
        float_div => DIV;
        float_rem => REM;
        float_powf => POWF;
        float_atan2 => ATAN2;
        float_minimum => MINIMUM;
        float_maximum => MAXIMUM;
    }

    comparison_methods! {
        float_eq => EQ, float_eq_scalar => EQ_SCALAR;
        float_ne => NE, float_ne_scalar => NE_SCALAR;
        float_lt => LT, float_lt_scalar => LT_SCALAR;
        float_le => LE, float_le_scalar => LE_SCALAR;
        float_gt => GT, float_gt_scalar => GT_SCALAR;
        float_ge => GE, float_ge_scalar => GE_SCALAR;
    }

    predicate_methods! {
        float_is_nan => IS_NAN;
        float_is_inf => IS_INF;
        float_is_finite => IS_FINITE;
    }

    #[track_caller]
    fn float_sum(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_float("float_sum", x.element_type());
        reduce::sum("float_sum", &x, dims, keep_dims)
    }

    #[track_caller]
    fn float_prod(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_float("float_prod", x.element_type());
        reduce::product("float_prod", &x, dims, keep_dims)
    }

    #[track_caller]
    fn float_mean(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_float("float_mean", x.element_type());
        reduce::mean("float_mean", &x, dims, keep_dims)
    }

    #[track_caller]
    fn float_max(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_float("float_max", x.element_type());
        reduce::extreme("float_max", Extreme::Greatest, &x, dims, keep_dims)
    }

    #[track_caller]
    fn float_min(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_float("float_min", x.element_type());
        reduce::extreme("float_min", Extreme::Least, &x, dims, keep_dims)
    }

    #[track_caller]
    fn float_max_dim(x: WgpuTensor, dim: usize, keep_dims: bool) -> (WgpuTensor, WgpuTensor) {
        check_float("float_max_dim", x.element_type());
        reduce::reduce_with_index("float_max_dim", Extreme::Greatest, &x, dim, keep_dims)
    }

    #[track_caller]
    fn float_argmax(x: WgpuTensor, dim: usize, keep_dims: bool) -> WgpuTensor {
        check_float("float_argmax", x.element_type());
        reduce::arg_reduce("float_argmax", Extreme::Greatest, &x, dim, keep_dims)
    }

    #[track_caller]
    fn float_min_dim(x: WgpuTensor, dim: usize, keep_dims: bool) -> (WgpuTensor, WgpuTensor) {
        check_float("float_min_dim", x.element_type());
        reduce::reduce_with_index("float_min_dim", Extreme::Least, &x, dim, keep_dims)
    }

    #[track_caller]
    fn float_argmin(x: WgpuTensor, dim: usize, keep_dims: bool) -> WgpuTensor {
        check_float("float_argmin", x.element_type());
        reduce::arg_reduce("float_argmin", Extreme::Least, &x, dim, keep_dims)
    }

    #[track_caller]
    fn float_cumsum(x: WgpuTensor, dim: usize) -> WgpuTensor {
        check_float("float_cumsum", x.element_type());
        reduce::cumsum("float_cumsum", &x, dim)
    }

    #[track_caller]
    fn float_cumprod(x: WgpuTensor, dim: usize) -> WgpuTensor {
        check_float("float_cumprod", x.element_type());
        reduce::cumprod("float_cumprod", &x, dim)
    }

    #[track_caller]
    fn float_argsort(x: WgpuTensor, dim: usize, descending: bool) -> WgpuTensor {
        check_float("float_argsort", x.element_type());
        reduce::argsort("float_argsort", &x, dim, descending)
    }

    #[track_caller]
    fn float_log_sum_exp(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_float("float_log_sum_exp", x.element_type());
        reduce::log_sum_exp("float_log_sum_exp", &x, dims, keep_dims)
    }

    #[track_caller]
    fn float_matmul(lhs: WgpuTensor, rhs: WgpuTensor) -> WgpuTensor {
        check_pair("float_matmul", &lhs, &rhs);
        matmul::matmul("float_matmul", &lhs, &rhs)
    }

    #[track_caller]
    fn float_gather(x: WgpuTensor, dim: usize, index: WgpuTensor) -> WgpuTensor {
        check_float("float_gather", x.element_type());
        index::gather("float_gather", &x, dim, &index)
    }

    #[track_caller]
    fn float_scatter_add(x: WgpuTensor, dim: usize, index: WgpuTensor, src: WgpuTensor) -> WgpuTensor {
        check_float("float_scatter_add", x.element_type());
        index::scatter_add("float_scatter_add", x, dim, &index, &src)
    }

    #[track_caller]
    fn float_select(x: WgpuTensor, dim: usize, index: WgpuTensor) -> WgpuTensor {
        check_float("float_select", x.element_type());
        index::select("float_select", &x, dim, &index)
    }

    #[track_caller]
    fn float_select_add(x: WgpuTensor, dim: usize, index: WgpuTensor, src: WgpuTensor) -> WgpuTensor {
        check_float("float_select_add", x.element_type());
        index::select_add("float_select_add", x, dim, &index, &src)
    }

    #[track_caller]
    fn float_mask_where(x: WgpuTensor, mask: WgpuTensor, value: WgpuTensor) -> WgpuTensor {
        check_float("float_mask_where", x.element_type());
        mask_where("float_mask_where", &x, &mask, &value)
    }

    #[track_caller]
    fn float_mask_fill(x: WgpuTensor, mask: WgpuTensor, value: f64) -> WgpuTensor {
        check_float("float_mask_fill", x.element_type());
        let value = rounded(value, x.element_type());
        mask_fill("float_mask_fill", &x, &mask, value.to_bits())
    }

    #[track_caller]
    fn float_one_hot(index: WgpuTensor, num_classes: usize, dtype: DType) -> WgpuTensor {
        check_float("float_one_hot", dtype);
        index::one_hot("float_one_hot", &index, num_classes, dtype)
    }
}

#[track_caller]
pub(crate) fn check_float(op: &'static str, dtype: DType) {
    check_type(op, "a float type", dtype, DType::is_float);
}

#[track_caller]
fn check_pair(op: &'static str, lhs: &WgpuTensor, rhs: &WgpuTensor) {
    check_same_type(op, lhs, rhs);
    check_float(op, lhs.element_type());
}

#[track_caller]
fn compare_scalar(op: &'static str, function: &'static Function, x: &WgpuTensor, scalar: f64) -> WgpuTensor {
    check_float(op, x.element_type());
    let scalar = rounded(scalar, x.element_type());
    unary(op, function, x, DType::Bool, [scalar.to_bits(), 0])
}

/// A scalar rounded to an element type, in the type in which it is computed.
fn rounded(scalar: f64, dtype: DType) -> f32 {
    match dtype {
        DType::F16 => opswitch_core::half::f16::from_f64(scalar).to_f32(),
        _ => scalar as f32,
    }
}

/// The scalars of a kernel, which has room for two.
fn scalars<const N: usize>(given: [u32; N]) -> [u32; 2] {
    let mut scalars = [0; 2];
    scalars[..N].copy_from_slice(&given);
    scalars
}
