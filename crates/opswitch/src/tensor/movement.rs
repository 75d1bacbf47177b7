//! Methods of every kind that rearrange elements.

use opswitch_core::{Backend, Bool, OrRaise, Shape, ShapeError, TensorHandle, ops::PadMode, raise};

use super::{
    KindOps, Tensor, check_rank,
    dims::{resolve_dim, resolve_dims, resolve_gap},
};

impl<const D: usize, K: KindOps<B>, B: Backend> Tensor<D, K, B> {
    /// The same elements in row-major order under another shape. One extent may be -1: it is what the others leave.
    ///
    /// ```
    /// use opswitch::Tensor;
    ///
    /// let x = Tensor::<2>::zeros([4, 6], &Default::default());
    /// assert_eq!(x.reshape([2, -1, 3]).shape(), [2, 4, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// If the number of elements differs, or is no multiple of the other extents of a shape with -1.
    #[track_caller]
    pub fn reshape<const D2: usize>(self, shape: [impl Extent; D2]) -> Tensor<D2, K, B> {
        let shape = complete_shape(&self.primitive.shape(), &shape.map(Extent::to_extent)).or_raise();
        Tensor::wrap(K::reshape(self.primitive, shape))
    }

    /// The dimensions `start..=end` joined into one.
    ///
    /// # Panics
    ///
    /// If a dimension does not exist, `start` comes after `end`, or the result's rank is not `D2`.
    #[track_caller]
    pub fn flatten<const D2: usize>(self, start: isize, end: isize) -> Tensor<D2, K, B> {
        let shape = self.primitive.shape();
        let (first, last) = (resolve_dim("flatten", &shape, start), resolve_dim("flatten", &shape, end));
        if first > last {
            let reason = format!("dimension {start} comes after dimension {end}");
            raise(&ShapeError::single("flatten", &shape, reason))
        }
        let joined = shape[first..=last].iter().product();
        let flat = shape[..first].iter().copied().chain([joined]).chain(shape[last + 1..].iter().copied());
        self.with_shape("flatten", flat.collect())
    }

    /// The dimensions in the order of `axes`.
    ///
    /// # Panics
    ///
    /// If `axes` does not name each dimension once.
    #[track_caller]
    pub fn permute(self, axes: [isize; D]) -> Self {
        let axes = resolve_dims("permute", &self.primitive.shape(), &axes);
        Self::wrap(K::permute(self.primitive, &axes))
    }

    /// The dimensions `dim1` and `dim2` exchanged.
    ///
    /// # Panics
    ///
    /// If one of them does not exist.
    #[track_caller]
    pub fn swap_dims(self, dim1: isize, dim2: isize) -> Self {
        let shape = self.primitive.shape();
        let (dim1, dim2) = (resolve_dim("swap_dims", &shape, dim1), resolve_dim("swap_dims", &shape, dim2));
        Self::wrap(K::swap_dims(self.primitive, dim1, dim2))
    }

    /// The last two dimensions exchanged.
    ///
    /// # Panics
    ///
    /// If there are fewer than two.
    #[track_caller]
    pub fn transpose(self) -> Self {
        if D < 2 {
            let reason = "a transpose needs two dimensions";
            raise(&ShapeError::single("transpose", &self.primitive.shape(), reason))
        }
        Self::wrap(K::swap_dims(self.primitive, D - 2, D - 1))
    }

    /// Extents of 1, and new leading dimensions, repeated to `shape`.
    ///
    /// # Panics
    ///
    /// If an extent that is not 1 differs from that of `shape`, aligned at the last dimension.
    #[track_caller]
    pub fn expand<const D2: usize>(self, shape: [usize; D2]) -> Tensor<D2, K, B> {
        Tensor::wrap(K::expand(self.primitive, shape.into()))
    }

    /// New leading dimensions of extent 1, up to rank `D2`.
    ///
    /// # Panics
    ///
    /// If `D2` is less than `D`.
    #[track_caller]
    pub fn unsqueeze<const D2: usize>(self) -> Tensor<D2, K, B> {
        let shape = self.primitive.shape();
        let leading = std::iter::repeat_n(1, D2.saturating_sub(D));
        self.with_shape("unsqueeze", leading.chain(shape.iter().copied()).collect())
    }

    /// A new dimension of extent 1 at position `dim` of the result.
    ///
    /// # Panics
    ///
    /// If `dim` is not in `-D - 1..=D`, or `D2` is not `D + 1`.
    #[track_caller]
    pub fn unsqueeze_dim<const D2: usize>(self, dim: isize) -> Tensor<D2, K, B> {
        let mut shape = self.primitive.shape().to_vec();
        shape.insert(resolve_gap("unsqueeze_dim", &self.primitive.shape(), dim), 1);
        self.with_shape("unsqueeze_dim", shape.into())
    }

    /// Every dimension of extent 1 left out.
    ///
    /// # Panics
    ///
    /// If the number of other dimensions is not `D2`.
    #[track_caller]
    pub fn squeeze<const D2: usize>(self) -> Tensor<D2, K, B> {
        let kept = self.primitive.shape().iter().copied().filter(|&extent| extent != 1).collect();
        self.with_shape("squeeze", kept)
    }

    /// Dimension `dim`, of extent 1, left out.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, its extent is not 1, or `D2` is not `D - 1`.
    #[track_caller]
    pub fn squeeze_dim<const D2: usize>(self, dim: isize) -> Tensor<D2, K, B> {
        let shape = self.primitive.shape();
        let position = resolve_dim("squeeze_dim", &shape, dim);
        if shape[position] != 1 {
            let reason = format!("dimension {dim} has extent {}, not 1", shape[position]);
            raise(&ShapeError::single("squeeze_dim", &shape, reason))
        }
        self.with_shape("squeeze_dim", shape.without_dim(position))
    }

    /// The order of the elements reversed along `dims`.
    ///
    /// # Panics
    ///
    /// If a dimension does not exist, or is given twice.
    #[track_caller]
    pub fn flip<const N: usize>(self, dims: [isize; N]) -> Self {
        let dims = resolve_dims("flip", &self.primitive.shape(), &dims);
        Self::wrap(K::flip(self.primitive, &dims))
    }

    /// The tensors joined along `dim`.
    ///
    /// # Panics
    ///
    /// If there are none, they disagree in another dimension, or `dim` does not exist.
    #[track_caller]
    pub fn cat(tensors: Vec<Self>, dim: isize) -> Self {
        let first = tensors.first().map(|tensor| tensor.primitive.shape());
        let dim = match first {
            Some(shape) => resolve_dim("cat", &shape, dim),
            None => raise(&nothing_to_join("cat")),
        };
        Self::wrap(K::cat(tensors.into_iter().map(Self::into_primitive).collect(), dim))
    }

    /// The tensors, all of one shape, joined along a new dimension at position `dim` of the result.
    ///
    /// # Panics
    ///
    /// If there are none, their shapes differ, `dim` is not in `-D - 1..=D`, or `D2` is not `D + 1`.
    #[track_caller]
    pub fn stack<const D2: usize>(tensors: Vec<Self>, dim: isize) -> Tensor<D2, K, B> {
        let Some(first) = tensors.first().map(|tensor| tensor.primitive.shape()) else {
            raise(&nothing_to_join("stack"))
        };
        let mut layers = Vec::with_capacity(tensors.len());
        for tensor in tensors {
            let shape = tensor.primitive.shape();
            if shape != first {
                raise(&ShapeError::pair("stack", &first, &shape, "stacked tensors have one shape"))
            }
            layers.push(tensor.unsqueeze_dim(dim));
        }
        Tensor::cat(layers, dim)
    }

    /// The tensor cut along `dim` into pieces of extent `size`; the last one holds what is left.
    ///
    /// # Panics
    ///
    /// If `dim` does not exist, or `size` is 0.
    #[track_caller]
    pub fn split(self, size: usize, dim: isize) -> Vec<Self> {
        let shape = self.primitive.shape();
        let position = resolve_dim("split", &shape, dim);
        if size == 0 {
            raise(&ShapeError::single("split", &shape, "pieces have an extent of 1 or more"))
        }
        let mut pieces = Vec::with_capacity(shape[position].div_ceil(size));
        for start in (0..shape[position]).step_by(size) {
            pieces.push(self.clone().narrow(dim, start, size.min(shape[position] - start)));
        }
        pieces
    }

    /// The `length` indices of dimension `dim` from `start` on.
    ///
    /// # Panics
    ///
    /// If `dim` does not exist, or has fewer than `start + length` indices.
    #[track_caller]
    pub fn narrow(self, dim: isize, start: usize, length: usize) -> Self {
        let shape = self.primitive.shape();
        let position = resolve_dim("narrow", &shape, dim);
        let end = start.saturating_add(length);
        if end > shape[position] {
            let reason = format!("dimension {dim} has no indices {start}..{end}");
            raise(&ShapeError::single("narrow", &shape, reason))
        }
        let mut slices = [opswitch_core::Slice::FULL; D];
        slices[position] = (start as isize..end as isize).into();
        Self::wrap(K::slice(self.primitive, &slices))
    }

    /// The tensor repeated, as often in each dimension as `times` says.
    ///
    /// ```
    /// use opswitch::{Int, Tensor};
    ///
    /// let x = Tensor::<1, Int>::arange(1..3, &Default::default());
    /// assert_eq!(x.repeat([3]).to_string(), "[1 2 1 2 1 2]");
    /// ```
    #[track_caller]
    pub fn repeat(self, times: [usize; D]) -> Self {
        Self::wrap(K::repeat(self.primitive, &times))
    }

    /// The tensor with as many elements before and after it, in each dimension, as `pads` says.
    ///
    /// ```
    /// use opswitch::{Int, Tensor, ops::PadMode};
    ///
    /// let x = Tensor::<1, Int>::arange(1..4, &Default::default());
    /// assert_eq!(x.clone().pad([(1, 2)], PadMode::Constant(0)).to_string(), "[0 1 2 3 0 0]");
    /// assert_eq!(x.pad([(2, 1)], PadMode::Reflect).to_string(), "[3 2 1 2 3 2]");
    /// ```
    ///
    /// # Panics
    ///
    /// If a dimension without elements is padded with its own, or is reflected beyond its extent.
    #[track_caller]
    pub fn pad(self, pads: [(usize, usize); D], mode: PadMode<K::Scalar>) -> Self {
        Self::wrap(K::pad(self.primitive, &pads, mode))
    }

    /// Windows of `size` neighbours along `dim`, `step` apart, as a new last dimension; `dim` counts them.
    ///
    /// ```
    /// use opswitch::{Int, Tensor};
    ///
    /// let x = Tensor::<1, Int>::arange(0..6, &Default::default());
    /// assert_eq!(x.unfold::<2>(0, 3, 2).to_string(), "[[0 1 2]\n [2 3 4]]");
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, a window is larger than it, `step` is 0, or `D2` is not `D + 1`.
    #[track_caller]
    pub fn unfold<const D2: usize>(self, dim: isize, size: usize, step: usize) -> Tensor<D2, K, B> {
        let dim = resolve_dim("unfold", &self.primitive.shape(), dim);
        Tensor::from_result("unfold", K::unfold(self.primitive, dim, size, step))
    }

    /// `true` where the elements are equal.
    #[track_caller]
    #[allow(
        clippy::should_implement_trait,
        reason = "`PartialEq` gives one `bool`, this gives one an element"
    )]
    pub fn eq(self, rhs: Self) -> Tensor<D, Bool, B> {
        Tensor::wrap(K::eq(self.primitive, rhs.primitive))
    }

    /// `true` where the elements differ.
    #[track_caller]
    #[allow(
        clippy::should_implement_trait,
        reason = "`PartialEq` gives one `bool`, this gives one an element"
    )]
    pub fn ne(self, rhs: Self) -> Tensor<D, Bool, B> {
        Tensor::wrap(K::ne(self.primitive, rhs.primitive))
    }

    /// The tensor under a shape with as many elements, whose rank is checked.
    #[track_caller]
    fn with_shape<const D2: usize>(self, op: &'static str, shape: Shape) -> Tensor<D2, K, B> {
        if check_rank::<D2>(op, &shape).is_err() {
            let reason =
                format!("the result has rank {}, but the type asked for has rank {D2}", shape.rank());
            raise(&ShapeError::pair(op, &self.primitive.shape(), &shape, reason))
        }
        Tensor::wrap(K::reshape(self.primitive, shape))
    }
}

/// An extent in a new shape: an integer of type `usize`, `isize` or `i32`, where -1 stands for what is left.
pub trait Extent {
    /// The extent, or -1.
    fn to_extent(self) -> isize;
}

macro_rules! extents {
    ($($ty:ty)*) => {$(
        impl Extent for $ty {
            fn to_extent(self) -> isize {
                self as isize
            }
        }
    )*};
}

extents!(usize isize i32);

/// The shape with its -1 replaced, so that it holds as many elements as `from`.
fn complete_shape(from: &Shape, extents: &[isize]) -> Result<Shape, ShapeError> {
    let text =
        |reason: &str| ShapeError::single("reshape", from, format!("it cannot become {extents:?}: {reason}"));
    let is_left_open = |&&extent: &&isize| extent == -1;
    if extents.iter().any(|&extent| extent < -1) || extents.iter().filter(is_left_open).count() > 1 {
        return Err(text("extents are 0 or more, and one may be -1"));
    }
    let known: usize =
        extents.iter().filter(|&&extent| extent != -1).map(|&extent| extent as usize).product();
    if !extents.contains(&-1) {
        return Ok(extents.iter().map(|&extent| extent as usize).collect());
    }
    if known == 0 || !from.num_elements().is_multiple_of(known) {
        return Err(text(&format!("{} elements are no multiple of {known}", from.num_elements())));
    }
    let rest = from.num_elements() / known;
    Ok(extents.iter().map(|&extent| if extent == -1 { rest } else { extent as usize }).collect())
}

#[cold]
fn nothing_to_join(op: &'static str) -> ShapeError {
    ShapeError::single(op, &Shape::default(), "there is no tensor to join")
}
