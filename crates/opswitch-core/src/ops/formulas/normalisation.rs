//! Normalisations.
//!
//! Deviations from the mean are taken twice: what the rounding of the mean leaves over is a mean again, and small enough to
//! be exact (Chan et al. 1983). Elements of 16 bits are normalised in `f32`.

use super::width::{narrow, wide};
use crate::{
    backend::{FloatTensor, TensorHandle},
    dtype::DType,
    error::{OrRaise, ShapeError, raise},
    op_error::check_same_type,
    ops::{FloatOps, NnOps},
    shape::{Shape, check_channels, check_norm},
};

/// The last `count` dimensions.
fn last_dims(shape: &Shape, count: usize) -> Vec<usize> {
    (shape.rank() - count..shape.rank()).collect()
}

/// The mean over `dims`, and the deviations from it.
fn centred<B: FloatOps>(x: FloatTensor<B>, dims: &[usize]) -> (FloatTensor<B>, FloatTensor<B>) {
    let mean = B::float_mean(x.clone(), dims, true);
    let rough = B::float_sub(x, mean.clone());
    let rest = B::float_mean(rough.clone(), dims, true);
    (B::float_add(mean, rest.clone()), B::float_sub(rough, rest))
}

/// x / sqrt(mean(x²) + eps) over `dims`, and the factor of x in it.
fn scaled<B: FloatOps>(x: FloatTensor<B>, dims: &[usize], eps: f64) -> (FloatTensor<B>, FloatTensor<B>) {
    let mean_square = B::float_mean(B::float_square(x.clone()), dims, true);
    let factor = B::float_rsqrt(B::float_add_scalar(mean_square, eps));
    (B::float_mul(x, factor.clone()), factor)
}

/// x with mean 0 and variance 1 over the last `count` dimensions, and the factor of the deviations in it; both are wide.
pub(in crate::ops) fn layer_normal<B: FloatOps>(
    x: FloatTensor<B>,
    count: usize,
    eps: f64,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let dims = last_dims(&x.shape(), count);
    scaled::<B>(centred::<B>(wide::<B>(x), &dims).1, &dims, eps)
}

/// x with a mean square of 1 over the last `count` dimensions, and the factor of x in it; both are wide.
pub(in crate::ops) fn rms_normal<B: FloatOps>(
    x: FloatTensor<B>,
    count: usize,
    eps: f64,
) -> (FloatTensor<B>, FloatTensor<B>) {
    let dims = last_dims(&x.shape(), count);
    scaled::<B>(wide::<B>(x), &dims, eps)
}

/// normal * weight + bias, in the type `dtype`.
fn affine<B: FloatOps>(
    normal: FloatTensor<B>,
    weight: Option<FloatTensor<B>>,
    bias: Option<FloatTensor<B>>,
    dtype: DType,
) -> FloatTensor<B> {
    let weighted = weighted::<B>(normal, weight);
    let shifted = match bias {
        Some(bias) => B::float_add(weighted, wide::<B>(bias)),
        None => weighted,
    };
    narrow::<B>(shifted, dtype)
}

fn weighted<B: FloatOps>(x: FloatTensor<B>, weight: Option<FloatTensor<B>>) -> FloatTensor<B> {
    match weight {
        Some(weight) => B::float_mul(x, wide::<B>(weight)),
        None => x,
    }
}

/// The shapes of the parameters that are there, which have the type of `x`.
#[track_caller]
fn shapes_of<B: FloatOps>(
    op: &'static str,
    x: &FloatTensor<B>,
    parameters: &[&Option<FloatTensor<B>>],
) -> Vec<Shape> {
    let shape = |parameter: &FloatTensor<B>| {
        check_same_type(op, x, parameter);
        parameter.shape()
    };
    parameters.iter().filter_map(|parameter| parameter.as_ref().map(shape)).collect()
}

#[track_caller]
pub(in crate::ops) fn layer_norm<B: FloatOps>(
    x: FloatTensor<B>,
    weight: Option<FloatTensor<B>>,
    bias: Option<FloatTensor<B>>,
    count: usize,
    eps: f64,
) -> FloatTensor<B> {
    let parameters = shapes_of::<B>("layer_norm", &x, &[&weight, &bias]);
    check_norm("layer_norm", &x.shape(), count, &parameters).or_raise();
    let dtype = x.dtype();
    affine::<B>(layer_normal::<B>(x, count, eps).0, weight, bias, dtype)
}

#[track_caller]
pub(in crate::ops) fn rms_norm<B: FloatOps>(
    x: FloatTensor<B>,
    weight: Option<FloatTensor<B>>,
    count: usize,
    eps: f64,
) -> FloatTensor<B> {
    let parameters = shapes_of::<B>("rms_norm", &x, &[&weight]);
    check_norm("rms_norm", &x.shape(), count, &parameters).or_raise();
    let dtype = x.dtype();
    affine::<B>(rms_normal::<B>(x, count, eps).0, weight, None, dtype)
}

/// factor (g - mean(g) - normal mean(g normal)) for g = grad * weight: the part of g that changes neither mean nor variance.
pub(in crate::ops) fn layer_norm_backward<B: FloatOps>(
    (normal, factor): (FloatTensor<B>, FloatTensor<B>),
    weight: Option<FloatTensor<B>>,
    grad: FloatTensor<B>,
    count: usize,
) -> FloatTensor<B> {
    let (dims, dtype) = (last_dims(&normal.shape(), count), grad.dtype());
    let across = across::<B>(normal, weight, grad, &dims);
    let mean = B::float_mean(across.clone(), &dims, true);
    narrow::<B>(B::float_mul(B::float_sub(across, mean), factor), dtype)
}

/// factor (g - normal mean(g normal)) for g = grad * weight: the part of g that does not change the mean square.
pub(in crate::ops) fn rms_norm_backward<B: FloatOps>(
    (normal, factor): (FloatTensor<B>, FloatTensor<B>),
    weight: Option<FloatTensor<B>>,
    grad: FloatTensor<B>,
    count: usize,
) -> FloatTensor<B> {
    let (dims, dtype) = (last_dims(&normal.shape(), count), grad.dtype());
    narrow::<B>(B::float_mul(across::<B>(normal, weight, grad, &dims), factor), dtype)
}

/// g - normal mean(g normal) for g = grad * weight.
fn across<B: FloatOps>(
    normal: FloatTensor<B>,
    weight: Option<FloatTensor<B>>,
    grad: FloatTensor<B>,
    dims: &[usize],
) -> FloatTensor<B> {
    let grad = weighted::<B>(wide::<B>(grad), weight);
    let along = B::float_mean(B::float_mul(grad.clone(), normal.clone()), dims, true);
    B::float_sub(grad, B::float_mul(normal, along))
}

/// Σ grad * normal over the dimensions that are not normalised.
pub(in crate::ops) fn norm_weight_backward<B: FloatOps>(
    normal: FloatTensor<B>,
    grad: FloatTensor<B>,
    weight: Shape,
) -> FloatTensor<B> {
    let dtype = grad.dtype();
    narrow::<B>(B::float_sum_to(B::float_mul(wide::<B>(grad), normal), weight), dtype)
}

#[track_caller]
pub(in crate::ops) fn group_norm<B: NnOps>(
    x: FloatTensor<B>,
    weight: Option<FloatTensor<B>>,
    bias: Option<FloatTensor<B>>,
    num_groups: usize,
    eps: f64,
) -> FloatTensor<B> {
    let (shape, dtype) = (x.shape(), x.dtype());
    let parameters = shapes_of::<B>("group_norm", &x, &[&weight, &bias]);
    check_channels("group_norm", &shape, &parameters).or_raise();
    if num_groups == 0 || shape[1] % num_groups != 0 {
        let reason = format!("its {} channels cannot be {num_groups} groups", shape[1]);
        raise(&ShapeError::single("group_norm", &shape, reason));
    }
    let size = shape[1] / num_groups * shape[2..].iter().product::<usize>();
    let groups = B::float_reshape(x, [shape[0], num_groups, size].into());
    let normal = B::float_reshape(B::layer_norm(groups, None, None, 1, eps), shape.clone());
    let by_channel = |parameter| by_channel::<B>(parameter, &shape);
    affine::<B>(wide::<B>(normal), weight.map(by_channel), bias.map(by_channel), dtype)
}

/// A vector with one element a channel, as it broadcasts with a tensor of this shape.
fn by_channel<B: FloatOps>(x: FloatTensor<B>, shape: &Shape) -> FloatTensor<B> {
    let mut extents = vec![1; shape.rank() - 1];
    extents[0] = shape[1];
    B::float_reshape(x, extents.into())
}

/// The running mean and variance of each channel, which carry no gradient.
pub(in crate::ops) struct Running<B: NnOps> {
    pub(in crate::ops) mean: FloatTensor<B>,
    pub(in crate::ops) var: FloatTensor<B>,
}

impl<B: NnOps> Running<B> {
    /// `(1 - momentum) * old + momentum * new`
    fn updated(self, mean: FloatTensor<B>, var: FloatTensor<B>, momentum: f64) -> Self {
        let mix = |old: FloatTensor<B>, new: FloatTensor<B>| {
            let (shape, dtype) = (old.shape(), old.dtype());
            let new = B::float_mul_scalar(B::float_reshape(B::detach(new), shape), momentum);
            let old = B::float_mul_scalar(wide::<B>(old), 1.0 - momentum);
            narrow::<B>(B::float_add(old, new), dtype)
        };
        Self { mean: mix(self.mean, mean), var: mix(self.var, var) }
    }
}

#[track_caller]
pub(in crate::ops) fn batch_norm<B: NnOps>(
    x: FloatTensor<B>,
    [weight, bias]: [Option<FloatTensor<B>>; 2],
    running: Running<B>,
    training: bool,
    momentum: f64,
    eps: f64,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let (shape, dtype) = (x.shape(), x.dtype());
    let mut parameters = shapes_of::<B>("batch_norm", &x, &[&weight, &bias]);
    for statistic in [&running.mean, &running.var] {
        check_same_type("batch_norm", &x, statistic);
        parameters.push(statistic.shape());
    }
    check_channels("batch_norm", &shape, &parameters).or_raise();
    let running = Running { mean: B::detach(running.mean), var: B::detach(running.var) };
    let by_channel = |parameter| by_channel::<B>(parameter, &shape);
    let (normal, running) = if training {
        batch_normal::<B>(wide::<B>(x), running, momentum, eps)
    } else {
        let mean = by_channel(wide::<B>(running.mean.clone()));
        let var = by_channel(wide::<B>(running.var.clone()));
        let factor = B::float_rsqrt(B::float_add_scalar(var, eps));
        (B::float_mul(B::float_sub(wide::<B>(x), mean), factor), running)
    };
    let result = affine::<B>(normal, weight.map(by_channel), bias.map(by_channel), dtype);
    (result, running.mean, running.var)
}

/// x with mean 0 and variance 1 in each channel, and the running statistics after it. A batch without elements has none, and
/// leaves them as they are.
#[track_caller]
fn batch_normal<B: NnOps>(
    x: FloatTensor<B>,
    running: Running<B>,
    momentum: f64,
    eps: f64,
) -> (FloatTensor<B>, Running<B>) {
    let shape = x.shape();
    if shape.num_elements() == 0 {
        return (x, running);
    }
    let count = shape.num_elements() / shape[1];
    if count < 2 {
        let reason = "in training each channel needs two elements or more, since one has no variance";
        raise(&ShapeError::single("batch_norm", &shape, reason));
    }
    let dims: Vec<usize> = (0..shape.rank()).filter(|&dim| dim != 1).collect();
    let (mean, deviations) = centred::<B>(x, &dims);
    let var = B::float_mean(B::float_square(deviations.clone()), &dims, true);
    let factor = B::float_rsqrt(B::float_add_scalar(var.clone(), eps));
    let unbiased = B::float_mul_scalar(B::detach(var), count as f64 / (count - 1) as f64);
    (B::float_mul(deviations, factor), running.updated(mean, unbiased, momentum))
}
