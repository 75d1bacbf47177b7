use opswitch::{Dispatch, ops::BoolOps as _};

use super::{
    super::args::{Args, IntoOutputs},
    Table, run, same,
};

pub(super) const TABLES: &[Table] = &[
    same![bool_not; |args| (args.bool("x"))],
    same![bool_and bool_or bool_xor bool_eq bool_ne; |args| (args.bool("lhs"), args.bool("rhs"))],
    same![bool_any bool_all; |args| (args.bool("x"), &args.dims(), args.flag("keep_dims"))],
    same![bool_reshape bool_expand; |args| (args.bool("x"), args.shape())],
    same![bool_gather bool_select; |args| (args.bool("x"), args.index("dim"), args.int("index"))],
    run![
        bool_into_int | args | Dispatch::bool_into_int(args.bool("x"), args.device_ints()),
        bool_into_float | args | Dispatch::bool_into_float(args.bool("x"), args.dtype()),
        bool_permute | args | Dispatch::bool_permute(args.bool("x"), &args.indices("axes")),
        bool_swap_dims
            | args
            | Dispatch::bool_swap_dims(args.bool("x"), args.index("dim1"), args.index("dim2")),
        bool_flip | args | Dispatch::bool_flip(args.bool("x"), &args.indices("dims")),
        bool_slice | args | Dispatch::bool_slice(args.bool("x"), &args.slices()),
        bool_unfold
            | args
            | Dispatch::bool_unfold(
                args.bool("x"),
                args.index("dim"),
                args.index("size"),
                args.index("step")
            ),
        bool_slice_assign
            | args
            | Dispatch::bool_slice_assign(args.bool("x"), &args.slices(), args.bool("value")),
        bool_repeat | args | Dispatch::bool_repeat(args.bool("x"), &args.indices("times")),
        bool_pad
            | args
            | Dispatch::bool_pad(
                args.bool("x"),
                &args.pairs("pads"),
                args.pad_mode(|args| args.flag("value")),
            ),
        bool_mask_where
            | args
            | Dispatch::bool_mask_where(args.bool("x"), args.bool("mask"), args.bool("value")),
        bool_mask_fill
            | args
            | Dispatch::bool_mask_fill(args.bool("x"), args.bool("mask"), args.flag("value")),
        bool_cat | args | Dispatch::bool_cat(args.bools("tensors"), args.index("dim")),
    ],
];
