//! What each thread works on.

use std::cell::{Cell, RefCell};

struct Place {
    input: RefCell<String>,
    line: Cell<Option<u64>>,
}

thread_local! {
    static PLACE: Place = const {
        Place {
            input: RefCell::new(String::new()),
            line: Cell::new(None),
        }
    };
}

/// This thread begins with the input of this name.
pub(crate) fn begin(input: &str) {
    PLACE.with(|place| {
        place.line.set(None);
        // Whoever needs the name while it is written gets none.
        if let Ok(mut name) = place.input.try_borrow_mut() {
            input.clone_into(&mut name);
        }
    });
}

/// It has come to this line.
pub(crate) fn at_line(number: Option<u64>) {
    PLACE.with(|place| place.line.set(number));
}

/// Writes the place of this thread, in front of something else. A thread that works on no input has none.
pub(super) fn write(out: &mut String) {
    // A thread that ends has no place any more.
    let _ = PLACE.try_with(|place| {
        let Ok(input) = place.input.try_borrow() else {
            return;
        };
        if input.is_empty() {
            return;
        }
        out.push_str(&input);
        if let Some(line) = place.line.get() {
            out.push_str(&format!(":{line}"));
        }
        out.push_str(": ");
    });
}
