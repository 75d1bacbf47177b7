//! What is routed piece by piece, and what passes as it is.

use std::marker::PhantomData;

use half::{bf16, f16};

use super::{Route, Routed, Visit, Visitor};
use crate::{
    backend::{Backend, FloatTensor},
    data::TensorData,
    dtype::DType,
    error::DispatchError,
    shape::Shape,
    slice::Slice,
};

/// Lowers each value of a list; an error says at which position.
pub(super) fn lower_all<R, T: Routed<R>>(
    values: impl Iterator<Item = T>,
    route: &R,
) -> Result<Vec<T::Lowered>, DispatchError> {
    values
        .enumerate()
        .map(|(index, value)| {
            value.lower(route).map_err(|error| error.at_argument(format_args!("[{index}]")))
        })
        .collect()
}

impl<R, T: Routed<R>> Routed<R> for Option<T> {
    type Lowered = Option<T::Lowered>;

    #[inline]
    fn lower(self, route: &R) -> Result<Self::Lowered, DispatchError> {
        self.map(|value| value.lower(route)).transpose()
    }

    #[inline]
    fn lift(lowered: Self::Lowered, route: &R) -> Self {
        lowered.map(|value| T::lift(value, route))
    }
}

impl<O: Backend, T: Visit<O>> Visit<O> for Option<T> {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        if let Some(value) = self {
            value.visit(visitor);
        }
    }

    #[inline]
    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<O>)) {
        if let Some(value) = self {
            value.visit_floats_mut(change);
        }
    }
}

impl<R, T: Routed<R>, E> Routed<R> for Result<T, E> {
    type Lowered = Result<T::Lowered, E>;

    #[inline]
    fn lower(self, route: &R) -> Result<Self::Lowered, DispatchError> {
        match self {
            Ok(value) => value.lower(route).map(Ok),
            Err(error) => Ok(Err(error)),
        }
    }

    #[inline]
    fn lift(lowered: Self::Lowered, route: &R) -> Self {
        lowered.map(|value| T::lift(value, route))
    }
}

impl<O: Backend, T: Visit<O>, E> Visit<O> for Result<T, E> {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        if let Ok(value) = self {
            value.visit(visitor);
        }
    }

    #[inline]
    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<O>)) {
        if let Ok(value) = self {
            value.visit_floats_mut(change);
        }
    }
}

impl<R, T: Routed<R>> Routed<R> for Box<T> {
    type Lowered = Box<T::Lowered>;

    #[inline]
    fn lower(self, route: &R) -> Result<Self::Lowered, DispatchError> {
        (*self).lower(route).map(Box::new)
    }

    #[inline]
    fn lift(lowered: Self::Lowered, route: &R) -> Self {
        Self::new(T::lift(*lowered, route))
    }
}

impl<O: Backend, T: Visit<O> + ?Sized> Visit<O> for Box<T> {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        (**self).visit(visitor);
    }

    #[inline]
    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<O>)) {
        (**self).visit_floats_mut(change);
    }
}

impl<O: Backend, T: Visit<O> + ?Sized> Visit<O> for &T {
    #[inline]
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        (**self).visit(visitor);
    }
}

impl<R, T: Routed<R>> Routed<R> for Vec<T> {
    type Lowered = Vec<T::Lowered>;

    fn lower(self, route: &R) -> Result<Self::Lowered, DispatchError> {
        lower_all(self.into_iter(), route)
    }

    fn lift(lowered: Self::Lowered, route: &R) -> Self {
        lowered.into_iter().map(|value| T::lift(value, route)).collect()
    }
}

impl<O: Backend, T: Visit<O>> Visit<O> for Vec<T> {
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        self.as_slice().visit(visitor);
    }

    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<O>)) {
        self.as_mut_slice().visit_floats_mut(change);
    }
}

impl<R, T: Routed<R>, const N: usize> Routed<R> for [T; N] {
    type Lowered = [T::Lowered; N];

    fn lower(self, route: &R) -> Result<Self::Lowered, DispatchError> {
        let lowered = lower_all(self.into_iter(), route)?;
        Ok(lowered.try_into().unwrap_or_else(|_| unreachable!("one value for each of the array")))
    }

    fn lift(lowered: Self::Lowered, route: &R) -> Self {
        lowered.map(|value| T::lift(value, route))
    }
}

impl<O: Backend, T: Visit<O>, const N: usize> Visit<O> for [T; N] {
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        self.as_slice().visit(visitor);
    }

    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<O>)) {
        self.as_mut_slice().visit_floats_mut(change);
    }
}

impl<O: Backend, T: Visit<O>> Visit<O> for [T] {
    fn visit(&self, visitor: &mut impl Visitor<O>) {
        for value in self {
            value.visit(visitor);
        }
    }

    fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<O>)) {
        for value in self {
            value.visit_floats_mut(change);
        }
    }
}

/// The backend itself, where nothing else in a struct names it.
macro_rules! phantom {
    ($([$($outer:tt)*] [$($inner:tt)*];)*) => {$(
        impl<R: Route<Outer = O>, O: Backend> Routed<R> for PhantomData<$($outer)*> {
            type Lowered = PhantomData<$($inner)*>;

            #[inline]
            fn lower(self, _: &R) -> Result<Self::Lowered, DispatchError> {
                Ok(PhantomData)
            }

            #[inline]
            fn lift(_: Self::Lowered, _: &R) -> Self {
                Self
            }
        }

        impl<O: Backend> Visit<O> for PhantomData<$($outer)*> {}
    )*};
}

phantom! {
    [O] [R::Inner];
    [fn() -> O] [fn() -> R::Inner];
    [fn(O)] [fn(R::Inner)];
    [*const O] [*const R::Inner];
}

macro_rules! tuple {
    ($($T:ident $index:tt),+) => {
        impl<R, $($T: Routed<R>),+> Routed<R> for ($($T,)+) {
            type Lowered = ($($T::Lowered,)+);

            #[inline]
            fn lower(self, route: &R) -> Result<Self::Lowered, DispatchError> {
                Ok(($(self.$index.lower(route).map_err(|error| error.at_argument(concat!(".", $index)))?,)+))
            }

            #[inline]
            fn lift(lowered: Self::Lowered, route: &R) -> Self {
                ($($T::lift(lowered.$index, route),)+)
            }
        }

        impl<Outer: Backend, $($T: Visit<Outer>),+> Visit<Outer> for ($($T,)+) {
            #[inline]
            fn visit(&self, visitor: &mut impl Visitor<Outer>) {
                $(self.$index.visit(visitor);)+
            }

            #[inline]
            fn visit_floats_mut(&mut self, change: &mut impl FnMut(&mut FloatTensor<Outer>)) {
                $(self.$index.visit_floats_mut(change);)+
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// Routed as it is.
macro_rules! unchanged {
    ($ty:ty) => {
        impl<R> Routed<R> for $ty {
            type Lowered = Self;

            #[inline]
            fn lower(self, _: &R) -> Result<Self, DispatchError> {
                Ok(self)
            }

            #[inline]
            fn lift(lowered: Self, _: &R) -> Self {
                lowered
            }
        }
    };
}

/// Plain values that stand beside tensors in a container pass as they are.
macro_rules! plain {
    ($($ty:ty),*) => {$(
        unchanged!($ty);

        impl<O: Backend> Visit<O> for $ty {}
    )*};
}

plain!((), bool, char, f64, f32, f16, bf16, i64, i32, i16, i8, isize, u64, u32, u16, u8, usize, String);
plain!(DType, Shape, Slice, TensorData);

unchanged!(&str);

impl<O: Backend> Visit<O> for str {}
