//! Products of two tensors whose dimensions have labels.

use std::collections::BTreeMap;

use super::equation::Label;
use crate::{
    backend::{FloatTensor, TensorHandle},
    ops::FloatOps,
    shape::Shape,
    slice::Slice,
};

/// A tensor, and the labels of its dimensions.
pub(super) struct Operand<B: FloatOps> {
    pub(super) tensor: FloatTensor<B>,
    pub(super) labels: Vec<Label>,
}

impl<B: FloatOps> Clone for Operand<B> {
    fn clone(&self) -> Self {
        Self { tensor: self.tensor.clone(), labels: self.labels.clone() }
    }
}

impl<B: FloatOps> Operand<B> {
    /// The diagonal where a label stands twice: it is every (n + 1)th element of both dimensions merged.
    pub(super) fn with_diagonals(mut self) -> Self {
        let repeated =
            |labels: &[Label]| (1..labels.len()).find(|&second| labels[..second].contains(&labels[second]));
        while let Some(second) = repeated(&self.labels) {
            let label = self.labels[second];
            let (mut axes, mut twice) = (Vec::new(), Vec::new());
            for (axis, other) in self.labels.iter().enumerate() {
                if *other == label && twice.len() < 2 { twice.push(axis) } else { axes.push(axis) }
            }
            let rest = axes.len();
            axes.extend(twice);
            let moved = self.tensor.shape().permuted(&axes);
            let extent = moved[rest];
            let merged = moved[..rest].iter().copied().chain([extent * extent]).collect();
            let flat = B::float_reshape(B::float_permute(self.tensor, &axes), merged);
            let mut slices = vec![Slice::FULL; rest];
            slices.push(Slice::new(None, None, extent as isize + 1));
            self.tensor = B::float_slice(flat, &slices);
            let labels = axes[..rest].iter().map(|&axis| self.labels[axis]);
            self.labels = labels.chain([label]).collect();
        }
        self
    }

    /// Without the dimensions of extent 1 that others have more elements in: the elements are the same for all of those.
    pub(super) fn without_repeated(self, extents: &BTreeMap<Label, usize>) -> Self {
        let shape = self.tensor.shape();
        let kept: Vec<_> =
            (0..shape.rank()).filter(|&dim| shape[dim] == extents[&self.labels[dim]]).collect();
        let tensor = B::float_reshape(self.tensor, shape.permuted(&kept));
        Self { tensor, labels: kept.into_iter().map(|dim| self.labels[dim]).collect() }
    }

    /// The sum over the dimensions that are not kept.
    pub(super) fn summed(self, is_kept: &[bool]) -> Self {
        if is_kept.iter().all(|&kept| kept) {
            return self;
        }
        let dims: Vec<_> = (0..is_kept.len()).filter(|&dim| !is_kept[dim]).collect();
        let labels = self.labels.into_iter().zip(is_kept).filter(|&(_, &kept)| kept);
        Self {
            labels: labels.map(|(label, _)| label).collect(),
            tensor: B::float_sum(self.tensor, &dims, false),
        }
    }

    /// The tensor with its dimensions in the order of `labels`.
    pub(super) fn in_order(self, labels: &[Label]) -> FloatTensor<B> {
        let position = |label| self.labels.iter().position(|other| other == label);
        let axes: Vec<_> = labels
            .iter()
            .map(|label| position(label).expect("the product has every label of the result"))
            .collect();
        if axes.is_sorted() { self.tensor } else { B::float_permute(self.tensor, &axes) }
    }

    /// The extents of some dimensions.
    fn extents(&self, labels: &[Label]) -> Vec<usize> {
        let (shape, all) = (self.tensor.shape(), self.labels.iter());
        let extent: BTreeMap<_, _> = all.zip(shape.iter().copied()).collect();
        labels.iter().map(|label| extent[label]).collect()
    }

    /// Three groups of dimensions, each merged into one.
    fn merged(self, groups: [&[Label]; 3]) -> FloatTensor<B> {
        let shape: Shape = groups.iter().map(|labels| self.extents(labels).iter().product()).collect();
        B::float_reshape(self.in_order(&groups.concat()), shape)
    }
}

/// The product of two tensors, summed over the labels that are not needed any more, as one batch of matrix products.
#[track_caller]
pub(super) fn contract<B: FloatOps>(
    lhs: Operand<B>,
    rhs: Operand<B>,
    is_needed: impl Fn(Label) -> bool,
) -> Operand<B> {
    let (mut shared, left): (Vec<_>, Vec<_>) =
        lhs.labels.iter().copied().partition(|label| rhs.labels.contains(label));
    let right: Vec<_> = rhs.labels.iter().copied().filter(|label| !lhs.labels.contains(label)).collect();
    let (batch, summed): (Vec<_>, Vec<_>) = shared.drain(..).partition(|&label| is_needed(label));
    let shape: Shape = [lhs.extents(&batch), lhs.extents(&left), rhs.extents(&right)].concat().into();
    let lhs = lhs.merged([&batch, &left, &summed]);
    let rhs = rhs.merged([&batch, &summed, &right]);
    let product = if summed.is_empty() { B::float_mul(lhs, rhs) } else { B::float_matmul(lhs, rhs) };
    Operand { tensor: B::float_reshape(product, shape), labels: [batch, left, right].concat() }
}
