//! Long calls: without the GIL, on a thread of their own, and interruptible.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use stier_core::failure;

/// Does the work. Returns the exception of a game that fails.
pub(crate) fn guarded<T>(work: impl FnOnce() -> T) -> PyResult<T> {
    failure::catch(work)
}

/// The same for work that can also end in an exception of its own.
pub(crate) fn attempt<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    guarded(work)?
}

/// The longest wait of a signal. Users of Python expect an answer within 100 ms.
const POLL: Duration = Duration::from_millis(20);
/// The time for which a thread polls for the next message before it sleeps. It is longer than the other thread needs to
/// wake up.
const AWAKE: Duration = Duration::from_micros(200);

/// The time between two reports of progress.
const TICK: Duration = Duration::from_millis(100);

/// The progress of a long call.
#[derive(Default)]
pub(crate) struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    /// Set if the call is to end.
    pub(crate) interrupt: Arc<AtomicBool>,
}

impl Progress {
    /// So much is to be done.
    pub(crate) fn expect(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Notes that one more is done. Breaks if the call is to end.
    pub(crate) fn advance(&self) -> ControlFlow<()> {
        self.done.fetch_add(1, Ordering::Relaxed);
        if self.interrupt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Calls `on_progress(done, total)`, unless there is nothing to do.
    pub(crate) fn tell(&self, on_progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let [done, total] = [&self.done, &self.total].map(|number| number.load(Ordering::Relaxed));
        match on_progress {
            Some(callback) if total > 0 => callback.call1((done, total)).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// The same at the end: all is done.
    pub(crate) fn tell_end(&self, on_progress: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
        self.tell(on_progress)
    }
}

/// The number of calls that are to end because of a signal or an exception. Meanwhile games fail that run in Python.
static ENDING: AtomicUsize = AtomicUsize::new(0);

/// Returns true while a long call is to end.
pub(crate) fn is_ending() -> bool {
    ENDING.load(Ordering::Relaxed) > 0
}

/// Waits a moment for the next message. `Empty` if none arrives.
pub(crate) fn receive_soon<T>(receiver: &Receiver<T>) -> Result<T, TryRecvError> {
    let start = Instant::now();
    loop {
        match receiver.try_recv() {
            Err(TryRecvError::Empty) if start.elapsed() < AWAKE => thread::yield_now(),
            other => return other,
        }
    }
}

/// Runs `work` on a thread of its own. Meanwhile the calling thread releases the GIL. Every 20 ms, and whenever the
/// work sends a request, it checks for signals and calls `attend`, with the request if there is one.
///
/// If a signal handler or `attend` raises, `interrupt` is set. The work must then end soon. Further requests are
/// dropped unanswered, and the exception is returned once the work has ended. So is the exception of a game that fails.
pub(crate) fn watched<T: Send, R: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    work: impl FnOnce(Sender<R>) -> T + Send,
    mut attend: impl FnMut(Option<R>) -> PyResult<()>,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    thread::scope(|scope| {
        let worker = scope.spawn(move || guarded(|| work(sender)));
        let (mut outcome, mut conversing, mut is_ended) = (Ok(()), false, false);
        loop {
            let message;
            (receiver, message) = py.detach(move || {
                let soon = if conversing { receive_soon(&receiver) } else { Err(TryRecvError::Empty) };
                let message = match soon {
                    Err(TryRecvError::Empty) => receiver.recv_timeout(POLL),
                    other => other.map_err(|_| RecvTimeoutError::Disconnected),
                };
                (receiver, message)
            });
            let request = match message {
                Ok(request) => Some(request),
                Err(RecvTimeoutError::Timeout) => None,
                // The work has ended and dropped the sender.
                Err(RecvTimeoutError::Disconnected) => break,
            };
            conversing = request.is_some();
            if outcome.is_ok() {
                outcome = py.check_signals().and_then(|()| attend(request));
            }
            if outcome.is_err() && !is_ended {
                is_ended = true;
                interrupt.store(true, Ordering::Relaxed);
                ENDING.fetch_add(1, Ordering::Relaxed);
            }
        }
        let result = py.detach(|| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        if is_ended {
            ENDING.fetch_sub(1, Ordering::Relaxed);
        }
        outcome.and(result)
    })
}

/// Runs `work` as [`watched`] does. Meanwhile calls `answer` with each request, and `report` about ten times a second.
pub(crate) fn ticking<T: Send, R: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    work: impl FnOnce(Sender<R>) -> T + Send,
    mut answer: impl FnMut(R) -> PyResult<()>,
    mut report: impl FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let mut last = Instant::now();
    watched(py, interrupt, work, |request| {
        request.map_or(Ok(()), &mut answer)?;
        if last.elapsed() < TICK {
            return Ok(());
        }
        last = Instant::now();
        report()
    })
}
