//! Reductions over any dimensions.
//!
//! The reduced dimensions are brought next to each other, and merged. Long rows that lie along the memory are reduced by a
//! group of invocations each, everything else by an invocation; what is too long for that is reduced in pieces first. Sums
//! are therefore close to pairwise, so that their error grows slowly with the number of terms.

mod arg;
mod blocks;
mod fold;
mod plan;
mod scan;
mod softmax;
mod sort;

pub(crate) use self::{
    arg::{arg_reduce, reduce_with_index},
    fold::{Fold, all, any, extreme, fold_blocks, log_sum_exp, mean, product, sum},
    scan::{cumprod, cumsum},
    softmax::{log_softmax, softmax},
    sort::argsort,
};

/// Which extreme is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extreme {
    Greatest,
    Least,
}
