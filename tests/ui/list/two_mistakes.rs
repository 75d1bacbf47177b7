//! Reading goes on behind a mistake.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu: feature = "cpu", "npu", AutoDiff)]
pub struct Dispatch;

fn main() {}
