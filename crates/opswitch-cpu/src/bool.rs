//! The boolean ops.

use opswitch_core::{DType, Shape, backend_extension, check_type, movement_methods, ops::BoolOps};

use crate::{
    device::{Cpu, CpuDevice},
    elementwise, movement,
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
}

#[track_caller]
fn check_bool(op: &'static str, x: &CpuTensor) {
    check_type(op, "bool", x.element_type(), |dtype| dtype == DType::Bool);
}
