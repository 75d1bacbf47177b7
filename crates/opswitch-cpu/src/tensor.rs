//! The tensor handle.

use std::{fmt, sync::Arc};

use opswitch_core::{
    DType, DataError, Element, Elements, Shape, TensorData, for_elements,
    layout::{Layout, StridedTensor, place},
};

use crate::{parallel, plan::Plan};

/// A tensor in the CPU's memory: a strided view of a typed vector, which clones share.
///
/// One type serves floats, integers and booleans. [`contiguous`](Self::contiguous) and [`as_slice`](Self::as_slice)
/// are what a kernel needs that is written outside this crate:
///
/// ```
/// # use opswitch_core::{DataError, TensorData};
/// # use opswitch_cpu::CpuTensor;
/// let x = CpuTensor::from_data(TensorData::new(vec![1.0f32, 2.0, 3.0], [3])?);
/// let doubled: Vec<f32> = x.contiguous().as_slice::<f32>().unwrap().iter().map(|x| 2.0 * x).collect();
/// let y = CpuTensor::from_data(TensorData::new(doubled, [3])?);
/// assert_eq!(y.into_data()?.as_slice::<f32>()?, [2.0, 4.0, 6.0]);
/// # Ok::<(), DataError>(())
/// ```
#[derive(Clone)]
pub struct CpuTensor {
    storage: Arc<Elements>,
    layout: Arc<Layout>,
}

impl CpuTensor {
    /// A tensor that takes over the data's vector.
    pub fn from_data(data: TensorData) -> Self {
        let (shape, elements) = data.into_parts();
        Self { storage: Arc::new(elements), layout: Arc::new(Layout::contiguous(shape)) }
    }

    /// Shape and elements in row-major order, without a copy if this is the only handle and nothing is out of order.
    ///
    /// # Errors
    ///
    /// Never: a tensor has as many elements as its shape says.
    pub fn into_data(self) -> Result<TensorData, DataError> {
        let shape = self.layout.shape().clone();
        let elements = for_elements!(&*self.storage, |_values: E| Elements::new(self.into_values::<E>()));
        TensorData::from_elements(elements, shape)
    }

    /// This tensor in row-major order without gaps: itself if it is already, else a copy.
    pub fn contiguous(self) -> Self {
        if self.layout.is_contiguous() {
            return self;
        }
        for_elements!(&*self.storage, |_values: E| {
            let values = self.copied::<E>();
            Self::new(values, self.layout.shape().clone())
        })
    }

    /// This tensor, or a copy in row-major order if its innermost loop would step over elements: kernels have loops
    /// for neighbours and for repeated elements alone.
    pub(crate) fn walkable(self) -> Self {
        let dims = self.layout.shape().iter().zip(self.layout.strides()).rev();
        let inner = dims.into_iter().find(|&(&extent, _)| extent != 1);
        if inner.is_none_or(|(_, stride)| (0..=1).contains(stride)) { self } else { self.contiguous() }
    }

    /// The elements in row-major order, if they are of type `E` and [`contiguous`](Self::contiguous).
    pub fn as_slice<E: Element>(&self) -> Option<&[E]> {
        if self.layout.is_contiguous() { self.dense_slice(self.storage.as_slice()?) } else { None }
    }

    /// The distance, in elements, between neighbours in each dimension: 0 where a dimension was expanded, negative
    /// where it was flipped.
    pub fn strides(&self) -> &[isize] {
        self.layout.strides()
    }

    pub(crate) fn new<E: Element>(values: Vec<E>, shape: Shape) -> Self {
        Self::placed(values, Arc::new(Layout::contiguous(shape)))
    }

    pub(crate) fn placed<E: Element>(values: Vec<E>, layout: Arc<Layout>) -> Self {
        debug_assert_eq!(values.len(), layout.num_elements());
        Self { storage: Arc::new(Elements::new(values)), layout }
    }

    // Beside the trait's, so that kernels need not import it.
    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    pub(crate) fn element_type(&self) -> DType {
        self.storage.dtype()
    }

    /// The whole vector behind this view, for kernels that have matched the element type.
    pub(crate) fn values<E: Element>(&self) -> &[E] {
        self.storage.as_slice().expect("the caller matched the element type")
    }

    /// This tensor, or a copy in row-major order if its elements do not lie next to each other.
    pub(crate) fn without_gaps(self) -> Self {
        if self.layout.is_dense() { self } else { self.contiguous() }
    }

    /// The elements in the order in which they lie, for kernels that made the tensor one without gaps.
    pub(crate) fn dense<E: Element>(&self) -> &[E] {
        debug_assert!(self.layout.is_dense());
        self.dense_slice(self.values()).expect("the elements lie inside the vector")
    }

    /// The elements in row-major order, for kernels that made the tensor contiguous.
    pub(crate) fn row_major<E: Element>(&self) -> &[E] {
        self.as_slice().expect("the caller made the tensor contiguous")
    }

    /// The vector behind this tensor, if a result of this layout may overwrite it: no other handle shares it, and it
    /// holds nothing else.
    pub(crate) fn reusable<E: Element>(&mut self, layout: &Layout) -> Option<&mut [E]> {
        if *self.layout != *layout || !layout.is_dense() {
            return None;
        }
        let values = Arc::get_mut(&mut self.storage)?.as_mut_slice()?;
        (values.len() == layout.num_elements()).then_some(values)
    }

    /// The elements in row-major order in a vector of their own, taken over if no other handle shares it.
    pub(crate) fn into_values<E: Element>(mut self) -> Vec<E> {
        if !self.layout.is_contiguous() {
            return self.copied();
        }
        let whole = self.storage.len() == self.layout.num_elements();
        match Arc::get_mut(&mut self.storage) {
            Some(elements) if whole => {
                let elements = std::mem::replace(elements, Elements::new(Vec::<E>::new()));
                elements.into_vec().expect("the caller matched the element type")
            }
            _ => self.row_major::<E>().to_vec(),
        }
    }

    fn dense_slice<'a, E>(&self, values: &'a [E]) -> Option<&'a [E]> {
        let start = self.layout.offset();
        values.get(start..start + self.layout.num_elements())
    }

    fn copied<E: Element>(&self) -> Vec<E> {
        let plan = Plan::new(self.layout.shape(), [&self.layout]);
        let (len, values) = (self.layout.num_elements(), self.values::<E>());
        match plan.inner_strides() {
            [1] => parallel::collect(len, 1, 1, |range, sink| {
                plan.runs(range, |len, [start]| sink.copy(&values[start..start + len]));
            }),
            [stride] if plan.inner_extent() < TILE.1 => parallel::collect(len, 1, 1, |range, sink| {
                plan.runs(range, |len, [start]| {
                    sink.extend((0..len).map(|i| values[place(start, i, stride)]));
                });
            }),
            [_] => copied_in_tiles(&plan, values, len),
        }
    }
}

/// Rows and columns that are copied together where a row of the result jumps through the vector: a transposed matrix
/// has the next row's elements in the cache lines that this row's were read from.
const TILE: (usize, usize) = (16, 8);

fn copied_in_tiles<E: Element>(plan: &Plan<1>, values: &[E], len: usize) -> Vec<E> {
    let ([stride], width) = (plan.inner_strides(), plan.inner_extent());
    let mut copy = vec![E::default(); len];
    parallel::for_chunks(&mut copy, width, 1, |first, chunk| {
        let mut starts = Vec::with_capacity(chunk.len() / width);
        plan.runs(first..first + chunk.len(), |_, [start]| starts.push(start));
        for (rows, starts) in chunk.chunks_mut(TILE.0 * width).zip(starts.chunks(TILE.0)) {
            for column in (0..width).step_by(TILE.1) {
                let columns = column..(column + TILE.1).min(width);
                for (row, &start) in rows.chunks_exact_mut(width).zip(starts) {
                    for (i, slot) in columns.clone().zip(&mut row[columns.clone()]) {
                        *slot = values[place(start, i, stride)];
                    }
                }
            }
        }
    });
    copy
}

impl StridedTensor for CpuTensor {
    #[inline]
    fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    fn with_layout(self, layout: Layout) -> Self {
        Self { storage: self.storage, layout: Arc::new(layout) }
    }

    fn into_contiguous(self, _: &'static str) -> Self {
        self.contiguous()
    }
}

impl fmt::Debug for CpuTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuTensor")
            .field("shape", self.layout.shape())
            .field("strides", &self.layout.strides())
            .field("offset", &self.layout.offset())
            .field("storage", &self.storage)
            .finish()
    }
}
