//! What is computed again is there at once.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension]
pub trait ScaleOps: Backend {
    #[op(memory_bound)]
    #[backward { x => grad; }]
    fn scale(x: FloatTensor<Self>) -> impl Future<Output = FloatTensor<Self>> + Send;
}

fn main() {}
