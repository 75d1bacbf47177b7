//! Max pooling.

use std::ops::Range;

use opswitch_core::{OrRaise, Shape, ops::PoolWindows};

use crate::{
    element::{Float, Real},
    parallel,
    tensor::CpuTensor,
};

/// Where in the plane of its channel the first greatest element of each window is, or the first NaN.
#[track_caller]
pub(crate) fn max_pool_index<E: Float>(op: &'static str, x: CpuTensor, windows: &PoolWindows) -> CpuTensor {
    let shape = windows.output_shape(op, x.layout().shape()).or_raise();
    let plan = Plan::new(x.layout().shape(), &shape, windows);
    let x = x.contiguous();
    let values = x.row_major::<E>();
    let count: usize = shape[2..].iter().product();
    let work: usize = windows.kernel_size.iter().product();
    let index = parallel::collect(shape.num_elements(), count.max(1), work, |range, sink| {
        for plane in range.start / count..range.end / count {
            plan.each_window(&values[plane * plan.plane..][..plan.plane], |at| sink.push(at as i64));
        }
    });
    CpuTensor::new(index, shape)
}

/// The elements of windows in a plane: lines for all dimensions but the last, and places in a line for that.
struct Plan {
    plane: usize,
    /// Where the lines of each row of windows start.
    lines: Vec<Vec<usize>>,
    /// Where each window of a row starts and ends in a line.
    places: Vec<Range<usize>>,
    /// The distance of two elements in a line.
    step: usize,
}

impl Plan {
    fn new(from: &Shape, to: &Shape, windows: &PoolWindows) -> Self {
        let last = windows.kernel_size.len() - 1;
        let inside = |dim: usize, window: usize| {
            let extent = from[dim + 2];
            let (first, last) = windows.inside(dim, extent, window).expect("a window that was checked");
            windows.position(dim, window, first)..windows.position(dim, window, last) + 1
        };
        let mut lines = vec![vec![0]];
        for dim in 0..last {
            let (extent, step) = (from[dim + 2], windows.dilation[dim]);
            let windows_of = |starts: &Vec<usize>| {
                let with_window = |window| {
                    let place = |&start: &usize| {
                        inside(dim, window).step_by(step).map(move |place| start * extent + place)
                    };
                    starts.iter().flat_map(place).collect()
                };
                (0..to[dim + 2]).map(with_window).collect::<Vec<Vec<usize>>>()
            };
            lines = lines.iter().flat_map(windows_of).collect();
        }
        lines.iter_mut().flatten().for_each(|start| *start *= from[last + 2]);
        Self {
            plane: from[2..].iter().product(),
            lines,
            places: (0..to[last + 2]).map(|window| inside(last, window)).collect(),
            step: windows.dilation[last],
        }
    }

    /// Calls `found` for each window of a plane, with the index of its first greatest element.
    fn each_window<E: Float>(&self, plane: &[E], mut found: impl FnMut(usize)) {
        for lines in &self.lines {
            for places in &self.places {
                let mut at = lines[0] + places.start;
                let mut best = plane[at].widen();
                for line in lines {
                    for place in places.clone().step_by(self.step) {
                        let x = plane[line + place].widen();
                        if x > best || (x.is_nan() && !best.is_nan()) {
                            (best, at) = (x, line + place);
                        }
                    }
                }
                found(at);
            }
        }
    }
}
