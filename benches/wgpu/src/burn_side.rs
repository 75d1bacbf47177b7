//! What is measured of burn.

use burn::tensor::{
    Device, DeviceKind, Int, Tensor, TensorData,
    activation::{log_softmax, relu, softmax},
};

use opswitch_bench_paired::{BATCH, CLASSES, RATE, Run, Side, numbers};

use crate::LAYERS;

pub(crate) fn side() -> Side {
    let device = Device::wgpu(DeviceKind::DefaultDevice);
    let vector = |seed| Tensor::<1>::from_data(TensorData::new(numbers(1_000_000, seed), [1_000_000]), &device);
    let (x, y) = (vector(1), vector(2));
    let (lhs, rhs) = (matrix([512, 512], 3, &device), matrix([512, 512], 4, &device));
    let logits = matrix([512, 1024], 5, &device);
    let part = x.clone().slice([..200_000]);
    let runs = vec![
        run(&device, { let x = x.clone(); move || x.clone() + y.clone() }),
        run(&device, { let x = x.clone(); move || x.clone().exp() }),
        run(&device, move || lhs.clone().matmul(rhs.clone())),
        run(&device, move || softmax(logits.clone(), 1)),
        run(&device, move || x.clone().sum()),
        run(&device, move || part.clone().sum()),
        run(&device, training_step(&device)),
    ];
    Side { name: "burn", runs }
}

fn matrix([rows, columns]: [usize; 2], seed: u32, device: &Device) -> Tensor<2> {
    Tensor::from_data(TensorData::new(numbers(rows * columns, seed), [rows, columns]), device)
}

fn run<T>(device: &Device, mut work: impl FnMut() -> T + 'static) -> Run {
    let device = device.clone();
    Box::new(move || {
        // The result lives until the work is done, so that nobody can leave it out.
        let _result = work();
        device.sync().expect("the device works");
    })
}

fn training_step(device: &Device) -> impl FnMut() + 'static {
    let device = device.clone().autodiff();
    let images = matrix([BATCH, LAYERS[0].0], 6, &device);
    let classes: Vec<i32> = (0..BATCH).map(|sample| (sample % CLASSES) as i32).collect();
    let classes = Tensor::<2, Int>::from_data(TensorData::new(classes, [BATCH, 1]), &device);
    let mut layers = LAYERS.map(|(inputs, outputs)| {
        let weight = matrix([inputs, outputs], 7, &device) * 0.1;
        (weight.detach().require_grad(), Tensor::<1>::zeros([outputs], &device).require_grad())
    });
    move || {
        let [first, second, last] = &layers;
        let linear = |x: Tensor<2>, (weight, bias): &(Tensor<2>, Tensor<1>)| {
            x.matmul(weight.clone()) + bias.clone().unsqueeze()
        };
        let hidden = relu(linear(relu(linear(images.clone(), first)), second));
        let loss = -log_softmax(linear(hidden, last), 1).gather(1, classes.clone()).mean();
        let gradients = loss.backward();
        layers = layers.clone().map(|(weight, bias)| {
            let weight_grad = weight.grad(&gradients).expect("the loss depends on it");
            let bias_grad = bias.grad(&gradients).expect("the loss depends on it");
            let weight = weight.inner() - weight_grad * RATE;
            let bias = bias.inner() - bias_grad * RATE;
            (Tensor::from_inner(weight).require_grad(), Tensor::from_inner(bias).require_grad())
        });
    }
}
