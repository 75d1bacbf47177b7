//! Filling vectors, on all cores where that pays.

use std::{mem::MaybeUninit, ops::Range, sync::Mutex};

use pulp::Arch;

/// Elements times work per element from which a loop runs on all cores.
///
/// Measured on two cores that others used as well: a plain loop adds 100,000 floats in 15 µs, and shared among both it
/// took 31 µs.
pub(crate) const THRESHOLD: usize = 1 << 18;

/// The work of an op that calls a transcendental function, in units of an addition.
pub(crate) const HEAVY: usize = 8;

/// A new vector of `len` elements, written by `fill` in pieces that are multiples of `unit`: it gets the range of a
/// piece and where to write it.
///
/// # Panics
///
/// If `fill` leaves elements unwritten.
#[inline]
pub(crate) fn collect<O: Send>(
    len: usize,
    unit: usize,
    work: usize,
    fill: impl Fn(Range<usize>, &mut Sink<'_, O>) + Sync,
) -> Vec<O> {
    fill_pieces(len, unit, work, &fill)
}

/// Calls `update` for pieces of `values` that are multiples of `unit`, with the position of their first element.
#[inline]
pub(crate) fn for_chunks<T: Send>(
    values: &mut [T],
    unit: usize,
    work: usize,
    update: impl Fn(usize, &mut [T]) + Sync,
) {
    update_pieces(values, unit, work, &update);
}

// Behind the two functions above kernels are trait objects: a call through a pointer for each piece, instead of the
// machinery that shares pieces among threads compiled again for each of a thousand kernels.

fn fill_pieces<O: Send>(
    len: usize,
    unit: usize,
    work: usize,
    fill: &(dyn Fn(Range<usize>, &mut Sink<'_, O>) + Sync),
) -> Vec<O> {
    let mut values = Vec::with_capacity(len);
    if len == 0 {
        return values;
    }
    update_pieces(&mut values.spare_capacity_mut()[..len], unit, work, &|start, slots| {
        let mut sink = Sink { slots, filled: 0 };
        fill(start..start + sink.slots.len(), &mut sink);
        assert_eq!(sink.filled, sink.slots.len(), "a kernel writes every element of its piece");
    });
    // SAFETY: the pieces cover the first `len` slots, and each was found to be filled.
    unsafe { values.set_len(len) };
    values
}

fn update_pieces<T: Send>(
    values: &mut [T],
    unit: usize,
    work: usize,
    update: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    if values.len().saturating_mul(work) < THRESHOLD {
        return update(0, values);
    }
    let smallest = THRESHOLD / 4 / work.max(1);
    let size =
        (values.len() / (4 * rayon::current_num_threads())).max(smallest).max(1).next_multiple_of(unit);
    let pieces = Mutex::new(values.chunks_mut(size).enumerate());
    let next = || pieces.lock().expect("no one panics while it takes a piece").next();
    let take_pieces = || {
        while let Some((piece, chunk)) = next() {
            update(piece * size, chunk);
        }
    };
    // This thread takes pieces too, while others wake up.
    rayon::in_place_scope(|scope| {
        (1..rayon::current_num_threads()).for_each(|_| scope.spawn(|_| take_pieces()));
        take_pieces();
    });
}

/// Runs both, at the same time if they do so much work that it pays.
pub(crate) fn join<A: Send, B: Send>(
    work: usize,
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    if work < THRESHOLD { (first(), second()) } else { rayon::join(first, second) }
}

/// A piece of a vector that is written once from front to back.
pub(crate) struct Sink<'a, O> {
    slots: &'a mut [MaybeUninit<O>],
    filled: usize,
}

impl<O> Sink<'_, O> {
    #[inline]
    pub(crate) fn push(&mut self, value: O) {
        self.slots[self.filled].write(value);
        self.filled += 1;
    }

    /// Writes the values, up to the end of the piece.
    #[inline]
    pub(crate) fn extend(&mut self, values: impl Iterator<Item = O>) {
        let slots = &mut self.slots[self.filled..];
        self.filled += Arch::new().dispatch(|| {
            let mut written = 0;
            for (slot, value) in slots.iter_mut().zip(values) {
                slot.write(value);
                written += 1;
            }
            written
        });
    }

    #[inline]
    pub(crate) fn copy(&mut self, values: &[O])
    where
        O: Copy,
    {
        self.slots[self.filled..][..values.len()].write_copy_of_slice(values);
        self.filled += values.len();
    }
}
