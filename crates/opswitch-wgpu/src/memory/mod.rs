//! Device memory: buffers that are used again instead of being made anew.

mod allocation;
mod pool;

pub(crate) use self::{
    allocation::Allocation,
    pool::{Pool, PoolBuffer},
};

/// The device memory of this backend's tensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryUsage {
    /// The bytes in buffers that tensors hold.
    pub bytes_in_use: u64,
    /// The bytes in all buffers: those in use, and those that are kept for the next tensors and reads.
    pub bytes_reserved: u64,
    /// The number of all buffers.
    pub buffers: usize,
}
