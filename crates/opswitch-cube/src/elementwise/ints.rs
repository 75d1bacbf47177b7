//! The functions behind the integer and boolean ops. Arithmetic wraps around, and booleans are 0 and 1.

use cubecl::prelude::*;

use super::{Computed, Map, Zip};

/// Functions of one integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntMap {
    Neg,
    /// That of the least integer wraps around to itself.
    Abs,
    Sign,
    BitwiseNot,
    /// For booleans.
    Not,
}

/// Functions of two integers, or of one and a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntZip {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

/// Comparisons of two integers, answered by 1 or 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum IntComparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

#[cube]
impl<C: Computed + Int> Map<C, C> for IntMap {
    fn apply(x: C, #[comptime] function: Self) -> C {
        match comptime!(function) {
            IntMap::Neg => C::new(0) - x,
            IntMap::Abs => select(x < C::new(0), C::new(0) - x, x),
            IntMap::Sign => select(x > C::new(0), C::new(1), select(x < C::new(0), C::new(0) - C::new(1), x)),
            IntMap::BitwiseNot => x ^ (C::new(0) - C::new(1)),
            IntMap::Not => x ^ C::new(1),
        }
    }
}

#[cube]
impl<C: Computed + Int> Zip<C, C> for IntZip {
    fn apply(lhs: C, rhs: C, #[comptime] function: Self) -> C {
        match comptime!(function) {
            IntZip::Add => lhs + rhs,
            IntZip::Sub => lhs - rhs,
            IntZip::Mul => lhs * rhs,
            IntZip::Div => quotient::<C>(lhs, rhs),
            IntZip::Rem => remainder::<C>(lhs, rhs),
            IntZip::And => lhs & rhs,
            IntZip::Or => lhs | rhs,
            IntZip::Xor => lhs ^ rhs,
            IntZip::ShiftLeft => shifted_left::<C>(lhs, rhs),
            IntZip::ShiftRight => shifted_right::<C>(lhs, rhs),
        }
    }
}

#[cube]
impl<C: Computed + Int> Zip<C, u32> for IntComparison {
    fn apply(lhs: C, rhs: C, #[comptime] function: Self) -> u32 {
        let holds = match comptime!(function) {
            IntComparison::Equal => lhs == rhs,
            IntComparison::NotEqual => lhs != rhs,
            IntComparison::Less => lhs < rhs,
            IntComparison::LessEqual => lhs <= rhs,
            IntComparison::Greater => lhs > rhs,
            IntComparison::GreaterEqual => lhs >= rhs,
        };
        u32::cast_from(holds)
    }
}

/// Whether this is -1. The greatest unsigned integer has the same bits, and is none.
#[cube]
fn is_minus_one<C: Int>(x: C) -> bool {
    x < C::new(0) && x == C::new(0) - C::new(1)
}

/// The divisor, or 1 where devices may do as they like: by 0, and for the least integer by -1.
#[cube]
fn safe_divisor<C: Int>(divisor: C) -> C {
    select(divisor == C::new(0) || is_minus_one::<C>(divisor), C::new(1), divisor)
}

/// The quotient, rounded towards zero, wrapping around. By 0 it is the dividend.
#[cube]
fn quotient<C: Int>(lhs: C, rhs: C) -> C {
    select(is_minus_one::<C>(rhs), C::new(0) - lhs, lhs / safe_divisor::<C>(rhs))
}

/// The remainder with the sign of the divisor. By 0 it is 0.
#[cube]
fn remainder<C: Int>(lhs: C, rhs: C) -> C {
    let divisor = safe_divisor::<C>(rhs);
    let rest = lhs - lhs / divisor * divisor;
    let same_side = (rest < C::new(0)) == (rhs < C::new(0));
    select(rest == C::new(0) || same_side, rest, rest + rhs)
}

/// The number of bits of every integer that devices have.
const BITS: i64 = 32;

/// Whether bits can be moved that far and some stay.
#[cube]
fn is_below_bits<C: Int>(amount: C) -> bool {
    amount >= C::new(0) && amount < C::new(BITS)
}

/// The bits moved up. An amount that is negative, or not less than their number, moves all of them out.
#[cube]
fn shifted_left<C: Int>(x: C, amount: C) -> C {
    let is_inside = is_below_bits::<C>(amount);
    select(is_inside, x << select(is_inside, amount, C::new(0)), C::new(0))
}

/// The bits moved down, behind the sign.
#[cube]
fn shifted_right<C: Int>(x: C, amount: C) -> C {
    let is_inside = is_below_bits::<C>(amount);
    let sign = select(x < C::new(0), C::new(0) - C::new(1), C::new(0));
    select(is_inside, x >> select(is_inside, amount, C::new(0)), sign)
}

impl IntComparison {
    /// Whether the comparison holds, on the host.
    pub(crate) fn holds(self, lhs: i64, rhs: i64) -> bool {
        match self {
            Self::Equal => lhs == rhs,
            Self::NotEqual => lhs != rhs,
            Self::Less => lhs < rhs,
            Self::LessEqual => lhs <= rhs,
            Self::Greater => lhs > rhs,
            Self::GreaterEqual => lhs >= rhs,
        }
    }
}
