//! A misspelt backend in a path; the compiler names the nearest.

use opswitch::backend_extension;

#[backend_extension(opswitch_cpu::Cup, Autodiff)]
pub struct Dispatch;

fn main() {}
