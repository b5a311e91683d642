//! Long calls: without the GIL, on a thread of their own, and interruptible.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use stier_agents::agent::threads;
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

/// The progress of a long call, and the caller's functions that it is told.
#[derive(Default)]
pub(crate) struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    on_progress: Option<Py<PyAny>>,
    /// The histories that were counted, and an estimate of them all, while a game is enumerated.
    pub(crate) histories: AtomicU64,
    pub(crate) estimate: AtomicU64,
    pub(crate) is_counting: AtomicBool,
    on_count: Option<Py<PyAny>>,
    /// Set if the call is to end.
    pub(crate) interrupt: Arc<AtomicBool>,
}

impl Progress {
    /// So much is to be done, and `on_progress(done, total)` is to be called, or `on_count(histories, estimate)` while a game
    /// is enumerated.
    pub(crate) fn new(total: u64, on_progress: Option<Py<PyAny>>, on_count: Option<Py<PyAny>>) -> Self {
        Self { total: total.into(), on_progress, on_count, ..Self::default() }
    }

    /// So much is to be done.
    pub(crate) fn expect(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Notes that one more is done. Breaks if the call is to end.
    pub(crate) fn advance(&self) -> ControlFlow<()> {
        self.done.fetch_add(1, Ordering::Relaxed);
        goes_on(&self.interrupt)
    }

    /// Tells the caller, unless there is nothing to do.
    pub(crate) fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let is_counting = self.is_counting.load(Ordering::Relaxed);
        let (callback, numbers) = match is_counting {
            true => (&self.on_count, [&self.histories, &self.estimate]),
            false => (&self.on_progress, [&self.done, &self.total]),
        };
        let [done, total] = numbers.map(|number| number.load(Ordering::Relaxed));
        match callback {
            Some(callback) if is_counting || total > 0 => callback.call1(py, (done, total)).map(|_| ()),
            _ => Ok(()),
        }
    }

    /// Runs `work`, and tells the caller before, meanwhile, and after it. `refused` converts its errors.
    pub(crate) fn run<T: Send, E: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T, E> + Send,
        refused: impl FnOnce(E) -> PyErr,
    ) -> PyResult<T> {
        self.converse(py, channel(), work, refused)
    }

    /// The same for `work` that sends requests.
    pub(crate) fn converse<T: Send, E: Send>(
        &self,
        py: Python<'_>,
        requests: Requests,
        work: impl FnOnce() -> Result<T, E> + Send,
        refused: impl FnOnce(E) -> PyErr,
    ) -> PyResult<T> {
        self.tell(py)?;
        let done = ticking(py, &self.interrupt, requests, work, &|| self.tell(py))?.map_err(refused)?;
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
        self.tell(py).map(|()| done)
    }
}

/// Locks what stays right even if a thread that has locked it panics.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Breaks if a call is to end.
pub(crate) fn goes_on(interrupt: &AtomicBool) -> ControlFlow<()> {
    if interrupt.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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

/// Something that the work of a long call wants to be done in the thread that called, with the GIL.
pub(crate) type Request = Box<dyn FnOnce(Python<'_>) -> PyResult<()> + Send>;

/// The ends of a channel for requests.
pub(crate) type Requests = (Sender<Request>, Receiver<Request>);

/// Runs `work` on a thread of its own. Meanwhile the calling thread releases the GIL. Every 20 ms, and whenever the
/// work sends a request, it checks for signals, does what is requested, and calls `attend`.
///
/// If a signal handler, a request or `attend` raises, `interrupt` is set. The work must then end soon. Further requests are
/// dropped, and the exception is returned once the work has ended. So is the exception of a game that fails.
fn attended<T: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    requests: Requests,
    work: impl FnOnce() -> T + Send,
    attend: &mut dyn FnMut() -> PyResult<()>,
) -> PyResult<T> {
    let (mut work, mut result) = (Some(work), None);
    attend_to(py, interrupt, requests, &mut || result = work.take().map(|work| work()), attend)?;
    Ok(result.expect("the work has ended"))
}

/// [`attended`], compiled once for all work.
fn attend_to(
    py: Python<'_>,
    interrupt: &AtomicBool,
    (sender, mut receiver): Requests,
    work: &mut (dyn FnMut() + Send),
    attend: &mut dyn FnMut() -> PyResult<()>,
) -> PyResult<()> {
    thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let result = guarded(work);
            drop(sender);
            result
        });
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
                // The work has ended and dropped all senders.
                Err(RecvTimeoutError::Disconnected) => break,
            };
            conversing = request.is_some();
            if outcome.is_ok() {
                outcome = py
                    .check_signals()
                    .and_then(|()| request.map_or(Ok(()), |request| request(py)))
                    .and_then(|()| attend());
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

/// Runs `work` as [`attended`] does, without requests.
pub(crate) fn watched<T: Send>(py: Python<'_>, interrupt: &AtomicBool, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    attended(py, interrupt, channel(), work, &mut || Ok(()))
}

/// Work on so many histories, or hands, takes less time than users wait for the answer to Ctrl-C.
const INSTANT: u64 = 1 << 21;

/// Runs `work` on so many histories, or hands, without the GIL, and as [`attended`] does if they are many.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    size: u64,
    work: impl FnOnce(threads::Watch<'_>) -> T + Send,
) -> PyResult<T> {
    let interrupt = AtomicBool::new(false);
    let work = || work(&|| goes_on(&interrupt));
    if size < INSTANT { Ok(py.detach(work)) } else { watched(py, &interrupt, work) }
}

/// Runs `work` as [`attended`] does. Meanwhile calls `report` about ten times a second.
pub(crate) fn ticking<T: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    requests: Requests,
    work: impl FnOnce() -> T + Send,
    report: &dyn Fn() -> PyResult<()>,
) -> PyResult<T> {
    let mut last = Instant::now();
    attended(py, interrupt, requests, work, &mut || {
        if last.elapsed() < TICK {
            return Ok(());
        }
        last = Instant::now();
        report()
    })
}
