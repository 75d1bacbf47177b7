//! Sums, products, extremes and logarithms of sums.

use opswitch_core::{
    DType, OrRaise,
    layout::Blocks,
    shape::{check_dims, check_some},
};

use super::{
    Extreme,
    blocks::reduce,
    plan::{GROUP, Plan},
};
use crate::{
    elementwise::stored_type,
    kernel::{Kernel, Values, variant},
    launch::Launch,
    strided,
    tensor::WgpuTensor,
};

/// Elements of a vector.
const VECTOR: usize = strided::VECTOR as usize;

// SAFETY: both stop at the ends of their rows, and `Blocks` are those of the input.
static FOLD: Kernel = unsafe { Kernel::trusted("fold", include_str!("../kernels/fold.wgsl")) };
// SAFETY: as above.
static LOG_SUM_EXP: Kernel =
    unsafe { Kernel::trusted("log_sum_exp", include_str!("../kernels/log_sum_exp.wgsl")) };

/// An associative way to make one value of many. Halves are widened; integers wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Sum,
    Product,
    Mean,
    /// The greatest; of booleans, whether one is `true`; of floats, NaN if there is one.
    Max,
    /// The least; of booleans, whether all are `true`; of floats, NaN if there is one.
    Min,
    /// ln Σ e<sup>x</sup>
    LogSumExp,
}

macro_rules! folds {
    ($($(#[$doc:meta])* $name:ident => $fold:ident;)*) => {$(
        $(#[$doc])*
        #[track_caller]
        pub(crate) fn $name(op: &'static str, x: &WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
            fold(op, Fold::$fold, x, dims, keep_dims)
        }
    )*};
}

folds! {
    /// The sum of floats or integers.
    sum => Sum;
    /// The product of floats or integers.
    product => Product;
    /// The mean of floats.
    mean => Mean;
    /// Whether a boolean is `true`.
    any => Max;
    /// Whether all booleans are `true`.
    all => Min;
    /// ln Σ e<sup>x</sup>
    log_sum_exp => LogSumExp;
}

/// The greatest or least number, which nothing does not have.
#[track_caller]
pub(crate) fn extreme(
    op: &'static str,
    extreme: Extreme,
    x: &WgpuTensor,
    dims: &[usize],
    keep_dims: bool,
) -> WgpuTensor {
    check_dims(op, x.layout().shape(), dims).or_raise();
    check_some(op, x.layout().shape(), dims).or_raise();
    let extreme = match extreme {
        Extreme::Greatest => Fold::Max,
        Extreme::Least => Fold::Min,
    };
    fold(op, extreme, x, dims, keep_dims)
}

#[track_caller]
fn fold(op: &'static str, fold: Fold, x: &WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
    let dtype = x.element_type();
    reduce(op, x, dims, keep_dims, |x, blocks| fold_blocks(op, fold, x, blocks, dtype))
}

/// The reduction of the blocks of `x`, which lies in row-major order: `outer x 1 x inner` elements of type `output`.
#[track_caller]
pub(crate) fn fold_blocks(
    op: &'static str,
    fold: Fold,
    x: &WgpuTensor,
    blocks: Blocks,
    output: DType,
) -> WgpuTensor {
    let count = blocks.reduced;
    let (mut x, mut blocks) = (x.clone(), blocks);
    let mut width = fold.width(x.element_type(), blocks);
    blocks.reduced /= width;
    loop {
        let plan = Plan::new(blocks);
        let stage = Stage { fold, plan, blocks, count, width, is_last: plan.pieces == 1 };
        if stage.is_last {
            let y = x.new_output(op, [blocks.outer, 1, blocks.inner], output);
            stage.launch(op, &x, &y);
            return y;
        }
        (x, blocks.reduced, width) = (stage.launch_pieces(op, &x), plan.pieces, 1);
    }
}

/// The reduction of each piece of the blocks of `x`, in the wide type: `outer x pieces x inner` elements.
#[track_caller]
pub(super) fn fold_pieces(
    op: &'static str,
    fold: Fold,
    x: &WgpuTensor,
    blocks: Blocks,
    plan: Plan,
) -> WgpuTensor {
    Stage { fold, plan, blocks, count: blocks.reduced, width: 1, is_last: false }.launch_pieces(op, x)
}

/// One pass over the elements.
struct Stage {
    fold: Fold,
    plan: Plan,
    blocks: Blocks,
    /// The elements of one result.
    count: usize,
    /// The elements that are read at once: 1 or [`VECTOR`].
    width: usize,
    is_last: bool,
}

impl Stage {
    /// The results of a stage that is not the last, in the wide type.
    #[track_caller]
    fn launch_pieces(&self, op: &'static str, x: &WgpuTensor) -> WgpuTensor {
        let Self { blocks, plan, .. } = *self;
        let y = x.new_output(op, [blocks.outer, plan.pieces, blocks.inner], wide_type(x.element_type()));
        self.launch(op, x, &y);
        y
    }

    #[track_caller]
    fn launch(&self, op: &'static str, x: &WgpuTensor, y: &WgpuTensor) {
        let Self { fold, plan, blocks, .. } = *self;
        let kernel = if fold == Fold::LogSumExp { &LOG_SUM_EXP } else { &FOLD };
        let (input, output) = (x.element_type(), y.element_type());
        let tasks = y.layout().num_elements();
        let params = [
            blocks.reduced as u32,
            blocks.inner as u32,
            plan.piece as u32,
            plan.pieces as u32,
            tasks as u32,
            fold.identity(input),
            (self.count as f32).to_bits(),
        ];
        Launch::new(op, kernel)
            .variant(self.variant(input, output), &|| self.values(input, output))
            .input(x)
            .output(y)
            .params(&params)
            .dispatch_each(plan.team.invocations(tasks), GROUP);
    }

    fn variant(&self, input: DType, output: DType) -> u64 {
        variant([
            self.fold as u8,
            self.plan.team as u8,
            self.width as u8,
            self.is_last.into(),
            input as u8,
            output as u8,
        ])
    }

    fn values(&self, input: DType, output: DType) -> Values {
        let wide = stored_type(wide_type(input));
        let of_width =
            |ty: &str| if self.width == 1 { ty.to_owned() } else { format!("vec{}<{ty}>", self.width) };
        let acc = if self.width == 1 { "acc" } else { "((acc.x + acc.y) + (acc.z + acc.w))" };
        let finished = match self.fold {
            Fold::Mean if self.is_last => format!("{acc} / params.divisor"),
            Fold::LogSumExp => "log_sum(acc)".to_owned(),
            _ => acc.to_owned(),
        };
        let mut values: Values = vec![
            ("input", of_width(stored_type(input)).into()),
            ("output", stored_type(output).into()),
            ("wide", of_width(wide).into()),
            ("team", self.plan.team.source().into()),
            ("finished", finished.into()),
        ];
        if let Some(combined) = self.fold.combined(input) {
            values.push(("combined", combined.into()));
            values.push(("identity", format!("bitcast<{wide}>(params.identity)").into()));
        }
        values
    }
}

impl Fold {
    /// How many elements are read at once: vectors where they are added along whole rows of them.
    fn width(self, dtype: DType, blocks: Blocks) -> usize {
        let adds = matches!(self, Self::Sum | Self::Mean) && dtype != DType::Bool;
        if adds && blocks.inner == 1 && blocks.reduced.is_multiple_of(VECTOR) { VECTOR } else { 1 }
    }

    /// The bits of what nothing folds to, in the wide type.
    pub(super) fn identity(self, dtype: DType) -> u32 {
        match (self, dtype) {
            (Self::Sum | Self::Mean, _) | (Self::Max, DType::U32 | DType::Bool) => 0,
            (Self::Product, dtype) if dtype.is_float() => 1f32.to_bits(),
            (Self::Product, _) | (Self::Min, DType::Bool) => 1,
            (Self::Max, DType::I32) => i32::MIN as u32,
            (Self::Min, DType::I32) => i32::MAX as u32,
            (Self::Min, DType::U32) => u32::MAX,
            (Self::Max | Self::LogSumExp, _) => f32::NEG_INFINITY.to_bits(),
            (Self::Min, _) => f32::INFINITY.to_bits(),
        }
    }

    /// What two accumulators combine to, where these are single values.
    pub(super) fn combined(self, dtype: DType) -> Option<&'static str> {
        match (self, dtype.is_float()) {
            (Self::Sum | Self::Mean, _) => Some("lhs + rhs"),
            (Self::Product, _) => Some("lhs * rhs"),
            (Self::Max, true) => Some("greatest(lhs, rhs)"),
            (Self::Min, true) => Some("least(lhs, rhs)"),
            (Self::Max, false) => Some("max(lhs, rhs)"),
            (Self::Min, false) => Some("min(lhs, rhs)"),
            (Self::LogSumExp, _) => None,
        }
    }
}

/// The type in which elements are added.
pub(super) fn wide_type(dtype: DType) -> DType {
    if dtype == DType::F16 { DType::F32 } else { dtype }
}

#[cfg(test)]
mod tests {
    use super::{super::plan::Team, *};
    use crate::kernel::validate;

    const FOLDS: [Fold; 6] = [Fold::Sum, Fold::Product, Fold::Mean, Fold::Max, Fold::Min, Fold::LogSumExp];

    #[test]
    fn the_kernels_are_valid_for_every_type() {
        let blocks = Blocks { outer: 1, reduced: 1, inner: 1 };
        for fold in FOLDS {
            for team in [Team::Invocation, Team::Group] {
                for dtype in [DType::F32, DType::F16, DType::I32, DType::U32, DType::Bool] {
                    if !dtype.is_float() && matches!(fold, Fold::Mean | Fold::LogSumExp) {
                        continue;
                    }
                    let plan = Plan { team, ..Plan::new(blocks) };
                    let kernel = if fold == Fold::LogSumExp { &LOG_SUM_EXP } else { &FOLD };
                    let widest = fold.width(dtype, Blocks { reduced: VECTOR, ..blocks });
                    for width in [1, widest] {
                        let stage = Stage { fold, plan, blocks, count: 1, width, is_last: true };
                        validate(kernel, &stage.values(dtype, dtype));
                    }
                }
            }
        }
    }
}
