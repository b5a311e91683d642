//! Lists made by plain loops.

/// Iterators that need no speed.
///
/// [`Iterator::collect`] is compiled into many functions for each kind of iterator, and this loop into one.
pub(crate) trait Listing: Iterator + Sized {
    /// The items as a list.
    fn list(self) -> Vec<Self::Item> {
        let mut list = Vec::new();
        for item in self {
            list.push(item);
        }
        list
    }
}

impl<I: Iterator> Listing for I {}

/// Sorts a few items, given whether one comes before another. Equal ones keep their order. The sorts of the standard
/// library compile to thousands of lines for each order.
#[cfg(feature = "games")]
pub(crate) fn sort_few<T>(items: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    for end in 1..items.len() {
        let mut place = end;
        while place > 0 && is_before(&items[place], &items[place - 1]) {
            items.swap(place, place - 1);
            place -= 1;
        }
    }
}
