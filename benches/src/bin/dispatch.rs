//! Calls an op of two tensors many times, in one of the ways whose costs are to be compared.
//!
//! `cargo xtask bench dispatch` runs it under callgrind and compares the instruction counts. The kernel does nothing, so
//! that what is left is the way to it. An op takes handles by value, which the caller clones; the ways `..-handles` clone
//! and drop them without a call, to be subtracted.

use std::{env, hint::black_box, process::ExitCode};

use opswitch::{Backend, Dispatch, DispatchDevice, FloatTensor, TensorData, backend_extension};
use opswitch_cpu::{Cpu, CpuDevice};

/// The op whose way is measured.
#[backend_extension(dispatch = Dispatch)]
pub trait FirstOps: Backend {
    /// Gives the first tensor back.
    #[backward { lhs => grad; rhs => none; }]
    fn first(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>;
}

impl FirstOps for Cpu {
    #[inline(never)]
    fn first(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self> {
        drop(rhs);
        lhs
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [way, calls] = arguments.as_slice() else {
        eprintln!("usage: dispatch direct|dispatched|autodiff[-handles] CALLS");
        return ExitCode::FAILURE;
    };
    let calls: usize = calls.parse().expect("a number of calls");
    let data = TensorData::new(vec![1.0f32], [1]).expect("one element");
    let plain = Cpu::float_from_data(data.clone(), &CpuDevice).expect("f32 on the CPU");
    let on =
        |device: &DispatchDevice| Dispatch::float_from_data(data.clone(), device).expect("f32 on the CPU");
    let cpu: DispatchDevice = "cpu".parse().expect("a listed device");
    match way.as_str() {
        "direct" => repeat(calls, &plain, Cpu::first),
        "direct-handles" => repeat(calls, &plain, without_call),
        "dispatched" => repeat(calls, &on(&cpu), Dispatch::first),
        "dispatched-handles" => repeat(calls, &on(&cpu), without_call),
        "autodiff" => repeat(calls, &on(&cpu.autodiff()), Dispatch::first),
        "autodiff-handles" => repeat(calls, &on(&cpu.autodiff()), without_call),
        _ => panic!("{way} is no way to call an op"),
    }
    ExitCode::SUCCESS
}

/// What the kernel does, with the handles of the caller.
#[inline(never)]
fn without_call<T>(lhs: T, rhs: T) -> T {
    drop(rhs);
    lhs
}

#[inline(never)]
fn repeat<T: Clone>(calls: usize, tensor: &T, call: impl Fn(T, T) -> T) {
    for _ in 0..calls {
        let (lhs, rhs) = (black_box(tensor).clone(), black_box(tensor).clone());
        black_box(call(lhs, rhs));
    }
}
