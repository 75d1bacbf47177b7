//! Tracked and plain inputs side by side.

use opswitch_core::{DType, TensorData};

use super::{
    Context,
    pass::{Pass, of_gradient},
};
use crate::{
    compare::{other_bits, tolerance, worst},
    conformance::TestedDispatch,
    failure::Failure,
    input::{Gradient, Place},
    run::{Stop, run},
    values::Layout,
    variant::Variant,
};

/// With more float inputs than this, they are tracked one at a time and all but one.
const MAX_SUBSETS: usize = 5;

pub(super) fn check<D: TestedDispatch>(context: &Context<'_, D>) -> Result<(), Failure> {
    let Some(autodiff) = context.autodiff() else {
        println!("skipped: the dispatch of {} has no autodiff", context.op.op);
        return Ok(());
    };
    let Some(&dtype) = context.dtypes().first() else { return Ok(()) };
    let variant = context.case.base().rounded(dtype);
    let place = Place { device: context.device.clone(), dtype };
    let plain = match run(&context.case.call, &variant, Layout::Contiguous, &place) {
        Err(Stop::Unsupported(_)) => return Ok(()),
        plain => plain.map_err(|stop| context.failure(&variant, stop.full()).in_dtype(dtype))?,
    };
    let everything = Pass::all_checked(context, &variant, dtype).map(|pass| pass.run(Layout::Contiguous));
    let gradients = match everything {
        Some(Ok(outcome)) => outcome.gradients,
        Some(Err(stop)) => return Err(context.failure(&variant, stop.full()).in_dtype(dtype)),
        None => Vec::new(),
    };
    let expected = Expected { plain, gradients };
    for tracked in subsets(&of_gradient(context, &variant, Gradient::Checked)) {
        for others in [context.device, &autodiff] {
            let mixture = Pass::tracking(context, &variant, dtype, tracked.clone());
            let Some(mut mixture) = mixture else { return Ok(()) };
            mixture.others.clone_from(others);
            expected.check(context, &variant, &mixture)?;
        }
    }
    Ok(())
}

/// Every choice of the positions that are `true`: none of them, some, and all.
fn subsets(positions: &[bool]) -> Vec<Vec<bool>> {
    let chosen: Vec<usize> = (0..positions.len()).filter(|&position| positions[position]).collect();
    let subset = |keep: &dyn Fn(usize) -> bool| {
        let kept = |position| chosen.iter().position(|&at| at == position).is_some_and(keep);
        (0..positions.len()).map(kept).collect::<Vec<bool>>()
    };
    if chosen.len() <= MAX_SUBSETS {
        return (0..1u32 << chosen.len()).map(|bits| subset(&|at| bits >> at & 1 == 1)).collect();
    }
    let alone = (0..chosen.len()).map(|one| subset(&|at| at == one));
    let others = (0..chosen.len()).map(|one| subset(&|at| at != one));
    alone.chain(others).collect()
}

/// What every mixture gives.
struct Expected {
    plain: Vec<TensorData>,
    /// One for each input that has a gradient to check.
    gradients: Vec<TensorData>,
}

impl Expected {
    fn check<D: TestedDispatch>(
        &self,
        context: &Context<'_, D>,
        variant: &Variant,
        mixture: &Pass<'_, D>,
    ) -> Result<(), Failure> {
        let dtype = mixture.place.dtype;
        let fail = |what: String| {
            let inputs = describe(context, variant, mixture);
            context.failure(variant, what).with_inputs(&inputs).in_dtype(dtype)
        };
        let walks = mixture.tracked.contains(&true) && !self.gradients.is_empty();
        let (outputs, gradients) = if walks {
            let outcome = mixture.run(Layout::Contiguous).map_err(|stop| fail(stop.full().to_owned()))?;
            (outcome.outputs, outcome.gradients)
        } else {
            let outputs =
                mixture.run_forward(Layout::Contiguous).map_err(|stop| fail(stop.full().to_owned()))?;
            (outputs, Vec::new())
        };
        for (position, (found, expected)) in outputs.iter().zip(&self.plain).enumerate() {
            if let Some(worst) = other_bits(found, expected) {
                return Err(
                    fail(format!("result {position} is another than with plain inputs")).with_worst(worst)
                );
            }
        }
        self.check_gradients(context, variant, mixture, &gradients, dtype, &fail)
    }

    fn check_gradients<D: TestedDispatch>(
        &self,
        context: &Context<'_, D>,
        variant: &Variant,
        mixture: &Pass<'_, D>,
        found: &[TensorData],
        dtype: DType,
        fail: &impl Fn(String) -> Failure,
    ) -> Result<(), Failure> {
        let checked = of_gradient(context, variant, Gradient::Checked);
        let positions = (0..checked.len()).filter(|&position| checked[position]);
        let expected = positions.zip(&self.gradients).filter(|(position, _)| mixture.tracked[*position]);
        let tolerance = tolerance(&context.case.options, dtype);
        for (found, (position, expected)) in found.iter().zip(expected) {
            let (place, _) = &variant.tensors()[position];
            if let Some(worst) = worst(found, expected, tolerance) {
                let argument = context.op.argument(place.0);
                let what = format!(
                    "the gradient of `{argument}{}` is another than with all inputs tracked",
                    place.1
                );
                return Err(fail(what).with_worst(worst));
            }
        }
        Ok(())
    }
}

/// Which inputs are tracked, and where the others are.
fn describe<D: TestedDispatch>(context: &Context<'_, D>, variant: &Variant, mixture: &Pass<'_, D>) -> String {
    let tensors = variant.tensors();
    let tracked = (0..tensors.len()).filter(|&position| mixture.tracked[position]);
    let names: Vec<String> = tracked
        .map(|position| {
            let (argument, place) = &tensors[position].0;
            format!("`{}{place}`", context.op.argument(*argument))
        })
        .collect();
    let names = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    format!("{names} tracked, the others on {}", mixture.others)
}
