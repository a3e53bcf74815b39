//! Finding the end of a string.

use crate::lanes::{Baseline, Block, Job, Lanes};
use crate::text;

/// How many narrow blocks are looked at before the widest are used: an id of 36 characters ends
/// in the third.
const LOOKS: usize = 3;

/// The instructions that strings are scanned with. The fastest that the processor has is chosen
/// unless told otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scanner(Lanes);

impl Scanner {
    /// The fastest on this processor.
    pub fn best() -> Self {
        let all = Lanes::all();
        Scanner(*all.last().unwrap_or(&Lanes::PORTABLE))
    }

    /// All that this processor has, the fastest last.
    pub fn all() -> Vec<Self> {
        Lanes::all().into_iter().map(Scanner).collect()
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
        // Most strings are short: a few looks save the call.
        let mut from = at;
        if self.0.has_baseline() {
            for _ in 0..LOOKS {
                let Some(stops) = line.get(from..).and_then(Baseline::stops) else {
                    break;
                };
                if stops != 0 {
                    from += stops.trailing_zeros() as usize;
                    if line.get(from) == Some(&b'"') {
                        return Ok(from + 1);
                    }
                    break;
                }
                from += Baseline::WIDTH;
            }
        }
        self.0.run(Skip { line, at: from })
    }
}

struct Skip<'l> {
    line: &'l [u8],
    at: usize,
}

impl Job for Skip<'_> {
    type Out = Result<usize, usize>;

    #[inline(always)]
    fn run<B: Block>(self) -> Self::Out {
        let Skip { line, mut at } = self;
        'blocks: while let Some(mut stops) = line.get(at..).and_then(B::stops) {
            while stops != 0 {
                let place = stops.trailing_zeros() as usize;
                let stop = at + place;
                match line.get(stop) {
                    Some(b'"') => return Ok(stop + 1),
                    Some(b'\\') => {}
                    _ => return Err(stop),
                }
                let next = text::escape(line, stop)?;
                let used = next - at;
                if !B::EXACT || used >= B::WIDTH {
                    at = next;
                    continue 'blocks;
                }
                // What is escaped is not looked at again.
                stops = stops >> used << used;
            }
            at += B::WIDTH;
        }
        rest(line, at)
    }
}

/// What is left where there is no whole block any more.
#[cold]
fn rest(line: &[u8], mut at: usize) -> Result<usize, usize> {
    loop {
        match line.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = text::escape(line, at)?,
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

    #[test]
    fn all_scanners_agree_with_serde_json_at_every_place() {
        let pieces = [
            "\"",
            "\\\"",
            "\\\\",
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
        for scanner in Scanner::all() {
            for before in 0..70 {
                for piece in pieces {
                    for after in [0, 1, 5, 40] {
                        let (before, after) = ("a".repeat(before), "b".repeat(after));
                        let text = format!("\"{before}{piece}{after}\"");
                        let found = scanner.string(text.as_bytes(), 1);
                        let whole = found == Ok(text.len());
                        let expected = is_string(text.as_bytes());
                        assert_eq!(whole, expected, "{} {text}", scanner.name());
                        // What comes after the string is not looked at.
                        if whole {
                            let more = format!("{text}\\\u{1}\"{}", "\u{2}".repeat(40));
                            assert_eq!(scanner.string(more.as_bytes(), 1), found);
                        }
                    }
                }
            }
        }
    }
}
