//! The op's kernel for the CPU.
//!
//! The product is computed in blocks of rows. Each block gets bias and `ReLU` while it is still in the cache, so the
//! result crosses the memory bus once instead of three times.

use std::ops::Add;

use gemm::{Parallelism, gemm};
use opswitch::{DType, Element, OrRaise, TensorData};
use opswitch_cpu::{Cpu, CpuTensor};
use rayon::prelude::*;

use crate::fused::{FusedOps, common_dtype, product_shape, unfused};

/// Rows in a block.
const BLOCK: usize = 64;

/// Multiplications from which blocks run on all cores; below it, waking threads costs more than they save.
const PARALLEL: usize = 1 << 20;

impl FusedOps for Cpu {
    #[track_caller]
    fn matmul_add_relu(lhs: CpuTensor, rhs: CpuTensor, bias: Option<CpuTensor>) -> CpuTensor {
        let sizes = product_shape(&lhs, &rhs, bias.as_ref()).or_raise();
        match common_dtype(&lhs, &rhs, bias.as_ref()) {
            Some(DType::F32) => fused::<f32>(sizes, lhs, rhs, bias),
            Some(DType::F64) => fused::<f64>(sizes, lhs, rhs, bias),
            _ => unfused::<Self>(lhs, rhs, bias),
        }
    }
}

/// What a kernel asks of a number, beside what a tensor does.
trait Number: Element + Add<Output = Self> + PartialOrd + From<f32> {}

impl Number for f32 {}
impl Number for f64 {}

fn fused<E: Number>(
    [rows, inner, columns]: [usize; 3],
    lhs: CpuTensor,
    rhs: CpuTensor,
    bias: Option<CpuTensor>,
) -> CpuTensor {
    let (lhs, rhs, bias) = (lhs.contiguous(), rhs.contiguous(), bias.map(CpuTensor::contiguous));
    let (lhs, rhs, bias) = (elements::<E>(&lhs), elements::<E>(&rhs), bias.as_ref().map(elements::<E>));
    let mut result = vec![E::default(); rows * columns];
    let fill = |(i, block): (usize, &mut [E])| {
        multiply(&lhs[i * BLOCK * inner..], rhs, [block.len() / columns, inner, columns], block);
        add_and_rectify(block, bias, columns);
    };
    // A chunk cannot have length 0, though a product can have no columns.
    let block = (BLOCK * columns).max(1);
    if rows * inner * columns < PARALLEL {
        result.chunks_mut(block).enumerate().for_each(fill);
    } else {
        result.par_chunks_mut(block).enumerate().for_each(fill);
    }
    CpuTensor::from_data(TensorData::new(result, [rows, columns]).or_raise())
}

/// The elements of a tensor that is contiguous and whose type was matched.
fn elements<E: Element>(tensor: &CpuTensor) -> &[E] {
    tensor.as_slice().expect("the tensor is contiguous and of this type")
}

/// The product of two row-major matrices with `m` rows, `k` inner steps and `n` columns. `lhs` may go on after its rows.
fn multiply<E: Number>(lhs: &[E], rhs: &[E], [m, k, n]: [usize; 3], result: &mut [E]) {
    assert!(lhs.len() >= m * k && rhs.len() == k * n && result.len() == m * n);
    // SAFETY: the strides are those of row-major matrices, which the slices were found to hold.
    unsafe {
        gemm(
            m,
            n,
            k,
            result.as_mut_ptr(),
            1,
            n as isize,
            false,
            lhs.as_ptr(),
            1,
            k as isize,
            rhs.as_ptr(),
            1,
            n as isize,
            E::from(0.0),
            E::from(1.0),
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Adds the bias to each row and replaces what is negative by 0. NaN is not negative: it stays, as in `relu`.
fn add_and_rectify<E: Number>(block: &mut [E], bias: Option<&[E]>, columns: usize) {
    let zero = E::from(0.0);
    let rectified = |x: E| if x < zero { zero } else { x };
    match bias {
        Some(bias) => {
            for row in block.chunks_exact_mut(columns) {
                row.iter_mut().zip(bias).for_each(|(x, &b)| *x = rectified(*x + b));
            }
        }
        None => block.iter_mut().for_each(|x| *x = rectified(*x)),
    }
}
