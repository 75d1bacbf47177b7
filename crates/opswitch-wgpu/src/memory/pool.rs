//! The buffers of one usage on one device.

use std::collections::BTreeMap;

use super::MemoryUsage;

/// Free bytes above this are given back to the driver.
const KEPT_BYTES: u64 = 512 << 20;

/// The least size of a buffer, which is also what larger sizes are multiples of.
const GRAIN: u64 = 256;

/// A buffer of the pool.
#[derive(Debug)]
pub(crate) struct PoolBuffer {
    pub(crate) buffer: wgpu::Buffer,
    /// The number of the batch that was open when the buffer became free: it may be the last that used it.
    pub(crate) freed_in: u64,
}

/// Buffers by size class. The queue runs in order, so a buffer that a tensor gave up can serve the next one at once.
#[derive(Debug)]
pub(crate) struct Pool {
    usage: wgpu::BufferUsages,
    free: BTreeMap<u64, Vec<PoolBuffer>>,
    free_bytes: u64,
    in_use: MemoryUsage,
    largest: u64,
    limit: u64,
}

impl Pool {
    /// A pool of buffers up to `largest` bytes each.
    pub(crate) fn new(usage: wgpu::BufferUsages, largest: u64) -> Self {
        let in_use = MemoryUsage::default();
        Self { usage, free: BTreeMap::new(), free_bytes: 0, in_use, largest, limit: u64::MAX }
    }

    /// Refuses to reserve more than `bytes`.
    pub(crate) fn set_limit(&mut self, bytes: u64) {
        self.limit = bytes;
    }

    /// A buffer that holds `bytes`, or `None` if there is no memory for it.
    pub(crate) fn take(&mut self, device: &wgpu::Device, bytes: u64) -> Option<PoolBuffer> {
        let size = size_class(bytes, self.largest);
        let found = self.reuse(size).or_else(|| self.create(device, size))?;
        self.in_use.bytes_in_use += size;
        self.in_use.buffers += 1;
        Some(found)
    }

    /// Takes back a buffer.
    pub(crate) fn give(&mut self, buffer: PoolBuffer) {
        let size = buffer.buffer.size();
        self.in_use.bytes_in_use -= size;
        self.in_use.buffers -= 1;
        self.free_bytes += size;
        self.free.entry(size).or_default().push(buffer);
        self.trim(KEPT_BYTES);
    }

    /// Gives free buffers back to the driver until `kept` bytes are left, the largest first.
    pub(crate) fn trim(&mut self, kept: u64) {
        while self.free_bytes > kept {
            let Some(mut largest) = self.free.last_entry() else { return };
            if largest.get_mut().pop().is_some() {
                self.free_bytes -= largest.key();
            }
            if largest.get().is_empty() {
                largest.remove();
            }
        }
    }

    pub(crate) fn usage(&self) -> MemoryUsage {
        MemoryUsage {
            bytes_in_use: self.in_use.bytes_in_use,
            bytes_reserved: self.in_use.bytes_in_use + self.free_bytes,
            buffers: self.in_use.buffers + self.free.values().map(Vec::len).sum::<usize>(),
        }
    }

    fn reuse(&mut self, size: u64) -> Option<PoolBuffer> {
        let buffer = self.free.get_mut(&size)?.pop()?;
        self.free_bytes -= size;
        Some(buffer)
    }

    fn create(&self, device: &wgpu::Device, size: u64) -> Option<PoolBuffer> {
        if self.in_use.bytes_in_use + self.free_bytes + size > self.limit {
            return None;
        }
        let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let descriptor =
            wgpu::BufferDescriptor { label: None, size, usage: self.usage, mapped_at_creation: false };
        let buffer = device.create_buffer(&descriptor);
        let failed = pollster::block_on(scope.pop()).is_some();
        (!failed).then_some(PoolBuffer { buffer, freed_in: 0 })
    }
}

/// `bytes`, which are at most `largest`, rounded up so that few sizes are in use: to a quarter of the power of two below.
fn size_class(bytes: u64, largest: u64) -> u64 {
    let step = (bytes.max(1).next_power_of_two() / 8).max(GRAIN);
    let size = bytes.max(1).next_multiple_of(step);
    if size <= largest { size } else { largest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_waste_at_most_a_quarter() {
        assert_eq!(size_class(0, 1 << 30), 256);
        assert_eq!(size_class(257, 1 << 30), 512);
        assert_eq!(size_class(4_000_000, 1 << 30), 4_194_304);
        assert_eq!(size_class(4_200_000, 1 << 30), 5 << 20);
        for bytes in (4096..1 << 20).step_by(997) {
            let class = size_class(bytes, 1 << 30);
            assert!((bytes..=bytes + bytes / 4 + 256).contains(&class), "{bytes} became {class}");
        }
    }

    #[test]
    fn no_class_is_above_the_largest_buffer() {
        assert_eq!(size_class(1_000_001, 1_000_100), 1_000_100);
    }
}
