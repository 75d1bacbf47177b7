//! Convolutions as matrix products.
//!
//! The three ops are the three ways to leave one tensor out of Σ x weight y: the gradients of each are the other two.

use smallvec::smallvec;

use crate::{
    backend::{FloatTensor, TensorHandle},
    error::{OrRaise, ShapeError, raise},
    op_error::check_same_type,
    ops::{ConvOptions, ConvTransposeOptions, Convolution, FloatOps, NnOps, PadMode},
    shape::Shape,
    slice::Slice,
};

/// The convolution that has a rank in its options.
#[track_caller]
pub(in crate::ops) fn conv_with_bias<B: NnOps, const N: usize>(
    op: &'static str,
    x: FloatTensor<B>,
    weight: FloatTensor<B>,
    bias: Option<FloatTensor<B>>,
    options: ConvOptions<N>,
) -> FloatTensor<B> {
    let options = Convolution::from(options);
    let shape = options.output_shape(op, &x.shape(), &weight.shape()).or_raise();
    check_same_type(op, &x, &weight);
    check_bias::<B>(op, &x, bias.as_ref(), shape[1]);
    add_bias::<B>(B::conv(x, weight, &options), bias)
}

/// The transposed convolution that has a rank in its options.
#[track_caller]
pub(in crate::ops) fn conv_transpose_with_bias<B: NnOps, const N: usize>(
    op: &'static str,
    x: FloatTensor<B>,
    weight: FloatTensor<B>,
    bias: Option<FloatTensor<B>>,
    options: ConvTransposeOptions<N>,
) -> FloatTensor<B> {
    let size = transposed_size(op, &x.shape(), &weight.shape(), options);
    let options = Convolution::from(options);
    let shape = options.input_shape(op, &x.shape(), &weight.shape(), &size).or_raise();
    check_same_type(op, &x, &weight);
    check_bias::<B>(op, &x, bias.as_ref(), shape[1]);
    add_bias::<B>(B::conv_transpose(x, weight, &options, &size), bias)
}

/// The spatial extents of a transposed convolution: as far as its windows reach, without what is cut off.
#[track_caller]
fn transposed_size<const N: usize>(
    op: &'static str,
    x: &Shape,
    weight: &Shape,
    options: ConvTransposeOptions<N>,
) -> Vec<usize> {
    let ConvTransposeOptions { stride, padding, output_padding, dilation, .. } = options;
    let extents = |shape: &Shape| shape.iter().skip(2).copied().collect::<Vec<usize>>();
    let mut size = Vec::with_capacity(N);
    for (dim, (extent, kernel)) in extents(x).into_iter().zip(extents(weight)).enumerate().take(N) {
        if output_padding[dim] >= stride[dim].max(dilation[dim]) {
            raise(&ShapeError::pair(op, x, weight, "the output padding is less than stride or dilation"));
        }
        let span = Convolution::from(options).span(dim, kernel);
        let reach = extent.checked_sub(1).map(|last| last * stride[dim] + span + output_padding[dim]);
        match reach.and_then(|reach| reach.checked_sub(padding[dim].saturating_mul(2))) {
            Some(left) if left > 0 => size.push(left),
            _ => {
                let reason = format!("nothing is left in dimension {}", dim + 2);
                raise(&ShapeError::pair(op, x, weight, reason));
            }
        }
    }
    size
}

#[track_caller]
fn check_bias<B: FloatOps>(
    op: &'static str,
    x: &FloatTensor<B>,
    bias: Option<&FloatTensor<B>>,
    channels: usize,
) {
    let Some(bias) = bias else { return };
    if *bias.shape() != [channels] {
        let reason =
            format!("the bias, which is the second, has one element for each of {channels} channels");
        raise(&ShapeError::pair(op, &x.shape(), &bias.shape(), reason));
    }
    check_same_type(op, x, bias);
}

fn add_bias<B: FloatOps>(y: FloatTensor<B>, bias: Option<FloatTensor<B>>) -> FloatTensor<B> {
    let Some(bias) = bias else { return y };
    let shape = y.shape();
    let channels = shape.iter().enumerate().skip(1).map(|(dim, &extent)| if dim == 1 { extent } else { 1 });
    B::float_add(y, B::float_reshape(bias, channels.collect()))
}

/// Windows times weights.
#[track_caller]
pub(in crate::ops) fn conv<B: FloatOps>(
    x: FloatTensor<B>,
    weight: FloatTensor<B>,
    options: &Convolution,
) -> FloatTensor<B> {
    let shape = options.output_shape("conv", &x.shape(), &weight.shape()).or_raise();
    check_same_type("conv", &x, &weight);
    let (groups, kernel) = (options.groups, weight.shape());
    let windows = window_rows::<B>(x, &kernel[2..], &shape[2..], options);
    let rows = kernel[1..].iter().product();
    let weight = B::float_reshape(weight, [groups, shape[1] / groups, rows].into());
    let y = B::float_matmul(windows, B::float_transpose(weight));
    let count = shape[2..].iter().product();
    let y = B::float_reshape(y, [groups, shape[0], count, shape[1] / groups].into());
    B::float_reshape(B::float_permute(y, &[1, 0, 3, 2]), shape)
}

/// The windows of `x` as the rows of a matrix for each group: `[groups, batch * windows, channels / groups * kernel]`.
/// All of it is a view, but for the padding and the last reshape. Of each dimension the first `count` windows are taken.
fn window_rows<B: FloatOps>(
    x: FloatTensor<B>,
    kernel: &[usize],
    count: &[usize],
    options: &Convolution,
) -> FloatTensor<B> {
    let (dims, shape) = (kernel.len(), x.shape());
    let channels = shape[1] / options.groups;
    let mut x = padded::<B>(x, options);
    for (dim, &size) in kernel.iter().enumerate() {
        x = B::float_unfold(x, dim + 2, options.span(dim, size), options.stride[dim]);
    }
    let counted = count.iter().map(|&count| Slice::from(0..count as isize));
    let elements = options.dilation.iter().map(|&step| Slice::new(None, None, step as isize));
    let slices: Vec<Slice> = [Slice::FULL; 2].into_iter().chain(counted).chain(elements).collect();
    let split = [shape[0], options.groups, channels].into_iter().chain(count.iter().chain(kernel).copied());
    let windows = B::float_reshape(B::float_slice(x, &slices), split.collect());
    let axes: Vec<usize> =
        [1, 0].into_iter().chain(3..3 + dims).chain([2]).chain(3 + dims..3 + 2 * dims).collect();
    let rows = shape[0] * count.iter().product::<usize>();
    let columns = channels * kernel.iter().product::<usize>();
    B::float_reshape(B::float_permute(windows, &axes), [options.groups, rows, columns].into())
}

fn padded<B: FloatOps>(x: FloatTensor<B>, options: &Convolution) -> FloatTensor<B> {
    if options.padding.iter().all(|&padding| padding == 0) {
        return x;
    }
    let around = options.padding.iter().map(|&padding| (padding, padding));
    let pads: Vec<(usize, usize)> = [(0, 0); 2].into_iter().chain(around).collect();
    B::float_pad(x, &pads, PadMode::Constant(0.0))
}

/// The convolution of `y`, with zeros between its elements where the stride was, with the flipped weight.
#[track_caller]
pub(in crate::ops) fn conv_transpose<B: NnOps>(
    y: FloatTensor<B>,
    weight: FloatTensor<B>,
    options: &Convolution,
    size: &[usize],
) -> FloatTensor<B> {
    let shape = options.input_shape("conv_transpose", &y.shape(), &weight.shape(), size).or_raise();
    check_same_type("conv_transpose", &y, &weight);
    let kernel = weight.shape();
    let Some(spread) = spread_out::<B>(&y, &kernel[2..], options, size) else {
        return B::float_zeros(shape, y.dtype(), &y.device());
    };
    let ones = smallvec![1; size.len()];
    let plain = Convolution { stride: ones, padding: smallvec![0; size.len()], ..options.clone() };
    B::conv(spread, flipped::<B>(weight, options.groups), &plain)
}

/// `y` with its elements `stride` apart in zeros, so that windows at every position see what the windows of the
/// convolution that lie over that position gave. `None` if no window lies over the input.
fn spread_out<B: FloatOps>(
    y: &FloatTensor<B>,
    kernel: &[usize],
    options: &Convolution,
    size: &[usize],
) -> Option<FloatTensor<B>> {
    let mut shape = y.shape();
    let (mut taken, mut places) = (vec![Slice::FULL; 2], vec![Slice::FULL; 2]);
    for (dim, &extent) in size.iter().enumerate() {
        let (stride, padding) = (options.stride[dim], options.padding[dim]);
        let reach = options.span(dim, kernel[dim]) - 1;
        // Windows in the padding alone take no part.
        let first = padding.saturating_sub(reach).div_ceil(stride);
        let end = (extent + padding).div_ceil(stride).min(shape[dim + 2]);
        if extent == 0 || first >= end {
            return None;
        }
        let start = first * stride + reach - padding;
        let last = start + (end - first - 1) * stride;
        taken.push(Slice::from(first as isize..end as isize));
        places.push(Slice::new(Some(start as isize), Some(last as isize + 1), stride as isize));
        shape = shape.with_dim(dim + 2, extent + reach);
    }
    let zeros = B::float_zeros(shape, y.dtype(), &y.device());
    Some(B::float_slice_assign(zeros, &places, B::float_slice(y.clone(), &taken)))
}

/// The weight `[out, in / groups, ..]` as `[in, out / groups, ..]`, its kernel in the opposite order.
fn flipped<B: FloatOps>(weight: FloatTensor<B>, groups: usize) -> FloatTensor<B> {
    let shape = weight.shape();
    let rank = shape.rank();
    let (outputs, inputs) = (shape[0] / groups, shape[1]);
    let grouped = [groups, outputs, inputs].iter().chain(&shape[2..]).copied().collect();
    let swapped = [inputs * groups, outputs].iter().chain(&shape[2..]).copied().collect();
    let weight = B::float_swap_dims(B::float_reshape(weight, grouped), 1, 2);
    B::float_reshape(B::float_flip(weight, &(3..=rank).collect::<Vec<usize>>()), swapped)
}

/// Results times windows, summed over the windows.
#[track_caller]
pub(in crate::ops) fn conv_weight<B: FloatOps>(
    x: FloatTensor<B>,
    y: FloatTensor<B>,
    options: &Convolution,
    kernel: &[usize],
) -> FloatTensor<B> {
    let shape = options.weight_shape("conv_weight", &x.shape(), &y.shape(), kernel).or_raise();
    check_same_type("conv_weight", &x, &y);
    let (groups, results) = (options.groups, y.shape());
    let windows = window_rows::<B>(x, kernel, &results[2..], options);
    let (outputs, count) = (results[1] / groups, results[2..].iter().product());
    let y = B::float_permute(B::float_reshape(y, [results[0], groups, outputs, count].into()), &[1, 2, 0, 3]);
    let y = B::float_reshape(y, [groups, outputs, results[0] * count].into());
    B::float_reshape(B::float_matmul(y, windows), shape)
}

/// A convolution of which the first windows in each dimension are kept: those that were there before an input that is
/// longer than they need.
pub(in crate::ops) fn conv_as<B: NnOps>(
    x: FloatTensor<B>,
    weight: FloatTensor<B>,
    options: &Convolution,
    shape: &Shape,
) -> FloatTensor<B> {
    let y = B::conv(x, weight, options);
    if y.shape() == *shape {
        return y;
    }
    let slices: Vec<Slice> = shape.iter().map(|&extent| Slice::from(0..extent as isize)).collect();
    B::float_slice(y, &slices)
}
