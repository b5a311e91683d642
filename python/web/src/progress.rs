//! Words about the progress of long calculations.

use std::cell::RefCell;

type Tell = Box<dyn Fn(&str)>;

thread_local! {
    static TELL: RefCell<Option<Tell>> = const { RefCell::new(None) };
}

/// Sets the function that is told.
#[cfg(target_family = "wasm")]
pub(crate) fn on_progress(tell: impl Fn(&str) + 'static) {
    TELL.set(Some(Box::new(tell)));
}

/// Tells how far a calculation on this thread is.
pub(crate) fn tell(text: &str) {
    TELL.with_borrow(|function| {
        if let Some(function) = function {
            function(text);
        }
    });
}
