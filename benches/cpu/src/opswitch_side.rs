//! What is measured of opswitch.

use opswitch::{
    DispatchDevice, Int, Tensor,
    ops::{ConvOptions, CrossEntropy, MaxPoolOptions},
};
use opswitch_bench_paired::{BATCH, CLASSES, RATE, Run, Side, numbers};

use crate::{CONVOLUTIONS, EPSILON, FLAT, LAYERS};

pub(crate) fn side() -> Side {
    let device: DispatchDevice = "cpu".parse().expect("the CPU is compiled in");
    let vector = |seed| tensor([1_000_000], seed, &device);
    let square = |size, seed| (tensor([size, size], seed, &device), tensor([size, size], seed + 1, &device));
    let matmul = |(lhs, rhs): (Tensor<2>, Tensor<2>)| run(move || lhs.clone().matmul(rhs.clone()));
    let (x, y, z, v) = (vector(1), vector(2), vector(1), vector(1));
    let w = vector(1);
    let table = tensor([1000, 1000], 3, &device);
    let columns = table.clone();
    let logits = tensor([512, 1024], 4, &device);
    let (images, kernel) = (tensor([32, 16, 28, 28], 5, &device), tensor([32, 16, 3, 3], 6, &device));
    let (weight, bias) = (tensor([1024], 7, &device), tensor([1024], 8, &device));
    let rows = logits.clone();
    let runs = vec![
        matmul(square(64, 10)),
        matmul(square(512, 11)),
        matmul(square(1024, 12)),
        run(move || x.clone() + y.clone()),
        run(move || z.clone().exp()),
        run(move || v.clone().gelu()),
        run(move || table.clone().sum_dim(1)),
        run(move || columns.clone().sum_dim(0)),
        run(move || logits.clone().softmax(1)),
        run(move || images.clone().conv2d(kernel.clone(), None, padded())),
        run(move || rows.clone().layer_norm(Some(weight.clone()), Some(bias.clone()), EPSILON)),
        run(move || w.clone().sum()),
        run(train_linear(&device)),
        run(train_convolutional(&device)),
    ];
    Side { name: "opswitch", runs }
}

fn tensor<const D: usize>(shape: [usize; D], seed: u32, device: &DispatchDevice) -> Tensor<D> {
    Tensor::from_values(numbers(shape.iter().product(), seed), shape, device)
}

fn padded() -> ConvOptions<2> {
    ConvOptions { padding: [1, 1], ..ConvOptions::default() }
}

fn run<T>(mut work: impl FnMut() -> T + 'static) -> Run {
    Box::new(move || drop(work()))
}

/// A parameter of a network.
fn parameter<const D: usize>(shape: [usize; D], seed: u32, device: &DispatchDevice) -> Tensor<D> {
    (tensor(shape, seed, device) * 0.1).detach().require_grad()
}

fn classes(device: &DispatchDevice) -> Tensor<1, Int> {
    let classes: Vec<i64> = (0..BATCH).map(|sample| (sample % CLASSES) as i64).collect();
    Tensor::from_values(classes, [BATCH], device)
}

/// Stochastic gradient descent.
fn step<const D: usize>(parameter: &Tensor<D>, gradients: &opswitch::Gradients) -> Tensor<D> {
    let grad = parameter.grad(gradients).expect("the loss depends on it");
    (parameter.clone().detach() - grad * RATE).require_grad()
}

type Layer<const D: usize> = (Tensor<D>, Tensor<1>);

fn linear(x: Tensor<2>, (weight, bias): &Layer<2>) -> Tensor<2> {
    x.matmul(weight.clone()) + bias.clone().unsqueeze()
}

fn train_linear(device: &DispatchDevice) -> impl FnMut() + 'static {
    let device = device.autodiff();
    let (images, classes) = (tensor([BATCH, LAYERS[0].0], 6, &device), classes(&device));
    let mut layers = LAYERS.map(|(inputs, outputs)| -> Layer<2> {
        (parameter([inputs, outputs], 7, &device), parameter([outputs], 8, &device))
    });
    move || {
        let [first, second, last] = &layers;
        let hidden = linear(linear(images.clone(), first).relu(), second).relu();
        let loss = linear(hidden, last).cross_entropy(classes.clone(), CrossEntropy::default());
        let gradients = loss.backward();
        for (weight, bias) in &mut layers {
            (*weight, *bias) = (step(weight, &gradients), step(bias, &gradients));
        }
    }
}

fn train_convolutional(device: &DispatchDevice) -> impl FnMut() + 'static {
    let device = device.autodiff();
    let (images, classes) = (tensor([BATCH, 1, 8, 8], 6, &device), classes(&device));
    let mut convolutions = CONVOLUTIONS.map(|(inputs, outputs)| -> Layer<4> {
        (parameter([outputs, inputs, 3, 3], 7, &device), parameter([outputs], 8, &device))
    });
    let mut last: Layer<2> = (parameter([FLAT, CLASSES], 9, &device), parameter([CLASSES], 10, &device));
    move || {
        let hidden = convolutions.iter().fold(images.clone(), |x, (weight, bias)| {
            let x = x.conv2d(weight.clone(), Some(bias.clone()), padded()).relu();
            x.max_pool2d(MaxPoolOptions::new([2, 2]))
        });
        let logits = linear(hidden.reshape([BATCH, FLAT]), &last);
        let gradients = logits.cross_entropy(classes.clone(), CrossEntropy::default()).backward();
        for (weight, bias) in &mut convolutions {
            (*weight, *bias) = (step(weight, &gradients), step(bias, &gradients));
        }
        last = (step(&last.0, &gradients), step(&last.1, &gradients));
    }
}
