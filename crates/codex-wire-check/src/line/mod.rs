//! A line before it is read: where it stands, who wrote it, and its text.
//!
//! Every stage uses this; it uses none of them.

pub(crate) mod element;
pub(crate) mod end;
pub(crate) mod positions;

use codex_wire_base::lines::Line;
use codex_wire_prefilter::View;

use crate::writer::Writer;

/// Where a line stands, and what is known of it before it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The number of the line.
    pub(crate) line: u64,
    /// The byte offset in the input of the line.
    pub(crate) offset: u64,
    /// How many bytes the line has, or the element.
    pub(crate) length: u64,
    /// Whether it is an element of an array, which may have newlines in it.
    pub(crate) is_element: bool,
    /// Whether the line has its end.
    pub(crate) is_complete: bool,
    /// Whether a record of a recording holds it, so that it is not a record itself.
    pub(crate) is_inner: bool,
    /// Who wrote it, if a recording or the caller says so.
    pub(crate) stated_writer: Option<Writer>,
    /// The connection it travelled on, if a recording says so.
    pub(crate) connection: Option<u32>,
    /// How many bytes of the line come before the text.
    pub(crate) skipped: usize,
    /// How many characters these are; `None` where they are not text.
    pub(crate) skipped_characters: Option<u64>,
}

/// What the caller knows of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    /// The side that wrote it.
    pub(crate) writer: Writer,
    /// How many bytes its record has, if it is kept in a recording while it is checked.
    pub(crate) record: Option<u64>,
}

impl Origin {
    /// The origin of a line, of which the caller may know something.
    pub(crate) fn told(line: &Line<'_>, told: Option<Told>) -> Self {
        let origin = Origin::of(line, told.map(|told| told.writer));
        let record = told.and_then(|told| told.record);
        Origin {
            length: record.unwrap_or(origin.length),
            is_inner: record.is_some(),
            ..origin
        }
    }

    /// The origin of a line. `stated_writer` is the side that wrote it, if the caller knows it.
    pub(crate) fn of(line: &Line<'_>, stated_writer: Option<Writer>) -> Self {
        let before = line.column.unwrap_or_default();
        Origin {
            line: line.number,
            offset: line.offset - before.bytes,
            length: line.length,
            is_element: line.column.is_some(),
            is_complete: line.ended,
            is_inner: false,
            stated_writer,
            connection: None,
            skipped: usize::try_from(before.bytes).unwrap_or(0),
            skipped_characters: Some(before.characters),
        }
    }
}

/// A line that is text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) origin: Origin,
    pub(crate) text: &'a str,
    /// The event of the hook that printed it, if a hook did.
    pub(crate) hook: Option<&'a str>,
}

impl<'a> Text<'a> {
    pub(crate) fn new(origin: Origin, text: &'a str) -> Self {
        Text {
            origin,
            text,
            hook: None,
        }
    }

    /// The line that this line of a recording holds as a string.
    pub(crate) fn inner<'i>(
        &self,
        text: &'i str,
        stated_writer: Option<Writer>,
        connection: Option<u32>,
    ) -> Text<'i> {
        let origin = Origin {
            is_element: false,
            is_complete: true,
            is_inner: true,
            stated_writer,
            connection,
            skipped: 0,
            skipped_characters: Some(0),
            ..self.origin
        };
        Text::new(origin, text)
    }

    /// The message that stands in this line as a value. Its places are those in the line.
    pub(crate) fn part<'i>(
        &self,
        value: View<'i>,
        stated_writer: Option<Writer>,
        connection: Option<u32>,
    ) -> Text<'i> {
        let start = offset(self.text, value).unwrap_or(0);
        let before = self.text.get(..start).unwrap_or_default();
        let mut part = self.inner(value.as_written(), stated_writer, connection);
        let (own, origin) = (&self.origin, &mut part.origin);
        origin.is_element = own.is_element;
        match self.newline_before(start) {
            Some((lines, newline)) => {
                origin.line += lines;
                origin.skipped = start - newline - 1;
                origin.offset = own.offset + (own.skipped + newline + 1) as u64;
                let before = before.get(newline + 1..).unwrap_or_default();
                origin.skipped_characters = Some(before.chars().count() as u64);
            }
            None => {
                let before = before.chars().count() as u64;
                origin.skipped = own.skipped + start;
                origin.skipped_characters = own.skipped_characters.map(|skipped| skipped + before);
            }
        }
        part
    }

    /// Of an element of an array: how many newlines come before a byte of it, and where the last of them
    /// is. `None` if there are none.
    pub(crate) fn newline_before(&self, at: usize) -> Option<(u64, usize)> {
        let before = self.text.as_bytes().get(..at)?;
        let before = Some(before).filter(|_| self.origin.is_element)?;
        let last = memchr::memrchr(b'\n', before)?;
        Some((memchr::memchr_iter(b'\n', before).count() as u64, last))
    }
}

/// Where a value stands in the text that it is a part of.
pub(crate) fn offset(text: &str, value: View<'_>) -> Option<usize> {
    let start = value.as_written().as_ptr().addr();
    start.checked_sub(text.as_ptr().addr())
}
