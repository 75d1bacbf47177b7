//! What is listed implements `Backend`.

use opswitch::backend_extension;

pub struct Npu;

#[backend_extension(Npu, families = none)]
pub struct Dispatch;

fn main() {}
