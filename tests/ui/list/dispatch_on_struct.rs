//! A struct is a dispatch; it does not name one.

use opswitch::backend_extension;

#[backend_extension(dispatch = opswitch::Dispatch)]
pub struct MyDispatch;

fn main() {}
