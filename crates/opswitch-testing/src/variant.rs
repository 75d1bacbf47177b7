//! A sample with its elements, and the other forms of arguments that follow from it.

use std::fmt::Write as _;

use opswitch_core::{DType, TensorData};

use crate::{
    input::{Gradient, Spec},
    values::{self, Kind, Layout},
};

/// The lengths that the list of an op is tried with.
const LIST_LENGTHS: [usize; 4] = [0, 1, 2, 5];

/// An argument with its elements.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Tensor(HostTensor),
    Option(Option<Box<Self>>),
    List(Vec<Self>),
    Parameter,
}

/// A tensor on the host.
#[derive(Clone, Debug)]
pub(crate) struct HostTensor {
    pub(crate) kind: Kind,
    /// Of type `f64`, `i64` or `bool`.
    pub(crate) data: TensorData,
    /// The type on every device, if the sample says so.
    pub(crate) dtype: Option<DType>,
    pub(crate) gradient: Gradient,
}

/// The arguments of one call.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// How it differs from the sample; empty for the sample itself.
    pub(crate) label: String,
    pub(crate) args: Vec<Arg>,
}

impl Variant {
    /// The sample as it is. Each tensor has elements of its own.
    pub(crate) fn of(specs: &[Spec], seed: u64) -> Self {
        let mut seeds = (seed << 16)..;
        let args = specs.iter().map(|spec| Arg::of(spec, &mut seeds)).collect();
        Self { label: String::new(), args }
    }

    /// The forms that follow from this one: each `Option` absent, lists of other lengths, and extents of 0.
    pub(crate) fn derived(&self, names: &[&str]) -> Vec<Self> {
        let mut variants = Vec::new();
        for (position, arg) in self.args.iter().enumerate() {
            let mut with = |label: String, arg: Arg| {
                let mut args = self.args.clone();
                args[position] = arg;
                variants.push(Self { label, args });
            };
            let name = names.get(position).copied().unwrap_or("an argument");
            match arg {
                Arg::Option(Some(_)) => with(format!("`{name}` absent"), Arg::Option(None)),
                Arg::List(list) if !list.is_empty() => {
                    for length in LIST_LENGTHS.into_iter().filter(|&length| length != list.len()) {
                        let list = list.iter().cycle().take(length).cloned().collect();
                        with(format!("`{name}` a list of {length}"), Arg::List(list));
                    }
                }
                _ => {}
            }
        }
        variants.extend(self.without_elements());
        variants
    }

    /// For each extent of the tensors, the form in which it is 0 wherever it occurs. Integers may be indices, which would lead
    /// nowhere then.
    fn without_elements(&self) -> Vec<Self> {
        let tensors = self.tensors();
        if tensors.iter().any(|(_, tensor)| tensor.kind == Kind::Int) {
            return Vec::new();
        }
        let mut extents: Vec<usize> =
            tensors.iter().flat_map(|(_, tensor)| tensor.data.shape().dims().to_vec()).collect();
        extents.sort_unstable();
        extents.dedup();
        let emptied = |extent: usize| {
            let mut variant = self.clone();
            variant.label = format!("0 for each extent of {extent}");
            variant.for_each_tensor(&mut |tensor| tensor.empty(extent));
            variant
        };
        extents.into_iter().filter(|&extent| extent > 1).map(emptied).collect()
    }

    /// The tensors in order, each with the place of its argument: `(0, "")`, or `(2, "[1]")` in a list.
    pub(crate) fn tensors(&self) -> Vec<((usize, String), &HostTensor)> {
        let mut found = Vec::new();
        for (position, arg) in self.args.iter().enumerate() {
            arg.collect(position, String::new(), &mut found);
        }
        found
    }

    pub(crate) fn for_each_tensor(&mut self, change: &mut impl FnMut(&mut HostTensor)) {
        self.args.iter_mut().for_each(|arg| arg.for_each_tensor(change));
    }

    /// The values that a layout can hold: where it repeats, they do.
    pub(crate) fn fit(mut self, layout: Layout) -> Self {
        let mut position = 0;
        self.for_each_tensor(&mut |tensor| {
            let dim = values::repeated_dim(tensor.data.shape());
            if let (Layout::Expanded, Some(dim)) = (layout.of(position), dim) {
                tensor.data = values::repeated_along(&tensor.data, dim);
            }
            position += 1;
        });
        self
    }

    /// The values that a float type can hold, as `f64`.
    pub(crate) fn rounded(mut self, dtype: DType) -> Self {
        self.for_each_tensor(&mut |tensor| {
            if tensor.kind == Kind::Float {
                tensor.data = tensor.data.cast(dtype).cast(DType::F64);
            }
        });
        self
    }
}

impl Arg {
    fn of(spec: &Spec, seeds: &mut impl Iterator<Item = u64>) -> Self {
        match spec {
            Spec::Tensor(input) => {
                let seed = seeds.next().expect("seeds do not end");
                Self::Tensor(HostTensor {
                    kind: input.kind,
                    data: values::elements(input, seed),
                    dtype: input.dtype,
                    gradient: input.gradient,
                })
            }
            Spec::Option(inner) => Self::Option(inner.as_ref().map(|inner| Box::new(Self::of(inner, seeds)))),
            Spec::List(list) => Self::List(list.iter().map(|spec| Self::of(spec, seeds)).collect()),
            Spec::Parameter => Self::Parameter,
        }
    }

    fn collect<'a>(
        &'a self,
        position: usize,
        place: String,
        found: &mut Vec<((usize, String), &'a HostTensor)>,
    ) {
        match self {
            Self::Tensor(tensor) => found.push(((position, place), tensor)),
            Self::Option(inner) => {
                if let Some(inner) = inner {
                    inner.collect(position, place, found);
                }
            }
            Self::List(list) => {
                for (index, inner) in list.iter().enumerate() {
                    let mut place = place.clone();
                    write!(place, "[{index}]").expect("a string takes any text");
                    inner.collect(position, place, found);
                }
            }
            Self::Parameter => {}
        }
    }

    fn for_each_tensor(&mut self, change: &mut impl FnMut(&mut HostTensor)) {
        match self {
            Self::Tensor(tensor) => change(tensor),
            Self::Option(inner) => inner.iter_mut().for_each(|inner| inner.for_each_tensor(change)),
            Self::List(list) => list.iter_mut().for_each(|inner| inner.for_each_tensor(change)),
            Self::Parameter => {}
        }
    }
}

impl HostTensor {
    fn empty(&mut self, extent: usize) {
        let shape = self.data.shape().iter().map(|&found| if found == extent { 0 } else { found });
        let shape: opswitch_core::Shape = shape.collect();
        if shape == *self.data.shape() {
            return;
        }
        self.data = match self.kind {
            Kind::Float => values::data(Vec::<f64>::new(), shape),
            Kind::Int => values::data(Vec::<i64>::new(), shape),
            Kind::Bool => values::data(Vec::<bool>::new(), shape),
        };
    }
}
