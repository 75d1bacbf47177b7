//! The integer ops.
//!
//! A divisor of 0 in a tensor cannot be seen before the device divides: there the quotient is the dividend and the remainder
//! 0, as WGSL defines them on every device. A scalar divisor of 0 panics.

use opswitch_core::{
    DType, OpError, Shape, Slice, backend_extension, check_type, movement_methods, ops::IntOps, raise,
};

use crate::{
    assign,
    backend::Cube,
    create,
    device::CubeDevice,
    element,
    elementwise::{self, IntComparison, IntMap, IntZip},
    index,
    reduce::{self, Extreme, Reduction},
    scatter,
    tensor::CubeTensor,
};

/// Runs a block with the Rust type of the integers of a tensor.
macro_rules! for_int {
    ($dtype:expr, |$C:ident| $body:expr) => {
        match $dtype {
            DType::I32 => {
                type $C = i32;
                $body
            }
            _ => {
                type $C = u32;
                $body
            }
        }
    };
}

macro_rules! map_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: CubeTensor) -> CubeTensor {
            let (op, dtype) = (stringify!($name), int_type(stringify!($name), &x));
            for_int!(dtype, |C| elementwise::map::<C, C, _>(op, IntMap::$function, x, dtype))
        }
    )*};
}

/// Methods of two integer tensors, and of one and a scalar that becomes an `i64` whose lowest bits are the element.
macro_rules! arithmetic_methods {
    (|$scalar:ident| $element:expr; $($name:ident, $name_scalar:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
            let (op, dtype) = (stringify!($name), int_type(stringify!($name), &lhs));
            for_int!(dtype, |C| elementwise::zip::<C, C, _>(op, IntZip::$function, lhs, rhs, dtype))
        }

        #[track_caller]
        fn $name_scalar(x: CubeTensor, $scalar: i64) -> CubeTensor {
            zip_scalar(stringify!($name_scalar), IntZip::$function, x, $element)
        }
    )*};
}

macro_rules! comparison_methods {
    ($($name:ident, $name_scalar:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
            let (op, dtype) = (stringify!($name), int_type(stringify!($name), &lhs));
            let function = IntComparison::$function;
            for_int!(dtype, |C| elementwise::zip::<C, u32, _>(op, function, lhs, rhs, DType::Bool))
        }

        #[track_caller]
        fn $name_scalar(x: CubeTensor, scalar: i64) -> CubeTensor {
            compare_scalar(stringify!($name_scalar), IntComparison::$function, x, scalar)
        }
    )*};
}

#[backend_extension]
impl IntOps for Cube {
    #[track_caller]
    fn int_zeros(shape: Shape, dtype: DType, device: &CubeDevice) -> CubeTensor {
        full("int_zeros", shape, 0, dtype, *device)
    }

    #[track_caller]
    fn int_ones(shape: Shape, dtype: DType, device: &CubeDevice) -> CubeTensor {
        full("int_ones", shape, 1, dtype, *device)
    }

    #[track_caller]
    fn int_full(shape: Shape, value: i64, dtype: DType, device: &CubeDevice) -> CubeTensor {
        full("int_full", shape, value, dtype, *device)
    }

    #[track_caller]
    fn int_arange(start: i64, end: i64, step: i64, dtype: DType, device: &CubeDevice) -> CubeTensor {
        let op = "int_arange";
        if step == 0 {
            raise(&OpError::Parameter { op, reason: "the step cannot be 0" });
        }
        check_type(op, "an integer type", dtype, DType::is_int);
        element::check(op, dtype, *device);
        // In 128 bits the distance between any two bounds fits.
        let distance = (i128::from(end) - i128::from(start)) * i128::from(step.signum());
        let len = (distance.max(0) as u128).div_ceil(u128::from(step.unsigned_abs())) as usize;
        for_int!(dtype, |C| create::arange(op, len, [start as C, step as C], dtype, *device))
    }

    movement_methods! {
        CubeTensor: int_reshape, int_permute, int_swap_dims, int_expand, int_flip, int_slice, int_unfold
    }

    #[track_caller]
    fn int_slice_assign(x: CubeTensor, slices: &[Slice], value: CubeTensor) -> CubeTensor {
        int_type("int_slice_assign", &x);
        assign::slice_assign("int_slice_assign", x, slices, value)
    }

    #[track_caller]
    fn int_cat(tensors: Vec<CubeTensor>, dim: usize) -> CubeTensor {
        assign::cat("int_cat", tensors, dim)
    }

    #[track_caller]
    fn int_cast(x: CubeTensor, dtype: DType) -> CubeTensor {
        int_type("int_cast", &x);
        check_type("int_cast", "an integer type", dtype, DType::is_int);
        elementwise::cast("int_cast", x, dtype)
    }

    #[track_caller]
    fn int_into_float(x: CubeTensor, dtype: DType) -> CubeTensor {
        int_type("int_into_float", &x);
        check_type("int_into_float", "a float type", dtype, DType::is_float);
        elementwise::cast("int_into_float", x, dtype)
    }

    #[track_caller]
    fn int_into_bool(x: CubeTensor) -> CubeTensor {
        int_type("int_into_bool", &x);
        elementwise::cast("int_into_bool", x, DType::Bool)
    }

    map_methods! {
        int_neg => Neg;
        int_abs => Abs;
        int_sign => Sign;
        int_bitwise_not => BitwiseNot;
    }

    arithmetic_methods! { |scalar| scalar;
        int_add, int_add_scalar => Add;
        int_sub, int_sub_scalar => Sub;
        int_mul, int_mul_scalar => Mul;
        int_div, int_div_scalar => Div;
        int_rem, int_rem_scalar => Rem;
        int_bitwise_and, int_bitwise_and_scalar => And;
        int_bitwise_or, int_bitwise_or_scalar => Or;
        int_bitwise_xor, int_bitwise_xor_scalar => Xor;
    }

    // A scalar that is no `u32` moves all bits out, as the greatest does.
    arithmetic_methods! { |scalar| i64::from(u32::try_from(scalar).unwrap_or(u32::MAX));
        int_shift_left, int_shift_left_scalar => ShiftLeft;
        int_shift_right, int_shift_right_scalar => ShiftRight;
    }

    comparison_methods! {
        int_eq, int_eq_scalar => Equal;
        int_ne, int_ne_scalar => NotEqual;
        int_lt, int_lt_scalar => Less;
        int_le, int_le_scalar => LessEqual;
        int_gt, int_gt_scalar => Greater;
        int_ge, int_ge_scalar => GreaterEqual;
    }

    #[track_caller]
    fn int_sum(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        int_type("int_sum", &x);
        reduce::reduce("int_sum", Reduction::Sum, x, dims, keep_dims)
    }

    #[track_caller]
    fn int_prod(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        int_type("int_prod", &x);
        reduce::reduce("int_prod", Reduction::Product, x, dims, keep_dims)
    }

    #[track_caller]
    fn int_cumsum(x: CubeTensor, dim: usize) -> CubeTensor {
        int_type("int_cumsum", &x);
        reduce::scan("int_cumsum", Reduction::Sum, x, dim)
    }

    #[track_caller]
    fn int_max(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        int_type("int_max", &x);
        reduce::extreme("int_max", Reduction::Max, x, dims, keep_dims)
    }

    #[track_caller]
    fn int_min(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        int_type("int_min", &x);
        reduce::extreme("int_min", Reduction::Min, x, dims, keep_dims)
    }

    #[track_caller]
    fn int_argmax(x: CubeTensor, dim: usize, keep_dims: bool) -> CubeTensor {
        int_type("int_argmax", &x);
        reduce::arg_reduce("int_argmax", Extreme::Greatest, x, dim, keep_dims)
    }

    #[track_caller]
    fn int_argmin(x: CubeTensor, dim: usize, keep_dims: bool) -> CubeTensor {
        int_type("int_argmin", &x);
        reduce::arg_reduce("int_argmin", Extreme::Least, x, dim, keep_dims)
    }

    #[track_caller]
    fn int_gather(x: CubeTensor, dim: usize, index: CubeTensor) -> CubeTensor {
        int_type("int_gather", &x);
        index::gather("int_gather", x, dim, index)
    }

    #[track_caller]
    fn int_scatter_add(x: CubeTensor, dim: usize, index: CubeTensor, src: CubeTensor) -> CubeTensor {
        int_type("int_scatter_add", &x);
        scatter::scatter_add("int_scatter_add", x, dim, index, src)
    }

    #[track_caller]
    fn int_select(x: CubeTensor, dim: usize, index: CubeTensor) -> CubeTensor {
        int_type("int_select", &x);
        index::select("int_select", x, dim, index)
    }

    #[track_caller]
    fn int_select_add(x: CubeTensor, dim: usize, index: CubeTensor, src: CubeTensor) -> CubeTensor {
        int_type("int_select_add", &x);
        scatter::select_add("int_select_add", x, dim, index, src)
    }

    #[track_caller]
    fn int_mask_where(x: CubeTensor, mask: CubeTensor, value: CubeTensor) -> CubeTensor {
        int_type("int_mask_where", &x);
        elementwise::mask_where("int_mask_where", x, mask, value)
    }

    #[track_caller]
    fn int_mask_fill(x: CubeTensor, mask: CubeTensor, value: i64) -> CubeTensor {
        let dtype = int_type("int_mask_fill", &x);
        for_int!(dtype, |C| elementwise::mask_fill("int_mask_fill", x, mask, value as C))
    }

    #[track_caller]
    fn int_one_hot(index: CubeTensor, num_classes: usize, dtype: DType) -> CubeTensor {
        check_type("int_one_hot", "an integer type", dtype, DType::is_int);
        index::one_hot("int_one_hot", index, num_classes, dtype)
    }
}

/// The element type of `x`, which is checked to be one of integers.
#[track_caller]
fn int_type(op: &'static str, x: &CubeTensor) -> DType {
    check_type(op, "an integer type", x.element_type(), DType::is_int);
    x.element_type()
}

#[track_caller]
fn full(op: &'static str, shape: Shape, value: i64, dtype: DType, device: CubeDevice) -> CubeTensor {
    check_type(op, "an integer type", dtype, DType::is_int);
    element::check(op, dtype, device);
    for_int!(dtype, |C| create::full(op, shape, value as C, dtype, device))
}

/// A function of every element and a scalar, which wraps to the element type.
#[track_caller]
fn zip_scalar(op: &'static str, function: IntZip, x: CubeTensor, scalar: i64) -> CubeTensor {
    let dtype = int_type(op, &x);
    for_int!(dtype, |C| {
        let scalar = scalar as C;
        if scalar == 0 && matches!(function, IntZip::Div | IntZip::Rem) {
            raise(&OpError::DivisionByZero { op });
        }
        elementwise::zip_scalar::<C, C, _>(op, function, x, scalar, dtype)
    })
}

/// The comparison with a scalar that may lie outside the element type, where it is the same for all elements.
#[track_caller]
fn compare_scalar(op: &'static str, function: IntComparison, x: CubeTensor, scalar: i64) -> CubeTensor {
    let dtype = int_type(op, &x);
    for_int!(dtype, |C| {
        let (function, scalar) = match C::try_from(scalar) {
            Ok(scalar) => (function, scalar),
            Err(_) if function.holds(0, scalar) => (IntComparison::LessEqual, C::MAX),
            Err(_) => (IntComparison::Greater, C::MAX),
        };
        elementwise::zip_scalar::<C, u32, _>(op, function, x, scalar, DType::Bool)
    })
}
