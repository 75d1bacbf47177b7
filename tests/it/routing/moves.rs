//! Tensors that move between devices, and gradients that come back.

use opswitch::{
    AutodiffOps, Backend, BackwardOptions, DType, FloatTensor, TensorData, TensorHandle,
    ops::{FloatOps, IntOps, NnOps},
};
use opswitch_tests::{TestDispatch, direct_moves};

use super::{PLACES, assert_float, bool, bools, device, float, int, ints, values};

/// Where a float ends up: autodiff stays around one that has it.
fn arrival(from: &str, to: &str) -> String {
    let (from, to) = (device(from), device(to));
    if from.is_autodiff() && !to.is_autodiff() { to.autodiff().to_string() } else { to.to_string() }
}

#[test]
fn between_every_pair_of_devices() {
    for from in PLACES {
        for to in PLACES {
            let x =
                TestDispatch::float_to_device(float(&[1.0, 2.0], from), &device(to)).expect("nothing fails");
            assert_float(x, &arrival(from, to), &[1.0, 2.0]);
            let x = TestDispatch::int_to_device(int(&[1, -2], from), &device(to)).expect("nothing fails");
            assert_eq!(x.device(), device(to).inner());
            assert_eq!(ints::<TestDispatch>(x), [1, -2]);
            let x =
                TestDispatch::bool_to_device(bool(&[true, false], from), &device(to)).expect("nothing fails");
            assert_eq!(x.device(), device(to).inner());
            assert_eq!(bools::<TestDispatch>(x), [true, false]);
        }
    }
}

/// The NPU has no `u64`.
#[test]
fn ints_that_a_device_lacks_become_its_own() {
    let moved = |value: u64, to: &str| {
        let data = TensorData::new(vec![value], [1]).expect("a vector");
        let x = TestDispatch::int_from_data(data, &device("cpu")).expect("the CPU has all types");
        TestDispatch::int_to_device(x, &device(to))
    };
    for to in ["npu:1", "autodiff(npu:1)"] {
        let x = moved(1 << 40, to).expect("an i64 holds it");
        assert_eq!((x.device().to_string().as_str(), x.dtype()), ("npu:1", DType::I64));
        assert_eq!(ints::<TestDispatch>(x), [1 << 40]);
        let error = moved(u64::MAX, to).expect_err("no i64 is that large");
        assert_eq!(error.to_string(), "element 0 is 18446744073709551615, which i64 cannot hold");
    }
    assert_eq!(moved(7, "cpu").expect("nothing changes").dtype(), DType::U64);
}

fn scalar(x: FloatTensor<TestDispatch>) -> FloatTensor<TestDispatch> {
    TestDispatch::float_sum(x, &[0], false)
}

fn gradient_of(
    result: FloatTensor<TestDispatch>,
    input: &FloatTensor<TestDispatch>,
) -> FloatTensor<TestDispatch> {
    let gradients = TestDispatch::backward(result, None, BackwardOptions::default()).expect("it is tracked");
    TestDispatch::gradient(input, &gradients).expect("it is tracked").expect("the result depends on it")
}

#[test]
fn a_gradient_through_every_move() {
    for from in PLACES.into_iter().filter(|place| place.starts_with("autodiff")) {
        for to in PLACES {
            let x = TestDispatch::require_grad(float(&[1.0, 2.0], from)).expect("an autodiff device");
            let moved = TestDispatch::float_to_device(x.clone(), &device(to)).expect("nothing fails");
            let weight = float(&[3.0, 4.0], &device(to).inner().to_string());
            // d/dx sum(weight * x^2) = 2 weight x
            let result = scalar(TestDispatch::float_mul(weight, TestDispatch::float_square(moved)));
            assert_float(gradient_of(result, &x), from, &[6.0, 16.0]);
        }
    }
}

#[test]
fn a_plain_float_becomes_a_constant() {
    for to in PLACES.into_iter().filter(|place| place.starts_with("autodiff")) {
        let moved =
            TestDispatch::float_to_device(float(&[1.0], "npu:1"), &device(to)).expect("nothing fails");
        assert!(!TestDispatch::is_tracked(&moved));
        assert_float(TestDispatch::float_neg(moved), to, &[-1.0]);
    }
}

#[test]
fn a_model_on_every_device() {
    for place in PLACES.into_iter().filter(|place| place.starts_with("autodiff")) {
        let weight = float(&[1.0, 2.0, 0.0, -1.0], place);
        let weight = TestDispatch::require_grad(TestDispatch::float_reshape(weight, [2, 2].into()));
        let weight = weight.expect("an autodiff device");
        let x = TestDispatch::float_reshape(
            float(&[1.0, 0.5], &device(place).inner().to_string()),
            [1, 2].into(),
        );
        let log_p = TestDispatch::log_softmax(TestDispatch::float_matmul(x, weight.clone()), 1);
        let index = TestDispatch::int_reshape(int(&[1], place), [1, 1].into());
        let loss = TestDispatch::float_neg(scalar(TestDispatch::float_reshape(
            TestDispatch::float_gather(log_p, 1, index),
            [1].into(),
        )));
        // The logits are (1, 1.5): the gradient of the loss in them is softmax - (0, 1), and in the weight
        // x^T times that.
        let p = 1.0 / (1.0 + 0.5f64.exp());
        let expected = [p, -p, 0.5 * p, -0.5 * p];
        let found = gradient_of(loss, &weight);
        assert_eq!(found.device().to_string(), place);
        for (found, expected) in values::<TestDispatch>(found).into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} is not {expected}");
        }
    }
}

#[test]
fn directly_where_a_pair_of_backends_can() {
    let (cpu, npu) = (device("cpu"), device("npu:1"));
    let x = TestDispatch::float_to_device(float(&[1.0, 2.0], "cpu"), &npu).expect("nothing fails");
    assert_eq!(direct_moves(), 0);
    assert_float(TestDispatch::float_to_device(x, &cpu).expect("nothing fails"), "cpu", &[1.0, 2.0]);
    let x = TestDispatch::int_to_device(int(&[3], "npu:0"), &cpu).expect("nothing fails");
    assert_eq!(ints::<TestDispatch>(x), [3]);
    let x = TestDispatch::bool_to_device(bool(&[true], "npu:0"), &cpu).expect("nothing fails");
    assert_eq!(bools::<TestDispatch>(x), [true]);
    assert_eq!(direct_moves(), 3);
}

#[test]
fn a_gradient_comes_back_directly_too() {
    let x = TestDispatch::require_grad(float(&[1.0, 2.0], "autodiff(cpu)")).expect("an autodiff device");
    let moved = TestDispatch::float_to_device(x.clone(), &device("npu:1")).expect("nothing fails");
    let result = scalar(TestDispatch::float_square(moved));
    assert_eq!(direct_moves(), 0);
    assert_float(gradient_of(result, &x), "autodiff(cpu)", &[2.0, 4.0]);
    assert_eq!(direct_moves(), 1);
}
