//! Reading many tensors at once.

use opswitch_core::{AnyTensor, Backend, DataError, TensorData, TensorKind};

use crate::{Dispatch, Tensor};

/// Tensors that are read in one go, with one wait for each device.
///
/// They may be of any kinds and ranks, tracked or plain, and on any devices. Reading one tensor after the other waits for
/// each; here every device is asked for everything before the first is waited for.
///
/// ```
/// use opswitch::{DispatchDevice, Tensor, Transaction};
///
/// let cpu: DispatchDevice = "cpu".parse()?;
/// let loss = Tensor::<1>::from_floats([0.5], &cpu);
/// let hits = Tensor::<1>::from_floats([1.0, 2.0], &cpu).gt(Tensor::from_floats([1.5, 1.5], &cpu));
///
/// let [loss, hits] = Transaction::new().read(loss).read(hits).into_data()?.try_into().expect("two were asked for");
/// assert_eq!(loss.to_vec::<f32>(), [0.5]);
/// assert_eq!(hits.to_vec::<bool>(), [false, true]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is read before `into_data`"]
pub struct Transaction<B: Backend = Dispatch> {
    tensors: Vec<AnyTensor<B>>,
}

impl<B: Backend> Transaction<B> {
    /// A transaction that reads nothing yet.
    pub fn new() -> Self {
        Self { tensors: Vec::new() }
    }

    /// Reads this tensor too.
    pub fn read(mut self, tensor: impl Into<AnyTensor<B>>) -> Self {
        self.tensors.push(tensor.into());
        self
    }

    /// The tensors in the order in which they were asked for, after waiting for them.
    ///
    /// # Errors
    ///
    /// If a device fails.
    pub fn into_data(self) -> Result<Vec<TensorData>, DataError> {
        B::read_many_blocking(self.tensors)
    }

    /// The tensors in the order in which they were asked for, without blocking the thread.
    ///
    /// # Errors
    ///
    /// If a device fails.
    pub async fn into_data_async(self) -> Result<Vec<TensorData>, DataError> {
        B::read_many(self.tensors).await
    }
}

impl<B: Backend> Default for Transaction<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Backend, T: Into<AnyTensor<B>>> Extend<T> for Transaction<B> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, tensors: I) {
        self.tensors.extend(tensors.into_iter().map(Into::into));
    }
}

impl<const D: usize, K: TensorKind, B: Backend> From<Tensor<D, K, B>> for AnyTensor<B> {
    fn from(tensor: Tensor<D, K, B>) -> Self {
        K::any(tensor.into_primitive())
    }
}
