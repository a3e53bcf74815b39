//! The page of conversations.

use std::io::{self, Write};

use super::escape::one_line;
use crate::html;

/// Begins a page of conversations, which are written one below the other.
///
/// # Errors
/// When writing fails.
pub fn begin_html(out: &mut dyn Write, title: &str) -> io::Result<()> {
    html::begin(out, &one_line(title), "codex-wire show")
}

/// Ends a page.
///
/// # Errors
/// When writing fails.
pub fn end_html(out: &mut dyn Write) -> io::Result<()> {
    html::end(out)
}
