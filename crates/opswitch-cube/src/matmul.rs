//! Matrix products, by `cubek-matmul`.

use cubecl::client::Client;
use cubek_matmul::{
    definition::{MatmulElems, MatmulGlobalElems, MatmulSetupError},
    launch::launch_ref,
    multi_level,
    routine::BlueprintStrategy,
};
use cubek_std::InputBinding;
use opswitch_core::{
    DType, OrRaise, Shape, check_same_type, check_type,
    layout::{Layout, StridedTensor},
    shape::matmul as product_shape,
};

use crate::{create, element::elem_type, tensor::CubeTensor};

/// The matrix product over the last two dimensions, the others broadcast.
#[track_caller]
pub(crate) fn matmul(op: &'static str, lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
    check_type(op, "a float type", lhs.element_type(), DType::is_float);
    check_same_type(op, &lhs, &rhs);
    let shape = product_shape(op, lhs.layout().shape(), rhs.layout().shape()).or_raise();
    let (lhs, rhs) = (as_matrices(lhs, 0), as_matrices(rhs, 1));
    let rank = lhs.layout().shape().rank().max(rhs.layout().shape().rank());
    let (lhs, rhs) = (usable(op, with_rank(lhs, rank)), usable(op, with_rank(rhs, rank)));
    let (dtype, device) = (lhs.element_type(), lhs.on());
    if lhs.layout().shape()[rank - 1] == 0 {
        return create::constant(op, [&lhs, &rhs], shape, 0.0, dtype, device);
    }
    let (lhs, rhs) = with_more_rows(lhs, rhs);
    let product = CubeTensor::empty(op, &[&lhs, &rhs], product_of(&lhs, &rhs), dtype, device);
    let launched = product.client().map_or(Ok(()), |client| multiply(client, &lhs, &rhs, &product));
    let product = match launched {
        Ok(()) => product,
        Err(error) => product.into_failed(error),
    };
    product.with_layout(Layout::contiguous(shape))
}

/// Batches that the right side repeats as more rows of the left, where they lie like that: one large product is faster than
/// many small ones.
fn with_more_rows(lhs: CubeTensor, rhs: CubeTensor) -> (CubeTensor, CubeTensor) {
    let (left, right) = (lhs.layout().shape(), rhs.layout().shape());
    let last = left.rank() - 1;
    if last == 1 || right[..last - 1].iter().any(|&extent| extent != 1) {
        return (lhs, rhs);
    }
    let rows = left[..last].iter().product();
    let columns = [right[last - 1], right[last]].into();
    match lhs.layout().reshape([rows, left[last]].into()) {
        Some(layout) if are_rows_or_columns(&layout) => (lhs.with_layout(layout), reshaped(rhs, columns)),
        _ => (lhs, rhs),
    }
}

/// The shape of the product of two stacks of matrices of one rank.
fn product_of(lhs: &CubeTensor, rhs: &CubeTensor) -> Shape {
    let (lhs, rhs) = (lhs.layout().shape(), rhs.layout().shape());
    let last = lhs.rank() - 1;
    let batch =
        lhs[..last - 1].iter().zip(rhs.iter()).map(|(&left, &right)| if left == 1 { right } else { left });
    batch.chain([lhs[last - 1], rhs[last]]).collect()
}

/// A vector as a matrix, with its new dimension at `position`.
fn as_matrices(x: CubeTensor, position: usize) -> CubeTensor {
    if x.layout().shape().rank() > 1 {
        return x;
    }
    let extent = x.layout().shape()[0];
    let shape = if position == 0 { [1, extent] } else { [extent, 1] };
    reshaped(x, shape.into())
}

/// New leading dimensions of extent 1.
fn with_rank(x: CubeTensor, rank: usize) -> CubeTensor {
    let missing = rank - x.layout().shape().rank();
    if missing == 0 {
        return x;
    }
    let shape: Shape = std::iter::repeat_n(1, missing).chain(x.layout().shape().iter().copied()).collect();
    reshaped(x, shape)
}

fn reshaped(x: CubeTensor, shape: Shape) -> CubeTensor {
    let layout = x.layout().reshape(shape).expect("an extent of 1 needs no stride");
    x.with_layout(layout)
}

/// The library walks rows or columns without gaps; other matrices are copied.
#[track_caller]
fn usable(op: &'static str, x: CubeTensor) -> CubeTensor {
    if x.is_aligned() && are_rows_or_columns(x.layout()) { x } else { x.into_contiguous(op) }
}

fn are_rows_or_columns(layout: &Layout) -> bool {
    let (shape, strides) = (layout.shape(), layout.strides());
    let last = shape.rank() - 1;
    let is_line = |at: usize| strides[at] == 1;
    let lies_apart = |at: usize, len: usize| shape[at] == 1 || strides[at] >= len as isize;
    let rows = is_line(last) && lies_apart(last - 1, shape[last]);
    let columns = is_line(last - 1) && lies_apart(last, shape[last - 1]);
    (rows || columns) && strides.iter().all(|&stride| stride >= 0)
}

/// Launches the product. Sums are in `f32`.
fn multiply(
    client: &Client,
    lhs: &CubeTensor,
    rhs: &CubeTensor,
    product: &CubeTensor,
) -> Result<(), MatmulSetupError> {
    let elem = elem_type(product.element_type());
    let launch = |strategy: multi_level::Strategy| {
        let mut elems = MatmulElems::from_globals(&MatmulGlobalElems { lhs: elem, rhs: elem, out: elem });
        let [lhs, rhs] = [lhs, rhs].map(|x| InputBinding::new(x.strided(), elem));
        launch_ref(&strategy.into(), client, lhs, rhs, product.strided(), &mut elems)
    };
    // Matrix units would round `f32` to TF32, which has 11 significant bits. For halves they are exact, and the library says
    // so where a product does not suit them.
    let has_matrix_units = !client.features().matmul.cmma.is_empty();
    if product.element_type() == DType::F16
        && has_matrix_units
        && launch(multi_level::Strategy::SimpleCyclicCmma(BlueprintStrategy::default())).is_ok()
    {
        return Ok(());
    }
    launch(multi_level::Strategy::SimpleUnit(BlueprintStrategy::default()))
}
