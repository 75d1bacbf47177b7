//! What `conformance!` expands to, and what its tests print.

use std::process::Command;

use opswitch::{DType, TensorHandle as _, ops::FloatOps};
use opswitch_testing::{
    __private::{Site, run},
    Aspect, conformance, float, list, sample,
};

use super::{Dispatch, plus, unary};

conformance!(
    Dispatch,
    FloatOps::float_sum(x, dims, keep_dims),
    [sample!(float([2, 3]), list(&[1]), false), sample!(float([2, 3]), list(&[0, 1]), true),]
);

conformance!(
    Dispatch,
    FloatOps::float_square(x),
    [sample!(float([2, 3]))],
    reference = |x| { Dispatch::float_powi_scalar(x, 2) }
);

conformance!(
    Dispatch,
    FloatOps::float_cat,
    |parts| Dispatch::float_cat(parts, 0),
    [sample!(vec![float([2, 3]), float([1, 3])]),],
    reference = |parts| Dispatch::float_cat(parts, 0)
);

const SITE: Site = Site {
    package: "acme",
    krate: "it",
    program: None,
    integration: true,
    module: "it::ops::unary::values",
    function: "Cpu",
};

#[test]
fn a_failure_says_how_to_run_it_alone() {
    assert_eq!(SITE.command(), "cargo test -p acme --test it ops::unary::values::Cpu -- --exact");
    let library = Site { integration: false, ..SITE };
    assert_eq!(library.command(), "cargo test -p acme --lib ops::unary::values::Cpu -- --exact");
    let program = Site { program: Some("digits"), ..library };
    assert_eq!(program.command(), "cargo test -p acme --bin digits ops::unary::values::Cpu -- --exact");
}

#[test]
#[should_panic(expected = "  rerun:   cargo test -p acme --test it ops::unary::values::Cpu -- --exact")]
fn a_generated_test_fails_with_it() {
    let wrong_in_f32 = unary(|x| if x.dtype() == DType::F32 { plus(x, 1.0) } else { x });
    run(&wrong_in_f32, Aspect::Values, "cpu", SITE);
}

/// The command that a test gives does run that test.
#[test]
fn the_tests_have_the_names_that_failures_give() {
    let exe = std::env::current_exe().expect("this test has a path");
    let output = Command::new(exe).args(["--list"]).output().expect("this test can be started");
    let names = String::from_utf8(output.stdout).expect("names are text");
    for op in ["float_sum", "float_square", "float_cat"] {
        for aspect in Aspect::ALL {
            for backend in ["Cpu", "Npu"] {
                let name = format!("generated::{op}::{aspect}::{backend}: test");
                assert!(names.lines().any(|line| line == name), "no {name} in\n{names}");
            }
        }
    }
}

/// Runs the ignored test below in a process of its own.
fn without_a_device(required: bool) -> (bool, String) {
    let mut child = Command::new(std::env::current_exe().expect("this test has a path"));
    child.args(["generated::on_a_backend_without_a_device", "--exact", "--ignored", "--nocapture"]);
    if required {
        child.env("OPSWITCH_REQUIRE_GPU", "1");
    } else {
        child.env_remove("OPSWITCH_REQUIRE_GPU");
    }
    let output = child.output().expect("this test can be started");
    let text = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(text).expect("tests print text"))
}

#[test]
#[ignore = "started by `a_backend_without_a_device_is_skipped_by_name` in a process of its own"]
fn on_a_backend_without_a_device() {
    run(&unary(|x| plus(x, 1.0)), Aspect::Values, "wgpu", SITE);
}

#[test]
fn a_backend_without_a_device_is_skipped_by_name() {
    let text = "wgpu has no device here; on Debian: apt-get install mesa-vulkan-drivers";
    let (passed, output) = without_a_device(false);
    assert!(passed && output.contains(&format!("skipped: {text}\n")), "{output}");
    let (passed, output) = without_a_device(true);
    assert!(!passed && output.contains(&format!("{text}; OPSWITCH_REQUIRE_GPU is set")), "{output}");
}
