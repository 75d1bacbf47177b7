//! Functions of two tensors, which broadcast.

use opswitch_core::{DType, OpError, OrRaise, raise, shape::broadcast};

use super::{
    Form, Function, GROUP_SIZE, MASK_FILL, VECTOR, computed_type, result_type, stored_type, variant,
    vector_offset,
};
use crate::{
    kernel::Values,
    launch::Launch,
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

/// `function` of every pair of elements, with the bits of its scalar.
#[track_caller]
pub(crate) fn binary(
    op: &'static str,
    function: &'static Function,
    lhs: &WgpuTensor,
    rhs: &WgpuTensor,
    to: DType,
    scalar: u32,
) -> WgpuTensor {
    if lhs.layout().is_dense_like(rhs.layout())
        && let (Some(lhs_offset), Some(rhs_offset)) =
            (vector_offset(lhs.layout()), vector_offset(rhs.layout()))
    {
        let y = lhs.new_output_like(op, lhs.layout().at_start(), to);
        let vectors = y.layout().num_elements().div_ceil(VECTOR);
        let params = [vectors as u32, lhs_offset, rhs_offset, scalar];
        launch(op, function, Form::Dense, [lhs, rhs, &y], &params, vectors);
        return y;
    }
    let shape = broadcast(op, lhs.layout().shape(), rhs.layout().shape()).or_raise();
    let len = shape.num_elements();
    let loops = Loops::new(&shape, [lhs.layout(), rhs.layout()]);
    let mut params = Words::from_slice(&[len as u32, loops.rank(), scalar]);
    loops.append_to(&mut params);
    let y = lhs.new_output(op, shape, to);
    launch(op, function, Form::Strided, [lhs, rhs, &y], &params, len);
    y
}

/// `value`, given as its bits, where the mask is `true`, `x` elsewhere; the mask broadcasts with `x`.
#[track_caller]
pub(crate) fn mask_fill(op: &'static str, x: &WgpuTensor, mask: &WgpuTensor, value: u32) -> WgpuTensor {
    check_mask(op, mask);
    binary(op, &MASK_FILL, x, mask, x.element_type(), value)
}

/// Checks that a mask is one.
///
/// # Panics
///
/// If its element type is not `bool`.
#[track_caller]
pub(crate) fn check_mask(op: &'static str, mask: &WgpuTensor) {
    let found = mask.element_type();
    if found != DType::Bool {
        raise(&OpError::Kind { op, expected: "bool for the mask", found });
    }
}

fn launch(
    op: &'static str,
    function: &'static Function,
    form: Form,
    [lhs, rhs, y]: [&WgpuTensor; 3],
    params: &[u32],
    invocations: usize,
) {
    let types = [lhs, rhs, y].map(WgpuTensor::element_type);
    Launch::new(op, &function.kernel)
        .variant(variant(form, types[0], types[2]), &|| values(function, form, types))
        .storage(lhs)
        .storage(rhs)
        .output_storage(y)
        .params(params)
        .dispatch_each(invocations, GROUP_SIZE);
}

fn values(function: &Function, form: Form, [lhs, rhs, to]: [DType; 3]) -> Values {
    let body = match form {
        Form::Dense => "{{loops/binary_dense}}",
        Form::Strided => "{{loops/binary_strided}}",
    };
    vec![
        ("functions", function.functions.into()),
        ("body", function.body.into()),
        ("loop", body.into()),
        ("lhs", stored_type(lhs).into()),
        ("rhs", stored_type(rhs).into()),
        ("lhs_arg", computed_type(lhs).into()),
        ("rhs_arg", computed_type(rhs).into()),
        ("result", result_type(to).into()),
        ("out", stored_type(to).into()),
        ("group_size", GROUP_SIZE.to_string().into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{elementwise::table, kernel::validate};

    fn validate_all(functions: &[&Function], types: &[[DType; 3]]) {
        for function in functions {
            for &types in types {
                validate(&function.kernel, &values(function, Form::Dense, types));
                validate(&function.kernel, &values(function, Form::Strided, types));
            }
        }
    }

    #[test]
    fn every_function_is_valid_for_its_types() {
        use DType::{Bool, F16, F32, I32, U32};
        validate_all(table::FLOAT_BINARY, &[[F32; 3], [F16; 3]]);
        validate_all(table::FLOAT_TO_BOOL_BINARY, &[[F32, F32, Bool], [F16, F16, Bool]]);
        validate_all(table::INT_BINARY, &[[I32; 3], [U32; 3]]);
        validate_all(table::INT_TO_BOOL_BINARY, &[[I32, I32, Bool], [U32, U32, Bool]]);
        validate_all(table::BOOL_BINARY, &[[Bool; 3]]);
        let masked = [F32, F16, I32, U32].map(|dtype| [dtype, Bool, dtype]);
        validate_all(table::MASK_BINARY, &masked);
    }
}
