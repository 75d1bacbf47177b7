//! What generated code calls. No part of the public interface: it changes without notice.

pub use core::{
    clone::Clone,
    cmp::{Eq, PartialEq},
    convert::From,
    default::Default,
    fmt,
    future::Future,
    hash::Hash,
    marker::{Copy, PhantomData, Send},
    option::Option,
    result::Result,
    str::FromStr,
};
pub use std::{string::String, vec::Vec};

pub use crate::{
    __fail as fail, __lower as lower, __select as select,
    autodiff::{Autodiff, AutodiffDevice, Checkpointing, Inner, Step, Tape, TracksGradients},
    backend::*,
    error::*,
    kind::*,
    routing::*,
    shape::Shape,
};
