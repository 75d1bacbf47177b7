//! When a number is close enough, as `data/README.md` says.

use std::fmt::Write as _;

use opswitch::{DType, Shape, TensorData};

use crate::case::{Case, Numbers, Tensor};

/// Ops that only move, choose or round their elements: there is one right answer in every type.
const EXACT: &[&str] = &[
    "embedding",
    "float_abs",
    "float_cast",
    "float_cat",
    "float_ceil",
    "float_clamp",
    "float_clamp_max",
    "float_clamp_min",
    "float_expand",
    "float_flip",
    "float_floor",
    "float_gather",
    "float_mask_fill",
    "float_mask_where",
    "float_max",
    "float_max_dim",
    "float_maximum",
    "float_min",
    "float_min_dim",
    "float_minimum",
    "float_neg",
    "float_one_hot",
    "float_permute",
    "float_reshape",
    "float_round",
    "float_select",
    "float_sign",
    "float_slice",
    "float_slice_assign",
    "float_swap_dims",
    "float_trunc",
    "relu",
];

/// What is compared.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Order {
    Value,
    Gradient,
    Second,
}

#[derive(Clone, Copy)]
pub(crate) struct Rule {
    dtype: DType,
    tolerance: f64,
    relative: bool,
    zero_sign: bool,
    exact: bool,
}

impl Rule {
    pub(crate) fn new(case: &Case, dtype: DType, order: Order) -> Self {
        let value = order == Order::Value;
        Self {
            dtype,
            tolerance: tolerance(case, dtype, order),
            relative: value && case.relative(),
            zero_sign: value && case.zero_sign(),
            exact: value && EXACT.contains(&case.op.as_str()),
        }
    }

    fn accepts(&self, got: f64, want: f64) -> bool {
        if self.exact {
            return got == want || (got.is_nan() && want.is_nan());
        }
        if self.zero_sign && want == 0.0 && got == 0.0 {
            return got.is_sign_negative() == want.is_sign_negative();
        }
        let scale = if self.relative { want.abs() } else { want.abs().max(1.0) };
        got == want || (got.is_nan() && want.is_nan()) || (got - want).abs() <= self.tolerance * scale
    }
}

fn tolerance(case: &Case, dtype: DType, order: Order) -> f64 {
    let narrow = matches!(dtype, DType::F16 | DType::BF16);
    let base = match dtype {
        DType::F64 => 1e-10,
        DType::F32 => 1e-5,
        DType::F16 => 1e-2,
        _ => 3e-2,
    };
    let products = match case.op.as_str() {
        "float_matmul" => {
            case.inputs.values().flat_map(|tensors| &tensors.0[0].shape).copied().max().unwrap_or(1)
        }
        op if op.starts_with("conv") => products_of_convolution(case),
        _ => 1,
    };
    let normalises = matches!(case.op.as_str(), "softmax" | "log_softmax") || case.op.ends_with("_norm");
    let second = if order == Order::Second { 10.0 } else { 1.0 };
    let bicubic = case.params.get("mode").is_some_and(|mode| mode == "bicubic");
    let normalising = if narrow && (normalises || bicubic) { 10.0 } else { 1.0 };
    base * (products as f64).sqrt() * second * normalising
}

/// The most products that a number of a convolution, or of its gradients, is the sum of.
fn products_of_convolution(case: &Case) -> usize {
    let elements = |name: &str| case.inputs.get(name).map_or(1, |x| x.0[0].shape.iter().product());
    elements("x").max(elements("weight"))
}

/// What is wrong with a result; `None` if nothing is.
pub(crate) fn difference(got: &TensorData, want: &Tensor, rule: &Rule) -> Option<String> {
    if *got.shape() != Shape::from(want.shape.as_slice()) {
        return Some(format!("shape {}, want {:?}", got.shape(), want.shape));
    }
    match &want.numbers {
        Numbers::Float(values) => {
            let rounded =
                TensorData::new(values.clone(), want.shape.as_slice()).expect("as above").cast(rule.dtype);
            let want = if rule.exact { rounded.to_vec::<f64>() } else { values.clone() };
            let distance = |(got, want): (f64, f64)| {
                let distance = (got - want).abs() / want.abs().max(1.0);
                if distance.is_nan() { f64::INFINITY } else { distance }
            };
            worst(&got.to_vec::<f64>(), &want, |got, want| rule.accepts(got, want), distance)
        }
        Numbers::Int(want) => worst(&got.to_vec::<i64>(), want, |got, want| got == want, |_| 1.0),
        Numbers::Bool(want) => match got.as_slice::<bool>() {
            Ok(got) => worst(got, want, |got, want| got == want, |_| 1.0),
            Err(error) => Some(error.to_string()),
        },
    }
}

/// The element that is furthest from what it should be.
fn worst<T: Copy + std::fmt::Debug>(
    got: &[T],
    want: &[T],
    accepts: impl Fn(T, T) -> bool,
    distance: impl Fn((T, T)) -> f64,
) -> Option<String> {
    let pairs = got.iter().copied().zip(want.iter().copied()).enumerate();
    let wrong: Vec<_> = pairs.filter(|&(_, (got, want))| !accepts(got, want)).collect();
    let furthest =
        |lhs: &&(usize, (T, T)), rhs: &&(usize, (T, T))| distance(lhs.1).total_cmp(&distance(rhs.1));
    let (at, (found, wanted)) = wrong.iter().max_by(furthest)?;
    let mut text = format!("element {at} is {found:?}, want {wanted:?}");
    if wrong.len() > 1 {
        write!(text, " ({} of {} are wrong)", wrong.len(), got.len()).expect("a string takes any text");
    }
    Some(text)
}

/// Whether a narrower type can start from the same inputs and hold the same results.
pub(crate) fn fits(case: &Case, dtype: DType) -> bool {
    let narrow = matches!(dtype, DType::F16 | DType::BF16);
    if narrow && (case.name.starts_with("large_") || case.name == "cancels") {
        return false;
    }
    let inputs = case.inputs.values().flat_map(|tensors| &tensors.0);
    inputs.into_iter().all(|tensor| is_exact(tensor, dtype))
        && results_fit(&case.outputs, case.relative(), dtype)
}

/// Whether gradients fit.
pub(crate) fn gradients_fit(case: &Case, dtype: DType) -> bool {
    let seeds = case.grad_outputs.iter().flatten().flatten();
    let grads = case.grads.values().flat_map(|tensors| &tensors.0);
    seeds.into_iter().all(|tensor| is_exact(tensor, dtype)) && results_fit(grads, false, dtype)
}

/// Whether second derivatives fit.
pub(crate) fn second_order_fits(case: &Case, dtype: DType) -> bool {
    let results = case.second_order.values().flat_map(|tensors| &tensors.0);
    let of_seeds = case.second_order_grad_outputs.iter().flatten();
    let exact = case.second_order_v.iter().all(|tensor| is_exact(tensor, dtype));
    exact && gradients_fit(case, dtype) && results_fit(results.chain(of_seeds), false, dtype)
}

fn narrowed(tensor: &Tensor, dtype: DType) -> Vec<(f64, f64)> {
    let Some(values) = tensor.floats() else {
        return Vec::new();
    };
    values.iter().copied().zip(tensor.data().cast(dtype).to_vec::<f64>()).collect()
}

fn is_exact(tensor: &Tensor, dtype: DType) -> bool {
    narrowed(tensor, dtype).into_iter().all(|(value, narrow)| value == narrow || value.is_nan())
}

fn results_fit<'a>(tensors: impl IntoIterator<Item = &'a Tensor>, relative: bool, dtype: DType) -> bool {
    let smallest = match dtype {
        DType::F32 | DType::BF16 => f64::from(f32::MIN_POSITIVE),
        DType::F16 => 2f64.powi(-14),
        _ => f64::MIN_POSITIVE,
    };
    let fits = |(value, narrow): (f64, f64)| {
        let in_range = value.is_infinite() || narrow.is_finite() || value.is_nan();
        in_range && (!relative || value == 0.0 || value.abs() >= smallest)
    };
    tensors.into_iter().flat_map(|tensor| narrowed(tensor, dtype)).all(fits)
}
