//! `FloatOps`.

use opswitch::ops::FloatOps;
use opswitch_testing::{conformance, float, list, sample};

use crate::Dispatch;

conformance!(Dispatch, FloatOps::float_exp(x), [sample!(float([2, 3])), sample!(float([]))]);
conformance!(Dispatch, FloatOps::float_matmul(lhs, rhs), [sample!(float([2, 3]), float([3, 4]))]);
conformance!(
    Dispatch,
    FloatOps::float_cat(tensors, dim),
    [sample!(vec![float([2, 3]), float([2, 3])], 0usize)]
);
conformance!(
    Dispatch,
    FloatOps::float_sum(x, dims, keep_dims),
    [sample!(float([2, 3]), list(&[1]), false), sample!(float([2, 3]), list(&[0, 1]), true),]
);
conformance!(Dispatch, FloatOps::float_floor(x), [sample!(float([2, 3]))]);
conformance!(
    Dispatch,
    FloatOps::float_max_dim(x, dim, keep_dims),
    [sample!(float([2, 3]), 1usize, false).distinct()]
);
conformance!(Dispatch, FloatOps::float_lt(lhs, rhs), [sample!(float([2, 3]), float([3]))]);
