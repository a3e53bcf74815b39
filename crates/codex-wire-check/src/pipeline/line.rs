//! The way of one line: what it is, and what it holds.
//!
//! The methods follow the line. Each calls the next, but for `read`, which calls `text`, and `record` if that
//! has read a line of a recording:
//!
//! | method | file | receives |
//! |---|---|---|
//! | [`line`](Pipeline::line) | `line.rs` | a line, with its number |
//! | `framed` | | its bytes, checked: length, byte order mark, UTF-8 |
//! | `read` | | text |
//! | `record` | `record.rs` | a line of a recording, which says what happened, or holds a line: that is text, for `inner` |
//! | `inner` | `message.rs` | the line inside, for `text` |
//! | `text` | | text, which the fast path reads as JSON |
//! | `parsed` | | what the parser read, if the fast path did not |
//! | `message` | | a JSON object |
//! | `refused` or `checked` | | a message of a release that has no such dialect, or any other: attribution, inference, validation, sequence, diagnostics |

use codex_wire_base::lines::Line;

use super::Pipeline;
use crate::dialect::mcp_server::McpServer;
use crate::framing::frame::{Bytes, Framed, frame};
use crate::line::{Text, Told};
use crate::violation::Violation;

/// How many lines without a single message are read before an input is given up as something
/// else.
const GIVE_UP_AFTER: u64 = 1000;

impl Pipeline<'_> {
    /// Checks one line, of which the caller may know something. Returns a reason if the rest of the input
    /// is not worth reading.
    pub(crate) fn line(&mut self, line: &Line<'_>, told: Option<Told>) -> Option<String> {
        let given_up = self.framing.next_line(line);
        if given_up.is_some() {
            return given_up;
        }
        if !self.is_further_delta(line, told) {
            // What is recorded while it is checked comes behind the record of its start.
            let is_first = line.number == 1 || told.is_some() && self.framing.messages == 0;
            let framed = frame(line, told, &self.checker.options.limits, is_first);
            self.framed(framed);
        }
        self.is_hopeless()
    }

    /// Whether a line is the one before except for its delta. Then it is done with.
    fn is_further_delta(&mut self, line: &Line<'_>, told: Option<Told>) -> bool {
        let delta = self.deltas.delta(line).filter(|_| told.is_none());
        if delta.is_some_and(|delta| self.sequence.delta(&delta)) {
            self.framing.messages += 1;
            self.attribution.dialect.recognize();
            return true;
        }
        self.deltas.clear();
        false
    }

    fn framed(&mut self, framed: Framed<'_>) {
        let Framed {
            origin,
            bytes,
            violations,
        } = framed;
        match bytes {
            Bytes::Text(text) => return self.read(text, violations),
            Bytes::Blank => {}
            Bytes::TooLong => {
                self.lost(&origin);
                self.framing.has_long_line = true;
            }
            Bytes::Cut => self.cut(&origin),
            Bytes::NotText { bytes, is_garbled } => {
                self.lost(&origin);
                self.framing.last.is_garbled |= is_garbled;
                self.unrecognized(&origin);
                self.attribution.dialect.examine_bytes(bytes);
            }
        }
        self.report(Text::new(origin, ""), violations);
    }

    /// Checks a line that is text, or what it holds if it is a line of a recording.
    fn read(&mut self, text: Text<'_>, violations: Vec<Violation>) {
        let mut tape = std::mem::take(&mut self.tapes[0]);
        if let Some(record) = self.text(text, violations, &mut tape) {
            self.record(text, record);
        }
        self.tapes[0] = tape;
    }

    /// Why the input is given up after the line at hand, if it is.
    fn is_hopeless(&self) -> Option<String> {
        let dialect = &self.attribution.dialect;
        let is_barren = self.framing.lines == GIVE_UP_AFTER
            && dialect.recognized == 0
            && !self.framing.has_long_line;
        let is_hopeless =
            is_barren && self.infers_release() || matches!(dialect.mcp_server, McpServer::Named(_));
        is_hopeless.then(|| self.not_a_transcript())
    }
}
