//! The boolean ops. A boolean is a `u32`, 0 or 1, on the device.

use opswitch_core::{DType, Shape, Slice, backend_extension, check_type, movement_methods, ops::BoolOps};

use crate::{
    assign,
    backend::Cube,
    create,
    device::CubeDevice,
    elementwise::{self, IntComparison, IntMap, IntZip},
    index,
    reduce::{self, Reduction},
    tensor::CubeTensor,
};

macro_rules! logic_methods {
    ($($name:ident => $function:expr;)*) => {$(
        #[track_caller]
        fn $name(lhs: CubeTensor, rhs: CubeTensor) -> CubeTensor {
            check_bool(stringify!($name), &lhs);
            check_bool(stringify!($name), &rhs);
            elementwise::zip::<u32, u32, _>(stringify!($name), $function, lhs, rhs, DType::Bool)
        }
    )*};
}

#[backend_extension]
impl BoolOps for Cube {
    fn bool_full(shape: Shape, value: bool, device: &CubeDevice) -> CubeTensor {
        create::full("bool_full", shape, u32::from(value), DType::Bool, *device)
    }

    movement_methods! {
        CubeTensor: bool_reshape, bool_permute, bool_swap_dims, bool_expand, bool_flip, bool_slice, bool_unfold
    }

    #[track_caller]
    fn bool_slice_assign(x: CubeTensor, slices: &[Slice], value: CubeTensor) -> CubeTensor {
        check_bool("bool_slice_assign", &x);
        assign::slice_assign("bool_slice_assign", x, slices, value)
    }

    #[track_caller]
    fn bool_cat(tensors: Vec<CubeTensor>, dim: usize) -> CubeTensor {
        assign::cat("bool_cat", tensors, dim)
    }

    #[track_caller]
    fn bool_into_int(x: CubeTensor, dtype: DType) -> CubeTensor {
        check_bool("bool_into_int", &x);
        check_type("bool_into_int", "an integer type", dtype, DType::is_int);
        elementwise::cast("bool_into_int", x, dtype)
    }

    #[track_caller]
    fn bool_into_float(x: CubeTensor, dtype: DType) -> CubeTensor {
        check_bool("bool_into_float", &x);
        check_type("bool_into_float", "a float type", dtype, DType::is_float);
        elementwise::cast("bool_into_float", x, dtype)
    }

    #[track_caller]
    fn bool_not(x: CubeTensor) -> CubeTensor {
        check_bool("bool_not", &x);
        elementwise::map::<u32, u32, _>("bool_not", IntMap::Not, x, DType::Bool)
    }

    logic_methods! {
        bool_and => IntZip::And;
        bool_or => IntZip::Or;
        bool_xor => IntZip::Xor;
        bool_eq => IntComparison::Equal;
        bool_ne => IntComparison::NotEqual;
    }

    #[track_caller]
    fn bool_any(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        check_bool("bool_any", &x);
        reduce::reduce("bool_any", Reduction::Any, x, dims, keep_dims)
    }

    #[track_caller]
    fn bool_all(x: CubeTensor, dims: &[usize], keep_dims: bool) -> CubeTensor {
        check_bool("bool_all", &x);
        reduce::reduce("bool_all", Reduction::All, x, dims, keep_dims)
    }

    #[track_caller]
    fn bool_gather(x: CubeTensor, dim: usize, index: CubeTensor) -> CubeTensor {
        check_bool("bool_gather", &x);
        index::gather("bool_gather", x, dim, index)
    }

    #[track_caller]
    fn bool_select(x: CubeTensor, dim: usize, index: CubeTensor) -> CubeTensor {
        check_bool("bool_select", &x);
        index::select("bool_select", x, dim, index)
    }

    #[track_caller]
    fn bool_mask_where(x: CubeTensor, mask: CubeTensor, value: CubeTensor) -> CubeTensor {
        check_bool("bool_mask_where", &x);
        elementwise::mask_where("bool_mask_where", x, mask, value)
    }

    #[track_caller]
    fn bool_mask_fill(x: CubeTensor, mask: CubeTensor, value: bool) -> CubeTensor {
        check_bool("bool_mask_fill", &x);
        elementwise::mask_fill("bool_mask_fill", x, mask, u32::from(value))
    }
}

#[track_caller]
fn check_bool(op: &'static str, x: &CubeTensor) {
    check_type(op, "bool", x.element_type(), |dtype| dtype == DType::Bool);
}
