//! For op authors: tests of an op on every backend in one line, and reviews of generated code.
//!
//! - [`conformance!`] turns an op and its samples into tests: [values](Aspect::Values), [gradients](Aspect::Gradients),
//!   [mixtures](Aspect::Mixtures) of tracked and plain inputs, [placement](Aspect::Placement) and
//!   [determinism](Aspect::Determinism), on each backend of a dispatch.
//! - [`assert_expansion!`] compares what the attributes emit for your ops with a snapshot in your own crate.
//!
//! ```
//! mod tests {
//!     use opswitch::{Dispatch, ops::NnOps};
//!     use opswitch_testing::{conformance, float, sample};
//!
//!     conformance!(Dispatch, NnOps::softmax(x, dim), [
//!         sample!(float([3, 4]), 0usize),
//!         sample!(float([3, 4]).range(50.0, 60.0), 1usize).named("large"),
//!     ]);
//! }
//! # fn main() {}
//! ```
//!
//! The crate belongs into the `[dev-dependencies]`.
//!
//! # What a sample leads to
//!
//! The inputs are made on the host in `f64`, the same on every run, and rounded to the type that is checked. A sample is run
//! in each float type of a device, from contiguous tensors, transposed, sliced and expanded views, and a mixture of them. Other
//! forms follow from it by themselves: each `Option` absent, lists of 0, 1, 2 and 5 tensors, and tensors without elements, for
//! which each extent in turn is 0 wherever it occurs. An op may refuse those, in words that name it, if the CPU does too.
//!
//! # Devices
//!
//! Tests run on the devices that [`Backend::devices`](opswitch_core::Backend::devices) of the dispatch gives. A backend that is
//! in the list and has no device on this machine is skipped, which the test says on its output (`cargo test -- --nocapture`
//! shows it). With the variable `OPSWITCH_REQUIRE_GPU` set, as in CI, it fails instead.

mod check;
mod compare;
mod conformance;
mod every_op;
mod expansion;
mod failure;
mod input;
mod macros;
mod quiet;
mod run;
mod sample;
mod site;
mod values;
mod variant;

pub use self::{
    conformance::{Aspect, Conformance, TestedDispatch},
    failure::{Failure, Failures},
    input::{
        BoolInput, DTypeInput, DeviceInput, FloatInput, Input, IntInput, Parameter, boolean, booleans,
        device, float, float_dtype, floats, int, int_dtype, ints, list, parameter,
    },
    sample::{Inputs, Sample},
};

/// What the macros of this crate expand to. No part of the public interface.
#[doc(hidden)]
pub mod __private {
    pub use insta;
    use opswitch_core::{__private::Listed, Backend};

    pub use crate::{
        every_op::assert_every_op_is_listed,
        expansion::{expand_file, expand_text},
        site::{Site, run},
    };

    /// The name of the backend at a position in the list of a dispatch.
    pub const fn backend_name<D: Listed<INDEX>, const INDEX: usize>() -> &'static str {
        <D::Backend as Backend>::NAME
    }
}
