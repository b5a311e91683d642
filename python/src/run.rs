//! Long calls: off the interpreter's lock, with an open ear.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How long signals wait at most; Python promises its users to answer within 100 ms.
const POLL: Duration = Duration::from_millis(20);
/// How long a thread in a conversation looks out for the next message before it goes to sleep: longer than the other one,
/// if asleep, needs to wake up.
const AWAKE: Duration = Duration::from_micros(200);

/// How often progress is told.
const TICK: Duration = Duration::from_millis(100);

/// Says when it is time to tell of progress again: about ten times a second.
pub(crate) struct Ticker(Instant);

impl Ticker {
    /// Progress has just been told.
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Whether it is time; if so, it is taken as told.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = self.0.elapsed() >= TICK;
        if due {
            self.0 = Instant::now();
        }
        due
    }
}

/// The next message, or `Empty` if none comes soon.
pub(crate) fn receive_soon<T>(receiver: &Receiver<T>) -> Result<T, TryRecvError> {
    let start = Instant::now();
    loop {
        match receiver.try_recv() {
            Err(TryRecvError::Empty) if start.elapsed() < AWAKE => thread::yield_now(),
            other => return other,
        }
    }
}

/// Runs `work` on a thread of its own. The calling thread meanwhile lets go of the interpreter and looks up every 20 ms, or
/// as soon as the work sends it a request, to answer signals and to `attend`: to the request, or to nothing in particular.
///
/// If a signal handler or `attend` raises, `interrupt` is set and the exception is returned once the work has ended, which
/// must be soon then; requests are dropped unanswered from there on.
pub(crate) fn watched<T: Send, R: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    work: impl FnOnce(Sender<R>) -> T + Send,
    mut attend: impl FnMut(Option<R>) -> PyResult<()>,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    thread::scope(|scope| {
        let worker = scope.spawn(move || work(sender));
        let (mut outcome, mut conversing) = (Ok(()), false);
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
                // The work has ended and taken the sender with it.
                Err(RecvTimeoutError::Disconnected) => break,
            };
            conversing = request.is_some();
            if outcome.is_ok() {
                outcome = py.check_signals().and_then(|()| attend(request));
            }
            if outcome.is_err() {
                interrupt.store(true, Ordering::Relaxed);
            }
        }
        let result = worker.join().unwrap_or_else(|panic| resume_unwind(panic));
        outcome.map(|()| result)
    })
}
