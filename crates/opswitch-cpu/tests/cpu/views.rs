//! Movement ops move no elements.

use opswitch_core::{Shape, Slice, TensorHandle, ops::FloatOps};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

use super::{counting, tensor, values};

/// Where the first element of a row-major tensor is.
fn address(x: &CpuTensor) -> *const f32 {
    x.as_slice::<f32>().expect("row-major").as_ptr()
}

#[test]
fn views_share_the_vector() {
    let x = counting([2, 3]);
    let start = address(&x);
    assert_eq!(address(&Cpu::float_reshape(x.clone(), [3, 2].into())), start);
    let twice = |f: fn(CpuTensor) -> CpuTensor| address(&f(f(x.clone())));
    assert_eq!(twice(|x| Cpu::float_swap_dims(x, 0, 1)), start);
    assert_eq!(twice(|x| Cpu::float_flip(x, &[0, 1])), start);
    let row = Cpu::float_slice(x.clone(), &[Slice::from(1..2)]);
    assert_eq!(address(&row), start.wrapping_add(3));
    let expanded = Cpu::float_expand(x.clone(), [4, 2, 3].into());
    assert_eq!(expanded.strides(), [0, 3, 1]);
    assert_eq!(address(&Cpu::float_slice(expanded, &[Slice::from(3..)])), start);
}

#[test]
fn strides_say_how_a_view_walks() {
    let x = counting([2, 3, 4]);
    assert_eq!(Cpu::float_permute(x.clone(), &[2, 0, 1]).strides(), [1, 12, 4]);
    assert_eq!(Cpu::float_flip(x.clone(), &[1]).strides(), [12, -4, 1]);
    let sliced = Cpu::float_slice(x, &[Slice::FULL, Slice::new(None, None, -2)]);
    assert_eq!(sliced.strides(), [12, -8, 1]);
    assert_eq!(sliced.shape(), Shape::from([2, 2, 4]));
    assert_eq!(values::<f32>(&sliced)[..8], [8.0, 9.0, 10.0, 11.0, 0.0, 1.0, 2.0, 3.0]);
}

#[test]
fn reshape_is_a_view_where_strides_can_say_it() {
    // Columns 0..3 of a matrix of 4 by 6: rows split, but do not join with columns.
    let x = Cpu::float_slice(counting([4, 6]), &[Slice::FULL, Slice::from(0..3)]);
    let split = Cpu::float_reshape(x.clone(), [2, 2, 1, 3].into());
    assert_eq!((split.strides()[0], split.strides()[1], split.strides()[3]), (12, 6, 1));
    assert_eq!(values::<f32>(&split), values::<f32>(&x));
    let joined = Cpu::float_reshape(x, [12].into());
    assert_eq!(values::<f32>(&joined), [0., 1., 2., 6., 7., 8., 12., 13., 14., 18., 19., 20.]);
    let flipped = Cpu::float_flip(counting([2, 3]), &[0, 1]);
    let joined = Cpu::float_reshape(flipped, [6].into());
    assert_eq!(joined.strides(), [-1]);
    assert_eq!(values::<f32>(&joined), [5., 4., 3., 2., 1., 0.]);
}

#[test]
fn ops_read_views_as_they_read_copies() {
    let x = counting([3, 4]);
    let flipped = Cpu::float_flip(x.clone(), &[0, 1]);
    // x[i] + x[11 - i] = 11 everywhere.
    assert_eq!(values::<f32>(&Cpu::float_add(x.clone(), flipped.clone())), [11.0; 12]);
    assert_eq!(values::<f32>(&Cpu::float_neg(flipped.clone()))[..2], [-11.0, -10.0]);
    assert_eq!(values::<f32>(&Cpu::float_sum(flipped.clone(), &[1], false)), [38.0, 22.0, 6.0]);
    assert_eq!(values::<i64>(&Cpu::float_argmax(flipped, 0, false)), [0; 4]);
    let column = Cpu::float_expand(tensor([10f32, 20., 30.], [3, 1]), [3, 4].into());
    assert_eq!(values::<f32>(&Cpu::float_sum(column.clone(), &[0, 1], false)), [240.0]);
    assert_eq!(values::<f32>(&Cpu::float_sub(column, x))[4..8], [16.0, 15.0, 14.0, 13.0]);
}

#[test]
fn results_of_transposed_tensors_stay_transposed() {
    let x = Cpu::float_swap_dims(counting([2, 3]), 0, 1);
    let sum = Cpu::float_add(x.clone(), Cpu::float_exp(Cpu::float_mul_scalar(x, 0.0)));
    assert_eq!(sum.strides(), [1, 3]);
    assert_eq!(values::<f32>(&sum), [1., 4., 2., 5., 3., 6.]);
}

#[test]
fn reductions_find_the_dimensions_wherever_they_lie() {
    // The sum over (a, c) of 100 a + 10 b + c for a, c in 0..3 and b in 0..2, in every order of dimensions.
    let digits: Vec<f32> = (0..18).map(|i| (i / 6 * 100 + i / 3 % 2 * 10 + i % 3) as f32).collect();
    let x = tensor(digits, [3, 2, 3]);
    for axes in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let moved = Cpu::float_permute(x.clone(), &axes);
        let dims: Vec<usize> = (0..3).filter(|&dim| axes[dim] != 1).collect();
        let sums = Cpu::float_sum(moved, &dims, false);
        assert_eq!(values::<f32>(&sums), [9. * 101., 9. * 101. + 90.], "{axes:?}");
    }
}

#[test]
fn a_part_is_overwritten_through_its_view() {
    let zeros = || Cpu::float_zeros([2, 4].into(), opswitch_core::DType::F32, &CpuDevice);
    let every_other = [Slice::FULL, Slice::new(None, None, -2)];
    let x = Cpu::float_slice_assign(zeros(), &every_other, tensor([1f32, 2.], [2]));
    assert_eq!(values::<f32>(&x), [0., 2., 0., 1., 0., 2., 0., 1.]);
    // Assigning to a transposed view sees its indices, not its memory.
    let x = Cpu::float_slice_assign(Cpu::float_swap_dims(zeros(), 0, 1), &[Slice::from(0..1)], counting([2]));
    assert_eq!(values::<f32>(&x), [0., 1., 0., 0., 0., 0., 0., 0.]);
}

#[test]
fn tensors_without_elements_work() {
    let empty = || counting([0, 3]);
    assert_eq!(Cpu::float_reshape(empty(), [5, 0].into()).shape(), Shape::from([5, 0]));
    assert_eq!(Cpu::float_flip(empty(), &[0, 1]).shape(), Shape::from([0, 3]));
    assert_eq!(Cpu::float_swap_dims(empty(), 0, 1).shape(), Shape::from([3, 0]));
    assert_eq!(values::<f32>(&Cpu::float_sum(empty(), &[0], false)), [0.0; 3]);
    assert_eq!(Cpu::float_max(empty(), &[1], false).shape(), Shape::from([0]));
    assert_eq!(Cpu::float_argmax(empty(), 1, true).shape(), Shape::from([0, 1]));
    assert_eq!(Cpu::float_add(empty(), counting([1, 3])).shape(), Shape::from([0, 3]));
    assert_eq!(values::<f32>(&Cpu::float_cat(vec![empty(), counting([1, 3])], 0)), [0., 1., 2.]);
    let product = Cpu::float_matmul(counting([2, 0]), empty());
    assert_eq!(values::<f32>(&product), [0.0; 6]);
    assert_eq!(Cpu::float_matmul(empty(), counting([3, 2])).shape(), Shape::from([0, 2]));
    let none = || tensor::<i64>([], [0]);
    assert_eq!(Cpu::float_select(counting([2, 3]), 1, none()).shape(), Shape::from([2, 0]));
    assert_eq!(
        values::<f32>(&Cpu::float_select_add(counting([1, 2]), 0, none(), counting([0, 2]))),
        [0., 1.]
    );
    assert_eq!(Cpu::float_slice(counting([3]), &[Slice::from(3..)]).shape(), Shape::from([0]));
    let lse = values::<f32>(&Cpu::float_log_sum_exp(counting([2, 0]), &[1], false));
    assert_eq!(lse, [f32::NEG_INFINITY; 2]);
}
