//! What is measured of opswitch.

use opswitch::{Backend, Dispatch, DispatchDevice, Int, Tensor, ops::CrossEntropy};

use opswitch_bench_paired::{BATCH, CLASSES, RATE, Run, Side, numbers};

use crate::LAYERS;

pub(crate) fn side(name: &'static str) -> Side {
    let device: DispatchDevice = name.parse().expect("the backend is compiled in");
    let vector = |seed| Tensor::<1>::from_values(numbers(1_000_000, seed), [1_000_000], &device);
    let matrix = |[rows, columns]: [usize; 2], seed| {
        Tensor::<2>::from_values(numbers(rows * columns, seed), [rows, columns], &device)
    };
    let (x, y) = (vector(1), vector(2));
    let (lhs, rhs) = (matrix([512, 512], 3), matrix([512, 512], 4));
    let logits = matrix([512, 1024], 5);
    let part = x.clone().slice([..200_000]);
    let runs = vec![
        run(&device, { let x = x.clone(); move || x.clone() + y.clone() }),
        run(&device, { let x = x.clone(); move || x.clone().exp() }),
        run(&device, move || lhs.clone().matmul(rhs.clone())),
        run(&device, move || logits.clone().softmax(1)),
        run(&device, move || x.clone().sum()),
        run(&device, move || part.clone().sum()),
        run(&device, training_step(&device)),
    ];
    Side { name, runs }
}

fn run<T>(device: &DispatchDevice, mut work: impl FnMut() -> T + 'static) -> Run {
    let device = device.clone();
    Box::new(move || {
        // The result lives until the work is done, so that nobody can leave it out.
        let _result = work();
        Dispatch::sync(&device).expect("the device works");
    })
}

fn training_step(device: &DispatchDevice) -> impl FnMut() + 'static {
    let device = device.autodiff();
    let images = Tensor::<2>::from_values(numbers(BATCH * LAYERS[0].0, 6), [BATCH, LAYERS[0].0], &device);
    let classes: Vec<i32> = (0..BATCH).map(|sample| (sample % CLASSES) as i32).collect();
    let classes = Tensor::<1, Int>::from_values(classes, [BATCH], &device);
    let mut layers = LAYERS.map(|(inputs, outputs)| {
        let weight = Tensor::<2>::from_values(numbers(inputs * outputs, 7), [inputs, outputs], &device);
        ((weight * 0.1).detach().require_grad(), Tensor::<1>::zeros([outputs], &device).require_grad())
    });
    move || {
        let [first, second, last] = &layers;
        let linear = |x: Tensor<2>, (weight, bias): &(Tensor<2>, Tensor<1>)| {
            x.matmul(weight.clone()) + bias.clone().unsqueeze()
        };
        let hidden = linear(linear(images.clone(), first).relu(), second).relu();
        let loss = linear(hidden, last).cross_entropy(classes.clone(), CrossEntropy::default());
        let gradients = loss.backward();
        layers = layers.clone().map(|(weight, bias)| {
            let weight_grad = weight.grad(&gradients).expect("the loss depends on it");
            let bias_grad = bias.grad(&gradients).expect("the loss depends on it");
            ((weight.detach() - weight_grad * RATE).require_grad(), (bias.detach() - bias_grad * RATE).require_grad())
        });
    }
}
