//! Softmax and its logarithm.

use opswitch_core::{
    DType, OrRaise,
    layout::{dense_order, inverse, movement},
    ops::{FloatOps, staged_log_softmax},
    shape::check_dim,
};

use super::plan::{GROUP, Team};
use crate::{
    Wgpu,
    elementwise::stored_type,
    kernel::{Kernel, Values, variant},
    launch::{Launch, MAX_STEPS},
    tensor::WgpuTensor,
};

// SAFETY: it stops at the ends of its rows, which cover the input.
static SOFTMAX: Kernel = unsafe { Kernel::trusted("softmax", include_str!("../kernels/softmax.wgsl")) };

/// What is computed of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Softmax {
    Probability,
    Logarithm,
}

/// e<sup>x</sup> / Σ e<sup>x</sup> along `dim`.
#[track_caller]
pub(crate) fn softmax(op: &'static str, x: &WgpuTensor, dim: usize) -> WgpuTensor {
    along(op, Softmax::Probability, x, dim)
}

/// ln(softmax(x)) along `dim`.
#[track_caller]
pub(crate) fn log_softmax(op: &'static str, x: &WgpuTensor, dim: usize) -> WgpuTensor {
    along(op, Softmax::Logarithm, x, dim)
}

/// Softmax along `dim`, in the order in which the elements lie.
#[track_caller]
fn along(op: &'static str, softmax: Softmax, x: &WgpuTensor, dim: usize) -> WgpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let Some(axes) = dense_order(x.layout()) else {
        return softmax_of_rows(op, softmax, x, dim);
    };
    let inverse = inverse(&axes);
    let rows = softmax_of_rows(op, softmax, &movement::permute(op, x.clone(), &axes), inverse[dim]);
    movement::permute(op, rows, &inverse)
}

#[track_caller]
fn softmax_of_rows(op: &'static str, softmax: Softmax, x: &WgpuTensor, dim: usize) -> WgpuTensor {
    let (shape, dtype) = (x.layout().shape(), x.element_type());
    let inner: usize = shape[dim + 1..].iter().product();
    let outer: usize = shape[..dim].iter().product();
    let (len, tasks) = (shape[dim], outer * inner);
    let team = Team::new(len, inner);
    // Each element is visited twice.
    if 2 * team.share(len) > MAX_STEPS {
        let logarithm = staged_log_softmax::<Wgpu>(x.clone(), dim);
        return match softmax {
            Softmax::Probability => Wgpu::float_exp(logarithm),
            Softmax::Logarithm => logarithm,
        };
    }
    let y = x.new_output(op, shape.clone(), dtype);
    let params = [len as u32, inner as u32, tasks as u32, f32::NEG_INFINITY.to_bits()];
    Launch::new(op, &SOFTMAX)
        .variant(variant([softmax as u8, team as u8, dtype as u8]), &|| values(softmax, team, dtype))
        .input(x)
        .output(&y)
        .params(&params)
        .dispatch_each(team.invocations(tasks), GROUP);
    y
}

fn values(softmax: Softmax, team: Team, dtype: DType) -> Values {
    let result = match softmax {
        Softmax::Probability => "exponential(shifted) / sum",
        Softmax::Logarithm => "shifted - log_sum",
    };
    vec![("type", stored_type(dtype).into()), ("team", team.source().into()), ("result", result.into())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate;

    #[test]
    fn the_kernel_is_valid_for_every_type() {
        for team in [Team::Invocation, Team::Group] {
            for dtype in [DType::F32, DType::F16] {
                validate(&SOFTMAX, &values(Softmax::Probability, team, dtype));
                validate(&SOFTMAX, &values(Softmax::Logarithm, team, dtype));
            }
        }
    }
}
