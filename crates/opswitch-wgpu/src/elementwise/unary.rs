//! Functions of one tensor.

use opswitch_core::DType;

use super::{
    Form, Function, GROUP_SIZE, VECTOR, computed_type, result_type, stored_type, variant, vector_offset,
};
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
    match vector_offset(x.layout()) {
        Some(offset) => dense(op, function, x, to, scalars, offset),
        None => strided(op, function, x, to, scalars),
    }
}

#[track_caller]
fn dense(
    op: &'static str,
    function: &'static Function,
    x: &WgpuTensor,
    to: DType,
    [a, b]: [u32; 2],
    offset: u32,
) -> WgpuTensor {
    let y = x.new_output_like(op, x.layout().at_start(), to);
    let vectors = y.layout().num_elements().div_ceil(VECTOR);
    let from = x.element_type();
    Launch::new(op, &function.kernel)
        .variant(variant(Form::Dense, from, to), &|| values(function, Form::Dense, from, to))
        .storage(x)
        .output_storage(&y)
        .params(&[vectors as u32, offset, a, b])
        .dispatch_each(vectors, GROUP_SIZE);
    y
}

#[track_caller]
fn strided(
    op: &'static str,
    function: &'static Function,
    x: &WgpuTensor,
    to: DType,
    [a, b]: [u32; 2],
) -> WgpuTensor {
    let y = x.new_output(op, x.layout().shape().clone(), to);
    let len = y.layout().num_elements();
    let from = x.element_type();
    let loops = Loops::new(x.layout().shape(), [x.layout()]);
    let mut params = Words::from_slice(&[len as u32, loops.rank(), a, b]);
    loops.append_to(&mut params);
    Launch::new(op, &function.kernel)
        .variant(variant(Form::Strided, from, to), &|| values(function, Form::Strided, from, to))
        .storage(x)
        .output_storage(&y)
        .params(&params)
        .dispatch_each(len, GROUP_SIZE);
    y
}

fn values(function: &Function, form: Form, from: DType, to: DType) -> Values {
    let body = match form {
        Form::Dense => "{{loops/unary_dense}}",
        Form::Strided => "{{loops/unary_strided}}",
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
    use crate::{elementwise::table, kernel::validate};

    const FLOATS: &[DType] = &[DType::F32, DType::F16];
    const INTS: &[DType] = &[DType::I32, DType::U32];
    const BOOL: &[DType] = &[DType::Bool];

    fn validate_all(functions: &[&Function], pairs: impl Iterator<Item = (DType, DType)> + Clone) {
        for function in functions {
            for (from, to) in pairs.clone() {
                validate(&function.kernel, &values(function, Form::Dense, from, to));
                validate(&function.kernel, &values(function, Form::Strided, from, to));
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
