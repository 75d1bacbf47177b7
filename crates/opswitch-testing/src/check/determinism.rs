//! Two runs, bit by bit, the second while somebody else holds the inputs.

use opswitch_core::TensorData;

use super::{Context, pass::Pass};
use crate::{
    compare::other_bits,
    conformance::TestedDispatch,
    failure::Failure,
    input::Place,
    run::{Stop, run, run_with_held_inputs},
    values::Layout,
};

pub(super) fn check<D: TestedDispatch>(context: &Context<'_, D>) -> Result<(), Failure> {
    let base = context.case.base();
    for dtype in context.dtypes() {
        let variant = base.clone().rounded(dtype);
        let place = Place { device: context.device.clone(), dtype };
        let fail = |what: String| context.failure(&base, what).in_dtype(dtype);
        let first = match run(&context.case.call, &variant, Layout::Contiguous, &place) {
            Err(Stop::Unsupported(_)) => continue,
            first => first.map_err(|stop| fail(stop.full().to_owned()))?,
        };
        let second = run_with_held_inputs(&context.case.call, &variant, &place);
        let second = second.map_err(|stop| fail(stop.full().to_owned()))?;
        same_bits(&second.outputs, &first, |position, worst| {
            fail(format!("result {position} is another in a second run")).with_worst(worst)
        })?;
        same_bits(&second.inputs_after, &second.inputs_before, |position, worst| {
            fail(format!("input {position} is written to, while it is used elsewhere")).with_worst(worst)
        })?;
        let Some(pass) = Pass::all_checked(context, &variant, dtype) else { continue };
        let gradients = || pass.run(Layout::Contiguous).map_err(|stop| fail(stop.full().to_owned()));
        let (first, second) = (gradients()?, gradients()?);
        same_bits(&second.gradients, &first.gradients, |position, worst| {
            fail(format!("gradient {position} is another in a second run")).with_worst(worst)
        })?;
    }
    Ok(())
}

fn same_bits(
    found: &[TensorData],
    expected: &[TensorData],
    fail: impl Fn(usize, String) -> Failure,
) -> Result<(), Failure> {
    for (position, (found, expected)) in found.iter().zip(expected).enumerate() {
        if let Some(worst) = other_bits(found, expected) {
            return Err(fail(position, worst));
        }
    }
    Ok(())
}
