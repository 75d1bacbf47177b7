//! Products of vectors, and sums of products by an equation.

use opswitch_core::{Float, FloatTensor, ops::FloatOps};

use super::Tensor;

/// Float tensors, of several ranks in a tuple, or of one in an array or a vector.
pub trait FloatTensors<B: FloatOps> {
    /// The backend's handles, in order.
    fn into_primitives(self) -> Vec<FloatTensor<B>>;
}

impl<const D: usize, B: FloatOps> FloatTensors<B> for Vec<Tensor<D, Float, B>> {
    fn into_primitives(self) -> Vec<FloatTensor<B>> {
        self.into_iter().map(Tensor::into_primitive).collect()
    }
}

impl<const D: usize, const N: usize, B: FloatOps> FloatTensors<B> for [Tensor<D, Float, B>; N] {
    fn into_primitives(self) -> Vec<FloatTensor<B>> {
        self.map(Tensor::into_primitive).into()
    }
}

macro_rules! tuples {
    ($($($rank:ident $tensor:ident),+;)*) => {$(
        impl<$(const $rank: usize,)+ B: FloatOps> FloatTensors<B> for ($(Tensor<$rank, Float, B>,)+) {
            fn into_primitives(self) -> Vec<FloatTensor<B>> {
                let ($($tensor,)+) = self;
                vec![$($tensor.into_primitive()),+]
            }
        }
    )*};
}

tuples! {
    C c;
    C c, D d;
    C c, D d, E e;
    C c, D d, E e, F f;
    C c, D d, E e, F f, G g;
    C c, D d, E e, F f, G g, H h;
}

impl<const D: usize, B: FloatOps> Tensor<D, Float, B> {
    /// The sum of products that `equation` describes, as in NumPy; see [`FloatOps::float_einsum`].
    ///
    /// ```
    /// use opswitch::Tensor;
    ///
    /// let x = Tensor::<2>::from_floats([[1.0, 2.0], [3.0, 4.0]], &Default::default());
    /// let weights = Tensor::<1>::from_floats([10.0, 1.0], &Default::default());
    /// assert_eq!(Tensor::<1>::einsum("ij,i->j", (x.clone(), weights)).to_string(), "[13. 24.]");
    /// assert_eq!(Tensor::<0>::einsum("ii", [x]).to_string(), "5.0");
    /// ```
    ///
    /// # Panics
    ///
    /// If the equation does not fit the tensors, or its result has not the rank `D`.
    #[track_caller]
    pub fn einsum(equation: &str, tensors: impl FloatTensors<B>) -> Self {
        Self::from_result("einsum", B::float_einsum(tensors.into_primitives(), equation))
    }
}

impl<B: FloatOps> Tensor<1, Float, B> {
    /// The sum of the products of the elements of two vectors.
    ///
    /// # Panics
    ///
    /// If their lengths differ.
    #[track_caller]
    pub fn dot(self, rhs: Self) -> Tensor<0, Float, B> {
        Tensor::wrap(B::float_dot(self.primitive, rhs.primitive))
    }

    /// The products of each element of this vector with each of `rhs`: one row for each of this one.
    #[track_caller]
    pub fn outer(self, rhs: Self) -> Tensor<2, Float, B> {
        Tensor::wrap(B::float_outer(self.primitive, rhs.primitive))
    }
}
