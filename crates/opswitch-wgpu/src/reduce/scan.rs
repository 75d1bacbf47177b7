//! Scans: for each element, what it and those before it combine to.

use opswitch_core::{
    DType, OrRaise,
    layout::{Blocks, Layout, StridedTensor, dense_order, inverse, movement},
    shape::check_dim,
};

use super::{
    fold::{Fold, fold_pieces, wide_type},
    plan::{GROUP, Plan, Team},
};
use crate::{
    elementwise::stored_type,
    kernel::{Kernel, Values, variant},
    launch::Launch,
    tensor::WgpuTensor,
};

// SAFETY: it stops at the ends of its pieces, which are those of the input, and reads what is there for the piece before.
static SCAN: Kernel = unsafe { Kernel::trusted("scan", include_str!("../kernels/scan.wgsl")) };

macro_rules! scans {
    ($($(#[$doc:meta])* $name:ident => $fold:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub(crate) fn $name(op: &'static str, x: &WgpuTensor, dim: usize) -> WgpuTensor {
            scan(op, Fold::$fold, x, dim)
        }
    )*};
}

scans! {
    /// The sums of floats or integers along `dim`.
    cumsum => Sum;
    /// The products of floats or integers along `dim`.
    cumprod => Product;
}

/// The scan along `dim`, in the order in which the elements lie.
#[track_caller]
fn scan(op: &'static str, fold: Fold, x: &WgpuTensor, dim: usize) -> WgpuTensor {
    check_dim(op, x.layout().shape(), dim).or_raise();
    let Some(axes) = dense_order(x.layout()) else {
        return scan_row_major(op, fold, x.clone().contiguous(op), dim);
    };
    let inverse = inverse(&axes);
    let scanned = scan_row_major(op, fold, movement::permute(op, x.clone(), &axes), inverse[dim]);
    movement::permute(op, scanned, &inverse)
}

#[track_caller]
fn scan_row_major(op: &'static str, fold: Fold, x: WgpuTensor, dim: usize) -> WgpuTensor {
    let (shape, dtype) = (x.layout().shape().clone(), x.element_type());
    let blocks = Blocks::along(&shape, dim);
    scan_blocks(op, fold, &x, blocks, dtype).with_layout(Layout::contiguous(shape))
}

/// The scan of the blocks of `x`, which lies in row-major order, in elements of type `output`: of their pieces as wholes if
/// there are several, and then within each.
#[track_caller]
fn scan_blocks(op: &'static str, fold: Fold, x: &WgpuTensor, blocks: Blocks, output: DType) -> WgpuTensor {
    let plan = Plan::new(blocks);
    let wholes = (plan.pieces > 1).then(|| {
        let wholes = fold_pieces(op, fold, x, blocks, plan);
        let dtype = wholes.element_type();
        scan_blocks(op, fold, &wholes, Blocks { reduced: plan.pieces, ..blocks }, dtype)
    });
    let y = x.new_output(op, blocks.shape(), output);
    launch(op, fold, plan, blocks, [x, &y], wholes.as_ref());
    y
}

#[track_caller]
fn launch(
    op: &'static str,
    fold: Fold,
    plan: Plan,
    blocks: Blocks,
    [x, y]: [&WgpuTensor; 2],
    wholes: Option<&WgpuTensor>,
) {
    let (input, output) = (x.element_type(), y.element_type());
    let tasks = blocks.num_results() * plan.pieces;
    let params = [
        blocks.reduced as u32,
        blocks.inner as u32,
        plan.piece as u32,
        plan.pieces as u32,
        tasks as u32,
        fold.identity(input),
    ];
    let in_pieces = wholes.is_some();
    let number = variant([fold as u8, plan.team as u8, in_pieces.into(), input as u8, output as u8]);
    let values = || values(fold, plan.team, in_pieces, [input, output]);
    let launch = Launch::new(op, &SCAN).variant(number, &values).input(x).output(y);
    let launch = match wholes {
        Some(wholes) => launch.input(wholes),
        None => launch,
    };
    launch.params(&params).dispatch_each(plan.team.invocations(tasks), GROUP);
}

fn values(fold: Fold, team: Team, in_pieces: bool, [input, output]: [DType; 2]) -> Values {
    let team = match team {
        Team::Invocation => include_str!("../kernels/scan_of_invocation.wgsl"),
        Team::Group => include_str!("../kernels/scan_of_group.wgsl"),
    };
    let start = if in_pieces {
        include_str!("../kernels/scan_from_piece.wgsl")
    } else {
        include_str!("../kernels/scan_from_start.wgsl")
    };
    vec![
        ("input", stored_type(input).into()),
        ("output", stored_type(output).into()),
        ("wide", stored_type(wide_type(input)).into()),
        ("team", team.into()),
        ("start", start.into()),
        ("combined", fold.combined(input).expect("sums and products are single values").into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::validate;

    #[test]
    fn the_kernel_is_valid_for_every_type() {
        for fold in [Fold::Sum, Fold::Product] {
            for team in [Team::Invocation, Team::Group] {
                for dtype in [DType::F32, DType::F16, DType::I32, DType::U32] {
                    validate(&SCAN, &values(fold, team, false, [dtype, dtype]));
                    validate(&SCAN, &values(fold, team, true, [dtype, dtype]));
                }
            }
        }
    }
}
