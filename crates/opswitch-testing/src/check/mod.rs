//! The checks: one file an aspect.

mod determinism;
mod gradients;
mod mixtures;
mod pass;
mod placement;
mod values;

use opswitch_core::{Checkpointing, DType, Device, DispatchDeviceHandle};

use crate::{
    conformance::{Aspect, Case, Conformance, TestedDispatch},
    failure::Failure,
    run::float_dtypes,
    values::Layout,
    variant::Variant,
};

/// Checks one aspect of one sample; whether it could be checked, of values.
///
/// # Errors
///
/// The first check that fails.
pub(crate) fn case<D: TestedDispatch>(
    op: &Conformance<D>,
    case: &Case<D>,
    aspect: Aspect,
    device: &Device<D>,
) -> Result<bool, Failure> {
    let context = Context { op, case, device };
    match aspect {
        Aspect::Values => return values::check(&context),
        Aspect::Gradients => gradients::check(&context),
        Aspect::Mixtures => mixtures::check(&context),
        Aspect::Placement => placement::check(&context),
        Aspect::Determinism => determinism::check(&context),
    }?;
    Ok(true)
}

/// The failure of an op without a sample that the device has the types for.
pub(crate) fn nothing_checked<D: TestedDispatch>(op: &Conformance<D>, device: &Device<D>) -> Failure {
    Failure::new(op.op, "the device has the types of no sample", "all of them".to_owned(), device)
}

/// What is checked, and on which plain device.
struct Context<'a, D: TestedDispatch> {
    op: &'a Conformance<D>,
    case: &'a Case<D>,
    device: &'a Device<D>,
}

impl<D: TestedDispatch> Context<'_, D> {
    /// The float types of the device that the sample is run in, widest first.
    fn dtypes(&self) -> Vec<DType> {
        let wanted =
            |dtype: &DType| self.case.options.dtypes.as_ref().is_none_or(|only| only.contains(dtype));
        float_dtypes::<D>(self.device).into_iter().filter(wanted).collect()
    }

    /// The layouts that a sample is run in, and that a form that follows from it is.
    fn layouts(&self, derived: bool) -> Vec<Layout> {
        if derived {
            return vec![Layout::Contiguous, Layout::Transposed];
        }
        let fits = |layout: &Layout| !(self.case.options.distinct && *layout == Layout::Expanded);
        Layout::ALL.into_iter().filter(fits).collect()
    }

    /// The autodiff device around the device, if the dispatch has autodiff.
    fn autodiff(&self) -> Option<Device<D>> {
        self.device.clone().try_autodiff_with(Checkpointing::Off).ok()
    }

    fn failure(&self, variant: &Variant, what: impl Into<String>) -> Failure {
        let mut sample = self.case.label.clone();
        if !variant.label.is_empty() {
            sample = format!("{sample}, {}", variant.label);
        }
        Failure::new(self.op.op, what, sample, self.device)
    }
}
