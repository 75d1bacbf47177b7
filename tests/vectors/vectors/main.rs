//! Every case of `data`: values, errors, gradients and second derivatives, plain and with
//! autodiff, in each float type, from contiguous and from strided inputs, on every device that the features bring.

mod args;
mod case;
mod check;
mod compare;
mod ops;
mod quiet;

use std::{collections::BTreeSet, fmt::Write as _};

use opswitch::{Backend as _, DType, Dispatch, TensorData, ops::FloatOps as _};

use self::{
    case::{Case, families},
    check::{Count, Mode, check_case, modes},
};

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
        let run = ops::find(&case.op).unwrap_or_else(|| panic!("`{}` is not run", case.op));
        for mode in modes(case) {
            check_case(case, run, &mode, &mut count, &mut failures);
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

families!(activation bool float_binary float_compare float_index float_linalg float_movement float_reduce float_unary int nn_conv nn_loss nn_misc nn_norm nn_pool quantized);

/// The ops of the vectors.
fn ops_in_files() -> BTreeSet<String> {
    families().into_values().flatten().map(|case: Case| case.op).collect()
}

#[test]
fn every_op_is_run() {
    let in_files = ops_in_files();
    for op in &in_files {
        assert!(ops::find(op).is_some(), "`{op}` has vectors, and is not run");
    }
    for op in ops::names() {
        assert!(in_files.contains(op), "`{op}` has no vectors: a typing error?");
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
