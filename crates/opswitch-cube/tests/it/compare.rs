//! The same op on the device and on the CPU.

use std::panic::{AssertUnwindSafe, catch_unwind};

use half::f16;
use opswitch_core::{Backend, DType, TensorData};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};
use opswitch_cube::{Cube, CubeDevice, CubeTensor};

/// A tensor on the device, and the same one on the CPU.
#[derive(Clone)]
pub(crate) struct Both {
    pub(crate) cube: CubeTensor,
    pub(crate) cpu: CpuTensor,
}

/// A tensor whose element `i` is `f(i)`.
pub(crate) fn floats(device: CubeDevice, shape: &[usize], f: impl Fn(usize) -> f32) -> Both {
    let values: Vec<f32> = (0..shape.iter().product()).map(f).collect();
    let data = TensorData::new(values, shape).unwrap();
    Both {
        cube: Cube::float_from_data(data.clone(), &device).unwrap(),
        cpu: Cpu::float_from_data(data, &CpuDevice).unwrap(),
    }
}

/// A tensor of integers.
pub(crate) fn ints(device: CubeDevice, shape: &[usize], f: impl Fn(usize) -> i32) -> Both {
    let values: Vec<i32> = (0..shape.iter().product()).map(f).collect();
    let data = TensorData::new(values, shape).unwrap();
    Both {
        cube: Cube::int_from_data(data.clone(), &device).unwrap(),
        cpu: Cpu::int_from_data(data, &CpuDevice).unwrap(),
    }
}

/// A tensor of booleans.
pub(crate) fn bools(device: CubeDevice, shape: &[usize], f: impl Fn(usize) -> bool) -> Both {
    let values: Vec<bool> = (0..shape.iter().product()).map(f).collect();
    let data = TensorData::new(values, shape).unwrap();
    Both {
        cube: Cube::bool_from_data(data.clone(), &device).unwrap(),
        cpu: Cpu::bool_from_data(data, &CpuDevice).unwrap(),
    }
}

/// A number in -1 <= x < 1 without a pattern that an index error could follow.
pub(crate) fn noise(i: usize) -> f32 {
    ((i as u32 + 1).wrapping_mul(2_654_435_761) >> 8) as f32 / (1 << 23) as f32 - 1.0
}

/// Noise with all that is not finite, and zeros of both signs, strewn in.
pub(crate) fn specials(i: usize) -> f32 {
    match i % 97 {
        7 => -0.0,
        8 => 0.0,
        13 => f32::NAN,
        29 => f32::INFINITY,
        61 => f32::NEG_INFINITY,
        _ => noise(i),
    }
}

/// Another pair made of pairs: `view!(x => B::float_flip(x, &[0]))`, where `B` is the backend.
macro_rules! view {
    ($($x:ident),+ => $body:expr) => {
        $crate::compare::Both {
            cube: {
                #[allow(dead_code)]
                type B = opswitch_cube::Cube;
                $(let $x = $x.cube.clone();)+
                $body
            },
            cpu: {
                #[allow(dead_code)]
                type B = opswitch_cpu::Cpu;
                $(let $x = $x.cpu.clone();)+
                $body
            },
        }
    };
}

/// Asserts that both backends make the same of pairs, up to a tolerance: `same!(1e-6, x => B::float_sum(x, &[0], true))`.
macro_rules! same {
    ($tolerance:expr, $($x:ident),+ => $body:expr) => {
        $crate::compare::assert_close(&view!($($x),+ => $body), $tolerance, stringify!($body))
    };
}

pub(crate) use {same, view};

/// Asserts that a pair agrees in shape, in every NaN and infinity, and in every number up to `tolerance`, which is relative
/// above 1 and absolute below.
#[track_caller]
pub(crate) fn assert_close(pair: &Both, tolerance: f64, what: &str) {
    let (found, found_shape) = numbers(Cube::float_into_data_blocking(pair.cube.clone()).unwrap());
    let (expected, shape) = numbers(Cpu::float_into_data_blocking(pair.cpu.clone()).unwrap());
    assert_eq!(found_shape, shape, "{what}: the shape");
    for (i, (&found, &expected)) in found.iter().zip(&expected).enumerate() {
        let is_close = found == expected
            || (found.is_nan() && expected.is_nan())
            || (found - expected).abs() <= tolerance * expected.abs().max(1.0);
        assert!(is_close, "{what}: element {i} of {shape:?} is {found} instead of {expected}");
    }
}

/// Every element as the nearest `f64`, and the shape.
fn numbers(data: TensorData) -> (Vec<f64>, Vec<usize>) {
    let shape = data.shape().to_vec();
    let numbers = match data.dtype() {
        DType::F32 => data.to_vec::<f32>().into_iter().map(f64::from).collect(),
        DType::F16 => data.to_vec::<f16>().into_iter().map(f64::from).collect(),
        DType::I32 => data.to_vec::<i32>().into_iter().map(f64::from).collect(),
        DType::U32 => data.to_vec::<u32>().into_iter().map(f64::from).collect(),
        DType::I64 => data.to_vec::<i64>().into_iter().map(|x| x as f64).collect(),
        DType::Bool => data.to_vec::<bool>().into_iter().map(f64::from).collect(),
        other => unreachable!("no test makes elements of type {other}"),
    };
    (numbers, shape)
}

/// The elements of a float tensor on the device.
pub(crate) fn values(x: &CubeTensor) -> Vec<f32> {
    Cube::float_into_data_blocking(x.clone()).unwrap().to_vec()
}

/// What an op that must panic says.
#[track_caller]
pub(crate) fn panic_text<T>(op: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(op)) else { panic!("the op accepts what it must refuse") };
    *panic.downcast::<String>().expect("ops panic with text")
}
