//! Reading and adding at indices.
//!
//! A device does not tell the caller that an index is out of range: there a gather reads nothing and gives NaN, or 0 for
//! integers and `false` for booleans, and nothing is added. No kernel leaves the bounds of a buffer.

use opswitch_core::{
    DType, OrRaise, Shape, ShapeError, check_same_type, check_type, layout::Layout, raise, shape::check_dim,
};

use crate::{
    copy,
    elementwise::{cast, stored_type},
    kernel::{Kernel, Values, variant},
    launch::{Launch, MAX_STEPS},
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

// SAFETY: places come from layouts that stay inside their storage, and indices are compared with the extent.
static GATHER: Kernel = unsafe { Kernel::trusted("gather", include_str!("kernels/gather.wgsl")) };
// SAFETY: as above.
static SCATTER_ADD: Kernel =
    unsafe { Kernel::trusted("scatter_add", include_str!("kernels/scatter_add.wgsl")) };
// SAFETY: an index is only compared.
static ONE_HOT: Kernel = unsafe { Kernel::trusted("one_hot", include_str!("kernels/one_hot.wgsl")) };

/// Invocations that keep a device busy with walking indices.
const ENOUGH: usize = 4096;

/// For each position of `index`, the element of `x` with that index in dimension `dim`.
#[track_caller]
pub(crate) fn gather(op: &'static str, x: &WgpuTensor, dim: usize, index: &WgpuTensor) -> WgpuTensor {
    check_gather(op, x, dim, index);
    read(op, x, dim, index, index.layout(), index.layout().shape())
}

/// The slices of `x` along `dim` with the indices of the vector `index`.
#[track_caller]
pub(crate) fn select(op: &'static str, x: &WgpuTensor, dim: usize, index: &WgpuTensor) -> WgpuTensor {
    check_select(op, x, dim, index);
    let shape = x.layout().shape().clone().with_dim(dim, index.layout().num_elements());
    read(op, x, dim, index, &along_dim(index.layout(), dim, &shape), &shape)
}

/// `x` with each element of `src` added where `gather` would read.
#[track_caller]
pub(crate) fn scatter_add(
    op: &'static str,
    x: WgpuTensor,
    dim: usize,
    index: &WgpuTensor,
    src: &WgpuTensor,
) -> WgpuTensor {
    check_same_type(op, &x, src);
    check_gather(op, &x, dim, index);
    check_same_shape(op, src.layout().shape(), index.layout().shape());
    add_at(op, x, dim, index, index.layout(), src)
}

/// `x` with each slice of `src` added where `select` would read.
#[track_caller]
pub(crate) fn select_add(
    op: &'static str,
    x: WgpuTensor,
    dim: usize,
    index: &WgpuTensor,
    src: &WgpuTensor,
) -> WgpuTensor {
    check_same_type(op, &x, src);
    check_select(op, &x, dim, index);
    let selected = x.layout().shape().clone().with_dim(dim, index.layout().num_elements());
    check_same_shape(op, src.layout().shape(), &selected);
    add_at(op, x, dim, index, &along_dim(index.layout(), dim, &selected), src)
}

/// A new last dimension of `num_classes`: 1 at the index, 0 elsewhere.
#[track_caller]
pub(crate) fn one_hot(op: &'static str, index: &WgpuTensor, num_classes: usize, dtype: DType) -> WgpuTensor {
    check_index_type(op, index);
    let dims = index.layout().shape().iter().copied();
    let y = index.new_output(op, dims.chain([num_classes]).collect::<Shape>(), dtype);
    let len = y.layout().num_elements();
    Launch::new(op, &ONE_HOT)
        .variant(variant([dtype as u8]), &|| typed(dtype))
        .input(index)
        .output(&y)
        .params(&[len as u32, num_classes as u32])
        .dispatch_each(len, 256);
    y
}

/// The elements of `x` that the indices name along `dim`. The indices lie as `lies` says, which broadcasts to `shape`.
#[track_caller]
fn read(
    op: &'static str,
    x: &WgpuTensor,
    dim: usize,
    index: &WgpuTensor,
    lies: &Layout,
    shape: &Shape,
) -> WgpuTensor {
    let (layout, dtype) = (x.layout(), x.element_type());
    let y = x.new_output(op, shape.clone(), dtype);
    let len = shape.num_elements();
    let loops = Loops::new(shape, [&layout.held(dim, shape[dim]), lies]);
    let extent = layout.shape()[dim] as u32;
    let stride = layout.strides()[dim] as u32;
    let mut params = Words::from_slice(&[len as u32, extent, stride, missing(dtype)]);
    loops.append_to(&mut params);
    let half = dtype == DType::F16;
    Launch::new(op, &GATHER)
        .variant(u64::from(half), &|| gather_values(half))
        .storage(x)
        .storage(index)
        .output(&y)
        .rank(loops.rank())
        .params(&params)
        .dispatch_each(len, 256);
    y
}

/// Elements lie in buffers as elements of this type.
fn typed(dtype: DType) -> Values {
    vec![("type", stored_type(dtype).into())]
}

/// Bits are copied, whatever they mean.
fn gather_values(half: bool) -> Values {
    if half {
        vec![("type", "f16".into()), ("missing", "f16(bitcast<f32>(params.missing))".into())]
    } else {
        vec![("type", "u32".into()), ("missing", "params.missing".into())]
    }
}

/// The bits, in the wider type, that stand for an element that does not exist.
fn missing(dtype: DType) -> u32 {
    match dtype {
        dtype if dtype.is_float() => f32::NAN.to_bits(),
        _ => 0,
    }
}

/// `x` with the elements of `src` added at the indices, which lie as `lies` says.
#[track_caller]
fn add_at(
    op: &'static str,
    x: WgpuTensor,
    dim: usize,
    index: &WgpuTensor,
    lies: &Layout,
    src: &WgpuTensor,
) -> WgpuTensor {
    if x.element_type() == DType::F16 {
        let [x, src] = [x, src.clone()].map(|half| cast(op, half, DType::F32));
        return cast(op, add_at(op, x, dim, index, lies, &src), DType::F16);
    }
    let y = copy::into_owned(op, x);
    let (extent, stride) = (y.layout().shape()[dim], y.layout().strides()[dim]);
    let held = [y.layout().held(dim, 1), lies.held(dim, 1), src.layout().held(dim, 1)];
    let columns = held[0].num_elements();
    let segments = (ENOUGH / columns.max(1)).clamp(1, extent.max(1));
    let segment = extent.div_ceil(segments);
    let segments = extent.div_ceil(segment.max(1));
    let loops = Loops::new(held[0].shape(), held.each_ref());
    let (count, dtype) = (src.layout().shape()[dim], y.element_type());
    // Without indices too, so that what has failed is seen.
    for first in (0..count.max(1)).step_by(MAX_STEPS) {
        let mut params = Words::from_slice(&[
            columns as u32,
            segment as u32,
            extent as u32,
            first as u32,
            count.min(first + MAX_STEPS) as u32,
            stride as u32,
            lies.strides()[dim] as u32,
            src.layout().strides()[dim] as u32,
        ]);
        loops.append_to(&mut params);
        Launch::new(op, &SCATTER_ADD)
            .variant(variant([dtype as u8]), &|| typed(dtype))
            .storage(index)
            .storage(src)
            .output(&y)
            .rank(loops.rank())
            .params(&params)
            .dispatch_each(columns * segments, 64);
    }
    y
}

/// A vector's layout as that of a tensor which varies along `dim` of `shape` alone.
fn along_dim(vector: &Layout, dim: usize, shape: &Shape) -> Layout {
    let ones = Shape::new(&vec![1; shape.rank()]).with_dim(dim, shape[dim]);
    vector.reshape(ones).expect("extents of 1 need no stride")
}

#[track_caller]
fn check_gather(op: &'static str, x: &WgpuTensor, dim: usize, index: &WgpuTensor) {
    let (shape, index_shape) = (x.layout().shape(), index.layout().shape());
    check_dim(op, shape, dim).or_raise();
    if index_shape.rank() != shape.rank() || index_shape.clone().with_dim(dim, shape[dim]) != *shape {
        let reason = format!("the index may differ in dimension {dim} alone");
        raise(&ShapeError::pair(op, shape, index_shape, reason));
    }
    check_index_type(op, index);
}

#[track_caller]
fn check_select(op: &'static str, x: &WgpuTensor, dim: usize, index: &WgpuTensor) {
    let (shape, index_shape) = (x.layout().shape(), index.layout().shape());
    check_dim(op, shape, dim).or_raise();
    if index_shape.rank() != 1 {
        raise(&ShapeError::pair(op, shape, index_shape, "the index must be a vector"));
    }
    check_index_type(op, index);
}

#[track_caller]
fn check_same_shape(op: &'static str, src: &Shape, expected: &Shape) {
    if src != expected {
        let reason = "what is added must have the shape of what the index reads, which is the second";
        raise(&ShapeError::pair(op, src, expected, reason));
    }
}

#[track_caller]
fn check_index_type(op: &'static str, index: &WgpuTensor) {
    check_type(op, "an integer type for the index", index.element_type(), DType::is_int);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{validate, validate_strided};

    #[test]
    fn the_kernels_are_valid_for_every_type() {
        validate_strided(&GATHER, &gather_values(false));
        validate_strided(&GATHER, &gather_values(true));
        for dtype in [DType::F32, DType::I32, DType::U32] {
            validate_strided(&SCATTER_ADD, &typed(dtype));
            validate(&ONE_HOT, &typed(dtype));
        }
        validate(&ONE_HOT, &typed(DType::F16));
    }
}
