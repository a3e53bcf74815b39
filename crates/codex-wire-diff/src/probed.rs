//! Holds breaking verdicts against what releases answered.
//!
//! The program decides: what it reads breaks nothing, whatever schemas say.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use codex_wire_base::{MessageSet, Protocol, Release};
use serde_json::Value;

use crate::change::{Direction, Verdict};
use crate::corrections;
use crate::difference::{Difference, Judgement, Message};
use crate::evidence::{Evidence, Probed};
use crate::side::Side;

/// A message that releases were sent.
#[derive(Debug, Default)]
struct Probe {
    sent: &'static str,
    /// What the releases from one on said, oldest first: `None` where they read it.
    answers: Vec<(Release, Option<&'static str>)>,
}

/// All probes.
#[derive(Debug, Default)]
struct Table {
    /// The releases that were sent the messages.
    asked: BTreeSet<Release>,
    /// By the key of the difference that they show.
    probes: HashMap<&'static str, Probe>,
}

/// A line of the releases that were asked. Then blocks of lines: the key of a difference, `> ` and the line
/// that was sent, then for each answer the first release that gave it, and `read` or what was wrong.
const TABLE: &str = include_str!("probed.txt");

static PROBES: LazyLock<Table> = LazyLock::new(|| Table::parse(TABLE));

/// What the line of the releases begins with.
const RELEASES: &str = "asked ";

/// Stands in the table for a line that was read.
const READ: &str = "read";

impl Table {
    fn parse(text: &'static str) -> Self {
        let mut table = Table::default();
        let mut key = "";
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(asked) = line.strip_prefix(RELEASES) {
                // A test reads every word and every line.
                table.asked = asked
                    .split(' ')
                    .filter_map(|one| one.parse().ok())
                    .collect();
                continue;
            }
            if let Some(sent) = line.strip_prefix("> ") {
                table.probes.entry(key).or_default().sent = sent;
                continue;
            }
            let Some((since, answer)) = line
                .strip_prefix("  ")
                .and_then(|line| line.split_once(' '))
            else {
                key = line;
                continue;
            };
            if let Ok(since) = since.parse() {
                let answer = (answer != READ).then_some(answer);
                let probe = table.probes.entry(key).or_default();
                probe.answers.push((since, answer));
            }
        }
        table
    }

    /// What a release said is wrong with a message: `None` if it was not asked, `Some(None)` if it read it.
    fn answer(&self, probe: &Probe, release: Release) -> Option<Option<&'static str>> {
        if !self.asked.contains(&release) {
            return None;
        }
        let at = probe
            .answers
            .partition_point(|(since, _)| *since <= release);
        let (_, answer) = probe.answers.get(at.checked_sub(1)?)?;
        Some(*answer)
    }
}

/// A message that releases were sent, and what they answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// The line that was sent.
    pub sent: &'static str,
    /// What the releases from one on said is wrong with it, oldest first: `None` where they read it.
    pub answers: Vec<(Release, Option<&'static str>)>,
}

/// What releases were asked about a part: a method, `AskForApproval on-failure` for a value or kind,
/// `PluginInstallParams.marketplaceName` for a member.
pub fn asked_about(part: &str) -> Vec<Asked> {
    let is_about = |key: &str| {
        let rest = key
            .split_once(' ')
            .and_then(|(_, place)| place.strip_prefix(part));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let about = PROBES.probes.iter().filter(|(key, _)| is_about(key));
    let mut about: Vec<_> = about.collect();
    about.sort_by_key(|(key, _)| **key);
    let asked = about.into_iter().map(|(_, probe)| Asked {
        sent: probe.sent,
        answers: probe.answers.clone(),
    });
    asked.collect()
}

/// Gives the breaking verdicts between two releases their evidence. Where the program of the newer release
/// reads the counterexample, nothing breaks.
pub(crate) fn add_evidence(differences: &mut [Difference], sides: [&Side; 2]) {
    let [Some(before), Some(after)] = sides.map(|side| side.release) else {
        return;
    };
    for difference in differences {
        let of_release = |release, own| corrections::reason(difference, release, own);
        let correction = of_release(before, 0).or_else(|| of_release(after, 1));
        // Names of other protocols, which no official schema describes, may be the same.
        let is_official = difference.messages.first().is_some_and(has_official_schema);
        let basis = match correction.filter(|_| is_official) {
            None if is_official => Evidence::Official,
            correction => Evidence::Inferred { correction },
        };
        let probe = PROBES.probes.get(difference.key().as_str());
        for judgement in &mut difference.judgements {
            if judgement.verdict != Verdict::Breaking {
                continue;
            }
            let probe = probe.filter(|_| judgement.direction == Direction::ClientWrites);
            let answer = |release| PROBES.answer(probe?, release);
            let probed = match (probe, answer(before), answer(after)) {
                (Some(probe), Some(None), Some(Some(refused))) => Some((probe, Some(refused))),
                (Some(probe), _, Some(None)) if probe.is_of(judgement) => Some((probe, None)),
                _ => None,
            };
            let Some((probe, refused)) = probed else {
                judgement.evidence = Some(basis.clone());
                continue;
            };
            if refused.is_none() {
                judgement.verdict = Verdict::Compatible;
            }
            judgement.evidence = Some(Evidence::Probed(Probed {
                release: after,
                sent: probe.sent,
                refused,
            }));
        }
    }
}

impl Probe {
    /// Whether it is the counterexample of a judgement. The texts of a counterexample are empty, and those
    /// that were sent have a form that readers take.
    fn is_of(&self, judgement: &Judgement) -> bool {
        let sent: Option<Value> = serde_json::from_str(self.sent).ok();
        let example = judgement.counterexample.as_ref();
        sent.zip(example).is_some_and(|(sent, example)| {
            same(&sent["method"], &example.value["method"])
                && same(&sent["params"], &example.value["params"])
        })
    }
}

fn same(sent: &Value, example: &Value) -> bool {
    match (sent, example) {
        (Value::String(_), Value::String(empty)) if empty.is_empty() => true,
        (Value::Array(sent), Value::Array(example)) => {
            sent.len() == example.len() && sent.iter().zip(example).all(|(a, b)| same(a, b))
        }
        (Value::Object(sent), Value::Object(example)) => {
            let own = |(name, value)| sent.get(name).is_some_and(|sent| same(sent, value));
            sent.len() == example.len() && example.iter().all(own)
        }
        _ => sent == example,
    }
}

/// Whether Codex itself has a schema of the message set.
fn has_official_schema(message: &Message) -> bool {
    let message_set: Option<MessageSet> = message.part.parse().ok();
    let protocol = message_set.map(MessageSet::protocol);
    matches!(protocol, Some(Protocol::AppServer | Protocol::Hooks))
}

impl Difference {
    /// What identifies the difference in the table of probes: `value-removed AskForApproval on-failure`.
    #[doc(hidden)]
    pub fn key(&self) -> String {
        let mut key = format!("{} {}", self.change.as_str(), self.former_place);
        if self.place != self.former_place {
            key += &format!(" → {}", self.place);
        }
        if let Some(before) = &self.before {
            key += &format!(" {before}");
        }
        key
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SMALL: &str = "\
# Made.
asked 0.58.0 0.59.0 0.60.0 0.62.0
message-removed a/b
> {\"id\":1,\"method\":\"a/b\"}
  0.58.0 read
  0.60.0 unknown method
";

    #[test]
    fn an_answer_holds_until_the_next() {
        let table = Table::parse(SMALL);
        let probe = &table.probes["message-removed a/b"];
        assert_eq!(probe.sent, r#"{"id":1,"method":"a/b"}"#);
        let answer = |minor| table.answer(probe, Release::new(0, minor, 0));
        assert_eq!(answer(59), Some(None));
        assert_eq!(answer(60), Some(Some("unknown method")));
        assert_eq!(answer(62), Some(Some("unknown method")));
        // These were not asked.
        assert_eq!(answer(57), None);
        assert_eq!(answer(61), None);
    }

    #[test]
    fn every_line_is_read() {
        let words = TABLE.lines().find_map(|line| line.strip_prefix(RELEASES));
        assert_eq!(words.unwrap().split(' ').count(), PROBES.asked.len());
        for probe in PROBES.probes.values() {
            assert!(probe.sent.starts_with('{'), "{probe:?}");
            assert!(!probe.answers.is_empty(), "{probe:?}");
        }
        let answers = TABLE.lines().filter(|line| line.starts_with("  ")).count();
        let probes = PROBES.probes.values();
        assert_eq!(
            probes.map(|probe| probe.answers.len()).sum::<usize>(),
            answers
        );
    }

    #[test]
    fn what_was_sent_is_the_counterexample_with_texts() {
        let sent = json!({"cwd": "/x", "of": [{"type": "x"}]});
        assert!(same(&sent, &json!({"cwd": "", "of": [{"type": "x"}]})));
        assert!(!same(&sent, &json!({"cwd": "", "of": [{"type": "y"}]})));
        assert!(!same(&sent, &json!({"cwd": ""})));
        assert!(!same(&json!({"cwd": ""}), &sent));
    }
}
