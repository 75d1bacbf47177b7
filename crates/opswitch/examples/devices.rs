//! Prints the devices of this machine: `cargo run -p opswitch --example devices --features wgpu,cube`.

use opswitch::{DeviceTable, Dispatch};

fn main() {
    print!("{}", DeviceTable::of::<Dispatch>());
}
