//! Pooling.

use super::{
    indices,
    taps::{along, pick},
    width::in_wide,
};
use crate::{
    backend::{FloatTensor, IntTensor, TensorHandle},
    error::{OrRaise, ShapeError, raise},
    ops::{AvgPoolOptions, FloatOps, NnOps, PadMode, PoolWindows},
    shape::Shape,
};

/// A shape with its spatial dimensions joined into one.
fn flat(shape: &Shape) -> Shape {
    [shape[0], shape[1], shape[2..].iter().product()].into()
}

/// The greatest elements of windows, and where they are: they are read at their indices, so that the gradient goes there.
#[track_caller]
pub(in crate::ops) fn max_pool<B: NnOps>(
    op: &'static str,
    x: FloatTensor<B>,
    windows: &PoolWindows,
) -> (FloatTensor<B>, IntTensor<B>) {
    let shape = windows.output_shape(op, &x.shape()).or_raise();
    let index = B::max_pool_index(x.clone(), windows);
    let plane = flat(&x.shape());
    let values = B::float_gather(B::float_reshape(x, plane), 2, B::int_reshape(index.clone(), flat(&shape)));
    (B::float_reshape(values, shape), index)
}

/// The elements of all windows, side by side, and the first greatest of each.
///
/// In place of an element in the padding stands that at the edge of the input, which is in the window too: it changes
/// neither the greatest nor, since elements before the first of the window are those in front of it, which is the first.
#[track_caller]
pub(in crate::ops) fn max_pool_index<B: FloatOps>(x: FloatTensor<B>, windows: &PoolWindows) -> IntTensor<B> {
    let (from, device) = (x.shape(), x.device());
    let shape = windows.output_shape("max_pool_index", &from).or_raise();
    let planes = from[0] * from[1];
    let count: usize = shape[2..].iter().product();
    let size: usize = windows.kernel_size.iter().product();
    let positions = window_positions::<B>(&from, &shape, windows, &device);
    let x = B::float_reshape(x, [planes, from[2..].iter().product()].into());
    let elements = B::float_reshape(B::float_select(x, 1, positions.clone()), [planes, count, size].into());
    let chosen = B::float_argmax(elements, 2, false);
    let starts = B::int_arange(0, (count * size) as i64, size as i64, chosen.dtype(), &device);
    let chosen = B::int_reshape(B::int_add(chosen, starts), [planes * count].into());
    B::int_reshape(B::int_select(positions, 0, chosen), shape)
}

/// Where in its plane each element of each window is, window after window.
#[track_caller]
fn window_positions<B: FloatOps>(
    from: &Shape,
    shape: &Shape,
    windows: &PoolWindows,
    device: &crate::backend::Device<B>,
) -> IntTensor<B> {
    let dims = windows.kernel_size.len();
    let mut stride = 1;
    let mut positions: Option<IntTensor<B>> = None;
    for dim in (0..dims).rev() {
        let (extent, count, size) = (from[dim + 2], shape[dim + 2], windows.kernel_size[dim]);
        let of_window = |window: usize| {
            let (first, last) = windows.inside(dim, extent, window).expect("a window that was checked");
            (0..size).map(move |element| (window, element.clamp(first, last)))
        };
        let of_dim = (0..count).flat_map(of_window);
        let of_dim = of_dim.map(|(window, element)| (windows.position(dim, window, element) * stride) as i64);
        let mut around = vec![1; 2 * dims];
        (around[dim], around[dims + dim]) = (count, size);
        let of_dim = B::int_reshape(indices::<B>(of_dim.collect(), device), around.into());
        positions = Some(match positions {
            Some(positions) => B::int_add(positions, of_dim),
            None => of_dim,
        });
        stride *= extent;
    }
    let positions = positions.expect("there is a spatial dimension");
    let count = positions.shape().num_elements();
    B::int_reshape(positions, [count].into())
}

/// Means along one dimension after the other: a window is the product of one in each.
#[track_caller]
pub(in crate::ops) fn avg_pool<B: FloatOps, const N: usize>(
    op: &'static str,
    x: FloatTensor<B>,
    options: AvgPoolOptions<N>,
) -> FloatTensor<B> {
    let from = x.shape();
    let shape = PoolWindows::from(options).output_shape(op, &from).or_raise();
    in_wide::<B>(x, |x| {
        (0..N).fold(x, |x, dim| window_means::<B, N>(x, dim, from[dim + 2], shape[dim + 2], options))
    })
}

fn window_means<B: FloatOps, const N: usize>(
    x: FloatTensor<B>,
    dim: usize,
    extent: usize,
    count: usize,
    options: AvgPoolOptions<N>,
) -> FloatTensor<B> {
    let (size, stride, padding) = (options.kernel_size[dim], options.stride[dim], options.padding[dim]);
    let reach = (count - 1) * stride + size;
    let mut pads = vec![(0, 0); N + 2];
    pads[dim + 2] = (padding, reach.saturating_sub(padding + extent));
    let x = if pads[dim + 2] == (0, 0) { x } else { B::float_pad(x, &pads, PadMode::Constant(0.0)) };
    let sums = B::float_sum(B::float_unfold(x, dim + 2, size, stride), &[N + 2], false);
    let counted = |window: usize| {
        let (start, end) = (window * stride, window * stride + size);
        let (low, high) =
            if options.count_include_pad { (0, extent + 2 * padding) } else { (padding, padding + extent) };
        (end.min(high) - start.max(low)) as f64
    };
    divide::<B>(sums, dim + 2, (0..count).map(counted).collect())
}

/// `sums` divided by a number for each index of `dim`.
fn divide<B: FloatOps>(sums: FloatTensor<B>, dim: usize, counts: Vec<f64>) -> FloatTensor<B> {
    match counts.first() {
        Some(&first) if counts.iter().all(|&count| count == first) => B::float_div_scalar(sums, first),
        _ => {
            let (rank, dtype, device) = (sums.shape().rank(), sums.dtype(), sums.device());
            B::float_div(sums, along::<B>(counts, dim, rank, dtype, &device))
        }
    }
}

/// Means along one dimension after the other, of windows that cut it into `output_size` parts.
#[track_caller]
pub(in crate::ops) fn adaptive_avg_pool<B: FloatOps, const N: usize>(
    op: &'static str,
    x: FloatTensor<B>,
    output_size: [usize; N],
) -> FloatTensor<B> {
    let shape = x.shape();
    if shape.rank() != N + 2 {
        let reason = format!("the input has two dimensions before the {N} spatial ones");
        raise(&ShapeError::pair(op, &shape, &output_size.into(), reason));
    }
    if shape[2..].contains(&0) {
        let reason = "there is nothing to take the mean of";
        raise(&ShapeError::pair(op, &shape, &output_size.into(), reason));
    }
    in_wide::<B>(x, |x| (0..N).fold(x, |x, dim| part_means::<B>(x, dim + 2, output_size[dim])))
}

/// Part i of n reaches from ⌊i extent / n⌋ to ⌈(i + 1) extent / n⌉.
fn part_means<B: FloatOps>(x: FloatTensor<B>, dim: usize, parts: usize) -> FloatTensor<B> {
    let shape = x.shape();
    let extent = shape[dim];
    if parts == extent {
        return x;
    }
    if parts > 0 && extent.is_multiple_of(parts) {
        let size = extent / parts;
        let sums = B::float_sum(B::float_unfold(x, dim, size, size), &[shape.rank()], false);
        return B::float_div_scalar(sums, size as f64);
    }
    let part = |i: usize| (i * extent / parts..((i + 1) * extent).div_ceil(parts)).collect();
    let lists: Vec<Vec<usize>> = (0..parts).map(part).collect();
    let counts = lists.iter().map(|list| list.len() as f64).collect();
    divide::<B>(B::float_sum(pick::<B>(x, dim, &lists), &[dim + 1], false), dim, counts)
}
