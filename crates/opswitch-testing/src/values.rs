//! Tensors on the host: their elements, and the layouts in which they go to a device.

use std::fmt;

use opswitch_core::{DType, Element, Shape, TensorData};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::input::{Source, TensorInput};

/// A kind of tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Int,
    Bool,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Float => "float",
            Self::Int => "int",
            Self::Bool => "bool",
        })
    }
}

/// Data whose length the caller answers for.
#[track_caller]
pub(crate) fn data<E: Element>(elements: Vec<E>, shape: Shape) -> TensorData {
    TensorData::new(elements, shape).unwrap_or_else(|error| panic!("{error}"))
}

/// The elements of an input: `f64`, `i64` or `bool`.
pub(crate) fn elements(input: &TensorInput, seed: u64) -> TensorData {
    match &input.source {
        Source::Given(data) => data.clone(),
        &Source::Range(low, high) => random(input.kind, &input.shape, low, high, seed),
    }
}

fn random(kind: Kind, shape: &Shape, low: f64, high: f64, seed: u64) -> TensorData {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let values: Vec<f64> =
        (0..shape.num_elements()).map(|_| low + (high - low) * generator.random::<f64>()).collect();
    match kind {
        Kind::Float => data(values, shape.clone()),
        Kind::Int => data(values.iter().map(|value| value.floor() as i64).collect(), shape.clone()),
        Kind::Bool => data(values.iter().map(|&value| value >= 1.0).collect(), shape.clone()),
    }
}

/// Numbers in `-1.0..1.0`.
pub(crate) fn noise(shape: &Shape, seed: u64) -> TensorData {
    random(Kind::Float, shape, -1.0, 1.0, seed)
}

/// How a tensor lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Row after row.
    Contiguous,
    /// A view with its strides in the opposite order.
    Transposed,
    /// Every other element of a larger tensor, backwards in every other dimension.
    Sliced,
    /// A view that repeats what its first dimension of more than one has at 0.
    Expanded,
    /// A different one for each tensor.
    Mixed,
}

impl Layout {
    pub(crate) const ALL: [Self; 5] =
        [Self::Contiguous, Self::Transposed, Self::Sliced, Self::Expanded, Self::Mixed];

    /// The layout of the tensor at this position among those of an op.
    pub(crate) fn of(self, position: usize) -> Self {
        const MIXTURE: [Layout; 3] = [Layout::Transposed, Layout::Contiguous, Layout::Sliced];
        if self == Self::Mixed { MIXTURE[position % MIXTURE.len()] } else { self }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Contiguous => "contiguous",
            Self::Transposed => "transposed views",
            Self::Sliced => "sliced views",
            Self::Expanded => "expanded views",
            Self::Mixed => "views of several kinds",
        })
    }
}

/// The dimension that an expanded view repeats.
pub(crate) fn repeated_dim(shape: &Shape) -> Option<usize> {
    shape.iter().position(|&extent| extent > 1)
}

/// The axes in the opposite order.
pub(crate) fn reversed_axes(rank: usize) -> Vec<usize> {
    (0..rank).rev().collect()
}

/// The data with its axes in the opposite order.
pub(crate) fn transposed(data: &TensorData) -> TensorData {
    let shape = data.shape().permuted(&reversed_axes(data.shape().rank()));
    gather(data, shape, |index, strides| {
        Some(index.iter().rev().zip(strides).map(|(at, stride)| at * stride).sum())
    })
}

/// The first slice along a dimension.
pub(crate) fn first_along(data: &TensorData, dim: usize) -> TensorData {
    gather(data, data.shape().clone().with_dim(dim, 1), |index, strides| Some(offset(index, strides)))
}

/// The data with the first slice along `dim` everywhere.
pub(crate) fn repeated_along(data: &TensorData, dim: usize) -> TensorData {
    gather(data, data.shape().clone(), |index, strides| {
        Some(offset(index, strides) - index[dim] * strides[dim])
    })
}

/// A larger tensor, in which the data are the elements at odd positions, in the opposite order along odd dimensions.
pub(crate) fn spread_out(data: &TensorData) -> TensorData {
    let shape: Shape = data.shape().iter().map(|extent| 2 * extent + 1).collect();
    let extents = data.shape().clone();
    gather(data, shape, |index, strides| {
        let inside = |(dim, &at): (usize, &usize)| match (at % 2, dim % 2) {
            (0, _) => None,
            (_, 0) => Some(at / 2 * strides[dim]),
            _ => Some((extents[dim] - 1 - at / 2) * strides[dim]),
        };
        index.iter().enumerate().map(inside).sum()
    })
}

fn offset(index: &[usize], strides: &[usize]) -> usize {
    index.iter().zip(strides).map(|(at, stride)| at * stride).sum()
}

/// Data of `shape` whose elements are those of `data` at the offset that `at` gives for each index, from the strides of
/// `data`. Where it gives none, there is something that nobody may read: NaN, or 0.
fn gather(data: &TensorData, shape: Shape, at: impl Fn(&[usize], &[usize]) -> Option<usize>) -> TensorData {
    fn typed<E: Element>(values: &[E], offsets: &[Option<usize>], shape: Shape, filler: E) -> TensorData {
        self::data(
            offsets.iter().map(|offset| offset.map_or(filler, |offset| values[offset])).collect(),
            shape,
        )
    }
    let strides: Vec<usize> =
        data.shape().contiguous_strides().iter().map(|stride| *stride as usize).collect();
    let mut index = vec![0; shape.rank()];
    let mut offsets = Vec::with_capacity(shape.num_elements());
    for _ in 0..shape.num_elements() {
        offsets.push(at(&index, &strides));
        advance(&mut index, &shape);
    }
    match data.dtype() {
        DType::I64 => typed(&data.to_vec::<i64>(), &offsets, shape, 0),
        DType::Bool => typed(&data.to_vec::<bool>(), &offsets, shape, false),
        _ => typed(&data.to_vec::<f64>(), &offsets, shape, f64::NAN),
    }
}

/// The next index in row-major order.
fn advance(index: &mut [usize], shape: &Shape) {
    for (at, &extent) in index.iter_mut().zip(shape.iter()).rev() {
        *at += 1;
        if *at < extent {
            return;
        }
        *at = 0;
    }
}

/// The index of the element at a position in row-major order.
pub(crate) fn index_of(mut position: usize, shape: &Shape) -> Vec<usize> {
    let mut index = vec![0; shape.rank()];
    for (at, &extent) in index.iter_mut().zip(shape.iter()).rev() {
        *at = position % extent;
        position /= extent;
    }
    index
}
