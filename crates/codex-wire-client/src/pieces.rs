//! Lines of what comes in pieces, and the last words of standard error. Without input and output.

use std::collections::VecDeque;
use std::io;

use codex_wire::lines::Splitter;

/// How much of standard error is kept.
const STDERR: usize = 4096;

/// How much is read at once.
pub(crate) const PIECE: usize = 8 << 10;

/// Makes lines of pieces.
#[derive(Debug)]
pub(crate) struct Pieces {
    splitter: Splitter,
    limit: usize,
}

/// Lines, without their ends, and why there are no further ones.
pub(crate) type Pieced = (Vec<Vec<u8>>, io::Result<()>);

impl Pieces {
    /// Of lines that are no longer than this.
    pub(crate) fn new(limit: usize) -> Self {
        Pieces {
            splitter: Splitter::new(limit),
            limit,
        }
    }

    /// The lines that end in a piece.
    pub(crate) fn feed(&mut self, piece: &[u8]) -> Pieced {
        let (mut lines, mut is_fit) = (Vec::new(), true);
        self.splitter.feed(piece, |line| {
            is_fit &= !line.is_cut_off();
            if is_fit {
                lines.push(line.bytes.to_vec());
            }
        });
        // Whatever has no end would otherwise be read forever.
        is_fit &= self.splitter.pending() <= self.limit as u64;
        let limit = self.limit;
        let too_long = || io::Error::other(format!("a line is longer than {limit} bytes"));
        (lines, is_fit.then_some(()).ok_or_else(too_long))
    }

    /// The last line, if it has no end.
    pub(crate) fn last(&mut self) -> Option<Vec<u8>> {
        let mut last = None;
        self.splitter
            .finish(|line| last = Some(line.bytes.to_vec()));
        last
    }
}

/// The last bytes of standard error.
#[derive(Debug, Default)]
pub(crate) struct LastWords(VecDeque<u8>);

impl LastWords {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        let beyond = self.0.len().saturating_sub(STDERR);
        self.0.drain(..beyond);
    }

    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.0.iter().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
