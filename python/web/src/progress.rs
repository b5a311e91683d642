//! Messages for a page that waits for an answer: how far a calculation is, and why it broke off.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use web_time::Instant;

/// Hears the kind of the news, "progress" or "panic", and the news in words.
type Tell = Box<dyn Fn(&str, &str)>;

/// The least time between two words about the same calculation.
const PAUSE: Duration = Duration::from_millis(100);

thread_local! {
    static TELL: RefCell<Option<Tell>> = const { RefCell::new(None) };
    static LAST: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Sets the function that is told.
#[cfg(any(target_family = "wasm", test))]
pub(crate) fn listen(tell: impl Fn(&str, &str) + 'static) {
    TELL.set(Some(Box::new(tell)));
}

/// Tells the reason of a panic, after which nothing can be asked any more.
#[cfg(target_family = "wasm")]
pub(crate) fn tell_panics() {
    std::panic::set_hook(Box::new(|reason| send("panic", &reason.to_string())));
}

/// Tells what a calculation on this thread does next.
pub(crate) fn tell(text: &str) {
    LAST.set(Some(Instant::now()));
    send("progress", text);
}

/// Tells how far a calculation on this thread is, unless something was told a moment ago.
pub(crate) fn tell_at_times(text: impl FnOnce() -> String) {
    if LAST.get().is_none_or(|last| last.elapsed() >= PAUSE) {
        tell(&text());
    }
}

fn send(kind: &str, text: &str) {
    TELL.with_borrow(|function| {
        if let Some(function) = function {
            function(kind, text);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    #[test]
    fn a_calculation_tells_at_most_ten_times_a_second() {
        let told = Rc::new(RefCell::new(Vec::new()));
        let heard = Rc::clone(&told);
        listen(move |kind, text| heard.borrow_mut().push(format!("{kind}: {text}")));
        let (start, mut steps) = (Instant::now(), 0_u64);
        while start.elapsed() < 5 * PAUSE / 2 {
            steps += 1;
            tell_at_times(|| format!("step {steps}"));
        }
        let most = 1 + start.elapsed().as_millis() / PAUSE.as_millis();
        tell("the last part");
        let told = told.borrow();
        assert!(steps > 1000, "{steps} steps");
        assert!((2..=most + 1).contains(&(told.len() as u128)), "{told:?}");
        assert_eq!(told.first().map(String::as_str), Some("progress: step 1"));
        assert_eq!(told.last().map(String::as_str), Some("progress: the last part"));
    }
}
