//! Memory that a tensor holds.

use std::sync::Arc;

use super::PoolBuffer;
use crate::context::Context;

/// A buffer of a device's pool, which goes back when this is dropped.
#[derive(Debug)]
pub(crate) struct Allocation {
    context: Arc<Context>,
    buffer: Option<PoolBuffer>,
}

impl Allocation {
    pub(crate) fn new(context: Arc<Context>, buffer: PoolBuffer) -> Self {
        Self { context, buffer: Some(buffer) }
    }

    pub(crate) fn context(&self) -> &Arc<Context> {
        &self.context
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.pool_buffer().buffer
    }

    /// The number of the batch that may have been the last to use the buffer before this tensor.
    pub(crate) fn freed_in(&self) -> u64 {
        self.pool_buffer().freed_in
    }

    fn pool_buffer(&self) -> &PoolBuffer {
        self.buffer.as_ref().expect("only dropping takes the buffer")
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.context.release(buffer);
        }
    }
}
