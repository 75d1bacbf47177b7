//! Reading many tensors of several backends at once.

use std::{any::Any, future::Future, pin::Pin};

use crate::{
    any_tensor::AnyTensor,
    autodiff::Autodiff,
    backend::{Backend, PlainBackend},
    data::TensorData,
    error::DataError,
    kind::TensorKind,
};

/// The tensor of a dispatch, which knows what backend it is of.
pub trait Readable {
    /// Adds the tensor to those that are read together.
    fn queue(self, reads: &mut Reads);
}

/// Tensors that are read together, by backend.
#[derive(Default)]
pub struct Reads {
    len: usize,
    groups: Vec<Box<dyn Group>>,
}

/// What is read, with the positions in which it was asked for.
type Answers = Result<Vec<(usize, TensorData)>, DataError>;
type Pending = Pin<Box<dyn Future<Output = Answers> + Send>>;

trait Group: Any {
    fn start(self: Box<Self>) -> Pending;
}

/// The tensors of one backend.
struct Of<B: Backend> {
    positions: Vec<usize>,
    tensors: Vec<AnyTensor<B>>,
}

impl<B: Backend> Group for Of<B> {
    fn start(self: Box<Self>) -> Pending {
        let positions = self.positions;
        let data = B::read_many(self.tensors);
        Box::pin(async move { Ok(positions.into_iter().zip(data.await?).collect()) })
    }
}

impl Reads {
    /// Adds a tensor of backend `B`.
    pub fn add<K: TensorKind, B: Backend>(&mut self, tensor: K::Primitive<B>) {
        self.push(K::any::<B>(tensor));
    }

    /// Adds a tracked tensor of backend `B`: what is read is the tensor inside.
    pub fn add_tracked<K: TensorKind, B: PlainBackend>(&mut self, tensor: K::Tracked<B>) {
        self.push(K::any::<Autodiff<B>>(K::from_tracked::<B>(tensor)).into_inner());
    }

    fn push<B: Backend>(&mut self, tensor: AnyTensor<B>) {
        let position = self.len;
        self.len += 1;
        for group in &mut self.groups {
            let group: &mut dyn Any = &mut **group;
            if let Some(group) = group.downcast_mut::<Of<B>>() {
                group.positions.push(position);
                group.tensors.push(tensor);
                return;
            }
        }
        self.groups.push(Box::new(Of { positions: vec![position], tensors: vec![tensor] }));
    }
}

/// Reads the tensors of a dispatch, in the order given.
///
/// # Errors
///
/// If a device fails.
pub fn read_all<D>(
    tensors: Vec<AnyTensor<D>>,
) -> impl Future<Output = Result<Vec<TensorData>, DataError>> + Send
where
    D: Backend<FloatTensor: Readable, IntTensor: Readable, BoolTensor: Readable, QuantizedTensor: Readable>,
{
    let mut reads = Reads::default();
    for tensor in tensors {
        match tensor {
            AnyTensor::Float(tensor) => tensor.queue(&mut reads),
            AnyTensor::Int(tensor) => tensor.queue(&mut reads),
            AnyTensor::Bool(tensor) => tensor.queue(&mut reads),
            AnyTensor::Quantized(tensor) => tensor.queue(&mut reads),
        }
    }
    // Every backend is asked before the first is waited for.
    let pending: Vec<Pending> = reads.groups.into_iter().map(Group::start).collect();
    async move {
        let mut answers = Vec::with_capacity(reads.len);
        for group in pending {
            answers.extend(group.await?);
        }
        answers.sort_unstable_by_key(|&(position, _)| position);
        Ok(answers.into_iter().map(|(_, data)| data).collect())
    }
}
