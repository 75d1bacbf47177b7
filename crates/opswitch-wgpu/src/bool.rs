//! The boolean ops.

use opswitch_core::{DType, Shape, Slice, backend_extension, check_type, movement_methods, ops::BoolOps};

use crate::{
    assign,
    device::{Wgpu, WgpuDevice},
    elementwise::{AND, AND_NOT, BOOL_EQ, NOT, OR, XOR, binary, cast, check_mask, full, mask_where, unary},
    index, reduce,
    tensor::WgpuTensor,
};

macro_rules! logic_methods {
    ($($name:ident => $function:ident;)*) => {$(
        #[track_caller]
        fn $name(lhs: WgpuTensor, rhs: WgpuTensor) -> WgpuTensor {
            check_bool(stringify!($name), &lhs);
            check_bool(stringify!($name), &rhs);
            binary(stringify!($name), &$function, &lhs, &rhs, DType::Bool, 0)
        }
    )*};
}

#[backend_extension]
impl BoolOps for Wgpu {
    #[track_caller]
    fn bool_full(shape: Shape, value: bool, device: &WgpuDevice) -> WgpuTensor {
        full("bool_full", shape, u32::from(value), DType::Bool, *device)
    }

    movement_methods! {
        WgpuTensor: bool_reshape, bool_permute, bool_swap_dims, bool_expand, bool_flip, bool_slice, bool_unfold
    }

    #[track_caller]
    fn bool_slice_assign(x: WgpuTensor, slices: &[Slice], value: WgpuTensor) -> WgpuTensor {
        check_bool("bool_slice_assign", &x);
        assign::slice_assign("bool_slice_assign", x, slices, &value)
    }

    #[track_caller]
    fn bool_cat(tensors: Vec<WgpuTensor>, dim: usize) -> WgpuTensor {
        assign::cat("bool_cat", &tensors, dim)
    }

    #[track_caller]
    fn bool_into_int(x: WgpuTensor, dtype: DType) -> WgpuTensor {
        check_bool("bool_into_int", &x);
        check_type("bool_into_int", "an integer type", dtype, DType::is_int);
        cast("bool_into_int", x, dtype)
    }

    #[track_caller]
    fn bool_into_float(x: WgpuTensor, dtype: DType) -> WgpuTensor {
        check_bool("bool_into_float", &x);
        check_type("bool_into_float", "a float type", dtype, DType::is_float);
        cast("bool_into_float", x, dtype)
    }

    #[track_caller]
    fn bool_not(x: WgpuTensor) -> WgpuTensor {
        check_bool("bool_not", &x);
        unary("bool_not", &NOT, &x, DType::Bool, [0; 2])
    }

    logic_methods! {
        bool_and => AND;
        bool_or => OR;
        bool_xor => XOR;
        bool_eq => BOOL_EQ;
        bool_ne => XOR;
    }

    #[track_caller]
    fn bool_any(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_bool("bool_any", &x);
        reduce::any("bool_any", &x, dims, keep_dims)
    }

    #[track_caller]
    fn bool_all(x: WgpuTensor, dims: &[usize], keep_dims: bool) -> WgpuTensor {
        check_bool("bool_all", &x);
        reduce::all("bool_all", &x, dims, keep_dims)
    }

    #[track_caller]
    fn bool_gather(x: WgpuTensor, dim: usize, index: WgpuTensor) -> WgpuTensor {
        check_bool("bool_gather", &x);
        index::gather("bool_gather", &x, dim, &index)
    }

    #[track_caller]
    fn bool_select(x: WgpuTensor, dim: usize, index: WgpuTensor) -> WgpuTensor {
        check_bool("bool_select", &x);
        index::select("bool_select", &x, dim, &index)
    }

    #[track_caller]
    fn bool_mask_where(x: WgpuTensor, mask: WgpuTensor, value: WgpuTensor) -> WgpuTensor {
        check_bool("bool_mask_where", &x);
        mask_where("bool_mask_where", &x, &mask, &value)
    }

    #[track_caller]
    fn bool_mask_fill(x: WgpuTensor, mask: WgpuTensor, value: bool) -> WgpuTensor {
        check_bool("bool_mask_fill", &x);
        check_mask("bool_mask_fill", &mask);
        let function = if value { &OR } else { &AND_NOT };
        binary("bool_mask_fill", function, &x, &mask, DType::Bool, 0)
    }
}

#[track_caller]
fn check_bool(op: &'static str, x: &WgpuTensor) {
    check_type(op, "bool", x.element_type(), |dtype| dtype == DType::Bool);
}
