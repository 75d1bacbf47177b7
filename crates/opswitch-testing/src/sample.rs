//! A sample: the arguments of one call, and what is asked of it.

use opswitch_core::{Backend, DType};

use crate::input::{Input, Made, Place, Spec};

/// The arguments of one call of an op, and what the result may differ by.
///
/// Made by [`sample!`](crate::sample), with one input for each argument of the op.
#[derive(Clone, Debug)]
pub struct Sample<I> {
    pub(crate) inputs: I,
    pub(crate) options: Options,
}

/// What a sample asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) name: Option<String>,
    pub(crate) tolerances: Vec<(DType, f64)>,
    pub(crate) dtypes: Option<Vec<DType>>,
    pub(crate) as_given: bool,
    pub(crate) distinct: bool,
    pub(crate) values_only: bool,
    pub(crate) values_only_in: Vec<DType>,
}

/// The arguments of one call of an op: `sample!(float([2, 3]), list(&[1]), true)`.
///
/// The methods of [`Sample`] say what else there is to it. An integer is written with its type, as in `1usize`: without one it
/// would be an `i32`.
///
/// ```
/// use opswitch_core::DType;
/// use opswitch_testing::{float, sample};
///
/// sample!(float([2, 3]), float([3, 4]), Some(float([4]))).named("small").tolerance(DType::F32, 1e-4);
/// ```
#[macro_export]
macro_rules! sample {
    ($($input:expr),* $(,)?) => {
        $crate::Sample::new(($($input,)*))
    };
}

impl<I> Sample<I> {
    /// A sample with this tuple of inputs; [`sample!`](crate::sample) makes the tuple.
    pub fn new(inputs: I) -> Self {
        Self { inputs, options: Options::default() }
    }

    /// The sample, with a name for the texts of failures. Without one it has its number.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.options.name = Some(name.into());
        self
    }

    /// How far a result of this type may be from the expected one, as a part of it, or of 1 if it is smaller.
    ///
    /// The defaults are 1e-10 for `f64`, 1e-5 for `f32`, 1e-2 for `f16` and 3e-2 for `bf16`.
    #[must_use]
    pub fn tolerance(mut self, dtype: DType, tolerance: f64) -> Self {
        self.options.tolerances.push((dtype, tolerance));
        self
    }

    /// The float types that the sample is run in; every type that a device has is the default.
    #[must_use]
    pub fn only(mut self, dtypes: impl Into<Vec<DType>>) -> Self {
        self.options.dtypes = Some(dtypes.into());
        self
    }

    /// The arguments are never changed: no `Option` is left out, no list gets another length, no extent becomes 0.
    #[must_use]
    pub fn as_given(mut self) -> Self {
        self.options.as_given = true;
        self
    }

    /// The elements of a tensor stay distinct: none is made by repeating another. For an op whose gradient jumps where elements
    /// are equal, such as a maximum.
    #[must_use]
    pub fn distinct(mut self) -> Self {
        self.options.distinct = true;
        self
    }

    /// No gradient is computed in these types: for values so close to where the op has no derivative that rounding them decides
    /// on which side they are, such as a sum that is almost 0 before a `relu`.
    #[must_use]
    pub fn values_only_in(mut self, dtypes: impl Into<Vec<DType>>) -> Self {
        self.options.values_only_in = dtypes.into();
        self
    }

    /// No gradient is computed: for values at which the op has no derivative.
    #[must_use]
    pub fn values_only(mut self) -> Self {
        self.options.values_only = true;
        self
    }
}

/// A tuple of [`Input`]s: the arguments of an op.
pub trait Inputs<D: Backend>: 'static {
    /// What the op takes, as a tuple.
    type Values;

    /// What the kit has to know to make them.
    #[doc(hidden)]
    fn specs(&self) -> Vec<Spec>;

    /// The values, given the tensors that the kit has made.
    #[doc(hidden)]
    fn values(&self, made: Vec<Made<D>>, place: &Place<D>) -> Self::Values;
}

macro_rules! inputs {
    ($($input:ident $index:tt),*) => {
        impl<D: Backend, $($input: Input<D>),*> Inputs<D> for ($($input,)*) {
            type Values = ($($input::Value,)*);

            fn specs(&self) -> Vec<Spec> {
                vec![$(self.$index.spec()),*]
            }

            fn values(&self, made: Vec<Made<D>>, place: &Place<D>) -> Self::Values {
                let mut made = made.into_iter();
                ($(self.$index.value(made.next().expect("one is made for each input"), place),)*)
            }
        }
    };
}

inputs!(A 0);
inputs!(A 0, B 1);
inputs!(A 0, B 1, C 2);
inputs!(A 0, B 1, C 2, E 3);
inputs!(A 0, B 1, C 2, E 3, F 4);
inputs!(A 0, B 1, C 2, E 3, F 4, G 5);
inputs!(A 0, B 1, C 2, E 3, F 4, G 5, H 6);
inputs!(A 0, B 1, C 2, E 3, F 4, G 5, H 6, I 7);
