//! Shapes, and the rules by which ops combine them.
//!
//! A backend calls the functions here instead of checking shapes itself, so that every backend accepts and
//! refuses the same inputs with the same text.

use std::{fmt, ops::Deref};

use smallvec::SmallVec;

use crate::error::ShapeError;

/// The extents of a tensor, outermost dimension first. Up to four dimensions are stored inline.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(SmallVec<[usize; 4]>);

impl Shape {
    /// The shape with these extents.
    pub fn new(dims: &[usize]) -> Self {
        Self(SmallVec::from_slice(dims))
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// The number of elements: the product of the extents, 1 for a shape without dimensions.
    pub fn num_elements(&self) -> usize {
        self.0.iter().product()
    }

    /// The extents.
    pub fn dims(&self) -> &[usize] {
        &self.0
    }

    /// This shape with dimension `dim` set to `extent`.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    pub fn with_dim(mut self, dim: usize, extent: usize) -> Self {
        self.0[dim] = extent;
        self
    }

    /// This shape without dimension `dim`.
    ///
    /// # Panics
    ///
    /// If there is no dimension `dim`.
    pub fn without_dim(mut self, dim: usize) -> Self {
        self.0.remove(dim);
        self
    }

    /// The extents of this shape in the order of `axes`.
    ///
    /// # Panics
    ///
    /// If one of the axes does not exist.
    pub fn permuted(&self, axes: &[usize]) -> Self {
        axes.iter().map(|&axis| self.0[axis]).collect()
    }

    /// The strides, in elements, of a row-major tensor of this shape.
    pub fn contiguous_strides(&self) -> SmallVec<[isize; 4]> {
        let mut strides = SmallVec::from_elem(1, self.rank());
        for dim in (1..self.rank()).rev() {
            strides[dim - 1] = strides[dim] * self.0[dim].max(1) as isize;
        }
        strides
    }

    /// The shape of a reduction over `dims`: those extents are 1 with `keep_dims`, and left out without.
    pub fn reduced(&self, dims: &[usize], keep_dims: bool) -> Self {
        let kept = self.0.iter().enumerate().filter_map(|(dim, &extent)| {
            if !dims.contains(&dim) {
                Some(extent)
            } else if keep_dims {
                Some(1)
            } else {
                None
            }
        });
        kept.collect()
    }
}

impl Deref for Shape {
    type Target = [usize];

    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<I: IntoIterator<Item = usize>>(dims: I) -> Self {
        Self(dims.into_iter().collect())
    }
}

impl<const D: usize> From<[usize; D]> for Shape {
    fn from(dims: [usize; D]) -> Self {
        Self::new(&dims)
    }
}

impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Self {
        Self::new(dims)
    }
}

impl From<Vec<usize>> for Shape {
    fn from(dims: Vec<usize>) -> Self {
        Self(SmallVec::from_vec(dims))
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.dims(), f)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.dims(), f)
    }
}

/// The shape that `lhs` and `rhs` broadcast to, as NumPy does it: aligned at the last dimension, where extents
/// are equal or one of them is 1.
///
/// # Errors
///
/// If two aligned extents differ and neither is 1.
pub fn broadcast(op: &'static str, lhs: &Shape, rhs: &Shape) -> Result<Shape, ShapeError> {
    if lhs == rhs {
        return Ok(lhs.clone());
    }
    let rank = lhs.rank().max(rhs.rank());
    let extent =
        |shape: &Shape, dim: usize| (dim + shape.rank()).checked_sub(rank).map_or(1, |dim| shape[dim]);
    (0..rank)
        .map(|dim| match (extent(lhs, dim), extent(rhs, dim)) {
            (left, right) if left == right => Ok(left),
            (1, right) => Ok(right),
            (left, 1) => Ok(left),
            _ => Err(ShapeError::pair(
                op,
                lhs,
                rhs,
                "they do not broadcast: aligned at the last dimension, extents must be equal or 1",
            )),
        })
        .collect::<Result<SmallVec<[usize; 4]>, _>>()
        .map(Shape)
}

/// Checks that a tensor of shape `from` can be expanded to `to`: aligned at the last dimension, each extent is
/// equal or 1.
///
/// # Errors
///
/// If it can't.
pub fn check_expand(op: &'static str, from: &Shape, to: &Shape) -> Result<(), ShapeError> {
    match broadcast(op, from, to) {
        Ok(shape) if shape == *to => Ok(()),
        _ => Err(ShapeError::pair(op, from, to, "only extents of 1 expand, and new dimensions come first")),
    }
}

/// Checks that a tensor of shape `from` can be reshaped to `to`: the number of elements is the same.
///
/// # Errors
///
/// If it is not.
pub fn check_reshape(op: &'static str, from: &Shape, to: &Shape) -> Result<(), ShapeError> {
    if from.num_elements() == to.num_elements() {
        return Ok(());
    }
    let reason = format!("{} elements cannot become {}", from.num_elements(), to.num_elements());
    Err(ShapeError::pair(op, from, to, reason))
}

/// Checks that `dim` is a dimension of `shape`.
///
/// # Errors
///
/// If it is not.
pub fn check_dim(op: &'static str, shape: &Shape, dim: usize) -> Result<(), ShapeError> {
    if dim < shape.rank() {
        return Ok(());
    }
    Err(ShapeError::single(op, shape, format!("there is no dimension {dim}")))
}

/// Checks that `dims` are dimensions of `shape`, each at most once.
///
/// # Errors
///
/// If one is not, or stands twice.
pub fn check_dims(op: &'static str, shape: &Shape, dims: &[usize]) -> Result<(), ShapeError> {
    for (position, &dim) in dims.iter().enumerate() {
        check_dim(op, shape, dim)?;
        if dims[..position].contains(&dim) {
            return Err(ShapeError::single(op, shape, format!("dimension {dim} is given twice")));
        }
    }
    Ok(())
}

/// Checks that a reduction without an identity, such as a maximum, is not over nothing, unless its result is empty too.
///
/// # Errors
///
/// If it is.
pub fn check_some(op: &'static str, shape: &Shape, dims: &[usize]) -> Result<(), ShapeError> {
    if shape.num_elements() == 0 && shape.reduced(dims, false).num_elements() > 0 {
        return Err(ShapeError::single(op, shape, "an extreme of no elements is asked for"));
    }
    Ok(())
}

/// Checks that `axes` is a permutation of the dimensions of `shape`.
///
/// # Errors
///
/// If it is not.
pub fn check_permutation(op: &'static str, shape: &Shape, axes: &[usize]) -> Result<(), ShapeError> {
    if axes.len() != shape.rank() {
        let reason = format!("{} axes are given for {} dimensions", axes.len(), shape.rank());
        return Err(ShapeError::single(op, shape, reason));
    }
    check_dims(op, shape, axes)
}

/// Checks that `dim` of `shape` has room for a window of `size`, and that windows are `step` apart.
///
/// # Errors
///
/// If there is no such dimension, it is shorter than a window, or the step is 0.
pub fn check_unfold(
    op: &'static str,
    shape: &Shape,
    dim: usize,
    size: usize,
    step: usize,
) -> Result<(), ShapeError> {
    check_dim(op, shape, dim)?;
    if size > shape[dim] {
        let reason = format!("a window of {size} does not fit in dimension {dim}");
        return Err(ShapeError::single(op, shape, reason));
    }
    if step == 0 {
        return Err(ShapeError::single(op, shape, "the step between windows cannot be 0"));
    }
    Ok(())
}

/// The shape of the matrix product of `lhs` and `rhs`, as NumPy has it: matrices are the last two dimensions, the
/// others broadcast, and a vector is a row on the left or a column on the right.
///
/// # Errors
///
/// If a side has no dimensions, the inner extents differ, or the batch dimensions do not broadcast.
pub fn matmul(op: &'static str, lhs: &Shape, rhs: &Shape) -> Result<Shape, ShapeError> {
    let fail = |reason: &str| Err(ShapeError::pair(op, lhs, rhs, reason.to_owned()));
    if lhs.rank() == 0 || rhs.rank() == 0 {
        return fail("a matrix product needs at least one dimension on each side");
    }
    let inner = if rhs.rank() == 1 { rhs[0] } else { rhs[rhs.rank() - 2] };
    if lhs[lhs.rank() - 1] != inner {
        return fail("the last extent of the left side must be that of the right side's rows");
    }
    let batch = |shape: &Shape| Shape::new(&shape[..shape.rank().saturating_sub(2)]);
    let Ok(mut product) = broadcast(op, &batch(lhs), &batch(rhs)) else {
        return fail("the batch dimensions do not broadcast");
    };
    if lhs.rank() > 1 {
        product.0.push(lhs[lhs.rank() - 2]);
    }
    if rhs.rank() > 1 {
        product.0.push(rhs[rhs.rank() - 1]);
    }
    Ok(product)
}

/// The shape of tensors of shapes `shapes` joined along `dim`: they agree in every other dimension.
///
/// # Errors
///
/// If there are none, `dim` does not exist, or they disagree elsewhere.
pub fn cat(op: &'static str, shapes: &[Shape], dim: usize) -> Result<Shape, ShapeError> {
    let Some(first) = shapes.first() else {
        return Err(ShapeError::single(op, &Shape::default(), "there is no tensor to join".to_owned()));
    };
    check_dim(op, first, dim)?;
    let mut extent = 0;
    for shape in shapes {
        if shape.rank() != first.rank() || shape.clone().with_dim(dim, first[dim]) != *first {
            let reason = format!("they may differ in dimension {dim} alone");
            return Err(ShapeError::pair(op, first, shape, reason));
        }
        extent += shape[dim];
    }
    Ok(first.clone().with_dim(dim, extent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broadcasting_aligns_at_the_last_dimension() {
        let shape = broadcast("add", &[3, 1].into(), &[2, 1, 4].into()).unwrap();
        assert_eq!(shape, Shape::from([2, 3, 4]));
        assert_eq!(broadcast("add", &[].into(), &[0, 2].into()).unwrap(), Shape::from([0, 2]));
    }

    #[test]
    fn a_misfit_names_op_and_both_shapes() {
        let text = broadcast("float_add", &[2, 3].into(), &[4].into()).unwrap_err().to_string();
        assert!(text.starts_with("float_add: shapes [2, 3] and [4] do not fit"), "{text}");
    }

    #[test]
    fn matmul_follows_numpy() {
        let product = |lhs: &[usize], rhs: &[usize]| matmul("matmul", &lhs.into(), &rhs.into()).ok();
        assert_eq!(product(&[2, 3], &[3, 4]), Some([2, 4].into()));
        assert_eq!(product(&[3], &[3]), Some([].into()));
        assert_eq!(product(&[5, 1, 2, 3], &[7, 3, 4]), Some([5, 7, 2, 4].into()));
        assert_eq!(product(&[3], &[2, 3, 4]), Some([2, 4].into()));
        assert_eq!(product(&[2, 3], &[4, 3]), None);
        assert_eq!(product(&[], &[3]), None);
    }

    #[test]
    fn strides_of_an_empty_tensor_are_positive() {
        assert_eq!(Shape::from([2, 0, 3]).contiguous_strides().as_slice(), [3, 3, 1]);
    }
}
