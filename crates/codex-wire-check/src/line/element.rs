//! An element of an array: it may go over several lines of the input.

use std::ops::Range;

use crate::finding::Characters;

/// The characters of a part of a text, counted from `line_start`. `None` if the part goes over several
/// lines.
pub(crate) fn characters_of(
    text: &str,
    line_start: usize,
    range: &Range<usize>,
) -> Option<Characters> {
    let before = text.get(line_start..range.start)?;
    let inside = text
        .get(range.clone())
        .filter(|part| !part.contains('\n'))?;
    Some(Characters {
        column: before.chars().count() as u64 + 1,
        length: inside.chars().count() as u64,
    })
}

/// The line of a text in which a part begins, and the part as far as it is in that line.
pub(crate) fn line_of(text: &str, range: Range<usize>) -> (&str, Range<usize>) {
    let bytes = text.as_bytes();
    let start = range.start.min(bytes.len());
    let from = memchr::memrchr(b'\n', &bytes[..start]).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
    // A newline is never a part of a character.
    let line = text.get(from..end).unwrap_or_default();
    (line, start - from..range.end.clamp(start, end) - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_their_line() {
        let text = "{\n \"é\": [1,\n2]}";
        let at = |part: &str| text.find(part).unwrap();
        let (line, range) = line_of(text, at("[1,")..at("]}") + 1);
        assert_eq!((line, &line[range]), (" \"é\": [1,", "[1,"));
        let (line, range) = line_of(text, 0..text.len());
        assert_eq!((line, &line[range]), ("{", "{"));
        let one = characters_of(text, 2, &(at("1")..at("1") + 1));
        let expected = Characters {
            column: 8,
            length: 1,
        };
        assert_eq!(one, Some(expected));
        assert_eq!(characters_of(text, 2, &(at("[")..text.len())), None);
    }
}
