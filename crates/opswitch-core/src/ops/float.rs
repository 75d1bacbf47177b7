//! Floating-point ops.
//!
//! Every op keeps the element type of its inputs, which must agree. Binary ops broadcast as NumPy does. Gradients at
//! ties and edges are PyTorch's. Each backend has these as kernels; a default body is composed of other ops.

use opswitch_macros::backend_extension;

use super::{Distribution, Norm, PadMode, formulas};
use crate::{
    backend::{BoolTensor, Device, FloatTensor, IntTensor, TensorHandle},
    dtype::DType,
    layout::inverse,
    ops::{BoolOps, IntOps},
    shape::Shape,
    slice::Slice,
};

/// Creation, movement, arithmetic, comparison, reduction and indexing of float tensors.
///
/// # Panics
///
/// Every op panics with a [`ShapeError`](crate::ShapeError) text, at the caller's line, if shapes or dimensions do not fit, and with
/// a text that names both element types if they differ.
#[backend_extension(crate = crate)]
pub trait FloatOps: IntOps + BoolOps {
    /// A tensor of zeros.
    #[backward(none)]
    fn float_zeros(shape: Shape, dtype: DType, device: &Device<Self>) -> FloatTensor<Self>;

    /// A tensor of ones.
    #[backward(none)]
    fn float_ones(shape: Shape, dtype: DType, device: &Device<Self>) -> FloatTensor<Self>;

    /// A tensor in which every element is `value`, rounded to `dtype`.
    #[backward(none)]
    fn float_full(shape: Shape, value: f64, dtype: DType, device: &Device<Self>) -> FloatTensor<Self>;

    /// Random elements from the device's generator; see [`float_seed`](Self::float_seed).
    #[backward(none)]
    fn float_random(
        shape: Shape,
        distribution: Distribution,
        dtype: DType,
        device: &Device<Self>,
    ) -> FloatTensor<Self>;

    /// Starts the device's generator anew. The same seed gives the same sequence on the same backend.
    #[backward(none)]
    fn float_seed(seed: u64, device: &Device<Self>);

    // Movement.

    /// The same elements in row-major order under another shape.
    #[backward {
        x => B::float_reshape(grad, x.shape());
    }]
    fn float_reshape(x: FloatTensor<Self>, shape: Shape) -> FloatTensor<Self>;

    /// The dimensions in the order of `axes`.
    #[backward {
        x => B::float_permute(grad, &inverse(axes));
    }]
    fn float_permute(x: FloatTensor<Self>, axes: &[usize]) -> FloatTensor<Self>;

    /// The dimensions `dim1` and `dim2` exchanged.
    #[backward {
        x => B::float_swap_dims(grad, dim1, dim2);
    }]
    fn float_swap_dims(x: FloatTensor<Self>, dim1: usize, dim2: usize) -> FloatTensor<Self>;

    /// The last two dimensions exchanged; a tensor with fewer is left as it is.
    #[backward(default)]
    fn float_transpose(x: FloatTensor<Self>) -> FloatTensor<Self> {
        match x.shape().rank() {
            0 | 1 => x,
            rank => Self::float_swap_dims(x, rank - 2, rank - 1),
        }
    }

    /// Extents of 1, and new leading dimensions, repeated to `shape`.
    #[backward {
        x => B::float_sum_to(grad, x.shape());
    }]
    fn float_expand(x: FloatTensor<Self>, shape: Shape) -> FloatTensor<Self>;

    /// What [`float_expand`](Self::float_expand) repeated, summed back to `shape`.
    #[backward(default)]
    fn float_sum_to(x: FloatTensor<Self>, shape: Shape) -> FloatTensor<Self> {
        formulas::sum_to::<Self>(x, shape)
    }

    /// The order of the elements reversed along `dims`.
    #[backward {
        x => B::float_flip(grad, dims);
    }]
    fn float_flip(x: FloatTensor<Self>, dims: &[usize]) -> FloatTensor<Self>;

    /// The elements that `slices` take, one slice a dimension; dimensions beyond the last slice are taken whole.
    #[backward {
        x => B::float_slice_assign(B::float_zeros(x.shape(), x.dtype(), &x.device()), slices, grad);
    }]
    fn float_slice(x: FloatTensor<Self>, slices: &[Slice]) -> FloatTensor<Self>;

    /// `x` with the elements that `slices` take replaced by `value`, which broadcasts to their shape.
    #[backward {
        x => B::float_slice_assign(grad, slices, B::float_zeros(value.shape(), value.dtype(), &value.device()));
        value => B::float_sum_to(B::float_slice(grad, slices), value.shape());
    }]
    fn float_slice_assign(
        x: FloatTensor<Self>,
        slices: &[Slice],
        value: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// The tensors joined along `dim`; they agree in every other dimension.
    #[backward {
        tensors => formulas::split::<B>(grad, &tensors.shapes(), dim);
    }]
    fn float_cat(tensors: Vec<FloatTensor<Self>>, dim: usize) -> FloatTensor<Self>;

    /// The tensor repeated, as often in each dimension as `times` says: `[1, 2]` becomes `[1, 2, 1, 2]`.
    #[backward(default)]
    fn float_repeat(x: FloatTensor<Self>, times: &[usize]) -> FloatTensor<Self> {
        let [split, expanded, merged] = formulas::repetition("float_repeat", &x.shape(), times);
        Self::float_reshape(Self::float_expand(Self::float_reshape(x, split), expanded), merged)
    }

    /// The tensor with as many elements before and after it, in each dimension, as `pads` says.
    ///
    /// # Panics
    ///
    /// Also if a dimension without elements is padded with its own, or is reflected beyond its extent.
    #[backward(default)]
    fn float_pad(x: FloatTensor<Self>, pads: &[(usize, usize)], mode: PadMode<f64>) -> FloatTensor<Self> {
        let (shape, device) = (x.shape(), x.device());
        if let PadMode::Constant(value) = mode {
            let (framed, inside) = formulas::frame("float_pad", &shape, pads);
            return Self::float_slice_assign(Self::float_full(framed, value, x.dtype(), &device), &inside, x);
        }
        let border = formulas::border::<Self, _>("float_pad", &shape, pads, mode, &device);
        // The gradient adds up what is repeated, once for each dimension.
        formulas::in_wide::<Self>(x, |x| {
            border.into_iter().fold(x, |x, (dim, index)| Self::float_select(x, dim, index))
        })
    }

    /// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension; `dim` counts them.
    #[backward {
        x => formulas::fold_windows::<B>(grad, x.shape(), dim, step);
    }]
    fn float_unfold(x: FloatTensor<Self>, dim: usize, size: usize, step: usize) -> FloatTensor<Self>;

    /// The elements converted to another float type, rounded to nearest even.
    #[backward {
        x => B::float_cast(grad, x.dtype());
    }]
    fn float_cast(x: FloatTensor<Self>, dtype: DType) -> FloatTensor<Self>;

    /// The elements converted to an integer type, rounded towards zero.
    #[backward(none)]
    fn float_into_int(x: FloatTensor<Self>, dtype: DType) -> IntTensor<Self>;

    /// `true` where an element is not 0.
    #[backward(none)]
    fn float_into_bool(x: FloatTensor<Self>) -> BoolTensor<Self>;

    // Elementwise.

    /// -x.
    #[op(memory_bound)]
    #[backward {
        x => B::float_neg(grad);
    }]
    fn float_neg(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// |x|. The derivative at 0 is 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_sign(x));
    }]
    fn float_abs(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// -1, 0 or 1; NaN for NaN. The derivative is 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_zeros(x.shape(), x.dtype(), &x.device());
    }]
    fn float_sign(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// e<sup>x</sup>.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, output);
    }]
    fn float_exp(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// e<sup>x</sup> - 1, exact near 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_add_scalar(output, 1.0));
    }]
    fn float_exp_m1(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The natural logarithm.
    #[op(memory_bound)]
    #[backward {
        x => B::float_div(grad, x);
    }]
    fn float_ln(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// ln(1 + x), exact near 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_div(grad, B::float_add_scalar(x, 1.0));
    }]
    fn float_ln_1p(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The square root.
    #[op(memory_bound)]
    #[backward {
        x => B::float_div(grad, B::float_mul_scalar(output, 2.0));
    }]
    fn float_sqrt(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// 1 / sqrt(x).
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_mul_scalar(B::float_powi_scalar(output, 3), -0.5));
    }]
    fn float_rsqrt(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// 1 / x.
    #[op(memory_bound)]
    #[backward {
        x => B::float_neg(B::float_mul(grad, B::float_square(output)));
    }]
    fn float_recip(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// x².
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_mul_scalar(x, 2.0));
    }]
    fn float_square(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The sine of x in radians.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_cos(x));
    }]
    fn float_sin(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The cosine of x in radians.
    #[op(memory_bound)]
    #[backward {
        x => B::float_neg(B::float_mul(grad, B::float_sin(x)));
    }]
    fn float_cos(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The tangent of x in radians.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_add_scalar(B::float_square(output), 1.0));
    }]
    fn float_tan(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The arc sine.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_rsqrt(formulas::one_minus_square::<B>(x)));
    }]
    fn float_asin(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The arc cosine.
    #[op(memory_bound)]
    #[backward {
        x => B::float_neg(B::float_mul(grad, B::float_rsqrt(formulas::one_minus_square::<B>(x))));
    }]
    fn float_acos(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The arc tangent.
    #[op(memory_bound)]
    #[backward {
        x => B::float_div(grad, B::float_add_scalar(B::float_square(x), 1.0));
    }]
    fn float_atan(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The hyperbolic sine.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_cosh(x));
    }]
    fn float_sinh(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The hyperbolic cosine.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_sinh(x));
    }]
    fn float_cosh(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The hyperbolic tangent.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, formulas::one_minus_square::<B>(output));
    }]
    fn float_tanh(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The error function, 2/sqrt(π) ∫₀ˣ exp(-t²) dt.
    #[op(memory_bound)]
    #[backward {
        x => formulas::erf_backward::<B>(x, grad);
    }]
    fn float_erf(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The largest integer not above x. The derivative is 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_zeros(x.shape(), x.dtype(), &x.device());
    }]
    fn float_floor(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The smallest integer not below x. The derivative is 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_zeros(x.shape(), x.dtype(), &x.device());
    }]
    fn float_ceil(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The nearest integer, ties to even. The derivative is 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_zeros(x.shape(), x.dtype(), &x.device());
    }]
    fn float_round(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// x without its fraction. The derivative is 0.
    #[op(memory_bound)]
    #[backward {
        x => B::float_zeros(x.shape(), x.dtype(), &x.device());
    }]
    fn float_trunc(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// max(x, 0). The derivative at 0 is 0.
    #[op(memory_bound)]
    #[backward {
        x => B::relu_backward(output, grad);
    }]
    fn relu(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// 1 / (1 + e<sup>-x</sup>).
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_mul(output.clone(), formulas::one_minus::<B>(output)));
    }]
    fn sigmoid(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// ln(sigmoid(x)), without overflow.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::sigmoid(B::float_neg(x)));
    }]
    fn log_sigmoid(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// x Φ(x), with the exact distribution function Φ of the normal distribution (Hendrycks and Gimpel 2016).
    #[op(memory_bound)]
    #[backward {
        x => formulas::gelu_backward::<B>(x, grad);
    }]
    fn gelu(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// x sigmoid(x).
    #[op(memory_bound)]
    #[backward {
        x => formulas::silu_backward::<B>(x, grad);
    }]
    fn silu(x: FloatTensor<Self>) -> FloatTensor<Self>;

    /// ln(1 + e<sup>beta x</sup>) / beta, without overflow.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::sigmoid(B::float_mul_scalar(x, beta)));
    }]
    fn softplus(x: FloatTensor<Self>, beta: f64) -> FloatTensor<Self>;

    /// x where it is positive, `negative_slope * x` elsewhere. The derivative at 0 is the slope.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mask_where(B::float_mul_scalar(grad.clone(), negative_slope), B::float_gt_scalar(x, 0.0), grad);
    }]
    fn leaky_relu(x: FloatTensor<Self>, negative_slope: f64) -> FloatTensor<Self>;

    /// The gradient of [`relu`](Self::relu): `cotangent` where the result `y` is positive, 0 elsewhere.
    #[op(memory_bound)]
    #[backward {
        y => B::float_zeros(y.shape(), y.dtype(), &y.device());
        cotangent => B::relu_backward(y, grad);
    }]
    fn relu_backward(y: FloatTensor<Self>, cotangent: FloatTensor<Self>) -> FloatTensor<Self>;

    /// lhs + rhs.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(grad, lhs.shape());
        rhs => B::float_sum_to(grad, rhs.shape());
    }]
    fn float_add(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// lhs - rhs.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(grad, lhs.shape());
        rhs => B::float_sum_to(B::float_neg(grad), rhs.shape());
    }]
    fn float_sub(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// lhs * rhs.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(B::float_mul(grad, rhs), lhs.shape());
        rhs => B::float_sum_to(B::float_mul(grad, lhs), rhs.shape());
    }]
    fn float_mul(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// lhs / rhs.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(B::float_div(grad, rhs), lhs.shape());
        rhs => B::float_sum_to(B::float_neg(B::float_mul(grad, B::float_div(output, rhs))), rhs.shape());
    }]
    fn float_div(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The remainder with the sign of `rhs`.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(grad, lhs.shape());
        rhs => B::float_sum_to(B::float_neg(B::float_mul(grad, B::float_floor(B::float_div(lhs, rhs)))), rhs.shape());
    }]
    fn float_rem(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// lhs to the power of rhs.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(formulas::powf_lhs::<B>(lhs, rhs, grad), lhs.shape());
        rhs => B::float_sum_to(formulas::powf_rhs::<B>(lhs, rhs, output, grad), rhs.shape());
    }]
    fn float_powf(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The angle of the point (rhs, lhs), in radians.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(B::float_mul(grad, formulas::over_square_norm::<B>(rhs, lhs)), lhs.shape());
        rhs => B::float_sum_to(B::float_neg(B::float_mul(grad, formulas::over_square_norm::<B>(lhs, rhs))), rhs.shape());
    }]
    fn float_atan2(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The lesser of both; NaN if one is. At a tie each side has half the gradient.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(formulas::choose::<B>(B::float_lt(lhs.clone(), rhs.clone()), B::float_eq(lhs, rhs), grad), lhs.shape());
        rhs => B::float_sum_to(formulas::choose::<B>(B::float_lt(rhs.clone(), lhs.clone()), B::float_eq(lhs, rhs), grad), rhs.shape());
    }]
    fn float_minimum(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The greater of both; NaN if one is. At a tie each side has half the gradient.
    #[op(memory_bound)]
    #[backward {
        lhs => B::float_sum_to(formulas::choose::<B>(B::float_gt(lhs.clone(), rhs.clone()), B::float_eq(lhs, rhs), grad), lhs.shape());
        rhs => B::float_sum_to(formulas::choose::<B>(B::float_gt(rhs.clone(), lhs.clone()), B::float_eq(lhs, rhs), grad), rhs.shape());
    }]
    fn float_maximum(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// x + scalar.
    #[op(memory_bound)]
    #[backward {
        x => grad;
    }]
    fn float_add_scalar(x: FloatTensor<Self>, scalar: f64) -> FloatTensor<Self>;

    /// x - scalar.
    #[op(memory_bound)]
    #[backward {
        x => grad;
    }]
    fn float_sub_scalar(x: FloatTensor<Self>, scalar: f64) -> FloatTensor<Self>;

    /// x * scalar.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul_scalar(grad, scalar);
    }]
    fn float_mul_scalar(x: FloatTensor<Self>, scalar: f64) -> FloatTensor<Self>;

    /// x / scalar.
    #[op(memory_bound)]
    #[backward {
        x => B::float_div_scalar(grad, scalar);
    }]
    fn float_div_scalar(x: FloatTensor<Self>, scalar: f64) -> FloatTensor<Self>;

    /// The remainder of x / scalar, with the sign of the scalar.
    #[op(memory_bound)]
    #[backward {
        x => grad;
    }]
    fn float_rem_scalar(x: FloatTensor<Self>, scalar: f64) -> FloatTensor<Self>;

    /// x to the power of the scalar.
    #[op(memory_bound)]
    #[backward {
        x => formulas::powf_scalar::<B>(x, scalar, grad);
    }]
    fn float_powf_scalar(x: FloatTensor<Self>, scalar: f64) -> FloatTensor<Self>;

    /// x to the power of an integer.
    #[op(memory_bound)]
    #[backward {
        x => formulas::powi_scalar::<B>(x, scalar, grad);
    }]
    fn float_powi_scalar(x: FloatTensor<Self>, scalar: i32) -> FloatTensor<Self>;

    /// x limited to `min..=max`; NaN stays. The gradient passes at the bounds.
    #[backward(default)]
    fn float_clamp(x: FloatTensor<Self>, min: f64, max: f64) -> FloatTensor<Self> {
        Self::float_clamp_max(Self::float_clamp_min(x, min), max)
    }

    /// x, or `min` where it is less. The gradient passes at the bound.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mask_fill(grad, B::float_lt_scalar(x, min), 0.0);
    }]
    fn float_clamp_min(x: FloatTensor<Self>, min: f64) -> FloatTensor<Self>;

    /// x, or `max` where it is more. The gradient passes at the bound.
    #[op(memory_bound)]
    #[backward {
        x => B::float_mask_fill(grad, B::float_gt_scalar(x, max), 0.0);
    }]
    fn float_clamp_max(x: FloatTensor<Self>, max: f64) -> FloatTensor<Self>;

    // Comparison. NaN is unequal to everything, itself included.

    /// lhs = rhs.
    #[backward(none)]
    fn float_eq(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> BoolTensor<Self>;

    /// lhs ≠ rhs.
    #[backward(none)]
    fn float_ne(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> BoolTensor<Self>;

    /// lhs < rhs.
    #[backward(none)]
    fn float_lt(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> BoolTensor<Self>;

    /// lhs ≤ rhs.
    #[backward(none)]
    fn float_le(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> BoolTensor<Self>;

    /// lhs > rhs.
    #[backward(none)]
    fn float_gt(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> BoolTensor<Self>;

    /// lhs ≥ rhs.
    #[backward(none)]
    fn float_ge(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> BoolTensor<Self>;

    /// x = scalar, the scalar rounded to the element type.
    #[backward(none)]
    fn float_eq_scalar(x: FloatTensor<Self>, scalar: f64) -> BoolTensor<Self>;

    /// x ≠ scalar, the scalar rounded to the element type.
    #[backward(none)]
    fn float_ne_scalar(x: FloatTensor<Self>, scalar: f64) -> BoolTensor<Self>;

    /// x < scalar, the scalar rounded to the element type.
    #[backward(none)]
    fn float_lt_scalar(x: FloatTensor<Self>, scalar: f64) -> BoolTensor<Self>;

    /// x ≤ scalar, the scalar rounded to the element type.
    #[backward(none)]
    fn float_le_scalar(x: FloatTensor<Self>, scalar: f64) -> BoolTensor<Self>;

    /// x > scalar, the scalar rounded to the element type.
    #[backward(none)]
    fn float_gt_scalar(x: FloatTensor<Self>, scalar: f64) -> BoolTensor<Self>;

    /// x ≥ scalar, the scalar rounded to the element type.
    #[backward(none)]
    fn float_ge_scalar(x: FloatTensor<Self>, scalar: f64) -> BoolTensor<Self>;

    /// `true` where an element is NaN.
    #[backward(none)]
    fn float_is_nan(x: FloatTensor<Self>) -> BoolTensor<Self>;

    /// `true` where an element is an infinity of either sign.
    #[backward(none)]
    fn float_is_inf(x: FloatTensor<Self>) -> BoolTensor<Self>;

    /// `true` where an element is neither NaN nor infinite.
    #[backward(none)]
    fn float_is_finite(x: FloatTensor<Self>) -> BoolTensor<Self>;

    // Reduction over `dims`, which stay as extents of 1 with `keep_dims`.

    /// The sum; 0 over nothing. Accumulates pairwise or wider than the element type.
    #[backward {
        x => formulas::spread::<B>(grad, &x.shape(), dims);
    }]
    fn float_sum(x: FloatTensor<Self>, dims: &[usize], keep_dims: bool) -> FloatTensor<Self>;

    /// The product; 1 over nothing. Halves are multiplied in f32. The gradient is the product of everything else, right with
    /// any number of zeros.
    #[backward {
        x => formulas::prod_backward::<B>(x, grad, dims);
    }]
    fn float_prod(x: FloatTensor<Self>, dims: &[usize], keep_dims: bool) -> FloatTensor<Self>;

    /// The arithmetic mean; NaN over nothing.
    #[backward(default)]
    fn float_mean(x: FloatTensor<Self>, dims: &[usize], keep_dims: bool) -> FloatTensor<Self> {
        formulas::mean::<Self>(x, dims, keep_dims)
    }

    /// The greatest element, NaN if there is one; tied elements share the gradient.
    ///
    /// # Panics
    ///
    /// Also over nothing, unless the result is empty too.
    #[backward {
        x => formulas::share_among_equal::<B>(x, output, grad, dims);
    }]
    fn float_max(x: FloatTensor<Self>, dims: &[usize], keep_dims: bool) -> FloatTensor<Self>;

    /// The least element, NaN if there is one; tied elements share the gradient.
    ///
    /// # Panics
    ///
    /// Also over nothing, unless the result is empty too.
    #[backward {
        x => formulas::share_among_equal::<B>(x, output, grad, dims);
    }]
    fn float_min(x: FloatTensor<Self>, dims: &[usize], keep_dims: bool) -> FloatTensor<Self>;

    /// The greatest element along `dim`, and where it is: the first at a tie, which has the gradient; NaN counts as the greatest.
    #[backward {
        x => formulas::put_back::<B>(B::float_zeros(x.shape(), x.dtype(), &x.device()), output.1, grads.0, dim);
    }]
    fn float_max_dim(
        x: FloatTensor<Self>,
        dim: usize,
        keep_dims: bool,
    ) -> (FloatTensor<Self>, IntTensor<Self>);

    /// Where the greatest element along `dim` is: the first at a tie, the first NaN if there is one. Indices are [`int_dtype`](crate::Backend::int_dtype).
    #[backward(none)]
    fn float_argmax(x: FloatTensor<Self>, dim: usize, keep_dims: bool) -> IntTensor<Self>;

    /// The least element along `dim`, and where it is: the first at a tie, which has the gradient; NaN counts as the least.
    #[backward {
        x => formulas::put_back::<B>(B::float_zeros(x.shape(), x.dtype(), &x.device()), output.1, grads.0, dim);
    }]
    fn float_min_dim(
        x: FloatTensor<Self>,
        dim: usize,
        keep_dims: bool,
    ) -> (FloatTensor<Self>, IntTensor<Self>);

    /// Where the least element along `dim` is: the first at a tie, the first NaN if there is one. Indices are [`int_dtype`](crate::Backend::int_dtype).
    #[backward(none)]
    fn float_argmin(x: FloatTensor<Self>, dim: usize, keep_dims: bool) -> IntTensor<Self>;

    /// The variance: the mean of squared deviations, with `count - correction` in the denominator.
    #[backward(default)]
    fn float_var(
        x: FloatTensor<Self>,
        dims: &[usize],
        keep_dims: bool,
        correction: usize,
    ) -> FloatTensor<Self> {
        formulas::var::<Self>(x, dims, keep_dims, correction)
    }

    /// ln Σ e<sup>x</sup>, without overflow; `-inf` where every element is.
    #[backward {
        x => formulas::log_sum_exp_backward::<B>(x, output, grad, dims);
    }]
    fn float_log_sum_exp(x: FloatTensor<Self>, dims: &[usize], keep_dims: bool) -> FloatTensor<Self>;

    /// A norm; see [`Norm`] for their formulas, which give 0 over nothing. The gradient at zero is 0, and the greatest of
    /// [`Norm::Infinity`] share it equally.
    ///
    /// No square in [`Norm::L2`] overflows or vanishes: halves are computed in f32, wider elements are divided by the greatest
    /// first.
    ///
    /// # Panics
    ///
    /// Also with [`Norm::Infinity`] over nothing, unless the result is empty too.
    #[backward {
        x => formulas::norm_backward::<B>(x, output, grad, dims, p);
    }]
    fn float_norm(x: FloatTensor<Self>, dims: &[usize], keep_dims: bool, p: Norm) -> FloatTensor<Self> {
        formulas::norm::<Self>(x, dims, keep_dims, p)
    }

    // Along one dimension, which keeps its extent. A tensor without dimensions has none.

    /// For each element along `dim`, the sum of those up to it, itself included. Accumulates in blocks or wider than the element
    /// type, and halves in f32 or wider.
    #[backward {
        x => formulas::cumsum_backward::<B>(grad, dim);
    }]
    fn float_cumsum(x: FloatTensor<Self>, dim: usize) -> FloatTensor<Self>;

    /// For each element along `dim`, the product of those up to it, itself included. The gradient is right with any number of
    /// zeros.
    #[backward {
        x => formulas::cumprod_backward::<B>(x, output, grad, dim);
    }]
    fn float_cumprod(x: FloatTensor<Self>, dim: usize) -> FloatTensor<Self>;

    /// Where the elements along `dim` are in ascending or descending order. In both the first of equal elements comes first, as do
    /// zeros of either sign, and NaN counts as the greatest. Indices are [`int_dtype`](crate::Backend::int_dtype).
    #[backward(none)]
    fn float_argsort(x: FloatTensor<Self>, dim: usize, descending: bool) -> IntTensor<Self>;

    /// The elements along `dim` in the order of [`float_argsort`](Self::float_argsort), and where they were.
    #[backward(default)]
    fn float_sort(
        x: FloatTensor<Self>,
        dim: usize,
        descending: bool,
    ) -> (FloatTensor<Self>, IntTensor<Self>) {
        formulas::sort::<Self>(x, dim, descending)
    }

    /// The `k` greatest or least elements along `dim`, the most extreme first, and where they are; the first at a tie.
    ///
    /// # Panics
    ///
    /// Also if `k` is more than there are along `dim`.
    #[backward(default)]
    fn float_topk(
        x: FloatTensor<Self>,
        k: usize,
        dim: usize,
        largest: bool,
    ) -> (FloatTensor<Self>, IntTensor<Self>) {
        formulas::topk::<Self>(x, k, dim, largest)
    }

    // Linear algebra.

    /// The matrix product over the last two dimensions; the others broadcast, and vectors are rows on the left and columns on
    /// the right, as in NumPy.
    #[backward {
        lhs => formulas::matmul_lhs::<B>(grad, rhs, &lhs.shape());
        rhs => formulas::matmul_rhs::<B>(grad, lhs, &rhs.shape());
    }]
    fn float_matmul(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The products of each element of the vector `lhs` with each of the vector `rhs`: one row for each of `lhs`.
    #[backward(default)]
    fn float_outer(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self> {
        formulas::outer::<Self>(lhs, rhs)
    }

    /// The sum of the products of the elements of two vectors of the same length.
    #[backward(default)]
    fn float_dot(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self> {
        formulas::dot::<Self>(lhs, rhs)
    }

    /// The sum of products that `equation` describes, as in NumPy: `ij,jk->ik` is the matrix product.
    ///
    /// A term names the dimensions of a tensor by letters, and the term after `->` those of the result; letters that are not in
    /// it are summed. A letter that stands twice in a term is the diagonal. `...` stands for the dimensions that no letter
    /// names, which broadcast; those too are summed if the result has no `...`. Without `->`, the result has what `...` stands
    /// for and the letters that stand once, in alphabetical order. Spaces mean nothing, and an extent of 1 is repeated where
    /// another tensor has more.
    ///
    /// The tensors are multiplied from left to right, as matrix products.
    ///
    /// # Panics
    ///
    /// Also if the equation has other characters, an unknown or a repeated letter in the result, or not one term for each
    /// tensor.
    #[backward(default)]
    fn float_einsum(tensors: Vec<FloatTensor<Self>>, equation: &str) -> FloatTensor<Self> {
        formulas::einsum::<Self>(tensors, equation)
    }

    // Indexing. An index out of range panics where the backend can see it.

    /// For each position of `index`, the element of `x` with that index in dimension `dim`. `index` has the shape of `x`
    /// in every other dimension.
    #[backward {
        x => B::float_scatter_add(B::float_zeros(x.shape(), x.dtype(), &x.device()), dim, index, grad);
    }]
    fn float_gather(x: FloatTensor<Self>, dim: usize, index: IntTensor<Self>) -> FloatTensor<Self>;

    /// `x` with each element of `src` added where [`float_gather`](Self::float_gather) would read.
    #[backward {
        x => grad;
        src => B::float_gather(grad, dim, index);
    }]
    fn float_scatter_add(
        x: FloatTensor<Self>,
        dim: usize,
        index: IntTensor<Self>,
        src: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// The slices of `x` along `dim` with the indices of the vector `index`.
    #[backward {
        x => B::float_select_add(B::float_zeros(x.shape(), x.dtype(), &x.device()), dim, index, grad);
    }]
    fn float_select(x: FloatTensor<Self>, dim: usize, index: IntTensor<Self>) -> FloatTensor<Self>;

    /// `x` with each slice of `src` added where [`float_select`](Self::float_select) would read.
    #[backward {
        x => grad;
        src => B::float_select(grad, dim, index);
    }]
    fn float_select_add(
        x: FloatTensor<Self>,
        dim: usize,
        index: IntTensor<Self>,
        src: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; all three broadcast.
    #[backward {
        x => B::float_sum_to(B::float_mask_fill(grad, mask, 0.0), x.shape());
        value => B::float_sum_to(B::float_mask_fill(grad, B::bool_not(mask), 0.0), value.shape());
    }]
    fn float_mask_where(
        x: FloatTensor<Self>,
        mask: BoolTensor<Self>,
        value: FloatTensor<Self>,
    ) -> FloatTensor<Self>;

    /// `value` where the mask is `true`, `x` elsewhere; the mask broadcasts with `x`.
    #[backward {
        x => B::float_sum_to(B::float_mask_fill(grad, mask, 0.0), x.shape());
    }]
    fn float_mask_fill(x: FloatTensor<Self>, mask: BoolTensor<Self>, value: f64) -> FloatTensor<Self>;

    /// A new last dimension of `num_classes`: 1 at the index, 0 elsewhere.
    #[backward(none)]
    fn float_one_hot(index: IntTensor<Self>, num_classes: usize, dtype: DType) -> FloatTensor<Self>;
}
