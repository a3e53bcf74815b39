//! What somebody who observes a check sees of a line.

use codex_wire_base::lines::Line;

use crate::finding::{Finding, Writer};
use crate::outcome::{Outcome, Verdict};
use crate::pipeline::Pipeline;
use crate::pipeline::observed::Event;

/// A line on its way through the checker.
#[derive(Debug)]
#[non_exhaustive]
pub struct Step<'a> {
    /// The number of the line. At the end it is that of the last line.
    pub line: u64,
    /// The bytes of the line, without the newline; of a line over the limit its beginning. Of a
    /// recorded run of a hook, the first step has them.
    pub bytes: &'a [u8],
    /// Whether the line is over the limit, so that `bytes` has only its beginning.
    pub is_cut_off: bool,
    /// What the line contains.
    pub event: Event<'a>,
    /// Milliseconds since the recording began, if the recording says so.
    pub ms: Option<u64>,
    /// The number of the connection, if the recording has several.
    pub connection: Option<u32>,
    /// The side that wrote it: as the recording says, or else inferred from the message.
    pub writer: Option<Writer>,
    /// The findings of this line, and those of earlier lines that only this one has shown: where a session file goes on
    /// in another release, it is known which one wrote them.
    pub findings: &'a [Finding],
    /// Whether the input is known to be a transcript: a message has shown it, or the user says so.
    /// Otherwise it may turn out to be something else, and then the rest is not checked.
    pub recognized: bool,
}

/// What is to be seen of a line that was checked, and of the findings from that number on.
pub(crate) fn steps_of_line<'a>(
    pipeline: &'a Pipeline<'_>,
    line: &'a Line<'_>,
    from: usize,
) -> impl Iterator<Item = Step<'a>> {
    let (ms, parts) = pipeline.observed().unwrap_or_default();
    let recognized = pipeline.is_recognized();
    let findings = &pipeline.findings()[from..];
    let several = parts.len();
    (1..).zip(parts).map(move |(number, part)| Step {
        line: line.number,
        bytes: if number == 1 { line.bytes } else { &[] },
        is_cut_off: line.is_cut_off(),
        event: part.event,
        ms,
        connection: part.connection,
        writer: part.writer,
        findings: if number == several { findings } else { &[] },
        recognized,
    })
}

/// What is to be seen at the end, after that line, with the findings that were not seen before.
pub(crate) fn step_of_end<'a>(line: u64, findings: &'a [Finding], outcome: &Outcome) -> Step<'a> {
    Step {
        line,
        bytes: &[],
        is_cut_off: false,
        event: Event::End,
        ms: None,
        connection: None,
        writer: None,
        findings,
        recognized: outcome.verdict != Verdict::Unreadable,
    }
}
