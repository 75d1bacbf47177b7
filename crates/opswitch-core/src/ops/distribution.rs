//! Random distributions.

use crate::op_error::OpError;

/// Where random elements come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform in `low..high`.
    Uniform {
        /// The least value.
        low: f64,
        /// The bound that is never reached before rounding to the element type.
        high: f64,
    },
    /// The normal distribution.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        std: f64,
    },
    /// 1 with this probability, else 0.
    Bernoulli {
        /// The probability of a 1.
        probability: f64,
    },
}

impl Distribution {
    /// Checks that there is such a distribution.
    ///
    /// # Errors
    ///
    /// If a parameter is not finite or outside its range.
    pub fn check(self, op: &'static str) -> Result<(), OpError> {
        let (is_one, reason) = match self {
            Self::Uniform { low, high } => (
                low <= high && (high - low).is_finite(),
                "a uniform distribution needs finite bounds, `low` not above `high`",
            ),
            Self::Normal { mean, std } => (
                mean.is_finite() && std.is_finite() && std >= 0.0,
                "a normal distribution needs a finite mean and a finite `std` of at least 0",
            ),
            Self::Bernoulli { probability } => {
                ((0.0..=1.0).contains(&probability), "a probability lies in 0..=1")
            }
        };
        if is_one { Ok(()) } else { Err(OpError::Parameter { op, reason }) }
    }
}
