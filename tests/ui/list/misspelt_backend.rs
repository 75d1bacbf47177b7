//! A misspelt backend is a type that does not exist; the compiler names the nearest.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

#[backend_extension(Cppu, Autodiff)]
pub struct Dispatch;

fn main() {}
