//! Results against those of the CPU in `f64`.

use opswitch_core::{DType, DispatchErrorKind, TensorData};

use super::Context;
use crate::{
    compare::{tolerance, worst},
    conformance::TestedDispatch,
    failure::Failure,
    input::Place,
    run::{Stop, run},
    values::Layout,
    variant::Variant,
};

/// Whether there was something to compare.
pub(super) fn check<D: TestedDispatch>(context: &Context<'_, D>) -> Result<bool, Failure> {
    let mut compared = false;
    for (position, variant) in context.case.variants(context.op.arguments).iter().enumerate() {
        let derived = position > 0;
        for dtype in context.dtypes() {
            for layout in context.layouts(derived) {
                compared |= check_run(context, variant, derived, layout, dtype)?;
            }
        }
    }
    if !compared {
        let (op, sample, device) = (context.op.op, &context.case.label, context.device);
        println!("skipped: {op}, sample {sample}: {device} has none of its types");
    }
    Ok(compared)
}

/// Whether there was something to compare.
fn check_run<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    derived: bool,
    layout: Layout,
    dtype: DType,
) -> Result<bool, Failure> {
    let fitted = variant.clone().fit(layout).rounded(dtype);
    let expected = run(&context.case.reference, &fitted, Layout::Contiguous, context.op.oracle());
    let place = Place { device: context.device.clone(), dtype };
    let found = run(&context.case.call, &fitted, layout, &place);
    let fail = |what: String| context.failure(variant, what).with_inputs(&layout).in_dtype(dtype);
    match (expected, found) {
        (_, Err(Stop::Unsupported(_))) => Ok(false),
        (Ok(expected), Ok(found)) => {
            compare_all(context, &found, &expected, &place, &fail)?;
            Ok(true)
        }
        // What follows from a sample need not be accepted, but must be refused in words that name an op.
        (Err(expected), Err(found)) if derived => {
            match [expected, found].iter().find(|stop| !names_an_op::<D>(stop)) {
                Some(stop) => Err(fail(format!("is refused in words that do not name it: {}", stop.full()))),
                None => Ok(true),
            }
        }
        (Ok(_), Err(stop)) => Err(fail(stop.full().to_owned())),
        (Err(stop), _) => Err(fail(format!("gives no expected result on the CPU in f64: {}", stop.full()))),
    }
}

/// Whether a refusal starts with an op, as in `float_add: shapes ..`, or is one of the dispatch.
fn names_an_op<D: TestedDispatch>(stop: &Stop) -> bool {
    let text = stop.text();
    let name = text.split(": ").next().unwrap_or_default();
    let table = D::ops();
    let known = table.rows().iter().any(|row| row.name == name || row.op() == name);
    known || text.starts_with(&DispatchErrorKind::NoTensor.to_string())
}

fn compare_all<D: TestedDispatch>(
    context: &Context<'_, D>,
    found: &[TensorData],
    expected: &[TensorData],
    place: &Place<D>,
    fail: &impl Fn(String) -> Failure,
) -> Result<(), Failure> {
    if found.len() != expected.len() {
        return Err(fail(format!("gives {} tensors, expected {}", found.len(), expected.len())));
    }
    for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
        let wanted = expected_dtype(context, expected.dtype(), place);
        // An integer type may also come from a parameter.
        let given = found.dtype().is_int() && found.dtype() == expected.dtype();
        if found.dtype() != wanted && !given {
            return Err(fail(format!("result {position} is of type {}, expected {wanted}", found.dtype())));
        }
        let allowed = |dtype| tolerance(&context.case.options, dtype);
        let tolerance = allowed(place.dtype).max(allowed(found.dtype()));
        if let Some(worst) = worst(found, expected, tolerance) {
            return Err(fail(format!("result {position} is wrong")).with_worst(worst));
        }
    }
    Ok(())
}

/// The type of a result, from the one that the CPU gives in `f64`.
fn expected_dtype<D: TestedDispatch>(context: &Context<'_, D>, dtype: DType, place: &Place<D>) -> DType {
    let oracle = &context.op.oracle().device;
    match dtype {
        DType::F64 => place.dtype,
        dtype if dtype.is_int() && dtype == D::int_dtype(oracle) => D::int_dtype(&place.device),
        dtype => dtype,
    }
}
