//! Ops that make each element of the result from the elements in the same place of their inputs.
//!
//! Each shape of loop is one kernel. It is generic in the types as they lie in memory (`#[define]`, chosen when it is
//! launched), in those that functions compute in, and in a family of functions, of which it holds one: `f32` for every float
//! type. Tensors without gaps are walked as flat buffers, a vector at a time, whatever the order of their dimensions.

mod cast;
mod floats;
mod ints;
mod map;
mod mask;
mod zip;

use std::{fmt::Debug, hash::Hash};

use cubecl::prelude::*;

pub(crate) use self::{
    cast::cast,
    floats::{FloatComparison, FloatMap, FloatQuestion, FloatZip},
    ints::{IntComparison, IntMap, IntZip},
    map::{Map, map},
    mask::{mask_fill, mask_where},
    zip::{Zip, zip, zip_scalar},
};

/// A type that functions compute in, and scalars are passed in.
pub(crate) trait Computed: Numeric + LaunchArg<RuntimeArg = Self> {}

impl<C: Numeric + LaunchArg<RuntimeArg = C>> Computed for C {}

/// What CubeCL asks of a value that a kernel is compiled for.
pub(crate) trait Family: Copy + Debug + Eq + Hash + Send + Sync + 'static {}

impl<F: Copy + Debug + Eq + Hash + Send + Sync + 'static> Family for F {}

/// The number of elements that a kernel reads at once: 16 bytes of 4-byte elements.
pub(crate) const WIDTH: usize = 4;
