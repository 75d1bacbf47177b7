//! The bodies of the quantized ops, made of ops of ints and floats.

mod codes;
mod matmul;
mod movement;
mod numbers;

pub(in crate::ops) use self::{
    codes::{codes, from_codes},
    matmul::q_matmul,
    movement::{q_expand, q_flip, q_permute, q_reshape, q_select, q_slice},
    numbers::{dequantize, quantize, quantize_dynamic},
};
