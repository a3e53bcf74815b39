//! JSON Pointers and short texts: built and bounded.

use std::borrow::Cow;

pub(crate) use codex_wire_base::pointer::push as push_segment;

/// How long a JSON Pointer may be that is kept or shown. The protocols know none of a tenth of it.
pub(crate) const POINTER_BYTES: usize = 1024;

/// A JSON Pointer, cut where it is longer than anybody reads. What is cut leads nowhere any more.
pub(crate) fn bounded(pointer: &str) -> Cow<'_, str> {
    match pointer.len() <= POINTER_BYTES {
        true => Cow::Borrowed(pointer),
        false => Cow::Owned(format!("{}…", begin(pointer, POINTER_BYTES))),
    }
}

/// The beginning of a text, of at most so many bytes.
pub(crate) fn begin(text: &str, most: usize) -> &str {
    match text.len() <= most {
        true => text,
        false => {
            let boundary = (0..=most).rev().find(|at| text.is_char_boundary(*at));
            &text[..boundary.unwrap_or(0)]
        }
    }
}
