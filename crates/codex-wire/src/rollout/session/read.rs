//! Reads the text of a file into a session.

use crate::rollout::HistoryPosition;
use crate::rollout::session::{Session, SessionBuilder};

impl Session {
    /// Reads the text of a file. Lines that cannot be read are skipped and listed.
    pub fn read(text: &[u8]) -> Self {
        Self::read_with(text, |_| None)
    }

    /// Reads the text of a file that may go on where another one ends.
    ///
    /// `base` gives the text of that other file; [`is_base`](super::is_base) says whether a file is the right one
    /// where several have the same thread. It is asked again for the base of the base.
    pub fn read_with(
        text: &[u8],
        mut base: impl FnMut(&HistoryPosition) -> Option<Vec<u8>>,
    ) -> Self {
        // A file whose base leads to itself must not be read forever.
        Self::read_below(text, &mut base, 64)
    }

    fn read_below(
        text: &[u8],
        base: &mut dyn FnMut(&HistoryPosition) -> Option<Vec<u8>>,
        depth: u32,
    ) -> Self {
        let mut builder = SessionBuilder::new();
        let mut is_first = true;
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            builder.push(line);
            if !std::mem::take(&mut is_first) || depth == 0 {
                continue;
            }
            let Some(position) = builder.history_base().cloned() else {
                continue;
            };
            let end = usize::try_from(position.end_byte_offset).unwrap_or(usize::MAX);
            if let Some(text) = base(&position)
                && let Some(text) = text.get(..end)
            {
                builder.continue_from(Self::read_below(text, base, depth - 1));
            }
        }
        builder.finish()
    }
}
