//! An op with its samples.

use std::{any::Any, cell::OnceCell, fmt, rc::Rc};

use opswitch_core::{
    __private::{Visit, Visitor},
    AnyTensor, AutodiffOps, Backend, BoolTensor, Device, DispatchBackend, FloatTensor, IntTensor, OpGradient,
    QuantizedTensor, TensorHandle,
    ops::FloatOps,
};

use crate::{
    check,
    failure::Failures,
    input::{Gradient, Made, Place, Spec},
    run::oracle,
    sample::{Inputs, Options, Sample},
    variant::{HostTensor, Variant},
};

/// A dispatch whose ops can be checked: one with the built-in op families, which the kit makes views and gradients with.
pub trait TestedDispatch: DispatchBackend + FloatOps + AutodiffOps {}

impl<D: DispatchBackend + FloatOps + AutodiffOps> TestedDispatch for D {}

/// What is asked of an op. Each aspect is a test of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Aspect {
    /// The results are those of the CPU in `f64`, in each float type of the device, from contiguous inputs and from views.
    Values,
    /// The gradients and second derivatives are those of central differences on the CPU, and the gradients those of the CPU
    /// elsewhere. What is not differentiable is
    /// refused by name.
    Gradients,
    /// Whichever inputs are tracked, the results are the same, and so are the gradients of the tracked ones.
    Mixtures,
    /// A tensor on another backend or device is refused by name.
    Placement,
    /// Two runs give the same bits, and inputs that are used elsewhere stay as they are.
    Determinism,
}

impl Aspect {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Values, Self::Gradients, Self::Mixtures, Self::Placement, Self::Determinism];

    /// The name of the module with the tests of this aspect.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Values => "values",
            Self::Gradients => "gradients",
            Self::Mixtures => "mixtures",
            Self::Placement => "placement",
            Self::Determinism => "determinism",
        }
    }
}

impl fmt::Display for Aspect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An op with its samples, as [`conformance!`](crate::conformance) makes it.
///
/// It can be used without the macro, where a test wants the failures as a value:
///
/// ```
/// use opswitch::{Dispatch, ops::FloatOps};
/// use opswitch_testing::{Aspect, Conformance, float, sample};
///
/// let exp = Conformance::<Dispatch>::new(
///     "FloatOps::float_exp",
///     &["x"],
///     [sample!(float([2, 3]))],
///     |(x,)| Dispatch::float_exp(x),
/// );
/// exp.check(Aspect::Gradients, &"cpu".parse()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Conformance<D: TestedDispatch> {
    pub(crate) op: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) cases: Vec<Case<D>>,
    /// Whether the arguments of the op may have other names, or be inside a struct.
    pub(crate) by_closure: bool,
    /// Where expected results come from, once it is known.
    oracle: OnceCell<Place<D>>,
    /// What the dispatch's table of ops says of the gradient.
    declared: OnceCell<Option<OpGradient>>,
}

/// A run of an op, from what the kit has made to the tensors of its result.
pub(crate) type Call<D> = Rc<dyn Fn(Vec<Made<D>>, &Place<D>) -> Vec<AnyTensor<D>>>;

/// A sample of an op.
pub(crate) struct Case<D: TestedDispatch> {
    pub(crate) label: String,
    pub(crate) specs: Vec<Spec>,
    pub(crate) options: Options,
    pub(crate) call: Call<D>,
    /// What gives the expected results; without one it is the op itself.
    pub(crate) reference: Call<D>,
    seed: u64,
}

impl<D: TestedDispatch> Conformance<D> {
    /// An op by its name in messages, the names of its arguments, its samples, and a call of it that takes the values of a
    /// sample as a tuple.
    pub fn new<I: Inputs<D>, R: Visit<D>>(
        op: &'static str,
        arguments: &'static [&'static str],
        samples: impl IntoIterator<Item = Sample<I>>,
        call: impl Fn(I::Values) -> R + 'static,
    ) -> Self {
        let call = Rc::new(call);
        let cases = samples.into_iter().enumerate().map(|(position, sample)| {
            let inputs = Rc::new(sample.inputs);
            let call = erase(inputs.clone(), call.clone());
            Case::new(position, inputs.specs(), sample.options, call.clone(), call)
        });
        Self::of_cases(op, arguments, cases.collect())
    }

    /// An op whose results are compared with those of `reference`, such as a composition of built-in ops, in place of its own
    /// on the CPU.
    pub fn with_reference<I: Inputs<D>, R: Visit<D>, Reference: Visit<D>>(
        op: &'static str,
        arguments: &'static [&'static str],
        samples: impl IntoIterator<Item = Sample<I>>,
        call: impl Fn(I::Values) -> R + 'static,
        reference: impl Fn(I::Values) -> Reference + 'static,
    ) -> Self {
        let (call, reference) = (Rc::new(call), Rc::new(reference));
        let cases = samples.into_iter().enumerate().map(|(position, sample)| {
            let inputs = Rc::new(sample.inputs);
            let call = erase(inputs.clone(), call.clone());
            let reference = erase(inputs.clone(), reference.clone());
            Case::new(position, inputs.specs(), sample.options, call, reference)
        });
        Self::of_cases(op, arguments, cases.collect())
    }

    fn of_cases(op: &'static str, arguments: &'static [&'static str], cases: Vec<Case<D>>) -> Self {
        Self { op, arguments, cases, by_closure: false, oracle: OnceCell::new(), declared: OnceCell::new() }
    }

    /// The op, whose arguments may have other names than the closure's, or be parts of a struct.
    #[must_use]
    pub fn called_by_closure(mut self) -> Self {
        self.by_closure = true;
        self
    }

    /// Checks one aspect of the op on a plain device.
    ///
    /// # Errors
    ///
    /// If a check fails: the first failure of each sample.
    pub fn check(&self, aspect: Aspect, device: &Device<D>) -> Result<(), Failures> {
        let mut failures = Vec::new();
        let mut checked = false;
        for case in &self.cases {
            match check::case(self, case, aspect, device) {
                Ok(could_be) => checked |= could_be,
                Err(failure) => failures.push(failure),
            }
        }
        if failures.is_empty() && !checked {
            failures.push(check::nothing_checked(self, device));
        }
        if failures.is_empty() { Ok(()) } else { Err(Failures(failures)) }
    }

    /// What the op says of a gradient for this tensor, which is part of the argument at `position`.
    pub(crate) fn gradient(&self, position: usize, tensor: &HostTensor) -> Gradient {
        let declared = *self.declared.get_or_init(|| D::ops().row(self.op).map(|row| row.gradient));
        let refused = match declared {
            Some(OpGradient::None) => true,
            Some(OpGradient::Formula { none, .. }) => none.contains(&self.argument(position)),
            _ => false,
        };
        match tensor.gradient {
            Gradient::Checked if refused => Gradient::Refused,
            gradient => gradient,
        }
    }

    /// Where expected results come from.
    pub(crate) fn oracle(&self) -> &Place<D> {
        self.oracle.get_or_init(oracle)
    }

    /// The name of the argument at a position.
    pub(crate) fn argument(&self, position: usize) -> &'static str {
        self.arguments.get(position).copied().unwrap_or("an argument")
    }
}

impl<D: TestedDispatch> Case<D> {
    fn new(position: usize, specs: Vec<Spec>, options: Options, call: Call<D>, reference: Call<D>) -> Self {
        let label = match &options.name {
            Some(name) => format!("{position}, \"{name}\""),
            None => position.to_string(),
        };
        Self { label, specs, options, call, reference, seed: position as u64 }
    }

    /// The sample itself.
    pub(crate) fn base(&self) -> Variant {
        Variant::of(&self.specs, self.seed)
    }

    /// The sample itself, and the forms that follow from it.
    pub(crate) fn variants(&self, arguments: &[&str]) -> Vec<Variant> {
        let base = self.base();
        let derived = if self.options.as_given { Vec::new() } else { base.derived(arguments) };
        std::iter::once(base).chain(derived).collect()
    }
}

/// A call without the types of its arguments, so that the checks are compiled once for all ops.
fn erase<D: TestedDispatch, I: Inputs<D>, R: Visit<D>>(
    inputs: Rc<I>,
    call: Rc<impl Fn(I::Values) -> R + 'static>,
) -> Call<D> {
    Rc::new(move |made, place| {
        let output = call(inputs.values(made, place));
        let mut found = Found(Vec::new());
        output.visit(&mut found);
        found.0
    })
}

/// The tensors of a result, in order.
struct Found<D: Backend>(Vec<AnyTensor<D>>);

impl<D: Backend> Visitor<D> for Found<D> {
    fn tensor(&mut self, handle: &impl TensorHandle<Device = Device<D>>) {
        let handle: &dyn Any = handle;
        let float = handle.downcast_ref::<FloatTensor<D>>().cloned().map(AnyTensor::Float);
        let int = || handle.downcast_ref::<IntTensor<D>>().cloned().map(AnyTensor::Int);
        let bool = || handle.downcast_ref::<BoolTensor<D>>().cloned().map(AnyTensor::Bool);
        let quantized = || handle.downcast_ref::<QuantizedTensor<D>>().cloned().map(AnyTensor::Quantized);
        self.0.extend(float.or_else(int).or_else(bool).or_else(quantized));
    }
}
