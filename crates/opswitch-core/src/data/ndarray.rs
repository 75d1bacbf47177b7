//! To and from the arrays of the crate `ndarray`.

use ndarray::{ArrayBase, ArrayD, ArrayRef, ArrayViewD, Data, Dimension, IxDyn};

use super::TensorData;
use crate::{dtype::Element, error::DataError};

impl TensorData {
    /// The elements of an array or a view of one, whatever its strides are. They are copied.
    ///
    /// ```
    /// # use ndarray::array;
    /// # use opswitch_core::TensorData;
    /// let array = array![[1.0f32, 2.0], [3.0, 4.0]];
    /// let data = TensorData::from_ndarray(&array.t());
    /// assert_eq!(data.as_slice::<f32>()?, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), opswitch_core::DataError>(())
    /// ```
    ///
    /// # Panics
    ///
    /// Never: an array has as many elements as its shape says.
    pub fn from_ndarray<E: Element, D: Dimension>(array: &ArrayRef<E, D>) -> Self {
        let values = match array.as_slice() {
            Some(values) => values.to_vec(),
            None => array.iter().copied().collect(),
        };
        Self::new(values, array.shape()).expect("an array has as many elements as its shape says")
    }

    /// The elements as a view of an array.
    ///
    /// # Errors
    ///
    /// If they are of another type than `E`; see [`cast`](Self::cast).
    ///
    /// # Panics
    ///
    /// Never: there are as many elements as the shape says.
    pub fn as_ndarray<E: Element>(&self) -> Result<ArrayViewD<'_, E>, DataError> {
        let values = self.as_slice::<E>()?;
        let view = ArrayViewD::from_shape(IxDyn(self.shape.dims()), values);
        Ok(view.expect("there are as many elements as the shape says"))
    }

    /// The elements as an array, without a copy. `into_dimensionality` of the array fixes its number of dimensions.
    ///
    /// # Errors
    ///
    /// If they are of another type than `E`; see [`cast`](Self::cast).
    ///
    /// # Panics
    ///
    /// Never: there are as many elements as the shape says.
    pub fn into_ndarray<E: Element>(self) -> Result<ArrayD<E>, DataError> {
        let found = self.dtype();
        let values =
            self.elements.into_vec::<E>().map_err(|_| DataError::DType { expected: E::DTYPE, found })?;
        let array = ArrayD::from_shape_vec(IxDyn(self.shape.dims()), values);
        Ok(array.expect("there are as many elements as the shape says"))
    }
}

impl<E: Element, S: Data<Elem = E>, D: Dimension> From<&ArrayBase<S, D>> for TensorData {
    fn from(array: &ArrayBase<S, D>) -> Self {
        Self::from_ndarray(array)
    }
}

impl<E: Element, D: Dimension> From<ndarray::Array<E, D>> for TensorData {
    /// Without a copy if the elements lie in row-major order.
    fn from(array: ndarray::Array<E, D>) -> Self {
        if !array.is_standard_layout() {
            return Self::from_ndarray(&array);
        }
        let shape = array.shape().to_vec();
        let count = array.len();
        match array.into_raw_vec_and_offset() {
            (values, None | Some(0)) if values.len() == count => {
                Self::new(values, shape).expect("an array has as many elements as its shape says")
            }
            (values, offset) => {
                let start = offset.unwrap_or_default();
                let values = values[start..start + count].to_vec();
                Self::new(values, shape).expect("an array has as many elements as its shape says")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array, Array0, Array2, Axis, array, s};

    use super::*;
    use crate::{DType, for_dtype};

    #[test]
    fn every_element_type_goes_both_ways() {
        for dtype in DType::ALL {
            for_dtype!(dtype, |E| {
                let values: Vec<E> = (0..6).map(E::from_i64).collect();
                let array = Array2::from_shape_vec((2, 3), values).unwrap();
                let data = TensorData::from(&array);
                assert_eq!((data.shape().dims(), data.dtype()), (&[2, 3][..], dtype));
                assert_eq!(data.as_ndarray::<E>().unwrap(), array.view().into_dyn());
                assert_eq!(data.clone().into_ndarray::<E>().unwrap(), array.clone().into_dyn());
                assert_eq!(TensorData::from(array), data);
            });
        }
    }

    #[test]
    fn views_are_read_in_their_own_order() {
        let array = Array::from_iter(0..24).into_shape_with_order((2, 3, 4)).unwrap();
        let view = array.slice(s![.., ..;-1, 1..;2]);
        let data = TensorData::from(&view);
        assert_eq!(data.shape().dims(), [2, 3, 2]);
        assert_eq!(data.as_slice::<i32>().unwrap(), [9, 11, 5, 7, 1, 3, 21, 23, 17, 19, 13, 15]);
        let repeated = array![1.5f64, 2.5];
        let data = TensorData::from(&repeated.broadcast((2, 2)).unwrap());
        assert_eq!(data.as_slice::<f64>().unwrap(), [1.5, 2.5, 1.5, 2.5]);
    }

    #[test]
    fn arrays_that_own_more_than_they_show() {
        let mut array = Array::from_iter(0..6i64).into_shape_with_order((3, 2)).unwrap();
        array.slice_axis_inplace(Axis(0), (1..).into());
        let data = TensorData::from(array.clone());
        assert_eq!(data.as_slice::<i64>().unwrap(), [2, 3, 4, 5]);
        let data = TensorData::from(array.reversed_axes());
        assert_eq!((data.shape().dims(), data.as_slice::<i64>().unwrap()), (&[2, 2][..], &[2, 4, 3, 5][..]));
    }

    #[test]
    fn no_dimensions_and_no_elements() {
        let data = TensorData::from(Array0::from_elem((), 2.0f32));
        assert_eq!((data.shape().rank(), data.as_slice::<f32>().unwrap()), (0, &[2.0][..]));
        let data = TensorData::from(Array2::<f32>::zeros((0, 3)));
        assert_eq!(data.into_ndarray::<f32>().unwrap().shape(), [0, 3]);
    }

    #[test]
    fn another_type_is_refused() {
        let data = TensorData::from(array![1i32, 2]);
        let error = data.as_ndarray::<f32>().unwrap_err();
        assert_eq!(error, DataError::DType { expected: DType::F32, found: DType::I32 });
        assert_eq!(data.into_ndarray::<f32>().unwrap_err(), error);
    }
}
