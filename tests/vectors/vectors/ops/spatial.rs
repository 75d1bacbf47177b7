use opswitch::{
    Dispatch,
    ops::{AvgPoolOptions, ConvOptions, ConvTransposeOptions, InterpolateMode, MaxPoolOptions, NnOps as _},
};

use super::{
    super::args::{Args, IntoOutputs},
    Table, run, same,
};

pub(super) const TABLES: &[Table] = &[
    same![
        conv1d conv2d conv3d;
        |args| (args.float("x"), args.float("weight"), args.optional_float("bias"), conv(args))
    ],
    same![
        conv_transpose1d conv_transpose2d conv_transpose3d;
        |args| (args.float("x"), args.float("weight"), args.optional_float("bias"), conv_transpose(args))
    ],
    same![
        max_pool1d max_pool2d max_pool1d_with_indices max_pool2d_with_indices;
        |args| (args.float("x"), max_pool(args))
    ],
    same![avg_pool1d avg_pool2d; |args| (args.float("x"), avg_pool(args))],
    same![adaptive_avg_pool1d adaptive_avg_pool2d; |args| (args.float("x"), args.array("output_size"))],
    run![
        interpolate
            | args
            | Dispatch::interpolate(
                args.float("x"),
                args.array("output_size"),
                interpolate_mode(args),
                args.optional_flag("align_corners"),
            )
    ],
];

fn conv<const N: usize>(args: &Args<'_>) -> ConvOptions<N> {
    ConvOptions {
        stride: args.array("stride"),
        padding: args.array("padding"),
        dilation: args.array("dilation"),
        groups: args.index("groups"),
    }
}

fn conv_transpose<const N: usize>(args: &Args<'_>) -> ConvTransposeOptions<N> {
    ConvTransposeOptions {
        stride: args.array("stride"),
        padding: args.array("padding"),
        output_padding: args.array("output_padding"),
        dilation: args.array("dilation"),
        groups: args.index("groups"),
    }
}

fn max_pool<const N: usize>(args: &Args<'_>) -> MaxPoolOptions<N> {
    MaxPoolOptions {
        kernel_size: args.array("kernel_size"),
        stride: args.array("stride"),
        padding: args.array("padding"),
        dilation: args.array("dilation"),
        ceil_mode: args.flag("ceil_mode"),
    }
}

fn avg_pool<const N: usize>(args: &Args<'_>) -> AvgPoolOptions<N> {
    AvgPoolOptions {
        kernel_size: args.array("kernel_size"),
        stride: args.array("stride"),
        padding: args.array("padding"),
        ceil_mode: args.flag("ceil_mode"),
        count_include_pad: args.flag("count_include_pad"),
    }
}

fn interpolate_mode(args: &Args<'_>) -> InterpolateMode {
    match args.text("mode") {
        "nearest" => InterpolateMode::Nearest,
        "bilinear" => InterpolateMode::Bilinear,
        "bicubic" => InterpolateMode::Bicubic,
        other => panic!("`{other}` is no way to interpolate"),
    }
}
