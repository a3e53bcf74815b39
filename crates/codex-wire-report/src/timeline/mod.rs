//! Renders a transcript as a readable timeline: one row for each request, action and result, with
//! findings where they occur.
//!
//! Deltas are joined to their item, and requests to their responses. State is bounded: only open
//! items and requests are kept, up to a limit.

mod app_server;
mod core;
mod deferred;
mod exec;
mod hooks;
mod items;
mod open;
mod phrasing;
mod rollout;

use std::fmt;
use std::io::{self, Write};

use codex_wire_base::Protocol;
use codex_wire_base::transcript::{Record, Side};
use codex_wire_check::{Answered, Event, Finding, Outcome, Severity, Step, Verdict, Writer};
use serde_json::Value;

use crate::escape::escaped;
use crate::numbers::counted;
use crate::styles::Styles;
use deferred::Deferred;
use open::{Location, OpenState};
use phrasing::Phrasing;

/// How a timeline is written.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TimelineOptions {
    /// The longest row in characters; 0 for no limit.
    pub width: usize,
    /// Whether payload text is shown; it is masked otherwise.
    pub show_values: bool,
    /// The colours.
    pub styles: Styles,
    /// Whether to flush each row, because somebody reads along.
    pub live: bool,
}

impl TimelineOptions {
    /// Rows of 100 characters, masked, without colours.
    pub fn new() -> Self {
        TimelineOptions {
            width: 100,
            show_values: false,
            styles: Styles::plain(),
            live: false,
        }
    }
}

impl Default for TimelineOptions {
    fn default() -> Self {
        TimelineOptions::new()
    }
}

/// A timeline that is being written.
pub struct Timeline<'w> {
    out: Deferred<'w>,
    options: TimelineOptions,
    phrasing: Phrasing,
    open: OpenState,
    /// The current line.
    line: LineContext,
    /// The location of the last row.
    shown: Option<Location>,
    /// Whether the transcript has several connections.
    several: bool,
    /// The time of the first message that has one, if the recording has no times.
    begun: Option<u64>,
    /// Whether rows have times.
    timed: bool,
    /// Whether any row was written.
    any: bool,
    /// The settings that were shown last. Up to 0.105.0 a session file repeats them with every request to
    /// the model.
    settings: String,
}

/// What is known of the current line.
#[derive(Clone, Copy, Debug, Default)]
struct LineContext {
    number: u64,
    ms: Option<u64>,
    connection: Option<u32>,
    writer: Option<Writer>,
    /// Whether the kind of message is unknown.
    unknown: bool,
    has_findings: bool,
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
enum Tone {
    /// A turn, a thread or a connection.
    TopLevel,
    Plain,
    /// An approval that was given.
    Good,
    /// A failure, or an approval that was refused.
    Bad,
}

impl fmt::Debug for Timeline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Timeline");
        out.field("options", &self.options).finish_non_exhaustive()
    }
}

impl<'w> Timeline<'w> {
    /// Begins a timeline.
    pub fn new(options: TimelineOptions, out: &'w mut dyn Write) -> Self {
        Timeline {
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

    /// Writes the rows of a line.
    ///
    /// # Errors
    /// When writing fails.
    pub fn step(&mut self, step: &Step<'_>) -> io::Result<()> {
        let is_unknown = |finding: &Finding| finding.rule.id == "schema/unknown-kind";
        let is_blank = |finding: &Finding| finding.rule.id == "framing/blank-line";
        self.line = LineContext {
            number: step.line,
            ms: step.ms,
            connection: step.connection,
            writer: step.writer,
            unknown: step.findings.iter().any(is_unknown),
            has_findings: !step.findings.is_empty(),
        };
        match step.event {
            Event::Message {
                message,
                protocol,
                answers,
            } => self.message(message, protocol, answers)?,
            Event::Record(record) => self.record(record)?,
            Event::Nothing if step.findings.iter().all(is_blank) => {}
            Event::Nothing => self.row(Tone::Bad, "unreadable", "no message can be read here")?,
            Event::End => self.end()?,
            _ => {}
        }
        for finding in step.findings {
            self.finding(finding)?;
        }
        if step.recognized {
            self.out.pass_on()?;
        }
        if self.options.live {
            self.out.flush()?;
        }
        Ok(())
    }

    /// Writes the summary at the end.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self, outcome: &Outcome) -> io::Result<()> {
        let Styles {
            error: bad,
            warning: warn,
            good,
            ..
        } = self.options.styles;
        // An input that is not a transcript has no rows.
        if outcome.verdict == Verdict::Unreadable && self.out.discard() {
            self.any = false;
        }
        self.out.pass_on()?;
        if self.any {
            writeln!(self.out)?;
        }
        let what = match (outcome.protocol, outcome.releases) {
            (Some(protocol), Some(releases)) => format!(" ({protocol} {releases})"),
            _ => String::new(),
        };
        if outcome.dropped() > 0 {
            let more = counted(outcome.dropped(), "finding is", "findings are");
            writeln!(self.out, "… {more} not shown")?;
        }
        let messages = counted(outcome.messages, "message", "messages");
        let counts = outcome.counts;
        let found: Vec<String> = [
            (counts.error, "error", "errors"),
            (counts.warning, "warning", "warnings"),
            (counts.note, "note", "notes"),
        ]
        .into_iter()
        .filter(|(number, ..)| *number > 0)
        .map(|(number, one, many)| counted(number, one, many))
        .collect();
        let found = match found.is_empty() {
            true => String::new(),
            false => format!("; {}", found.join(", ")),
        };
        match outcome.verdict {
            Verdict::Conforms => {
                writeln!(self.out, "{messages}: {good}conforms{good:#}{what}{found}")
            }
            Verdict::Findings => writeln!(
                self.out,
                "{messages}: {bad}does not conform{bad:#}{what}{found}"
            ),
            Verdict::NotExercised => writeln!(self.out, "{warn}holds no messages{warn:#}"),
            Verdict::Unreadable => {
                let error = outcome.error.as_deref().unwrap_or("unreadable");
                let (path, error) = (escaped(&outcome.path), escaped(error));
                writeln!(self.out, "{bad}cannot show {path}: {error}{bad:#}")
            }
        }
    }

    fn message(
        &mut self,
        message: &Value,
        protocol: Option<Protocol>,
        answers: Option<&Answered>,
    ) -> io::Result<()> {
        if self.line.ms.is_none() {
            let now = message.get("emittedAtMs").and_then(Value::as_u64);
            let begun = *self.begun.get_or_insert(now.unwrap_or(0));
            self.line.ms = now.map(|now| now.saturating_sub(begun));
            if now.is_none() {
                self.begun = self.begun.filter(|begun| *begun > 0);
            }
        }
        match protocol {
            Some(Protocol::Exec) if message.get("type").is_some() => self.exec(message),
            Some(Protocol::Exec | Protocol::Core) => self.core(message, None),
            Some(Protocol::AppServer) => self.app_server(message, answers),
            Some(Protocol::Rollout) => self.rollout(message),
            Some(Protocol::Hooks) => self.hook(message),
            Some(Protocol::Notify) => self.notify(message),
            _ => self.row(Tone::Bad, "unknown", "a JSON object of no known protocol"),
        }
    }

    fn record(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Start(start) => {
                let parts = [&start.protocol, &start.release];
                let mut texts: Vec<String> = parts
                    .into_iter()
                    .filter_map(|part| part.value())
                    .map(|part| escaped(part).into_owned())
                    .collect();
                if let Some(command) = start.command.value() {
                    texts.push(self.phrasing.text(&command.join(" ")));
                }
                self.row(Tone::TopLevel, "recording", &texts.join(", "))
            }
            Record::Connected(record) => {
                self.several |= record.connection > 0;
                let who = record.client.value().map(|who| self.phrasing.text(who));
                let text = format!("connection {}", record.connection);
                self.row(Tone::TopLevel, "connected", &joined([Some(text), who]))
            }
            Record::Closed(record) => {
                let by = match record.by.value() {
                    Some(Side::Codex) => Some("by Codex".to_owned()),
                    Some(Side::Client) => Some("by the client".to_owned()),
                    _ => None,
                };
                let of = record.connection.value();
                let of = of.map(|connection| format!("connection {connection}"));
                self.row(Tone::TopLevel, "closed", &joined([of, by]))
            }
            Record::Exit(record) => {
                let status = record
                    .status
                    .value()
                    .map(|status| format!("status {status}"));
                let signal = record.signal.value().map(|name| escaped(name).into_owned());
                let tone = match record.status.value() {
                    Some(0) => Tone::TopLevel,
                    _ => Tone::Bad,
                };
                self.row(tone, "exit", &joined([status, signal]))
            }
            _ => Ok(()),
        }
    }

    /// Writes what is still open after the last line.
    fn end(&mut self) -> io::Result<()> {
        let last = self.line.number;
        for (place, item) in self.open.take_all_items() {
            self.line.number = item.line;
            self.line.connection = place.connection;
            self.announce_location(&place)?;
            self.unfinished(&item)?;
        }
        for (connection, request) in self.open.take_all_requests() {
            self.line.number = request.line;
            self.line.connection = connection;
            let text = format!("{}, never answered", request.what);
            self.row(Tone::Bad, request.label, &text)?;
        }
        self.line = LineContext {
            number: last,
            ..LineContext::default()
        };
        Ok(())
    }

    /// Writes the thread and connection of the next rows, if there are several.
    fn announce_location(&mut self, place: &Location) -> io::Result<()> {
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
    fn announce_connection(&mut self) -> io::Result<()> {
        let connection = self.line.connection;
        let is_same = |shown: &&Location| shown.connection == connection;
        let thread = self.shown.as_ref().filter(is_same);
        let thread = thread.and_then(|shown| shown.thread.clone());
        self.announce_location(&Location { connection, thread })
    }

    /// Writes a row.
    fn row(&mut self, tone: Tone, label: &str, text: &str) -> io::Result<()> {
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
        let time = self.line.ms.map_or(String::new(), phrasing::clock);
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
    fn detail_row(&mut self, text: &str) -> io::Result<()> {
        let width = if self.timed { 30 } else { 21 };
        let text = format!("{:width$}{}", "", escaped(text));
        let text = self.cut(&text, 0);
        writeln!(self.out, "{text}")
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
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
        let room = self.options.width.saturating_sub(before).max(20);
        if self.options.width == 0 || unicode_width::UnicodeWidthStr::width(text) <= room {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut used = 0;
        for c in text.chars() {
            used += unicode_width::UnicodeWidthChar::width(c).unwrap_or(0);
            if used >= room {
                break;
            }
            out.push(c);
        }
        out.push('…');
        out
    }
}

/// The parts that are not empty, joined with commas.
fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(", ")
}
