//! Ops of one tensor.

use opswitch_core::{
    DType, Element, for_dtype,
    half::{bf16, f16, slice::HalfFloatSliceExt},
};

use crate::{
    element::{Real, convert, for_real},
    parallel,
    tensor::CpuTensor,
};

/// A function of one float, in whichever type it is computed.
pub(crate) trait Unary: Copy + Send + Sync {
    /// The work in units of an addition.
    const WORK: usize;

    fn apply<R: Real>(self, x: R) -> R;
}

/// A question about one float.
pub(crate) trait Predicate: Copy + Send + Sync {
    fn holds<R: Real>(self, x: R) -> bool;
}

/// `f` of every element of a float tensor.
#[track_caller]
pub(crate) fn unary<F: Unary>(op: &'static str, f: F, x: CpuTensor) -> CpuTensor {
    let dtype = x.element_type();
    let x = widened(x);
    let result = for_real!(op, x.element_type(), |E| map_in_place::<E>(x, F::WORK, move |x| f.apply(x)));
    narrowed(result, dtype)
}

/// Whether the predicate holds for each element of a float tensor.
#[track_caller]
pub(crate) fn test<P: Predicate>(op: &'static str, predicate: P, x: &CpuTensor) -> CpuTensor {
    let x = widened(x.clone());
    for_real!(op, x.element_type(), |E| map::<E, bool>(&x, 1, move |x| predicate.holds(x)))
}

/// A half-precision tensor in the type in which it is computed, converted block by block; any other as it is.
pub(super) fn widened(x: CpuTensor) -> CpuTensor {
    match x.element_type() {
        DType::F16 => convert_blocks(&x, |from: &[f16], to: &mut [f32]| from.convert_to_f32_slice(to)),
        DType::BF16 => convert_blocks(&x, |from: &[bf16], to: &mut [f32]| from.convert_to_f32_slice(to)),
        _ => x,
    }
}

/// A result rounded to the half-precision type of its inputs; any other as it is.
pub(super) fn narrowed(x: CpuTensor, dtype: DType) -> CpuTensor {
    match dtype {
        DType::F16 => convert_blocks(&x, |from: &[f32], to: &mut [f16]| to.convert_from_f32_slice(from)),
        DType::BF16 => convert_blocks(&x, |from: &[f32], to: &mut [bf16]| to.convert_from_f32_slice(from)),
        _ => x,
    }
}

/// Elements that are converted at once: as one, the processor has an instruction for many.
const BLOCK: usize = 256;

fn convert_blocks<E: Element, T: Element>(
    x: &CpuTensor,
    convert: impl Fn(&[E], &mut [T]) + Sync,
) -> CpuTensor {
    let x = x.clone().without_gaps();
    let values = x.dense::<E>();
    let converted = parallel::collect(values.len(), 1, 1, |range, sink| {
        let mut block = [T::default(); BLOCK];
        for from in values[range].chunks(BLOCK) {
            let to = &mut block[..from.len()];
            convert(from, to);
            sink.copy(to);
        }
    });
    CpuTensor::placed(converted, x.layout().at_start())
}

/// Every element converted.
pub(crate) fn cast(x: CpuTensor, dtype: DType) -> CpuTensor {
    match (x.element_type(), dtype) {
        (from, to) if from == to => return x,
        (DType::F16 | DType::BF16, DType::F32) => return widened(x),
        (DType::F32, DType::F16 | DType::BF16) => return narrowed(x, dtype),
        _ => {}
    }
    let x = x.without_gaps();
    for_dtype!(x.element_type(), |E| for_dtype!(dtype, |T| {
        let values = x.dense::<E>();
        let converted = parallel::collect(values.len(), 1, 1, |range, sink| {
            sink.extend(values[range].iter().map(|&value| convert::<E, T>(value)));
        });
        CpuTensor::placed(converted, x.layout().at_start())
    }))
}

/// `f` of every element.
pub(crate) fn map<E: Element, O: Element>(
    x: &CpuTensor,
    work: usize,
    f: impl Fn(E) -> O + Copy + Sync,
) -> CpuTensor {
    let x = x.clone().without_gaps();
    let values = x.dense::<E>();
    let mapped = parallel::collect(values.len(), 1, work, |range, sink| {
        let own = f;
        sink.extend(values[range].iter().map(|&value| own(value)));
    });
    CpuTensor::placed(mapped, x.layout().at_start())
}

/// `f` of every element, in the tensor's own vector if no other handle shares it.
pub(crate) fn map_in_place<E: Element>(
    x: CpuTensor,
    work: usize,
    f: impl Fn(E) -> E + Copy + Sync,
) -> CpuTensor {
    let mut x = x.without_gaps();
    let layout = x.layout().clone();
    match x.reusable::<E>(&layout) {
        Some(values) => parallel::for_chunks(values, 1, work, |_, chunk| {
            let own = f;
            for value in chunk {
                *value = own(*value);
            }
        }),
        None => return map(&x, work, f),
    }
    x
}
