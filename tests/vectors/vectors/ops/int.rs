use opswitch::{Dispatch, IntTensor, TensorHandle as _, ops::IntOps as _};

use super::{
    super::args::{Args, IntoOutputs},
    Table, run, same,
};

pub(super) const TABLES: &[Table] = &[
    same![int_neg int_abs int_sign int_bitwise_not int_into_bool; |args| (args.int("x"))],
    same![
        int_add int_sub int_mul int_div int_rem int_bitwise_and int_bitwise_or int_bitwise_xor int_shift_left int_shift_right
        int_eq int_ne int_lt int_le int_gt int_ge;
        |args| (args.int("lhs"), args.int("rhs"))
    ],
    same![
        int_add_scalar int_sub_scalar int_mul_scalar int_div_scalar int_rem_scalar
        int_bitwise_and_scalar int_bitwise_or_scalar int_bitwise_xor_scalar int_shift_left_scalar int_shift_right_scalar
        int_eq_scalar int_ne_scalar int_lt_scalar int_le_scalar int_gt_scalar int_ge_scalar;
        |args| (args.int("x"), args.integer("scalar"))
    ],
    same![int_sum int_prod int_max int_min int_any int_all; |args| (args.int("x"), &args.dims(), args.flag("keep_dims"))],
    same![int_reshape int_expand; |args| (args.int("x"), args.shape())],
    same![int_gather int_select; |args| (args.int("x"), args.index("dim"), args.int("index"))],
    same![
        int_scatter_add int_select_add;
        |args| (args.int("x"), args.index("dim"), args.int("index"), args.int("src"))
    ],
    run![
        int_arange
            | args
            | Dispatch::int_arange(
                args.integer("start"),
                args.integer("end"),
                args.integer("step"),
                args.device_ints(),
                args.device(),
            ),
        int_cumsum | args | Dispatch::int_cumsum(args.int("x"), args.index("dim")),
        int_cast | args | Dispatch::int_cast(args.int("x"), args.dtype_param()),
        int_into_float | args | Dispatch::int_into_float(args.int("x"), args.dtype()),
        int_permute | args | Dispatch::int_permute(args.int("x"), &args.indices("axes")),
        int_swap_dims | args | Dispatch::int_swap_dims(args.int("x"), args.index("dim1"), args.index("dim2")),
        int_flip | args | Dispatch::int_flip(args.int("x"), &args.indices("dims")),
        int_slice | args | Dispatch::int_slice(args.int("x"), &args.slices()),
        int_unfold
            | args
            | Dispatch::int_unfold(args.int("x"), args.index("dim"), args.index("size"), args.index("step")),
        int_slice_assign
            | args
            | Dispatch::int_slice_assign(args.int("x"), &args.slices(), args.int("value")),
        int_repeat | args | Dispatch::int_repeat(args.int("x"), &args.indices("times")),
        int_pad
            | args
            | Dispatch::int_pad(
                args.int("x"),
                &args.pairs("pads"),
                args.pad_mode(|args| args.integer("value")),
            ),
        int_argmax | args | arg(args, Dispatch::int_argmax),
        int_argmin | args | arg(args, Dispatch::int_argmin),
        int_one_hot
            | args
            | Dispatch::int_one_hot(args.int("index"), args.index("num_classes"), args.device_ints()),
        int_cat | args | Dispatch::int_cat(args.ints("tensors"), args.index("dim")),
        int_mask_where | args | Dispatch::int_mask_where(args.int("x"), args.bool("mask"), args.int("value")),
        int_mask_fill
            | args
            | Dispatch::int_mask_fill(args.int("x"), args.bool("mask"), args.integer("value")),
    ],
];

type Arg = fn(IntTensor<Dispatch>, usize, bool) -> IntTensor<Dispatch>;

/// Along a dimension, or of the flattened tensor.
fn arg(args: &Args<'_>, op: Arg) -> IntTensor<Dispatch> {
    let (x, keep_dims) = (args.int("x"), args.flag("keep_dims"));
    let Some(dim) = args.optional_dim() else {
        let (rank, count) = (x.shape().rank(), x.shape().num_elements());
        let index = op(Dispatch::int_reshape(x, [count].into()), 0, false);
        let kept = vec![1; if keep_dims { rank } else { 0 }];
        return Dispatch::int_reshape(index, kept.into());
    };
    op(x, dim, keep_dims)
}
