use opswitch::{
    Dispatch, QuantLevel, QuantizedTensor,
    ops::{FloatOps as _, QuantizedOps as _},
};

use super::{
    super::args::{Args, IntoOutputs, Output},
    Table, run,
};

pub(super) const TABLES: &[Table] = &[run![
    quantize | args | {
        let zero_point = args.optional_int("zero_point");
        let q = Dispatch::quantize(args.float("x"), args.float("scale"), zero_point, args.scheme(None));
        Dispatch::q_codes(q)
    },
    quantize_dynamic | args | parts(args, Dispatch::quantize_dynamic(args.float("x"), args.scheme(None))),
    dequantize | args | {
        let scheme = args.scheme(None);
        let q = Dispatch::q_from_codes(
            args.int("q"),
            args.float("scale"),
            args.optional_int("zero_point"),
            scheme,
        );
        Dispatch::dequantize(q, args.dtype())
    },
    q_matmul | args | {
        let side = |name: &str| {
            let zero_point = args.optional_int(&format!("{name}_zero_point"));
            let scale = args.float(&format!("{name}_scale"));
            Dispatch::q_from_codes(args.int(name), scale, zero_point, args.scheme(Some(name)))
        };
        Dispatch::float_cast(Dispatch::q_matmul(side("lhs"), side("rhs")), args.dtype())
    },
    q_reshape | args | moved(args, |q| Dispatch::q_reshape(q, args.shape())),
    q_permute | args | moved(args, |q| Dispatch::q_permute(q, &args.indices("axes"))),
    q_swap_dims | args | moved(args, |q| Dispatch::q_swap_dims(q, args.index("dim1"), args.index("dim2"))),
    q_expand | args | moved(args, |q| Dispatch::q_expand(q, args.shape())),
    q_flip | args | moved(args, |q| Dispatch::q_flip(q, &args.indices("dims"))),
    q_slice | args | moved(args, |q| Dispatch::q_slice(q, &args.slices())),
    q_select | args | moved(args, |q| Dispatch::q_select(q, args.index("dim"), args.int("index"))),
]];

/// What an op makes of the tensor with the codes of the case. It also says where the channels are.
fn moved(
    args: &Args<'_>,
    op: impl Fn(QuantizedTensor<Dispatch>) -> QuantizedTensor<Dispatch>,
) -> Vec<Output> {
    let (zero_point, scheme) = (args.optional_int("zero_point"), args.scheme(Some("scheme")));
    let q = Dispatch::q_from_codes(args.int("q"), args.float("scale"), zero_point, scheme);
    let q = op(q);
    if let QuantLevel::Channel { axis } = Dispatch::q_into_parts(q.clone()).scheme.level {
        assert_eq!(axis, args.index("axis_out"), "the axis of the channels");
    }
    parts(args, q)
}

/// Codes, scale and zero point. The scale of a half is wider than it.
fn parts(args: &Args<'_>, q: QuantizedTensor<Dispatch>) -> Vec<Output> {
    let mut outputs = Dispatch::q_codes(q.clone()).into_outputs();
    outputs.extend(Dispatch::float_cast(Dispatch::q_scale(q.clone()), args.dtype()).into_outputs());
    outputs.extend(Dispatch::q_zero_point(q).into_iter().flat_map(IntoOutputs::into_outputs));
    outputs
}
