//! Tensors that are not where the op runs.

use opswitch_core::{Device, DispatchDeviceHandle, DispatchErrorKind};

use super::Context;
use crate::{
    conformance::TestedDispatch,
    failure::Failure,
    input::Place,
    quiet::catch,
    run::{assemble, float_dtypes, make},
    values::{Kind, Layout},
    variant::Variant,
};

pub(super) fn check<D: TestedDispatch>(context: &Context<'_, D>) -> Result<(), Failure> {
    let variant = context.case.base();
    if variant.tensors().len() < 2 {
        return Ok(());
    }
    let others: Vec<Device<D>> = D::devices().into_iter().filter(|device| device != context.device).collect();
    if others.is_empty() {
        println!("skipped: {} needs a second device to be refused a tensor of it", context.op.op);
    }
    for other in &others {
        for position in 0..variant.tensors().len() {
            check_refusal(context, &variant, other, position)?;
        }
    }
    Ok(())
}

/// Calls the op with one tensor on the other device.
fn check_refusal<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    other: &Device<D>,
    misplaced: usize,
) -> Result<(), Failure> {
    let tensors = variant.tensors();
    let here = float_dtypes::<D>(context.device);
    let Some(dtype) = float_dtypes::<D>(other).into_iter().find(|dtype| here.contains(dtype)) else {
        return Ok(());
    };
    let place = |position| {
        let device = if position == misplaced { other } else { context.device };
        Place { device: device.clone(), dtype }
    };
    let made: Result<Vec<_>, _> = tensors
        .iter()
        .enumerate()
        .map(|(position, (_, tensor))| make(tensor, Layout::Contiguous, &place(position)))
        .collect();
    // One of the devices may lack a type that the sample names.
    let Ok(made) = made else { return Ok(()) };
    let call = &context.case.call;
    let refused =
        catch(|| call(assemble(variant, made), &place(misplaced + 1))).err().map(|panic| panic.text);
    // An op runs where its first tensor is: if that is the one elsewhere, the second is refused.
    let (expected, found, at) =
        if misplaced == 0 { (other, context.device, 1) } else { (context.device, other, misplaced) };
    let ((argument, inside), tensor) = &tensors[at];
    let first = first_line::<D>(expected, found);
    let argument = format!("{}{inside}", context.op.argument(*argument));
    let named = if context.op.by_closure { String::new() } else { format!("{argument}\n") };
    let wanted = format!("{first}\n  op:       {}\n  argument: {named}", context.op.op);
    let kind = match tensor.kind {
        Kind::Float => "float",
        Kind::Int => "int",
        Kind::Bool => "bool",
    };
    let fail = |what| {
        Err(context.failure(
            variant,
            format!("the {kind} tensor `{argument}` is on {found}, the op on {expected}: {what}"),
        ))
    };
    match refused {
        None => fail("that is accepted".to_owned()),
        Some(text) if text.starts_with(&wanted) => Ok(()),
        Some(text) => fail(format!("that should be refused with\n{wanted}but is with\n{text}")),
    }
}

fn first_line<D: TestedDispatch>(expected: &Device<D>, found: &Device<D>) -> String {
    let name = expected.backend_name();
    if name == found.backend_name() {
        return DispatchErrorKind::WrongDevice { expected: expected.to_string() }.to_string();
    }
    DispatchErrorKind::WrongBackend { expected: name }.to_string()
}
