//! The functions of elements, as expressions in WGSL.

use crate::kernel::Kernel;

/// A function of one or two elements and scalars, which are parameters of the launch.
#[derive(Debug)]
pub(crate) struct Function {
    pub(super) kernel: Kernel,
    /// The shared files that the expression needs.
    pub(super) functions: &'static str,
    /// An expression of `x`, and of `y` if there are two elements; the scalars are `a` and `b`.
    pub(super) body: &'static str,
}

impl Function {
    const fn new(
        name: &'static str,
        source: &'static str,
        functions: &'static str,
        body: &'static str,
    ) -> Self {
        // SAFETY: the loops stop at the number of vectors or elements of the result, places are inside the storage that a
        // layout belongs to, and buffers are padded to whole vectors. The expressions touch no memory, their loops end, and
        // integers are divided by those functions alone that replace a divisor of 0.
        let kernel = unsafe { Kernel::trusted(name, source) };
        Self { kernel, functions, body }
    }
}

macro_rules! functions {
    ($($list:ident from $source:literal { $($name:ident $functions:literal => $body:literal;)* })*) => {$(
        $(pub(crate) static $name: Function =
            Function::new(stringify!($name), include_str!($source), $functions, $body);)*

        #[cfg(test)]
        pub(super) static $list: &[&Function] = &[$(&$name),*];
    )*};
}

functions! {
    FLOAT_UNARY from "../kernels/unary.wgsl" {
        NEG "" => "-x";
        ABS "" => "abs(x)";
        SIGN "" => "select(select(x, -1.0, x < 0.0), 1.0, x > 0.0)";
        EXP "{{shared/exp}}" => "exponential(x)";
        EXP_M1 "{{shared/exp}}" => "exponential_minus_one(x)";
        LN "{{shared/ln}}" => "logarithm(x)";
        LN_1P "{{shared/ln}}" => "logarithm_of_one_plus(x)";
        SQRT "" => "sqrt(x)";
        RSQRT "" => "1.0 / sqrt(x)";
        RECIP "" => "1.0 / x";
        SQUARE "" => "x * x";
        SIN "{{shared/circular}}" => "sine(x)";
        COS "{{shared/circular}}" => "cosine(x)";
        TAN "{{shared/circular}}" => "tangent(x)";
        ASIN "{{shared/arc}}" => "arc_sine(x)";
        ACOS "{{shared/arc}}" => "arc_cosine(x)";
        ATAN "{{shared/arc}}" => "arc_tangent(x)";
        SINH "{{shared/hyperbolic}}" => "hyperbolic_sine(x)";
        COSH "{{shared/hyperbolic}}" => "hyperbolic_cosine(x)";
        TANH "{{shared/hyperbolic}}" => "hyperbolic_tangent(x)";
        ERF "{{shared/erf}}" => "error_function(x)";
        FLOOR "" => "floor(x)";
        CEIL "" => "ceil(x)";
        ROUND "" => "round(x)";
        TRUNC "" => "trunc(x)";
        RELU "{{shared/float}}" => "at_least(x, 0.0)";
        SIGMOID "{{shared/exp}}" => "logistic(x)";
        LOG_SIGMOID "{{shared/softplus}}" => "-softplus(-x)";
        GELU "{{shared/erf}}" => "x * (0.5 * complementary_error_function(-0.707106781 * x))";
        SILU "{{shared/exp}}" => "x * logistic(x)";
        SOFTPLUS "{{shared/softplus}}" => "softplus(a * x) / a";
        LEAKY_RELU "" => "select(a * x, x, x > 0.0)";
        ADD_SCALAR "" => "x + a";
        SUB_SCALAR "" => "x - a";
        MUL_SCALAR "" => "x * a";
        DIV_SCALAR "" => "x / a";
        REM_SCALAR "{{shared/remainder}}" => "remainder(x, a)";
        POWF_SCALAR "{{shared/power}}" => "power(x, a)";
        POWI_SCALAR "{{shared/power}}" => "integer_power(x, bitcast<i32>(a))";
        CLAMP "{{shared/float}}" => "at_most(at_least(x, a), b)";
        CLAMP_MIN "{{shared/float}}" => "at_least(x, a)";
        CLAMP_MAX "{{shared/float}}" => "at_most(x, a)";
    }

    FLOAT_TO_BOOL_UNARY from "../kernels/unary.wgsl" {
        EQ_SCALAR "{{shared/float}}" => "are_ordered(x, a) && x == a";
        NE_SCALAR "{{shared/float}}" => "!(are_ordered(x, a) && x == a)";
        LT_SCALAR "{{shared/float}}" => "are_ordered(x, a) && x < a";
        LE_SCALAR "{{shared/float}}" => "are_ordered(x, a) && x <= a";
        GT_SCALAR "{{shared/float}}" => "are_ordered(x, a) && x > a";
        GE_SCALAR "{{shared/float}}" => "are_ordered(x, a) && x >= a";
        IS_NAN "{{shared/float}}" => "is_nan(x)";
        IS_INF "{{shared/float}}" => "is_inf(x)";
        IS_FINITE "{{shared/float}}" => "!(is_nan(x) || is_inf(x))";
        FLOAT_TO_BOOL "{{shared/convert}}" => "float_to_bool(x)";
    }

    FLOAT_TO_I32_UNARY from "../kernels/unary.wgsl" {
        FLOAT_TO_I32 "{{shared/convert}}" => "float_to_i32(x)";
    }

    FLOAT_TO_U32_UNARY from "../kernels/unary.wgsl" {
        FLOAT_TO_U32 "{{shared/convert}}" => "float_to_u32(x)";
    }

    ANY_TO_FLOAT_UNARY from "../kernels/unary.wgsl" {
        TO_FLOAT "" => "f32(x)";
    }

    WORD_TO_INT_UNARY from "../kernels/unary.wgsl" {
        TO_INT "" => "{{result}}(x)";
    }

    INT_TO_BOOL_UNARY from "../kernels/unary.wgsl" {
        INT_TO_BOOL "" => "x != {{arg}}(0)";
        INT_EQ_SCALAR "" => "x == a";
        INT_NE_SCALAR "" => "x != a";
        INT_LT_SCALAR "" => "x < a";
        INT_LE_SCALAR "" => "x <= a";
        INT_GT_SCALAR "" => "x > a";
        INT_GE_SCALAR "" => "x >= a";
    }

    INT_UNARY from "../kernels/unary.wgsl" {
        INT_NEG "" => "{{arg}}(0) - x";
        INT_ABS "" => "abs(x)";
        INT_SIGN "" => "{{arg}}(x > {{arg}}(0)) - {{arg}}(x < {{arg}}(0))";
        BITWISE_NOT "" => "~x";
        INT_ADD_SCALAR "" => "x + a";
        INT_SUB_SCALAR "" => "x - a";
        INT_MUL_SCALAR "" => "x * a";
        INT_DIV_SCALAR "{{shared/int}}" => "divide_{{arg}}(x, a)";
        INT_REM_SCALAR "{{shared/int}}" => "remainder_{{arg}}(x, a)";
        BITWISE_AND_SCALAR "" => "x & a";
        BITWISE_OR_SCALAR "" => "x | a";
        BITWISE_XOR_SCALAR "" => "x ^ a";
        SHIFT_LEFT_SCALAR "{{shared/int}}" => "shift_left_{{arg}}(x, a)";
        SHIFT_RIGHT_SCALAR "{{shared/int}}" => "shift_right_{{arg}}(x, a)";
    }

    BOOL_UNARY from "../kernels/unary.wgsl" {
        NOT "" => "x == 0u";
    }

    FLOAT_BINARY from "../kernels/binary.wgsl" {
        RELU_BACKWARD "" => "select(0.0, y, x > 0.0)";
        ADD "" => "x + y";
        SUB "" => "x - y";
        MUL "" => "x * y";
        DIV "" => "x / y";
        REM "{{shared/remainder}}" => "remainder(x, y)";
        POWF "{{shared/power}}" => "power(x, y)";
        ATAN2 "{{shared/arc}}" => "angle_of(x, y)";
        MINIMUM "{{shared/float}}" => "least(x, y)";
        MAXIMUM "{{shared/float}}" => "greatest(x, y)";
    }

    FLOAT_TO_BOOL_BINARY from "../kernels/binary.wgsl" {
        EQ "{{shared/float}}" => "are_ordered(x, y) && x == y";
        NE "{{shared/float}}" => "!(are_ordered(x, y) && x == y)";
        LT "{{shared/float}}" => "are_ordered(x, y) && x < y";
        LE "{{shared/float}}" => "are_ordered(x, y) && x <= y";
        GT "{{shared/float}}" => "are_ordered(x, y) && x > y";
        GE "{{shared/float}}" => "are_ordered(x, y) && x >= y";
    }

    INT_BINARY from "../kernels/binary.wgsl" {
        INT_ADD "" => "x + y";
        INT_SUB "" => "x - y";
        INT_MUL "" => "x * y";
        INT_DIV "{{shared/int}}" => "divide_{{lhs_arg}}(x, y)";
        INT_REM "{{shared/int}}" => "remainder_{{lhs_arg}}(x, y)";
        BITWISE_AND "" => "x & y";
        BITWISE_OR "" => "x | y";
        BITWISE_XOR "" => "x ^ y";
        SHIFT_LEFT "{{shared/int}}" => "shift_left_{{lhs_arg}}(x, y)";
        SHIFT_RIGHT "{{shared/int}}" => "shift_right_{{lhs_arg}}(x, y)";
    }

    INT_TO_BOOL_BINARY from "../kernels/binary.wgsl" {
        INT_EQ "" => "x == y";
        INT_NE "" => "x != y";
        INT_LT "" => "x < y";
        INT_LE "" => "x <= y";
        INT_GT "" => "x > y";
        INT_GE "" => "x >= y";
    }

    BOOL_BINARY from "../kernels/binary.wgsl" {
        AND "" => "(x & y) != 0u";
        OR "" => "(x | y) != 0u";
        XOR "" => "x != y";
        BOOL_EQ "" => "x == y";
        AND_NOT "" => "x > y";
    }

    MASK_BINARY from "../kernels/binary.wgsl" {
        MASK_FILL "" => "select(x, a, y != 0u)";
    }
}
