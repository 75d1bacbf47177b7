//! How often which class was taken for which.

use crate::data::CLASSES;

/// Counts of images by their class and the class that the network gave them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Confusion {
    /// `counts[class][predicted]`.
    pub(crate) counts: [[usize; CLASSES]; CLASSES],
}

impl Confusion {
    /// Compares classes with predictions, both from 0 to 9.
    pub(crate) fn new(classes: &[i64], predicted: &[i64]) -> Self {
        let mut counts = [[0; CLASSES]; CLASSES];
        for (&class, &predicted) in classes.iter().zip(predicted) {
            counts[class as usize][predicted as usize] += 1;
        }
        Self { counts }
    }

    /// The share of images that were recognised.
    pub(crate) fn accuracy(&self) -> f64 {
        let total: usize = self.counts.iter().flatten().sum();
        let right: usize = (0..CLASSES).map(|class| self.counts[class][class]).sum();
        share(right, total)
    }

    /// The number of images of a class.
    pub(crate) fn images(&self, class: usize) -> usize {
        self.counts[class].iter().sum()
    }

    /// Of the images taken for a class, the share that are of it.
    pub(crate) fn precision(&self, class: usize) -> f64 {
        share(self.counts[class][class], self.counts.iter().map(|row| row[class]).sum())
    }

    /// Of the images of a class, the share that were recognised.
    pub(crate) fn recall(&self, class: usize) -> f64 {
        share(self.counts[class][class], self.images(class))
    }
}

/// 0 of nothing, so that a class that is never predicted has a precision of 0.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_counted_by_hand() {
        // Three zeros, of which one is taken for a 1, and a 1 that is recognised.
        let confusion = Confusion::new(&[0, 0, 0, 1], &[0, 0, 1, 1]);
        assert_eq!(confusion.accuracy(), 0.75);
        assert_eq!((confusion.precision(0), confusion.recall(0)), (1.0, 2.0 / 3.0));
        assert_eq!((confusion.precision(1), confusion.recall(1)), (0.5, 1.0));
        assert_eq!((confusion.precision(2), confusion.recall(2), confusion.images(2)), (0.0, 0.0, 0));
    }
}
