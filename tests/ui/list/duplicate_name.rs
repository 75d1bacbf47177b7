//! Two backends have two names.

use opswitch::backend_extension;
use opswitch_cpu::Cpu;

mod acme {
    pub struct Cpu;
}

#[backend_extension(Cpu, acme::Cpu)]
pub struct Dispatch;

fn main() {}
