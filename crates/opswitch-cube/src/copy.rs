//! The copy that puts a view in row-major order.

use cubecl::{ir::ElemType, prelude::*, std::FastDivmod};

use crate::{
    element,
    launch::grid,
    tensor::CubeTensor,
    walk::{Walk, position},
};

#[cube(launch_unchecked)]
fn copy_kernel<T: Numeric>(
    x: &[T],
    y: &mut [T],
    extents: Sequence<FastDivmod<u32>>,
    strides: Sequence<u32>,
    #[define(T)] _elem: ElemType,
) {
    if ABSOLUTE_POS < y.len() {
        y[ABSOLUTE_POS] = x[position(ABSOLUTE_POS as u32, &extents, &strides)];
    }
}

/// The elements of `x` in row-major order, in a tensor of their own.
pub(crate) fn copied(op: &'static str, x: &CubeTensor) -> CubeTensor {
    let shape = x.layout().shape().clone();
    CubeTensor::compute(op, [x], shape, x.element_type(), x.on(), |client, y| {
        let walk = Walk::new(x.layout().shape(), [x.layout()]);
        let (count, dim) = grid(client, y.layout().num_elements());
        // SAFETY: every element of a layout lies inside its storage, and the kernel stops at the end of `y`.
        unsafe {
            copy_kernel::launch_unchecked(
                client,
                count,
                dim,
                x.whole(),
                y.buffer(),
                walk.extents(),
                walk.strides(0),
                element::elem_type(x.element_type()),
            );
        }
    })
}
