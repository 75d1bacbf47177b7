//! Running one case in one mode.

use std::{collections::BTreeMap, fmt};

use opswitch::{
    AutodiffOps as _, Backend as _, BackwardError, BackwardOptions, Checkpointing, DType, Dispatch,
    DispatchDevice, DispatchDeviceHandle as _, FloatTensor, Gradients, TensorData, TensorHandle as _,
    ops::FloatOps as _,
};

use crate::{
    args::{Args, Output},
    case::{Case, Numbers, Tensor, Tensors},
    compare::{Order, Rule, difference, fits, gradients_fit, second_order_fits},
    ops::Run,
    quiet::catch,
};

/// Where and in what a case runs.
pub(crate) struct Mode {
    pub(crate) device: DispatchDevice,
    pub(crate) dtype: DType,
    /// The inputs are views with strides in the wrong order.
    pub(crate) strided: bool,
}

impl Mode {
    /// The CPU with autodiff, where everything is exact enough to be compared closely.
    pub(crate) fn autodiff() -> Self {
        Self { device: cpu().autodiff(), dtype: DType::F64, strided: false }
    }

    /// Whether the device has this element type.
    pub(crate) fn supports(&self, dtype: DType) -> bool {
        Dispatch::supports(dtype, &self.device)
    }

    /// Whether an op on this device sees the values of its inputs in time to refuse them.
    fn sees_values(&self) -> bool {
        self.device.inner() == cpu()
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checkpointing = match self.device.checkpointing() {
            Some(Checkpointing::Balanced) => ", balanced",
            _ => "",
        };
        let layout = if self.strided { ", strided" } else { "" };
        write!(f, "{} {}{checkpointing}{layout}", self.dtype, self.device)
    }
}

fn cpu() -> DispatchDevice {
    "cpu".parse().expect("the CPU is compiled in")
}

/// The devices that take part. A backend without a device is said to be skipped, or fails if GPUs are required.
fn devices() -> Vec<DispatchDevice> {
    let devices = DispatchDevice::enumerate();
    for (backend, listed) in [("wgpu", cfg!(feature = "wgpu")), ("cube", cfg!(feature = "cube"))] {
        let found = devices.iter().any(|device| device.backend_name() == backend);
        if listed && !found {
            println!("skipped: {backend} has no device here; on Debian: apt-get install mesa-vulkan-drivers");
            assert!(std::env::var_os("OPSWITCH_REQUIRE_GPU").is_none(), "{backend} has no device here");
        }
    }
    devices
}

/// The modes in which a case has something to say.
pub(crate) fn modes(case: &Case) -> Vec<Mode> {
    let tensors = case.inputs.values().flat_map(|tensors| &tensors.0).chain(&case.outputs);
    let has_floats = tensors.into_iter().any(|tensor| matches!(tensor.numbers, Numbers::Float(_)));
    devices().iter().flat_map(|device| modes_of(device, has_floats)).collect()
}

fn modes_of(plain: &DispatchDevice, has_floats: bool) -> Vec<Mode> {
    let mode = |device: &DispatchDevice, dtype, strided| Mode { device: device.clone(), dtype, strided };
    let floats = [DType::F64, DType::F32, DType::F16, DType::BF16];
    let dtypes: Vec<DType> = floats.into_iter().filter(|&dtype| Dispatch::supports(dtype, plain)).collect();
    let (autodiff, widest) = (plain.autodiff(), dtypes[0]);
    let mut modes = vec![mode(plain, widest, true), mode(&autodiff, widest, true)];
    if has_floats {
        modes.push(mode(&plain.autodiff_with(Checkpointing::Balanced), widest, false));
    }
    for &dtype in &dtypes[..if has_floats { dtypes.len() } else { 1 }] {
        modes.push(mode(plain, dtype, false));
        modes.push(mode(&autodiff, dtype, false));
    }
    modes
}

/// What was checked in each mode.
#[derive(Default)]
pub(crate) struct Count(BTreeMap<String, Checks>);

#[derive(Default)]
struct Checks {
    values: usize,
    errors: usize,
    gradients: usize,
    second_order: usize,
    skipped: usize,
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (mode, Checks { values, errors, gradients, second_order, skipped }) in &self.0 {
            write!(
                f,
                "\n  {mode}: {values} values, {errors} errors, {gradients} gradients, {second_order} second order, {skipped} skipped"
            )?;
        }
        Ok(())
    }
}

/// Runs a case, and adds what is wrong to the failures.
pub(crate) fn check_case(case: &Case, run: Run, mode: &Mode, count: &mut Count, failures: &mut Vec<String>) {
    let checks = count.0.entry(mode.to_string()).or_default();
    let mut fail = |what: &str| failures.push(format!("{}/{} [{mode}]: {what}", case.op, case.name));
    if !fits(case, mode.dtype) || !ints_fit(case, mode) || (case.name == "by_zero" && !mode.sees_values()) {
        checks.skipped += 1;
        return;
    }
    if case.error {
        checks.errors += 1;
        check_error(case, run, mode, &mut fail);
        return;
    }
    checks.values += 1;
    check_values(case, run, mode, &mut fail);
    if mode.device.is_autodiff() && case.grad_outputs.is_some() && gradients_fit(case, mode.dtype) {
        checks.gradients += 1;
        check_gradients(case, run, mode, &mut fail);
        if case.second_order_arg.is_some() && second_order_fits(case, mode.dtype) {
            checks.second_order += 1;
            check_second_order(case, run, mode, &mut fail);
        }
    }
}

/// The op must refuse, in words that name it.
fn check_error(case: &Case, run: Run, mode: &Mode, fail: &mut impl FnMut(&str)) {
    match catch(|| run(&Args::new(case, mode, false)).len()) {
        Ok(_) => fail("is accepted"),
        Err(text) if text.contains(case.op.as_str()) => {}
        Err(text) => fail(&format!("is refused without its name: {text}")),
    }
}

/// Whether the device has the ints of a case: an `i64` that stands for any int may become another, if that holds it.
fn ints_fit(case: &Case, mode: &Mode) -> bool {
    let named = case.params.get("dtype").and_then(|dtype| dtype.as_str());
    let named = named.map(|dtype| dtype.parse::<DType>().expect("a dtype"));
    if named.is_some_and(|dtype| !mode.supports(dtype)) {
        return false;
    }
    let ints = Dispatch::int_dtype(&mode.device);
    let tensors = case.inputs.values().flat_map(|tensors| &tensors.0).chain(&case.outputs);
    tensors.into_iter().all(|tensor| match tensor.numbers {
        Numbers::Int(_) => mode.supports(DType::I64) || tensor.data().cast_exact(ints).is_ok(),
        Numbers::Float(_) | Numbers::Bool(_) => true,
    })
}

fn check_values(case: &Case, run: Run, mode: &Mode, fail: &mut impl FnMut(&str)) {
    match catch(|| read(&run(&Args::new(case, mode, false)))) {
        Ok(outputs) => compare_outputs(case, mode, &outputs, fail),
        Err(text) => fail(&format!("panics: {text}")),
    }
}

fn read(outputs: &[Output]) -> Vec<TensorData> {
    let data = |output: &Output| {
        let data = output.data();
        assert_eq!(*data.shape(), output.shape(), "the handle claims another shape");
        data
    };
    outputs.iter().map(data).collect()
}

fn compare_outputs(case: &Case, mode: &Mode, outputs: &[TensorData], fail: &mut impl FnMut(&str)) {
    if outputs.len() != case.outputs.len() {
        fail(&format!("{} outputs, want {}", outputs.len(), case.outputs.len()));
    }
    let dtype = output_dtype(case, mode);
    let rule = Rule::new(case, dtype, Order::Value);
    for (position, (got, want)) in outputs.iter().zip(&case.outputs).enumerate() {
        if got.dtype().is_float() && got.dtype() != dtype {
            fail(&format!("output {position} is of type {}, want {dtype}", got.dtype()));
        }
        if let Some(text) = difference(got, want, &rule) {
            fail(&format!("output {position}: {text}"));
        }
    }
}

fn output_dtype(case: &Case, mode: &Mode) -> DType {
    match case.params.get("dtype").and_then(|dtype| dtype.as_str()) {
        Some(dtype) if case.op == "float_cast" => dtype.parse().expect("a dtype"),
        _ => mode.dtype,
    }
}

/// A case that was run from tracked inputs, to the point where a backward pass can start.
struct Forward<'a> {
    case: &'a Case,
    args: Args<'a>,
    outputs: Vec<Output>,
    seeds: Vec<Option<FloatTensor<Dispatch>>>,
}

impl<'a> Forward<'a> {
    fn new(case: &'a Case, run: Run, mode: &'a Mode, tracked_seeds: bool) -> Self {
        let args = Args::new(case, mode, true);
        let outputs = run(&args);
        let seed = |(output, seed): (&Output, &Option<Tensor>)| {
            let (Output::Float(output), Some(seed)) = (output, seed) else { return None };
            let seed = mode.float(seed, output.dtype());
            Some(if tracked_seeds { Dispatch::require_grad(seed).expect("on autodiff") } else { seed })
        };
        let seeds = outputs.iter().zip(case.grad_outputs.iter().flatten()).map(seed).collect();
        Self { case, args, outputs, seeds }
    }

    /// Walks back from the only output that has a seed, or else from the sum of their products.
    fn backward(&self, options: BackwardOptions) -> Result<Gradients, BackwardError> {
        let pairs = self.outputs.iter().zip(&self.seeds);
        let mut floats = pairs.filter_map(|(output, seed)| match (output, seed) {
            (Output::Float(output), Some(seed)) => Some((output.clone(), seed.clone())),
            _ => None,
        });
        let (first, seed) = floats.next().expect("a case with gradients has a float output");
        let Some(second) = floats.next() else {
            return Dispatch::backward(first, Some(seed), options);
        };
        let product = |(output, seed)| sum_all(Dispatch::float_mul(output, seed));
        let rest = std::iter::once(second).chain(floats).map(product);
        let total = rest.fold(product((first, seed)), Dispatch::float_add);
        Dispatch::backward(total, None, options)
    }

    /// The gradients of an argument; zeros where none has arrived.
    fn gradients(&self, name: &str, tensors: &Tensors, gradients: &Gradients) -> Vec<TensorData> {
        let inputs = self.args.floats(name);
        assert_eq!(inputs.len(), tensors.0.len(), "the list of `{name}`");
        inputs.iter().map(|input| gradient(input, gradients)).collect()
    }

    fn compare(
        &self,
        what: &str,
        wanted: &BTreeMap<String, Tensors>,
        gradients: &Gradients,
        rule: &Rule,
        fail: &mut impl FnMut(&str),
    ) {
        for (name, tensors) in wanted {
            for (position, (got, want)) in
                self.gradients(name, tensors, gradients).iter().zip(&tensors.0).enumerate()
            {
                if let Some(text) = difference(got, want, rule) {
                    fail(&format!("{what} of {name}[{position}]: {text}"));
                }
            }
        }
    }
}

fn gradient(input: &FloatTensor<Dispatch>, gradients: &Gradients) -> TensorData {
    let gradient = Dispatch::gradient(input, gradients).expect("on autodiff");
    if let Some(gradient) = &gradient {
        assert_eq!(gradient.dtype(), input.dtype(), "a gradient has the type of its tensor");
    }
    let zeros = || Dispatch::float_zeros(input.shape(), input.dtype(), &input.device());
    Dispatch::float_into_data_blocking(gradient.unwrap_or_else(zeros)).expect("the device works")
}

fn sum_all(x: FloatTensor<Dispatch>) -> FloatTensor<Dispatch> {
    let dims: Vec<usize> = (0..x.shape().rank()).collect();
    Dispatch::float_sum(x, &dims, false)
}

fn check_gradients(case: &Case, run: Run, mode: &Mode, fail: &mut impl FnMut(&str)) {
    let checked = catch(|| {
        let mut found = Vec::new();
        let forward = Forward::new(case, run, mode, false);
        match forward.backward(BackwardOptions::default()) {
            Ok(gradients) => {
                let rule = Rule::new(case, mode.dtype, Order::Gradient);
                forward.compare("gradient", &case.grads, &gradients, &rule, &mut |text| {
                    found.push(text.to_owned());
                });
            }
            Err(error) => found.push(format!("backward fails: {error}")),
        }
        // Neither the op nor the backward pass may have written into a buffer that somebody holds.
        compare_outputs(case, mode, &read(&forward.outputs), &mut |text| {
            found.push(format!("after backward: {text}"));
        });
        found
    });
    report(checked, "gradient", fail);
}

fn report(checked: Result<Vec<String>, String>, what: &str, fail: &mut impl FnMut(&str)) {
    match checked {
        Ok(found) => found.iter().for_each(|text| fail(text)),
        Err(text) => fail(&format!("{what} panics: {text}")),
    }
}

fn check_second_order(case: &Case, run: Run, mode: &Mode, fail: &mut impl FnMut(&str)) {
    let checked = catch(|| second_order(&Forward::new(case, run, mode, true), mode));
    let checked =
        checked.map(|found| found.unwrap_or_else(|error| vec![format!("second backward fails: {error}")]));
    report(checked, "second order", fail);
}

fn second_order(forward: &Forward<'_>, mode: &Mode) -> Result<Vec<String>, BackwardError> {
    let case = forward.case;
    let first = forward.backward(BackwardOptions { create_graph: true, ..BackwardOptions::default() })?;
    let argument = case.second_order_arg.as_deref().expect("asked for before");
    let direction = case.second_order_v.as_ref().expect("a case with an argument has a direction");
    let input = &forward.args.floats(argument)[0];
    let second = match Dispatch::gradient(input, &first)? {
        Some(gradient) => {
            let product = Dispatch::float_mul(gradient, mode.float(direction, mode.dtype));
            match Dispatch::backward(sum_all(product), None, BackwardOptions::default()) {
                // A gradient that depends on nothing has zeros for second derivatives.
                Err(BackwardError::Untracked) => Gradients::default(),
                gradients => gradients?,
            }
        }
        None => Gradients::default(),
    };
    let mut found = Vec::new();
    let rule = Rule::new(case, mode.dtype, Order::Second);
    forward.compare("second derivative", &case.second_order, &second, &rule, &mut |text| {
        found.push(text.to_owned());
    });
    for (seed, want) in forward.seeds.iter().zip(&case.second_order_grad_outputs) {
        let (Some(seed), Some(want)) = (seed, want) else { continue };
        if let Some(text) = difference(&gradient(seed, &second), want, &rule) {
            found.push(format!("second derivative of the cotangent: {text}"));
        }
    }
    Ok(found)
}
