//! Renders a transcript as a readable conversation: one row per request, action and result, with
//! findings in place.
//!
//! Deltas are folded into the text they belong to, and requests into their responses. State is
//! bounded: only what is still open is kept, up to a limit.

mod app_server;
mod core;
mod exec;
mod held;
mod items;
mod open;
mod words;

use std::io::{self, Write};

use codex_wire_base::Protocol;
use codex_wire_base::transcript::{Record, Side};
use codex_wire_check::{Answered, Finding, Outcome, Severity, Sight, Step, Verdict, Writer};
use serde_json::Value;

use crate::Styles;
use crate::plain::{counted, escaped};
use held::Held;
use open::{Open, Place};
use words::Words;

/// How `show` prints a conversation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct View {
    /// The longest row in characters; 0 for no limit.
    pub width: usize,
    /// Whether payload text is shown; it is masked otherwise.
    pub show_values: bool,
    /// The colours.
    pub styles: Styles,
    /// Whether somebody reads along, so that every row has to appear at once.
    pub live: bool,
}

impl View {
    /// Rows of 100 characters, masked, without colours.
    pub fn new() -> Self {
        View {
            width: 100,
            show_values: false,
            styles: Styles::plain(),
            live: false,
        }
    }
}

impl Default for View {
    fn default() -> Self {
        View::new()
    }
}

/// A rendered conversation that is being written.
pub struct Timeline<'w> {
    out: Held<'w>,
    view: View,
    words: Words,
    open: Open,
    /// The line at hand.
    at: At,
    /// Where the last row was.
    shown: Option<Place>,
    /// Whether threads and connections have to be told apart.
    several: bool,
    /// The time of the first message that carries one, where the recording has none.
    begun: Option<u64>,
    /// Whether rows have times.
    timed: bool,
    /// Whether there were rows.
    any: bool,
}

/// Where the line at hand stands.
#[derive(Clone, Copy, Debug, Default)]
struct At {
    line: u64,
    ms: Option<u64>,
    connection: Option<u32>,
    writer: Option<Writer>,
    /// Whether the message is of a kind nobody knows.
    unknown: bool,
}

/// Rows that others stand under.
const HEADS: [&str; 9] = [
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

/// How a row is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tone {
    /// A turn, a thread: what others stand under.
    Head,
    Plain,
    /// Something that succeeded after a question.
    Good,
    /// Something that did not.
    Bad,
}

impl<'w> Timeline<'w> {
    /// Begins a conversation.
    pub fn new(view: View, out: &'w mut dyn Write) -> Self {
        Timeline {
            out: Held::new(out),
            words: Words {
                show: view.show_values,
                most: match view.width {
                    0 => usize::MAX,
                    width => width,
                },
            },
            view,
            open: Open::default(),
            at: At::default(),
            shown: None,
            several: false,
            begun: None,
            timed: false,
            any: false,
        }
    }

    /// Writes the rows of a line.
    ///
    /// # Errors
    /// When writing fails.
    pub fn step(&mut self, step: &Step<'_>) -> io::Result<()> {
        let is_unknown = |finding: &Finding| finding.rule.id == "schema/unknown-kind";
        let is_blank = |finding: &Finding| finding.rule.id == "framing/blank-line";
        self.at = At {
            line: step.line,
            ms: step.ms,
            connection: step.connection,
            writer: step.writer,
            unknown: step.findings.iter().any(is_unknown),
        };
        match step.sight {
            Sight::Message {
                message,
                protocol,
                answers,
            } => self.message(message, protocol, answers)?,
            Sight::Record(record) => self.record(record)?,
            Sight::Nothing if step.findings.iter().all(is_blank) => {}
            Sight::Nothing => self.row(Tone::Bad, "unreadable", "no message can be read here")?,
            Sight::End => self.end()?,
            _ => {}
        }
        for finding in step.findings {
            self.finding(finding)?;
        }
        if step.recognised {
            self.out.let_go()?;
        }
        if self.view.live {
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
        } = self.view.styles;
        // What turned out to be something else has no rows.
        if outcome.verdict == Verdict::Unreadable && self.out.forget() {
            self.any = false;
        }
        self.out.let_go()?;
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
        if self.at.ms.is_none() {
            let now = message.get("emittedAtMs").and_then(Value::as_u64);
            let begun = *self.begun.get_or_insert(now.unwrap_or(0));
            self.at.ms = now.map(|now| now.saturating_sub(begun));
            if now.is_none() {
                self.begun = self.begun.filter(|begun| *begun > 0);
            }
        }
        match protocol {
            Some(Protocol::Exec) if message.get("type").is_some() => self.exec(message),
            Some(Protocol::Exec | Protocol::Core) => self.core(message, None),
            Some(Protocol::AppServer) => self.app_server(message, answers),
            _ => self.row(Tone::Bad, "unknown", "a JSON object of no known protocol"),
        }
    }

    fn record(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Start(start) => {
                let parts = [&start.protocol, &start.release];
                let mut says: Vec<String> = parts
                    .into_iter()
                    .filter_map(|part| part.value())
                    .map(|part| escaped(part).into_owned())
                    .collect();
                if let Some(command) = start.command.value() {
                    says.push(self.words.text(&command.join(" ")));
                }
                self.row(Tone::Head, "recording", &says.join(", "))
            }
            Record::Connected(record) => {
                self.several |= record.connection > 0;
                let who = record.client.value().map(|who| self.words.text(who));
                let text = format!("connection {}", record.connection);
                self.row(Tone::Head, "connected", &joined([Some(text), who]))
            }
            Record::Closed(record) => {
                let by = match record.by.value() {
                    Some(Side::Codex) => Some("by Codex".to_owned()),
                    Some(Side::Client) => Some("by the client".to_owned()),
                    _ => None,
                };
                let of = record.connection.value();
                let of = of.map(|connection| format!("connection {connection}"));
                self.row(Tone::Head, "closed", &joined([of, by]))
            }
            Record::Exit(record) => {
                let status = record
                    .status
                    .value()
                    .map(|status| format!("status {status}"));
                let signal = record.signal.value().map(|name| escaped(name).into_owned());
                let tone = match record.status.value() {
                    Some(0) => Tone::Head,
                    _ => Tone::Bad,
                };
                self.row(tone, "exit", &joined([status, signal]))
            }
            _ => Ok(()),
        }
    }

    /// What is still open when nothing more comes.
    fn end(&mut self) -> io::Result<()> {
        let last = self.at.line;
        for (place, item) in self.open.all_items() {
            self.at.line = item.line;
            self.at.connection = place.connection;
            self.place(&place)?;
            self.unfinished(&item)?;
        }
        for (connection, asked) in self.open.all_asked() {
            self.at.line = asked.line;
            self.at.connection = connection;
            let text = format!("{}, never answered", asked.what);
            self.row(Tone::Bad, asked.label, &text)?;
        }
        self.at = At {
            line: last,
            ..At::default()
        };
        Ok(())
    }

    /// Says which thread and connection the next rows are of, where there are several.
    fn place(&mut self, place: &Place) -> io::Result<()> {
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
        let frame = self.view.styles.frame;
        writeln!(self.out, "{frame}-- {text}{frame:#}")
    }

    /// Says which connection the next rows are of, where there are several.
    fn stay(&mut self) -> io::Result<()> {
        let connection = self.at.connection;
        let is_same = |shown: &&Place| shown.connection == connection;
        let thread = self.shown.as_ref().filter(is_same);
        let thread = thread.and_then(|shown| shown.thread.clone());
        self.place(&Place { connection, thread })
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
        } = self.view.styles;
        let style = match tone {
            Tone::Head => place,
            Tone::Plain => anstyle::Style::new(),
            Tone::Good => good,
            Tone::Bad => bad,
        };
        let time = self.at.ms.map_or(String::new(), words::clock);
        self.timed |= self.at.ms.is_some();
        let begins = match self.timed {
            true => format!("{:>6} {time:>8}  ", self.at.line),
            false => format!("{:>6}  ", self.at.line),
        };
        let indent = if HEADS.contains(&label) { "" } else { "  " };
        let (label, text) = (format!("{indent}{label}"), escaped(text));
        let rest = match text.is_empty() {
            true => label,
            false => format!("{label:<12} {text}"),
        };
        let rest = self.cut(&rest, begins.chars().count());
        writeln!(self.out, "{frame}{begins}{frame:#}{style}{rest}{style:#}")
    }

    /// Writes a row below another, such as a step of a plan.
    fn below(&mut self, text: &str) -> io::Result<()> {
        let width = if self.timed { 30 } else { 21 };
        let text = format!("{:width$}{}", "", escaped(text));
        let text = self.cut(&text, 0);
        writeln!(self.out, "{text}")
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        self.any = true;
        let style = self.view.styles.severity(finding.severity);
        let sign = match finding.severity {
            Severity::Error => "!!",
            Severity::Warning => " !",
            Severity::Note => " i",
        };
        let line = match finding.place.line == self.at.line {
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

    /// As much of a text as there is room for behind `before` characters.
    fn cut(&self, text: &str, before: usize) -> String {
        let room = self.view.width.saturating_sub(before).max(20);
        if self.view.width == 0 || unicode_width::UnicodeWidthStr::width(text) <= room {
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

/// The parts there are, with commas between them.
fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(", ")
}
