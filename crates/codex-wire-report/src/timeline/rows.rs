//! Writes rows: their place, label and text, with the findings between them.

use std::io::{self, Write};

use codex_wire_check::{Finding, Severity, Writer};

use super::deferred::Deferred;
use super::open::{Location, OpenState, StartedItem};
use super::options::TimelineOptions;
use super::phrasing::{Phrasing, clock};
use crate::escape::escaped;
use crate::fit::cut;
use crate::styles::Styles;

/// The rows that are being written, and what is open.
pub(super) struct Rows<'w> {
    pub(super) out: Deferred<'w>,
    pub(super) options: TimelineOptions,
    pub(super) phrasing: Phrasing,
    pub(super) open: OpenState,
    /// The current line.
    pub(super) line: LineContext,
    /// The location of the last row.
    pub(super) shown: Option<Location>,
    /// Whether the transcript has several connections.
    pub(super) several: bool,
    /// The time of the first message that has one, if the recording has no times.
    pub(super) begun: Option<u64>,
    /// Whether rows have times.
    pub(super) timed: bool,
    /// Whether any row was written.
    pub(super) any: bool,
    /// The settings that were shown last. Up to 0.105.0 a session file repeats them with every request to
    /// the model.
    pub(super) settings: String,
}

/// What is known of the current line.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LineContext {
    pub(super) number: u64,
    pub(super) ms: Option<u64>,
    pub(super) connection: Option<u32>,
    pub(super) writer: Option<Writer>,
    /// Whether the kind of message is unknown.
    pub(super) unknown: bool,
    pub(super) has_findings: bool,
}

/// The labels of rows that are not indented.
const TOP_LEVEL: [&str; 9] = [
    "closed",
    "connected",
    "exit",
    "recording",
    "session",
    "settings",
    "shutdown",
    "thread",
    "turn",
];

/// The tone of a row, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    /// A turn, a thread or a connection.
    TopLevel,
    Plain,
    /// An approval that was given.
    Good,
    /// A failure, or an approval that was refused.
    Bad,
}

impl<'w> Rows<'w> {
    pub(super) fn new(options: TimelineOptions, out: &'w mut dyn Write) -> Self {
        Rows {
            out: Deferred::new(out),
            phrasing: Phrasing {
                show: options.show_values,
                max_chars: match options.width {
                    0 => usize::MAX,
                    width => width,
                },
            },
            options,
            open: OpenState::default(),
            line: LineContext::default(),
            shown: None,
            several: false,
            begun: None,
            timed: false,
            any: false,
            settings: String::new(),
        }
    }

    /// Writes the thread and connection of the next rows, if there are several.
    pub(super) fn announce_location(&mut self, place: &Location) -> io::Result<()> {
        let other = self.shown.as_ref() != Some(place);
        let is_first = self.shown.is_none();
        if !other {
            return Ok(());
        }
        self.shown = Some(place.clone());
        let several = self.several || self.open.threads() > 1;
        if is_first || !several {
            return Ok(());
        }
        let connection = place
            .connection
            .filter(|_| self.several)
            .map(|connection| format!("connection {connection}"));
        let thread = place
            .thread
            .as_ref()
            .map(|thread| format!("thread {}", self.open.number(thread)));
        let text = joined([connection, thread]);
        if text.is_empty() {
            return Ok(());
        }
        let frame = self.options.styles.frame;
        writeln!(self.out, "{frame}-- {text}{frame:#}")
    }

    /// Writes the connection of the next rows, if there are several.
    pub(super) fn announce_connection(&mut self) -> io::Result<()> {
        let connection = self.line.connection;
        let is_same = |shown: &&Location| shown.connection == connection;
        let thread = self.shown.as_ref().filter(is_same);
        let thread = thread.and_then(|shown| shown.thread.clone());
        self.announce_location(&Location { connection, thread })
    }

    /// An item that starts on this line.
    pub(super) fn started(&self, label: String, text: String) -> StartedItem {
        StartedItem {
            line: self.line.number,
            ms: self.line.ms,
            label,
            text,
            deltas: 0,
        }
    }

    /// The label of a row, unless no release knows the kind of message.
    pub(super) fn label(&self, known: &'static str) -> &'static str {
        match self.line.unknown {
            true => "unknown",
            false => known,
        }
    }

    /// Writes a row.
    pub(super) fn row(&mut self, tone: Tone, label: &str, text: &str) -> io::Result<()> {
        self.any = true;
        let Styles {
            error: bad,
            good,
            place,
            frame,
            ..
        } = self.options.styles;
        let style = match tone {
            Tone::TopLevel => place,
            Tone::Plain => anstyle::Style::new(),
            Tone::Good => good,
            Tone::Bad => bad,
        };
        let time = self.line.ms.map_or(String::new(), clock);
        self.timed |= self.line.ms.is_some();
        let begins = match self.timed {
            true => format!("{:>6} {time:>8}  ", self.line.number),
            false => format!("{:>6}  ", self.line.number),
        };
        let indent = if TOP_LEVEL.contains(&label) { "" } else { "  " };
        let (label, text) = (format!("{indent}{label}"), escaped(text));
        let rest = match text.is_empty() {
            true => label,
            false => format!("{label:<12} {text}"),
        };
        let rest = self.cut(&rest, begins.chars().count());
        writeln!(self.out, "{frame}{begins}{frame:#}{style}{rest}{style:#}")
    }

    /// Writes a row that belongs to the row above, such as a step of a plan.
    pub(super) fn detail_row(&mut self, text: &str) -> io::Result<()> {
        let width = if self.timed { 30 } else { 21 };
        let text = format!("{:width$}{}", "", escaped(text));
        let text = self.cut(&text, 0);
        writeln!(self.out, "{text}")
    }

    pub(super) fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.any = true;
        let style = self.options.styles.severity(finding.severity);
        let sign = match finding.severity {
            Severity::Error => "!!",
            Severity::Warning => " !",
            Severity::Note => " i",
        };
        let line = match finding.place.line == self.line.number {
            true => String::new(),
            false => format!("line {}: ", finding.place.line),
        };
        let text = format!(
            "{:>width$} {line}{} [{}]",
            sign,
            escaped(&finding.message),
            finding.rule,
            width = if self.timed { 16 } else { 7 },
        );
        let text = self.cut(&text, 0);
        writeln!(self.out, "{style}{text}{style:#}")
    }

    /// A text cut to the width of a row, which already has `before` characters.
    fn cut(&self, text: &str, before: usize) -> String {
        match self.options.width {
            0 => text.to_owned(),
            width => cut(text, width.saturating_sub(before).max(20)),
        }
    }
}

/// The parts that are not empty, joined with commas.
pub(super) fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(", ")
}
