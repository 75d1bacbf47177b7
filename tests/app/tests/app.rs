//! The app as a program would use it, on every device that its build has.
//!
//! `cargo test -p app` has the CPU alone; with `--features npu` the devices of the third party are there too.

use app::{Dispatch, DispatchDevice, Length, Model, Tensor};
use flash::{FlashOps, PlanOps, ScaleOps};
use opswitch::{Bool, DType};

/// The devices of this build, with autodiff around them.
fn devices() -> Vec<DispatchDevice> {
    let devices: Vec<_> = DispatchDevice::enumerate().iter().map(DispatchDevice::autodiff).collect();
    assert_eq!(devices.len(), if cfg!(feature = "npu") { 3 } else { 1 });
    devices
}

fn matrix<const R: usize, const C: usize>(rows: [[f64; C]; R], device: &DispatchDevice) -> Tensor<2> {
    Tensor::from_values(rows.concat(), [R, C], device)
}

fn numbers<const D: usize>(x: &Tensor<D>) -> Vec<f64> {
    x.to_vec().expect("the device works")
}

#[track_caller]
fn assert_close(found: &Tensor<2>, expected: &[f64]) {
    let found = numbers(found);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{found} is not {expected}");
    }
}

#[test]
fn the_gradient_is_the_closed_form() {
    for device in devices() {
        let inputs = matrix([[1.0, 2.0], [3.0, -1.0], [0.5, 4.0]], &device);
        let metres = matrix([[0.1], [0.2], [-0.3]], &device);
        let mut model = Model { weights: matrix([[2.0], [-3.0]], &device) };
        let step = model.fit(&inputs, &metres, 1.0).expect("the device works");

        // With inches of c metres, the loss is |c X w - y|² / n, and its gradient 2 c Xᵀ(c X w - y) / n.
        let c = 0.0254;
        let residuals = [[1.0, 2.0, 0.1], [3.0, -1.0, 0.2], [0.5, 4.0, -0.3]]
            .map(|[a, b, y]| (a, b, c * (2.0 * a - 3.0 * b) - y));
        let loss: f64 = residuals.iter().map(|(.., r)| r * r).sum::<f64>() / 3.0;
        let gradient = residuals
            .iter()
            .fold([0.0, 0.0], |[ga, gb], (a, b, r)| [ga + 2.0 * c * a * r / 3.0, gb + 2.0 * c * b * r / 3.0]);
        assert!((step.loss - loss).abs() < 1e-15, "{} is not {loss}", step.loss);
        assert_close(&step.gradient, &gradient);
        assert_close(&model.weights, &[2.0 - gradient[0], -3.0 - gradient[1]]);
    }
}

#[test]
fn the_loss_falls_to_what_the_weights_are() {
    for device in devices() {
        let inputs = matrix([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], &device);
        let metres = Tensor::from_primitive(Dispatch::in_base(
            inputs.clone().matmul(matrix([[30.0], [-4.0]], &device)).into_primitive(),
            Length::Inch,
        ));
        let mut model = Model { weights: matrix([[0.0], [0.0]], &device) };
        let step = |_| model.fit(&inputs, &metres, 300.0).expect("the device works").loss;
        let losses: Vec<f64> = (0..100).map(step).collect();
        assert!(losses.windows(2).all(|pair| pair[1] < pair[0]), "the loss rises on {device}");
        assert!(losses[99] < 1e-9 * losses[0], "the loss is still {} on {device}", losses[99]);
        let weights = numbers(&model.weights);
        assert!((weights[0] - 30.0).abs() < 1e-3 && (weights[1] + 4.0).abs() < 1e-3, "{weights:?}");
    }
}

/// The formulas of the library against the gradients of the ops that its bodies are made of.
#[test]
fn attention_differentiates_as_its_parts_do() {
    for device in devices() {
        let tracked = |rows: [[f64; 2]; 3]| matrix(rows, &device).require_grad();
        let inputs = [
            tracked([[0.1, 0.2], [-0.3, 0.4], [0.5, 0.6]]),
            tracked([[0.7, -0.8], [0.9, 1.0], [1.1, 1.2]]),
            tracked([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        ];
        let mask = opswitch::Tensor::<2, Bool, Dispatch>::from_bools(
            [[true, false, false], [true, true, false], [true, true, true]],
            &device.inner(),
        );
        let weight = matrix([[1.0, -2.0], [0.5, 3.0], [-1.5, 0.25]], &device);
        let gradients = |result: Tensor<2>| {
            let gradients = (result * weight.clone()).sum().backward();
            [0, 1, 2].map(|input: usize| {
                numbers(&inputs[input].grad(&gradients).expect("the result depends on it"))
            })
        };

        let [queries, keys, values] = inputs.clone().map(Tensor::into_primitive);
        let fused = Dispatch::attention(queries, keys, values, Some(mask.clone().into_primitive()));
        let [queries, keys, values] = inputs.clone();
        let scores = queries.matmul(keys.transpose()) / 2f64.sqrt();
        let composed = scores.mask_fill(!mask, f64::NEG_INFINITY).softmax(1).matmul(values);
        let fused = Tensor::<2>::from_primitive(fused);
        assert_close(&fused, &numbers(&composed));
        for (found, expected) in gradients(fused).iter().flatten().zip(gradients(composed).iter().flatten()) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }
}

/// Its plans are of a type of the backend, and its gradient is known: the smoothing is a symmetric matrix.
#[test]
fn a_plan_is_made_once_and_runs_often() {
    for device in devices() {
        for device in [device.inner(), device] {
            let plan = Dispatch::plan(3, 0.5, &device);
            assert_eq!(plan, Dispatch::plan(3, 0.5, &device));
            assert_ne!(plan, Dispatch::plan(5, 0.5, &device));
            let x = Tensor::<1>::from_values([1.0, 3.0, 5.0], [3], &device);
            let smooth = |x: Tensor<1>| {
                Tensor::<1>::from_primitive(Dispatch::smooth(x.into_primitive(), plan.clone()))
            };
            assert_eq!(numbers(&smooth(x.clone())), [1.5, 2.5, 5.0]);
            if device.is_autodiff() {
                let x = x.require_grad();
                let seed = Tensor::from_values([1.0, 0.0, 2.0], [3], &device);
                let gradients = (smooth(x.clone()) * seed).sum().backward();
                assert_eq!(numbers(&x.grad(&gradients).expect("it is used")), [0.75, 0.25, 2.0]);
            }
        }
    }
    assert_eq!(<Dispatch as PlanOps>::TILE, 2);
}

/// The app has a feature `softcap` as well, and it is off.
#[test]
fn the_features_of_the_library_are_its_own() {
    for device in devices() {
        let x = matrix([[0.0, 1.0], [-2.0, 50.0]], &device).require_grad();
        let capped = Tensor::<2>::from_primitive(Dispatch::cap(x.primitive().clone(), 2.0));
        let tanh = [0.0, 0.5, -1.0, 25.0].map(f64::tanh);
        assert_close(&capped, &tanh.map(|y| 2.0 * y));
        let gradient = x.grad(&capped.sum().backward()).expect("the result depends on it");
        assert_close(&gradient, &tanh.map(|y| 1.0 - y * y));
        assert_eq!(gradient.dtype(), DType::F64);
    }
}

#[test]
#[cfg(not(feature = "npu"))]
fn a_backend_that_is_compiled_out_is_named_with_its_feature() {
    let expected = "unsupported dispatch backend
  expected: a backend that is compiled in
  found:    `npu`
  help:     this program was built without it; enable the feature `npu` of the crate `app`";
    for text in ["npu", "autodiff(npu)"] {
        let error = text.parse::<DispatchDevice>().expect_err("it is compiled out");
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
#[cfg(feature = "npu")]
fn a_backend_that_is_compiled_in_has_its_devices() {
    let device: DispatchDevice = "autodiff(npu:1)".parse().expect("it is compiled in");
    assert_eq!(device.to_string(), "autodiff(npu:1)");
    let x = Tensor::<1>::from_floats([1.0, 2.0], &device);
    assert_eq!(
        x.to_device(&DispatchDevice::Cpu(opswitch_cpu::CpuDevice)).device().to_string(),
        "autodiff(cpu)"
    );
}
