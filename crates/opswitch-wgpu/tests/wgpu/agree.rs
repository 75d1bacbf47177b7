//! One expression on both backends.

use opswitch_core::{
    AnyTensor, Backend, Element, FloatTensor, IntTensor, Slice, TensorData, for_elements, ops::FloatOps,
};

/// What an expression gives on the device and on the CPU: `B` is the backend in it, and `place` its device.
macro_rules! both {
    ($device:expr, $B:ident, $place:ident => $body:expr) => {{
        let found = {
            type $B = opswitch_wgpu::Wgpu;
            let $place = &$device;
            $body
        };
        let expected = {
            type $B = opswitch_cpu::Cpu;
            let $place = &opswitch_cpu::CpuDevice::default();
            $body
        };
        [crate::agree::read(found), crate::agree::read(expected)]
    }};
}
pub(crate) use both;

pub(crate) fn read<B: Backend>(tensor: AnyTensor<B>) -> TensorData {
    pollster::block_on(tensor.into_data()).expect("the device works")
}

/// Asserts that shapes are equal, and elements within `tolerance` of the greater of 1 and what is expected.
pub(crate) fn assert_agree(what: &str, [found, expected]: [TensorData; 2], tolerance: f64) {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    for (at, (x, y)) in elements(&found).into_iter().zip(elements(&expected)).enumerate() {
        let agree = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance * y.abs().max(1.0);
        assert!(agree, "{what}: element {at} is {x:e}, not {y:e}");
    }
}

fn elements(data: &TensorData) -> Vec<f64> {
    for_elements!(data.elements(), |values: E| values.iter().map(|x| (*x).to_f64()).collect())
}

/// `len` numbers between -2 and 2 that do not repeat soon.
pub(crate) fn numbers(len: usize) -> Vec<f32> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * (-22f32).exp2() - 2.0).collect()
}

pub(crate) fn floats<B: Backend>(values: Vec<f32>, shape: &[usize], device: &B::Device) -> FloatTensor<B> {
    B::float_from_data(TensorData::new(values, shape).unwrap(), device).unwrap()
}

pub(crate) fn ints<B: Backend>(values: Vec<i32>, shape: &[usize], device: &B::Device) -> IntTensor<B> {
    B::int_from_data(TensorData::new(values, shape).unwrap(), device).unwrap()
}

/// The ways in which a tensor can lie.
pub(crate) const VIEWS: std::ops::Range<usize> = 0..6;

/// A tensor of this shape that lies in one of [`VIEWS`].
pub(crate) fn view<B: FloatOps>(number: usize, shape: &[usize], device: &B::Device) -> FloatTensor<B> {
    let x = |shape: &[usize]| floats::<B>(numbers(shape.iter().product()), shape, device);
    let (first, last) = (0, shape.len().saturating_sub(1));
    let mut other = shape.to_vec();
    match number {
        1 if last > 0 => {
            other.swap(first, last);
            B::float_swap_dims(x(&other), first, last)
        }
        2 => B::float_flip(x(shape), &(0..shape.len()).collect::<Vec<_>>()),
        3 if !shape.is_empty() => {
            other[last] = 2 * shape[last] + 3;
            let slices: Vec<Slice> = (0..last)
                .map(|_| Slice::FULL)
                .chain([Slice::new(Some(2), Some(2 + 2 * shape[last] as isize), 2)])
                .collect();
            B::float_slice(x(&other), &slices)
        }
        4 if !shape.is_empty() => {
            other[first] = 1;
            B::float_expand(x(&other), shape.into())
        }
        // From an offset, and without gaps.
        5 if !shape.is_empty() => {
            other[first] += 1;
            B::float_slice(x(&other), &[(1..).into()])
        }
        _ => x(shape),
    }
}
