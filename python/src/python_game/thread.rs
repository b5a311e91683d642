//! The interpreter on the engine's threads.

use std::cell::RefCell;
use std::ptr;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::ffi;
use pyo3::prelude::*;
use stier_core::failure;

use crate::run::is_ending;

/// A thread's state in the interpreter, which is made once and waits until the thread ends. Without it, each visit of a
/// thread that Python does not know would make and destroy one, which takes 30 µs.
struct Kept {
    visit: ffi::PyGILState_STATE,
    state: *mut ffi::PyThreadState,
}

impl Kept {
    fn new() -> Self {
        // SAFETY: the interpreter runs, since it called the engine. `PyEval_SaveThread` is called with the GIL held,
        // and leaves the thread's state for `PyEval_RestoreThread`.
        #[allow(unsafe_code)]
        unsafe {
            let visit = ffi::PyGILState_Ensure();
            Self { visit, state: ffi::PyEval_SaveThread() }
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: on the same thread, as a pair with the calls in `new`. Once the interpreter ends, the state is left
        // to it.
        #[allow(unsafe_code)]
        unsafe {
            if ffi::Py_IsInitialized() != 0 {
                ffi::PyEval_RestoreThread(self.state);
                ffi::PyGILState_Release(self.visit);
            }
        }
    }
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// Does the work with the GIL. On the threads of a long call that is to end, the game fails instead.
pub(super) fn with_python<T>(work: impl FnOnce(Python<'_>) -> T) -> T {
    // SAFETY: it reads the state of this thread and needs no GIL.
    #[allow(unsafe_code)]
    let is_known = !ptr::eq(unsafe { ffi::PyGILState_GetThisThreadState() }, ptr::null());
    if !is_known {
        KEPT.with_borrow_mut(|kept| *kept = Some(Kept::new()));
    }
    Python::attach(|py| {
        if is_ending() {
            failure::fail(PyKeyboardInterrupt::new_err(()));
        }
        work(py)
    })
}
