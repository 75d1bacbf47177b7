//! Random distributions.

/// Where random elements come from.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
