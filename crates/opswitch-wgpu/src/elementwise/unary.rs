//! Functions of one tensor.

use opswitch_core::DType;

use super::{Form, Function, GROUP_SIZE, computed_type, result_type, stored_type, variant};
use crate::{
    kernel::Values,
    launch::Launch,
    strided::{Loops, Words},
    tensor::WgpuTensor,
};

/// `function` of every element, with the bits of its scalars.
#[track_caller]
pub(crate) fn unary(
    op: &'static str,
    function: &'static Function,
    x: &WgpuTensor,
    to: DType,
    scalars: [u32; 2],
) -> WgpuTensor {
    let (layout, from) = (x.layout(), x.element_type());
    let (y, loops) = if layout.is_dense() {
        (x.new_output_like(op, layout.at_start(), to), Loops::flat([layout]))
    } else {
        (x.new_output(op, layout.shape().clone(), to), Loops::new(layout.shape(), [layout]))
    };
    let (form, loops) = Form::of(loops);
    let steps = loops.steps();
    let mut params = Words::from_slice(&[steps as u32, scalars[0], scalars[1]]);
    loops.append_to(&mut params);
    Launch::new(op, &function.kernel)
        .variant(variant(form, from, to), &|| values(function, form, from, to))
        .storage(x)
        .output_storage(&y)
        .rank(loops.rank())
        .params(&params)
        .dispatch_each(steps, GROUP_SIZE);
    y
}

fn values(function: &Function, form: Form, from: DType, to: DType) -> Values {
    let body = match form {
        Form::Scalar => "{{loops/unary_scalar}}",
        Form::Vector { .. } => "{{loops/unary_vector}}",
    };
    vec![
        ("functions", function.functions.into()),
        ("body", function.body.into()),
        ("loop", body.into()),
        ("in", stored_type(from).into()),
        ("arg", computed_type(from).into()),
        ("result", result_type(to).into()),
        ("out", stored_type(to).into()),
        ("group_size", GROUP_SIZE.to_string().into()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{elementwise::table, kernel::validate_strided};

    const FLOATS: &[DType] = &[DType::F32, DType::F16];
    const INTS: &[DType] = &[DType::I32, DType::U32];
    const BOOL: &[DType] = &[DType::Bool];

    fn validate_all(functions: &[&Function], pairs: impl Iterator<Item = (DType, DType)> + Clone) {
        for function in functions {
            for (from, to) in pairs.clone() {
                for form in [Form::Scalar, Form::Vector { is_still: [false, true] }] {
                    validate_strided(&function.kernel, &values(function, form, from, to));
                }
            }
        }
    }

    fn pairs<'a>(from: &'a [DType], to: &'a [DType]) -> impl Iterator<Item = (DType, DType)> + Clone + 'a {
        from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)))
    }

    fn same(dtypes: &[DType]) -> impl Iterator<Item = (DType, DType)> + Clone {
        dtypes.iter().map(|&dtype| (dtype, dtype))
    }

    #[test]
    fn every_function_is_valid_for_its_types() {
        validate_all(table::FLOAT_UNARY, same(FLOATS));
        validate_all(table::FLOAT_TO_BOOL_UNARY, pairs(FLOATS, BOOL));
        validate_all(table::FLOAT_TO_I32_UNARY, pairs(FLOATS, &[DType::I32]));
        validate_all(table::FLOAT_TO_U32_UNARY, pairs(FLOATS, &[DType::U32]));
        validate_all(table::ANY_TO_FLOAT_UNARY, pairs(&[FLOATS, INTS, BOOL].concat(), FLOATS));
        validate_all(table::WORD_TO_INT_UNARY, pairs(&[INTS, BOOL].concat(), INTS));
        validate_all(table::INT_TO_BOOL_UNARY, pairs(INTS, BOOL));
        validate_all(table::INT_UNARY, same(INTS));
        validate_all(table::BOOL_UNARY, same(BOOL));
    }
}
