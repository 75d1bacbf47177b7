use opswitch::{
    Dispatch, FloatTensor, IntTensor, TensorHandle as _,
    ops::{FloatOps as _, IntOps as _, Norm},
};

use super::{
    super::args::{Args, IntoOutputs},
    Table, run, same,
};

pub(super) const TABLES: &[Table] = &[
    same![
        float_neg float_abs float_sign float_exp float_exp_m1 float_ln float_ln_1p float_sqrt float_rsqrt float_recip
        float_square float_sin float_cos float_tan float_asin float_acos float_atan float_sinh float_cosh float_tanh
        float_erf float_floor float_ceil float_round float_trunc float_into_bool
        relu sigmoid log_sigmoid gelu silu float_is_nan float_is_inf float_is_finite;
        |args| (args.float("x"))
    ],
    same![
        float_add float_sub float_mul float_div float_rem float_powf float_atan2 float_minimum float_maximum
        float_eq float_ne float_lt float_le float_gt float_ge float_matmul float_outer float_dot;
        |args| (args.float("lhs"), args.float("rhs"))
    ],
    same![
        float_add_scalar float_sub_scalar float_mul_scalar float_div_scalar float_rem_scalar float_powf_scalar
        float_eq_scalar float_ne_scalar float_lt_scalar float_le_scalar float_gt_scalar float_ge_scalar;
        |args| (args.float("x"), args.number("scalar"))
    ],
    same![
        float_sum float_mean float_prod float_max float_min float_log_sum_exp;
        |args| (args.float("x"), &args.dims(), args.flag("keep_dims"))
    ],
    same![float_max_dim float_min_dim; |args| (args.float("x"), args.index("dim"), args.flag("keep_dims"))],
    same![float_cumsum float_cumprod; |args| (args.float("x"), args.index("dim"))],
    same![float_sort float_argsort; |args| (args.float("x"), args.index("dim"), args.flag("descending"))],
    same![float_reshape float_expand; |args| (args.float("x"), args.shape())],
    same![float_gather float_select; |args| (args.float("x"), args.index("dim"), args.int("index"))],
    same![
        float_scatter_add float_select_add;
        |args| (args.float("x"), args.index("dim"), args.int("index"), args.float("src"))
    ],
    run![
        float_cast | args | Dispatch::float_cast(args.float("x"), args.dtype_param()),
        float_into_int | args | Dispatch::float_into_int(args.float("x"), args.device_ints()),
        float_powi_scalar | args | {
            Dispatch::float_powi_scalar(
                args.float("x"),
                i32::try_from(args.integer("scalar")).expect("a small power"),
            )
        },
        float_clamp | args | Dispatch::float_clamp(args.float("x"), args.number("min"), args.number("max")),
        float_clamp_min | args | Dispatch::float_clamp_min(args.float("x"), args.number("min")),
        float_clamp_max | args | Dispatch::float_clamp_max(args.float("x"), args.number("max")),
        softplus | args | Dispatch::softplus(args.float("x"), args.number("beta")),
        leaky_relu | args | Dispatch::leaky_relu(args.float("x"), args.number("negative_slope")),
        float_var | args | {
            Dispatch::float_var(
                args.float("x"),
                &args.dims(),
                args.flag("keep_dims"),
                args.index("correction"),
            )
        },
        float_norm | args | {
            Dispatch::float_norm(args.float("x"), &args.dims(), args.flag("keep_dims"), norm(args))
        },
        float_topk | args | {
            Dispatch::float_topk(args.float("x"), args.index("k"), args.index("dim"), args.flag("largest"))
        },
        float_einsum | args | Dispatch::float_einsum(args.floats("tensors"), args.text("equation")),
        float_argmax | args | arg(args, Dispatch::float_argmax),
        float_argmin | args | arg(args, Dispatch::float_argmin),
        float_permute | args | Dispatch::float_permute(args.float("x"), &args.indices("axes")),
        float_swap_dims
            | args
            | Dispatch::float_swap_dims(args.float("x"), args.index("dim1"), args.index("dim2")),
        float_repeat | args | Dispatch::float_repeat(args.float("x"), &args.indices("times")),
        float_pad
            | args
            | Dispatch::float_pad(
                args.float("x"),
                &args.pairs("pads"),
                args.pad_mode(|args| args.number("value")),
            ),
        float_unfold
            | args
            | Dispatch::float_unfold(
                args.float("x"),
                args.index("dim"),
                args.index("size"),
                args.index("step"),
            ),
        float_flip | args | Dispatch::float_flip(args.float("x"), &args.indices("dims")),
        float_slice | args | Dispatch::float_slice(args.float("x"), &args.slices()),
        float_slice_assign
            | args
            | Dispatch::float_slice_assign(args.float("x"), &args.slices(), args.float("value")),
        float_cat | args | Dispatch::float_cat(args.floats("tensors"), args.index("dim")),
        float_mask_where
            | args
            | Dispatch::float_mask_where(args.float("x"), args.bool("mask"), args.float("value")),
        float_mask_fill
            | args
            | Dispatch::float_mask_fill(args.float("x"), args.bool("mask"), args.number("value")),
        float_one_hot
            | args
            | Dispatch::float_one_hot(args.int("index"), args.index("num_classes"), args.dtype()),
    ],
];

type Arg = fn(FloatTensor<Dispatch>, usize, bool) -> IntTensor<Dispatch>;

/// Along a dimension, or of the flattened tensor.
fn arg(args: &Args<'_>, op: Arg) -> IntTensor<Dispatch> {
    let (x, keep_dims) = (args.float("x"), args.flag("keep_dims"));
    let Some(dim) = args.optional_dim() else {
        let (rank, count) = (x.shape().rank(), x.shape().num_elements());
        let index = op(Dispatch::float_reshape(x, [count].into()), 0, false);
        let kept = vec![1; if keep_dims { rank } else { 0 }];
        return Dispatch::int_reshape(index, kept.into());
    };
    op(x, dim, keep_dims)
}

fn norm(args: &Args<'_>) -> Norm {
    match args.optional_integer("p") {
        Some(1) => Norm::L1,
        Some(2) => Norm::L2,
        Some(p) => panic!("there is no norm {p}"),
        None => Norm::Infinity,
    }
}
