//! A condition is written `cfg(..)`.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu: feature = "cpu")]
pub struct Dispatch;

fn main() {}
