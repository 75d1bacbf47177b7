//! Reductions over any dimensions.
//!
//! Every reduction is brought to one of two shapes: rows, which are reduced along the memory, and blocks of
//! neighbouring columns, which are reduced across it. Sums are pairwise in both, so that their error grows with the
//! logarithm of the number of terms.

mod arg;
mod blocks;
mod fold;
mod scan;
mod softmax;
mod sort;

pub(crate) use self::{
    arg::{Extreme, arg_reduce, reduce_with_index},
    fold::{IntSum, Max, Min, OrdMax, OrdMin, Product, RunningProduct, RunningSum, Sum, extreme, fold},
    scan::scan,
    softmax::{log_softmax, log_sum_exp, softmax},
    sort::argsort,
};
