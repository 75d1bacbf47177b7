//! Quantized tensors, and the way from floats to them and back.

use opswitch_core::{
    AnyTensor, DType, DataError, Float, Int, OpError, QuantScheme, Quantized, QuantizedData, TensorHandle,
    ops::QuantizedOps, raise,
};

use super::{
    SliceArgs, Tensor,
    dims::{resolve_dim, resolve_dims},
};

impl<const D: usize, B: QuantizedOps> Tensor<D, Float, B> {
    /// The codes of the elements, with a scale that is made of a tensor without dimensions, a vector for channels, or a tensor with
    /// an element a block; see [`QuantScheme`]. An affine scheme has a zero point of the same shape. No gradient flows through.
    ///
    /// # Panics
    ///
    /// If the shape of the scale or of the zero point is not that of the scheme, or a zero point is there and should not be, or the
    /// other way round.
    #[track_caller]
    pub fn quantize<const S: usize>(
        self,
        scale: Tensor<S, Float, B>,
        zero_point: Option<Tensor<S, Int, B>>,
        scheme: QuantScheme,
    ) -> Tensor<D, Quantized, B> {
        let zero_point = zero_point.map(Tensor::into_primitive);
        Tensor::wrap(B::quantize(self.primitive, scale.primitive, zero_point, scheme))
    }

    /// The codes of the elements, with the least scale that reaches every one of them. No gradient flows through.
    ///
    /// ```
    /// use opswitch::{QuantBits, QuantLevel, QuantMode, QuantScheme, Tensor};
    ///
    /// let x = Tensor::<2>::from_floats([[1.27, -0.5], [0.04, 12.7]], &Default::default());
    /// let scheme = QuantScheme::new(QuantMode::Symmetric, QuantBits::Q8, QuantLevel::Channel { axis: 0 });
    /// let q = x.quantize_dynamic(scheme);
    /// assert_eq!(q.clone().codes().to_string(), "[[127 -50]\n [  0 127]]");
    /// assert_eq!(q.scale::<1>().to_vec::<f32>().unwrap(), [0.01, 0.1]);
    /// ```
    ///
    /// # Panics
    ///
    /// If there is no dimension for the channels, or the last extent is no multiple of a block's size.
    #[track_caller]
    pub fn quantize_dynamic(self, scheme: QuantScheme) -> Tensor<D, Quantized, B> {
        Tensor::wrap(B::quantize_dynamic(self.primitive, scheme))
    }
}

impl<const D: usize, B: QuantizedOps> Tensor<D, Quantized, B> {
    /// A tensor of codes, of which the low 8 or 4 bits count; see [`Tensor::quantize`].
    ///
    /// # Panics
    ///
    /// As [`Tensor::quantize`].
    #[track_caller]
    pub fn from_codes<const S: usize>(
        codes: Tensor<D, Int, B>,
        scale: Tensor<S, Float, B>,
        zero_point: Option<Tensor<S, Int, B>>,
        scheme: QuantScheme,
    ) -> Self {
        let zero_point = zero_point.map(Tensor::into_primitive);
        Self::wrap(B::q_from_codes(codes.primitive, scale.primitive, zero_point, scheme))
    }

    /// Reads the tensor, and waits for it.
    ///
    /// # Errors
    ///
    /// If the device fails.
    pub fn into_quantized_data(self) -> Result<QuantizedData, DataError> {
        QuantizedData::try_from(
            B::read_many_blocking(vec![AnyTensor::Quantized(self.primitive)])?.swap_remove(0),
        )
    }

    /// The numbers that the codes stand for, as `f32`.
    #[track_caller]
    pub fn dequantize(self) -> Tensor<D, Float, B> {
        self.dequantize_with_dtype(DType::F32)
    }

    /// The numbers that the codes stand for, as this float type.
    ///
    /// # Panics
    ///
    /// If `dtype` is no float type.
    #[track_caller]
    pub fn dequantize_with_dtype(self, dtype: DType) -> Tensor<D, Float, B> {
        Tensor::wrap(B::dequantize(self.primitive, Tensor::<D, Float, B>::check_dtype(dtype)))
    }

    /// What the codes mean.
    pub fn scheme(&self) -> QuantScheme {
        B::q_into_parts(self.primitive.clone()).scheme
    }

    /// The codes, one an element, as ints of the device.
    #[track_caller]
    pub fn codes(self) -> Tensor<D, Int, B> {
        Tensor::wrap(B::q_codes(self.primitive))
    }

    /// The scale: no dimensions for a scheme that has one for the tensor, one for channels, `D` for blocks.
    ///
    /// # Panics
    ///
    /// If it has not `S` dimensions.
    #[track_caller]
    pub fn scale<const S: usize>(self) -> Tensor<S, Float, B> {
        Tensor::from_result("scale", B::q_scale(self.primitive))
    }

    /// The zero point, which has the shape of the scale.
    ///
    /// # Panics
    ///
    /// If the scheme is not affine, or it has not `S` dimensions.
    #[track_caller]
    pub fn zero_point<const S: usize>(self) -> Tensor<S, Int, B> {
        match B::q_zero_point(self.primitive) {
            Some(zero) => Tensor::from_result("zero_point", zero),
            None => raise(&OpError::Parameter {
                op: "zero_point",
                reason: "the scheme is symmetric, and has no zero point",
            }),
        }
    }

    /// The matrix product of the numbers that two tensors stand for, by way of their codes.
    ///
    /// # Panics
    ///
    /// If the columns of this tensor are not as many as the rows of `rhs`, or the batch dimensions do not broadcast.
    #[track_caller]
    pub fn q_matmul(self, rhs: Self) -> Tensor<D, Float, B> {
        Tensor::from_result("q_matmul", B::q_matmul(self.primitive, rhs.primitive))
    }

    /// The same codes in row-major order under another shape.
    ///
    /// # Panics
    ///
    /// If the number of elements differs, channels would not be the indices of one dimension, or blocks would not lie in the last.
    #[track_caller]
    pub fn q_reshape<const D2: usize>(self, shape: [usize; D2]) -> Tensor<D2, Quantized, B> {
        Tensor::wrap(B::q_reshape(self.primitive, shape.into()))
    }

    /// The dimensions in the order of `axes`.
    ///
    /// # Panics
    ///
    /// If `axes` does not name each dimension once, or moves the last dimension, in which blocks lie.
    #[track_caller]
    pub fn q_permute(self, axes: [isize; D]) -> Self {
        let axes = resolve_dims("q_permute", &self.primitive.shape(), &axes);
        Self::wrap(B::q_permute(self.primitive, &axes))
    }

    /// The dimensions `dim1` and `dim2` exchanged.
    ///
    /// # Panics
    ///
    /// If one of them does not exist, or is the last, in which blocks lie.
    #[track_caller]
    pub fn q_swap_dims(self, dim1: isize, dim2: isize) -> Self {
        let shape = self.primitive.shape();
        let (dim1, dim2) =
            (resolve_dim("q_swap_dims", &shape, dim1), resolve_dim("q_swap_dims", &shape, dim2));
        Self::wrap(B::q_swap_dims(self.primitive, dim1, dim2))
    }

    /// Extents of 1, and new leading dimensions, repeated to `shape`.
    ///
    /// # Panics
    ///
    /// If an extent that is not 1 differs from that of `shape`, aligned at the last dimension.
    #[track_caller]
    pub fn q_expand<const D2: usize>(self, shape: [usize; D2]) -> Tensor<D2, Quantized, B> {
        Tensor::wrap(B::q_expand(self.primitive, shape.into()))
    }

    /// The order of the elements reversed along `dims`.
    ///
    /// # Panics
    ///
    /// If a dimension does not exist, or is given twice.
    #[track_caller]
    pub fn q_flip<const N: usize>(self, dims: [isize; N]) -> Self {
        let dims = resolve_dims("q_flip", &self.primitive.shape(), &dims);
        Self::wrap(B::q_flip(self.primitive, &dims))
    }

    /// The elements that `ranges` take; dimensions beyond the last range are taken whole. The rank stays.
    ///
    /// # Panics
    ///
    /// If there are more ranges than dimensions, or a block would be cut.
    #[track_caller]
    pub fn q_slice(self, ranges: impl SliceArgs) -> Self {
        Self::wrap(B::q_slice(self.primitive, &ranges.into_slices()))
    }

    /// The slices along `dim` with the indices of `index`.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`, a block would be cut, or, where the backend can see it, an index is out of range.
    #[track_caller]
    pub fn q_select(self, dim: isize, index: Tensor<1, Int, B>) -> Self {
        let dim = resolve_dim("q_select", &self.primitive.shape(), dim);
        Self::wrap(B::q_select(self.primitive, dim, index.primitive))
    }
}
