//! A condition stands behind its backend.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cpu, #[cfg(unix)] Npu = acme::Npu)]
pub struct Dispatch;

fn main() {}
