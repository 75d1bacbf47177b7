//! Sums, products, extremes and truth over dimensions.

use cubecl::{ir::ElemType, prelude::*};
use opswitch_core::{
    DType, OrRaise, Shape,
    layout::Blocks,
    shape::{check_dims, check_some},
};

use super::{
    blocks::over_dims,
    cubes::{combine, grid, lane, lanes, result_pos},
    key::{from_key, to_key},
};
use crate::{create, element::elem_type, tensor::CubeTensor};

/// The most terms that the units of a cube, or one unit alone, fold in one stage.
pub(super) const CUBE_TERMS: usize = 1 << 14;
pub(super) const UNIT_TERMS: usize = 1 << 9;

/// What is made of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Fold {
    Sum,
    Product,
    Greatest,
    Least,
}

/// As what a value is folded: itself, or a signed integer of the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Value,
    FloatKey,
    UnsignedKey,
}

impl Form {
    /// The one in which elements of this type are in order.
    pub(super) fn ordered(dtype: DType) -> Self {
        match dtype {
            DType::U32 => Self::UnsignedKey,
            _ if dtype.is_float() => Self::FloatKey,
            _ => Self::Value,
        }
    }
}

/// One stage of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Stage {
    fold: Fold,
    /// What nothing folds to, and NaN where it has a key.
    identity: i32,
    load: Form,
    store: Form,
    lanes: u32,
}

#[cube]
pub(super) fn merge<A: Numeric>(lhs: A, rhs: A, #[comptime] fold: Fold) -> A {
    if comptime!(fold == Fold::Sum) {
        lhs + rhs
    } else if comptime!(fold == Fold::Product) {
        lhs * rhs
    } else if comptime!(fold == Fold::Greatest) {
        select(lhs > rhs, lhs, rhs)
    } else {
        select(lhs < rhs, lhs, rhs)
    }
}

#[cube]
fn load<T: Numeric, A: Numeric>(x: T, #[comptime] stage: Stage) -> A {
    if comptime!(stage.load == Form::FloatKey) {
        let nan = comptime!(if stage.fold == Fold::Least { i32::MIN } else { i32::MAX });
        A::cast_from(to_key(f32::cast_from(x), nan))
    } else if comptime!(stage.load == Form::UnsignedKey) {
        A::cast_from(i32::reinterpret(u32::cast_from(x)) ^ i32::MIN)
    } else {
        A::cast_from(x)
    }
}

#[cube]
fn store<A: Numeric, T: Numeric>(acc: A, #[comptime] stage: Stage) -> T {
    if comptime!(stage.store == Form::FloatKey) {
        T::cast_from(from_key(i32::cast_from(acc)))
    } else if comptime!(stage.store == Form::UnsignedKey) {
        T::cast_from(u32::reinterpret(i32::cast_from(acc) ^ i32::MIN))
    } else {
        T::cast_from(acc)
    }
}

/// Folds `parts` pieces of at most `terms` elements along the middle one of three dimensions.
#[cube(launch_unchecked)]
fn reduce_kernel<T: Numeric, A: Numeric, O: Numeric>(
    x: &[T],
    y: &mut [O],
    reduced: u32,
    inner: u32,
    parts: u32,
    terms: u32,
    #[comptime] stage: Stage,
    #[define(T)] _input: ElemType,
    #[define(A)] _accumulator: ElemType,
    #[define(O)] _output: ElemType,
) {
    let result = result_pos(stage.lanes);
    let is_inside = result < y.len() as u32;
    let outer = result / inner / parts;
    let first = outer * reduced * inner + result % inner;
    let start = result / inner % parts * terms;
    let end = select(is_inside, min(start + terms, reduced), 0);
    let mut acc = A::cast_from(comptime!(stage.identity).runtime());
    let mut i = start + lane(stage.lanes);
    while i < end {
        acc = merge::<A>(acc, load::<T, A>(x[(first + i * inner) as usize], stage), stage.fold);
        i += stage.lanes;
    }
    let acc = combine::<A>(acc, stage.fold, stage.lanes);
    if is_inside && lane(stage.lanes) == 0 {
        y[result as usize] = store::<A, O>(acc, stage);
    }
}

/// A reduction of all elements of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    /// The sum; floats add up in `f32`, integers wrap around.
    Sum,
    /// The product, in the types of sums.
    Product,
    /// The greatest, NaN if there is one.
    Max,
    /// The least, NaN if there is one.
    Min,
    /// Whether a boolean is `true`.
    Any,
    /// Whether all booleans are `true`.
    All,
}

impl Reduction {
    pub(super) fn fold(self) -> Fold {
        match self {
            Self::Sum => Fold::Sum,
            Self::Product => Fold::Product,
            Self::Max | Self::Any => Fold::Greatest,
            Self::Min | Self::All => Fold::Least,
        }
    }

    pub(super) fn identity(self) -> i32 {
        match self {
            Self::Sum | Self::Any => 0,
            Self::Product | Self::All => 1,
            Self::Max => i32::MIN,
            Self::Min => i32::MAX,
        }
    }

    fn form(self, dtype: DType) -> Form {
        match self {
            Self::Max | Self::Min => Form::ordered(dtype),
            _ => Form::Value,
        }
    }

    pub(super) fn accumulator(self, dtype: DType) -> DType {
        match self {
            Self::Sum | Self::Product if dtype.is_float() => DType::F32,
            Self::Sum | Self::Product => DType::U32,
            _ => DType::I32,
        }
    }
}

/// The reduction of `x` over `dims`, in the element type of `x`.
#[track_caller]
pub(crate) fn reduce(
    op: &'static str,
    reduction: Reduction,
    x: CubeTensor,
    dims: &[usize],
    keep_dims: bool,
) -> CubeTensor {
    let output = x.element_type();
    reduce_into(op, reduction, x, dims, keep_dims, output)
}

/// As [`reduce`], with results of the type `output`, which is that of `x` or `f32` for sums of floats.
#[track_caller]
pub(crate) fn reduce_into(
    op: &'static str,
    reduction: Reduction,
    x: CubeTensor,
    dims: &[usize],
    keep_dims: bool,
    output: DType,
) -> CubeTensor {
    over_dims(op, x, dims, keep_dims, |x, blocks| {
        if blocks.reduced == 0 {
            let value = reduction.identity() as f32;
            return create::constant(op, [&x], blocks.results(), value, output, x.on());
        }
        let form = reduction.form(x.element_type());
        staged(op, reduction, x, blocks, [form, form], output)
    })
}

/// As [`reduce`], for an extreme, which nothing does not have.
#[track_caller]
pub(crate) fn extreme(
    op: &'static str,
    reduction: Reduction,
    x: CubeTensor,
    dims: &[usize],
    keep_dims: bool,
) -> CubeTensor {
    check_dims(op, x.layout().shape(), dims).or_raise();
    check_some(op, x.layout().shape(), dims).or_raise();
    reduce(op, reduction, x, dims, keep_dims)
}

/// Reduces in as many stages as it takes. The first loads elements, the last stores results, and between them lie
/// accumulators.
#[track_caller]
fn staged(
    op: &'static str,
    reduction: Reduction,
    x: CubeTensor,
    blocks: Blocks,
    [load, store]: [Form; 2],
    output: DType,
) -> CubeTensor {
    let lanes = x.client().map_or(1, |client| lanes(client, blocks));
    let terms = if lanes == 1 { UNIT_TERMS } else { CUBE_TERMS };
    let parts = blocks.reduced.div_ceil(terms);
    let stage = Stage { fold: reduction.fold(), identity: reduction.identity(), load, store, lanes };
    if parts == 1 {
        return run(op, reduction, &x, blocks, stage, (1, terms), output);
    }
    let stage = Stage { store: Form::Value, ..stage };
    let partial =
        run(op, reduction, &x, blocks, stage, (parts, terms), reduction.accumulator(x.element_type()));
    staged(op, reduction, partial, Blocks { reduced: parts, ..blocks }, [Form::Value, store], output)
}

/// The folds of `parts` pieces of at most `terms` elements, as accumulators: `outer x parts x inner` of them.
#[track_caller]
pub(super) fn fold_parts(
    op: &'static str,
    reduction: Reduction,
    x: &CubeTensor,
    blocks: Blocks,
    lanes: u32,
    (parts, terms): (usize, usize),
) -> CubeTensor {
    let (fold, identity) = (reduction.fold(), reduction.identity());
    let stage = Stage { fold, identity, load: Form::Value, store: Form::Value, lanes };
    run(op, reduction, x, blocks, stage, (parts, terms), reduction.accumulator(x.element_type()))
}

#[track_caller]
fn run(
    op: &'static str,
    reduction: Reduction,
    x: &CubeTensor,
    blocks: Blocks,
    stage: Stage,
    (parts, terms): (usize, usize),
    output: DType,
) -> CubeTensor {
    let shape = Shape::from([blocks.outer, parts, blocks.inner]);
    CubeTensor::compute(op, [x], shape, output, x.on(), |client, y| {
        let (count, dim) = grid(client, y.layout().num_elements(), stage.lanes);
        // SAFETY: the kernel reads the `outer * reduced * inner` elements of `x`, and stops at the end of `y`.
        unsafe {
            reduce_kernel::launch_unchecked(
                client,
                count,
                dim,
                x.buffer(),
                y.buffer(),
                blocks.reduced as u32,
                blocks.inner as u32,
                parts as u32,
                terms as u32,
                stage,
                elem_type(x.element_type()),
                elem_type(reduction.accumulator(x.element_type())),
                elem_type(output),
            );
        }
    })
}
