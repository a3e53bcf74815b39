//! Finds the end of a string.
//!
//! Short strings are scanned 16 bytes at a time. Long strings are classified 64 bytes at a time:
//! output of commands has an escape every twenty bytes or so, at places that no branch predictor
//! guesses. So the escaped bytes of the whole window are computed at once, as simdjson does; only
//! `\u` and the end are handled one by one. The last window of a line is its last 64 bytes, with
//! already processed bytes masked.

use crate::simd::{Baseline, Block, Job, Marks, Simd, WINDOW, Wide};
use crate::text;

/// How many narrow blocks are examined before the widest are used: an id of 36 characters ends
/// in the third.
const LOOKS: usize = 3;

/// The instructions that strings are scanned with: the fastest of the processor, unless you choose
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scanner(Simd);

impl Scanner {
    /// The fastest on this processor.
    pub fn best() -> Self {
        let all = Simd::all();
        Scanner(*all.last().unwrap_or(&Simd::PORTABLE))
    }

    /// All instructions that this processor supports, the fastest last.
    pub fn all() -> Vec<Self> {
        Simd::all().into_iter().map(Scanner).collect()
    }

    /// The name of the instructions: `portable`, `SSE2`, `AVX2` or `NEON`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The place behind a string whose first character stands at `at`, behind the opening quote.
    /// Fails with the place of what no string may hold: control characters, wrong escapes,
    /// halves of surrogate pairs.
    #[inline(always)]
    pub(crate) fn string(self, line: &[u8], at: usize) -> Result<usize, usize> {
        self.text(line, at).map(|(end, _)| end)
    }

    /// The same, and whether there are no escapes in it.
    #[inline(always)]
    pub(crate) fn text(self, line: &[u8], at: usize) -> Result<(usize, bool), usize> {
        // Most strings are short: a few looks save the call.
        let mut from = at;
        if self.0.has_baseline()
            && let Some(last) = line.len().checked_sub(Baseline::WIDTH)
        {
            for _ in 0..LOOKS {
                // Near the end the last block is read, with already processed bytes masked.
                let start = from.min(last);
                let Some(stops) = line.get(start..).and_then(Baseline::stops) else {
                    break;
                };
                let stops = stops >> (from - start);
                if stops != 0 {
                    from += stops.trailing_zeros() as usize;
                    if line.get(from) == Some(&b'"') {
                        return Ok((from + 1, true));
                    }
                    break;
                }
                from = (from + Baseline::WIDTH).min(line.len());
            }
        }
        self.0.run(Skip { line, at: from })
    }
}

struct Skip<'l> {
    line: &'l [u8],
    at: usize,
}

impl Skip<'_> {
    /// The window that begins at a place, or the last one of the line, and how many bytes of it
    /// come before that place.
    #[inline(always)]
    fn window(&self, at: usize) -> Option<(&[u8; WINDOW], usize)> {
        if let Some(window) = self.line.get(at..)?.first_chunk() {
            return Some((window, 0));
        }
        let before = at + WINDOW - self.line.len();
        (before < WINDOW).then_some((self.line.last_chunk()?, before))
    }
}

impl Job for Skip<'_> {
    /// The place behind the string, and whether there are no escapes; or the place of a fault.
    type Out = Result<(usize, bool), usize>;

    /// Finds the escaped bytes of a whole window at once: output of programs has an escape about every
    /// twenty bytes, at positions that cannot be predicted.
    #[inline(always)]
    fn wide<B: Wide>(self) -> Self::Out {
        let mut at = self.at;
        // Whether the first byte of the window is escaped, as a bit.
        let mut carried = 0;
        // The backslashes of earlier windows.
        let mut met = 0;
        'windows: while let Some((window, before)) = self.window(at) {
            let Marks { ends, backslashes } = B::marks_of(window);
            let (ends, backslashes) = (ends >> before, backslashes >> before);
            let (mut stops, mut wrong) = (ends, 0);
            if backslashes | carried != 0 {
                let (escaping, escaped) = escapes(backslashes, carried);
                wrong = escaped & !(B::escapable_of(window) >> before);
                stops = ends & !escaped | wrong;
                carried = escaping >> (WINDOW - 1 - before) & 1;
            }
            while stops != 0 {
                let place = stops.trailing_zeros() as usize;
                let stop = at + place;
                if wrong >> place & 1 == 0 {
                    let is_end = self.line.get(stop) == Some(&b'"');
                    let before_it = backslashes & ((1 << place) - 1);
                    let end = (stop + 1, met | before_it == 0);
                    return if is_end { Ok(end) } else { Err(stop) };
                }
                // Not wrong after all if it is `u` with what belongs to it.
                let next = text::escape(self.line, stop - 1)?;
                let used = next - at;
                if used >= WINDOW {
                    (at, carried, met) = (next, 0, 1);
                    continue 'windows;
                }
                stops = stops >> used << used;
            }
            at += WINDOW - before;
            met |= backslashes;
        }
        rest(self.line, at - carried as usize, met == 0)
    }

    #[inline(always)]
    fn narrow<B: Block>(self) -> Self::Out {
        let Skip { line, mut at } = self;
        let mut is_plain = true;
        while let Some(stops) = line.get(at..).and_then(B::stops) {
            if stops == 0 {
                at += B::WIDTH;
                continue;
            }
            let stop = at + stops.trailing_zeros() as usize;
            match line.get(stop) {
                Some(b'"') => return Ok((stop + 1, is_plain)),
                Some(b'\\') => at = text::escape(line, stop)?,
                _ => return Err(stop),
            }
            is_plain = false;
        }
        rest(line, at, is_plain)
    }
}

/// Which backslashes escape the byte behind them, and which bytes are escaped: of a run of
/// backslashes every second one is. `carried` says that the first byte is.
///
/// A sum carries along a run of bits, so what comes behind a run shows whether it began at an
/// even or an odd place; the way is that of simdjson.
#[inline(always)]
fn escapes(backslashes: u64, carried: u64) -> (u64, u64) {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let may_escape = backslashes & !carried;
    let behind = may_escape << 1 | ODD;
    let both = behind.wrapping_sub(may_escape) ^ ODD;
    (both & backslashes, both ^ (backslashes | carried))
}

/// What is left where there is no whole block any more.
fn rest(line: &[u8], mut at: usize, mut is_plain: bool) -> Result<(usize, bool), usize> {
    loop {
        match line.get(at) {
            Some(b'"') => return Ok((at + 1, is_plain)),
            Some(b'\\') => (at, is_plain) = (text::escape(line, at)?, false),
            None | Some(..0x20) => return Err(at),
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What serde_json says of the string.
    fn is_string(text: &[u8]) -> bool {
        serde_json::from_slice::<String>(text).is_ok()
    }

    const PIECES: [&str; 22] = [
        "\"",
        "\\\"",
        "\\\\",
        "\\\\\\\"",
        "\\\\\\\\\"",
        "\\\\\\\\\\n",
        "\\n",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\ude00",
        "\\ud83d\\n",
        "\\u12g4",
        "\\x",
        "\\",
        "\u{1}",
        "\u{7f}",
        "é",
        "\n",
        "",
        "\\u",
        "\\/",
    ];

    /// Every scanner says of the string what serde_json does, and stops where it ends.
    fn assert_marks(text: &str) {
        let expected = is_string(text.as_bytes());
        for scanner in Scanner::all() {
            let found = scanner.string(text.as_bytes(), 1);
            let whole = found == Ok(text.len());
            assert_eq!(whole, expected, "{} {text}", scanner.name());
            if let Ok((end, is_plain)) = scanner.text(text.as_bytes(), 1) {
                let expected = !text[..end].contains('\\');
                assert_eq!(is_plain, expected, "{} {text}", scanner.name());
            }
            // What comes after the string is not looked at.
            if whole {
                let more = format!("{text}\\\u{1}\"{}", "\u{2}".repeat(40));
                assert_eq!(scanner.string(more.as_bytes(), 1), found);
            }
        }
    }

    #[test]
    fn all_scanners_agree_with_serde_json_at_every_place() {
        for before in 0..140 {
            for piece in PIECES {
                for after in [0, 1, 5, 40, 70] {
                    let (before, after) = ("a".repeat(before), "b".repeat(after));
                    assert_marks(&format!("\"{before}{piece}{after}\""));
                }
            }
        }
    }

    #[test]
    fn all_scanners_agree_with_serde_json_of_many_escapes() {
        // Runs of backslashes across the ends of windows, and pieces behind pieces.
        for before in 50..70 {
            for one in PIECES {
                for other in PIECES {
                    for many in [1, 2, 11] {
                        let before = "a".repeat(before);
                        let pieces = format!("{one}{other}").repeat(many);
                        assert_marks(&format!("\"{before}{pieces}\""));
                    }
                }
            }
        }
        for before in 0..70 {
            for backslashes in 0..140 {
                let (before, backslashes) = ("a".repeat(before), "\\".repeat(backslashes));
                assert_marks(&format!("\"{before}{backslashes}\""));
            }
        }
    }

    #[test]
    fn all_scanners_give_up_at_the_same_place() {
        for before in 0..140 {
            for piece in PIECES {
                for end in ["", "\"", "\\", "\u{1}"] {
                    let text = format!("\"{}{piece}{end}", "a".repeat(before));
                    let found = Scanner(Simd::PORTABLE).string(text.as_bytes(), 1);
                    for scanner in Scanner::all() {
                        let again = scanner.string(text.as_bytes(), 1);
                        assert_eq!(again, found, "{} {text}", scanner.name());
                    }
                }
            }
        }
    }
}
