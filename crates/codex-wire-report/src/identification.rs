//! Writes what inputs are: their protocol, the releases that could have written them, and the evidence.
//!
//! As JSON: `{"version":1,"inputs":[{"path","kind":"identified|mixed|unknown","protocol","dialect",
//! "releases":{"text","count","ranges":[{"since","until"}]},"evidence":[{"line",
//! "message_number","pointer","what","releases"}],"claim":{"protocol","release","holds"},
//! "messages","unrecognized":{"count","first"},"unmatched":{"count","first"},"reason"}]}`. What is not
//! known is null. `unrecognized` are lines that are not a message of any protocol, `unmatched` messages
//! that none of the releases writes. `reason` says why an input is mixed or unknown. Behind `inputs`,
//! `"skipped":[{"path","reason"}]` lists the files of folders that were not read, as the report of a
//! check does. The schema is `codex_wire_schema::own::IDENTIFICATION`.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

use codex_wire_base::Protocol;
use codex_wire_check::identify::{Identification, Kind, Releases, StreamDialect, Tally};
use serde_json::{Value, json};

use crate::escape::{escaped, write_json};
use crate::format::Format;
use crate::numbers::counted_plainly;
use crate::skipped::Skipped;
use crate::styles::Styles;
use crate::text::display_path;

/// What is known of an input, or why it could not be read.
pub type Identified = Result<Identification, String>;

/// What inputs are, written one by one.
pub struct Identifications<'w> {
    out: &'w mut dyn Write,
    styles: Styles,
    is_json: bool,
    /// What stands before the next input of a JSON document.
    separator: &'static str,
}

impl fmt::Debug for Identifications<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Identifications");
        out.field("is_json", &self.is_json).finish_non_exhaustive()
    }
}

impl<'w> Identifications<'w> {
    /// Begins: a document for [`Format::Json`], and text for any other format. Only text has colours.
    ///
    /// # Errors
    /// When writing fails.
    pub fn begin(format: Format, styles: Styles, out: &'w mut dyn Write) -> io::Result<Self> {
        let is_json = format == Format::Json;
        if is_json {
            out.write_all(b"{\"version\":1,\"inputs\":[")?;
        }
        Ok(Identifications {
            out,
            styles,
            is_json,
            separator: "\n",
        })
    }

    /// Writes what is known of an input. `path` is its name, `-` for standard input; nothing is opened.
    ///
    /// # Errors
    /// When writing fails.
    pub fn input(&mut self, path: &str, known: &Identified) -> io::Result<()> {
        if !self.is_json {
            return write_text(self.out, self.styles, path, known);
        }
        self.out.write_all(self.separator.as_bytes())?;
        self.separator = ",\n";
        write_json(self.out, &value(path, known))
    }

    /// Writes the files that were not read, for which only JSON has a place, and ends.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(self, skipped: &[Skipped]) -> io::Result<()> {
        if !self.is_json {
            return Ok(());
        }
        self.out.write_all(b"\n],\"skipped\":")?;
        write_json(self.out, &skipped)?;
        self.out.write_all(b"}\n")
    }
}

/// Writes what is known of an input for people.
fn write_text(
    out: &mut dyn Write,
    styles: Styles,
    name: &str,
    known: &Identified,
) -> io::Result<()> {
    let Styles {
        error: bad,
        warning: warn,
        good,
        place,
        ..
    } = styles;
    let name = format!("{place}{}{place:#}", display_path(name));
    let known = match known {
        Ok(known) => known,
        Err(error) => return writeln!(out, "cannot read {name}: {bad}{}{bad:#}", escaped(error)),
    };
    write!(out, "{name}: ")?;
    let style = match known.kind {
        Kind::Identified => good,
        Kind::Mixed => bad,
        Kind::Unknown => warn,
    };
    write!(out, "{style}{known}{style:#}")?;
    if known.kind == Kind::Unknown {
        return writeln!(out);
    }
    let messages = counted_plainly(known.messages, "message");
    writeln!(out, ", {messages}")?;
    for evidence in &known.evidence {
        writeln!(out, "  line {}: {evidence}", evidence.line)?;
    }
    for run in &known.runs {
        let until = run
            .until
            .map_or("the end".to_owned(), |line| line.to_string());
        writeln!(out, "  lines {} to {until}: {}", run.since, run.releases)?;
    }
    if let Some(release) = known.created_by {
        writeln!(out, "  the file says that {release} created it")?;
    }
    if let Some(claim) = &known.claim {
        let says = [&claim.protocol, &claim.release];
        let says: Vec<&str> = says.into_iter().flatten().map(String::as_str).collect();
        let says = says.join(" ");
        let says = escaped(&says);
        match claim.holds {
            Some(true) => writeln!(out, "  the recording says {says}, which fits")?,
            Some(false) => writeln!(
                out,
                "  {warn}the recording says {says}, which does not fit{warn:#}"
            )?,
            None => writeln!(out, "  the recording says {says}, which is not known")?,
        }
    }
    if let Some(unrecognized) = known.unrecognized {
        let lines = counted_plainly(unrecognized.count, "line");
        let verb = if unrecognized.count == 1 {
            "is not a message"
        } else {
            "are not messages"
        };
        let first = unrecognized.first;
        writeln!(out, "  {lines} {verb} of any protocol; first: line {first}")?;
    }
    if let Some(unmatched) = known.unmatched {
        let messages = counted_plainly(unmatched.count, "message");
        let verb = if unmatched.count == 1 { "fits" } else { "fit" };
        let what = "none of these releases";
        writeln!(
            out,
            "  {messages} {verb} {what}; first: line {}",
            unmatched.first
        )?;
    }
    Ok(())
}

/// What is known of an input as JSON.
fn value(name: &str, known: &Identified) -> Value {
    let unread = |error: &String| {
        let mut unknown = Identification::default();
        unknown.reason = Some(error.clone());
        Cow::Owned(unknown)
    };
    let known = known.as_ref().map_or_else(unread, Cow::Borrowed);
    let tally = |tally: Option<Tally>| {
        tally.map(|tally| json!({"count": tally.count, "first": tally.first}))
    };
    let evidence = known.evidence.iter().map(|evidence| {
        json!({
            "line": evidence.line,
            "message_number": evidence.message,
            "pointer": evidence.pointer,
            "what": evidence.what,
            "releases": releases(&evidence.releases),
        })
    });
    let runs = known.runs.iter().map(|run| {
        json!({
            "since": run.since,
            "until": run.until,
            "releases": releases(&run.releases),
        })
    });
    let claim = known.claim.as_ref().map(
        |claim| json!({"protocol": claim.protocol, "release": claim.release, "holds": claim.holds}),
    );
    json!({
        "path": name,
        "kind": known.kind.as_str(),
        "protocol": known.protocol.map(Protocol::as_str),
        "dialect": known.dialect.map(StreamDialect::as_str),
        "releases": known.releases.as_ref().map(releases),
        "evidence": evidence.collect::<Vec<_>>(),
        "claim": claim,
        "messages": known.messages,
        "unrecognized": tally(known.unrecognized),
        "unmatched": tally(known.unmatched),
        "reason": known.reason,
        "created_by": known.created_by.map(|release| release.to_string()),
        "runs": runs.collect::<Vec<_>>(),
    })
}

fn releases(releases: &Releases) -> Value {
    let ranges = releases
        .ranges
        .iter()
        .map(|range| json!({"since": range.since.to_string(), "until": range.until.to_string()}));
    json!({
        "text": releases.to_string(),
        "count": releases.count,
        "ranges": ranges.collect::<Vec<_>>(),
    })
}
