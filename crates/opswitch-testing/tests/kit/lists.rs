//! The list of a trait's ops.

use opswitch::{FloatTensor, backend_extension, ops::FloatOps};
use opswitch_testing::{__private::assert_every_op_is_listed, conformance, float, sample};

use super::Dispatch;

#[backend_extension(dispatch = Dispatch)]
pub(crate) trait PairOps: FloatOps {
    #[backward(default)]
    fn twice(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_add(x.clone(), x)
    }

    #[backward { x => none; y => grad; }]
    fn second(x: FloatTensor<Self>, y: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_add(Self::float_mul_scalar(x, 0.0), y)
    }

    #[backward(none)]
    fn other(x: FloatTensor<Self>) -> FloatTensor<Self> {
        x
    }
}

impl PairOps for opswitch_cpu::Cpu {}
impl PairOps for acme_npu::Npu {}

conformance! { Dispatch, PairOps {
    twice(x) => [sample!(float([2, 3]))];
    second { |x, y| Dispatch::second(x, y) } => [sample!(float([2]), float([2]))];
    other elsewhere;
}}

#[test]
#[should_panic(
    expected = "the op `other` has no samples; add `other(..) => [sample!(..)];` to the list, or `other elsewhere;` if other tests have it"
)]
fn an_op_that_is_not_listed() {
    assert_every_op_is_listed(&PairOps, &["twice", "second"]);
}

#[test]
#[should_panic(expected = "the trait has no op `thrice`")]
fn a_name_that_is_no_op() {
    assert_every_op_is_listed(&PairOps, &["twice", "second", "other", "thrice"]);
}
