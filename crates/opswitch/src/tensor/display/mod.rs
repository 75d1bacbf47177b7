//! Tensors as text, laid out as NumPy 2.4 prints arrays.

mod number;

use std::fmt;

use opswitch_core::{Backend, TensorData, TensorHandle};

use self::number::Format;
use super::{KindOps, Tensor};

/// Tensors with more elements are summarised.
const THRESHOLD: usize = 1000;
/// How many elements a summary shows at each end of a dimension.
const EDGE_ITEMS: usize = 3;
/// The width that lines are broken at.
const LINE_WIDTH: usize = 75;

/// The elements in nested brackets, exactly as Python's `print` shows the same array of NumPy 2.4: aligned columns, up to
/// 8 digits after the point and no more than tell a number from its neighbours, exponents where magnitudes are far apart,
/// `...` in tensors of more than 1000 elements, and lines of at most 75 columns. `bf16`, which NumPy has not, follows the
/// same rules.
///
/// Reads the tensor, and waits for it. If that fails the text says why.
///
/// ```
/// use opswitch::Tensor;
///
/// let x = Tensor::<2>::from_floats([[1.0, -2.5], [0.125, 10.0]], &Default::default());
/// assert_eq!(x.to_string(), "[[ 1.    -2.5  ]\n [ 0.125 10.   ]]");
/// ```
impl<const D: usize, K: KindOps<B>, B: Backend> fmt::Display for Tensor<D, K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.clone().into_data() {
            Ok(data) => f.write_str(&array_text(&data)),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

/// Kind, shape, element type and device, then the elements as [`Display`](fmt::Display) shows them.
impl<const D: usize, K: KindOps<B>, B: Backend> fmt::Debug for Tensor<D, K, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, dtype, device) = (self.primitive.shape(), self.dtype(), self.primitive.device());
        write!(f, "Tensor {{ kind: {}, shape: {shape}, dtype: {dtype}, device: {device} }}\n{self}", K::NAME)
    }
}

/// The text of an array.
fn array_text(data: &TensorData) -> String {
    let shape = data.shape();
    if shape.num_elements() == 0 {
        return "[]".to_owned();
    }
    if shape.rank() == 0 {
        return number::scalar_text(data.elements());
    }
    let layout = Layout { shape, is_summary: shape.num_elements() > THRESHOLD };
    let mut shown = Vec::new();
    layout.collect_shown(0, 0, &mut shown);
    let format = Format::new(data.elements(), &shown);
    layout.write(0, 0, " ", LINE_WIDTH, &|position| format.text(data.elements(), position))
}

/// Which elements of an array are shown, and where.
struct Layout<'a> {
    shape: &'a [usize],
    is_summary: bool,
}

impl Layout<'_> {
    /// The positions of the elements that are shown, below the element or row `position` of the dimensions before `dim`.
    fn collect_shown(&self, dim: usize, position: usize, shown: &mut Vec<usize>) {
        let Some(&extent) = self.shape.get(dim) else {
            shown.push(position);
            return;
        };
        for index in self.shown_indices(extent).into_iter().flatten() {
            self.collect_shown(dim + 1, position * extent + index, shown);
        }
    }

    /// The indices of a dimension that are shown; `None` is an ellipsis.
    fn shown_indices(&self, extent: usize) -> Vec<Option<usize>> {
        if !self.is_summary || extent <= 2 * EDGE_ITEMS {
            return (0..extent).map(Some).collect();
        }
        let (leading, trailing) = (0..EDGE_ITEMS, extent - EDGE_ITEMS..extent);
        leading.map(Some).chain([None]).chain(trailing.map(Some)).collect()
    }

    /// The bracketed text of a row or a stack of rows, of which lines after the first are indented by `indent`.
    fn write(
        &self,
        dim: usize,
        position: usize,
        indent: &str,
        width: usize,
        element: &dyn Fn(usize) -> String,
    ) -> String {
        let extent = self.shape[dim];
        let items = self.shown_indices(extent).into_iter();
        let below = |index: usize| position * extent + index;
        let text = |index: Option<usize>, below_text: &dyn Fn(usize) -> String| match index {
            Some(index) => below_text(below(index)),
            None => "...".to_owned(),
        };
        if dim + 1 == self.shape.len() {
            let words: Vec<String> = items.map(|index| text(index, element)).collect();
            return format!("[{}]", wrap_words(&words, indent, width - 1));
        }
        let next_indent = format!("{indent} ");
        let nested = |position| self.write(dim + 1, position, &next_indent, width - 1, element);
        let rows: Vec<String> = items.map(|index| text(index, &nested)).collect();
        let separator = "\n".repeat(self.shape.len() - dim - 1) + indent;
        format!("[{}]", rows.join(&separator))
    }
}

/// The words separated by spaces, in lines of at most `width` columns with the indentation.
fn wrap_words(words: &[String], indent: &str, width: usize) -> String {
    let mut lines = Vec::new();
    let mut line = indent.to_owned();
    for word in words {
        if line.len() + word.len() > width && line.len() > indent.len() {
            lines.push(line.trim_end().to_owned());
            indent.clone_into(&mut line);
        }
        line += word;
        line.push(' ');
    }
    line.pop();
    lines.push(line);
    lines.join("\n").split_off(indent.len())
}
