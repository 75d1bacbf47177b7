//! Padding and repetition, for every kind of tensor.

use crate::{
    backend::{Backend, Device, IntTensor},
    data::TensorData,
    error::{OrRaise, ShapeError, raise},
    ops::PadMode,
    shape::Shape,
    slice::Slice,
};

/// The shape with `pads` around it, and where in it the elements go.
#[track_caller]
pub(in crate::ops) fn frame(op: &'static str, shape: &Shape, pads: &[(usize, usize)]) -> (Shape, Vec<Slice>) {
    check_rank(op, shape, pads.len(), "pads");
    let framed = shape.iter().zip(pads).map(|(&extent, &(before, after))| before + extent + after);
    let inside = shape
        .iter()
        .zip(pads)
        .map(|(&extent, &(before, _))| Slice::from(before as isize..(before + extent) as isize));
    (framed.collect(), inside.collect())
}

/// The dimensions that are padded, each with the index of the element that each position takes.
#[track_caller]
pub(in crate::ops) fn border<B: Backend, T>(
    op: &'static str,
    shape: &Shape,
    pads: &[(usize, usize)],
    mode: PadMode<T>,
    device: &Device<B>,
) -> Vec<(usize, IntTensor<B>)> {
    check_rank(op, shape, pads.len(), "pads");
    let reflects = matches!(mode, PadMode::Reflect);
    let padded = pads.iter().enumerate().filter(|&(_, &pads)| pads != (0, 0));
    let index = |(dim, &(before, after)): (usize, &(usize, usize))| {
        check_border(op, shape, dim, before.max(after), reflects);
        let extent = shape[dim] as i64;
        let positions = -(before as i64)..extent + after as i64;
        let index: Vec<i64> = positions
            .map(|at| match reflects {
                true if at < 0 => -at,
                true if at >= extent => 2 * (extent - 1) - at,
                _ => at.clamp(0, extent - 1),
            })
            .collect();
        (dim, indices::<B>(index, device))
    };
    padded.map(index).collect()
}

/// A vector of indices in the ints of the device.
#[track_caller]
pub(in crate::ops) fn indices<B: Backend>(index: Vec<i64>, device: &Device<B>) -> IntTensor<B> {
    let len = index.len();
    let data = TensorData::new(index, [len]).or_raise().cast_exact(B::int_dtype(device)).or_raise();
    B::int_from_data(data, device).or_raise()
}

#[track_caller]
fn check_border(op: &'static str, shape: &Shape, dim: usize, pad: usize, reflects: bool) {
    let extent = shape[dim];
    let reason = if extent == 0 {
        format!("dimension {dim} has no elements to pad with")
    } else if reflects && pad >= extent {
        format!("{pad} elements cannot be reflected in dimension {dim}: at most one less than its extent can")
    } else {
        return;
    };
    raise(&ShapeError::single(op, shape, reason));
}

/// The shapes on the way to a tensor that is repeated: an extent of 1 before each dimension, that expanded, and both
/// merged.
#[track_caller]
pub(in crate::ops) fn repetition(op: &'static str, shape: &Shape, times: &[usize]) -> [Shape; 3] {
    check_rank(op, shape, times.len(), "repetitions");
    let both = || shape.iter().copied().zip(times.iter().copied());
    [
        both().flat_map(|(extent, _)| [1, extent]).collect(),
        both().flat_map(|(extent, times)| [times, extent]).collect(),
        both().map(|(extent, times)| times * extent).collect(),
    ]
}

#[track_caller]
fn check_rank(op: &'static str, shape: &Shape, given: usize, what: &str) {
    if given != shape.rank() {
        let reason = format!("{given} {what} are given for {} dimensions", shape.rank());
        raise(&ShapeError::single(op, shape, reason));
    }
}
