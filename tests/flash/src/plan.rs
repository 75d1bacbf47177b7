//! Ops that are prepared once and run often.

use opswitch::{backend_extension, ops::CoreOps, Device, FloatTensor, TensorHandle};

/// How a smoothing is cut into pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiles {
    /// The offset of each piece.
    starts: Vec<usize>,
    weight: f64,
}

/// Smoothing of long signals.
#[backend_extension(backends = any)]
pub trait PlanOps: CoreOps {
    /// How the backend goes about it.
    type Plan: Clone + core::fmt::Debug + PartialEq + Send + Sync + 'static = Tiles;

    /// The length of a piece.
    const TILE: usize = 2;

    /// What [`smooth`](Self::smooth) needs to know for `len` values.
    #[backward(none)]
    fn plan(len: usize, weight: f64, device: &Device<Self>) -> Self::Plan {
        let _ = device;
        Tiles { starts: (0..len).step_by(Self::TILE).collect(), weight }
    }

    /// Each value of a vector, `weight` of it taken from the mean of its piece.
    #[backward {
        // What is linear and symmetric is its own gradient.
        x => B::smooth(grad, plan);
    }]
    fn smooth(x: FloatTensor<Self>, plan: Self::Plan) -> FloatTensor<Self> {
        let len = x.shape().num_elements();
        let pieces = plan.starts.iter().map(|&start| {
            let end = (start + Self::TILE).min(len);
            let piece = Self::float_slice(x.clone(), &[(start as isize..end as isize).into()]);
            let mean =
                Self::float_div_scalar(Self::float_sum(piece.clone(), &[0], true), (end - start) as f64);
            let kept = Self::float_mul_scalar(piece, 1.0 - plan.weight);
            Self::float_add(kept, Self::float_mul_scalar(mean, plan.weight))
        });
        Self::float_cat(pieces.collect(), 0)
    }
}
