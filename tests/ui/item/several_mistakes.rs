//! Every mistake in a trait is reported in one compile.

use opswitch::{Backend, FloatTensor, backend_extension};

#[backend_extension(dispatch = opswitch::Dispatch, krate = opswitch)]
pub trait ManyOps: Backend {
    type Plan;

    fn receiver(&self, x: FloatTensor<Self>) -> FloatTensor<Self>;

    fn in_place(x: &mut FloatTensor<Self>);

    #[backward { y => grad; }]
    fn formula(x: FloatTensor<Self>) -> FloatTensor<Self>;

    #[op(memory_bond)]
    #[backward(nine)]
    fn options(x: FloatTensor<Self>) -> FloatTensor<Self>;

    fn nothing();
}

fn main() {}
