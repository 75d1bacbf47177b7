use opswitch::{
    Dispatch,
    ops::{CrossEntropy, NnOps as _, Reduction},
};

use super::{
    super::args::{Args, IntoOutputs},
    Table, run, same,
};

pub(super) const TABLES: &[Table] = &[
    same![softmax log_softmax; |args| (args.float("x"), args.index("dim"))],
    run![
        cross_entropy
            | args
            | Dispatch::cross_entropy(args.float("logits"), args.int("target"), cross_entropy(args))
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
