//! What breaking verdicts rest on.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codex_wire_base::{Protocol, Release};
use codex_wire_diff::{
    Comparison, Difference, Direction, Evidence, EvidenceKind, Verdict, history,
};
use probes::{Answer, Probes, Put, Question, Slot};

use crate::support::{app_server, between, golden};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn all(history: &[Comparison]) -> impl Iterator<Item = &Difference> {
    history
        .iter()
        .flat_map(|comparison| &comparison.differences)
}

/// A message for each change that breaks clients of the app-server by our description, if it is a request:
/// `cargo xtask probe` sends them to every release.
#[test]
fn probed_examples() {
    let mut examples = BTreeMap::new();
    for difference in all(app_server()) {
        let judgements = difference.judgements.iter();
        let of_clients = judgements.filter(|found| found.direction == Direction::ClientWrites);
        for example in of_clients.filter_map(|found| found.counterexample.as_ref()) {
            // An answer of a client has the method of its request.
            if example.value.get("result").is_none() {
                examples.insert(difference.key(), example.value.to_string());
            }
        }
    }
    let mut text = String::new();
    for (key, line) in examples {
        let _ = writeln!(text, "{key}\n  {line}");
    }
    golden("examples.txt", &text);
}

/// What releases answered to these messages.
#[test]
fn probed_table() {
    let probes = Probes::load(&probes::folder::folder(&root())).unwrap();
    let app_server = &probes.app_server;
    let mut text = String::from(
        "# What releases answered to the counterexamples of breaking changes in what clients write.\n\
         # Made from probes/app-server/examples.txt by `cargo xtask generate --only probed`\n\
         asked",
    );
    for release in &app_server.asked {
        let _ = write!(text, " {release}");
    }
    text.push('\n');
    for entry in app_server.examples.entries() {
        let question = Question {
            about: entry.about.to_owned(),
            slot: Slot::parse(entry.sent).unwrap(),
            put: Put::parse(entry.put).unwrap(),
        };
        let _ = writeln!(text, "{}\n> {}", question.about, question.line(1));
        let mut last = None;
        for release in &app_server.asked {
            let answer = entry
                .answers
                .iter()
                .find(|(_, releases)| releases.contains(release));
            let Some((answer, _)) = answer.filter(|(answer, _)| last != Some(*answer)) else {
                continue;
            };
            last = Some(answer);
            let said = match Answer::parse(answer).unwrap() {
                Answer::Refused(reason) | Answer::Denied(reason) => reason.replace('\n', " "),
                other => other.to_string(),
            };
            let _ = writeln!(text, "  {release} {said}");
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/probed.txt");
    golden_files::assert_file(&path, &text);
}

/// The table in docs/comparing.md.
#[test]
fn counts_of_evidence() {
    let path = root().join("docs/comparing.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let mut written = page.clone();
    for protocol in Protocol::ALL {
        let other = match protocol {
            Protocol::AppServer => None,
            protocol => Some(history(*protocol)),
        };
        let history = match &other {
            Some(history) => history,
            None => app_server(),
        };
        for (direction, writer) in [
            (Direction::ClientWrites, "the client"),
            (Direction::CodexWrites, "Codex"),
        ] {
            let mut counts: BTreeMap<EvidenceKind, usize> = BTreeMap::new();
            for difference in all(history) {
                let judgements = difference.judgements.iter();
                let of = judgements.filter(|judgement| {
                    judgement.direction == direction && judgement.verdict == Verdict::Breaking
                });
                for evidence in of.filter_map(|judgement| judgement.evidence.as_ref()) {
                    *counts.entry(evidence.kind()).or_default() += 1;
                }
            }
            let count = |kind| counts.get(&kind).copied().unwrap_or_default();
            let [probed, official, inferred] = EvidenceKind::ALL.map(count);
            let begin = format!("| `{protocol}` | {writer} |");
            let row = page.lines().find(|row| row.starts_with(&begin));
            if probed + official + inferred == 0 {
                assert_eq!(row, None, "nothing breaks");
                continue;
            }
            let row = row.unwrap_or_else(|| panic!("no row `{begin}`"));
            let now = format!("{begin} {probed} | {official} | {inferred} |");
            written = written.replace(row, &now);
        }
    }
    golden_files::assert_file(&path, &written);
}

/// A verdict about two releases says what it rests on; one about files does not.
#[test]
fn breaking_verdicts_have_evidence() {
    for (protocol, before, after) in [
        (Protocol::AppServer, "0.66.0", "0.72.0"),
        (Protocol::Exec, "0.43.0", "0.44.0"),
    ] {
        let found = between(protocol, before, after);
        let breaking = found
            .differences
            .iter()
            .flat_map(|difference| &difference.judgements);
        let mut kinds = BTreeSet::new();
        for judgement in breaking {
            if judgement.verdict == Verdict::Breaking {
                assert!(judgement.evidence.is_some(), "{judgement:?}");
            } else {
                let read = matches!(&judgement.evidence, Some(Evidence::Probed(probed)) if probed.refused.is_none());
                assert!(judgement.evidence.is_none() || read, "{judgement:?}");
            }
            kinds.extend(judgement.evidence.as_ref().map(Evidence::kind));
        }
        let expected: &[EvidenceKind] = match protocol {
            Protocol::AppServer => &[EvidenceKind::Probed],
            _ => &[EvidenceKind::Inferred],
        };
        assert!(
            expected.iter().all(|kind| kinds.contains(kind)),
            "{kinds:?}"
        );
    }
}

/// What was probed is the verdict: the older release read the line, and the newer one refused it, whichever
/// two releases are compared.
#[test]
fn a_probe_is_of_the_releases_that_are_compared() {
    let found = between(Protocol::AppServer, "0.64.0", "0.98.0");
    let approval = found.differences.iter().find(|difference| {
        difference.place == "AskForApproval" && difference.before.as_deref() == Some("onFailure")
    });
    let judgements = &approval.unwrap().judgements;
    let evidence = judgements
        .iter()
        .find_map(|judgement| match &judgement.evidence {
            Some(Evidence::Probed(probed)) => Some(probed.clone()),
            _ => None,
        });
    let probed = evidence.unwrap();
    assert_eq!(probed.release, Release::new(0, 98, 0));
    assert!(
        probed.sent.contains(r#""approvalPolicy":"onFailure""#),
        "{}",
        probed.sent
    );
    let refused = probed.refused.unwrap();
    assert!(
        refused.starts_with("unknown variant `onFailure`"),
        "{refused}"
    );
}

/// No release of the history is said to refuse what it read.
#[test]
fn nothing_breaking_is_read() {
    let probes = Probes::load(&probes::folder::folder(&root())).unwrap();
    let mut wrong = Vec::new();
    for comparison in app_server() {
        let release: Release = comparison.after.parse().unwrap();
        for difference in &comparison.differences {
            let judgements = difference.judgements.iter();
            let breaking = judgements
                .filter(|found| found.direction == Direction::ClientWrites)
                .any(|found| found.verdict == Verdict::Breaking);
            let entries = probes.app_server.examples.entries();
            let read = entries
                .filter(|entry| entry.about == difference.key())
                .flat_map(|entry| entry.answers)
                .any(|(answer, releases)| answer == "read" && releases.contains(&release));
            if breaking && read {
                wrong.push(format!("{release} reads this: {}", difference.key()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The program decides: official schemas have no such value any more, and it is read.
#[test]
fn what_is_read_breaks_nothing() {
    let found = between(Protocol::AppServer, "0.142.0", "0.143.0");
    let gone = found.differences.iter().find(|difference| {
        difference.place == "MultiAgentMode" && difference.before.as_deref() == Some("none")
    });
    let judgements = &gone.unwrap().judgements;
    let of_clients = judgements
        .iter()
        .find(|found| found.direction == Direction::ClientWrites);
    let found = of_clients.unwrap();
    assert_eq!(found.verdict, Verdict::Compatible);
    let basis = found.evidence.as_ref().unwrap().basis();
    assert_eq!(basis, "0.143.0 reads this all the same");
}

#[test]
fn only_some_evidence_can_be_shown() {
    let all = || between(Protocol::AppServer, "0.66.0", "0.72.0");
    let count = |kinds: &[EvidenceKind]| all().only_evidence(kinds).differences.len();
    let breaking = all().count(Verdict::Breaking);
    assert!(count(&[EvidenceKind::Probed]) > 0);
    assert_eq!(count(&EvidenceKind::ALL), breaking);
    let hidden = all().only_evidence(&[EvidenceKind::Probed]).hidden;
    assert!(hidden.differences() > 0);
}
