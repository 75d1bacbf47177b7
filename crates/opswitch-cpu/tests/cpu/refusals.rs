//! What does not fit is refused at the caller's line, with a text that names the op.

use std::{
    cell::{Cell, RefCell},
    panic,
    sync::Once,
};

use opswitch_core::{
    DType, Slice,
    ops::{BoolOps, Distribution, FloatOps, IntOps, NnOps, Norm},
};
use opswitch_cpu::{Cpu, CpuDevice, CpuTensor};

use super::{counting, tensor};

thread_local! {
    /// Text, file and line of this thread's last panic.
    static LAST: RefCell<Option<(String, String, u32)>> = const { RefCell::new(None) };
    /// Whether this thread is about to be refused, which is no news.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// The text of the panic in `f`, which must be at `line` of this file, or at the next where the call has a line of
/// its own.
#[track_caller]
fn refusal<T>(line: u32, f: impl FnOnce() -> T + panic::UnwindSafe) -> String {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let at = info.location().expect("panics have a location");
            let text = info.payload_as_str().unwrap_or_default().to_owned();
            LAST.set(Some((text, at.file().to_owned(), at.line())));
            if !EXPECTED.get() {
                usual(info);
            }
        }));
    });
    EXPECTED.set(true);
    let refused = panic::catch_unwind(f).is_err();
    EXPECTED.set(false);
    assert!(refused, "nothing was refused");
    let (text, file, at) = LAST.take().expect("the hook has run");
    let here = file.ends_with("refusals.rs") && (line..=line + 1).contains(&at);
    assert!(here, "`{text}` was raised at {file}:{at}, not at line {line}");
    text
}

/// Checks the text with which one call on one line is refused.
macro_rules! refused {
    ($call:expr, $text:literal) => {
        assert_eq!(refusal(line!(), || $call), $text)
    };
}

fn ints(values: &[i64]) -> CpuTensor {
    tensor(values, [values.len()])
}

#[test]
fn shapes_that_do_not_fit() {
    let x = || counting([2, 3]);
    let text = refusal(line!(), || Cpu::float_add(x(), counting([4])));
    assert!(text.starts_with("float_add: shapes [2, 3] and [4] do not fit"), "{text}");
    let starts = [
        ("float_reshape: shapes [2, 3] and [4]", refusal(line!(), || Cpu::float_reshape(x(), [4].into()))),
        ("float_permute: shape [2, 3]", refusal(line!(), || Cpu::float_permute(x(), &[0, 0]))),
        ("float_swap_dims: shape [2, 3]", refusal(line!(), || Cpu::float_swap_dims(x(), 0, 2))),
        (
            "float_expand: shapes [2, 3] and [4, 3]",
            refusal(line!(), || Cpu::float_expand(x(), [4, 3].into())),
        ),
        ("float_flip: shape [2, 3]", refusal(line!(), || Cpu::float_flip(x(), &[2]))),
        ("float_slice: shape [2, 3]", refusal(line!(), || Cpu::float_slice(x(), &[Slice::FULL; 3]))),
        (
            "float_cat: shapes [2, 3] and [3]",
            refusal(line!(), || Cpu::float_cat(vec![x(), counting([3])], 0)),
        ),
        ("float_cat: shape []", refusal(line!(), || Cpu::float_cat(vec![], 0))),
        ("float_sum: shape [2, 3]", refusal(line!(), || Cpu::float_sum(x(), &[2], false))),
        ("float_sum: shape [2, 3]", refusal(line!(), || Cpu::float_sum(x(), &[1, 1], false))),
        ("float_mean: shape [2, 3]", refusal(line!(), || Cpu::float_mean(x(), &[5], false))),
        ("float_argmax: shape [2, 3]", refusal(line!(), || Cpu::float_argmax(x(), 2, false))),
        ("float_matmul: shapes [2, 3] and [2, 3]", refusal(line!(), || Cpu::float_matmul(x(), x()))),
        (
            "float_gather: shapes [2, 3] and [3]",
            refusal(line!(), || Cpu::float_gather(x(), 0, ints(&[0, 0, 0]))),
        ),
        ("float_log_sum_exp: shape [2, 3]", refusal(line!(), || Cpu::float_log_sum_exp(x(), &[2], true))),
        ("softmax: shape [2, 3]", refusal(line!(), || Cpu::softmax(x(), 2))),
        ("log_softmax: shape []", refusal(line!(), || Cpu::log_softmax(counting([]), 0))),
        (
            "float_mask_fill: shapes",
            refusal(line!(), || Cpu::float_mask_fill(x(), tensor([true; 4], [4]), 0.0)),
        ),
        (
            "bool_and: shapes",
            refusal(line!(), || Cpu::bool_and(tensor([true; 4], [4]), tensor([true; 3], [3]))),
        ),
        ("int_div: shapes", refusal(line!(), || Cpu::int_div(ints(&[1, 2]), ints(&[1, 2, 3])))),
    ];
    for (start, text) in starts {
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn element_types_that_differ() {
    let doubles = || tensor([1f64, 2.], [2]);
    refused!(
        Cpu::float_mul(counting([2]), doubles()),
        "float_mul: element types f32 and f64 differ; cast one of the tensors"
    );
    refused!(
        Cpu::float_matmul(doubles(), counting([2])),
        "float_matmul: element types f64 and f32 differ; cast one of the tensors"
    );
    refused!(
        Cpu::int_eq(ints(&[1]), tensor([1i32], [1])),
        "int_eq: element types i64 and i32 differ; cast one of the tensors"
    );
    refused!(
        Cpu::float_lt(counting([1]), ints(&[1])),
        "float_lt: element types f32 and i64 differ; cast one of the tensors"
    );
    refused!(
        Cpu::float_cat(vec![counting([2]), doubles()], 0),
        "float_cat: element types f32 and f64 differ; cast one of the tensors"
    );
}

#[test]
fn element_types_of_another_kind() {
    refused!(Cpu::float_exp(ints(&[1])), "float_exp: the element type must be a float type, but it is i64");
    refused!(
        Cpu::float_add(ints(&[1]), ints(&[1])),
        "float_add: the element type must be a float type, but it is i64"
    );
    refused!(Cpu::int_neg(counting([1])), "int_neg: the element type must be an integer type, but it is f32");
    refused!(Cpu::bool_not(ints(&[1])), "bool_not: the element type must be bool, but it is i64");
    refused!(
        Cpu::float_zeros([1].into(), DType::I8, &CpuDevice),
        "float_zeros: the element type must be a float type, but it is i8"
    );
    refused!(
        Cpu::float_cast(counting([1]), DType::Bool),
        "float_cast: the element type must be a float type, but it is bool"
    );
    refused!(
        Cpu::float_mask_fill(counting([1]), ints(&[1]), 0.0),
        "float_mask_fill: the element type must be bool for the mask, but it is i64"
    );
    refused!(
        Cpu::float_select(counting([1]), 0, counting([1])),
        "float_select: the element type must be an integer type for the index, but it is f32"
    );
}

#[test]
fn indices_out_of_range() {
    let x = || counting([2, 3]);
    refused!(
        Cpu::float_select(x(), 1, ints(&[0, 3])),
        "float_select: index 3 is out of range for a dimension of extent 3"
    );
    refused!(
        Cpu::float_gather(counting([2]), 0, ints(&[-1])),
        "float_gather: index -1 is out of range for a dimension of extent 2"
    );
    refused!(
        Cpu::float_scatter_add(counting([2]), 0, ints(&[2]), counting([1])),
        "float_scatter_add: index 2 is out of range for a dimension of extent 2"
    );
    refused!(
        Cpu::float_select_add(x(), 0, ints(&[9]), counting([1, 3])),
        "float_select_add: index 9 is out of range for a dimension of extent 2"
    );
    refused!(
        Cpu::float_one_hot(ints(&[0, 5]), 4, DType::F32),
        "float_one_hot: index 5 is out of range for a dimension of extent 4"
    );
}

#[test]
fn values_that_have_no_result() {
    refused!(Cpu::int_div(ints(&[1, 2]), ints(&[1, 0])), "int_div: an integer is divided by zero");
    refused!(Cpu::int_rem(ints(&[1, 2]), ints(&[0])), "int_rem: an integer is divided by zero");
    refused!(Cpu::int_div_scalar(ints(&[1]), 0), "int_div_scalar: an integer is divided by zero");
    refused!(Cpu::int_rem_scalar(tensor([1u8], [1]), 256), "int_rem_scalar: an integer is divided by zero");
    refused!(Cpu::int_arange(0, 5, 0, DType::I64, &CpuDevice), "int_arange: the step cannot be 0");
    refused!(
        Cpu::float_max(counting([0]), &[0], false),
        "float_max: shape [0] does not fit: an extreme of no elements is asked for"
    );
    refused!(
        Cpu::float_min_dim(counting([2, 0]), 1, false),
        "float_min_dim: shape [2, 0] does not fit: an extreme of no elements is asked for"
    );
    let impossible = Distribution::Bernoulli { probability: 1.5 };
    refused!(
        Cpu::float_random([1].into(), impossible, DType::F32, &CpuDevice),
        "float_random: a probability lies in 0..=1"
    );
}

#[test]
fn nothing_is_divided_by_a_zero_that_meets_no_element() {
    let quotient = Cpu::int_div(tensor::<i64>([], [0]), ints(&[0]));
    assert_eq!(quotient.into_data().unwrap().shape().dims(), [0]);
}

#[test]
fn scans_and_sorts_that_do_not_fit() {
    let x = || counting([2, 3]);
    let number = || counting([]);
    refused!(Cpu::float_cumsum(x(), 2), "float_cumsum: shape [2, 3] does not fit: there is no dimension 2");
    refused!(
        Cpu::float_cumprod(number(), 0),
        "float_cumprod: shape [] does not fit: there is no dimension 0"
    );
    refused!(
        Cpu::float_argsort(number(), 0, true),
        "float_argsort: shape [] does not fit: there is no dimension 0"
    );
    refused!(Cpu::float_sort(x(), 2, true), "float_sort: shape [2, 3] does not fit: there is no dimension 2");
    refused!(
        Cpu::float_topk(x(), 4, 1, true),
        "float_topk: shape [2, 3] does not fit: 4 elements are asked for along dimension 1, which has 3"
    );
    refused!(
        Cpu::float_prod(x(), &[1, 1], true),
        "float_prod: shape [2, 3] does not fit: dimension 1 is given twice"
    );
    refused!(
        Cpu::float_norm(counting([2, 0]), &[1], false, Norm::Infinity),
        "float_norm: shape [2, 0] does not fit: an extreme of no elements is asked for"
    );
    refused!(
        Cpu::float_norm(x(), &[2], false, Norm::L2),
        "float_norm: shape [2, 3] does not fit: there is no dimension 2"
    );
    refused!(
        Cpu::float_dot(counting([3]), counting([4])),
        "float_dot: shapes [3] and [4] do not fit: the vectors must have the same length"
    );
    refused!(
        Cpu::float_outer(x(), counting([4])),
        "float_outer: shapes [2, 3] and [4] do not fit: both must be vectors"
    );
}

/// Checks the text with which an equation is refused for tensors of these shapes.
macro_rules! refused_equation {
    ([$($shape:expr),*], $equation:literal, $text:literal) => {
        let tensors: Vec<CpuTensor> = vec![$(counting($shape)),*];
        let text = refusal(line!(), || Cpu::float_einsum(tensors, $equation));
        assert_eq!(text, concat!("float_einsum: ", $text));
    };
}

#[test]
fn equations_that_do_not_fit() {
    refused_equation!([[2, 3]], "ij,jk->ik", "the equation `ij,jk->ik` has 2 terms, but there are 1 tensors");
    refused_equation!([[2, 3], [2, 3]], "ij", "the equation `ij` has 1 terms, but there are 2 tensors");
    refused_equation!(
        [[2, 3]],
        "ij->ik",
        "the equation `ij->ik` has `k` in the result, but in no term before it"
    );
    refused_equation!([[2, 3]], "ij->ii", "the equation `ij->ii` has `i` twice in the result");
    refused_equation!(
        [[2, 3]],
        "i1->i",
        "the equation `i1->i` has `1`, where a letter, `...`, `,` or `->` may stand"
    );
    refused_equation!(
        [[2, 3]],
        "ij->i->j",
        "the equation `ij->i->j` has `-`, where a letter, `...`, `,` or `->` may stand"
    );
    refused_equation!(
        [[2, 3]],
        "i.->i",
        "the equation `i.->i` has `.`, where a letter, `...`, `,` or `->` may stand"
    );
    refused_equation!(
        [[2, 3]],
        "...i...->i",
        "the equation `...i...->i` has two ellipses in the term `...i...`"
    );
    refused_equation!(
        [[2, 3]],
        "ijk->i",
        "shape [2, 3] does not fit: the equation `ijk->i` names 3 dimensions of it"
    );
    refused_equation!(
        [[2, 3]],
        "i->i",
        "shape [2, 3] does not fit: the equation `i->i` names 1 dimensions of it"
    );
    refused_equation!(
        [[2, 3]],
        "ii->i",
        "shapes [2, 3] and [2, 3] do not fit: `i` has two extents in the equation `ii->i`"
    );
    refused_equation!(
        [[2, 3], [2, 3]],
        "ij,jk",
        "shapes [2, 3] and [2, 3] do not fit: `j` has two extents in the equation `ij,jk`"
    );
    refused_equation!(
        [vec![2, 3, 1], vec![2, 1]],
        "ij...,jk",
        "shapes [2, 3, 1] and [2, 1] do not fit: `j` has two extents in the equation `ij...,jk`"
    );
}
