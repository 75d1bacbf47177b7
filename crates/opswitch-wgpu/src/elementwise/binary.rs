//! Functions of two tensors, which broadcast.

use opswitch_core::{DType, OpError, OrRaise, raise, shape::broadcast};

use super::{Form, Function, GROUP_SIZE, MASK_FILL, computed_type, result_type, stored_type, variant};
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
    let layouts = [lhs, rhs].map(|tensor| &**tensor.layout());
    let (y, loops) = if lhs.layout().is_dense_like(rhs.layout()) {
        (lhs.new_output_like(op, lhs.layout().at_start(), to), Loops::flat(layouts))
    } else {
        let shape = broadcast(op, layouts[0].shape(), layouts[1].shape()).or_raise();
        let loops = Loops::new(&shape, layouts);
        (lhs.new_output(op, shape, to), loops)
    };
    let (form, loops) = Form::of(loops);
    let steps = loops.steps();
    let mut params = Words::from_slice(&[steps as u32, scalar]);
    loops.append_to(&mut params);
    let types = [lhs.element_type(), rhs.element_type(), to];
    Launch::new(op, &function.kernel)
        .variant(variant(form, types[0], to), &|| values(function, form, types))
        .storage(lhs)
        .storage(rhs)
        .output_storage(&y)
        .rank(loops.rank())
        .params(&params)
        .dispatch_each(steps, GROUP_SIZE);
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

fn values(function: &Function, form: Form, [lhs, rhs, to]: [DType; 3]) -> Values {
    let mut values: Values = vec![
        ("functions", function.functions.into()),
        ("body", function.body.into()),
        ("lhs_arg", computed_type(lhs).into()),
        ("rhs_arg", computed_type(rhs).into()),
        ("result", result_type(to).into()),
        ("out", stored_type(to).into()),
        ("group_size", GROUP_SIZE.to_string().into()),
    ];
    match form {
        Form::Scalar => values.extend([
            ("loop", "{{loops/binary_scalar}}".into()),
            ("lhs", stored_type(lhs).into()),
            ("rhs", stored_type(rhs).into()),
        ]),
        Form::Vector { is_still } => {
            let [(lhs_item, lhs_load), (rhs_item, rhs_load)] =
                [item(lhs, is_still[0]), item(rhs, is_still[1])];
            values.extend([
                ("loop", "{{loops/binary_vector}}".into()),
                ("lhs_item", lhs_item.into()),
                ("rhs_item", rhs_item.into()),
                ("lhs_load", lhs_load.into()),
                ("rhs_load", rhs_load.into()),
            ]);
        }
    }
    values
}

/// What a step of a vector loop takes from a tensor, and the conversion of that to an element of the vector, if it is one.
fn item(dtype: DType, is_still: bool) -> (String, &'static str) {
    let stored = stored_type(dtype);
    if is_still { (stored.to_owned(), computed_type(dtype)) } else { (format!("vec4<{stored}>"), "") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{elementwise::table, kernel::validate_strided};

    fn validate_all(functions: &[&Function], types: &[[DType; 3]]) {
        let forms = [
            Form::Scalar,
            Form::Vector { is_still: [false, false] },
            Form::Vector { is_still: [true, false] },
            Form::Vector { is_still: [false, true] },
        ];
        for function in functions {
            for &types in types {
                for form in forms {
                    validate_strided(&function.kernel, &values(function, form, types));
                }
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
