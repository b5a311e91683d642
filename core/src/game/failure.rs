//! Games that cannot answer.
//!
//! The rules of a game in Rust always have an answer, so the methods of [`Game`](crate::Game) return no errors. A game
//! whose rules run somewhere else may find none: its code raises an exception, or contradicts itself. It then [fails](fail),
//! which ends everything that was being calculated, on any thread, up to the caller that [waits for it](catch).

use std::any::Any;
use std::panic::{self, AssertUnwindSafe, resume_unwind};

use crate::game::listed::{Listed, Unlisted};

/// Rules that run outside the engine, and may be untested.
pub trait Foreign {
    /// [Fails](fail) because something cannot be done with the game. `why` says it in words.
    fn refuse(&self, why: &str) -> !;
    /// True if no two histories lead to the same state.
    fn states_are_histories(&self) -> bool;

    /// All histories of the game, if there are at most `most`. `goes_on` is asked now and then, with the number so far, and
    /// may stop it. `None` if this is no faster than to ask about one history after another.
    fn list(&self, _most: usize, _goes_on: &dyn Fn(usize) -> bool) -> Option<Result<Listed, Unlisted>> {
        None
    }
}

/// A failure on its way to the caller.
struct Failure(Box<dyn Any + Send>);

/// Ends the calculation. Everything up to [`catch`] is unwound, as by a panic, without a message.
pub fn fail(reason: impl Any + Send) -> ! {
    resume_unwind(Box::new(Failure(Box::new(reason))))
}

/// Does the work. If a game [fails](fail) with a reason of this type, returns the reason. What the work changes must then be
/// valid, though it may be incomplete.
pub fn catch<T, R: Any>(work: impl FnOnce() -> T) -> Result<T, R> {
    let (mut work, mut result) = (Some(work), None);
    if let Err(reason) = catch_any(&mut || result = work.take().map(|work| work())) {
        return Err(*reason.downcast().unwrap_or_else(|reason| resume_unwind(Box::new(Failure(reason)))));
    }
    Ok(result.expect("the work was done"))
}

/// [`catch`] for reasons of any type.
fn catch_any(work: &mut dyn FnMut()) -> Result<(), Box<dyn Any + Send>> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let Failure(reason) = *panic.downcast().unwrap_or_else(|panic| resume_unwind(panic));
        reason
    })
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::{catch, fail};

    #[test]
    fn a_failure_reaches_its_caller_from_any_thread() {
        assert_eq!(catch::<_, String>(|| 7), Ok(7));
        let work = || {
            thread::spawn(|| fail("no rules".to_string()))
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        assert_eq!(catch::<(), String>(work), Err("no rules".to_string()));
        let inner = || catch::<(), u8>(|| fail("of another type".to_string()));
        assert_eq!(catch::<_, String>(inner), Err("of another type".to_string()));
    }
}
