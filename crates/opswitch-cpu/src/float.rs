//! The float ops.

use opswitch_core::{
    DType, Element, OrRaise, Shape, Slice, backend_extension, check_same_type, check_type, movement_methods,
    ops::{Distribution, FloatOps},
};

use crate::{
    device::{Cpu, CpuDevice},
    element::{Float, Real, for_float},
    elementwise::{
        self, Binary, Comparison, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual, Predicate, Unary,
    },
    index, matmul, movement, parallel, random,
    reduce::{self, Extreme, Max, Min, Product, RunningProduct, RunningSum, Sum},
    tensor::CpuTensor,
};

/// Methods of one float tensor and some scalars: `name(x, scalars..) work => function of x`.
macro_rules! unary_methods {
    ($($name:ident($x:ident $(, $scalar:ident: $ty:ty)*) $work:expr => $body:expr;)*) => {$(
        #[track_caller]
        fn $name(x: CpuTensor $(, $scalar: $ty)*) -> CpuTensor {
            #[derive(Clone, Copy)]
            struct Op { $($scalar: $ty),* }

            impl Unary for Op {
                const WORK: usize = $work;

                #[inline]
                fn apply<R: Real>(self, $x: R) -> R {
                    let Self { $($scalar),* } = self;
                    $body
                }
            }

            elementwise::unary(stringify!($name), Op { $($scalar),* }, x)
        }
    )*};
}

/// Methods of two float tensors: `name(lhs, rhs) work => function of lhs and rhs`.
macro_rules! binary_methods {
    ($($name:ident($lhs:ident, $rhs:ident) $work:expr => $body:expr;)*) => {$(
        #[track_caller]
        fn $name(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
            #[derive(Clone, Copy)]
            struct Op;

            impl Binary for Op {
                const WORK: usize = $work;

                #[inline]
                fn apply<R: Real>(self, $lhs: R, $rhs: R) -> R {
                    $body
                }
            }

            elementwise::arithmetic(stringify!($name), Op, lhs, rhs)
        }
    )*};
}

macro_rules! comparison_methods {
    ($($name:ident, $name_scalar:ident => $comparison:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
            compare(stringify!($name), $comparison, &lhs, &rhs)
        }

        #[track_caller]
        fn $name_scalar(x: CpuTensor, scalar: f64) -> CpuTensor {
            compare_scalar(stringify!($name_scalar), $comparison, &x, scalar)
        }
    )*};
}

macro_rules! predicate_methods {
    ($($name:ident($x:ident) => $body:expr;)*) => {$(
        #[track_caller]
        fn $name(x: CpuTensor) -> CpuTensor {
            #[derive(Clone, Copy)]
            struct Op;

            impl Predicate for Op {
                #[inline]
                fn holds<R: Real>(self, $x: R) -> bool {
                    $body
                }
            }

            elementwise::test(stringify!($name), Op, &x)
        }
    )*};
}

const LIGHT: usize = 1;
const HEAVY: usize = parallel::HEAVY;

#[backend_extension]
impl FloatOps for Cpu {
    #[track_caller]
    fn float_zeros(shape: Shape, dtype: DType, _: &CpuDevice) -> CpuTensor {
        full("float_zeros", shape, 0.0, dtype)
    }

    #[track_caller]
    fn float_ones(shape: Shape, dtype: DType, _: &CpuDevice) -> CpuTensor {
        full("float_ones", shape, 1.0, dtype)
    }

    #[track_caller]
    fn float_full(shape: Shape, value: f64, dtype: DType, _: &CpuDevice) -> CpuTensor {
        full("float_full", shape, value, dtype)
    }

    #[track_caller]
    fn float_random(shape: Shape, distribution: Distribution, dtype: DType, _: &CpuDevice) -> CpuTensor {
        distribution.check("float_random").or_raise();
        for_float!("float_random", dtype, |E| {
            CpuTensor::new(random::sample::<E>(distribution, shape.num_elements()), shape)
        })
    }

    fn float_seed(seed: u64, _: &CpuDevice) {
        random::seed(seed);
    }

    movement_methods! {
        CpuTensor: float_reshape, float_permute, float_swap_dims, float_expand, float_flip, float_slice, float_unfold
    }

    #[track_caller]
    fn float_cat(tensors: Vec<CpuTensor>, dim: usize) -> CpuTensor {
        movement::cat("float_cat", tensors, dim)
    }

    #[track_caller]
    fn float_slice_assign(x: CpuTensor, slices: &[Slice], value: CpuTensor) -> CpuTensor {
        let op = "float_slice_assign";
        for_float!(op, x.element_type(), |E| movement::slice_assign::<E>(op, x, slices, &value))
    }

    #[track_caller]
    fn float_cast(x: CpuTensor, dtype: DType) -> CpuTensor {
        check_type("float_cast", "a float type", x.element_type(), DType::is_float);
        check_type("float_cast", "a float type", dtype, DType::is_float);
        elementwise::cast(x, dtype)
    }

    #[track_caller]
    fn float_into_int(x: CpuTensor, dtype: DType) -> CpuTensor {
        check_type("float_into_int", "a float type", x.element_type(), DType::is_float);
        check_type("float_into_int", "an integer type", dtype, DType::is_int);
        elementwise::cast(x, dtype)
    }

    #[track_caller]
    fn float_into_bool(x: CpuTensor) -> CpuTensor {
        check_type("float_into_bool", "a float type", x.element_type(), DType::is_float);
        elementwise::cast(x, DType::Bool)
    }

    unary_methods! {
        float_neg(x) LIGHT => -x;
        float_abs(x) LIGHT => x.abs();
        float_sign(x) LIGHT => if x > R::ZERO { R::ONE } else if x < R::ZERO { -R::ONE } else { x };
        float_exp(x) HEAVY => x.exp();
        float_exp_m1(x) HEAVY => x.exp_m1();
        float_ln(x) HEAVY => x.ln();
        float_ln_1p(x) HEAVY => x.ln_1p();
        float_sqrt(x) LIGHT => x.sqrt();
        float_rsqrt(x) LIGHT => R::ONE / x.sqrt();
        float_recip(x) LIGHT => R::ONE / x;
        float_square(x) LIGHT => x * x;
        float_sin(x) HEAVY => x.sin();
        float_cos(x) HEAVY => x.cos();
        float_tan(x) HEAVY => x.tan();
        float_asin(x) HEAVY => x.asin();
        float_acos(x) HEAVY => x.acos();
        float_atan(x) HEAVY => x.atan();
        float_sinh(x) HEAVY => x.sinh();
        float_cosh(x) HEAVY => x.cosh();
        float_tanh(x) HEAVY => x.tanh();
        float_erf(x) HEAVY => x.erf();
        float_floor(x) LIGHT => x.floor();
        float_ceil(x) LIGHT => x.ceil();
        float_round(x) LIGHT => x.round_ties_even();
        float_trunc(x) LIGHT => x.trunc();
        relu(x) LIGHT => x.at_least(R::ZERO);
        sigmoid(x) HEAVY => x.sigmoid();
        log_sigmoid(x) HEAVY => -(-x).softplus();
        gelu(x) HEAVY => x * x.normal_distribution();
        silu(x) HEAVY => x * x.sigmoid();
        softplus(x, beta: f64) HEAVY => (R::from_f64(beta) * x).softplus() / R::from_f64(beta);
        leaky_relu(x, negative_slope: f64) LIGHT => if x > R::ZERO { x } else { R::from_f64(negative_slope) * x };
        float_add_scalar(x, scalar: f64) LIGHT => x + R::from_f64(scalar);
        float_sub_scalar(x, scalar: f64) LIGHT => x - R::from_f64(scalar);
        float_mul_scalar(x, scalar: f64) LIGHT => x * R::from_f64(scalar);
        float_div_scalar(x, scalar: f64) LIGHT => x / R::from_f64(scalar);
        float_rem_scalar(x, scalar: f64) HEAVY => x.rem_floor(R::from_f64(scalar));
        float_powf_scalar(x, scalar: f64) HEAVY => x.powf(R::from_f64(scalar));
        float_powi_scalar(x, scalar: i32) HEAVY => x.powi(scalar);
        float_clamp(x, min: f64, max: f64) LIGHT => x.at_least(R::from_f64(min)).at_most(R::from_f64(max));
        float_clamp_min(x, min: f64) LIGHT => x.at_least(R::from_f64(min));
        float_clamp_max(x, max: f64) LIGHT => x.at_most(R::from_f64(max));
    }

    binary_methods! {
        relu_backward(y, cotangent) LIGHT => if y > R::ZERO { cotangent } else { R::ZERO };
        float_add(lhs, rhs) LIGHT => lhs + rhs;
        float_sub(lhs, rhs) LIGHT => lhs - rhs;
        float_mul(lhs, rhs) LIGHT => lhs * rhs;
        float_div(lhs, rhs) LIGHT => lhs / rhs;
        float_rem(lhs, rhs) HEAVY => lhs.rem_floor(rhs);
        float_powf(lhs, rhs) HEAVY => lhs.powf(rhs);
        float_atan2(lhs, rhs) HEAVY => lhs.atan2(rhs);
        float_minimum(lhs, rhs) LIGHT => lhs.least(rhs);
        float_maximum(lhs, rhs) LIGHT => lhs.greatest(rhs);
    }

    comparison_methods! {
        float_eq, float_eq_scalar => Equal;
        float_ne, float_ne_scalar => NotEqual;
        float_lt, float_lt_scalar => Less;
        float_le, float_le_scalar => LessEqual;
        float_gt, float_gt_scalar => Greater;
        float_ge, float_ge_scalar => GreaterEqual;
    }

    predicate_methods! {
        float_is_nan(x) => x.is_nan();
        float_is_inf(x) => x.is_infinite();
        float_is_finite(x) => !(x.is_nan() || x.is_infinite());
    }

    #[track_caller]
    fn float_sum(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "float_sum";
        for_float!(op, x.element_type(), |E| reduce::fold(op, Sum::<E>::NEW, x, dims, keep_dims, E::narrow))
    }

    #[track_caller]
    fn float_prod(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "float_prod";
        for_float!(op, x.element_type(), |E| {
            reduce::fold(op, Product::<E>::NEW, x, dims, keep_dims, E::narrow)
        })
    }

    // Dividing before the sum is narrowed keeps the mean of many halves from overflowing.
    #[track_caller]
    fn float_mean(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "float_mean";
        let shape = x.layout().shape();
        let count: usize = dims.iter().filter_map(|&dim| shape.get(dim)).product();
        for_float!(op, x.element_type(), |E| {
            let count = <E as Float>::Wide::from_f64(count as f64);
            reduce::fold(op, Sum::<E>::NEW, x, dims, keep_dims, |sum| E::narrow(sum / count))
        })
    }

    #[track_caller]
    fn float_max(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "float_max";
        for_float!(op, x.element_type(), |E| reduce::extreme(
            op,
            Max::<E>::NEW,
            x,
            dims,
            keep_dims,
            E::narrow
        ))
    }

    #[track_caller]
    fn float_min(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "float_min";
        for_float!(op, x.element_type(), |E| reduce::extreme(
            op,
            Min::<E>::NEW,
            x,
            dims,
            keep_dims,
            E::narrow
        ))
    }

    #[track_caller]
    fn float_max_dim(x: CpuTensor, dim: usize, keep_dims: bool) -> (CpuTensor, CpuTensor) {
        let op = "float_max_dim";
        for_float!(op, x.element_type(), |E| {
            reduce::reduce_with_index::<E>(op, Extreme::Greatest, x, dim, keep_dims)
        })
    }

    #[track_caller]
    fn float_argmax(x: CpuTensor, dim: usize, keep_dims: bool) -> CpuTensor {
        let op = "float_argmax";
        for_float!(op, x.element_type(), |E| reduce::arg_reduce::<E>(
            op,
            Extreme::Greatest,
            x,
            dim,
            keep_dims
        ))
    }

    #[track_caller]
    fn float_min_dim(x: CpuTensor, dim: usize, keep_dims: bool) -> (CpuTensor, CpuTensor) {
        let op = "float_min_dim";
        for_float!(op, x.element_type(), |E| {
            reduce::reduce_with_index::<E>(op, Extreme::Least, x, dim, keep_dims)
        })
    }

    #[track_caller]
    fn float_argmin(x: CpuTensor, dim: usize, keep_dims: bool) -> CpuTensor {
        let op = "float_argmin";
        for_float!(op, x.element_type(), |E| reduce::arg_reduce::<E>(op, Extreme::Least, x, dim, keep_dims))
    }

    #[track_caller]
    fn float_cumsum(x: CpuTensor, dim: usize) -> CpuTensor {
        let op = "float_cumsum";
        for_float!(op, x.element_type(), |E| reduce::scan(op, RunningSum::<E>::NEW, x, dim, E::from_f64))
    }

    #[track_caller]
    fn float_cumprod(x: CpuTensor, dim: usize) -> CpuTensor {
        let op = "float_cumprod";
        for_float!(op, x.element_type(), |E| reduce::scan(op, RunningProduct::<E>::NEW, x, dim, E::from_f64))
    }

    #[track_caller]
    fn float_argsort(x: CpuTensor, dim: usize, descending: bool) -> CpuTensor {
        let op = "float_argsort";
        for_float!(op, x.element_type(), |E| reduce::argsort::<E>(op, x, dim, descending))
    }

    #[track_caller]
    fn float_log_sum_exp(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "float_log_sum_exp";
        for_float!(op, x.element_type(), |E| reduce::log_sum_exp::<E>(op, x, dims, keep_dims))
    }

    #[track_caller]
    fn float_matmul(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
        matmul::matmul("float_matmul", lhs, rhs)
    }

    #[track_caller]
    fn float_gather(x: CpuTensor, dim: usize, index: CpuTensor) -> CpuTensor {
        let op = "float_gather";
        for_float!(op, x.element_type(), |E| index::gather::<E>(op, &x, dim, &index))
    }

    #[track_caller]
    fn float_scatter_add(x: CpuTensor, dim: usize, index: CpuTensor, src: CpuTensor) -> CpuTensor {
        let op = "float_scatter_add";
        for_float!(op, x.element_type(), |E| index::scatter_add::<E>(op, x, dim, &index, &src))
    }

    #[track_caller]
    fn float_select(x: CpuTensor, dim: usize, index: CpuTensor) -> CpuTensor {
        let op = "float_select";
        for_float!(op, x.element_type(), |E| index::select::<E>(op, &x, dim, &index))
    }

    #[track_caller]
    fn float_select_add(x: CpuTensor, dim: usize, index: CpuTensor, src: CpuTensor) -> CpuTensor {
        let op = "float_select_add";
        for_float!(op, x.element_type(), |E| index::select_add::<E>(op, x, dim, &index, &src))
    }

    #[track_caller]
    fn float_mask_where(x: CpuTensor, mask: CpuTensor, value: CpuTensor) -> CpuTensor {
        let op = "float_mask_where";
        for_float!(op, x.element_type(), |E| elementwise::mask_where::<E>(op, x, &mask, value))
    }

    #[track_caller]
    fn float_mask_fill(x: CpuTensor, mask: CpuTensor, value: f64) -> CpuTensor {
        let op = "float_mask_fill";
        for_float!(op, x.element_type(), |E| elementwise::mask_fill(op, x, &mask, E::from_f64(value)))
    }

    #[track_caller]
    fn float_one_hot(index: CpuTensor, num_classes: usize, dtype: DType) -> CpuTensor {
        for_float!("float_one_hot", dtype, |E| index::one_hot::<E>("float_one_hot", &index, num_classes))
    }
}

#[track_caller]
fn full(op: &'static str, shape: Shape, value: f64, dtype: DType) -> CpuTensor {
    for_float!(op, dtype, |E| CpuTensor::new(vec![E::from_f64(value); shape.num_elements()], shape))
}

#[track_caller]
fn compare(op: &'static str, comparison: impl Comparison, lhs: &CpuTensor, rhs: &CpuTensor) -> CpuTensor {
    check_same_type(op, lhs, rhs);
    for_float!(op, lhs.element_type(), |E| {
        elementwise::zip::<E, E, bool>(op, lhs, rhs, move |lhs, rhs| {
            comparison.holds(lhs.widen(), rhs.widen())
        })
    })
}

#[track_caller]
fn compare_scalar(op: &'static str, comparison: impl Comparison, x: &CpuTensor, scalar: f64) -> CpuTensor {
    for_float!(op, x.element_type(), |E| {
        let scalar = E::from_f64(scalar).widen();
        elementwise::map::<E, bool>(x, LIGHT, move |x| comparison.holds(x.widen(), scalar))
    })
}
