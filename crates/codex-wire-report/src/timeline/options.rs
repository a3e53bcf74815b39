//! How a timeline is written.

use crate::styles::Styles;

/// How a timeline is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TimelineOptions {
    /// The longest row in characters; 0 for no limit.
    pub width: usize,
    /// Whether payload text is shown; it is masked otherwise.
    pub show_values: bool,
    /// The colours.
    pub styles: Styles,
    /// Whether to flush each row, because somebody reads along.
    pub live: bool,
}

impl TimelineOptions {
    /// Rows of 100 characters, masked, without colours.
    pub fn new() -> Self {
        TimelineOptions {
            width: 100,
            show_values: false,
            styles: Styles::plain(),
            live: false,
        }
    }
}

impl Default for TimelineOptions {
    fn default() -> Self {
        TimelineOptions::new()
    }
}
