//! Matrix products.

use opswitch_core::{
    DType, OrRaise, Shape, SliceIndices, check_same_type, check_type,
    layout::{Blocks, Layout, StridedTensor},
    shape::{broadcast, matmul as product_shape},
};

use crate::{
    elementwise::stored_type,
    kernel::{Kernel, Values, variant},
    launch::Launch,
    reduce::{Fold, fold_blocks},
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

// SAFETY: rows, columns and the depth are held at their last, and what lies outside the result is not written.
static TILED: Kernel = unsafe { Kernel::trusted("matmul_tiled", include_str!("kernels/matmul_tiled.wgsl")) };
// SAFETY: as above.
static BROADCAST: Kernel =
    unsafe { Kernel::trusted("matmul_broadcast", include_str!("kernels/matmul_broadcast.wgsl")) };

/// Tiles that keep a device busy.
const ENOUGH: usize = 128;

/// The depth that a piece has at least.
const PIECE: usize = 256;

/// The matrix product over the last two dimensions, the others broadcast.
#[track_caller]
pub(crate) fn matmul(op: &'static str, lhs: &WgpuTensor, rhs: &WgpuTensor) -> WgpuTensor {
    let broadcasts = lhs.context().is_some_and(|context| context.has_narrow_subgroups());
    matmul_by(if broadcasts { Method::Broadcast } else { Method::Tiled }, op, lhs, rhs)
}

#[track_caller]
fn matmul_by(method: Method, op: &'static str, lhs: &WgpuTensor, rhs: &WgpuTensor) -> WgpuTensor {
    check_type(op, "a float type", lhs.element_type(), DType::is_float);
    check_same_type(op, lhs, rhs);
    let shape = product_shape(op, lhs.layout().shape(), rhs.layout().shape()).or_raise();
    let product = Product::new(as_matrices(lhs.clone(), 0), as_matrices(rhs.clone(), 1));
    product.compute(method, op).with_layout(Layout::contiguous(shape))
}

/// Which kernel computes a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    /// In the memory of a group, for GPUs.
    Tiled,
    /// By subgroups of 8, for drivers that compute on a CPU.
    Broadcast,
}

impl Method {
    fn kernel(self) -> &'static Kernel {
        match self {
            Self::Tiled => &TILED,
            Self::Broadcast => &BROADCAST,
        }
    }

    /// Invocations of a group.
    fn group(self) -> usize {
        match self {
            Self::Tiled => 256,
            Self::Broadcast => 16,
        }
    }

    /// Rows and columns of a tile.
    fn tile(self) -> [usize; 2] {
        match self {
            Self::Tiled => [64, 64],
            Self::Broadcast => [16, 64],
        }
    }
}

/// A vector as a stack of one matrix, with its new dimension at `position`.
fn as_matrices(x: WgpuTensor, position: usize) -> WgpuTensor {
    if x.layout().shape().rank() > 1 {
        return x;
    }
    let extent = x.layout().shape()[0];
    let shape = if position == 0 { [1, extent] } else { [extent, 1] };
    let layout = x.layout().reshape(shape.into()).expect("an extent of 1 needs no stride");
    x.with_layout(layout)
}

/// Stacks of matrices, and how their last two dimensions lie.
struct Product {
    lhs: WgpuTensor,
    rhs: WgpuTensor,
    rows: usize,
    columns: usize,
    depth: usize,
    /// Of each matrix: from row to row, and from column to column.
    lhs_strides: [u32; 2],
    rhs_strides: [u32; 2],
    result_strides: [u32; 2],
}

impl Product {
    fn new(lhs: WgpuTensor, rhs: WgpuTensor) -> Self {
        let lhs = with_batches_as_rows(lhs, &rhs);
        let [rows, depth] = last_two(lhs.layout().shape());
        let [_, columns] = last_two(rhs.layout().shape());
        let product = Self {
            lhs_strides: last_two(lhs.layout().strides()).map(|stride| stride as u32),
            rhs_strides: last_two(rhs.layout().strides()).map(|stride| stride as u32),
            result_strides: [columns as u32, 1],
            lhs,
            rhs,
            rows,
            columns,
            depth,
        };
        if product.is_better_transposed() { product.transposed() } else { product }
    }

    /// Neighbouring invocations compute neighbouring columns: there should be many, and lie next to each other.
    fn is_better_transposed(&self) -> bool {
        let [few, many] = [self.columns < 16, self.rows > self.columns];
        let lies_in_rows = self.lhs_strides[0] == 1 && self.rhs_strides[1] != 1;
        (few && many) || (lies_in_rows && self.rows >= 16)
    }

    /// (A B)ᵀ = Bᵀ Aᵀ
    fn transposed(self) -> Self {
        let swap = |[row, column]: [u32; 2]| [column, row];
        Self {
            lhs_strides: swap(self.rhs_strides),
            rhs_strides: swap(self.lhs_strides),
            result_strides: swap(self.result_strides),
            lhs: self.rhs,
            rhs: self.lhs,
            rows: self.columns,
            columns: self.rows,
            depth: self.depth,
        }
    }

    /// The products, one after another. A long depth is summed in pieces where there are few tiles.
    #[track_caller]
    fn compute(&self, method: Method, op: &'static str) -> WgpuTensor {
        let [left, right] = [&self.lhs, &self.rhs].map(|x| batch_layout(x.layout()));
        let batch = broadcast(op, left.shape(), right.shape()).or_raise();
        let (batches, size) = (batch.num_elements(), self.rows * self.columns);
        let [tile_rows, tile_columns] = method.tile();
        let [row_tiles, column_tiles] = [self.rows.div_ceil(tile_rows), self.columns.div_ceil(tile_columns)];
        let tiles = batches * row_tiles * column_tiles;
        let wanted = (ENOUGH / tiles.max(1)).clamp(1, (self.depth / PIECE).max(1));
        let piece = self.depth.div_ceil(wanted).max(1);
        let pieces = self.depth.div_ceil(piece).max(1);
        let dtype = self.lhs.element_type();
        let output = if pieces == 1 { dtype } else { DType::F32 };
        let y = self.lhs.new_output(op, [batches, pieces, size], output);

        let loops = Loops::new(&batch, [&left, &right]);
        let extents =
            [self.rows, self.columns, self.depth, piece, pieces, row_tiles, column_tiles, tiles * pieces];
        let mut params: Words = extents.into_iter().map(|extent| extent as u32).collect();
        params.extend([self.lhs_strides, self.rhs_strides, self.result_strides].concat());
        loops.append_to(&mut params);
        Launch::new(op, method.kernel())
            .variant(variant([dtype as u8, output as u8]), &|| values(dtype, output))
            .storage(&self.lhs)
            .storage(&self.rhs)
            .output(&y)
            .rank(loops.rank())
            .params(&params)
            .dispatch_each(tiles * pieces * method.group(), method.group());
        if pieces == 1 {
            return y;
        }
        fold_blocks(op, Fold::Sum, &y, Blocks { outer: batches, reduced: pieces, inner: size }, dtype)
    }
}

/// Batches that the left side lays out as more rows, and the right side repeats, are rows: one large product is faster than
/// many small ones.
fn with_batches_as_rows(lhs: WgpuTensor, rhs: &WgpuTensor) -> WgpuTensor {
    let shape = lhs.layout().shape();
    if rhs.layout().shape().rank() > 2 || shape.rank() == 2 {
        return lhs;
    }
    let [rows, depth] = last_two(shape);
    let all_rows = batch_shape(shape).num_elements() * rows;
    match lhs.layout().reshape([all_rows, depth].into()) {
        Some(layout) => lhs.with_layout(layout),
        None => lhs,
    }
}

fn last_two<T: Copy>(dims: &[T]) -> [T; 2] {
    [dims[dims.len() - 2], dims[dims.len() - 1]]
}

fn batch_shape(shape: &Shape) -> Shape {
    Shape::new(&shape[..shape.rank() - 2])
}

/// Where the first element of each matrix lies.
fn batch_layout(layout: &Layout) -> Layout {
    let shape = batch_shape(layout.shape());
    let first = SliceIndices { first: 0, step: 1, len: 1 };
    let taken: Vec<SliceIndices> =
        shape.iter().map(|&len| SliceIndices { len, ..first }).chain([first, first]).collect();
    layout.slice(&taken).reshape(shape).expect("extents of 1 need no stride")
}

fn values(input: DType, output: DType) -> Values {
    vec![("input", stored_type(input).into()), ("output", stored_type(output).into())]
}

#[cfg(test)]
mod tests {
    use opswitch_core::{Backend, TensorData, layout::movement};

    use super::*;
    use crate::{device::Wgpu, kernel::validate_strided};

    #[test]
    fn the_kernel_for_gpus_computes_what_that_for_this_device_does() {
        let Some(device) = Wgpu::devices().into_iter().next() else {
            assert!(std::env::var_os("OPSWITCH_REQUIRE_GPU").is_none(), "OPSWITCH_REQUIRE_GPU is set");
            println!("skipped: no Vulkan adapter; on Debian: apt-get install mesa-vulkan-drivers");
            return;
        };
        let whole = |shape: [usize; 3]| {
            let values: Vec<f32> =
                (0..shape.iter().product()).map(|i: usize| (i * 7 % 13) as f32 - 6.0).collect();
            WgpuTensor::from_data(&TensorData::new(values, shape).unwrap(), device).unwrap()
        };
        for (left, right) in
            [([2, 3, 5], [2, 5, 7]), ([1, 70, 33], [1, 33, 129]), ([2, 4, 1500], [1, 1500, 3])]
        {
            let transposed = |x: WgpuTensor| movement::swap_dims("swap", x, 1, 2).contiguous("swap");
            for (left_is_transposed, right_is_transposed) in
                [(false, false), (true, false), (false, true), (true, true)]
            {
                let as_asked = |x: WgpuTensor, is_transposed: bool| {
                    if is_transposed { movement::swap_dims("swap", transposed(x), 1, 2) } else { x }
                };
                let lhs = as_asked(whole(left), left_is_transposed);
                let rhs = as_asked(whole(right), right_is_transposed);
                let read = |x: WgpuTensor| x.into_data().unwrap();
                let tiled = read(matmul_by(Method::Tiled, "matmul", &lhs, &rhs));
                assert_eq!(read(matmul("matmul", &lhs, &rhs)), tiled, "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn the_kernels_are_valid_for_every_type() {
        for kernel in [&TILED, &BROADCAST] {
            for (input, output) in
                [(DType::F32, DType::F32), (DType::F16, DType::F16), (DType::F16, DType::F32)]
            {
                validate_strided(kernel, &values(input, output));
            }
        }
    }
}
