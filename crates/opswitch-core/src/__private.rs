//! What generated code calls. No part of the public interface: it changes without notice.

pub use core::{
    clone::Clone, default::Default, fmt, future::Future, marker::Send, ops::FnMut, option::Option,
    result::Result, str::FromStr,
};
pub use std::{borrow::ToOwned, vec::Vec};

pub use inventory::submit;
pub use opswitch_macros::{declare_dispatch, declare_ops, route};

pub use crate::{
    __fail as fail, __lower as lower, __register as register, __select as select, any_tensor::AnyTensor,
    autodiff::*, backend::*, coverage::*, data::TensorData, device_info::DeviceInfo, dtype::DType, error::*,
    kind::*, routing::*, shape::Shape,
};
