//! Waiting until the host can read a buffer.

use std::{
    sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, mpsc},
    task::Waker,
    thread,
    time::Duration,
};

use crate::context::{lock, wait};

/// How long a thread sleeps before it asks again whether the device is still there.
const PATIENCE: Duration = Duration::from_millis(10);

/// Whether a buffer can be read yet, and who waits for it.
#[derive(Debug, Default)]
pub(crate) struct Mapping {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the buffer can be read, once that is known.
    is_readable: Option<bool>,
    waker: Option<Waker>,
}

impl Mapping {
    /// Says whether the buffer can be read. What is said first holds.
    pub(crate) fn set(&self, is_readable: bool) {
        let mut state = lock(&self.state);
        state.is_readable.get_or_insert(is_readable);
        let waker = state.waker.take();
        // Whoever is woken may ask at once.
        drop(state);
        self.arrived.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Whether the buffer can be read, or `None` if that is not known yet; then `waker` is called when it is.
    pub(crate) fn poll(&self, waker: &Waker) -> Option<bool> {
        let mut state = lock(&self.state);
        if state.is_readable.is_none() {
            state.waker = Some(waker.clone());
        }
        state.is_readable
    }

    /// Waits until it is known whether the buffer can be read, for a while.
    fn wait_briefly(&self) -> Option<bool> {
        let state = lock(&self.state);
        let waited = self.arrived.wait_timeout_while(state, PATIENCE, |state| state.is_readable.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.is_readable
    }
}

/// Waits for a submission, and until it is known whether the buffer that it fills can be read.
pub(crate) fn wait_for_mapping(
    device: &wgpu::Device,
    lost: &OnceLock<String>,
    submission: wgpu::SubmissionIndex,
    mapping: &Mapping,
) -> bool {
    wait(device, submission);
    // The wait runs the callback that says so, unless another thread is about to, or the device is gone.
    loop {
        if let Some(is_readable) = mapping.wait_briefly() {
            return is_readable;
        }
        let _ = device.poll(wgpu::PollType::Poll);
        if lost.get().is_some() {
            mapping.set(false);
        }
    }
}

/// A thread that waits for mappings, so that futures need not.
#[derive(Debug)]
pub(crate) struct Poller {
    requests: mpsc::Sender<(wgpu::SubmissionIndex, Arc<Mapping>)>,
}

impl Poller {
    /// The thread ends with the sender.
    pub(crate) fn new(device: wgpu::Device, lost: Arc<OnceLock<String>>) -> Self {
        let (requests, received) = mpsc::channel::<(_, Arc<Mapping>)>();
        thread::spawn(move || {
            for (submission, mapping) in received {
                wait_for_mapping(&device, &lost, submission, &mapping);
            }
        });
        Self { requests }
    }

    /// Has the thread wait for this mapping.
    ///
    /// # Panics
    ///
    /// Never: the thread runs as long as the sender is there.
    pub(crate) fn wait_for(&self, submission: wgpu::SubmissionIndex, mapping: Arc<Mapping>) {
        self.requests.send((submission, mapping)).expect("the thread runs as long as the sender is there");
    }
}
