//! What the checker says of the order of connections beside the examples of each rule, and what it must not say:
//! of starts and ends that are cut off, of messages that may have been lost, of the side that a log lacks; and
//! that any order comes to an end. `sequence` changes recordings and counts what is denied.
//!
//! `CODEX_WIRE_RECORDINGS` names a folder of further recordings, `<release>/<name>.jsonl`, in the
//! project's format or as recorders write them.

mod excepted;
mod line;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Finding, Options, Outcome, Severity};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use self::line::{Kind, Line, Recorded, read, recording};
use crate::support::chance::Chance;
use crate::support::{release_of, transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("sequence_app_server::excepted_ones_pass", excepted::pass),
        trial("sequence_app_server::any_order_is_survived", any_order),
        trial(
            "sequence_app_server::missing_heads_are_said_once",
            truncated,
        ),
        trial(
            "sequence_app_server::missing_heads_hide_threads",
            excepted::without_start,
        ),
        trial("sequence_app_server::cut_tails_break_nothing", tailless),
        trial(
            "sequence_app_server::lost_lines_are_not_missing",
            lost_lines,
        ),
        trial("sequence_app_server::one_side_is_enough", one_side),
    ]
}

/// Where recordings are: one checker checks all of each release.
fn recorded() -> BTreeMap<Release, Vec<Recorded>> {
    let mut paths = transcripts("app-server");
    if let Some(folder) = std::env::var_os("CODEX_WIRE_RECORDINGS") {
        paths = codex_wire_testing::transcripts(PathBuf::from(folder)).unwrap();
    }
    let mut found = BTreeMap::<Release, Vec<Recorded>>::new();
    for path in paths {
        let release = release_of(&path).unwrap();
        let name = Path::new(&release.to_string()).join(path.file_name().unwrap());
        let run = read(name.display().to_string(), release, &path);
        found.entry(release).or_default().extend(run);
    }
    found
}

fn checker(release: Release) -> Checker {
    Checker::new(Options::exact(Protocol::AppServer, release)).unwrap()
}

fn denied(outcome: &Outcome) -> impl Iterator<Item = &Finding> {
    let denied = |finding: &&Finding| finding.severity == Severity::Error;
    outcome.findings.iter().filter(denied)
}

fn denies(outcome: &Outcome) -> bool {
    outcome.counts.error > 0
}

/// What a whole run over all recordings is about to say.
type Said = Mutex<Vec<String>>;

/// Goes through the recordings without errors, release by release, on all cores.
fn each(about: impl Fn(&Checker, &Recorded, &mut Chance) -> Vec<String> + Sync) -> Vec<String> {
    let said = Said::default();
    let releases = Mutex::new(recorded());
    let work = || {
        loop {
            let next = releases.lock().unwrap().pop_last();
            let Some((release, runs)) = next else { return };
            let checker = checker(release);
            let mut chance = Chance(release.to_string().len() as u64 + 169);
            for run in runs {
                let whole = checker.check(&run.name, recording(release, &run.lines).as_bytes());
                if !denies(&whole) {
                    let more = about(&checker, &run, &mut chance);
                    said.lock().unwrap().extend(more);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let mut said = said.into_inner().unwrap();
    said.sort();
    said
}

fn none(said: &[String]) {
    assert!(
        said.is_empty(),
        "{}: {}",
        said.len(),
        said[..said.len().min(12)].join("\n")
    );
}

/// Whatever the order, the checker comes to an end and says something.
fn any_order() {
    none(&each(|checker, run, chance| {
        let mut lines = run.lines.clone();
        for at in (1..lines.len()).rev() {
            lines.swap(at, chance.below(at + 1));
        }
        let messages = lines.iter().filter(|line| line.other.is_none()).count() as u64;
        let outcome = checker.check(&run.name, recording(run.release, &lines).as_bytes());
        let whole = outcome.messages == messages;
        (!whole).then(|| run.name.clone()).into_iter().collect()
    }));
}

/// A stream that begins in the middle breaks nothing by that, and it is said once.
fn truncated() {
    none(&each(|checker, run, chance| {
        let mut said = Vec::new();
        for _ in 0..3 {
            let cut = 1 + chance.below(run.lines.len());
            let lines: Vec<Line> = run.lines[cut.min(run.lines.len())..].to_vec();
            let outcome = checker.check(&run.name, recording(run.release, &lines).as_bytes());
            let speaks =
                |line: &Line| !line.client && line.answers.is_none() && line.other.is_none();
            let reports = cut > 1 && lines.iter().any(speaks) && lines[0].connection.is_none();
            let missing =
                |finding: &&Finding| finding.rule.id == "sequence/app-server-truncated-start";
            let times = outcome.findings.iter().filter(missing).count();
            if reports && times != 1 {
                said.push(format!("{} without {cut}: said {times} times", run.name));
            }
            said.extend(denied(&outcome).next().map(|finding| {
                let (rule, line) = (finding.rule, finding.place.line);
                format!(
                    "{} without {cut}: {rule} on {line}: {}",
                    run.name, finding.message
                )
            }));
        }
        said
    }));
}

/// Nor does one that ends in the middle.
fn tailless() {
    none(&each(|checker, run, chance| {
        let mut said = Vec::new();
        for _ in 0..3 {
            let cut = 1 + chance.below(run.lines.len());
            let outcome = checker.check(
                &run.name,
                recording(run.release, &run.lines[..cut]).as_bytes(),
            );
            said.extend(denied(&outcome).next().map(|finding| {
                let rule = finding.rule;
                format!("{} up to {cut}: {rule}: {}", run.name, finding.message)
            }));
        }
        said
    }));
}

/// After an unreadable line, no message that it may have held is reported as missing; nor after a notification that
/// lacks what it is about.
fn lost_lines() {
    none(&each(|checker, run, chance| {
        let mut said = Vec::new();
        for without_params in [false, true, false, true] {
            let at = chance.below(run.lines.len());
            let line = &run.lines[at];
            let is_notification = !line.client && line.kind() == Kind::Notification;
            if line.other.is_some() || without_params && !is_notification {
                continue;
            }
            let damaged = match without_params {
                true => json!({"method": line.value["method"], "params": {}}).to_string(),
                false => "{\"id\":".to_owned(),
            };
            let text = recording(run.release, &run.lines);
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let mut record: Value = serde_json::from_str(&lines[at + 1]).unwrap();
            record["line"] = json!(damaged);
            lines[at + 1] = record.to_string();
            let text = format!("{}\n", lines.join("\n"));
            let outcome = checker.check(&run.name, text.as_bytes());
            let mut order = denied(&outcome).filter(|finding| finding.rule.group() == "sequence");
            said.extend(order.next().map(|finding| {
                let (rule, line) = (finding.rule, finding.place.line);
                format!(
                    "{} lost {}: {rule} on {line}: {}",
                    run.name,
                    at + 2,
                    finding.message
                )
            }));
        }
        said
    }));
}

/// What Codex wrote to one client, alone, as a log; and what both wrote, as a log that does not
/// say who wrote what.
fn one_side() {
    let checker = Checker::new(Options::new()).unwrap();
    none(&each(|_, run, _| {
        let mut said = Vec::new();
        if run.lines.iter().any(|line| line.connection.is_some()) {
            return said;
        }
        for both in [true, false] {
            let lines = run.lines.iter().filter(|line| both || !line.client);
            let text: String = lines.map(|line| format!("{}\n", line.value)).collect();
            for text in [text.clone(), format!("{text}{text}")] {
                let outcome = checker.check(&run.name, text.as_bytes());
                said.extend(denied(&outcome).next().map(|finding| {
                    let (rule, line) = (finding.rule, finding.place.line);
                    format!("{} {both}: {rule} on {line}: {}", run.name, finding.message)
                }));
            }
        }
        said
    }));
}
