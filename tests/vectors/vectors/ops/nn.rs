use opswitch::{
    Dispatch,
    ops::{AttentionMask, CrossEntropy, NnOps as _, Reduction},
};

use super::{
    super::args::{Args, IntoOutputs, Output},
    Table, run, same,
};

pub(super) const TABLES: &[Table] = &[
    same![softmax log_softmax; |args| (args.float("x"), args.index("dim"))],
    run![
        cross_entropy
            | args
            | Dispatch::cross_entropy(args.float("logits"), args.int("target"), cross_entropy(args)),
        layer_norm
            | args
            | Dispatch::layer_norm(
                args.float("x"),
                args.optional_float("weight"),
                args.optional_float("bias"),
                args.index("normalized_dims"),
                args.number("eps"),
            ),
        rms_norm
            | args
            | Dispatch::rms_norm(
                args.float("x"),
                args.optional_float("weight"),
                args.index("normalized_dims"),
                args.number("eps"),
            ),
        group_norm
            | args
            | Dispatch::group_norm(
                args.float("x"),
                args.optional_float("weight"),
                args.optional_float("bias"),
                args.index("num_groups"),
                args.number("eps"),
            ),
        batch_norm | args | batch_norm(args),
        mse | args | Dispatch::mse(args.float("input"), args.float("target"), reduction(args)),
        binary_cross_entropy_with_logits
            | args
            | Dispatch::binary_cross_entropy_with_logits(
                args.float("logits"),
                args.float("target"),
                reduction(args)
            ),
        embedding | args | Dispatch::embedding(args.float("weight"), args.int("indices")),
        scaled_dot_product_attention
            | args
            | Dispatch::scaled_dot_product_attention(
                args.float("query"),
                args.float("key"),
                args.float("value"),
                attention_mask(args),
                args.flag("causal"),
                args.optional_number("scale"),
            ),
    ],
];

fn reduction(args: &Args<'_>) -> Reduction {
    match args.text("reduction") {
        "none" => Reduction::None,
        "mean" => Reduction::Mean,
        "sum" => Reduction::Sum,
        other => panic!("`{other}` is no reduction"),
    }
}

fn cross_entropy(args: &Args<'_>) -> CrossEntropy {
    CrossEntropy {
        reduction: reduction(args),
        ignore_index: args.optional_integer("ignore_index"),
        label_smoothing: args.number("label_smoothing"),
    }
}

/// The result, and in training the running statistics after it; else they are what was given.
fn batch_norm(args: &Args<'_>) -> Vec<Output> {
    let training = args.flag("training");
    let (result, mean, var) = Dispatch::batch_norm(
        args.float("x"),
        args.optional_float("weight"),
        args.optional_float("bias"),
        args.float("running_mean"),
        args.float("running_var"),
        training,
        args.number("momentum"),
        args.number("eps"),
    );
    let mut outputs = vec![Output::Float(result)];
    if training {
        outputs.extend([mean, var].map(Output::Float));
    }
    outputs
}

fn attention_mask(args: &Args<'_>) -> Option<AttentionMask<Dispatch>> {
    let seen = args.optional_bool("mask").map(AttentionMask::Bool);
    seen.or_else(|| args.optional_float("mask").map(AttentionMask::Float))
}
