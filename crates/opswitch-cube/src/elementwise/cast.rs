//! Conversions between element types.

use cubecl::prelude::*;
use opswitch_core::DType;

use super::{Map, map};
use crate::{math::is_nan, tensor::CubeTensor};

/// The ways to convert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Conversion {
    /// As reading and writing does it: between floats, from integers, and between integers, which wrap around.
    Stored,
    /// From floats to integers as Rust converts: towards zero, saturating, and 0 for NaN. Devices do as they like outside
    /// the range.
    Truncated,
    /// 1 for what is not 0.
    NotZero,
}

/// 2³¹ and 2³²: the first floats beyond the integers.
const BEYOND_I32: f32 = 2_147_483_648.0;
const BEYOND_U32: f32 = 4_294_967_296.0;

#[cube]
impl Map<f32, f32> for Conversion {
    fn apply(x: f32, #[comptime] _function: Self) -> f32 {
        x
    }
}

#[cube]
impl Map<i32, i32> for Conversion {
    fn apply(x: i32, #[comptime] _function: Self) -> i32 {
        x
    }
}

#[cube]
impl Map<u32, u32> for Conversion {
    fn apply(x: u32, #[comptime] function: Self) -> u32 {
        match comptime!(function) {
            Conversion::NotZero => u32::cast_from(x != 0u32),
            _ => x,
        }
    }
}

#[cube]
impl Map<f32, i32> for Conversion {
    fn apply(x: f32, #[comptime] _function: Self) -> i32 {
        let is_inside = x > -BEYOND_I32 && x < BEYOND_I32;
        let inside = i32::cast_from(select(is_inside, x, 0.0f32));
        let outside = select(x > 0.0f32, i32::MAX, i32::MIN);
        select(is_nan(x), 0, select(is_inside, inside, outside))
    }
}

#[cube]
impl Map<f32, u32> for Conversion {
    fn apply(x: f32, #[comptime] function: Self) -> u32 {
        if comptime!(function) == Conversion::NotZero {
            u32::cast_from(is_nan(x) || x != 0.0f32)
        } else {
            let is_inside = x > 0.0f32 && x < BEYOND_U32;
            let inside = u32::cast_from(select(is_inside, x, 0.0f32));
            let outside = select(x > 0.0f32, u32::MAX, 0u32);
            select(is_nan(x), 0u32, select(is_inside, inside, outside))
        }
    }
}

/// Every element converted, as `Elements::cast` converts it.
#[track_caller]
pub(crate) fn cast(op: &'static str, x: CubeTensor, dtype: DType) -> CubeTensor {
    use DType::{Bool, F16, F32, I32, U32};
    match (x.element_type(), dtype) {
        (from, to) if from == to => x,
        (F32 | F16, Bool) => map::<f32, u32, _>(op, Conversion::NotZero, x, dtype),
        (F32 | F16, I32) => map::<f32, i32, _>(op, Conversion::Truncated, x, dtype),
        (F32 | F16, U32) => map::<f32, u32, _>(op, Conversion::Truncated, x, dtype),
        (F32 | F16, _) => map::<f32, f32, _>(op, Conversion::Stored, x, dtype),
        (_, Bool) => map::<u32, u32, _>(op, Conversion::NotZero, x, dtype),
        (I32 | U32 | Bool, F16) => cast(op, cast(op, x, F32), dtype),
        (I32, _) => map::<i32, i32, _>(op, Conversion::Stored, x, dtype),
        _ => map::<u32, u32, _>(op, Conversion::Stored, x, dtype),
    }
}
