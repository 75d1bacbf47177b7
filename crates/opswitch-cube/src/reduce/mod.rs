//! Reductions over any dimensions.
//!
//! The dimensions that are reduced are brought next to each other; then one unit, or all units of a cube together, make each
//! result. Long reductions run in stages, so that the error of a sum grows with the logarithm of the number of terms and a
//! single result has the whole device at work. The kernels are not those of `cubek-reduce`, which reduce one dimension of a
//! tensor without offset, add millions of terms one after the other, and let the order of atomics decide a sum.
//!
//! No kernel here asks whether a float is NaN: shader compilers may take such a question for always false. Extremes compare
//! integer keys instead; see [`key`].

mod arg;
mod blocks;
mod cubes;
mod fold;
mod key;
mod scan;
mod softmax;
mod sort;

pub(crate) use self::{
    arg::{Extreme, arg_reduce, reduce_with_index},
    fold::{Reduction, extreme, reduce, reduce_into},
    scan::scan,
    softmax::{log_softmax, log_sum_exp, softmax},
    sort::argsort,
};
