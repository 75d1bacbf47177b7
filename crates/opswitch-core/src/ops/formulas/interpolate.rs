//! Resampling of images, along one dimension after the other.

use super::{
    taps::{along, pick},
    width::in_wide,
};
use crate::{
    backend::{FloatTensor, TensorHandle},
    error::{ShapeError, raise},
    op_error::OpError,
    ops::{FloatOps, InterpolateMode},
};

#[track_caller]
pub(in crate::ops) fn interpolate<B: FloatOps>(
    x: FloatTensor<B>,
    output_size: [usize; 2],
    mode: InterpolateMode,
    align_corners: bool,
) -> FloatTensor<B> {
    let shape = x.shape();
    let misfit = if shape.rank() != 4 {
        Some("images have the dimensions batch, channels, height and width")
    } else if shape[2..].contains(&0) || output_size.contains(&0) {
        Some("neither image can be without height or width")
    } else {
        None
    };
    if let Some(reason) = misfit {
        raise(&ShapeError::pair("interpolate", &shape, &output_size.into(), reason));
    }
    if align_corners && mode == InterpolateMode::Nearest {
        let reason = "nearest neighbours have no corners to align";
        raise(&OpError::Parameter { op: "interpolate", reason });
    }
    let resize = |x, dim: usize| resize::<B>(x, dim, output_size[dim - 2], mode, align_corners);
    if mode == InterpolateMode::Nearest {
        return resize(resize(x, 2), 3);
    }
    in_wide::<B>(x, |x| resize(resize(x, 2), 3))
}

fn resize<B: FloatOps>(
    x: FloatTensor<B>,
    dim: usize,
    size: usize,
    mode: InterpolateMode,
    align_corners: bool,
) -> FloatTensor<B> {
    let shape = x.shape();
    let extent = shape[dim];
    if mode == InterpolateMode::Nearest {
        let lists: Vec<Vec<usize>> = (0..size).map(|i| vec![i * extent / size]).collect();
        return B::float_reshape(pick::<B>(x, dim, &lists), shape.with_dim(dim, size));
    }
    let taps: Vec<Vec<(usize, f64)>> = (0..size)
        .map(|i| {
            let place = place(i, extent, size, align_corners);
            if mode == InterpolateMode::Bicubic { bicubic(place, extent) } else { bilinear(place, extent) }
        })
        .collect();
    let (rank, dtype, device) = (shape.rank(), x.dtype(), x.device());
    let width = taps[0].len();
    let mut sum: Option<FloatTensor<B>> = None;
    for tap in 0..width {
        let lists: Vec<Vec<usize>> = taps.iter().map(|taps| vec![taps[tap].0]).collect();
        let weights = taps.iter().map(|taps| taps[tap].1).collect();
        let picked = B::float_reshape(pick::<B>(x.clone(), dim, &lists), shape.clone().with_dim(dim, size));
        let part = B::float_mul(picked, along::<B>(weights, dim, rank, dtype, &device));
        sum = Some(match sum {
            Some(sum) => B::float_add(sum, part),
            None => part,
        });
    }
    sum.expect("there are two taps or four")
}

/// Where the center of new element `i` of `size` is among `extent` old ones.
fn place(i: usize, extent: usize, size: usize, align_corners: bool) -> f64 {
    match (align_corners, size) {
        (true, 1) => 0.0,
        (true, _) => i as f64 * ((extent - 1) as f64 / (size - 1) as f64),
        (false, _) => (i as f64 + 0.5) * (extent as f64 / size as f64) - 0.5,
    }
}

fn bilinear(place: f64, extent: usize) -> Vec<(usize, f64)> {
    let place = place.max(0.0);
    let first = (place as usize).min(extent - 1);
    let rest = (place - first as f64).min(1.0);
    vec![(first, 1.0 - rest), ((first + 1).min(extent - 1), rest)]
}

/// Keys (1981), equations 15 and 16, with a = -0.75.
fn bicubic(place: f64, extent: usize) -> Vec<(usize, f64)> {
    const A: f64 = -0.75;
    let near = |t: f64| ((A + 2.0) * t - (A + 3.0)) * t * t + 1.0;
    let far = |t: f64| ((A * t - 5.0 * A) * t + 8.0 * A) * t - 4.0 * A;
    let first = place.floor();
    let t = place - first;
    let weights = [far(t + 1.0), near(t), near(1.0 - t), far(2.0 - t)];
    let position = |tap: usize| (first + tap as f64 - 1.0).clamp(0.0, (extent - 1) as f64) as usize;
    weights.into_iter().enumerate().map(|(tap, weight)| (position(tap), weight)).collect()
}
