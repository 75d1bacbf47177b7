//! The boolean ops.

use opswitch_core::{DType, Shape, Slice, backend_extension, check_type, movement_methods, ops::BoolOps};

use crate::{
    device::{Cpu, CpuDevice},
    elementwise, index, movement,
    reduce::{self, OrdMax, OrdMin},
    tensor::CpuTensor,
};

macro_rules! logic_methods {
    ($($name:ident($lhs:ident, $rhs:ident) => $body:expr;)*) => {$(
        #[track_caller]
        fn $name(lhs: CpuTensor, rhs: CpuTensor) -> CpuTensor {
            check_bool(stringify!($name), &lhs);
            check_bool(stringify!($name), &rhs);
            elementwise::zip_in_place(stringify!($name), lhs, rhs, 1, |$lhs: bool, $rhs: bool| $body)
        }
    )*};
}

#[backend_extension]
impl BoolOps for Cpu {
    fn bool_full(shape: Shape, value: bool, _: &CpuDevice) -> CpuTensor {
        CpuTensor::new(vec![value; shape.num_elements()], shape)
    }

    movement_methods! {
        CpuTensor: bool_reshape, bool_permute, bool_swap_dims, bool_expand, bool_flip, bool_slice, bool_unfold
    }

    #[track_caller]
    fn bool_slice_assign(x: CpuTensor, slices: &[Slice], value: CpuTensor) -> CpuTensor {
        check_bool("bool_slice_assign", &x);
        movement::slice_assign::<bool>("bool_slice_assign", x, slices, &value)
    }

    #[track_caller]
    fn bool_cat(tensors: Vec<CpuTensor>, dim: usize) -> CpuTensor {
        movement::cat("bool_cat", tensors, dim)
    }

    #[track_caller]
    fn bool_into_int(x: CpuTensor, dtype: DType) -> CpuTensor {
        check_bool("bool_into_int", &x);
        check_type("bool_into_int", "an integer type", dtype, DType::is_int);
        elementwise::cast(x, dtype)
    }

    #[track_caller]
    fn bool_into_float(x: CpuTensor, dtype: DType) -> CpuTensor {
        check_bool("bool_into_float", &x);
        check_type("bool_into_float", "a float type", dtype, DType::is_float);
        elementwise::cast(x, dtype)
    }

    #[track_caller]
    fn bool_not(x: CpuTensor) -> CpuTensor {
        check_bool("bool_not", &x);
        elementwise::map_in_place(x, 1, |x: bool| !x)
    }

    logic_methods! {
        bool_and(lhs, rhs) => lhs & rhs;
        bool_or(lhs, rhs) => lhs | rhs;
        bool_xor(lhs, rhs) => lhs ^ rhs;
        bool_eq(lhs, rhs) => lhs == rhs;
        bool_ne(lhs, rhs) => lhs != rhs;
    }

    #[track_caller]
    fn bool_any(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        check_bool("bool_any", &x);
        reduce::fold("bool_any", OrdMax::<bool>::NEW, x, dims, keep_dims, |any| any)
    }

    #[track_caller]
    fn bool_all(x: CpuTensor, dims: &[usize], keep_dims: bool) -> CpuTensor {
        check_bool("bool_all", &x);
        reduce::fold("bool_all", OrdMin::<bool>::NEW, x, dims, keep_dims, |all| all)
    }

    #[track_caller]
    fn bool_gather(x: CpuTensor, dim: usize, index: CpuTensor) -> CpuTensor {
        check_bool("bool_gather", &x);
        index::gather::<bool>("bool_gather", &x, dim, &index)
    }

    #[track_caller]
    fn bool_select(x: CpuTensor, dim: usize, index: CpuTensor) -> CpuTensor {
        check_bool("bool_select", &x);
        index::select::<bool>("bool_select", &x, dim, &index)
    }

    #[track_caller]
    fn bool_mask_where(x: CpuTensor, mask: CpuTensor, value: CpuTensor) -> CpuTensor {
        check_bool("bool_mask_where", &x);
        elementwise::mask_where::<bool>("bool_mask_where", x, &mask, value)
    }

    #[track_caller]
    fn bool_mask_fill(x: CpuTensor, mask: CpuTensor, value: bool) -> CpuTensor {
        check_bool("bool_mask_fill", &x);
        elementwise::mask_fill("bool_mask_fill", x, &mask, value)
    }
}

#[track_caller]
fn check_bool(op: &'static str, x: &CpuTensor) {
    check_type(op, "bool", x.element_type(), |dtype| dtype == DType::Bool);
}
