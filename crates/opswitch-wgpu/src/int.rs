//! The integer ops.

use opswitch_core::{
    DType, OpError, Shape, Slice, backend_extension, check_same_type, check_type, movement_methods,
    ops::IntOps, raise,
};

use crate::{
    assign,
    device::{Wgpu, WgpuDevice},
    elementwise::{
        BITWISE_AND, BITWISE_AND_SCALAR, BITWISE_NOT, BITWISE_OR, BITWISE_OR_SCALAR, BITWISE_XOR,
        BITWISE_XOR_SCALAR, Function, INT_ABS, INT_ADD, INT_ADD_SCALAR, INT_DIV, INT_DIV_SCALAR, INT_EQ,
        INT_EQ_SCALAR, INT_GE, INT_GE_SCALAR, INT_GT, INT_GT_SCALAR, INT_LE, INT_LE_SCALAR, INT_LT,
        INT_LT_SCALAR, INT_MUL, INT_MUL_SCALAR, INT_NE, INT_NE_SCALAR, INT_NEG, INT_REM, INT_REM_SCALAR,
        INT_SIGN, INT_SUB, INT_SUB_SCALAR, SHIFT_LEFT, SHIFT_LEFT_SCALAR, SHIFT_RIGHT, SHIFT_RIGHT_SCALAR,
        arange, binary, cast, fill, full, mask_fill, mask_where, unary,
    },
    index,
    reduce::{self, Extreme},
    tensor::WgpuTensor,
};

macro_rules! unary_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: WgpuTensor) -> WgpuTensor {
            check_int(stringify!($name), x.element_type());
            unary(stringify!($name), &$function, &x, x.element_type(), [0; 2])
        }
    )*};
}

macro_rules! binary_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: WgpuTensor, rhs: WgpuTensor) -> WgpuTensor {
            check_pair(stringify!($name), &lhs, &rhs);
            binary(stringify!($name), &$function, &lhs, &rhs, lhs.element_type(), 0)
        }
    )*};
}

/// Methods of a tensor and a scalar, which wraps to the element type.
macro_rules! scalar_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: WgpuTensor, scalar: i64) -> WgpuTensor {
            check_int(stringify!($name), x.element_type());
            unary(stringify!($name), &$function, &x, x.element_type(), [scalar as u32, 0])
        }
    )*};
}

/// As [`scalar_methods`]. An amount that is no u32 moves all bits out, as the greatest does.
macro_rules! shift_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: WgpuTensor, scalar: i64) -> WgpuTensor {
            check_int(stringify!($name), x.element_type());
            let amount = u32::try_from(scalar).unwrap_or(u32::MAX);
            unary(stringify!($name), &$function, &x, x.element_type(), [amount, 0])
        }
    )*};
}

/// As [`scalar_methods`], with the divisor checked.
macro_rules! division_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: WgpuTensor, scalar: i64) -> WgpuTensor {
            check_int(stringify!($name), x.element_type());
            if scalar as u32 == 0 {
                raise(&OpError::DivisionByZero { op: stringify!($name) });
            }
            unary(stringify!($name), &$function, &x, x.element_type(), [scalar as u32, 0])
        }
    )*};
}

macro_rules! comparison_methods {
    ($($name:ident => $function:ident, $name_scalar:ident => $function_scalar:ident, $operator:tt;)*) => {$(
        #[track_caller]
        fn $name(lhs: WgpuTensor, rhs: WgpuTensor) -> WgpuTensor {
            check_pair(stringify!($name), &lhs, &rhs);
            binary(stringify!($name), &$function, &lhs, &rhs, DType::Bool, 0)
        }

        #[track_caller]
        fn $name_scalar(x: WgpuTensor, scalar: i64) -> WgpuTensor {
            compare_scalar(stringify!($name_scalar), &$function_scalar, &x, scalar, 0 $operator scalar)
        }
    )*};
}

/// A tensor divided by one with a zero in it has 0 there, and so has the remainder: a device cannot stop at it.
#[backend_extension]
impl IntOps for Wgpu {
    #[track_caller]
    fn int_zeros(shape: Shape, dtype: DType, device: &WgpuDevice) -> WgpuTensor {
        check_int("int_zeros", dtype);
        full("int_zeros", shape, 0, dtype, *device)
    }

    #[track_caller]
    fn int_ones(shape: Shape, dtype: DType, device: &WgpuDevice) -> WgpuTensor {
        check_int("int_ones", dtype);
        full("int_ones", shape, 1, dtype, *device)
    }

    #[track_caller]
    fn int_full(shape: Shape, value: i64, dtype: DType, device: &WgpuDevice) -> WgpuTensor {
        check_int("int_full", dtype);
        full("int_full", shape, value as u32, dtype, *device)
    }

    #[track_caller]
    fn int_arange(start: i64, end: i64, step: i64, dtype: DType, device: &WgpuDevice) -> WgpuTensor {
        if step == 0 {
            raise(&OpError::Parameter { op: "int_arange", reason: "the step cannot be 0" });
        }
        check_int("int_arange", dtype);
        // In 128 bits the distance between any two bounds fits.
        let distance = (i128::from(end) - i128::from(start)) * i128::from(step.signum());
        let len = (distance.max(0) as u128).div_ceil(u128::from(step.unsigned_abs())) as usize;
        arange("int_arange", len, [start, step], dtype, *device)
    }

    movement_methods! {
        WgpuTensor: int_reshape, int_permute, int_swap_dims, int_expand, int_flip, int_slice, int_unfold
    }

    #[track_caller]
    fn int_slice_assign(x: WgpuTensor, slices: &[Slice], value: WgpuTensor) -> WgpuTensor {
        check_int("int_slice_assign", x.element_type());
        assign::slice_assign("int_slice_assign", x, slices, &value)
    }

    #[track_caller]
    fn int_cat(tensors: Vec<WgpuTensor>, dim: usize) -> WgpuTensor {
        assign::cat("int_cat", &tensors, dim)
    }

    #[track_caller]
    fn int_cast(x: WgpuTensor, dtype: DType) -> WgpuTensor {
        check_int("int_cast", x.element_type());
        check_int("int_cast", dtype);
        cast("int_cast", x, dtype)
    }

    #[track_caller]
    fn int_into_float(x: WgpuTensor, dtype: DType) -> WgpuTensor {
        check_int("int_into_float", x.element_type());
        check_type("int_into_float", "a float type", dtype, DType::is_float);
        cast("int_into_float", x, dtype)
    }

    #[track_caller]
    fn int_into_bool(x: WgpuTensor) -> WgpuTensor {
        check_int("int_into_bool", x.element_type());
        cast("int_into_bool", x, DType::Bool)
    }

    unary_methods! {
        int_neg => INT_NEG;
        int_abs => INT_ABS;
        int_sign => INT_SIGN;
        int_bitwise_not => BITWISE_NOT;
    }

    binary_methods! {
        int_add => INT_ADD;
        int_sub => INT_SUB;
        int_mul => INT_MUL;
        int_div => INT_DIV;
        int_rem => INT_REM;
        int_bitwise_and => BITWISE_AND;
        int_bitwise_or => BITWISE_OR;
        int_bitwise_xor => BITWISE_XOR;
        int_shift_left => SHIFT_LEFT;
        int_shift_right => SHIFT_RIGHT;
    }

    scalar_methods! {
        int_add_scalar => INT_ADD_SCALAR;
        int_sub_scalar => INT_SUB_SCALAR;
        int_mul_scalar => INT_MUL_SCALAR;
        int_bitwise_and_scalar => BITWISE_AND_SCALAR;
        int_bitwise_or_scalar => BITWISE_OR_SCALAR;
        int_bitwise_xor_scalar => BITWISE_XOR_SCALAR;
    }

    shift_methods! {
        int_shift_left_scalar => SHIFT_LEFT_SCALAR;
        int_shift_right_scalar => SHIFT_RIGHT_SCALAR;
    }

    division_methods! {
        int_div_scalar => INT_DIV_SCALAR;
        int_rem_scalar => INT_REM_SCALAR;
    }

    comparison_methods! {
        int_eq => INT_EQ, int_eq_scalar => INT_EQ_SCALAR, ==;
        int_ne => INT_NE, int_ne_scalar => INT_NE_SCALAR, !=;
        int_lt => INT_LT, int_lt_scalar => INT_LT_SCALAR, <;
        int_le => INT_LE, int_le_scalar => INT_LE_SCALAR, <=;
        int_gt => INT_GT, int_gt_scalar => INT_GT_SCALAR, >;
        int_ge => INT_GE, int_ge_scalar => INT_GE_SCALAR, >=;
    }

    #[track_caller]
    fn int_sum(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_int("int_sum", x.element_type());
        reduce::sum("int_sum", &x, dims, keep_dims)
    }

    #[track_caller]
    fn int_prod(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_int("int_prod", x.element_type());
        reduce::product("int_prod", &x, dims, keep_dims)
    }

    #[track_caller]
    fn int_cumsum(x: WgpuTensor, dim: usize) -> WgpuTensor {
        check_int("int_cumsum", x.element_type());
        reduce::cumsum("int_cumsum", &x, dim)
    }

    #[track_caller]
    fn int_max(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_int("int_max", x.element_type());
        reduce::extreme("int_max", Extreme::Greatest, &x, dims, keep_dims)
    }

    #[track_caller]
    fn int_min(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_int("int_min", x.element_type());
        reduce::extreme("int_min", Extreme::Least, &x, dims, keep_dims)
    }

    #[track_caller]
    fn int_argmax(x: WgpuTensor, dim: usize, keep_dims: bool) -> WgpuTensor {
        check_int("int_argmax", x.element_type());
        reduce::arg_reduce("int_argmax", Extreme::Greatest, &x, dim, keep_dims)
    }

    #[track_caller]
    fn int_argmin(x: WgpuTensor, dim: usize, keep_dims: bool) -> WgpuTensor {
        check_int("int_argmin", x.element_type());
        reduce::arg_reduce("int_argmin", Extreme::Least, &x, dim, keep_dims)
    }

    #[track_caller]
    fn int_gather(x: WgpuTensor, dim: usize, index: WgpuTensor) -> WgpuTensor {
        check_int("int_gather", x.element_type());
        index::gather("int_gather", &x, dim, &index)
    }

    #[track_caller]
    fn int_scatter_add(x: WgpuTensor, dim: usize, index: WgpuTensor, src: WgpuTensor) -> WgpuTensor {
        check_int("int_scatter_add", x.element_type());
        index::scatter_add("int_scatter_add", x, dim, &index, &src)
    }

    #[track_caller]
    fn int_select(x: WgpuTensor, dim: usize, index: WgpuTensor) -> WgpuTensor {
        check_int("int_select", x.element_type());
        index::select("int_select", &x, dim, &index)
    }

    #[track_caller]
    fn int_select_add(x: WgpuTensor, dim: usize, index: WgpuTensor, src: WgpuTensor) -> WgpuTensor {
        check_int("int_select_add", x.element_type());
        index::select_add("int_select_add", x, dim, &index, &src)
    }

    #[track_caller]
    fn int_mask_where(x: WgpuTensor, mask: WgpuTensor, value: WgpuTensor) -> WgpuTensor {
        check_int("int_mask_where", x.element_type());
        mask_where("int_mask_where", &x, &mask, &value)
    }

    #[track_caller]
    fn int_mask_fill(x: WgpuTensor, mask: WgpuTensor, value: i64) -> WgpuTensor {
        check_int("int_mask_fill", x.element_type());
        mask_fill("int_mask_fill", &x, &mask, value as u32)
    }

    #[track_caller]
    fn int_one_hot(index: WgpuTensor, num_classes: usize, dtype: DType) -> WgpuTensor {
        check_int("int_one_hot", dtype);
        index::one_hot("int_one_hot", &index, num_classes, dtype)
    }
}

#[track_caller]
fn check_int(op: &'static str, dtype: DType) {
    check_type(op, "an integer type", dtype, DType::is_int);
}

#[track_caller]
fn check_pair(op: &'static str, lhs: &WgpuTensor, rhs: &WgpuTensor) {
    check_same_type(op, lhs, rhs);
    check_int(op, lhs.element_type());
}

/// The comparison with a scalar that may lie outside the element type, where it is `outside` for all elements.
#[track_caller]
fn compare_scalar(
    op: &'static str,
    function: &'static Function,
    x: &WgpuTensor,
    scalar: i64,
    outside: bool,
) -> WgpuTensor {
    check_int(op, x.element_type());
    let is_inside = match x.element_type() {
        DType::U32 => u32::try_from(scalar).is_ok(),
        _ => i32::try_from(scalar).is_ok(),
    };
    if is_inside {
        return unary(op, function, x, DType::Bool, [scalar as u32, 0]);
    }
    fill(op, x.new_output(op, x.layout().shape().clone(), DType::Bool), u32::from(outside))
}
