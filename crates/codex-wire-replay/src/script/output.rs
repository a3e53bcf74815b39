//! The output of a command, as Codex keeps and sends it.

use std::borrow::Cow;

use crate::compose::observed::{Observed, OutputKept};

/// How many bytes of the beginning, and how many of the end, Codex keeps of a long output.
const END: usize = 512 << 10;

/// How many bytes of output Codex sends at once.
const PIECE: usize = 8 << 10;

/// What Codex keeps of an output, which came in these parts.
pub(super) fn kept(observed: Observed, parts: &[String]) -> String {
    let output = parts.concat();
    let omitted = output.len().saturating_sub(2 * END);
    if omitted == 0 {
        return output;
    }
    let bytes = output.as_bytes();
    let (head, tail) = (&bytes[..END], &bytes[bytes.len() - END..]);
    // A letter that is cut is replaced.
    match observed.keeps_output() {
        OutputKept::Whole => output,
        OutputKept::Beginning => String::from_utf8_lossy(&bytes[..2 * END]).into_owned(),
        OutputKept::Ends => String::from_utf8_lossy(&[head, tail].concat()).into_owned(),
        OutputKept::EndsWithCount => {
            let [head, tail] = [head, tail].map(String::from_utf8_lossy);
            let count = Cow::from(format!("\n... {omitted} bytes omitted ...\n"));
            [head, count, tail].concat()
        }
    }
}

/// A part of an output as it is sent.
pub(super) fn pieces(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    std::iter::from_fn(move || {
        let mut end = PIECE.min(rest.len());
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, left) = rest.split_at(end);
        rest = left;
        (!piece.is_empty()).then_some(piece)
    })
}
