//! What is measured of candle.

use candle_core::{Device, Result, Tensor, Var, backprop::GradStore};
use candle_nn::{loss::cross_entropy, ops};
use opswitch_bench_paired::{BATCH, CLASSES, RATE, Run, Side, numbers};

use crate::{CONVOLUTIONS, EPSILON, FLAT, LAYERS};

pub(crate) fn side() -> Side {
    Side { name: "candle", runs: runs().expect("the CPU has these ops") }
}

fn runs() -> Result<Vec<Run>> {
    let vector = |seed| tensor(&[1_000_000], seed);
    let matmul = |size, seed| -> Result<Run> {
        let (lhs, rhs) = (tensor(&[size, size], seed)?, tensor(&[size, size], seed + 1)?);
        Ok(run(move || lhs.matmul(&rhs)))
    };
    let (x, y, z, v, w) = (vector(1)?, vector(2)?, vector(1)?, vector(1)?, vector(1)?);
    let table = tensor(&[1000, 1000], 3)?;
    let columns = table.clone();
    let logits = tensor(&[512, 1024], 4)?;
    let (images, kernel) = (tensor(&[32, 16, 28, 28], 5)?, tensor(&[32, 16, 3, 3], 6)?);
    let (weight, bias) = (tensor(&[1024], 7)?, tensor(&[1024], 8)?);
    let rows = logits.clone();
    Ok(vec![
        matmul(64, 10)?,
        matmul(512, 11)?,
        matmul(1024, 12)?,
        run(move || &x + &y),
        run(move || z.exp()),
        run(move || v.gelu_erf()),
        run(move || table.sum(1)),
        run(move || columns.sum(0)),
        run(move || ops::softmax_last_dim(&logits)),
        run(move || images.conv2d(&kernel, 1, 1, 1, 1)),
        run(move || ops::layer_norm(&rows, &weight, &bias, EPSILON as f32)),
        run(move || w.sum_all()),
        run(train_linear()?),
        run(train_convolutional()?),
    ])
}

fn tensor(shape: &[usize], seed: u32) -> Result<Tensor> {
    Tensor::from_vec(numbers(shape.iter().product(), seed), shape, &Device::Cpu)
}

fn run<T>(mut work: impl FnMut() -> Result<T> + 'static) -> Run {
    Box::new(move || drop(work().expect("the CPU has this op")))
}

/// A parameter of a network.
fn parameter(shape: &[usize], seed: u32) -> Result<Var> {
    Var::from_tensor(&(tensor(shape, seed)? * 0.1)?)
}

fn classes() -> Result<Tensor> {
    let classes: Vec<u32> = (0..BATCH).map(|sample| (sample % CLASSES) as u32).collect();
    Tensor::from_vec(classes, BATCH, &Device::Cpu)
}

/// Stochastic gradient descent.
fn step(parameter: &Var, gradients: &GradStore) -> Result<()> {
    let grad = gradients.get(parameter).expect("the loss depends on it");
    parameter.set(&(parameter.as_tensor() - (grad * RATE)?)?)
}

type Layer = (Var, Var);

fn linear(x: &Tensor, (weight, bias): &Layer) -> Result<Tensor> {
    x.matmul(weight)?.broadcast_add(bias)
}

fn train_linear() -> Result<impl FnMut() -> Result<()> + 'static> {
    let (images, classes) = (tensor(&[BATCH, LAYERS[0].0], 6)?, classes()?);
    let layer = |(inputs, outputs)| -> Result<Layer> {
        Ok((parameter(&[inputs, outputs], 7)?, parameter(&[outputs], 8)?))
    };
    let layers = LAYERS.into_iter().map(layer).collect::<Result<Vec<Layer>>>()?;
    Ok(move || {
        let [first, second, last] = &layers[..] else { unreachable!("three layers") };
        let hidden = linear(&linear(&images, first)?.relu()?, second)?.relu()?;
        let gradients = cross_entropy(&linear(&hidden, last)?, &classes)?.backward()?;
        layers.iter().flat_map(|(weight, bias)| [weight, bias]).try_for_each(|var| step(var, &gradients))
    })
}

fn train_convolutional() -> Result<impl FnMut() -> Result<()> + 'static> {
    let (images, classes) = (tensor(&[BATCH, 1, 8, 8], 6)?, classes()?);
    let layer = |(inputs, outputs)| -> Result<Layer> {
        Ok((parameter(&[outputs, inputs, 3, 3], 7)?, parameter(&[outputs], 8)?))
    };
    let convolutions = CONVOLUTIONS.into_iter().map(layer).collect::<Result<Vec<Layer>>>()?;
    let last: Layer = (parameter(&[FLAT, CLASSES], 9)?, parameter(&[CLASSES], 10)?);
    Ok(move || {
        let mut hidden = images.clone();
        for (weight, bias) in &convolutions {
            let bias = bias.reshape((1, (), 1, 1))?;
            hidden = hidden.conv2d(weight, 1, 1, 1, 1)?.broadcast_add(&bias)?.relu()?.max_pool2d(2)?;
        }
        let logits = linear(&hidden.reshape((BATCH, FLAT))?, &last)?;
        let gradients = cross_entropy(&logits, &classes)?.backward()?;
        let layers = convolutions.iter().chain([&last]);
        layers.flat_map(|(weight, bias)| [weight, bias]).try_for_each(|var| step(var, &gradients))
    })
}
