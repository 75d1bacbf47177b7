//! What pooling and resampling share: sums along one dimension, with numbers from the host.

use super::indices;
use crate::{
    backend::{Backend, BoolTensor, Device, FloatTensor, TensorHandle},
    data::TensorData,
    dtype::DType,
    error::OrRaise,
    ops::FloatOps,
    shape::Shape,
};

/// Numbers that vary along `dim` of a tensor of `rank` alone.
#[track_caller]
pub(super) fn along<B: Backend>(
    values: Vec<f64>,
    dim: usize,
    rank: usize,
    dtype: DType,
    device: &Device<B>,
) -> FloatTensor<B> {
    let shape = vector_shape(values.len(), dim, rank);
    let data = TensorData::new(values, shape).or_raise().cast(dtype);
    B::float_from_data(data, device).or_raise()
}

/// The elements of `x` along `dim` with the indices of each list, as a dimension behind `dim`. Lists that are shorter than
/// the longest are filled up with zeros.
#[track_caller]
pub(super) fn pick<B: FloatOps>(x: FloatTensor<B>, dim: usize, lists: &[Vec<usize>]) -> FloatTensor<B> {
    let (device, shape) = (x.device(), x.shape());
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let filled = lists.iter().flat_map(|list| {
        let last = list.last().copied().unwrap_or(0);
        list.iter().copied().chain(std::iter::repeat(last)).take(longest)
    });
    let index = indices::<B>(filled.map(|at| at as i64).collect(), &device);
    let mut split = shape.to_vec();
    split.splice(dim..=dim, [lists.len(), longest]);
    let picked = B::float_reshape(B::float_select(x, dim, index), split.into());
    if lists.iter().all(|list| list.len() == longest) {
        return picked;
    }
    let beyond = lists.iter().flat_map(|list| (0..longest).map(|position| position >= list.len()));
    let behind = vec![1; shape.rank() - 1 - dim];
    let mask_shape = [lists.len(), longest].into_iter().chain(behind).collect();
    B::float_mask_fill(picked, mask::<B>(beyond.collect(), mask_shape, &device), 0.0)
}

#[track_caller]
fn mask<B: Backend>(values: Vec<bool>, shape: Shape, device: &Device<B>) -> BoolTensor<B> {
    B::bool_from_data(TensorData::new(values, shape).or_raise(), device).or_raise()
}

fn vector_shape(len: usize, dim: usize, rank: usize) -> Shape {
    let mut shape = vec![1; rank - dim];
    shape[0] = len;
    shape.into()
}
