//! Loops over the elements of one, two or three tensors.
//!
//! Results go into a fresh vector, or into an input's own where no other handle shares it and it has the result's
//! layout. Tensors without gaps are walked as flat slices whatever the order of their dimensions.
//!
//! A loop takes a copy of its function first: what lies in the function, such as a scalar, is then read once and not for each
//! element, since the compiler knows of the copy that no element is written over it.

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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use opswitch_core::{TensorData, ops::FloatOps};

    use crate::{Cpu, CpuTensor};

    #[test]
    fn results_share_the_layout_of_their_input() {
        let x = CpuTensor::from_data(TensorData::new(vec![1f32, 2., 3., 4.], [2, 2]).unwrap());
        let row = CpuTensor::from_data(TensorData::new(vec![1f32, 2.], [2]).unwrap());
        let same = |y: &CpuTensor| Arc::ptr_eq(x.layout(), y.layout());
        assert!(same(&Cpu::float_exp(x.clone())));
        assert!(same(&Cpu::float_add(x.clone(), row.clone())));
        assert!(same(&Cpu::float_gt(row, x.clone())));
        let transposed = Cpu::float_swap_dims(x, 0, 1);
        assert!(Arc::ptr_eq(transposed.layout(), Cpu::float_neg(transposed.clone()).layout()));
    }
}
