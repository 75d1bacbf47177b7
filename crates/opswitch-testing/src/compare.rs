//! When a result is close enough.

use std::fmt::Debug;

use opswitch_core::{DType, TensorData};

use crate::{sample::Options, values::index_of};

/// How far a result of a float type may be from the expected one, as a part of it, or of 1 if it is smaller.
pub(crate) fn tolerance(options: &Options, dtype: DType) -> f64 {
    let given = options.tolerances.iter().rev().find(|(of, _)| *of == dtype);
    given.map_or_else(|| default_tolerance(dtype), |(_, tolerance)| *tolerance)
}

fn default_tolerance(dtype: DType) -> f64 {
    match dtype {
        DType::F32 => 1e-5,
        DType::F16 => 1e-2,
        DType::BF16 => 3e-2,
        _ => 1e-10,
    }
}

/// The element that is furthest from what it should be; none if all are close enough. Floats are compared within the
/// tolerance, all else exactly.
pub(crate) fn worst(found: &TensorData, expected: &TensorData, tolerance: f64) -> Option<String> {
    if found.shape() != expected.shape() {
        return Some(format!("shape {}, expected {}", found.shape(), expected.shape()));
    }
    match expected.dtype() {
        DType::Bool => worst_of(found, &found.to_vec::<bool>(), &expected.to_vec(), "", |f, e| {
            f64::from(u8::from(f != e))
        }),
        dtype if dtype.is_int() => {
            worst_of(found, &found.to_vec::<i64>(), &expected.to_vec(), "", |f, e| f.abs_diff(e) as f64)
        }
        _ => {
            let suffix = format!(", tolerance {tolerance:e}");
            worst_of(found, &found.to_vec::<f64>(), &expected.to_vec(), &suffix, |f, e| {
                excess(f, e, tolerance)
            })
        }
    }
}

/// How far a float is outside its tolerance; 0 inside.
fn excess(found: f64, expected: f64, tolerance: f64) -> f64 {
    let distance = (found - expected).abs();
    match distance / expected.abs().max(1.0) {
        _ if found == expected || (found.is_nan() && expected.is_nan()) => 0.0,
        part if part <= tolerance => 0.0,
        part if part.is_nan() => f64::INFINITY,
        part => part,
    }
}

fn worst_of<T: Copy + Debug>(
    data: &TensorData,
    found: &[T],
    expected: &[T],
    suffix: &str,
    excess: impl Fn(T, T) -> f64,
) -> Option<String> {
    let excess: Vec<f64> =
        found.iter().zip(expected).map(|(&found, &expected)| excess(found, expected)).collect();
    let wrong = excess.iter().filter(|excess| **excess > 0.0).count();
    let (at, _) =
        excess.iter().enumerate().filter(|(_, excess)| **excess > 0.0).max_by(|l, r| l.1.total_cmp(r.1))?;
    let index = index_of(at, data.shape());
    Some(format!(
        "element {index:?} is {:?}, expected {:?}{suffix}; {wrong} of {} differ",
        found[at],
        expected[at],
        found.len()
    ))
}

/// The first element whose bits differ; none if all are the same.
pub(crate) fn other_bits(found: &TensorData, expected: &TensorData) -> Option<String> {
    if (found.shape(), found.dtype()) != (expected.shape(), expected.dtype()) {
        return Some(format!(
            "{}{}, expected {}{}",
            found.dtype(),
            found.shape(),
            expected.dtype(),
            expected.shape()
        ));
    }
    let size = found.dtype().size();
    let differ = |(at, (found, expected)): (usize, (&[u8], &[u8]))| (found != expected).then_some(at);
    let pairs = found.as_bytes().chunks(size).zip(expected.as_bytes().chunks(size)).enumerate();
    let at = pairs.map(differ).find(Option::is_some)??;
    let index = index_of(at, found.shape());
    let text = |data: &TensorData| format!("{:?}", data.to_vec::<f64>()[at]);
    Some(format!("element {index:?} is {}, expected {} to the bit", text(found), text(expected)))
}
