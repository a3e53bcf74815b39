//! The checker: an input in, an outcome out.

use std::io::BufRead;
use std::ops::Range;
use std::sync::OnceLock;

use codex_wire::shape::Lifetime;
use codex_wire::{ErrorKind, Protocol, Release};
use codex_wire_schema::{Profile, Span, annotated, spans};
use serde_json::Value;

use crate::excerpt::{Vocabulary, excerpt};
use crate::finding::{Finding, Place, Severity};
use crate::foreign;
use crate::judge::{Fault, Judge};
use crate::lines::{Line, Lines};
use crate::options::Options;
use crate::outcome::{Outcome, ReleaseRange, Verdict};
use crate::placement::{Bits, Placement};
use crate::rules::{self, Rule};
use crate::scan::{Doubled, first_wins, locate, scan};

/// Why a checker cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The release is older than the protocol.
    #[error("{release} is older than the {protocol} protocol, which begins at {first}")]
    ReleaseTooOld {
        /// The protocol.
        protocol: Protocol,
        /// The release that was asked for.
        release: Release,
        /// The first release that speaks the protocol.
        first: Release,
    },
}

/// How many lines without a single message are read before an input is given up as something
/// else.
const GIVE_UP_AFTER: u64 = 1000;

/// Checks inputs against a release of a protocol, or against the releases each input tells of.
///
/// Making one is cheap, the schemas it judges by are compiled when first needed; it can be
/// shared between threads.
pub struct Checker {
    options: Options,
    protocol: Protocol,
    spans: &'static [Span],
    placement: Placement,
    judges: Vec<OnceLock<Judge>>,
    vocabulary: Vocabulary,
}

impl Checker {
    /// A checker with these options.
    ///
    /// # Errors
    /// When the release is older than the protocol.
    pub fn new(options: Options) -> Result<Self, Error> {
        let protocol = options.protocol.unwrap_or(Protocol::Exec);
        let timeline = protocol.timeline();
        if let Some(release) = options.release
            && timeline.floor(release).is_none()
        {
            return Err(Error::ReleaseTooOld {
                protocol,
                release,
                first: timeline.first(),
            });
        }
        let spans = spans(protocol);
        let mut vocabulary = Vocabulary::new();
        collect_words(annotated(protocol), &mut vocabulary);
        Ok(Checker {
            protocol,
            spans,
            placement: Placement::new(protocol, spans),
            judges: spans.iter().map(|_| OnceLock::new()).collect(),
            vocabulary,
            options,
        })
    }

    /// Checks one input. `path` is its name in the outcome; nothing is opened.
    ///
    /// Reads to the end whatever is found on the way, with one line in memory at a time.
    pub fn check(&self, path: &str, input: impl BufRead) -> Outcome {
        let mut run = Run::new(self, path);
        let mut lines = Lines::new(input, self.options.limits.line_bytes);
        loop {
            match lines.next() {
                Ok(Some(line)) => {
                    if let Some(reason) = run.line(&line) {
                        return Outcome::unreadable(path, reason);
                    }
                }
                Ok(None) => return run.finish(),
                Err(error) => return run.broken(&error),
            }
        }
    }

    fn judge(&self, span: usize) -> &Judge {
        self.judges[span].get_or_init(|| Judge::new(self.protocol, self.spans[span]))
    }

    fn severity(&self, rule: &'static Rule, undeclared: bool) -> Option<Severity> {
        if let Some(level) = self.options.levels.get(rule) {
            return level;
        }
        if undeclared && self.options.profile == Profile::Open {
            return Some(Severity::Warn);
        }
        Some(rule.level)
    }
}

/// One input on its way through the checker.
struct Run<'c> {
    checker: &'c Checker,
    outcome: Outcome,
    /// The spans that could have written everything so far.
    possible: Bits,
    /// Lines read so far.
    lines: u64,
    /// Messages of a kind the protocol has.
    recognised: u64,
    /// What the first line that is no message looks like, if that tells something.
    looks_like: Option<&'static str>,
}

impl<'c> Run<'c> {
    fn new(checker: &'c Checker, path: &str) -> Self {
        let possible = match checker.options.release {
            Some(release) => {
                let release = checker.protocol.timeline().floor(release);
                let span = checker
                    .spans
                    .iter()
                    .position(|span| release.is_some_and(|r| span.contains(r)));
                span.map_or(0, |index| 1 << index)
            }
            None => checker.placement.all(),
        };
        let mut outcome = Outcome::new(path);
        outcome.protocol = Some(checker.protocol);
        outcome.identified = checker.options.release.is_none();
        Run {
            checker,
            outcome,
            possible,
            lines: 0,
            recognised: 0,
            looks_like: None,
        }
    }

    /// Checks one line. Returns a reason to give the input up.
    fn line(&mut self, line: &Line<'_>) -> Option<String> {
        self.lines += 1;
        if self.lines == 1
            && (line.bytes.starts_with(b"\xff\xfe") || line.bytes.starts_with(b"\xfe\xff"))
        {
            return Some(
                "UTF-16 text, not UTF-8; some Windows shells write it when output is redirected"
                    .to_owned(),
            );
        }
        self.frame(line);
        (self.lines == GIVE_UP_AFTER && self.recognised == 0 && self.outcome.identified)
            .then(|| self.not_a_transcript())
    }

    /// The line as a line: encoding, ends, grammar.
    fn frame(&mut self, line: &Line<'_>) {
        let mut bytes = line.bytes;
        let mut skipped = 0;
        if line.number == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
            self.point(
                &rules::BOM,
                line,
                0..3,
                "the stream begins with a byte order mark",
            );
            skipped = 3;
            bytes = &bytes[3..];
        }
        if line.is_cut_off() {
            let message = format!(
                "the line has {} bytes, more than the limit of {}; it is passed over",
                line.length, self.checker.options.limits.line_bytes
            );
            return self.point(&rules::LINE_TOO_LONG, line, 0..0, &message);
        }
        if let Some(shorter) = bytes.strip_suffix(b"\r") {
            let at = skipped + shorter.len();
            self.point(
                &rules::CRLF,
                line,
                at..at + 1,
                "the line ends with a carriage return",
            );
            bytes = shorter;
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return self.point(
                &rules::BLANK_LINE,
                line,
                0..line.bytes.len(),
                "the line is blank",
            );
        }
        if let Some(at) = memchr::memchr(0, bytes) {
            let at = skipped + at;
            return self.point(
                &rules::NUL_BYTE,
                line,
                at..at + 1,
                "the line holds a NUL byte",
            );
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = skipped + error.valid_up_to();
                let length = error
                    .error_len()
                    .unwrap_or(bytes.len() - error.valid_up_to());
                return self.point(&rules::INVALID_UTF8, line, at..at + length, "invalid UTF-8");
            }
        };
        let source = Source {
            line,
            text,
            skipped,
        };
        let doubled = match scan(text, self.checker.options.limits.depth) {
            Ok(doubled) => doubled,
            Err(error) => return self.malformed(&source, &error),
        };
        let Ok(message) = serde_json::from_str::<Value>(text) else {
            // The one thing the scan takes and a tree of strings cannot hold.
            let message = "a string holds half of a surrogate pair";
            return self.at(&rules::MALFORMED_JSON, &source, 0..text.len(), message);
        };
        if !message.is_object() {
            let message = "the line is not a JSON object";
            return self.at(&rules::NOT_AN_OBJECT, &source, 0..text.len(), message);
        }
        self.outcome.messages += 1;
        self.message(&source, &message, &doubled);
    }

    fn malformed(&mut self, source: &Source<'_>, error: &codex_wire::Error) {
        let at = error.offset().min(source.text.len());
        if matches!(error.kind(), ErrorKind::TooDeep) {
            let limit = self.checker.options.limits.depth;
            let message = format!("values are nested deeper than {limit}");
            return self.at(&rules::TOO_DEEP, source, at..at, &message);
        }
        if !source.line.ended && at == source.text.len() {
            let message = "the last line ends in the middle of a message";
            return self.at(&rules::CUT_LINE, source, at..at, message);
        }
        if self.looks_like.is_none() {
            self.looks_like = foreign::text(source.text);
        }
        let message = match error.kind() {
            ErrorKind::Syntax(message) => format!("malformed JSON: {message}"),
            other => other.to_string(),
        };
        self.at(&rules::MALFORMED_JSON, source, at..at, &message);
    }

    /// The line as a message: which releases write such messages, and what is wrong with it.
    fn message(&mut self, source: &Source<'_>, message: &Value, doubled: &[Doubled]) {
        let checker = self.checker;
        if self.recognises(message) {
            self.recognised += 1;
        } else if self.looks_like.is_none() {
            self.looks_like = foreign::message(message);
        }
        let mut bits = checker.placement.of(message);
        let first = (!doubled.is_empty())
            .then(|| first_wins(source.text))
            .flatten();
        if let Some(first) = &first {
            bits &= checker.placement.of(first);
        }
        let together = self.possible & bits;
        if together != 0 && checker.options.release.is_none() {
            self.possible = together;
        } else if together == 0 && bits != 0 && checker.options.release.is_none() {
            let text = format!(
                "only {} write such a message, and the lines before come from {}",
                self.range(bits),
                self.range(self.possible)
            );
            let range = locate(source.text, "", false).unwrap_or(0..source.text.len());
            self.push(
                &rules::MIXED_RELEASES,
                source,
                range,
                "",
                Some(text),
                |_| {},
            );
            return self.doubled(source, message, doubled);
        }
        let judge = checker.judge(newest(self.possible));
        let mut faults = judge.faults(message);
        if let Some(first) = &first {
            for fault in judge.faults(first) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
        }
        let elsewhere = (bits != 0 && together == 0)
            .then(|| format!("as a whole this is a message of {}", self.range(bits)));
        for fault in faults {
            self.fault(source, fault, elsewhere.as_deref());
        }
        self.doubled(source, message, doubled);
    }

    fn recognises(&self, message: &Value) -> bool {
        let document = annotated(self.checker.protocol);
        let tag = message.get("type").and_then(Value::as_str);
        document["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .any(|arm| arm["x-tag"].as_str() == tag && tag.is_some())
    }

    fn fault(&mut self, source: &Source<'_>, fault: Fault, elsewhere: Option<&str>) {
        // A doubled key has two values; whichever is wrong is meant, and the last one shows.
        let range = locate(source.text, &fault.pointer, false).unwrap_or(0..source.text.len());
        let pointer = fault.pointer.clone();
        let undeclared = fault.undeclared;
        let help = fault.help.or_else(|| elsewhere.map(str::to_owned));
        let releases = fault.releases;
        let Some(severity) = self.checker.severity(fault.rule, undeclared) else {
            return;
        };
        self.add(
            fault.rule,
            severity,
            source,
            range,
            &pointer,
            fault.message,
            |finding| {
                finding.help = help;
                finding.releases = releases;
            },
        );
    }

    fn doubled(&mut self, source: &Source<'_>, message: &Value, doubled: &[Doubled]) {
        for double in doubled {
            let mut pointer = double.object.clone();
            crate::scan::push_segment(&mut pointer, &double.key);
            let judge = self.checker.judge(newest(self.possible));
            let known = judge.doubled(message, &double.object, &double.key);
            let (rule, help): (_, Option<String>) = match known {
                Some(_) if double.times == 2 => (
                    &rules::DOUBLED_ID,
                    Some(
                        "a defect of Codex since 0.92.0: the first is the item's id, the second \
                         the search's; most JSON readers keep only the second"
                            .to_owned(),
                    ),
                ),
                _ => (&rules::DUPLICATE_KEY, None),
            };
            let text = format!(
                "the key `{}` stands here {} times",
                double.key, double.times
            );
            self.push(
                rule,
                source,
                double.second.clone(),
                &pointer,
                Some(text),
                |finding| {
                    finding.help = help;
                },
            );
        }
    }

    /// A finding about bytes of a line that is not text yet.
    fn point(&mut self, rule: &'static Rule, line: &Line<'_>, range: Range<usize>, message: &str) {
        let source = Source {
            line,
            text: "",
            skipped: 0,
        };
        self.push(
            rule,
            &source,
            range,
            "",
            Some(message.to_owned()),
            |finding| {
                finding.excerpt = None;
                finding.place.message = None;
            },
        );
    }

    /// A finding about a line that is not a message.
    fn at(&mut self, rule: &'static Rule, source: &Source<'_>, range: Range<usize>, message: &str) {
        self.push(
            rule,
            source,
            range,
            "",
            Some(message.to_owned()),
            |finding| {
                finding.place.message = None;
            },
        );
    }

    fn push(
        &mut self,
        rule: &'static Rule,
        source: &Source<'_>,
        range: Range<usize>,
        pointer: &str,
        message: Option<String>,
        finish: impl FnOnce(&mut Finding),
    ) {
        if let Some(severity) = self.checker.severity(rule, false) {
            let message = message.unwrap_or_default();
            self.add(rule, severity, source, range, pointer, message, finish);
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn add(
        &mut self,
        rule: &'static Rule,
        severity: Severity,
        source: &Source<'_>,
        range: Range<usize>,
        pointer: &str,
        message: String,
        finish: impl FnOnce(&mut Finding),
    ) {
        self.outcome.counts.add(severity);
        if self.outcome.findings.len() >= self.checker.options.limits.findings {
            return;
        }
        let at = (source.skipped + range.start) as u64;
        let place = Place {
            line: source.line.number,
            column: at + 1,
            offset: source.line.offset + at,
            length: range.len() as u64,
            pointer: pointer.to_owned(),
            message: Some(self.outcome.messages),
        };
        let mut finding = Finding::new(rule, severity, place, message);
        finding.excerpt = excerpt(
            source.text,
            range,
            &self.checker.vocabulary,
            self.checker.options.show_values,
        );
        finish(&mut finding);
        self.outcome.findings.push(finding);
    }

    fn finish(mut self) -> Outcome {
        if self.outcome.identified && self.recognised == 0 && self.lines > 0 {
            let path = std::mem::take(&mut self.outcome.path);
            return Outcome::unreadable(path, self.not_a_transcript());
        }
        self.outcome.verdict = if self.outcome.counts.deny > 0 {
            Verdict::Findings
        } else if self.outcome.messages == 0 {
            Verdict::NotExercised
        } else {
            Verdict::Conforms
        };
        if self.outcome.messages > 0 {
            self.outcome.releases = Some(self.stated_or_identified());
        }
        self.outcome
    }

    fn broken(self, error: &std::io::Error) -> Outcome {
        Outcome::unreadable(self.outcome.path, format!("reading failed: {error}"))
    }

    fn not_a_transcript(&self) -> String {
        let protocol = self.checker.protocol;
        match self.looks_like {
            Some(what) => format!("not a transcript of {protocol}: it looks like {what}"),
            None => format!("not a transcript of {protocol}: no line is one of its messages"),
        }
    }

    fn stated_or_identified(&self) -> ReleaseRange {
        match self.checker.options.release {
            Some(release) => ReleaseRange {
                since: release,
                until: release,
            },
            None => ReleaseRange {
                since: self.checker.spans[oldest(self.possible)].since,
                until: self.checker.spans[newest(self.possible)].until,
            },
        }
    }

    /// The releases of a set in words.
    fn range(&self, bits: Bits) -> String {
        Lifetime {
            since: Some(self.checker.spans[oldest(bits)].since),
            until: Some(self.checker.spans[newest(bits)].until),
        }
        .to_string()
    }
}

/// A line and the text in it.
struct Source<'a> {
    line: &'a Line<'a>,
    text: &'a str,
    /// How many bytes of the line come before the text.
    skipped: usize,
}

fn newest(bits: Bits) -> usize {
    (Bits::BITS - 1 - bits.leading_zeros().min(Bits::BITS - 1)) as usize
}

fn oldest(bits: Bits) -> usize {
    bits.trailing_zeros().min(Bits::BITS - 1) as usize
}

/// Collects the words of the protocol: tags and enumeration values.
fn collect_words(schema: &Value, out: &mut Vocabulary) {
    match schema {
        Value::Object(object) => {
            out.extend(
                object
                    .get("const")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
            );
            if let Some(Value::Array(values)) = object.get("enum") {
                out.extend(values.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            object.values().for_each(|value| collect_words(value, out));
        }
        Value::Array(array) => array.iter().for_each(|value| collect_words(value, out)),
        _ => {}
    }
}
