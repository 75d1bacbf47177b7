//! Sums, products, extremes and truth over dimensions.

use std::marker::PhantomData;

use opswitch_core::{
    Element, OrRaise,
    shape::{check_dims, check_some},
};

use pulp::Arch;

use super::blocks::reduce;
use crate::{
    element::{Bounded, Float, Integer, Real},
    parallel,
    tensor::CpuTensor,
};

/// An associative way to make one value of many.
pub(crate) trait Reducer: Copy + Send + Sync {
    type In: Element;
    type Acc: Copy + Send + Sync;

    /// What nothing reduces to.
    fn identity(self) -> Self::Acc;

    fn step(self, acc: Self::Acc, x: Self::In) -> Self::Acc;

    fn merge(self, lhs: Self::Acc, rhs: Self::Acc) -> Self::Acc;
}

macro_rules! reducers {
    ($($(#[$doc:meta])* $name:ident<$E:ident: $bound:path>($In:ty) -> $Acc:ty {
        $identity:expr, |$acc:ident, $x:ident| $step:expr, |$lhs:ident, $rhs:ident| $merge:expr
    })*) => {$(
        $(#[$doc])*
        pub(crate) struct $name<$E>(PhantomData<$E>);

        impl<$E> $name<$E> {
            pub(crate) const NEW: Self = Self(PhantomData);
        }

        impl<$E> Clone for $name<$E> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$E> Copy for $name<$E> {}

        impl<$E: $bound> Reducer for $name<$E> {
            type In = $In;
            type Acc = $Acc;

            #[inline]
            fn identity(self) -> $Acc {
                $identity
            }

            #[inline]
            fn step(self, $acc: $Acc, $x: $In) -> $Acc {
                $step
            }

            #[inline]
            fn merge(self, $lhs: $Acc, $rhs: $Acc) -> $Acc {
                $merge
            }
        }
    )*};
}

reducers! {
    /// The sum of floats.
    Sum<E: Float>(E) -> E::Wide { E::Wide::ZERO, |acc, x| acc + x.widen(), |lhs, rhs| lhs + rhs }
    /// The product of floats.
    Product<E: Float>(E) -> E::Wide { E::Wide::ONE, |acc, x| acc * x.widen(), |lhs, rhs| lhs * rhs }
    /// The greatest float, NaN if there is one.
    Max<E: Float>(E) -> E::Wide { -E::Wide::INFINITY, |acc, x| x.widen().greatest(acc), |lhs, rhs| lhs.greatest(rhs) }
    /// The least float, NaN if there is one.
    Min<E: Float>(E) -> E::Wide { E::Wide::INFINITY, |acc, x| x.widen().least(acc), |lhs, rhs| lhs.least(rhs) }
    /// The sum of integers, wrapping around.
    IntSum<E: Integer>(E) -> E { E::default(), |acc, x| acc.wrapping_add(x), |lhs, rhs| lhs.wrapping_add(rhs) }
    /// The product of integers, wrapping around.
    IntProduct<E: Integer>(E) -> E { E::ONE, |acc, x| acc.wrapping_mul(x), |lhs, rhs| lhs.wrapping_mul(rhs) }
    /// The greatest integer; of booleans, whether one is `true`.
    OrdMax<E: Bounded>(E) -> E { E::LEAST, |acc, x| acc.max(x), |lhs, rhs| lhs.max(rhs) }
    /// The least integer; of booleans, whether all are `true`.
    OrdMin<E: Bounded>(E) -> E { E::GREATEST, |acc, x| acc.min(x), |lhs, rhs| lhs.min(rhs) }
    /// The sum of floats, as a scan adds them up: one after another, wider than they are.
    RunningSum<E: Float>(E) -> f64 { 0.0, |acc, x| acc + x.to_f64(), |lhs, rhs| lhs + rhs }
    /// The product of floats, as a scan multiplies them.
    RunningProduct<E: Float>(E) -> f64 { 1.0, |acc, x| acc * x.to_f64(), |lhs, rhs| lhs * rhs }
}

/// What reading an element costs, as part of what the ops pay that write one: a core alone adds up a million in 0.1 ms.
const SHARE: usize = 4;
/// Accumulators that a loop over a row uses, so that the compiler can put them in vector registers.
const LANES: usize = 32;
/// Elements that each lane takes before lanes are merged pairwise.
const BLOCK: usize = 64;
/// Rows that are added to a block of columns before the blocks are merged pairwise.
const ROWS: usize = 64;
/// Columns that threads do not share, so that none reads a cache line for part of it.
const TILE: usize = 64;
/// Columns that are reduced at a time, so that their accumulators stay in the nearest cache.
const COLUMNS: usize = 1024;

/// The reduction of `x` over `dims`, each result passed through `finish`.
#[track_caller]
pub(crate) fn fold<R: Reducer, O: Element>(
    op: &'static str,
    reducer: R,
    x: CpuTensor,
    dims: &[usize],
    keep_dims: bool,
    finish: impl Fn(R::Acc) -> O + Sync,
) -> CpuTensor {
    reduce(op, x, dims, keep_dims, |values: &[R::In], blocks| {
        let unit = blocks.inner.min(TILE);
        parallel::collect(blocks.num_results(), unit.max(1), blocks.reduced.div_ceil(SHARE), |range, sink| {
            if blocks.inner == 1 {
                let row = |row: usize| &values[row * blocks.reduced..][..blocks.reduced];
                return sink.extend(range.map(|at| finish(fold_row(reducer, row(at)))));
            }
            let mut at = range.start;
            while at < range.end {
                let (outer, column) = (at / blocks.inner, at % blocks.inner);
                let width = (blocks.inner - column).min(range.end - at).min(COLUMNS);
                let first = outer * blocks.reduced * blocks.inner + column;
                let columns =
                    Columns { values: values.get(first..).unwrap_or_default(), stride: blocks.inner, width };
                sink.extend(fold_columns(reducer, columns, 0..blocks.reduced).into_iter().map(&finish));
                at += width;
            }
        })
    })
}

/// As [`fold`], for an extreme, which nothing does not have.
#[track_caller]
pub(crate) fn extreme<R: Reducer, O: Element>(
    op: &'static str,
    reducer: R,
    x: CpuTensor,
    dims: &[usize],
    keep_dims: bool,
    finish: impl Fn(R::Acc) -> O + Sync,
) -> CpuTensor {
    check_dims(op, x.layout().shape(), dims).or_raise();
    check_some(op, x.layout().shape(), dims).or_raise();
    fold(op, reducer, x, dims, keep_dims, finish)
}

/// One value of a row, pairwise.
pub(super) fn fold_row<R: Reducer>(reducer: R, row: &[R::In]) -> R::Acc {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let acc = rest.iter().fold(reducer.identity(), |acc, &x| reducer.step(acc, x));
    if chunks.is_empty() {
        return acc;
    }
    let mut lanes = fold_chunks(reducer, chunks);
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] = reducer.merge(lanes[lane], lanes[lane + width]);
        }
        width /= 2;
    }
    reducer.merge(acc, lanes[0])
}

/// One value of each lane, pairwise.
fn fold_chunks<R: Reducer>(reducer: R, chunks: &[[R::In; LANES]]) -> [R::Acc; LANES] {
    if chunks.len() <= BLOCK {
        return fold_block(reducer, chunks);
    }
    let (left, right) = chunks.split_at((chunks.len() / 2).next_multiple_of(BLOCK));
    let work = chunks.len() * LANES / SHARE;
    let (mut left, right) =
        parallel::join(work, || fold_chunks(reducer, left), || fold_chunks(reducer, right));
    left.iter_mut().zip(right).for_each(|(left, right)| *left = reducer.merge(*left, right));
    left
}

/// One value of each lane. Apart from what is done with them, or the compiler fills half of each vector register.
#[inline(never)]
fn fold_block<R: Reducer>(reducer: R, chunks: &[[R::In; LANES]]) -> [R::Acc; LANES] {
    Arch::new().dispatch(|| {
        let mut lanes = [reducer.identity(); LANES];
        for chunk in chunks {
            for (lane, &x) in lanes.iter_mut().zip(chunk) {
                *lane = reducer.step(*lane, x);
            }
        }
        lanes
    })
}

/// Neighbouring columns of a matrix whose rows are `stride` apart.
#[derive(Clone, Copy)]
struct Columns<'a, E> {
    values: &'a [E],
    stride: usize,
    width: usize,
}

/// One value of each column, pairwise over the rows.
fn fold_columns<R: Reducer>(
    reducer: R,
    columns: Columns<'_, R::In>,
    rows: std::ops::Range<usize>,
) -> Vec<R::Acc> {
    if rows.len() > ROWS {
        let middle = rows.start + (rows.len() / 2).next_multiple_of(ROWS);
        let (mut left, right) = parallel::join(
            rows.len() * columns.width / SHARE,
            || fold_columns(reducer, columns, rows.start..middle),
            || fold_columns(reducer, columns, middle..rows.end),
        );
        left.iter_mut().zip(right).for_each(|(left, right)| *left = reducer.merge(*left, right));
        return left;
    }
    let mut accs = vec![reducer.identity(); columns.width];
    let row = |row: usize| &columns.values[row * columns.stride..][..columns.width];
    let mut at = rows.start;
    // Four rows for each time that the accumulators are read and written.
    while at + 4 <= rows.end {
        let four = row(at).iter().zip(row(at + 1)).zip(row(at + 2)).zip(row(at + 3));
        for (acc, (((&a, &b), &c), &d)) in accs.iter_mut().zip(four) {
            *acc = reducer.step(reducer.step(reducer.step(reducer.step(*acc, a), b), c), d);
        }
        at += 4;
    }
    for at in at..rows.end {
        for (acc, &x) in accs.iter_mut().zip(row(at)) {
            *acc = reducer.step(*acc, x);
        }
    }
    accs
}
