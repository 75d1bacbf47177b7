//! One run with tracked inputs, and the walk back.

use opswitch_core::{
    AnyTensor, BackwardError, BackwardOptions, DType, Device, FloatTensor, Gradients, Shape, TensorData,
    TensorHandle,
};

use super::Context;
use crate::{
    conformance::TestedDispatch,
    input::{Gradient, Place},
    run::{Stop, assemble, make, read},
    values::{self, Kind, Layout},
    variant::{HostTensor, Variant},
};

/// Where the seeds of incoming gradients start, away from those of inputs.
const SEED: u64 = 1 << 40;
/// As [`SEED`], of what gradients are multiplied with.
const DIRECTION_SEED: u64 = 1 << 41;

/// A run with tracked inputs.
pub(super) struct Pass<'a, D: TestedDispatch> {
    context: &'a Context<'a, D>,
    variant: &'a Variant,
    /// The autodiff device, and the float type.
    pub(super) place: Place<D>,
    /// Which of the tensors are tracked.
    pub(super) tracked: Vec<bool>,
    /// Where the others are.
    pub(super) others: Device<D>,
    pub(super) incoming: Incoming,
}

/// The gradients that come in: one for each float of the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Incoming {
    pub(super) dtype: DType,
    pub(super) layout: Layout,
}

/// The way out of a pass: its tracked inputs, and what the op gave.
struct Forward<D: TestedDispatch> {
    leaves: Vec<FloatTensor<D>>,
    outputs: Vec<AnyTensor<D>>,
}

/// What a pass gives.
pub(super) struct Outcome {
    pub(super) outputs: Vec<TensorData>,
    /// Those of the tracked tensors, in order; zeros where none has arrived.
    pub(super) gradients: Vec<TensorData>,
}

impl<'a, D: TestedDispatch> Pass<'a, D> {
    /// A pass through every input that has a gradient to check; none if there is no such input, or no autodiff.
    pub(super) fn all_checked(
        context: &'a Context<'a, D>,
        variant: &'a Variant,
        dtype: DType,
    ) -> Option<Self> {
        let tracked = of_gradient(context, variant, Gradient::Checked);
        let options = &context.case.options;
        let wanted =
            tracked.contains(&true) && !options.values_only && !options.values_only_in.contains(&dtype);
        if wanted { Self::tracking(context, variant, dtype, tracked) } else { None }
    }

    /// A pass through these inputs; none if there is no autodiff.
    pub(super) fn tracking(
        context: &'a Context<'a, D>,
        variant: &'a Variant,
        dtype: DType,
        tracked: Vec<bool>,
    ) -> Option<Self> {
        let device = context.autodiff()?;
        let incoming = Incoming { dtype, layout: Layout::Contiguous };
        Some(Self {
            context,
            variant,
            place: Place { device: device.clone(), dtype },
            tracked,
            others: device,
            incoming,
        })
    }

    /// Runs forward and back.
    ///
    /// # Errors
    ///
    /// If a step fails.
    pub(super) fn run(&self, layout: Layout) -> Result<Outcome, Stop> {
        Stop::catch(|| {
            let Forward { leaves, outputs } = self.forward(layout)?;
            let data = read(outputs.clone(), &self.place)?;
            let gradients = self.incoming.walk::<D>(outputs, &self.place)?;
            let gradients =
                leaves.iter().map(|leaf| gradient::<D>(leaf, &gradients)).collect::<Result<_, _>>()?;
            Ok(Outcome { outputs: data, gradients })
        })
    }

    /// The gradients of the sum of the products of the gradients with [`direction`], by a second walk through the graph of the
    /// first; zeros where none has arrived.
    ///
    /// # Errors
    ///
    /// If a step fails.
    pub(super) fn run_twice(&self) -> Result<Vec<TensorData>, Stop> {
        Stop::catch(|| {
            let Forward { leaves, outputs } = self.forward(Layout::Contiguous)?;
            let total = self.incoming.total::<D>(tracked_floats::<D>(outputs), &self.place)?;
            let options = BackwardOptions { create_graph: true, ..BackwardOptions::default() };
            let first = walked(D::backward(total, None, options))?;
            let mut products: Option<FloatTensor<D>> = None;
            for (position, leaf) in leaves.iter().enumerate() {
                let found = D::gradient(leaf, &first).map_err(|error| Stop::failed(error.to_string()))?;
                let Some(found) = found.filter(D::is_tracked) else { continue };
                let along = made::<D>(direction(position, &leaf.shape()), Layout::Contiguous, &self.place)?;
                let sum = sum_of_products::<D>(found, along);
                products = Some(match products {
                    Some(products) => D::float_add(products, sum),
                    None => sum,
                });
            }
            let second = match products {
                Some(products) => walked(D::backward(products, None, BackwardOptions::default()))?,
                None => Gradients::default(),
            };
            leaves.iter().map(|leaf| gradient::<D>(leaf, &second)).collect()
        })
    }

    /// Runs forward, and reads the result.
    ///
    /// # Errors
    ///
    /// If a step fails, or a result is tracked although no input is.
    pub(super) fn run_forward(&self, layout: Layout) -> Result<Vec<TensorData>, Stop> {
        Stop::catch(|| {
            let outputs = self.forward(layout)?.outputs;
            let tracked =
                |output: &AnyTensor<D>| matches!(output, AnyTensor::Float(tensor) if D::is_tracked(tensor));
            if !self.tracked.contains(&true) && outputs.iter().any(tracked) {
                return Err(Stop::failed("gives a tracked tensor, though no input is tracked"));
            }
            read(outputs, &self.place)
        })
    }

    fn forward(&self, layout: Layout) -> Result<Forward<D>, Stop> {
        let others = Place { device: self.others.clone(), dtype: self.place.dtype };
        let mut leaves = Vec::new();
        let mut tensors = Vec::new();
        for (position, (_, tensor)) in self.variant.tensors().into_iter().enumerate() {
            let tracked = self.tracked[position];
            let place = if tracked { &self.place } else { &others };
            tensors.push(match make(tensor, layout.of(position), place)? {
                AnyTensor::Float(tensor) if tracked => {
                    let leaf = D::require_grad(tensor).map_err(|error| Stop::failed(error.to_string()))?;
                    leaves.push(leaf.clone());
                    AnyTensor::Float(leaf)
                }
                other => other,
            });
        }
        let outputs = (self.context.case.call)(assemble(self.variant, tensors), &self.place);
        Ok(Forward { leaves, outputs })
    }
}

/// What the gradient of the leaf at this position is multiplied with, before it is differentiated again.
pub(super) fn direction(position: usize, shape: &Shape) -> TensorData {
    values::noise(shape, DIRECTION_SEED + position as u64)
}

fn walked(gradients: Result<Gradients, BackwardError>) -> Result<Gradients, Stop> {
    gradients.map_err(|error| Stop::failed(format!("backward fails: {error}")))
}

/// The tracked floats of a result, with their positions among its floats.
fn tracked_floats<D: TestedDispatch>(outputs: Vec<AnyTensor<D>>) -> Vec<(usize, FloatTensor<D>)> {
    let floats = outputs.into_iter().filter_map(|output| match output {
        AnyTensor::Float(tensor) => Some(tensor),
        _ => None,
    });
    floats.enumerate().filter(|(_, tensor)| D::is_tracked(tensor)).collect()
}

fn sum_of_products<D: TestedDispatch>(lhs: FloatTensor<D>, rhs: FloatTensor<D>) -> FloatTensor<D> {
    let product = D::float_mul(lhs, rhs);
    let dims: Vec<usize> = (0..product.shape().rank()).collect();
    D::float_sum(product, &dims, false)
}

/// A float that is not tracked.
fn made<D: TestedDispatch>(
    data: TensorData,
    layout: Layout,
    place: &Place<D>,
) -> Result<FloatTensor<D>, Stop> {
    let tensor = HostTensor { kind: Kind::Float, data, dtype: None, gradient: Gradient::Skipped };
    match make(&tensor, layout, place)? {
        AnyTensor::Float(tensor) => Ok(tensor),
        _ => unreachable!("a float is made as one"),
    }
}

/// Which of the tensors are of this kind, as to their gradient.
pub(super) fn of_gradient<D: TestedDispatch>(
    context: &Context<'_, D>,
    variant: &Variant,
    gradient: Gradient,
) -> Vec<bool> {
    let is_it = |((position, _), tensor): &((usize, String), &HostTensor)| {
        tensor.kind == Kind::Float && context.op.gradient(*position, tensor) == gradient
    };
    variant.tensors().iter().map(is_it).collect()
}

fn gradient<D: TestedDispatch>(leaf: &FloatTensor<D>, gradients: &Gradients) -> Result<TensorData, Stop> {
    let found = D::gradient(leaf, gradients).map_err(|error| Stop::failed(error.to_string()))?;
    let Some(found) = found else {
        return Ok(values::data(vec![0.0; leaf.shape().num_elements()], leaf.shape()).cast(leaf.dtype()));
    };
    if (found.shape(), found.dtype()) != (leaf.shape(), leaf.dtype()) {
        let (shape, dtype) = (found.shape(), found.dtype());
        let text =
            format!("has a gradient of {dtype}{shape} for an input of {}{}", leaf.dtype(), leaf.shape());
        return Err(Stop::failed(text));
    }
    Ok(D::float_into_data_blocking(found)?)
}

impl Incoming {
    /// The gradient that comes in for the float result at this position, as `f64`.
    pub(super) fn of(self, position: usize, shape: &Shape) -> TensorData {
        let noise = values::noise(shape, SEED + position as u64).cast(self.dtype).cast(DType::F64);
        match (self.layout, values::repeated_dim(shape)) {
            (Layout::Expanded, Some(dim)) => values::repeated_along(&noise, dim),
            _ => noise,
        }
    }

    /// Walks back from every tracked float of a result.
    fn walk<D: TestedDispatch>(
        self,
        outputs: Vec<AnyTensor<D>>,
        place: &Place<D>,
    ) -> Result<Gradients, Stop> {
        walked(match <[_; 1]>::try_from(tracked_floats::<D>(outputs)) {
            Ok([(position, output)]) => {
                let seed = self.seed::<D>(position, &output, self.layout, place)?;
                D::backward(output, Some(seed), BackwardOptions::default())
            }
            Err(tracked) => D::backward(self.total::<D>(tracked, place)?, None, BackwardOptions::default()),
        })
    }

    /// The sum of the products of the results with their gradients.
    fn total<D: TestedDispatch>(
        self,
        outputs: Vec<(usize, FloatTensor<D>)>,
        place: &Place<D>,
    ) -> Result<FloatTensor<D>, Stop> {
        let mut total: Option<FloatTensor<D>> = None;
        for (position, output) in outputs {
            let seed = self.seed::<D>(position, &output, Layout::Contiguous, place)?;
            let axes = values::reversed_axes(output.shape().rank());
            // The gradient of a permuted result comes in as a view.
            let turn = |tensor| match self.layout {
                Layout::Transposed => D::float_permute(tensor, &axes),
                _ => tensor,
            };
            let sum = sum_of_products::<D>(turn(output), turn(seed));
            total = Some(match total {
                Some(total) => D::float_add(total, sum),
                None => sum,
            });
        }
        total.ok_or_else(|| Stop::failed("gives no float that is tracked, though its inputs are"))
    }

    fn seed<D: TestedDispatch>(
        self,
        position: usize,
        output: &FloatTensor<D>,
        layout: Layout,
        place: &Place<D>,
    ) -> Result<FloatTensor<D>, Stop> {
        let place = &Place::<D> { device: place.device.clone(), dtype: output.dtype() };
        made::<D>(self.of(position, &output.shape()), layout, place)
    }
}
