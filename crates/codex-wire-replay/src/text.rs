//! Texts that share their memory.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A text, which may be a part of a larger one: the lines of a recording are parts of one text. A copy takes no memory
/// of its own.
#[derive(Clone, Default)]
pub struct Text {
    all: Arc<String>,
    start: usize,
    end: usize,
}

impl Text {
    /// A part of a text. If it is none, because it ends in a letter or behind the text, it is empty.
    pub(crate) fn part(all: &Arc<String>, place: Range<usize>) -> Self {
        Text {
            all: Arc::clone(all),
            start: place.start,
            end: place.end,
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.all.get(self.start..self.end).unwrap_or_default()
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text {
            start: 0,
            end: text.len(),
            all: Arc::new(text),
        }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
