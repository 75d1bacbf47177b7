//! Where the extremes are.

use opswitch_core::{
    DType, OrRaise,
    layout::{Blocks, movement},
    shape::{check_dim, check_some},
};

use super::{
    Extreme,
    blocks::reduce,
    plan::{GROUP, Plan, Team},
};
use crate::{
    elementwise::stored_type,
    index,
    kernel::{Kernel, Values, variant},
    launch::Launch,
    tensor::WgpuTensor,
};

// SAFETY: it stops at the ends of its rows, and `Blocks` are those of the input.
static ARG: Kernel = unsafe { Kernel::trusted("arg", include_str!("../kernels/arg.wgsl")) };

/// The index of the first extreme along `dim`, or of the first NaN if there is one.
#[track_caller]
pub(crate) fn arg_reduce(
    op: &'static str,
    extreme: Extreme,
    x: &WgpuTensor,
    dim: usize,
    keep_dims: bool,
) -> WgpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    check_some(op, x.layout().shape(), &[dim]).or_raise();
    reduce(op, x, &[dim], keep_dims, |x, blocks| first_of_blocks(op, extreme, x, blocks))
}

/// The extremes along `dim`, and their indices.
#[track_caller]
pub(crate) fn reduce_with_index(
    op: &'static str,
    extreme: Extreme,
    x: &WgpuTensor,
    dim: usize,
    keep_dims: bool,
) -> (WgpuTensor, WgpuTensor) {
    let chosen = arg_reduce(op, extreme, x, dim, true);
    let shape = x.layout().shape().reduced(&[dim], keep_dims);
    let values = index::gather(op, x, dim, &chosen);
    (movement::reshape(op, values, shape.clone()), movement::reshape(op, chosen, shape))
}

/// The first extreme of each row or column of `x`, which lies in row-major order: of each piece, and then of those.
#[track_caller]
fn first_of_blocks(op: &'static str, extreme: Extreme, x: &WgpuTensor, blocks: Blocks) -> WgpuTensor {
    let plan = Plan::new(blocks);
    let firsts = x.new_output(op, [blocks.outer, plan.pieces, blocks.inner], DType::I32);
    launch(op, extreme, plan, blocks, [x, &firsts]);
    if plan.pieces == 1 {
        return firsts;
    }
    let x = movement::reshape(op, x.clone(), blocks.shape());
    let values = index::gather(op, &x, 1, &firsts);
    let winners = first_of_blocks(op, extreme, &values, Blocks { reduced: plan.pieces, ..blocks });
    index::gather(op, &firsts, 1, &winners)
}

#[track_caller]
fn launch(op: &'static str, extreme: Extreme, plan: Plan, blocks: Blocks, [x, y]: [&WgpuTensor; 2]) {
    let tasks = y.layout().num_elements();
    let params = [
        blocks.reduced as u32,
        blocks.inner as u32,
        plan.piece as u32,
        plan.pieces as u32,
        tasks as u32,
        0,
        0,
    ];
    let dtype = x.element_type();
    Launch::new(op, &ARG)
        .variant(variant([extreme as u8, plan.team as u8, dtype as u8]), &|| {
            values(extreme, plan.team, dtype)
        })
        .input(x)
        .output(y)
        .params(&params)
        .dispatch_each(plan.team.invocations(tasks), GROUP);
}

fn values(extreme: Extreme, team: Team, dtype: DType) -> Values {
    let beaten = match extreme {
        Extreme::Greatest => "lhs.value < rhs.value",
        Extreme::Least => "lhs.value > rhs.value",
    };
    vec![
        ("beaten", beaten.into()),
        ("input", stored_type(dtype).into()),
        ("output", stored_type(DType::I32).into()),
        ("wide", stored_type(DType::F32).into()),
        ("team", team.source().into()),
        ("finished", "acc.index".into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate;

    #[test]
    fn the_kernel_is_valid_for_every_type() {
        for team in [Team::Invocation, Team::Group] {
            for dtype in [DType::F32, DType::F16] {
                validate(&ARG, &values(Extreme::Greatest, team, dtype));
                validate(&ARG, &values(Extreme::Least, team, dtype));
            }
        }
    }
}
