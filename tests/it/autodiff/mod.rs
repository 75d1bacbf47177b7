//! The autodiff engine, through the default dispatch.

mod between;
mod checkpointing;
mod custom;
mod forms;
mod gradients;
mod halves;
mod long;
mod property;
mod refusals;
mod second_order;
mod threads;

use opswitch::{
    AutodiffOps as _, Backend as _, BackwardOptions, Checkpointing, Dispatch, DispatchDevice, FloatTensor,
    Gradients, TensorData, TensorHandle as _, ops::FloatOps as _,
};

type Float = FloatTensor<Dispatch>;

const RETAIN: BackwardOptions = BackwardOptions { retain_graph: true, create_graph: false };
const CREATE: BackwardOptions = BackwardOptions { retain_graph: false, create_graph: true };

fn plain() -> DispatchDevice {
    "cpu".parse().expect("the CPU is compiled in")
}

fn device() -> DispatchDevice {
    plain().autodiff()
}

fn balanced() -> DispatchDevice {
    plain().autodiff_with(Checkpointing::Balanced)
}

fn on(device: &DispatchDevice, values: &[f64], shape: &[usize]) -> Float {
    let data = TensorData::new(values.to_vec(), shape).expect("as many values as the shape holds");
    Dispatch::float_from_data(data, device).expect("the CPU has f64")
}

/// A tensor of an autodiff device that is not tracked.
fn constant(values: &[f64], shape: &[usize]) -> Float {
    on(&device(), values, shape)
}

/// A tensor that a backward pass gives a gradient.
fn tracked(values: &[f64], shape: &[usize]) -> Float {
    require_grad(constant(values, shape))
}

fn require_grad(tensor: Float) -> Float {
    Dispatch::require_grad(tensor).expect("on an autodiff device")
}

fn values(tensor: &Float) -> Vec<f64> {
    Dispatch::float_into_data_blocking(tensor.clone()).expect("the CPU gives its data").to_vec()
}

fn sum(x: Float) -> Float {
    let dims: Vec<usize> = (0..x.shape().rank()).collect();
    Dispatch::float_sum(x, &dims, false)
}

fn backward(tensor: &Float) -> Gradients {
    backward_with(tensor, BackwardOptions::default())
}

fn backward_with(tensor: &Float, options: BackwardOptions) -> Gradients {
    Dispatch::backward(tensor.clone(), None, options).expect("the tensor can be walked back from")
}

fn grad_of(tensor: &Float, gradients: &Gradients) -> Option<Float> {
    Dispatch::gradient(tensor, gradients).expect("on an autodiff device")
}

/// The gradient, which must be there.
fn grad(tensor: &Float, gradients: &Gradients) -> Vec<f64> {
    values(&grad_of(tensor, gradients).expect("the tensor has a gradient"))
}

#[track_caller]
fn assert_close(got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{got:?} and {want:?}");
    let close = |(got, want): (&f64, &f64)| (got - want).abs() <= tolerance * want.abs().max(1.0);
    assert!(got.iter().zip(want).all(close), "got {got:?}, want {want:?}");
}
