//! Loops over the elements of one, two or three tensors.
//!
//! Results go into a fresh vector, or into an input's own where no other handle shares it and it has the result's
//! layout. Tensors without gaps are walked as flat slices whatever the order of their dimensions.

mod binary;
mod compare;
mod select;
mod unary;

pub(crate) use self::{
    binary::{Binary, arithmetic, zip, zip_in_place},
    compare::{Comparison, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual},
    select::{mask_fill, mask_where},
    unary::{Predicate, Unary, cast, map, map_in_place, test, unary},
};
