//! Checks an exchange while it goes on.

use std::sync::mpsc::Receiver;

use codex_wire_base::lines::Line;
use codex_wire_base::{Protocol, Release};
use codex_wire_check::finding::{Finding, Location};
use codex_wire_check::{
    Checker, Counts, Options, Outcome, Profile, Rule, Severity, Verdict, Writer,
};
use codex_wire_replay::{Miss, Remark};

use crate::differences::listed;
use crate::error::Error;

/// How many misses and remarks a report lists; further ones are counted.
const LISTED: usize = 1000;

static UNMATCHED: Rule = Rule::of_program(
    "replay/no-recording",
    "a recording answers what the client sends",
    "The stand-in had nothing to play. The help names the closest recorded request, and \
     what differs. If the client got an answer that was made from the schema, it is a note.",
    Severity::Error,
);

static DIFFERENT: Rule = Rule::of_program(
    "replay/different",
    "the client sends what was recorded",
    "The stand-in played a recording although the request differs from the recorded one. Codex might \
     have answered otherwise.",
    Severity::Note,
);

/// All rules of a stand-in.
pub(crate) static RULES: &[&Rule] = &[&UNMATCHED, &DIFFERENT];

/// An event of the exchange.
pub(crate) struct Event {
    pub(crate) what: What,
    /// Where the last line stands: in the recording, if there is one.
    pub(crate) place: Place,
    /// Its record, if several clients may connect: that says whose line it is.
    pub(crate) record: Vec<u8>,
}

pub(crate) enum What {
    Started,
    Connected,
    Line(Writer, Vec<u8>),
    Miss(Box<Miss>),
    Remark(Box<Remark>),
    Closed,
    /// The last one.
    Exit(u8),
}

/// Where a line stands: its number, from 1, and the bytes before it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Place {
    pub(crate) number: u64,
    pub(crate) offset: u64,
}

/// Checks the events of an exchange, to its end.
pub(crate) fn run(
    (protocol, release): (Protocol, Option<Release>),
    listens: bool,
    name: &str,
    events: &Receiver<Event>,
) -> Result<Outcome, Error> {
    let mut options = Options::new();
    options.protocol = Some(protocol);
    options.release = release.and_then(|release| protocol.release_list().floor(release));
    options.profile = Profile::Known;
    // What the stand-in writes was recorded.
    options.side = Some(Writer::Client);
    let checker = Checker::new(options)?;
    let mut stream = checker.stream(name);
    let mut own: Vec<Finding> = Vec::new();
    let mut dropped = Counts::default();
    for Event {
        what,
        place,
        record,
    } in events
    {
        let finding = match what {
            What::Miss(miss) => of_miss(&miss, place.number),
            What::Remark(remark) => of_remark(&remark, place.number),
            what if listens => {
                stream.feed(&record);
                stream.feed(b"\n");
                match what {
                    What::Exit(_) => break,
                    _ => continue,
                }
            }
            What::Line(writer, bytes) => {
                // A recorded line is a record; the place is that of the record.
                let line = Line {
                    bytes: &bytes,
                    number: place.number,
                    offset: place.offset,
                    ended: true,
                    length: bytes.len() as u64,
                    column: None,
                };
                stream.line(writer, &line);
                continue;
            }
            What::Exit(status) => {
                stream.exit(Some(i32::from(status)), None, None);
                break;
            }
            What::Started | What::Connected | What::Closed => continue,
        };
        match own.len() < LISTED {
            true => own.push(finding),
            false => dropped.add(finding.severity),
        }
    }
    let (mut outcome, _) = stream.leave();
    add(&mut outcome, own, dropped);
    Ok(outcome)
}

/// Adds the findings of the stand-in to those of the checker.
fn add(outcome: &mut Outcome, own: Vec<Finding>, dropped: Counts) {
    for finding in &own {
        outcome.counts.add(finding.severity);
    }
    outcome.counts.merge(dropped);
    outcome.findings.extend(own);
    outcome.findings.sort_by_key(|finding| finding.place.line);
    if outcome.counts.error > 0 && outcome.verdict != Verdict::Unreadable {
        outcome.verdict = Verdict::Findings;
    } else if outcome.other_side {
        // A client of `codex exec` writes nothing: its command line is what was checked.
        outcome.other_side = false;
        outcome.verdict = Verdict::Conforms;
    }
}

fn of_miss(miss: &Miss, line: u64) -> Finding {
    // An answer that was made is right: that nobody recorded it is worth knowing, and no error.
    let severity = match miss.is_answered {
        true => Severity::Note,
        false => Severity::Error,
    };
    let finding = Finding::new(&UNMATCHED, severity, place(line), miss.message());
    match &miss.nearest {
        Some(nearest) => {
            let differences = listed(&nearest.differences);
            let place = format!("{} line {}", nearest.recording, nearest.line);
            finding.with_help(match differences.is_empty() {
                true => format!("{place} was recorded once, and was played"),
                false => format!("closest: {place}: {differences}"),
            })
        }
        None if miss.is_of_script => finding,
        None => finding.with_help("nothing like it was recorded"),
    }
}

fn of_remark(remark: &Remark, line: u64) -> Finding {
    let message = format!("this {} differs from the recorded one", remark.what);
    let help = format!(
        "played {} line {}: {}",
        remark.recording,
        remark.line,
        listed(&remark.differences)
    );
    Finding::new(&DIFFERENT, Severity::Note, place(line), message).with_help(help)
}

fn place(line: u64) -> Location {
    let mut place = Location::new(line, 1);
    place.message = Some(line);
    place
}
