//! Splits a JSON array into its elements, so that an array of messages can be read as lines are.

use std::io::{self, BufRead};

use super::column::Column;
use super::endless::endless;
use super::line::Line;
use super::replay::{Opening, Replay};

/// The elements of an array that has begun.
#[derive(Debug)]
pub(super) struct Elements {
    /// Where it was read to.
    place: Place,
    /// A comma without an element behind it yet.
    comma: Option<Place>,
    /// Whether an object holds the array.
    is_wrapped: bool,
    /// How many bytes of an element are read, and of white space.
    longest: u64,
}

/// An element of an array, whose bytes are in the buffer.
pub(super) struct Element {
    place: Place,
    length: u64,
    ended: bool,
}

/// A place in the input.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// The number of the line, from 1.
    line: u64,
    /// What of the line comes before it.
    column: Column,
    offset: u64,
}

impl Element {
    /// The element as a line with these bytes.
    pub(super) fn line(self, bytes: &[u8]) -> Line<'_> {
        Line {
            bytes,
            number: self.place.line,
            offset: self.place.offset,
            ended: self.ended,
            length: self.length,
            column: Some(self.place.column),
        }
    }
}

impl Elements {
    /// The elements of an array that begins so, behind that many lines and bytes.
    pub(super) fn new<R: BufRead>(
        input: &mut Replay<R>,
        opening: Opening,
        (lines, offset): (u64, u64),
        longest: u64,
    ) -> io::Result<Self> {
        let mut elements = Elements {
            place: Place {
                line: lines + 1,
                column: Column::default(),
                offset,
            },
            comma: None,
            is_wrapped: opening.is_wrapped,
            longest,
        };
        for _ in 0..opening.bytes {
            if let Some(byte) = peek(input)? {
                elements.advance(input, byte);
            }
        }
        Ok(elements)
    }

    /// Whether an object holds the array.
    pub(super) fn is_wrapped(&self) -> bool {
        self.is_wrapped
    }

    /// How many lines and bytes come before what follows the array.
    pub(super) fn end(&self) -> (u64, u64) {
        (self.place.line - 1, self.place.offset)
    }

    /// Copies the next element to the buffer, as far as the limit allows. `None` where the array ends.
    pub(super) fn next<R: BufRead>(
        &mut self,
        input: &mut Replay<R>,
        buffer: &mut Vec<u8>,
        limit: usize,
    ) -> io::Result<Option<Element>> {
        let begin = self.place;
        loop {
            self.may_go_on(begin)?;
            let Some(byte) = peek(input)? else {
                let comma = self.comma.take();
                return Ok(comma.map(|place| lonely_comma(buffer, place, false)));
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => self.advance(input, byte),
                b']' => {
                    if let Some(place) = self.comma.take() {
                        return Ok(Some(lonely_comma(buffer, place, true)));
                    }
                    self.advance(input, byte);
                    self.space(input, begin)?;
                    if self.is_wrapped && peek(input)? == Some(b'}') {
                        self.advance(input, b'}');
                        self.space(input, begin)?;
                    }
                    return Ok(None);
                }
                b',' => {
                    let before = self.comma.replace(self.place);
                    self.advance(input, byte);
                    if let Some(place) = before {
                        return Ok(Some(lonely_comma(buffer, place, true)));
                    }
                }
                _ => break,
            }
        }
        self.comma = None;
        let place = self.place;
        let (length, ended) = self.copy(input, buffer, limit)?;
        Ok(Some(Element {
            place,
            length,
            ended,
        }))
    }

    /// Goes on behind white space.
    fn space<R: BufRead>(&mut self, input: &mut Replay<R>, begin: Place) -> io::Result<()> {
        while let Some(byte @ (b' ' | b'\t' | b'\r' | b'\n')) = peek(input)? {
            self.may_go_on(begin)?;
            self.advance(input, byte);
        }
        Ok(())
    }

    /// Copies an element to the buffer, as far as the limit allows. Returns its length, without white
    /// space behind it, and whether it is complete.
    fn copy<R: BufRead>(
        &mut self,
        input: &mut Replay<R>,
        buffer: &mut Vec<u8>,
        limit: usize,
    ) -> io::Result<(u64, bool)> {
        let mut depth = 0u64;
        let mut in_string = false;
        let mut is_escaped = false;
        // Bytes up to the last one that is not white space.
        let mut length = 0u64;
        let mut all = 0u64;
        let begin = self.place;
        loop {
            self.may_go_on(begin)?;
            let available = match input.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if available.is_empty() {
                trim(buffer, length);
                return Ok((length, false));
            }
            let mut used = 0;
            let mut is_end = false;
            let mut place = self.place;
            for &byte in available {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if in_string => is_escaped = true,
                    b'"' => in_string = !in_string,
                    _ if in_string => {}
                    b'{' | b'[' => depth += 1,
                    b',' | b']' if depth == 0 => {
                        is_end = true;
                        break;
                    }
                    b'}' | b']' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                used += 1;
                all += 1;
                place.line += u64::from(byte == b'\n');
                place.column.advance(byte);
                if !byte.is_ascii_whitespace() {
                    length = all;
                }
            }
            let room = limit - buffer.len();
            buffer.extend_from_slice(&available[..used.min(room)]);
            place.offset += used as u64;
            self.place = place;
            input.consume(used);
            if is_end {
                trim(buffer, length);
                return Ok((length, true));
            }
        }
    }

    /// An error if what began there takes too many bytes.
    fn may_go_on(&self, begin: Place) -> io::Result<()> {
        match self.place.offset - begin.offset > self.longest {
            true => Err(endless(begin.line, self.longest)),
            false => Ok(()),
        }
    }

    /// Goes on by this byte.
    fn advance<R: BufRead>(&mut self, input: &mut Replay<R>, byte: u8) {
        input.consume(1);
        self.place.offset += 1;
        self.place.line += u64::from(byte == b'\n');
        self.place.column.advance(byte);
    }
}

/// A comma without an element behind it, which is not a message.
fn lonely_comma(buffer: &mut Vec<u8>, place: Place, ended: bool) -> Element {
    buffer.push(b',');
    Element {
        place,
        length: 1,
        ended,
    }
}

fn trim(buffer: &mut Vec<u8>, length: u64) {
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    buffer.truncate(length);
}

/// The next byte.
fn peek<R: BufRead>(input: &mut Replay<R>) -> io::Result<Option<u8>> {
    loop {
        match input.fill_buf() {
            Ok(available) => return Ok(available.first().copied()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::Lines;

    /// The elements, with line, column, and whether each is complete.
    fn elements(text: &str, limit: usize, chunk: usize) -> Vec<(String, u64, u64, bool)> {
        let input = io::BufReader::with_capacity(chunk, text.as_bytes());
        let mut lines = Lines::new(input, limit).or_array();
        let mut all = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            let shown = String::from_utf8_lossy(line.bytes).into_owned();
            let start = usize::try_from(line.offset).unwrap();
            assert!(text[start..].starts_with(&shown), "{shown}");
            let end = start + usize::try_from(line.length).unwrap();
            assert!(line.is_cut_off() || text[start..end] == shown);
            // The place is that of the offset.
            let before = &text[..start];
            assert_eq!(line.number as usize, before.matches('\n').count() + 1);
            let column = start - before.rfind('\n').map_or(0, |at| at + 1);
            let said = line.column.unwrap_or_default();
            assert_eq!(said.bytes as usize, column, "{shown}");
            let characters = before[start - column..].chars().count();
            assert_eq!(said.characters as usize, characters, "{shown}");
            all.push((shown, line.number, column as u64, line.ended));
        }
        all
    }

    fn whole(text: &str) -> Vec<(String, u64, u64, bool)> {
        let once = elements(text, 1000, 1000);
        for chunk in 1..20 {
            assert_eq!(elements(text, 1000, chunk), once, "{chunk}");
        }
        once
    }

    fn element(text: &str, line: u64, column: u64) -> (String, u64, u64, bool) {
        (text.to_owned(), line, column, true)
    }

    #[test]
    fn elements_have_their_places() {
        let text = "[ {\"a\":\"],\\\"[\"},\n  {\n    \"b\": [1,\n 2]\n  } ,7,\n\"x\"\n]\n";
        assert_eq!(
            whole(text),
            [
                element("{\"a\":\"],\\\"[\"}", 1, 2),
                element("{\n    \"b\": [1,\n 2]\n  }", 2, 2),
                element("7", 5, 5),
                element("\"x\"", 6, 0),
            ]
        );
        assert_eq!(
            whole("[{\"é\":\"ü😀\"},{}]"),
            [element("{\"é\":\"ü😀\"}", 1, 1), element("{}", 1, 17),]
        );
        assert_eq!(whole("[]"), []);
        assert_eq!(whole("[\n]\n\n"), []);
    }

    #[test]
    fn an_object_may_hold_the_array() {
        assert_eq!(
            whole(
                "{ \"notifications\" :\n [ {\"a\":1},\n{} ] }\n{\"notifications\":[{}]}\n{\"b\":1}\n"
            ),
            [
                element("{\"a\":1}", 2, 3),
                element("{}", 3, 0),
                element("{}", 4, 18),
                element("{\"b\":1}", 5, 0),
            ]
        );
        assert_eq!(whole("{\"notifications\":[]}"), []);
    }

    #[test]
    fn what_is_wrong_is_kept() {
        // Two commas, and a comma at the end.
        assert_eq!(
            whole("[{},,{},]"),
            [
                element("{}", 1, 1),
                element(",", 1, 3),
                element("{}", 1, 5),
                element(",", 1, 7)
            ]
        );
        let cut = |text: &str, line, column| (text.to_owned(), line, column, false);
        assert_eq!(
            whole("[{},\n{\"a\":["),
            [element("{}", 1, 1), cut("{\"a\":[", 2, 0)]
        );
        assert_eq!(whole("[{},"), [element("{}", 1, 1), cut(",", 1, 3)]);
        assert_eq!(whole("[{}{} x]"), [element("{}{} x", 1, 1)]);
    }

    #[test]
    fn lines_may_follow() {
        assert_eq!(
            whole("[{}] \n\n{\"a\":1}\n]\n"),
            [
                element("{}", 1, 1),
                element("{\"a\":1}", 3, 0),
                element("]", 4, 0)
            ]
        );
    }

    #[test]
    fn what_is_no_array_of_objects_is_lines() {
        for text in [
            "[1,2]\n{}\n",
            "[2026-11-23] INFO\n{}\n",
            "[\n\n x\n{}\n",
            "{}\n[{}]\n",
            "[",
            "{\"notifications\":[1]}\n",
            "{\"notifications\":{}}\n{}\n",
            "{\"notificat",
            "",
        ] {
            let lines: Vec<String> = whole(text).into_iter().map(|line| line.0).collect();
            let expected: Vec<&str> = text.lines().collect();
            assert_eq!(lines, expected, "{text}");
        }
    }

    #[test]
    fn no_more_than_the_limit_is_kept() {
        let all = elements("[{\"a\":\"0123456789\"},{}]", 4, 3);
        assert_eq!(all, [element("{\"a\"", 1, 1), element("{}", 1, 20)]);
    }
}
