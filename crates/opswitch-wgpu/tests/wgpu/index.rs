//! Indexing, joining and overwriting, against the CPU and against values known from outside.

use opswitch_core::{
    AnyTensor, Backend, DType, Slice, TensorData, TensorHandle,
    half::f16,
    ops::{BoolOps, FloatOps, IntOps},
};
use opswitch_wgpu::{Wgpu, WgpuTensor};

use crate::{
    agree::{VIEWS, assert_agree, both, floats, ints, numbers, view},
    common::{device_or_skip, tensor, values},
};

/// A shape, a dimension of it, and how many indices there are along it.
const CASES: &[(&[usize], usize, usize)] = &[
    (&[7], 0, 4),
    (&[7], 0, 0),
    (&[3, 5], 0, 6),
    (&[3, 5], 1, 2),
    (&[2, 3, 4], 1, 5),
    (&[2, 3, 4], 2, 3),
    (&[300, 2], 0, 900),
];

fn picks(len: usize, extent: usize) -> Vec<i32> {
    (0..len).map(|i| (i * 7 % extent) as i32).collect()
}

#[test]
fn gather_and_scatter_agree_for_every_layout() {
    let device = device_or_skip!();
    for (shape, dim, count) in CASES {
        let mut picked = shape.to_vec();
        picked[*dim] = *count;
        let indices = picks(picked.iter().product(), shape[*dim]);
        for number in VIEWS {
            let what = format!("view {number} of {shape:?} along {dim}");
            let gathered = both!(device, B, place => AnyTensor::<B>::Float(B::float_gather(
                view::<B>(number, shape, place), *dim, ints::<B>(indices.clone(), &picked, place))));
            assert_agree(&format!("gather from {what}"), gathered, 0.0);
            let added = both!(device, B, place => AnyTensor::<B>::Float(B::float_scatter_add(
                view::<B>(number, shape, place),
                *dim,
                ints::<B>(indices.clone(), &picked, place),
                view::<B>(VIEWS.end - 1 - number, &picked, place),
            )));
            assert_agree(&format!("scatter_add to {what}"), added, 1e-5);
        }
    }
}

#[test]
fn select_and_select_add_agree_for_every_layout() {
    let device = device_or_skip!();
    for (shape, dim, count) in CASES {
        let mut picked = shape.to_vec();
        picked[*dim] = *count;
        let indices = picks(*count, shape[*dim]);
        for number in VIEWS {
            let what = format!("view {number} of {shape:?} along {dim}");
            let selected = both!(device, B, place => AnyTensor::<B>::Float(B::float_select(
                view::<B>(number, shape, place), *dim, B::int_flip(ints::<B>(indices.clone(), &[*count], place), &[0]))));
            assert_agree(&format!("select from {what}"), selected, 0.0);
            let added = both!(device, B, place => AnyTensor::<B>::Float(B::float_select_add(
                view::<B>(number, shape, place),
                *dim,
                ints::<B>(indices.clone(), &[*count], place),
                view::<B>(VIEWS.end - 1 - number, &picked, place),
            )));
            assert_agree(&format!("select_add to {what}"), added, 1e-5);
        }
    }
}

#[test]
fn duplicates_are_added_and_other_handles_keep_theirs() {
    let device = device_or_skip!();
    let x = tensor(vec![1f32, 2.0, 3.0], [3], device);
    let index = tensor(vec![2, 0, 2, 2], [4], device);
    let src = tensor(vec![10f32, 20.0, 30.0, 40.0], [4], device);
    let y = Wgpu::float_scatter_add(x.clone(), 0, index.clone(), src.clone());
    assert_eq!(values::<f32>(y), [21.0, 2.0, 83.0]);
    assert_eq!(values::<f32>(x.clone()), [1.0, 2.0, 3.0]);
    assert_eq!(values::<f32>(Wgpu::float_select_add(x, 0, index, src)), [21.0, 2.0, 83.0]);
}

#[test]
fn sums_at_indices_are_the_same_each_time() {
    let device = device_or_skip!();
    let index = tensor(picks(20_000, 3), [20_000], device);
    let src = tensor(numbers(20_000), [20_000], device);
    let zeros = || Wgpu::float_zeros([3].into(), DType::F32, &device);
    let sums = || values::<f32>(Wgpu::float_select_add(zeros(), 0, index.clone(), src.clone()));
    let first = sums();
    for _ in 0..5 {
        assert_eq!(sums(), first);
    }
}

#[test]
fn an_index_out_of_range_reads_nan_and_adds_nothing() {
    let device = device_or_skip!();
    let x = tensor(vec![1f32, 2.0, 3.0], [3], device);
    let index = tensor(vec![-1, 1, 3, i32::MAX], [4], device);
    let gathered = values::<f32>(Wgpu::float_gather(x.clone(), 0, index.clone()));
    assert_eq!(gathered[1], 2.0);
    assert!([0, 2, 3].iter().all(|&at: &usize| gathered[at].is_nan()), "{gathered:?}");
    let whole = tensor(vec![1, 2, 3], [3], device);
    assert_eq!(values::<i32>(Wgpu::int_select(whole, 0, index.clone())), [0, 2, 0, 0]);
    let src = Wgpu::float_ones([4].into(), DType::F32, &device);
    assert_eq!(values::<f32>(Wgpu::float_scatter_add(x, 0, index.clone(), src)), [1.0, 3.0, 3.0]);
    let hot = values::<f32>(Wgpu::float_one_hot(index, 2, DType::F32));
    assert_eq!(hot, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn one_hot_has_a_row_for_each_index() {
    let device = device_or_skip!();
    let hot = both!(device, B, place => AnyTensor::<B>::Float(B::float_one_hot(
        B::int_swap_dims(ints::<B>(vec![0, 2, 1, 1, 0, 2], &[2, 3], place), 0, 1), 3, DType::F32)));
    assert_agree("one_hot", hot, 0.0);
    let none = Wgpu::float_one_hot(tensor(vec![0i32; 0], [0], device), 3, DType::F32);
    assert_eq!(none.shape(), [0, 3].into());
}

#[test]
fn integers_of_any_type_are_indices() {
    let device = device_or_skip!();
    let x = tensor(vec![5i32, 6, 7, 8], [2, 2], device);
    let unsigned = tensor(vec![1u32, 0], [2], device);
    assert_eq!(values::<i32>(Wgpu::int_select(x.clone(), 1, unsigned)), [6, 5, 8, 7]);
    let index = tensor(vec![1, 0], [1, 2], device);
    assert_eq!(values::<i32>(Wgpu::int_gather(x, 0, index)), [7, 6]);
}

#[test]
fn misfits_say_what_they_say_on_the_cpu() {
    let device = device_or_skip!();
    let x = || Wgpu::float_zeros([2, 3].into(), DType::F32, &device);
    let failure = |f: &dyn Fn() -> WgpuTensor| {
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).unwrap_err();
        *panic.downcast::<String>().unwrap()
    };
    let index = || tensor(vec![0; 6], [3, 2], device);
    assert_eq!(
        failure(&|| Wgpu::float_gather(x(), 1, index())),
        "float_gather: shapes [2, 3] and [3, 2] do not fit: the index may differ in dimension 1 alone"
    );
    assert_eq!(
        failure(&|| Wgpu::float_select(x(), 1, index())),
        "float_select: shapes [2, 3] and [3, 2] do not fit: the index must be a vector"
    );
    assert_eq!(
        failure(&|| Wgpu::float_select_add(x(), 1, tensor(vec![0], [1], device), x())),
        "float_select_add: shapes [2, 3] and [2, 1] do not fit: what is added must have the shape of what the index \
         reads, which is the second"
    );
}

#[test]
fn joined_tensors_agree_for_every_layout() {
    let device = device_or_skip!();
    for number in VIEWS {
        for dim in 0..3 {
            let joined = both!(device, B, place => {
                let mut shape = [2, 3, 4];
                let parts = [2, 0, 5].map(|extent| {
                    shape[dim] = extent;
                    view::<B>(number, &shape, place)
                });
                AnyTensor::<B>::Float(B::float_cat(parts.to_vec(), dim))
            });
            assert_agree(&format!("cat of view {number} along {dim}"), joined, 0.0);
        }
    }
    let flags = || tensor(vec![true, false], [2], device);
    assert_eq!(values::<bool>(Wgpu::bool_cat(vec![flags(), flags()], 0)), [true, false, true, false]);
    let count = || tensor(vec![1, 2], [1, 2], device);
    assert_eq!(values::<i32>(Wgpu::int_cat(vec![count(), count()], 1)), [1, 2, 1, 2]);
}

#[test]
fn assigned_slices_agree_for_every_layout() {
    let device = device_or_skip!();
    let targets: [(&[Slice], &[usize]); 5] = [
        (&[], &[4, 5]),
        (&[Slice::new(Some(1), None, 2)], &[2, 5]),
        (&[Slice::FULL, Slice::new(None, None, -1)], &[4, 5]),
        (&[Slice::new(Some(-1), None, -2), Slice::new(Some(1), Some(4), 1)], &[1, 3]),
        (&[Slice::new(Some(3), Some(3), 1)], &[5]),
    ];
    for (slices, shape) in targets {
        for number in VIEWS {
            let assigned = both!(device, B, place => AnyTensor::<B>::Float(B::float_slice_assign(
                view::<B>(VIEWS.end - 1 - number, &[4, 5], place), slices, view::<B>(number, shape, place))));
            assert_agree(&format!("{slices:?} of view {number}"), assigned, 0.0);
        }
    }
    let x = floats::<Wgpu>(vec![1.0, 2.0, 3.0], &[3], &device);
    let value = Wgpu::float_zeros([1].into(), DType::F32, &device);
    let y = Wgpu::float_slice_assign(x.clone(), &[(1..).into()], value);
    assert_eq!(values::<f32>(y), [1.0, 0.0, 0.0]);
    assert_eq!(values::<f32>(x), [1.0, 2.0, 3.0]);
}

#[test]
fn halves_move_and_add() {
    let device = device_or_skip!();
    if !Wgpu::supports(DType::F16, &device) {
        return;
    }
    let halves = |values: &[f32]| {
        let values: Vec<f16> = values.iter().copied().map(f16::from_f32).collect();
        let shape = [values.len()];
        WgpuTensor::from_data(&TensorData::new(values, shape).unwrap(), device).unwrap()
    };
    let read = |x: WgpuTensor| values::<f16>(x).into_iter().map(f16::to_f32).collect::<Vec<_>>();
    let x = || halves(&[1.0, 2.0, 3.0]);
    let index = || tensor(vec![2, 0, 2], [3], device);
    assert_eq!(read(Wgpu::float_gather(x(), 0, index())), [3.0, 1.0, 3.0]);
    assert!(read(Wgpu::float_select(x(), 0, tensor(vec![7], [1], device)))[0].is_nan());
    // Added one after another, 2048 and 1 are 2048 again in a half.
    let src = halves(&[2048.0, 0.5, 1.0]);
    assert_eq!(read(Wgpu::float_select_add(x(), 0, index(), src)), [1.5, 2.0, 2052.0]);
    assert_eq!(read(Wgpu::float_cat(vec![x(), x()], 0)), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
    assert_eq!(read(Wgpu::float_slice_assign(x(), &[(..2).into()], halves(&[9.0]))), [9.0, 9.0, 3.0]);
    assert_eq!(read(Wgpu::float_one_hot(tensor(vec![1], [1], device), 2, DType::F16)), [0.0, 1.0]);
}
