//! The integer ops.

use opswitch_core::{
    DType, Element, OpError, OrRaise, Shape, Slice, backend_extension, check_same_type, check_type,
    movement_methods, ops::IntOps, raise, shape::broadcast,
};

use crate::{
    device::{Cpu, CpuDevice},
    element::{Integer, for_int},
    elementwise::{self, Comparison, Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual},
    index, movement,
    reduce::{self, Extreme, IntProduct, IntSum, OrdMax, OrdMin},
    tensor::CpuTensor,
};

/// Methods of two integer tensors, and of one and a scalar that becomes an `E`.
macro_rules! arithmetic_methods {
    (|$scalar:ident| $element:expr; $($name:ident, $name_scalar:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
            let op = stringify!($name);
            check_same_type(op, &lhs, &rhs);
            for_int!(op, lhs.element_type(), |E| {
                elementwise::zip_in_place::<E>(op, lhs, rhs, 1, <E as Integer>::$function)
            })
        }

        #[track_caller]
        fn $name_scalar(x: CpuTensor, $scalar: i64) -> CpuTensor {
            for_int!(stringify!($name_scalar), x.element_type(), |E| {
                let scalar: E = $element;
                elementwise::map_in_place::<E>(x, 1, move |x| Integer::$function(x, scalar))
            })
        }
    )*};
}

/// Methods of one integer tensor.
macro_rules! map_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(x: CpuTensor) -> CpuTensor {
            for_int!(stringify!($name), x.element_type(), |E| {
                elementwise::map_in_place::<E>(x, 1, <E as Integer>::$function)
            })
        }
    )*};
}

/// As [`arithmetic_methods`], with divisors checked before the loop.
macro_rules! division_methods {
    ($($name:ident, $name_scalar:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
            let op = stringify!($name);
            check_same_type(op, &lhs, &rhs);
            for_int!(op, lhs.element_type(), |E| {
                check_divisors::<E>(op, &lhs, &rhs);
                elementwise::zip_in_place::<E>(op, lhs, rhs, 4, <E as Integer>::$function)
            })
        }

        #[track_caller]
        fn $name_scalar(x: CpuTensor, scalar: i64) -> CpuTensor {
            let op = stringify!($name_scalar);
            for_int!(op, x.element_type(), |E| {
                let scalar = E::from_i64(scalar);
                if scalar == 0 {
                    raise(&OpError::DivisionByZero { op });
                }
                elementwise::map_in_place::<E>(x, 4, move |x| Integer::$function(x, scalar))
            })
        }
    )*};
}

macro_rules! comparison_methods {
    ($($name:ident, $name_scalar:ident => $comparison:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
            let op = stringify!($name);
            check_same_type(op, &lhs, &rhs);
            for_int!(op, lhs.element_type(), |E| {
                elementwise::zip::<E, E, bool>(op, &lhs, &rhs, |lhs, rhs| $comparison.holds(lhs, rhs))
            })
        }

        #[track_caller]
        fn $name_scalar(x: CpuTensor, scalar: i64) -> CpuTensor {
            for_int!(stringify!($name_scalar), x.element_type(), |E| compare_scalar::<E>($comparison, &x, scalar))
        }
    )*};
}

#[backend_extension]
impl IntOps for Cpu {
    #[track_caller]
    fn int_zeros(shape: Shape, dtype: DType, _: &CpuDevice) -> CpuTensor {
        full("int_zeros", shape, 0, dtype)
    }

    #[track_caller]
    fn int_ones(shape: Shape, dtype: DType, _: &CpuDevice) -> CpuTensor {
        full("int_ones", shape, 1, dtype)
    }

    #[track_caller]
    fn int_full(shape: Shape, value: i64, dtype: DType, _: &CpuDevice) -> CpuTensor {
        full("int_full", shape, value, dtype)
    }

    #[track_caller]
    fn int_arange(start: i64, end: i64, step: i64, dtype: DType, _: &CpuDevice) -> CpuTensor {
        if step == 0 {
            raise(&OpError::Parameter { op: "int_arange", reason: "the step cannot be 0" });
        }
        // In 128 bits the distance between any two bounds fits.
        let distance = (i128::from(end) - i128::from(start)) * i128::from(step.signum());
        let len = (distance.max(0) as u128).div_ceil(u128::from(step.unsigned_abs())) as usize;
        for_int!("int_arange", dtype, |E| {
            let value = |i: usize| E::from_i64(start.wrapping_add(step.wrapping_mul(i as i64)));
            CpuTensor::new((0..len).map(value).collect(), [len].into())
        })
    }

    movement_methods! {
        CpuTensor: int_reshape, int_permute, int_swap_dims, int_expand, int_flip, int_slice, int_unfold
    }

    #[track_caller]
    fn int_slice_assign(x: CpuTensor, slices: &[Slice], value: CpuTensor) -> CpuTensor {
        let op = "int_slice_assign";
        for_int!(op, x.element_type(), |E| movement::slice_assign::<E>(op, x, slices, &value))
    }

    #[track_caller]
    fn int_cat(tensors: Vec<CpuTensor>, dim: usize) -> CpuTensor {
        movement::cat("int_cat", tensors, dim)
    }

    #[track_caller]
    fn int_cast(x: CpuTensor, dtype: DType) -> CpuTensor {
        check_type("int_cast", "an integer type", x.element_type(), DType::is_int);
        check_type("int_cast", "an integer type", dtype, DType::is_int);
        elementwise::cast(x, dtype)
    }

    #[track_caller]
    fn int_into_float(x: CpuTensor, dtype: DType) -> CpuTensor {
        check_type("int_into_float", "an integer type", x.element_type(), DType::is_int);
        check_type("int_into_float", "a float type", dtype, DType::is_float);
        elementwise::cast(x, dtype)
    }

    #[track_caller]
    fn int_into_bool(x: CpuTensor) -> CpuTensor {
        check_type("int_into_bool", "an integer type", x.element_type(), DType::is_int);
        elementwise::cast(x, DType::Bool)
    }

    map_methods! {
        int_neg => wrapping_neg;
        int_abs => wrapping_abs;
        int_sign => signum;
        int_bitwise_not => not;
    }

    // A scalar wraps.
    arithmetic_methods! { |scalar| E::from_i64(scalar);
        int_add, int_add_scalar => wrapping_add;
        int_sub, int_sub_scalar => wrapping_sub;
        int_mul, int_mul_scalar => wrapping_mul;
        int_bitwise_and, int_bitwise_and_scalar => bitand;
        int_bitwise_or, int_bitwise_or_scalar => bitor;
        int_bitwise_xor, int_bitwise_xor_scalar => bitxor;
    }

    // A scalar that the type does not have moves all bits out, as its greatest number does.
    arithmetic_methods! { |scalar| E::exactly(scalar).unwrap_or(E::MAX);
        int_shift_left, int_shift_left_scalar => shift_left;
        int_shift_right, int_shift_right_scalar => shift_right;
    }

    division_methods! {
        int_div, int_div_scalar => wrapping_div;
        int_rem, int_rem_scalar => rem_floor;
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
    fn int_sum(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "int_sum";
        for_int!(op, x.element_type(), |E| reduce::fold(op, IntSum::<E>::NEW, x, dims, keep_dims, |sum| sum))
    }

    #[track_caller]
    fn int_prod(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "int_prod";
        for_int!(op, x.element_type(), |E| {
            reduce::fold(op, IntProduct::<E>::NEW, x, dims, keep_dims, |product| product)
        })
    }

    #[track_caller]
    fn int_cumsum(x: CpuTensor, dim: usize) -> CpuTensor {
        let op = "int_cumsum";
        for_int!(op, x.element_type(), |E| reduce::scan(op, IntSum::<E>::NEW, x, dim, |sum| sum))
    }

    #[track_caller]
    fn int_max(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "int_max";
        for_int!(op, x.element_type(), |E| reduce::extreme(op, OrdMax::<E>::NEW, x, dims, keep_dims, |max| {
            max
        }))
    }

    #[track_caller]
    fn int_min(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        let op = "int_min";
        for_int!(op, x.element_type(), |E| reduce::extreme(op, OrdMin::<E>::NEW, x, dims, keep_dims, |min| {
            min
        }))
    }

    #[track_caller]
    fn int_argmax(x: CpuTensor, dim: usize, keep_dims: bool) -> CpuTensor {
        let (op, extreme) = ("int_argmax", Extreme::Greatest);
        for_int!(op, x.element_type(), |E| reduce::int_arg_reduce::<E>(op, extreme, x, dim, keep_dims))
    }

    #[track_caller]
    fn int_argmin(x: CpuTensor, dim: usize, keep_dims: bool) -> CpuTensor {
        let (op, extreme) = ("int_argmin", Extreme::Least);
        for_int!(op, x.element_type(), |E| reduce::int_arg_reduce::<E>(op, extreme, x, dim, keep_dims))
    }

    #[track_caller]
    fn int_gather(x: CpuTensor, dim: usize, index: CpuTensor) -> CpuTensor {
        let op = "int_gather";
        for_int!(op, x.element_type(), |E| index::gather::<E>(op, &x, dim, &index))
    }

    #[track_caller]
    fn int_scatter_add(x: CpuTensor, dim: usize, index: CpuTensor, src: CpuTensor) -> CpuTensor {
        let op = "int_scatter_add";
        for_int!(op, x.element_type(), |E| index::scatter_add::<E>(op, x, dim, &index, &src))
    }

    #[track_caller]
    fn int_select(x: CpuTensor, dim: usize, index: CpuTensor) -> CpuTensor {
        let op = "int_select";
        for_int!(op, x.element_type(), |E| index::select::<E>(op, &x, dim, &index))
    }

    #[track_caller]
    fn int_select_add(x: CpuTensor, dim: usize, index: CpuTensor, src: CpuTensor) -> CpuTensor {
        let op = "int_select_add";
        for_int!(op, x.element_type(), |E| index::select_add::<E>(op, x, dim, &index, &src))
    }

    #[track_caller]
    fn int_mask_where(x: CpuTensor, mask: CpuTensor, value: CpuTensor) -> CpuTensor {
        let op = "int_mask_where";
        for_int!(op, x.element_type(), |E| elementwise::mask_where::<E>(op, x, &mask, value))
    }

    #[track_caller]
    fn int_mask_fill(x: CpuTensor, mask: CpuTensor, value: i64) -> CpuTensor {
        let op = "int_mask_fill";
        for_int!(op, x.element_type(), |E| elementwise::mask_fill(op, x, &mask, E::from_i64(value)))
    }

    #[track_caller]
    fn int_one_hot(index: CpuTensor, num_classes: usize, dtype: DType) -> CpuTensor {
        for_int!("int_one_hot", dtype, |E| index::one_hot::<E>("int_one_hot", &index, num_classes))
    }
}

#[track_caller]
fn full(op: &'static str, shape: Shape, value: i64, dtype: DType) -> CpuTensor {
    for_int!(op, dtype, |E| CpuTensor::new(vec![E::from_i64(value); shape.num_elements()], shape))
}

/// Checks that no element of `rhs` that divides something is 0.
#[track_caller]
fn check_divisors<E: Integer>(op: &'static str, lhs: &CpuTensor, rhs: &CpuTensor) {
    let quotients = broadcast(op, lhs.layout().shape(), rhs.layout().shape()).or_raise();
    let zeros = elementwise::map::<E, bool>(rhs, 1, |x| x == E::default());
    if quotients.num_elements() > 0 && zeros.dense::<bool>().contains(&true) {
        raise(&OpError::DivisionByZero { op });
    }
}

/// The comparison with a scalar that may lie outside the element type, where it is the same for all elements.
fn compare_scalar<E: Integer>(comparison: impl Comparison, x: &CpuTensor, scalar: i64) -> CpuTensor {
    match E::exactly(scalar) {
        Some(scalar) => elementwise::map::<E, bool>(x, 1, move |x| comparison.holds(x, scalar)),
        None => elementwise::map::<E, bool>(x, 1, move |_| comparison.holds(0, scalar)),
    }
}
