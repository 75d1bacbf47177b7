//! Convolutions: windows are written out as the columns of a matrix, a few lines of them at a time, and multiplied with
//! the weights.

mod product;

use std::ops::Range;

use gemm::Parallelism;
use opswitch_core::{
    DType, OrRaise, Shape, check_same_type, check_type,
    layout::{StridedTensor, movement},
    ops::Convolution,
};

use self::product::{Matrix, multiply};
use crate::{
    element::{Real, for_real},
    elementwise::cast,
    lines::Lines,
    matmul::PARALLEL_PRODUCT,
    parallel,
    tensor::CpuTensor,
};

/// Elements of windows that are written out at a time: they stay in the cache until they are multiplied.
const BUFFER: usize = 1 << 16;

/// Windows that are multiplied at a time at least: for each product the weights are read again.
const FEWEST_WINDOWS: usize = 512;

/// The convolution of `x` with `weight`.
#[track_caller]
pub(crate) fn conv(op: &'static str, x: CpuTensor, weight: CpuTensor, options: &Convolution) -> CpuTensor {
    check_floats(op, &x, &weight);
    let shape = options.output_shape(op, x.layout().shape(), weight.layout().shape()).or_raise();
    let plan = Plan::new(x.layout().shape(), weight.layout().shape(), &shape, options);
    in_wide(op, x, weight, |x, weight| {
        for_real!(op, x.element_type(), |E| CpuTensor::new(
            plan.forward::<E>(x.row_major(), weight.row_major()),
            shape
        ))
    })
}

/// What the convolution with `weight` reads, where its results are `y`.
#[track_caller]
pub(crate) fn conv_transpose(
    op: &'static str,
    y: CpuTensor,
    weight: CpuTensor,
    options: &Convolution,
    size: &[usize],
) -> CpuTensor {
    check_floats(op, &y, &weight);
    let shape = options.input_shape(op, y.layout().shape(), weight.layout().shape(), size).or_raise();
    let plan = Plan::new(&shape, weight.layout().shape(), y.layout().shape(), options);
    in_wide(op, y, weight, |y, weight| {
        for_real!(op, y.element_type(), |E| CpuTensor::new(
            plan.transposed::<E>(y.row_major(), weight.row_major()),
            shape
        ))
    })
}

/// What the convolution of `x` multiplies its weight with, where its results are `y`.
#[track_caller]
pub(crate) fn conv_weight(
    op: &'static str,
    x: CpuTensor,
    y: CpuTensor,
    options: &Convolution,
    kernel: &[usize],
) -> CpuTensor {
    check_floats(op, &x, &y);
    let shape = options.weight_shape(op, x.layout().shape(), y.layout().shape(), kernel).or_raise();
    let plan = Plan::new(x.layout().shape(), &shape, y.layout().shape(), options);
    in_wide(op, x, y, |x, y| {
        for_real!(op, x.element_type(), |E| {
            let values = plan.weight::<E>(x.row_major(), y.row_major());
            // Each input channel of a group has the weights of all outputs side by side.
            let by_input = [options.groups, plan.inputs * plan.kernel, plan.outputs];
            let weight = movement::swap_dims(op, CpuTensor::new(values, by_input.into()), 1, 2);
            movement::reshape(op, weight.contiguous(), shape)
        })
    })
}

#[track_caller]
fn check_floats(op: &'static str, lhs: &CpuTensor, rhs: &CpuTensor) {
    check_type(op, "a float type", lhs.element_type(), DType::is_float);
    check_same_type(op, lhs, rhs);
}

/// What `body` makes of both tensors in row-major order. Half types go through `f32`, in which all sums are.
fn in_wide(
    op: &'static str,
    lhs: CpuTensor,
    rhs: CpuTensor,
    body: impl FnOnce(CpuTensor, CpuTensor) -> CpuTensor,
) -> CpuTensor {
    let (lhs, rhs) = (lhs.into_contiguous(op), rhs.into_contiguous(op));
    match lhs.element_type() {
        DType::F64 | DType::F32 => body(lhs, rhs),
        half => cast(body(cast(lhs, DType::F32), cast(rhs, DType::F32)), half),
    }
}

/// The loops of a convolution.
struct Plan {
    batch: usize,
    groups: usize,
    /// Input channels of a group.
    inputs: usize,
    /// Output channels of a group.
    outputs: usize,
    /// Elements of a channel of the input.
    plane: usize,
    /// Windows of a channel.
    windows: usize,
    /// Elements of a window in a channel.
    kernel: usize,
    /// Whether windows are the elements of the input, one after another.
    pointwise: bool,
    lines: Lines,
}

impl Plan {
    fn new(x: &Shape, weight: &Shape, y: &Shape, options: &Convolution) -> Self {
        let lines = Lines::of_conv(&x[2..], &y[2..], &weight[2..], options);
        let all = |numbers: &[usize], number| numbers.iter().all(|&found| found == number);
        Self {
            batch: x[0],
            groups: options.groups,
            inputs: weight[1],
            outputs: weight[0] / options.groups,
            plane: x[2..].iter().product(),
            windows: y[2..].iter().product(),
            kernel: weight[2..].iter().product(),
            pointwise: x[2..] == y[2..]
                && all(&weight[2..], 1)
                && all(&options.stride, 1)
                && all(&options.padding, 0),
            lines,
        }
    }

    /// Whether each channel is convolved on its own: there is nothing to multiply as matrices.
    fn depthwise(&self) -> bool {
        self.inputs == 1 && self.outputs == 1
    }

    /// The lines of windows in pieces of about one size.
    fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let windows = (BUFFER / (self.inputs * self.kernel).max(1)).max(FEWEST_WINDOWS);
        let most = (windows / self.lines.width.max(1)).max(1);
        let size = self.lines.count.div_ceil(self.lines.count.div_ceil(most).max(1)).max(1);
        let count = self.lines.count;
        (0..count).step_by(size).map(move |start| start..(start + size).min(count))
    }

    /// A buffer for the windows of `inputs` channels in the largest piece.
    fn buffer<E: Real>(&self, inputs: usize) -> Vec<E> {
        let lines = if self.pointwise || self.depthwise() {
            0
        } else {
            self.pieces().next().map_or(0, |piece| piece.len())
        };
        vec![E::ZERO; inputs * self.kernel * lines * self.lines.width]
    }

    /// Whether the product for one image and group runs on all cores: there is no other to run beside it.
    fn parallelism(&self) -> Parallelism {
        let work = self.outputs * self.windows * self.inputs * self.kernel;
        let alone = self.batch * self.groups == 1 && work >= PARALLEL_PRODUCT;
        if alone { Parallelism::Rayon(0) } else { Parallelism::None }
    }

    /// `values` filled by `fill`, which gets an image's and group's number, its piece of `len` values, and a buffer.
    fn for_each_group<E: Real>(
        &self,
        values: &mut [E],
        len: usize,
        sum: usize,
        fill: impl Fn(usize, &mut [E], &mut [E]) + Sync,
    ) {
        if values.is_empty() {
            return;
        }
        parallel::for_chunks(values, len, sum.div_ceil(4), |first, chunk| {
            let mut buffer = self.buffer(self.inputs);
            for (position, values) in chunk.chunks_exact_mut(len).enumerate() {
                fill(first / len + position, values, &mut buffer);
            }
        });
    }

    fn forward<E: Real>(&self, x: &[E], weight: &[E]) -> Vec<E> {
        let (depth, len) = (self.inputs * self.kernel, self.outputs * self.windows);
        let mut y = vec![E::ZERO; self.batch * self.groups * len];
        if depth == 0 || self.plane == 0 {
            return y;
        }
        self.for_each_group(&mut y, len, depth, |unit, y, buffer| {
            let x = &x[unit * self.inputs * self.plane..][..self.inputs * self.plane];
            let weight = &weight[unit % self.groups * self.outputs * depth..][..self.outputs * depth];
            if self.depthwise() {
                return self.add_weighted(x, weight, y);
            }
            let weight = Matrix::new(weight, self.outputs, depth, depth);
            if self.pointwise {
                let windows = Matrix::new(x, depth, self.windows, self.windows);
                let y = Matrix::new(y, self.outputs, self.windows, self.windows);
                return multiply(y, weight, windows, false, self.parallelism());
            }
            for lines in self.pieces() {
                let (start, count) = (lines.start * self.lines.width, lines.len() * self.lines.width);
                self.write_windows(x, lines, buffer);
                let windows = Matrix::new(&*buffer, depth, count, count);
                let y = Matrix::new(&mut y[start..], self.outputs, count, self.windows);
                multiply(y, weight, windows, false, self.parallelism());
            }
        });
        y
    }

    fn transposed<E: Real>(&self, y: &[E], weight: &[E]) -> Vec<E> {
        let (depth, len) = (self.inputs * self.kernel, self.inputs * self.plane);
        let mut x = vec![E::ZERO; self.batch * self.groups * len];
        if self.outputs == 0 || self.windows == 0 {
            return x;
        }
        self.for_each_group(&mut x, len, self.outputs * self.kernel, |unit, x, buffer| {
            let y = &y[unit * self.outputs * self.windows..][..self.outputs * self.windows];
            let weight = &weight[unit % self.groups * self.outputs * depth..][..self.outputs * depth];
            if self.depthwise() {
                return self.add_back_weighted(y, weight, x);
            }
            let weight = Matrix::new(weight, self.outputs, depth, depth).transposed();
            if self.pointwise {
                let y = Matrix::new(y, self.outputs, self.windows, self.windows);
                let x = Matrix::new(x, depth, self.windows, self.windows);
                return multiply(x, weight, y, false, self.parallelism());
            }
            for lines in self.pieces() {
                let (start, count) = (lines.start * self.lines.width, lines.len() * self.lines.width);
                let y = Matrix::new(&y[start..], self.outputs, count, self.windows);
                let windows = Matrix::new(&mut *buffer, depth, count, count);
                multiply(windows, weight, y, false, self.parallelism());
                self.add_windows(buffer, lines, x);
            }
        });
        x
    }

    /// The weights as `[groups, inputs, kernel, outputs]`: input channels can be shared among cores.
    fn weight<E: Real>(&self, x: &[E], y: &[E]) -> Vec<E> {
        let len = self.kernel * self.outputs;
        let mut weight = vec![E::ZERO; self.groups * self.inputs * len];
        if weight.is_empty() || self.windows == 0 || self.plane == 0 {
            return weight;
        }
        parallel::for_chunks(&mut weight, len, (self.batch * self.windows).div_ceil(4), |first, chunk| {
            let mut buffer = self.buffer((chunk.len() / len).min(self.inputs));
            let (mut channel, mut rest) = (first / len, chunk);
            while !rest.is_empty() {
                // As many channels as there are in this group.
                let count = (self.inputs - channel % self.inputs).min(rest.len() / len);
                let (weight, behind) = rest.split_at_mut(count * len);
                self.weight_of(channel..channel + count, x, y, weight, &mut buffer);
                (channel, rest) = (channel + count, behind);
            }
        });
        weight
    }

    /// The weights of input channels of one group, counted over all groups.
    fn weight_of<E: Real>(
        &self,
        channels: Range<usize>,
        x: &[E],
        y: &[E],
        weight: &mut [E],
        buffer: &mut [E],
    ) {
        let (depth, group) = (channels.len() * self.kernel, channels.start / self.inputs);
        for image in 0..self.batch {
            let first = image * self.groups * self.inputs + channels.start;
            let x = &x[first * self.plane..][..channels.len() * self.plane];
            let len = self.outputs * self.windows;
            let y = &y[(image * self.groups + group) * len..][..len];
            if self.depthwise() {
                self.add_products(x, y, weight);
                continue;
            }
            let mut add = |windows: Matrix<&[E]>, start: usize, count: usize| {
                let y = Matrix::new(&y[start..], self.outputs, count, self.windows);
                let weight = Matrix::new(&mut *weight, depth, self.outputs, self.outputs);
                multiply(weight, windows, y.transposed(), true, Parallelism::None);
            };
            if self.pointwise {
                add(Matrix::new(x, depth, self.windows, self.windows), 0, self.windows);
                continue;
            }
            for lines in self.pieces() {
                let (start, count) = (lines.start * self.lines.width, lines.len() * self.lines.width);
                self.write_windows(x, lines, buffer);
                add(Matrix::new(&*buffer, depth, count, count), start, count);
            }
        }
    }

    /// The windows of `lines` as columns: a row for each channel of `x` and element of the kernel.
    fn write_windows<E: Real>(&self, x: &[E], lines: Range<usize>, columns: &mut [E]) {
        let count = lines.len() * self.lines.width;
        let mut rows = columns.chunks_exact_mut(count);
        for plane in x.chunks_exact(self.plane) {
            for (element, row) in rows.by_ref().take(self.kernel).enumerate() {
                row.fill(E::ZERO);
                self.lines.each(element, lines.clone(), |windows, from| {
                    self.pair(&mut row[windows], &plane[from..], |to, from| *to = *from);
                });
            }
        }
    }

    /// The opposite of [`write_windows`](Self::write_windows): the columns added to where they would be read.
    fn add_windows<E: Real>(&self, columns: &[E], lines: Range<usize>, x: &mut [E]) {
        let count = lines.len() * self.lines.width;
        let mut rows = columns.chunks_exact(count);
        for plane in x.chunks_exact_mut(self.plane) {
            for (element, row) in rows.by_ref().take(self.kernel).enumerate() {
                self.lines.each(element, lines.clone(), |windows, to| {
                    self.pair_mut(&row[windows], &mut plane[to..], |from, to| *to = *to + *from);
                });
            }
        }
    }

    fn add_weighted<E: Real>(&self, x: &[E], weight: &[E], y: &mut [E]) {
        for (element, &weight) in weight.iter().enumerate() {
            self.lines.each(element, 0..self.lines.count, |windows, from| {
                self.pair(&mut y[windows], &x[from..], |y, x| *y = *y + weight * *x);
            });
        }
    }

    fn add_back_weighted<E: Real>(&self, y: &[E], weight: &[E], x: &mut [E]) {
        for (element, &weight) in weight.iter().enumerate() {
            self.lines.each(element, 0..self.lines.count, |windows, to| {
                self.pair_mut(&y[windows], &mut x[to..], |y, x| *x = *x + weight * *y);
            });
        }
    }

    /// Channel by channel, the products of what each element of the kernel reads and the results.
    fn add_products<E: Real>(&self, x: &[E], y: &[E], weight: &mut [E]) {
        for (element, weight) in weight.iter_mut().enumerate() {
            self.lines.each(element, 0..self.lines.count, |windows, from| {
                let (y, x) = (&y[windows], x[from..].iter().step_by(self.lines.stride));
                let sum = y.iter().zip(x).fold(E::ZERO, |sum, (&y, &x)| sum + x * y);
                *weight = *weight + sum;
            });
        }
    }

    /// Calls `step` for windows of a line and what they read from `from` on.
    #[inline]
    fn pair<E>(&self, windows: &mut [E], from: &[E], mut step: impl FnMut(&mut E, &E)) {
        if self.lines.stride == 1 {
            windows.iter_mut().zip(from).for_each(|(window, from)| step(window, from));
        } else {
            windows
                .iter_mut()
                .zip(from.iter().step_by(self.lines.stride))
                .for_each(|(window, from)| step(window, from));
        }
    }

    /// As [`pair`](Self::pair), the other way.
    #[inline]
    fn pair_mut<E>(&self, windows: &[E], to: &mut [E], mut step: impl FnMut(&E, &mut E)) {
        if self.lines.stride == 1 {
            windows.iter().zip(to).for_each(|(window, to)| step(window, to));
        } else {
            windows
                .iter()
                .zip(to.iter_mut().step_by(self.lines.stride))
                .for_each(|(window, to)| step(window, to));
        }
    }
}
