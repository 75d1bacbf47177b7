//! Tensors that are not where the op runs.

use opswitch_core::{AnyTensor, Checkpointing, DType, Device, DispatchDeviceHandle, DispatchErrorKind};

use super::Context;
use crate::{
    conformance::TestedDispatch,
    failure::Failure,
    input::Place,
    quiet::catch,
    run::{assemble, float_dtypes, make, plain},
    values::{Kind, Layout},
    variant::Variant,
};

pub(super) fn check<D: TestedDispatch>(context: &Context<'_, D>) -> Result<(), Failure> {
    let variant = context.case.base();
    let tensors = variant.tensors();
    if tensors.len() < 2 {
        println!("{} has one tensor, which says where it runs", context.op.op);
        return Ok(());
    }
    let others: Vec<Device<D>> = D::devices().into_iter().filter(|device| device != context.device).collect();
    if others.is_empty() {
        println!("skipped: {} needs a second device to be refused a tensor of it", context.op.op);
    }
    for other in &others {
        let tracking = other.clone().try_autodiff_with(Checkpointing::Off).ok();
        for (position, (_, tensor)) in tensors.iter().enumerate() {
            Misplaced { context, variant: &variant, other, position }.check()?;
            // Of the kinds, floats alone know of autodiff.
            if let (Kind::Float, Some(other)) = (tensor.kind, &tracking) {
                Misplaced { context, variant: &variant, other, position }.check()?;
            }
        }
    }
    Ok(())
}

/// A sample with one tensor on another device.
struct Misplaced<'a, D: TestedDispatch> {
    context: &'a Context<'a, D>,
    variant: &'a Variant,
    other: &'a Device<D>,
    position: usize,
}

impl<D: TestedDispatch> Misplaced<'_, D> {
    fn check(&self) -> Result<(), Failure> {
        let Some(made) = self.make() else { return Ok(()) };
        let op = self.context.op;
        // An op runs where its first tensor is: if that is the one elsewhere, the second is refused.
        let (expected, found, at) = match self.position {
            0 => (self.other, self.context.device, 1),
            position => (self.context.device, self.other, position),
        };
        let ((argument, inside), tensor) = &self.variant.tensors()[at];
        let argument = format!("{}{inside}", op.argument(*argument));
        let named = if op.by_closure { String::new() } else { format!("{argument}\n") };
        let wanted =
            format!("{}\n  op:       {}\n  argument: {named}", first_line::<D>(expected, found), op.op);
        let what = match self.refusal(made) {
            Some(text) if text.starts_with(&wanted) => return Ok(()),
            Some(text) => format!("that should be refused with\n{wanted}but is with\n{text}"),
            None => "that is accepted".to_owned(),
        };
        let kind = tensor.kind;
        let what = format!("the {kind} tensor `{argument}` is on {found}, the op on {expected}: {what}");
        Err(self.context.failure(self.variant, what))
    }

    /// The tensors; none if one of the devices lacks a type.
    fn make(&self) -> Option<Vec<AnyTensor<D>>> {
        let dtype = self.shared_dtype()?;
        let made = self.variant.tensors().into_iter().enumerate().map(|(position, (_, tensor))| {
            let device = if position == self.position { self.other } else { self.context.device };
            make(tensor, Layout::Contiguous, &Place { device: device.clone(), dtype }).ok()
        });
        made.collect()
    }

    /// The widest float type of both devices.
    fn shared_dtype(&self) -> Option<DType> {
        let here = float_dtypes::<D>(self.context.device);
        float_dtypes::<D>(self.other).into_iter().find(|dtype| here.contains(dtype))
    }

    fn refusal(&self, made: Vec<AnyTensor<D>>) -> Option<String> {
        let place = Place { dtype: self.shared_dtype()?, device: self.context.device.clone() };
        let call = &self.context.case.call;
        catch(|| call(assemble(self.variant, made), &place)).err().map(|panic| panic.text)
    }
}

fn first_line<D: TestedDispatch>(expected: &Device<D>, found: &Device<D>) -> String {
    let name = expected.backend_name();
    let kind = if name == found.backend_name() {
        DispatchErrorKind::WrongDevice { expected: plain(expected) }
    } else if found.checkpointing().is_some() {
        DispatchErrorKind::WrongAutodiffBackend { expected: name }
    } else {
        DispatchErrorKind::WrongBackend { expected: name }
    };
    kind.to_string()
}
