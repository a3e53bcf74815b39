//! A line of an input.

use super::column::Column;

/// A line and where it came from.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The bytes without the newline. Of a line over the limit, its beginning.
    pub bytes: &'a [u8],
    /// The number of the line, from 1.
    pub number: u64,
    /// The byte offset of its beginning in the input.
    pub offset: u64,
    /// Whether a newline ended it; only the last line may lack it.
    pub ended: bool,
    /// How many bytes it has in all.
    pub length: u64,
    /// Of an element of an array: what comes before it in its line, which is `number`. It may have
    /// newlines in it.
    pub column: Option<Column>,
}

impl Line<'_> {
    /// Whether it is longer than the limit, so that `bytes` holds only its beginning.
    pub fn is_cut_off(&self) -> bool {
        self.length > self.bytes.len() as u64
    }
}
