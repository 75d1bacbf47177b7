//! Equations as text.

use std::{collections::BTreeMap, fmt::Display};

use crate::{
    error::{ShapeError, raise},
    shape::Shape,
};

/// A dimension: a letter, or one of those that an ellipsis stands for, counted from the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    Ellipsis(usize),
    Letter(char),
}

/// The dimensions of the tensors and of the result.
pub(super) struct Equation {
    pub(super) inputs: Vec<Vec<Label>>,
    pub(super) output: Vec<Label>,
}

/// Letters, and before which of them the ellipsis stands if there is one.
struct Term {
    letters: Vec<char>,
    ellipsis: Option<usize>,
}

impl Equation {
    /// The equation for tensors of these shapes.
    #[track_caller]
    pub(super) fn parse(text: &str, shapes: &[Shape]) -> Self {
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (text, None),
        };
        let mut terms = Vec::new();
        for term in inputs.split(',') {
            terms.push(Term::parse(text, term));
        }
        if terms.len() != shapes.len() {
            fail(text, format_args!("has {} terms, but there are {} tensors", terms.len(), shapes.len()));
        }
        let mut inputs = Vec::new();
        let mut broadcast = 0;
        for (term, shape) in terms.iter().zip(shapes) {
            let omitted = term.omitted(text, shape);
            broadcast = broadcast.max(omitted);
            inputs.push(term.labels(omitted));
        }
        let output = match output {
            Some(output) => explicit_output(text, &Term::parse(text, output), &inputs, broadcast),
            None => implicit_output(&inputs, broadcast),
        };
        Self { inputs, output }
    }
}

impl Term {
    #[track_caller]
    fn parse(text: &str, term: &str) -> Self {
        let (mut letters, mut ellipsis) = (Vec::new(), None);
        let mut rest = term.trim_start();
        while let Some(first) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("...") {
                if ellipsis.replace(letters.len()).is_some() {
                    fail(text, format_args!("has two ellipses in the term `{}`", term.trim()));
                }
                rest = after.trim_start();
            } else if first.is_ascii_alphabetic() {
                letters.push(first);
                rest = rest[1..].trim_start();
            } else {
                fail(text, format_args!("has `{first}`, where a letter, `...`, `,` or `->` may stand"));
            }
        }
        Self { letters, ellipsis }
    }

    /// How many dimensions of `shape` the ellipsis stands for.
    #[track_caller]
    fn omitted(&self, text: &str, shape: &Shape) -> usize {
        let named = self.letters.len();
        match (shape.rank().checked_sub(named), self.ellipsis) {
            (Some(0), None) => 0,
            (Some(omitted), Some(_)) => omitted,
            _ => {
                let reason = format!("the equation `{text}` names {named} dimensions of it");
                raise(&ShapeError::single("float_einsum", shape, reason))
            }
        }
    }

    fn labels(&self, omitted: usize) -> Vec<Label> {
        let mut labels: Vec<_> = self.letters.iter().copied().map(Label::Letter).collect();
        let at = self.ellipsis.unwrap_or(0);
        labels.splice(at..at, (0..omitted).rev().map(Label::Ellipsis));
        labels
    }
}

#[track_caller]
fn explicit_output(text: &str, term: &Term, inputs: &[Vec<Label>], broadcast: usize) -> Vec<Label> {
    for (at, letter) in term.letters.iter().enumerate() {
        if term.letters[..at].contains(letter) {
            fail(text, format_args!("has `{letter}` twice in the result"));
        }
        if !inputs.iter().flatten().any(|label| *label == Label::Letter(*letter)) {
            fail(text, format_args!("has `{letter}` in the result, but in no term before it"));
        }
    }
    term.labels(if term.ellipsis.is_some() { broadcast } else { 0 })
}

/// What an ellipsis stands for, and the letters that stand once, in alphabetical order.
fn implicit_output(inputs: &[Vec<Label>], broadcast: usize) -> Vec<Label> {
    let mut count = BTreeMap::new();
    for &label in inputs.iter().flatten().filter(|label| matches!(label, Label::Letter(_))) {
        *count.entry(label).or_insert(0) += 1;
    }
    let once = count.into_iter().filter(|&(_, count)| count == 1).map(|(label, _)| label);
    (0..broadcast).rev().map(Label::Ellipsis).chain(once).collect()
}

/// The extent of each dimension: where it is 1 in one tensor, that of the others.
#[track_caller]
pub(super) fn extents(text: &str, inputs: &[Vec<Label>], shapes: &[Shape]) -> BTreeMap<Label, usize> {
    // With the shape that the extent is from, for the text of an error.
    let mut extents: BTreeMap<Label, (usize, &Shape)> = BTreeMap::new();
    for (labels, shape) in inputs.iter().zip(shapes) {
        for (at, (&label, &extent)) in labels.iter().zip(shape.iter()).enumerate() {
            let before = labels[..at].iter().position(|&other| other == label);
            let (known, owner) = match before {
                Some(first) => (shape[first], shape),
                None => *extents.entry(label).or_insert((extent, shape)),
            };
            let is_repeated = before.is_some();
            if known == 1 && !is_repeated {
                extents.insert(label, (extent, shape));
            } else if extent != known && (extent != 1 || is_repeated) {
                let reason = format!("{} has two extents in the equation `{text}`", name(label));
                raise(&ShapeError::pair("float_einsum", owner, shape, reason));
            }
        }
    }
    extents.into_iter().map(|(label, (extent, _))| (label, extent)).collect()
}

fn name(label: Label) -> String {
    match label {
        Label::Letter(letter) => format!("`{letter}`"),
        Label::Ellipsis(_) => "a dimension of `...`".to_owned(),
    }
}

#[cold]
#[track_caller]
fn fail(text: &str, reason: impl Display) -> ! {
    raise(&format_args!("float_einsum: the equation `{text}` {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(text: &str, shapes: &[&[usize]]) -> String {
        let shapes: Vec<Shape> = shapes.iter().map(|&shape| shape.into()).collect();
        let output = Equation::parse(text, &shapes).output;
        let letter = |label| match label {
            Label::Letter(letter) => letter.to_string(),
            Label::Ellipsis(at) => at.to_string(),
        };
        output.into_iter().map(letter).collect()
    }

    // As NumPy says: letters that stand once, upper case first, behind what an ellipsis stands for.
    #[test]
    fn results_that_are_left_out_are_in_alphabetical_order() {
        assert_eq!(output("ba", &[&[2, 3]]), "ab");
        assert_eq!(output("bA, ac", &[&[2, 3], &[4, 5]]), "Aabc");
        assert_eq!(output("ij,jh", &[&[2, 3], &[3, 4]]), "hi");
        assert_eq!(output("j...i, ...j", &[&[2, 5, 6, 3], &[6, 2]]), "10i");
        assert_eq!(output("ii", &[&[2, 2]]), "");
    }

    #[test]
    fn an_ellipsis_may_stand_for_nothing_and_be_left_out() {
        assert_eq!(output("...i->i...", &[&[3]]), "i");
        assert_eq!(output("...i->i", &[&[2, 3]]), "i");
        assert_eq!(output(" i ... -> ... i ", &[&[2, 3]]), "0i");
    }
}
