//! Floats as integers of the same order.
//!
//! Read as a signed integer, the bits of a positive float are in the order of the floats; those of a negative one are once all
//! but the sign are flipped. A NaN gets a key of its own beyond the infinities.

use cubecl::prelude::*;

const MAGNITUDE: i32 = i32::MAX;
const INFINITY: i32 = 0x7f80_0000;

/// A key that is in the order of the floats; `nan` for NaN.
#[cube]
pub(super) fn to_key(x: f32, #[comptime] nan: i32) -> i32 {
    let bits = i32::reinterpret(x);
    let key = select(bits < 0, bits ^ MAGNITUDE, bits);
    select((bits & MAGNITUDE) > INFINITY, nan, key)
}

/// The float with this key. Either end of the integers is a NaN.
#[cube]
pub(super) fn from_key(key: i32) -> f32 {
    f32::reinterpret(select(key < 0, key ^ MAGNITUDE, key))
}

/// Whether the float with this key is an infinity or NaN.
#[cube]
pub(super) fn is_special(key: i32) -> bool {
    let bits = select(key < 0, key ^ MAGNITUDE, key);
    (bits & MAGNITUDE) >= INFINITY
}

/// A key that is greatest where the float is NaN, else where it is the extreme that is looked for. Zeros of either sign have
/// the same.
#[cube]
pub(super) fn rank(x: f32, #[comptime] least: bool) -> i32 {
    let bits = i32::reinterpret(x);
    let magnitude = bits & MAGNITUDE;
    let is_low = if comptime!(least) { bits >= 0 } else { bits < 0 };
    select(magnitude > INFINITY, i32::MAX, select(is_low, -magnitude, magnitude))
}
