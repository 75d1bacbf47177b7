//! Reading, adding and writing at indices, and joining.

use opswitch_core::{
    Backend, DType, Slice, TensorData,
    ops::{BoolOps, FloatOps, IntOps},
};
use opswitch_cpu::Cpu;
use opswitch_cube::{Cube, CubeDevice, CubeTensor};

use crate::{
    compare::{Both, bools, floats, ints, noise, panic_text, same, specials, values, view},
    device,
};

/// Indices below `extent` with many repetitions.
fn indices(device: CubeDevice, shape: &[usize], extent: usize) -> Both {
    ints(device, shape, |i| (f32::midpoint(noise(i + 77), 1.0) * extent as f32) as i32)
}

#[test]
fn elements_are_gathered_and_added_back() {
    let Some(device) = device() else { return };
    let x = floats(device, &[4, 50, 3], noise);
    for (dim, shape) in [(0, [9, 50, 3]), (1, [4, 70, 3]), (2, [4, 50, 1])] {
        let index = indices(device, &shape, [4, 50, 3][dim]);
        let src = floats(device, &shape, |i| noise(i + 5000));
        same!(0.0, x, index => B::float_gather(x, dim, index));
        same!(1e-5, x, index, src => B::float_scatter_add(x, dim, index, src));
        let turned = view!(x => B::float_flip(x, &[0, 2]));
        same!(0.0, turned, index => B::float_gather(turned, dim, B::int_flip(index, &[0])));
        same!(1e-5, turned, index, src => B::float_scatter_add(turned, dim, index, B::float_flip(src, &[1])));
    }
}

#[test]
fn slices_are_selected_and_added_back() {
    let Some(device) = device() else { return };
    let x = floats(device, &[4, 50, 3], noise);
    for dim in 0..3 {
        let index = indices(device, &[20], [4, 50, 3][dim]);
        let shape = {
            [4, 50, 3].iter().enumerate().map(|(d, &e)| if d == dim { 20 } else { e }).collect::<Vec<_>>()
        };
        let src = floats(device, &shape, |i| noise(i + 5000));
        same!(0.0, x, index => B::float_select(x, dim, index));
        same!(1e-5, x, index, src => B::float_select_add(x, dim, index, src));
    }
    let expanded = view!(x => B::float_expand(B::float_slice(x, &[(1..2).into()]), [6, 50, 3].into()));
    let index = indices(device, &[8], 6);
    same!(0.0, expanded, index => B::float_select(expanded, 0, index));
}

#[test]
fn a_single_column_is_shared_among_units() {
    let Some(device) = device() else { return };
    for extent in [1, 5, 5000, 20_000] {
        let x = floats(device, &[extent], noise);
        let index = indices(device, &[3000], extent);
        let src = floats(device, &[3000], |i| noise(i + 5000));
        same!(1e-4, x, index, src => B::float_select_add(x, 0, index, src));
        same!(1e-4, x, index, src => B::float_scatter_add(x, 0, index, src));
    }
}

#[test]
fn adding_gives_the_same_bits_every_time() {
    let Some(device) = device() else { return };
    let x = floats(device, &[7, 40], noise).cube;
    let index = indices(device, &[2000], 7).cube;
    let src = floats(device, &[2000, 40], |i| noise(i) * 1e3).cube;
    let add = || values(&Cube::float_select_add(x.clone(), 0, index.clone(), src.clone()));
    let first: Vec<u32> = add().iter().map(|x| x.to_bits()).collect();
    for _ in 0..5 {
        assert_eq!(add().iter().map(|x| x.to_bits()).collect::<Vec<_>>(), first);
    }
}

#[test]
fn integers_are_read_too_and_indices_may_be_unsigned() {
    let Some(device) = device() else { return };
    let x = ints(device, &[6, 4], |i| i as i32 - 9);
    let index = indices(device, &[5, 4], 6);
    same!(0.0, x, index => B::int_gather(x, 0, index));
    let vector = indices(device, &[7], 4);
    same!(0.0, x, vector => B::int_select(x, 1, vector));
    let unsigned = TensorData::new(vec![3u32, 0], [2]).unwrap();
    let unsigned = Cube::int_from_data(unsigned, &device).unwrap();
    let read = Cube::int_into_data_blocking(Cube::int_select(x.cube, 0, unsigned)).unwrap();
    assert_eq!(read.to_vec::<i32>(), [3, 4, 5, 6, -9, -8, -7, -6]);
}

#[test]
fn indices_out_of_range_read_zero_and_add_nothing() {
    let Some(device) = device() else { return };
    let x = floats(device, &[3, 2], |i| i as f32 + 1.0).cube;
    let index = ints(device, &[5], |i| [2, -1, 3, i32::MAX, i32::MIN][i]).cube;
    let read = Cube::float_select(x.clone(), 0, index.clone());
    assert_eq!(values(&read), [5., 6., 0., 0., 0., 0., 0., 0., 0., 0.]);
    let src = floats(device, &[5, 2], |i| 10.0 + i as f32).cube;
    let added = Cube::float_select_add(x, 0, index.clone(), src);
    assert_eq!(values(&added), [1., 2., 3., 4., 15., 17.]);
    let hot = Cube::float_one_hot(index, 3, DType::F32);
    assert_eq!(values(&hot), [0., 0., 1., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0., 0.]);
    let none = floats(device, &[0, 2], noise).cube;
    assert_eq!(values(&Cube::float_select(none, 0, ints(device, &[1], |_| 0).cube)), [0., 0.]);
}

#[test]
fn classes_are_one_hot() {
    let Some(device) = device() else { return };
    let index = indices(device, &[5, 3], 4);
    same!(0.0, index => B::float_one_hot(index, 4, DType::F32));
    same!(0.0, index => B::float_one_hot(B::int_swap_dims(index, 0, 1), 4, DType::F32));
    let none = ints(device, &[0], |_| 0);
    same!(0.0, none => B::float_one_hot(none, 4, DType::F32));
}

#[test]
fn nothing_is_read_and_added() {
    let Some(device) = device() else { return };
    let x = floats(device, &[3, 2], noise);
    let (none, src) = (ints(device, &[0], |_| 0), floats(device, &[0, 2], noise));
    same!(0.0, x, none => B::float_select(x, 0, none));
    same!(0.0, x, none, src => B::float_select_add(x, 0, none, src));
}

#[test]
fn parts_are_overwritten() {
    let Some(device) = device() else { return };
    let x = floats(device, &[5, 6], noise);
    let value = floats(device, &[3, 2], |i| noise(i + 500));
    let slices = [Slice::new(None, None, -2), Slice::from(2..4)];
    same!(0.0, x, value => B::float_slice_assign(x, &slices, value));
    same!(0.0, x, value => B::float_slice_assign(B::float_flip(x, &[0]), &slices, B::float_flip(value, &[1])));
    let row = floats(device, &[6], |i| noise(i + 500));
    same!(0.0, x, row => B::float_slice_assign(x, &[Slice::new(Some(1), None, 3)], row));
    let transposed = view!(x => B::float_transpose(x));
    same!(0.0, transposed, value => B::float_slice_assign(transposed, &[Slice::from(1..4), Slice::from(..2)], value));
    let none = floats(device, &[0, 6], noise);
    same!(0.0, x, none => B::float_slice_assign(x, &[Slice::from(2..2)], none));
    let original = x.clone();
    same!(0.0, original => original);
}

#[test]
fn tensors_are_joined() {
    let Some(device) = device() else { return };
    let x = floats(device, &[2, 3, 4], specials);
    let y = floats(device, &[2, 5, 4], |i| noise(i + 500));
    let none = floats(device, &[2, 0, 4], noise);
    same!(0.0, x, y, none => B::float_cat(vec![x, none, y], 1));
    same!(0.0, x => B::float_cat(vec![x.clone(), B::float_flip(x, &[0, 1])], 0));
    same!(0.0, x => B::float_cat(vec![x.clone(), B::float_expand(B::float_slice(x, &[(..).into(), (..).into(), (..1).into()]), [2, 3, 3].into())], 2));
    let i = ints(device, &[3, 2], |i| i as i32);
    same!(0.0, i => B::int_cat(vec![i.clone(), B::int_reshape(B::int_swap_dims(i, 0, 1), [3, 2].into())], 1));
    let flags = bools(device, &[4], |i| i % 3 == 0);
    let joined = view!(flags => B::bool_into_int(B::bool_cat(vec![flags.clone(), flags], 0), DType::I32));
    same!(0.0, joined => joined);
}

#[test]
fn what_does_not_fit_is_refused_as_on_the_cpu() {
    let Some(device) = device() else { return };
    let x = floats(device, &[3, 2], noise);
    let square = ints(device, &[2, 2, 1], |_| 0);
    let text = panic_text(|| Cube::float_gather(x.cube.clone(), 0, square.cube.clone()));
    assert_eq!(text, panic_text(|| Cpu::float_gather(x.cpu.clone(), 0, square.cpu.clone())));
    let text = panic_text(|| Cube::float_select(x.cube.clone(), 0, square.cube));
    assert_eq!(text, panic_text(|| Cpu::float_select(x.cpu.clone(), 0, square.cpu)));
    let text = panic_text(|| Cube::float_slice_assign(x.cube.clone(), &[Slice::from(1..)], x.cube.clone()));
    assert_eq!(
        text,
        panic_text(|| Cpu::float_slice_assign(x.cpu.clone(), &[Slice::from(1..)], x.cpu.clone()))
    );
}

#[test]
fn a_failed_input_fails_the_result() {
    let Some(device) = device() else { return };
    let huge = || CubeTensor::compute("huge", [], [1 << 31].into(), DType::I32, device, |_, _| {});
    let x = floats(device, &[3], noise).cube;
    for failed in [
        Cube::float_gather(x.clone(), 0, huge()),
        Cube::float_select(x, 0, huge()),
        Cube::int_cat(vec![ints(device, &[3], |i| i as i32).cube, huge()], 0),
    ] {
        assert_eq!(failed.failure().unwrap().op(), Some("huge"));
    }
}
