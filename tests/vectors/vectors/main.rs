//! Every case of `data`, for every op that exists: values, errors, gradients and second derivatives, plain and with
//! autodiff, in each float type, from contiguous and from strided inputs, on every device that the features bring.

mod args;
mod case;
mod check;
mod compare;
mod ops;
mod quiet;

use std::{collections::BTreeSet, fmt::Write as _, fs, path::Path};

use opswitch::{Backend as _, DType, Dispatch, TensorData, ops::FloatOps as _};

use self::{
    case::{Case, families},
    check::{Count, Mode, check_case, modes},
};

/// The ops of the vectors that no op trait has yet.
const NOT_YET: &[&str] = &[
    // bool
    "bool_gather",
    "bool_mask_fill",
    "bool_mask_where",
    "bool_pad",
    "bool_repeat",
    "bool_select",
    "bool_slice_assign",
    // int
    "int_all",
    "int_any",
    "int_argmax",
    "int_argmin",
    "int_bitwise_and",
    "int_bitwise_and_scalar",
    "int_bitwise_not",
    "int_bitwise_or",
    "int_bitwise_or_scalar",
    "int_bitwise_xor",
    "int_bitwise_xor_scalar",
    "int_cumsum",
    "int_one_hot",
    "int_pad",
    "int_prod",
    "int_repeat",
    "int_scatter_add",
    "int_select_add",
    "int_shift_left",
    "int_shift_left_scalar",
    "int_shift_right",
    "int_shift_right_scalar",
    "int_sign",
    "int_slice_assign",
    // nn
    "batch_norm",
    "binary_cross_entropy_with_logits",
    "group_norm",
    "layer_norm",
    "mse",
    "rms_norm",
];

/// Vectors that contradict the conventions that they come with, and why.
const DISPUTED: &[(&str, &str, &str)] = &[(
    "float_cast",
    "f16_special",
    "infinities become NaN, and -0.0 becomes 0.0: OPS.md says that both propagate as in IEEE 754",
)];

fn is_disputed(case: &Case) -> bool {
    DISPUTED.iter().any(|&(op, name, _)| case.op == op && case.name == name)
}

/// The lists of failures that a panic text holds; the rest is counted.
const SHOWN: usize = 60;

fn check_family(name: &str) {
    let cases = families().remove(name).expect("the family has a file");
    let mut failures = Vec::new();
    let mut count = Count::default();
    for case in cases.iter().filter(|case| !is_disputed(case)) {
        if let Some(run) = ops::find(&case.op) {
            for mode in modes(case) {
                check_case(case, run, &mode, &mut count, &mut failures);
            }
        }
    }
    println!("{name}: {count}");
    let mut text = String::new();
    for failure in failures.iter().take(SHOWN) {
        write!(text, "\n{failure}").expect("a string takes any text");
    }
    assert!(failures.is_empty(), "{} checks of {name} failed:{text}", failures.len());
}

macro_rules! families {
    ($($family:ident)*) => {
        $(#[test]
        fn $family() {
            check_family(stringify!($family));
        })*

        #[test]
        fn every_file_is_read() {
            let read = BTreeSet::from([$(stringify!($family)),*]);
            let files: BTreeSet<_> = families().into_keys().collect();
            assert_eq!(read, files.iter().map(String::as_str).collect());
        }
    };
}

families!(activation bool float_binary float_compare float_index float_linalg float_movement float_reduce float_unary int nn_loss nn_norm);

/// The ops of the vectors, which are either run here or listed as missing.
fn ops_in_files() -> BTreeSet<String> {
    families().into_values().flatten().map(|case: Case| case.op).collect()
}

#[test]
fn every_op_is_run_or_listed_as_missing() {
    let listed: BTreeSet<&str> = NOT_YET.iter().copied().collect();
    assert_eq!(listed.len(), NOT_YET.len(), "an op is listed twice in NOT_YET");
    for op in ops_in_files() {
        let (run, missing) = (ops::find(&op).is_some(), listed.contains(op.as_str()));
        assert!(run || missing, "`{op}` has vectors, but is neither run nor listed in NOT_YET");
        assert!(!(run && missing), "`{op}` is run: take it out of NOT_YET");
    }
    let in_files = ops_in_files();
    for op in ops::names().chain(NOT_YET.iter().copied()) {
        assert!(in_files.contains(op), "`{op}` has no vectors: a typing error?");
    }
}

#[test]
fn a_listed_op_is_missing_indeed() {
    let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/opswitch-core/src/ops");
    let entries = fs::read_dir(families).expect("the op families are there");
    let paths = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let source: String = paths.map(|path| fs::read_to_string(path).expect("the file can be read")).collect();
    for op in NOT_YET {
        assert!(
            !source.contains(&format!("fn {op}(")),
            "`{op}` exists: take it out of NOT_YET and run its vectors"
        );
    }
}

#[test]
fn a_disputed_vector_is_there_and_still_wrong() {
    let cases: Vec<Case> = families().into_values().flatten().collect();
    for (op, name, reason) in DISPUTED {
        let case = cases.iter().find(|case| case.op == *op && case.name == *name);
        let case = case.unwrap_or_else(|| panic!("`{op}/{name}` is gone: take it out of DISPUTED"));
        let (mut count, mut failures) = (Count::default(), Vec::new());
        check_case(case, ops::find(op).expect("the op exists"), &Mode::autodiff(), &mut count, &mut failures);
        assert!(!failures.is_empty(), "`{op}/{name}` passes, although {reason}: take it out of DISPUTED");
    }
}

/// What `float_cast/f16_special` should say, by IEEE 754.
#[test]
fn casts_keep_infinities_nan_and_the_sign_of_zero() {
    let special = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0];
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let data = TensorData::new(special.to_vec(), [5]).expect("five values");
        let x = Dispatch::float_from_data(data, &Mode::autodiff().device).expect("the CPU has f64");
        let cast = Dispatch::float_into_data_blocking(Dispatch::float_cast(x, dtype))
            .expect("the CPU gives its data");
        let got = cast.to_vec::<f64>();
        assert!(
            got[0].is_nan() && got[1] == f64::INFINITY && got[2] == f64::NEG_INFINITY,
            "{dtype}: {got:?}"
        );
        assert_eq!((got[3].to_bits(), got[4].to_bits()), (0.0f64.to_bits(), (-0.0f64).to_bits()), "{dtype}");
    }
}

/// A change that breaks the harness itself, so that it checks nothing, must not pass.
#[test]
fn a_wrong_value_is_found() {
    let mut case = families().remove("float_binary").expect("the family has a file").swap_remove(0);
    let run = ops::find(&case.op).expect("the op exists");
    let failures = |case: &Case| {
        let (mut count, mut failures) = (Count::default(), Vec::new());
        check_case(case, run, &Mode::autodiff(), &mut count, &mut failures);
        failures
    };
    assert_eq!(failures(&case), Vec::<String>::new());
    case.spoil();
    let found = failures(&case);
    assert_eq!(
        found.len(),
        4,
        "the output, before and after the walk, and both gradients are wrong: {found:?}"
    );
}
