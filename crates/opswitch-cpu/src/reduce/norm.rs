//! Normalisation over the last dimensions: one pass over a row for its mean, one for what it deviates, one for the result.

use opswitch_core::{Element as _, OrRaise, check_same_type, shape::check_norm};

use super::fold::{Sum, fold_row};
use crate::{
    element::{Float, Real},
    parallel::{self, Sink},
    tensor::CpuTensor,
};

/// What a row is measured from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Center {
    Mean,
    Zero,
}

/// Elements whose deviations are summed in lanes before the sums are merged pairwise.
const BLOCK: usize = 512;
const LANES: usize = 16;

/// (x - center) / sqrt(mean((x - center)²) + eps) * weight + bias over the last `normalized_dims` dimensions.
#[track_caller]
pub(crate) fn norm<E: Float>(
    op: &'static str,
    x: CpuTensor,
    [weight, bias]: [Option<CpuTensor>; 2],
    normalized_dims: usize,
    (center, eps): (Center, f64),
) -> CpuTensor {
    let mut shapes = Vec::with_capacity(2);
    for parameter in [&weight, &bias].into_iter().flatten() {
        check_same_type(op, &x, parameter);
        shapes.push(parameter.layout().shape().clone());
    }
    let shape = x.layout().shape();
    check_norm(op, shape, normalized_dims, &shapes).or_raise();
    let len = shape[shape.rank() - normalized_dims..].iter().product::<usize>().max(1);
    let [weight, bias] = [weight, bias].map(|parameter| parameter.map(wide_values::<E>));
    let eps = E::Wide::from_f64(eps);
    let x = x.contiguous();
    let values = x.row_major::<E>();
    let normalised = parallel::collect(values.len(), len, parallel::HEAVY, |range, sink| {
        let mut buffer = Vec::new();
        for row in values[range].chunks_exact(len) {
            let row = E::wide(row, &mut buffer);
            let (shift, factor) = shift_and_factor(row, center, eps);
            write::<E>(sink, row, |x| (x - shift.0 - shift.1) * factor, weight.as_deref(), bias.as_deref());
        }
    });
    CpuTensor::placed(normalised, x.layout().at_start())
}

fn wide_values<E: Float>(parameter: CpuTensor) -> Vec<E::Wide> {
    parameter.into_values::<E>().into_iter().map(E::widen).collect()
}

/// The center of a row as a rounded mean and what that leaves over, and the factor for the deviations from it.
///
/// A mean that is large beside the deviations is rounded to more than their own precision. What is left over is the mean of
/// the deviations from it, and is taken off their squares as well (the corrected two-pass algorithm of Chan et al. 1983).
fn shift_and_factor<R: Real>(row: &[R], center: Center, eps: R) -> ((R, R), R) {
    let count = R::from_f64(row.len() as f64);
    let mean = match center {
        Center::Mean => fold_row(Sum::<R>::NEW, row) / count,
        Center::Zero => R::ZERO,
    };
    let (sum, squares) = deviations(row, mean);
    let (rest, variance) = match center {
        Center::Mean => (sum / count, ((squares - sum * sum / count) / count).at_least(R::ZERO)),
        Center::Zero => (R::ZERO, squares / count),
    };
    ((mean, rest), R::ONE / (variance + eps).sqrt())
}

/// The sums of the deviations from `mean` and of their squares, pairwise.
fn deviations<R: Real>(row: &[R], mean: R) -> (R, R) {
    if row.len() > BLOCK {
        let (left, right) = row.split_at((row.len() / 2).next_multiple_of(BLOCK));
        let (left, right) = (deviations(left, mean), deviations(right, mean));
        return (left.0 + right.0, left.1 + right.1);
    }
    let (chunks, rest) = row.as_chunks::<LANES>();
    let (mut sums, mut squares) = ([R::ZERO; LANES], [R::ZERO; LANES]);
    for chunk in chunks {
        for ((sum, square), &x) in sums.iter_mut().zip(&mut squares).zip(chunk) {
            let deviation = x - mean;
            *sum = *sum + deviation;
            *square = *square + deviation * deviation;
        }
    }
    let of_rest = rest.iter().fold((R::ZERO, R::ZERO), |(sum, square), &x| {
        let deviation = x - mean;
        (sum + deviation, square + deviation * deviation)
    });
    let lanes = sums.into_iter().zip(squares);
    lanes.fold(of_rest, |(sum, square), lane| (sum + lane.0, square + lane.1))
}

#[inline]
fn write<E: Float>(
    sink: &mut Sink<'_, E>,
    row: &[E::Wide],
    normal: impl Fn(E::Wide) -> E::Wide,
    weight: Option<&[E::Wide]>,
    bias: Option<&[E::Wide]>,
) {
    let normal = row.iter().map(|&x| normal(x));
    match (weight, bias) {
        (None, None) => sink.extend(normal.map(E::narrow)),
        (Some(weight), None) => sink.extend(normal.zip(weight).map(|(x, &weight)| E::narrow(x * weight))),
        (None, Some(bias)) => sink.extend(normal.zip(bias).map(|(x, &bias)| E::narrow(x + bias))),
        (Some(weight), Some(bias)) => {
            let parameters = weight.iter().zip(bias);
            sink.extend(normal.zip(parameters).map(|(x, (&weight, &bias))| E::narrow(x * weight + bias)));
        }
    }
}
