//! Max pooling.

use opswitch_core::{OrRaise, Shape, ops::PoolWindows};

use crate::{
    element::{Float, Real},
    lines::Lines,
    parallel,
    tensor::CpuTensor,
};

/// Where in the plane of its channel the first greatest element of each window is, or the first NaN.
#[track_caller]
pub(crate) fn max_pool_index<E: Float>(op: &'static str, x: CpuTensor, windows: &PoolWindows) -> CpuTensor {
    let shape = windows.output_shape(op, x.layout().shape()).or_raise();
    let x = x.contiguous();
    let (from, values) = (x.layout().shape(), x.row_major::<E>());
    let lines = Lines::of_pool(&from[2..], &shape[2..], windows);
    let first = first_positions(from, &shape, windows);
    let plane: usize = from[2..].iter().product();
    let elements: usize = windows.kernel_size.iter().product();
    let mut index = vec![0; shape.num_elements()];
    parallel::for_chunks(&mut index, first.len(), elements, |start, chunk| {
        let mut greatest = vec![E::Wide::ZERO; first.len()];
        for (position, index) in chunk.chunks_exact_mut(first.len()).enumerate() {
            let values = &values[(start / first.len() + position) * plane..][..plane];
            index.copy_from_slice(&first);
            // What is not greater, and no NaN, leaves the first position where it is.
            greatest.fill(-E::Wide::INFINITY);
            for element in 0..elements {
                lines.each(element, 0..lines.count, |windows, from| {
                    let found = greatest[windows.clone()].iter_mut().zip(&mut index[windows]);
                    let read = values[from..].iter().step_by(lines.stride);
                    for (i, ((greatest, at), x)) in found.zip(read).enumerate() {
                        let x = x.widen();
                        // No branch, which random elements would mispredict.
                        let replaces = (x > *greatest) | (x.is_nan() & !greatest.is_nan());
                        *greatest = if replaces { x } else { *greatest };
                        *at = if replaces { (from + i * lines.stride) as i64 } else { *at };
                    }
                });
            }
        }
    });
    CpuTensor::new(index, shape)
}

/// Where the first element of each window in a plane is that lies inside the input.
fn first_positions(from: &Shape, to: &Shape, windows: &PoolWindows) -> Vec<i64> {
    let mut positions = vec![0];
    for dim in 0..windows.kernel_size.len() {
        let extent = from[dim + 2];
        let place = |window: usize| {
            let (first, _) = windows.inside(dim, extent, window).expect("a window that was checked");
            windows.position(dim, window, first) as i64
        };
        let in_dim = |&start: &i64| (0..to[dim + 2]).map(move |window| start * extent as i64 + place(window));
        positions = positions.iter().flat_map(in_dim).collect();
    }
    positions
}
