//! The float ops.

use half::f16;
use opswitch_core::{
    DType, Shape, Slice, backend_extension, check_type, movement_methods,
    ops::{Distribution, FloatOps},
};

use crate::{
    assign,
    backend::Cube,
    create,
    device::CubeDevice,
    elementwise::{self, FloatComparison, FloatMap, FloatQuestion, FloatZip},
    index, matmul, random,
    reduce::{self, Extreme, Reduction},
    scatter,
    tensor::CubeTensor,
};

macro_rules! map_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: CubeTensor) -> CubeTensor {
            let dtype = float_type(stringify!($name), &x);
            elementwise::map::<f32, f32, _>(stringify!($name), FloatMap::$function, x, dtype)
        }
    )*};
}

macro_rules! question_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: CubeTensor) -> CubeTensor {
            float_type(stringify!($name), &x);
            elementwise::map::<f32, u32, _>(stringify!($name), FloatQuestion::$function, x, DType::Bool)
        }
    )*};
}

macro_rules! zip_methods {
    ($($name:ident($lhs:ident, $rhs:ident) => $function:ident;)*) => {$(
        #[track_caller]
        fn $name($lhs: CubeTensor, $rhs: CubeTensor) -> CubeTensor {
            let dtype = float_type(stringify!($name), &$lhs);
            elementwise::zip::<f32, f32, _>(stringify!($name), FloatZip::$function, $lhs, $rhs, dtype)
        }
    )*};
}

macro_rules! scalar_methods {
    ($($name:ident($scalar:ident) => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: CubeTensor, $scalar: f64) -> CubeTensor {
            let dtype = float_type(stringify!($name), &x);
            elementwise::zip_scalar::<f32, f32, _>(stringify!($name), FloatZip::$function, x, $scalar as f32, dtype)
        }
    )*};
}

macro_rules! comparison_methods {
    ($($name:ident, $name_scalar:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
            float_type(stringify!($name), &lhs);
            elementwise::zip::<f32, u32, _>(stringify!($name), FloatComparison::$function, lhs, rhs, DType::Bool)
        }

        #[track_caller]
        fn $name_scalar(x: CubeTensor, scalar: f64) -> CubeTensor {
            let op = stringify!($name_scalar);
            let scalar = rounded(scalar, float_type(op, &x));
            elementwise::zip_scalar::<f32, u32, _>(op, FloatComparison::$function, x, scalar, DType::Bool)
        }
    )*};
}

macro_rules! index_methods {
    ($($name:ident => $function:path;)*) => {$(
        #[track_caller]
        fn $name(x: CubeTensor, dim: usize, index: CubeTensor) -> CubeTensor {
            float_type(stringify!($name), &x);
            $function(stringify!($name), x, dim, index)
        }
    )*};
}

#[backend_extension]
impl FloatOps for Cube {
    #[track_caller]
    fn float_zeros(shape: Shape, dtype: DType, device: &CubeDevice) -> CubeTensor {
        full("float_zeros", shape, 0.0, dtype, *device)
    }

    #[track_caller]
    fn float_ones(shape: Shape, dtype: DType, device: &CubeDevice) -> CubeTensor {
        full("float_ones", shape, 1.0, dtype, *device)
    }

    #[track_caller]
    fn float_full(shape: Shape, value: f64, dtype: DType, device: &CubeDevice) -> CubeTensor {
        full("float_full", shape, value, dtype, *device)
    }

    #[track_caller]
    fn float_random(
        shape: Shape,
        distribution: Distribution,
        dtype: DType,
        device: &CubeDevice,
    ) -> CubeTensor {
        random::random("float_random", shape, distribution, dtype, *device)
    }

    fn float_seed(seed: u64, device: &CubeDevice) {
        random::seed(seed, *device);
    }

    movement_methods! {
        CubeTensor: float_reshape, float_permute, float_swap_dims, float_expand, float_flip, float_slice, float_unfold
    }

    #[track_caller]
    fn float_cat(tensors: Vec<CubeTensor>, dim: usize) -> CubeTensor {
        assign::cat("float_cat", tensors, dim)
    }

    #[track_caller]
    fn float_slice_assign(x: CubeTensor, slices: &[Slice], value: CubeTensor) -> CubeTensor {
        float_type("float_slice_assign", &x);
        assign::slice_assign("float_slice_assign", x, slices, value)
    }

    #[track_caller]
    fn float_cast(x: CubeTensor, dtype: DType) -> CubeTensor {
        float_type("float_cast", &x);
        check_type("float_cast", "a float type", dtype, DType::is_float);
        elementwise::cast("float_cast", x, dtype)
    }

    #[track_caller]
    fn float_into_int(x: CubeTensor, dtype: DType) -> CubeTensor {
        float_type("float_into_int", &x);
        check_type("float_into_int", "an integer type", dtype, DType::is_int);
        elementwise::cast("float_into_int", x, dtype)
    }

    #[track_caller]
    fn float_into_bool(x: CubeTensor) -> CubeTensor {
        float_type("float_into_bool", &x);
        elementwise::cast("float_into_bool", x, DType::Bool)
    }

    map_methods! {
        float_neg => Neg;
        float_abs => Abs;
        float_sign => Sign;
        float_exp => Exp;
        float_exp_m1 => ExpM1;
        float_ln => Ln;
        float_ln_1p => Ln1p;
        float_sqrt => Sqrt;
        float_rsqrt => Rsqrt;
        float_recip => Recip;
        float_square => Square;
        float_sin => Sin;
        float_cos => Cos;
        float_tan => Tan;
        float_asin => Asin;
        float_acos => Acos;
        float_atan => Atan;
        float_sinh => Sinh;
        float_cosh => Cosh;
        float_tanh => Tanh;
        float_erf => Erf;
        float_floor => Floor;
        float_ceil => Ceil;
        float_round => Round;
        float_trunc => Trunc;
        relu => Relu;
        sigmoid => Sigmoid;
        log_sigmoid => LogSigmoid;
        gelu => Gelu;
        silu => Silu;
    }

    question_methods! {
        float_is_nan => Nan;
        float_is_inf => Infinite;
        float_is_finite => Finite;
    }

    zip_methods! {
        relu_backward(y, cotangent) => ReluBackward;
        float_add(lhs, rhs) => Add;
        float_sub(lhs, rhs) => Sub;
        float_mul(lhs, rhs) => Mul;
        float_div(lhs, rhs) => Div;
        float_rem(lhs, rhs) => Rem;
        float_powf(lhs, rhs) => Powf;
        float_atan2(lhs, rhs) => Atan2;
        float_minimum(lhs, rhs) => Minimum;
        float_maximum(lhs, rhs) => Maximum;
    }

    scalar_methods! {
        softplus(beta) => Softplus;
        leaky_relu(negative_slope) => LeakyRelu;
        float_add_scalar(scalar) => Add;
        float_sub_scalar(scalar) => Sub;
        float_mul_scalar(scalar) => Mul;
        float_div_scalar(scalar) => Div;
        float_rem_scalar(scalar) => Rem;
        float_powf_scalar(scalar) => Powf;
        float_clamp_min(min) => AtLeast;
        float_clamp_max(max) => AtMost;
    }

    #[track_caller]
    fn float_powi_scalar(x: CubeTensor, scalar: i32) -> CubeTensor {
        let op = "float_powi_scalar";
        let dtype = float_type(op, &x);
        // Every exponent keeps its bits this way; as a number it would be rounded.
        let exponent = f32::from_bits(scalar as u32);
        elementwise::zip_scalar::<f32, f32, _>(op, FloatZip::Powi, x, exponent, dtype)
    }

    comparison_methods! {
        float_eq, float_eq_scalar => Equal;
        float_ne, float_ne_scalar => NotEqual;
        float_lt, float_lt_scalar => Less;
        float_le, float_le_scalar => LessEqual;
        float_gt, float_gt_scalar => Greater;
        float_ge, float_ge_scalar => GreaterEqual;
    }

    #[track_caller]
    fn float_sum(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        float_type("float_sum", &x);
        reduce::reduce("float_sum", Reduction::Sum, x, dims, keep_dims)
    }

    #[track_caller]
    fn float_prod(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        float_type("float_prod", &x);
        reduce::reduce("float_prod", Reduction::Product, x, dims, keep_dims)
    }

    // Dividing before the sum is narrowed keeps the mean of many halves from overflowing.
    #[track_caller]
    fn float_mean(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        let op = "float_mean";
        let dtype = float_type(op, &x);
        let shape = x.layout().shape();
        let count: usize = dims.iter().filter_map(|&dim| shape.get(dim)).product();
        let sum = reduce::reduce_into(op, Reduction::Sum, x, dims, keep_dims, DType::F32);
        elementwise::zip_scalar::<f32, f32, _>(op, FloatZip::Div, sum, count as f32, dtype)
    }

    #[track_caller]
    fn float_max(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        float_type("float_max", &x);
        reduce::extreme("float_max", Reduction::Max, x, dims, keep_dims)
    }

    #[track_caller]
    fn float_min(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        float_type("float_min", &x);
        reduce::extreme("float_min", Reduction::Min, x, dims, keep_dims)
    }

    #[track_caller]
    fn float_max_dim(x: CubeTensor, dim: usize, keep_dims: bool) -> (CubeTensor, CubeTensor) {
        float_type("float_max_dim", &x);
        reduce::reduce_with_index("float_max_dim", Extreme::Greatest, x, dim, keep_dims)
    }

    #[track_caller]
    fn float_argmax(x: CubeTensor, dim: usize, keep_dims: bool) -> CubeTensor {
        float_type("float_argmax", &x);
        reduce::arg_reduce("float_argmax", Extreme::Greatest, x, dim, keep_dims)
    }

    #[track_caller]
    fn float_min_dim(x: CubeTensor, dim: usize, keep_dims: bool) -> (CubeTensor, CubeTensor) {
        float_type("float_min_dim", &x);
        reduce::reduce_with_index("float_min_dim", Extreme::Least, x, dim, keep_dims)
    }

    #[track_caller]
    fn float_argmin(x: CubeTensor, dim: usize, keep_dims: bool) -> CubeTensor {
        float_type("float_argmin", &x);
        reduce::arg_reduce("float_argmin", Extreme::Least, x, dim, keep_dims)
    }

    #[track_caller]
    fn float_cumsum(x: CubeTensor, dim: usize) -> CubeTensor {
        float_type("float_cumsum", &x);
        reduce::scan("float_cumsum", Reduction::Sum, x, dim)
    }

    #[track_caller]
    fn float_cumprod(x: CubeTensor, dim: usize) -> CubeTensor {
        float_type("float_cumprod", &x);
        reduce::scan("float_cumprod", Reduction::Product, x, dim)
    }

    #[track_caller]
    fn float_argsort(x: CubeTensor, dim: usize, descending: bool) -> CubeTensor {
        float_type("float_argsort", &x);
        reduce::argsort("float_argsort", x, dim, descending)
    }

    #[track_caller]
    fn float_log_sum_exp(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        reduce::log_sum_exp("float_log_sum_exp", x, dims, keep_dims)
    }

    #[track_caller]
    fn float_matmul(lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
        matmul::matmul("float_matmul", lhs, rhs)
    }

    index_methods! {
        float_gather => index::gather;
        float_select => index::select;
    }

    #[track_caller]
    fn float_scatter_add(x: CubeTensor, dim: usize, index: CubeTensor, src: CubeTensor) -> CubeTensor {
        float_type("float_scatter_add", &x);
        scatter::scatter_add("float_scatter_add", x, dim, index, src)
    }

    #[track_caller]
    fn float_select_add(x: CubeTensor, dim: usize, index: CubeTensor, src: CubeTensor) -> CubeTensor {
        float_type("float_select_add", &x);
        scatter::select_add("float_select_add", x, dim, index, src)
    }

    #[track_caller]
    fn float_mask_where(x: CubeTensor, mask: CubeTensor, value: CubeTensor) -> CubeTensor {
        float_type("float_mask_where", &x);
        elementwise::mask_where("float_mask_where", x, mask, value)
    }

    #[track_caller]
    fn float_mask_fill(x: CubeTensor, mask: CubeTensor, value: f64) -> CubeTensor {
        float_type("float_mask_fill", &x);
        elementwise::mask_fill("float_mask_fill", x, mask, value as f32)
    }

    #[track_caller]
    fn float_one_hot(index: CubeTensor, num_classes: usize, dtype: DType) -> CubeTensor {
        check_type("float_one_hot", "a float type", dtype, DType::is_float);
        index::one_hot("float_one_hot", index, num_classes, dtype)
    }
}

/// The element type of `x`, which is checked to be one of floats.
#[track_caller]
fn float_type(op: &'static str, x: &CubeTensor) -> DType {
    check_type(op, "a float type", x.element_type(), DType::is_float);
    x.element_type()
}

/// The value as it compares with elements of this type: rounded to it.
fn rounded(value: f64, dtype: DType) -> f32 {
    if dtype == DType::F16 { f16::from_f64(value).to_f32() } else { value as f32 }
}

#[track_caller]
fn full(op: &'static str, shape: Shape, value: f64, dtype: DType, device: CubeDevice) -> CubeTensor {
    check_type(op, "a float type", dtype, DType::is_float);
    create::full(op, shape, rounded(value, dtype), dtype, device)
}
