//! What allocates, counted by the allocator for each thread: the test harness has threads of its own.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use opswitch::{
    AutodiffOps as _, Backend as _, BackwardOptions, Checkpointing, DType, Dispatch, DispatchDevice,
    DispatchTensor, Float, FloatTensor, Slice, TensorData, backend_extension,
    ops::{CoreOps, FloatOps as _},
};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static BYTES: Cell<usize> = const { Cell::new(0) };
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static KERNELS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        BYTES.set(BYTES.get() + layout.size());
        LIVE.set(LIVE.get() + layout.size() as isize);
        PEAK.set(PEAK.get().max(LIVE.get()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many allocations a call makes, and of how many bytes.
#[derive(Debug, PartialEq)]
struct Cost {
    allocations: usize,
    bytes: usize,
}

fn cost<T>(call: impl FnOnce() -> T) -> Cost {
    let before = (ALLOCATIONS.get(), BYTES.get());
    let result = call();
    let after = (ALLOCATIONS.get(), BYTES.get());
    drop(result);
    Cost { allocations: after.0 - before.0, bytes: after.1 - before.1 }
}

fn data(count: usize) -> TensorData {
    let values = (0..count).map(|value| value as f32 / 7.0).collect::<Vec<f32>>();
    TensorData::new(values, [count / 4, 4]).expect("a multiple of four")
}

fn on(device: &DispatchDevice, count: usize) -> FloatTensor<Dispatch> {
    Dispatch::float_from_data(data(count), device).expect("the CPU has f32")
}

fn plain() -> DispatchDevice {
    DispatchDevice::Cpu(CpuDevice)
}

fn inner(tensor: &FloatTensor<Dispatch>) -> CpuTensor {
    match tensor {
        DispatchTensor::Cpu(tensor) => tensor.clone(),
        DispatchTensor::Autodiff(_) => panic!("a plain tensor was made"),
    }
}

/// Calls each op on the CPU, through the dispatch, on an autodiff device, and tracked.
macro_rules! compare {
    ($($op:ident |$x:ident, $y:ident| ($($argument:expr),*);)*) => {$({
        let op = stringify!($op);
        let inputs = |device: &DispatchDevice, count| (on(device, count), on(device, count));
        // The first round warms up what is made on first use.
        for warm in [false, true] {
            let count = 4096;
            let ($x, $y) = inputs(&plain(), count);
            let routed = cost(|| (Dispatch::$op($($argument),*), &$y));
            let direct = {
                let ($x, $y) = (inner(&$x), inner(&$y));
                cost(|| (Cpu::$op($($argument),*), &$y))
            };
            let ($x, $y) = inputs(&plain().autodiff(), count);
            let untracked = cost(|| (Dispatch::$op($($argument),*), &$y));
            let $x = Dispatch::require_grad($x).expect("on an autodiff device");
            let tracked = cost(|| (Dispatch::$op($($argument),*), &$y));
            if warm {
                assert_eq!(routed, direct, "{op} through the dispatch");
                assert_eq!(untracked, direct, "{op} on an autodiff device, untracked");
                assert!(tracked.allocations > direct.allocations, "{op} tracked makes a node, which the count sees");
            }
        }
    })*};
}

fn calls_allocate_as_the_direct_call() {
    compare! {
        float_add |x, y| (x.clone(), y.clone());
        float_mul |x, y| (x.clone(), y.clone());
        float_minimum |x, y| (x.clone(), y.clone());
        float_exp |x, y| (x.clone());
        float_mul_scalar |x, y| (x.clone(), 2.0);
        float_clamp_min |x, y| (x.clone(), 0.5);
        relu |x, y| (x.clone());
        float_transpose |x, y| (x.clone());
        float_sum |x, y| (x.clone(), &[1], true);
        float_slice |x, y| (x.clone(), &[Slice::new(Some(1), None, 1)]);
        float_reshape |x, y| (x.clone(), [4096].into());
    }
}

/// An input that nobody else holds is written into, on every path.
fn an_owned_buffer_is_reused() {
    let count = 4096;
    let x = Dispatch::float_into_data_blocking(on(&plain(), count)).expect("the CPU gives its data");
    let owned = Cpu::float_from_data(x, &CpuDevice).expect("the CPU has f32");
    let direct = cost(|| Cpu::float_exp(owned));
    assert!(direct.bytes < count * 4, "the buffer is reused: {direct:?}");
    for device in [plain(), plain().autodiff()] {
        let owned = on(&device, count);
        assert_eq!(cost(|| Dispatch::float_exp(owned)), direct, "on {device}");
    }
}

/// The bytes that a chain of memory-bound ops keeps for its backward pass, and those that are left when it is dropped.
fn kept_bytes(checkpointing: Checkpointing) -> (isize, isize) {
    let before = LIVE.get();
    let x = on(&plain().autodiff_with(checkpointing), 1 << 16);
    let x = Dispatch::require_grad(x).expect("on an autodiff device");
    let y: DispatchTensor<Float> = (0..64).fold(x, |y, _| Dispatch::float_sin(y));
    let kept = LIVE.get() - before;
    drop(y);
    (kept, LIVE.get() - before)
}

fn checkpointing_keeps_less() {
    // The first large op starts the thread pool. Its queue takes a block of 1.5 kB now and then, which another thread
    // frees; 64 nodes are more than five of them.
    kept_bytes(Checkpointing::Off);
    let (off, left_of_off) = kept_bytes(Checkpointing::Off);
    let (balanced, left_of_balanced) = kept_bytes(Checkpointing::Balanced);
    assert!(off > 60 * (4 << 16), "every input is kept: {off}");
    assert!(balanced < off / 4, "one in eight is kept: {balanced} of {off}");
    assert!(left_of_off.max(left_of_balanced) < 8000, "{left_of_off} and {left_of_balanced} bytes are left");
}

/// The walk gives back what each op kept as it passes, although the result and the input are still held.
fn a_walk_frees_what_it_passes() {
    let buffer = 4 << 16;
    let x = on(&plain().autodiff(), 1 << 16);
    let x = Dispatch::require_grad(x).expect("on an autodiff device");
    let before = LIVE.get();
    let y = (0..64).fold(x.clone(), |y, _| Dispatch::float_sin(y));
    let seed = Dispatch::float_ones([1 << 14, 4].into(), DType::F32, &plain().autodiff());
    let gradients =
        Dispatch::backward(y.clone(), Some(seed), BackwardOptions::default()).expect("a seed that fits");
    let kept = LIVE.get() - before;
    // The result and one gradient.
    assert!(kept < 3 * buffer, "{kept} bytes are left of 64 buffers of {buffer}");
    drop((x, y, gradients));
}

/// Elementwise ops that count how often their kernels run.
#[backend_extension(dispatch = opswitch::Dispatch)]
trait CountedOps: CoreOps {
    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_cos(x));
    }]
    fn counted_sin(x: FloatTensor<Self>) -> FloatTensor<Self>;

    #[op(memory_bound)]
    #[backward {
        x => B::float_mul(grad, B::float_add_scalar(B::float_neg(B::float_square(output)), 1.0));
    }]
    fn counted_tanh(x: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl CountedOps for Cpu {
    fn counted_sin(x: FloatTensor<Self>) -> FloatTensor<Self> {
        KERNELS.set(KERNELS.get() + 1);
        Self::float_sin(x)
    }

    fn counted_tanh(x: FloatTensor<Self>) -> FloatTensor<Self> {
        KERNELS.set(KERNELS.get() + 1);
        Self::float_tanh(x)
    }
}

const LAYERS: usize = 64;
/// Elements of an activation: so few that no kernel shares them among threads, whose allocations would not be seen.
const ACTIVATION: [usize; 2] = [512, 16];

/// What a network of matrix products, with three elementwise ops between two of them, costs to train.
#[derive(Debug)]
struct Training {
    /// The bytes that were live when most were, beyond those of the parameters.
    peak: isize,
    /// The kernels that ran in the backward pass, of those that are counted.
    again: usize,
    /// The gradients of all parameters.
    gradients: Vec<f64>,
}

fn train(checkpointing: Checkpointing) -> Training {
    let device = plain().autodiff_with(checkpointing);
    let parameter = |rows: usize, columns: usize, phase: f64| {
        let values =
            (0..rows * columns).map(|at| (at as f64 * 0.7 + phase).sin() * 0.4).collect::<Vec<f64>>();
        let data = TensorData::new(values, [rows, columns]).expect("as many values as elements");
        let tensor = Dispatch::float_from_data(data, &device).expect("the CPU has f64");
        Dispatch::require_grad(tensor).expect("on an autodiff device")
    };
    let [rows, width] = ACTIVATION;
    let x = parameter(rows, width, 0.5);
    let layers: Vec<_> =
        (0..LAYERS).map(|layer| (parameter(width, width, layer as f64), parameter(1, width, 0.25))).collect();
    let (before, kernels) = (LIVE.get(), KERNELS.get());
    PEAK.set(before);
    let y = layers.iter().fold(x.clone(), |y, (weight, bias)| {
        let sum = Dispatch::float_add(Dispatch::float_matmul(y, weight.clone()), bias.clone());
        Dispatch::counted_tanh(Dispatch::counted_sin(sum))
    });
    assert_eq!(KERNELS.get() - kernels, 2 * LAYERS, "the forward pass runs each kernel once");
    let loss = Dispatch::float_sum(y, &[0, 1], false);
    let gradients =
        Dispatch::backward(loss, None, BackwardOptions::default()).expect("the loss has one element");
    let peak = PEAK.get() - before;
    let of = |tensor: &FloatTensor<Dispatch>| {
        let gradient = Dispatch::gradient(tensor, &gradients).expect("on an autodiff device");
        let gradient = gradient.expect("the loss depends on every parameter");
        Dispatch::float_into_data_blocking(gradient).expect("the CPU gives its data").to_vec::<f64>()
    };
    let tensors = std::iter::once(&x).chain(layers.iter().flat_map(|(weight, bias)| [weight, bias]));
    Training { peak, again: KERNELS.get() - kernels - 2 * LAYERS, gradients: tensors.flat_map(of).collect() }
}

/// For each layer are kept the sum, which the sine reads, and the result of the tangent, which its own formula and the next
/// product read; balanced, it is the product that both are computed again from.
fn a_deep_network_trains_in_less_memory_for_more_kernels() {
    train(Checkpointing::Off);
    let (off, balanced) = (train(Checkpointing::Off), train(Checkpointing::Balanced));
    let activation = (8 * ACTIVATION[0] * ACTIVATION[1]) as isize;
    let layers = LAYERS as isize;
    assert!(off.peak > 2 * layers * activation, "two results a layer are kept: {}", off.peak);
    assert!(balanced.peak < (layers + 16) * activation, "one product a layer is kept: {}", balanced.peak);
    assert_eq!(off.again, 0, "what is kept is not computed again");
    // The sine is computed again for the next product and for the tangent, the tangent for the product and for its formula.
    assert!((2 * LAYERS..=4 * LAYERS).contains(&balanced.again), "{} kernels ran again", balanced.again);
    assert_eq!(balanced.gradients, off.gradients, "the same kernels give the same bits");
}

#[test]
fn allocations() {
    calls_allocate_as_the_direct_call();
    an_owned_buffer_is_reused();
    checkpointing_keeps_less();
    a_walk_frees_what_it_passes();
    a_deep_network_trains_in_less_memory_for_more_kernels();
}
