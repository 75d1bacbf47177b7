//! Sums of products by an equation.

mod contract;
mod equation;

use self::{
    contract::{Operand, contract},
    equation::{Equation, extents},
};
use crate::{
    backend::{FloatTensor, TensorHandle},
    op_error::check_same_type,
    ops::FloatOps,
};

/// What the equation says of the tensors, multiplied one after another. A letter is summed as soon as neither a tensor that is
/// left nor the result has it.
#[track_caller]
pub(in crate::ops) fn einsum<B: FloatOps>(tensors: Vec<FloatTensor<B>>, equation: &str) -> FloatTensor<B> {
    for tensor in tensors.iter().skip(1) {
        check_same_type("float_einsum", &tensors[0], tensor);
    }
    let shapes: Vec<_> = tensors.iter().map(TensorHandle::shape).collect();
    let Equation { inputs, output } = Equation::parse(equation, &shapes);
    let extents = extents(equation, &inputs, &shapes);
    let mut operands: Vec<_> = tensors
        .into_iter()
        .zip(inputs)
        .map(|(tensor, labels)| Operand::<B> { tensor, labels }.with_diagonals().without_repeated(&extents))
        .collect();
    for at in 0..operands.len() {
        let elsewhere = |label| {
            let mut others = operands.iter().enumerate().filter(|&(other, _)| other != at);
            output.contains(&label) || others.any(|(_, operand)| operand.labels.contains(&label))
        };
        let kept: Vec<_> = operands[at].labels.iter().map(|&label| elsewhere(label)).collect();
        operands[at] = operands[at].clone().summed(&kept);
    }
    let mut left = operands.into_iter();
    let first = left.next().expect("an equation has a term, and there are as many tensors");
    let mut product = first;
    while let Some(operand) = left.next() {
        let is_needed = |label| {
            output.contains(&label) || left.as_slice().iter().any(|other| other.labels.contains(&label))
        };
        product = contract(product, operand, is_needed);
    }
    product.in_order(&output)
}
