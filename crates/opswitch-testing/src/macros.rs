//! `conformance!`: one line that becomes the tests of an op.

/// Turns an op and its samples into tests: a module with the op's name, in it a module for each [`Aspect`](crate::Aspect), and
/// in that a test for each backend of the dispatch.
///
/// ```text
/// matmul_add_relu::values::Cpu          matmul_add_relu::gradients::Cpu          ..
/// matmul_add_relu::values::Wgpu         matmul_add_relu::gradients::Wgpu         ..
/// ```
///
/// The dispatch comes first, and has the built-in families. The op is written as a call with the names of its arguments, which
/// messages then use; its trait is in scope. The samples are an expression: an array or a `Vec` of [`sample!`](crate::sample)s.
///
/// ```
/// mod tests {
///     use opswitch::{Dispatch, ops::FloatOps};
///     use opswitch_testing::{conformance, float, sample};
///
///     conformance!(Dispatch, FloatOps::float_matmul(lhs, rhs), [
///         sample!(float([2, 3]), float([3, 4])),
///         sample!(float([5, 2, 3]), float([3])).named("a batch times a vector"),
///     ]);
/// }
/// # fn main() {}
/// ```
///
/// An op that takes references, structs of tensors, or returns a `Result` is called by a closure. Its parameters are what the
/// samples hold, under the names of the op's arguments:
///
/// ```
/// # mod tests {
/// # use opswitch::{Dispatch, ops::FloatOps};
/// # use opswitch_testing::{conformance, device, float_dtype, sample};
/// use opswitch::Shape;
///
/// conformance!(Dispatch, FloatOps::float_ones, |shape, dtype, device| Dispatch::float_ones(shape, dtype, &device), [
///     sample!(Shape::from([2, 3]), float_dtype(), device()),
/// ]);
/// # }
/// # fn main() {}
/// ```
///
/// By default, the op on the CPU in `f64` is what it is compared with elsewhere, and its gradients there with central
/// differences. That does not say that the op is right. A `reference` does, a composition of other ops that takes the same:
///
/// ```
/// # mod tests {
/// # use opswitch::{Dispatch, ops::FloatOps};
/// # use opswitch_testing::{conformance, float, sample};
/// conformance!(Dispatch, FloatOps::float_square(x), [sample!(float([2, 3]))],
///     reference = |x| Dispatch::float_powi_scalar(x, 2));
/// # }
/// # fn main() {}
/// ```
///
/// # All ops of a trait
///
/// With a trait and a list, every op of the trait has samples, or the tests do not compile. An op that has its tests elsewhere
/// is listed as such, and a closure stands in braces: `twice {|x| Dispatch::twice(x)} => [..];`.
///
/// ```
/// # mod tests {
/// use opswitch::{Dispatch, FloatTensor, backend_extension, ops::FloatOps};
/// use opswitch_testing::{conformance, float, sample};
///
/// #[backend_extension(dispatch = Dispatch)]
/// pub trait TwiceOps: FloatOps {
///     #[backward { x => B::float_mul_scalar(grad, 2.0); }]
///     fn twice(x: FloatTensor<Self>) -> FloatTensor<Self>;
///
///     #[backward(none)]
///     fn noisy(x: FloatTensor<Self>) -> FloatTensor<Self>;
/// }
/// # impl TwiceOps for opswitch_cpu::Cpu {
/// #     fn twice(x: FloatTensor<Self>) -> FloatTensor<Self> { Self::float_mul_scalar(x, 2.0) }
/// #     fn noisy(x: FloatTensor<Self>) -> FloatTensor<Self> { x }
/// # }
///
/// conformance! { Dispatch, TwiceOps {
///     twice(x) => [sample!(float([2, 3]))];
///     noisy elsewhere;
/// }}
/// # }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! conformance {
    ($dispatch:ident, $trait_:ident :: $op:ident ( $($arg:ident),* $(,)? ), $samples:expr $(,)?) => {
        $dispatch! { [$crate::__conformance_module] $dispatch $op {
            $crate::Conformance::<$dispatch>::new(
                concat!(stringify!($trait_), "::", stringify!($op)),
                &[$(stringify!($arg)),*],
                $samples,
                |($($arg,)*)| <$dispatch as $trait_>::$op($($arg),*),
            )
        } }
    };
    (
        $dispatch:ident, $trait_:ident :: $op:ident ( $($arg:ident),* $(,)? ), $samples:expr,
        reference = |$($of:ident),* $(,)?| $reference:expr $(,)?
    ) => {
        $dispatch! { [$crate::__conformance_module] $dispatch $op {
            $crate::Conformance::<$dispatch>::with_reference(
                concat!(stringify!($trait_), "::", stringify!($op)),
                &[$(stringify!($arg)),*],
                $samples,
                |($($arg,)*)| <$dispatch as $trait_>::$op($($arg),*),
                |($($of,)*)| $reference,
            )
        } }
    };
    (
        $dispatch:ident, $trait_:ident :: $op:ident, |$($arg:ident),* $(,)?| $call:expr, $samples:expr
        $(, reference = |$($of:ident),* $(,)?| $reference:expr)? $(,)?
    ) => {
        $dispatch! { [$crate::__conformance_module] $dispatch $op {
            $crate::__conformance_of_closure!(
                $dispatch, concat!(stringify!($trait_), "::", stringify!($op)), [$($arg)*] $call, $samples
                $(, [$($of)*] $reference)?
            )
        } }
    };
    ($dispatch:ident, $trait_:ident { $($op:ident $form:tt $(=> $samples:expr)?;)* }) => {
        const _: () = $crate::__private::assert_every_op_is_listed(&$trait_, &[$(stringify!($op)),*]);

        $($crate::__conformance_entry! { $dispatch, $trait_, $op $form $($samples)? })*
    };
}

/// An op in the list of a trait.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_entry {
    ($dispatch:ident, $trait_:ident, $op:ident ($($arg:ident),* $(,)?) $samples:expr) => {
        $crate::conformance! { $dispatch, $trait_::$op($($arg),*), $samples }
    };
    ($dispatch:ident, $trait_:ident, $op:ident { |$($arg:ident),* $(,)?| $call:expr } $samples:expr) => {
        $crate::conformance! { $dispatch, $trait_::$op, |$($arg),*| $call, $samples }
    };
    ($dispatch:ident, $trait_:ident, $op:ident elsewhere) => {};
}

/// An op that is called by a closure.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_of_closure {
    ($dispatch:ident, $name:expr, [$($arg:ident)*] $call:expr, $samples:expr) => {
        $crate::Conformance::<$dispatch>::new(
            $name,
            &[$(stringify!($arg)),*],
            $samples,
            |($($arg,)*)| $call,
        ).called_by_closure()
    };
    ($dispatch:ident, $name:expr, [$($arg:ident)*] $call:expr, $samples:expr, [$($of:ident)*] $reference:expr) => {
        $crate::Conformance::<$dispatch>::with_reference(
            $name,
            &[$(stringify!($arg)),*],
            $samples,
            |($($arg,)*)| $call,
            |($($of,)*)| $reference,
        ).called_by_closure()
    };
}

/// The tests of an op. The dispatch has put its list of backends in front.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_module {
    ({ $($index:literal $backend:ident),* $(, autodiff)? $(,)? } $dispatch:ident $op:ident { $conformance:expr }) => {
        #[allow(non_snake_case, unused_imports, clippy::wildcard_imports, reason = "tests are named for backends")]
        mod $op {
            use super::*;

            #[allow(dead_code, reason = "outside tests there are none that call it")]
            pub(super) fn conformance() -> $crate::Conformance<$dispatch> {
                $conformance
            }

            $crate::__conformance_aspects! {
                $dispatch [$($index $backend)*]
                values = Values, gradients = Gradients, mixtures = Mixtures, placement = Placement,
                determinism = Determinism,
            }
        }
    };
}

/// A module for each aspect, with the same tests.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_aspects {
    ($dispatch:ident $backends:tt $($module:ident = $aspect:ident,)*) => {
        $(mod $module {
            $crate::__conformance_tests! { $dispatch $aspect $backends }
        })*
    };
}

/// A test for each backend.
#[doc(hidden)]
#[macro_export]
macro_rules! __conformance_tests {
    ($dispatch:ident $aspect:ident [$($index:literal $backend:ident)*]) => {
        $(#[test]
        fn $backend() {
            $crate::__private::run(
                &super::conformance(),
                $crate::Aspect::$aspect,
                $crate::__private::backend_name::<super::$dispatch, $index>(),
                $crate::__private::Site {
                    package: env!("CARGO_PKG_NAME"),
                    krate: env!("CARGO_CRATE_NAME"),
                    program: option_env!("CARGO_BIN_NAME"),
                    integration: option_env!("CARGO_TARGET_TMPDIR").is_some(),
                    module: module_path!(),
                    function: stringify!($backend),
                },
            );
        })*
    };
}
