//! Compares what releases of the app-server read with what our schemas say of the same lines.

mod decided;

use std::collections::BTreeSet;

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, project, release_ranges};
use jsonschema::Validator;

use crate::answer::Answer;
use crate::folder::AppServer;
use crate::log::{Entry, Log};
use crate::question::{Put, Question, Slot};

pub use decided::Decided;

/// What is compared.
const READ: MessageSet = MessageSet::AppServerClientRequests;

/// Where our schemas say otherwise than releases answered, in the form of the probes.
///
/// # Errors
/// In words, when an entry is malformed, or a schema of ours is none.
pub fn disagreements(probes: &AppServer) -> Result<Log, String> {
    let questions = questions(&probes.reads)?;
    let mut out = Log::default();
    for range in release_ranges(READ) {
        let asked: Vec<Release> = probes
            .asked
            .iter()
            .copied()
            .filter(|release| range.contains(*release))
            .collect();
        if asked.is_empty() {
            continue;
        }
        let reader = Reader::new(range.since)?;
        for (question, answers) in &questions {
            let mut ours = None;
            for (answer, releases) in answers {
                let of_range: Vec<&Release> = asked
                    .iter()
                    .filter(|release| releases.contains(*release))
                    .collect();
                if of_range.is_empty() {
                    continue;
                }
                let ours = *ours.get_or_insert_with(|| reader.reads(question));
                if ours == answer.is_read() {
                    continue;
                }
                let (sent, put) = (question.slot.text(), question.put.to_string());
                for release in of_range {
                    out.add(&question.about, &sent, &put, &answer.to_string(), *release);
                }
            }
        }
    }
    Ok(out)
}

type Asked<'a> = (Question, Vec<(Answer, &'a BTreeSet<Release>)>);

/// What was asked, with the answers and the releases that gave them.
fn questions(log: &Log) -> Result<Vec<Asked<'_>>, String> {
    log.entries()
        .map(|entry| {
            let answers = entry.answers.iter();
            let answers = answers.map(|(text, releases)| Ok((Answer::parse(text)?, releases)));
            Ok((question(&entry)?, answers.collect::<Result<_, String>>()?))
        })
        .collect()
}

fn question(entry: &Entry<'_>) -> Result<Question, String> {
    Ok(Question {
        about: entry.about.to_owned(),
        slot: Slot::parse(entry.sent)?,
        put: Put::parse(entry.put)?,
    })
}

/// What our schemas say of the requests of a client to one release.
#[derive(Debug)]
pub struct Reader(Validator);

impl Reader {
    /// The requests that a release reads.
    ///
    /// # Errors
    /// In words, when our schema is none.
    pub fn new(release: Release) -> Result<Self, String> {
        let schema = project(
            READ,
            release,
            Profile::Known,
            Draft::Draft202012,
            Stability::Experimental,
        );
        let options = jsonschema::options().should_validate_formats(false);
        let validator = options.build(&schema);
        validator.map(Reader).map_err(|error| error.to_string())
    }

    /// Whether it reads a line.
    pub fn reads(&self, question: &Question) -> bool {
        self.0.is_valid(&question.line(1))
    }
}
