//! What a kernel refuses is refused at the line that calls the op: through a dispatch, through autodiff, and
//! out of the default bodies that are composed of other ops.

use opswitch::{
    DType, FloatTensor, Slice,
    ops::{CrossEntropy, FloatOps, IntOps, NnOps},
};
use opswitch_cpu::{Cpu, CpuDevice};
use opswitch_tests::TestDispatch;

use super::{float, int, panic_text};

const PLACES: [&str; 4] = ["cpu", "npu:1", "autodiff(cpu)", "autodiff(npu:1)"];

/// Three ones.
fn longer(x: &FloatTensor<TestDispatch>) -> FloatTensor<TestDispatch> {
    use opswitch::TensorHandle;

    TestDispatch::float_ones([3].into(), DType::F32, &x.device())
}

#[test]
fn shapes_that_do_not_fit() {
    for place in PLACES {
        let x = float(place);
        let y = longer(&x);
        let text = panic_text!(TestDispatch::float_add(x.clone(), y.clone()));
        assert!(text.starts_with("float_add: shapes [2] and [3] do not fit"), "{text}");
        let text = panic_text!(TestDispatch::float_matmul(x.clone(), y.clone()));
        assert!(text.starts_with("float_matmul: shapes [2] and [3] do not fit"), "{text}");
        let text = panic_text!(TestDispatch::float_cat(vec![x.clone(), y], 1));
        assert!(text.starts_with("float_cat: "), "{text}");
        let text = panic_text!(TestDispatch::float_reshape(x.clone(), [5].into()));
        assert!(text.starts_with("float_reshape: shapes [2] and [5] do not fit"), "{text}");
        let text = panic_text!(TestDispatch::float_slice(x, &[Slice::FULL, Slice::FULL]));
        assert!(text.starts_with("float_slice: "), "{text}");
        let text =
            panic_text!(TestDispatch::int_add(int(place), TestDispatch::int_cast(int(place), DType::I32)));
        assert!(text.starts_with("int_add: element types i64 and i32 differ"), "{text}");
    }
}

#[test]
fn default_bodies() {
    for place in PLACES {
        let text = panic_text!(TestDispatch::float_mean(float(place), &[4], false));
        assert!(text.contains("[2]"), "{text}");
        let text = panic_text!(TestDispatch::float_var(float(place), &[4], false, 1));
        assert!(text.contains("[2]"), "{text}");
        let text = panic_text!(TestDispatch::float_sum_to(float(place), [5].into()));
        assert!(text.contains("[2]"), "{text}");
        let options = CrossEntropy::default();
        let text = panic_text!(TestDispatch::cross_entropy(float(place), int(place), options));
        assert!(text.starts_with("cross_entropy: shapes [2] and [2] do not fit"), "{text}");
    }
}

#[test]
fn without_a_dispatch() {
    let ones = |extent: usize| Cpu::float_ones([extent].into(), DType::F32, &CpuDevice);
    let (x, y) = (ones(2), ones(3));
    let text = panic_text!(Cpu::float_add(x.clone(), y));
    assert!(text.starts_with("float_add: shapes [2] and [3] do not fit"), "{text}");
    let text = panic_text!(Cpu::float_mean(x, &[4], false));
    assert!(text.contains("[2]"), "{text}");
}
