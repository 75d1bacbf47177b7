//! Gradients and second derivatives against central differences on the CPU, and gradients against those of the CPU on other
//! devices.

use opswitch_core::{DType, Shape, TensorData};

use super::{
    Context,
    pass::{self, Incoming, Pass, of_gradient},
};
use crate::{
    compare::{tolerance, worst},
    conformance::TestedDispatch,
    failure::Failure,
    input::Gradient,
    run::{Stop, run},
    values::Layout,
    variant::Variant,
};

/// The step of a central difference, for a number of size 1.
const STEP: f64 = 1e-5;

/// How far a gradient may be from a central difference.
const DIFFERENCE_TOLERANCE: f64 = 1e-6;

pub(super) fn check<D: TestedDispatch>(context: &Context<'_, D>) -> Result<(), Failure> {
    if context.autodiff().is_none() {
        println!("skipped: the dispatch of {} has no autodiff", context.op.op);
        return Ok(());
    }
    check_refused(context, &context.case.base())?;
    for (position, variant) in context.case.variants(context.op.arguments).iter().enumerate() {
        check_variant(context, variant, position > 0)?;
    }
    Ok(())
}

fn check_variant<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    derived: bool,
) -> Result<(), Failure> {
    let exact = context.op.oracle();
    // A sample that is not for `f64` cannot be nudged by a small step.
    let differences = exact.device == *context.device && context.dtypes().contains(&DType::F64);
    // A form that the op refuses has no gradient.
    if derived && run(&context.case.call, variant, Layout::Contiguous, exact).is_err() {
        return Ok(());
    }
    for layout in context.layouts(derived) {
        if differences && matches!(layout, Layout::Contiguous | Layout::Expanded) {
            check_differences(context, variant, layout)?;
        }
        if differences && !derived && layout == Layout::Contiguous {
            check_second_order(context, variant)?;
        }
        for dtype in types_in(context, layout, derived) {
            for &incoming in incoming_layouts(layout) {
                check_against_oracle(context, variant, layout, Incoming { dtype, layout: incoming })?;
            }
        }
    }
    Ok(())
}

/// The float types to walk back in: all of them from plain inputs and from a mixture of views, else the widest.
fn types_in<D: TestedDispatch>(context: &Context<'_, D>, layout: Layout, derived: bool) -> Vec<DType> {
    let mut dtypes = context.dtypes();
    if derived || !matches!(layout, Layout::Contiguous | Layout::Mixed) {
        dtypes.truncate(1);
    }
    dtypes
}

/// The layouts of incoming gradients that go with one of inputs.
fn incoming_layouts(layout: Layout) -> &'static [Layout] {
    match layout {
        Layout::Contiguous => &[Layout::Contiguous, Layout::Transposed, Layout::Sliced, Layout::Expanded],
        Layout::Mixed => &[Layout::Transposed],
        _ => &[Layout::Contiguous],
    }
}

/// Compares the gradients on this device with those of the CPU in `f64`.
fn check_against_oracle<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    layout: Layout,
    incoming: Incoming,
) -> Result<(), Failure> {
    let dtype = incoming.dtype;
    let fitted = variant.clone().fit(layout).rounded(dtype);
    let fail = |what: String| context.failure(variant, what).with_inputs(&layout).in_dtype(dtype);
    let Some(mut pass) = Pass::all_checked(context, &fitted, dtype) else { return Ok(()) };
    pass.incoming = incoming;
    let found = match pass.run(layout) {
        Err(Stop::Unsupported(_)) => return Ok(()),
        found => found.map_err(|stop| fail(stop.full().to_owned()))?,
    };
    let expected = on_oracle(context, &fitted, incoming)
        .map_err(|stop| fail(format!("gives no expected gradient on the CPU in f64: {}", stop.full())))?;
    let tolerance = tolerance(&context.case.options, dtype);
    let what = |name: &str| match incoming.layout {
        Layout::Contiguous => format!("the gradient of `{name}` is wrong"),
        layout => format!("the gradient of `{name}` is wrong where those that come in are {layout}"),
    };
    compare(&pass_names(context, &fitted, &pass), &found.gradients, &expected, tolerance, |name, worst| {
        fail(what(name)).with_worst(worst)
    })
}

/// The gradients of the CPU in `f64`.
fn on_oracle<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    incoming: Incoming,
) -> Result<Vec<TensorData>, Stop> {
    let context = Context { device: &context.op.oracle().device, ..*context };
    let mut pass = Pass::all_checked(&context, variant, DType::F64).expect("there are gradients to check");
    pass.incoming = incoming;
    pass.run(Layout::Contiguous).map(|outcome| outcome.gradients)
}

/// Compares the gradients of the CPU in `f64` with central differences.
fn check_differences<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    layout: Layout,
) -> Result<(), Failure> {
    let fitted = variant.clone().fit(layout);
    let fail = |what: String| context.failure(variant, what).with_inputs(&layout).in_dtype(DType::F64);
    let Some(pass) = Pass::all_checked(context, &fitted, DType::F64) else { return Ok(()) };
    let found = pass.run(layout).map_err(|stop| fail(stop.full().to_owned()))?;
    let tracked = pass.tracked.iter().enumerate().filter(|(_, tracked)| **tracked);
    let expected: Result<Vec<_>, Stop> =
        tracked.map(|(position, _)| differences(context, &fitted, position, pass.incoming)).collect();
    let expected = expected.map_err(|stop| fail(stop.full().to_owned()))?;
    let tolerance = tolerance(&context.case.options, DType::F64).max(DIFFERENCE_TOLERANCE);
    compare(&pass_names(context, &fitted, &pass), &found.gradients, &expected, tolerance, |name, worst| {
        fail(format!("the gradient of `{name}` is not that of central differences")).with_worst(worst)
    })
}

/// Compares the second derivatives of the CPU in `f64` with central differences of gradients.
fn check_second_order<D: TestedDispatch>(context: &Context<'_, D>, variant: &Variant) -> Result<(), Failure> {
    let fail = |what: String| context.failure(variant, what).in_dtype(DType::F64);
    let Some(pass) = Pass::all_checked(context, variant, DType::F64) else { return Ok(()) };
    let found = pass.run_twice();
    let found = found.map_err(|stop| fail(format!("cannot be differentiated twice: {}", stop.full())))?;
    let tracked = pass.tracked.iter().enumerate().filter(|(_, tracked)| **tracked);
    let gradients = |nudged: &Variant| {
        let pass = Pass::all_checked(context, nudged, DType::F64).expect("there are gradients to check");
        pass.run(Layout::Contiguous).map(|outcome| outcome.gradients)
    };
    let expected: Result<Vec<_>, Stop> = tracked
        .map(|(position, _)| central_differences(variant, position, &gradients, &pass::direction))
        .collect();
    let expected = expected.map_err(|stop| fail(stop.full().to_owned()))?;
    let tolerance = tolerance(&context.case.options, DType::F64).max(DIFFERENCE_TOLERANCE);
    compare(&pass_names(context, variant, &pass), &found, &expected, tolerance, |name, worst| {
        fail(format!("the second derivative in `{name}` is not that of central differences"))
            .with_worst(worst)
    })
}

/// The central differences of the op for the tensor at a position.
fn differences<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    position: usize,
    incoming: Incoming,
) -> Result<TensorData, Stop> {
    let outputs = |nudged: &Variant| run(&context.case.call, nudged, Layout::Contiguous, context.op.oracle());
    central_differences(variant, position, &outputs, &|position, shape| incoming.of(position, shape))
}

/// The central differences, for the tensor at a position, of the sum of the products of floats with their weights.
fn central_differences(
    variant: &Variant,
    position: usize,
    floats: &dyn Fn(&Variant) -> Result<Vec<TensorData>, Stop>,
    weights: &dyn Fn(usize, &Shape) -> TensorData,
) -> Result<TensorData, Stop> {
    let tensors = variant.tensors();
    let shape = tensors[position].1.data.shape().clone();
    let values = tensors[position].1.data.to_vec::<f64>();
    let nudged = |element: usize, value: f64| {
        let mut values = values.clone();
        values[element] = value;
        let mut nudged = variant.clone();
        let mut at = 0;
        nudged.for_each_tensor(&mut |tensor| {
            if at == position {
                tensor.data = crate::values::data(values.clone(), shape.clone());
            }
            at += 1;
        });
        floats(&nudged)
    };
    let difference = |(element, &value): (usize, &f64)| {
        let step = STEP * value.abs().max(1.0);
        let (above, below) = (nudged(element, value + step)?, nudged(element, value - step)?);
        let floats = above.iter().zip(&below).filter(|(above, _)| above.dtype().is_float());
        let products = floats.enumerate().map(|(position, (above, below))| {
            let weights = weights(position, above.shape()).to_vec::<f64>();
            let ends = above.to_vec::<f64>().into_iter().zip(below.to_vec::<f64>());
            ends.zip(weights).map(|((above, below), weight)| (above - below) * weight).sum::<f64>()
        });
        Ok(products.sum::<f64>() / (2.0 * step))
    };
    let found: Result<Vec<f64>, Stop> = values.iter().enumerate().map(difference).collect();
    found.map(|found| crate::values::data(found, shape.clone()))
}

/// The tracked tensors of a pass, as messages name them.
fn pass_names<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    pass: &Pass<'_, D>,
) -> Vec<String> {
    let name =
        |((position, place), _): ((usize, String), _)| format!("{}{place}", context.op.argument(position));
    let tensors = variant.tensors().into_iter().zip(&pass.tracked);
    tensors.filter(|(_, tracked)| **tracked).map(|(tensor, _)| name(tensor)).collect()
}

fn compare(
    names: &[String],
    found: &[TensorData],
    expected: &[TensorData],
    tolerance: f64,
    fail: impl Fn(&str, String) -> Failure,
) -> Result<(), Failure> {
    for (name, (found, expected)) in names.iter().zip(found.iter().zip(expected)) {
        if let Some(worst) = worst(found, expected, tolerance) {
            return Err(fail(name, worst));
        }
    }
    Ok(())
}

/// A backward pass through what is not differentiable is an error that names op and input.
fn check_refused<D: TestedDispatch>(context: &Context<'_, D>, variant: &Variant) -> Result<(), Failure> {
    let Some(&dtype) = context.dtypes().first() else { return Ok(()) };
    let refused = of_gradient(context, variant, Gradient::Refused);
    let names: Vec<_> = variant.tensors().into_iter().map(|(place, _)| place.0).collect();
    for position in (0..refused.len()).filter(|&position| refused[position]) {
        let tracked = (0..refused.len()).map(|other| other == position).collect();
        let Some(pass) = Pass::tracking(context, variant, dtype, tracked) else { return Ok(()) };
        let fail = |what: String| context.failure(variant, what).in_dtype(dtype);
        let argument = context.op.argument(names[position]);
        let wanted = format!("op `{}` is not differentiable in `{argument}`", context.op.op);
        match pass.run(Layout::Contiguous) {
            Ok(_) => {
                return Err(fail(format!("has a gradient for `{argument}`, which is declared to have none")));
            }
            // A result without floats leaves nothing to walk back from.
            Err(stop) if stop.text().starts_with("gives no float") => {}
            Err(stop) if stop.text().contains(&wanted) => {}
            Err(Stop::Unsupported(_)) => {}
            Err(stop) => return Err(fail(format!("should say that {wanted}, and not: {}", stop.full()))),
        }
    }
    Ok(())
}
