//! Two runs, bit by bit.

use opswitch_core::TensorData;

use super::{Context, pass::Pass};
use crate::{
    compare::other_bits,
    conformance::TestedDispatch,
    failure::Failure,
    input::Place,
    run::{Stop, run},
    values::Layout,
};

pub(super) fn check<D: TestedDispatch>(context: &Context<'_, D>) -> Result<(), Failure> {
    let base = context.case.base();
    for dtype in context.dtypes() {
        let variant = base.clone().rounded(dtype);
        let place = Place { device: context.device.clone(), dtype };
        let forward = || run(&context.case.call, &variant, Layout::Contiguous, &place);
        let fail = |what: String| context.failure(&base, what).in_dtype(dtype);
        same_bits("result", [forward(), forward()], &fail)?;
        let Some(pass) = Pass::all_checked(context, &variant, dtype) else { continue };
        let gradients = || pass.run(Layout::Contiguous).map(|outcome| outcome.gradients);
        same_bits("gradient", [gradients(), gradients()], &fail)?;
    }
    Ok(())
}

fn same_bits(
    what: &str,
    runs: [Result<Vec<TensorData>, Stop>; 2],
    fail: &impl Fn(String) -> Failure,
) -> Result<(), Failure> {
    let [first, second] = match runs {
        [Err(Stop::Unsupported(_)), _] => return Ok(()),
        [first, second] => [first, second].map(|run| run.map_err(|stop| fail(stop.full().to_owned()))),
    };
    let (first, second) = (first?, second?);
    for (position, (first, second)) in first.iter().zip(&second).enumerate() {
        if let Some(worst) = other_bits(second, first) {
            return Err(fail(format!("{what} {position} is another in a second run")).with_worst(worst));
        }
    }
    Ok(())
}
