//! An input that no other handle needs gives its buffer to the result.

use opswitch_core::ops::{BoolOps, FloatOps, IntOps};
use opswitch_cpu::{Cpu, CpuTensor};

use super::{counting, tensor, values};

fn address<E: opswitch_core::Element>(x: &CpuTensor) -> *const E {
    x.as_slice::<E>().expect("row-major").as_ptr()
}

#[test]
fn an_only_handle_is_overwritten() {
    let x = counting([2, 3]);
    let start = address::<f32>(&x);
    let x = Cpu::float_mul_scalar(Cpu::float_add_scalar(x, 1.0), 2.0);
    let x = Cpu::float_add(x, tensor([10f32, 20., 30.], [3]));
    let x = Cpu::float_sub(tensor([100f32], [1]), x);
    let x = Cpu::float_maximum(x, counting([2, 3]));
    let x = Cpu::float_mask_fill(x, tensor([true, false, false], [3]), -1.0);
    assert_eq!(address::<f32>(&x), start);
    assert_eq!(values::<f32>(&x), [-1., 76., 64., -1., 70., 58.]);
}

#[test]
fn either_side_will_do_and_keeps_its_place() {
    let (lhs, rhs) = (counting([3]), tensor([2f32, 2., 2.], [3]));
    let (kept, start) = (lhs.clone(), address::<f32>(&rhs));
    let difference = Cpu::float_sub(lhs, rhs);
    assert_eq!(address::<f32>(&difference), start);
    assert_eq!(values::<f32>(&difference), [-2., -1., 0.]);
    assert_eq!(values::<f32>(&kept), [0., 1., 2.]);
}

#[test]
fn a_shared_buffer_is_left_alone() {
    let x = counting([4]);
    let other = x.clone();
    let negated = Cpu::float_neg(x);
    assert_eq!(values::<f32>(&other), [0., 1., 2., 3.]);
    assert_eq!(values::<f32>(&negated), [-0., -1., -2., -3.]);
    // Both sides are the same buffer.
    assert_eq!(values::<f32>(&Cpu::float_mul(other.clone(), other)), [0., 1., 4., 9.]);
}

#[test]
fn a_buffer_that_holds_more_than_the_view_is_left_alone() {
    let part = Cpu::float_slice(counting([8]), &[opswitch_core::Slice::from(2..4)]);
    let inside = address::<f32>(&part);
    let negated = Cpu::float_neg(part);
    assert_ne!(address::<f32>(&negated), inside);
    assert_eq!(values::<f32>(&negated), [-2., -3.]);
}

#[test]
fn an_input_that_is_broadcast_is_not_overwritten() {
    let sum = Cpu::float_add(tensor([1f32, 2.], [2, 1]), tensor([10f32, 20., 30.], [3]));
    assert_eq!(values::<f32>(&sum), [11., 21., 31., 12., 22., 32.]);
    let product = Cpu::float_mul(Cpu::float_expand(tensor([3f32], [1]), [3].into()), counting([3]));
    assert_eq!(values::<f32>(&product), [0., 3., 6.]);
}

#[test]
fn a_transposed_tensor_is_overwritten_in_its_own_order() {
    let x = Cpu::float_swap_dims(counting([2, 3]), 0, 1);
    let rows = Cpu::float_mul(x, tensor([1f32, 10.], [2]));
    assert_eq!(values::<f32>(&rows), [0., 30., 1., 40., 2., 50.]);
    let x = Cpu::float_swap_dims(counting([2, 2]), 0, 1);
    let y = Cpu::float_swap_dims(tensor([10f32, 20., 30., 40.], [2, 2]), 0, 1);
    assert_eq!(values::<f32>(&Cpu::float_add(x, y)), [10., 32., 21., 43.]);
}

#[test]
fn ints_bools_and_indexed_sums_reuse_too() {
    let x = tensor([1i32, 2], [2]);
    let start = address::<i32>(&x);
    assert_eq!(address::<i32>(&Cpu::int_neg(Cpu::int_add_scalar(x, 1))), start);
    let mask = tensor([true, false], [2]);
    let start = address::<bool>(&mask);
    assert_eq!(address::<bool>(&Cpu::bool_xor(Cpu::bool_not(mask), tensor([true], [1]))), start);
    let x = counting([2, 2]);
    let start = address::<f32>(&x);
    let index = || tensor([1i64, 1], [2]);
    let x = Cpu::float_select_add(x, 0, index(), counting([2, 2]));
    let x = Cpu::float_slice_assign(x, &[opswitch_core::Slice::from(0..1)], tensor([7f32], [1]));
    assert_eq!(address::<f32>(&x), start);
    assert_eq!(values::<f32>(&x), [7., 7., 4., 7.]);
}
