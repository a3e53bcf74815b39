//! Recorded connections of the app-server with their order disturbed: messages dropped, repeated,
//! moved, given the id of another, and starts and ends cut off. What breaks a rule that holds is
//! caught, what breaks none is not.
//!
//! `CODEX_WIRE_RECORDINGS` names a folder of further recordings, `<release>/<name>.jsonl`, in the
//! project's format or as recorders write them.

mod excepted;
mod gaps;
mod items;
mod line;
mod oracle;
mod turns;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Finding, Options, Outcome, Severity};
use libtest_mimic::Trial;
use serde_json::{Value, json};

use self::line::{Line, Recorded, read, recording};
use self::oracle::broken;
use crate::support::{release_of, transcripts, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial(
            "sequence_app_server::recorded_ones_break_nothing",
            undisturbed,
        ),
        trial("sequence_app_server::disturbed_ones_are_caught", disturbed),
        trial("sequence_app_server::gaps_are_closed", gaps::are_closed),
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

/// Recordings with something that the oracle takes for a violation and the rules, with their
/// exceptions for those releases, do not: no disturbed form of them would show anything.
const BEYOND: [(&str, &str); 5] = [
    (
        "0.80.0/09b_resume_while_running.jsonl",
        "a thread is joined in mid-turn, and its turns are numbered again",
    ),
    (
        "0.116.0/09c_rollback_while_running.jsonl",
        "a rollback refused in mid-turn sends an error, and the turn completes",
    ),
    (
        "0.151.0/09i_delete_before_start.jsonl",
        "the thread is deleted before its turn is reported as started",
    ),
    (
        "0.157.0/14n_realtime_refused.jsonl",
        "a voice conversation that is refused fails the turn that runs",
    ),
    (
        "0.157.0/14q_collab_v2.jsonl",
        "what an agent did is reported after the turn",
    ),
];

fn is_beyond(run: &Recorded) -> bool {
    BEYOND.iter().any(|(name, _)| *name == run.name)
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

/// Goes through the recordings without errors, all of which the oracle knows, release by
/// release, on all cores.
fn each(about: impl Fn(&Checker, &Recorded, &mut Chance) -> Vec<String> + Sync) -> Vec<String> {
    all(|checker, run, chance| match is_beyond(run) {
        true => Vec::new(),
        false => about(checker, run, chance),
    })
}

/// Goes through the recordings without errors.
fn all(about: impl Fn(&Checker, &Recorded, &mut Chance) -> Vec<String> + Sync) -> Vec<String> {
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

/// Numbers that look like chance and are always the same.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

const WAYS: [&str; 9] = [
    "drop",
    "double",
    "double later",
    "swap",
    "move",
    "far",
    "result",
    "status",
    "drop of a kind",
];

/// Ids that are swapped for those of another message.
const IDS: [&str; 11] = [
    "/id",
    "/params/threadId",
    "/params/turnId",
    "/params/turn/id",
    "/params/itemId",
    "/params/item/id",
    "/params/requestId",
    "/params/thread/id",
    "/params/summaryIndex",
    "/result/thread/id",
    "/result/turn/id",
];

fn disturb(way: &str, run: &Recorded, chance: &mut Chance) -> Vec<Line> {
    let lines = &run.lines;
    let mut out = lines.clone();
    let is_line = |line: &Line| line.other.is_none();
    let places: Vec<usize> = (0..lines.len()).filter(|at| is_line(&lines[*at])).collect();
    if way.starts_with('/') {
        let holders: Vec<usize> = places
            .iter()
            .copied()
            .filter(|at| lines[*at].value.pointer(way).is_some())
            .collect();
        if let (Some(at), Some(other)) = (pick(&holders, chance), pick(&holders, chance)) {
            let own = lines[at].value.pointer(way).cloned();
            let theirs = lines[other].value.pointer(way).cloned();
            *out[at].value.pointer_mut(way).unwrap() = theirs.unwrap();
            *out[other].value.pointer_mut(way).unwrap() = own.unwrap();
        }
        return out;
    }
    let Some(at) = pick(&places, chance) else {
        return out;
    };
    let far = 1 + chance.below(lines.len() - at);
    match way {
        "drop" => drop(out.remove(at)),
        "double" => out.insert(at, lines[at].clone()),
        "double later" => out.insert(at + far, lines[at].clone()),
        "swap" if at + 1 < out.len() && is_line(&lines[at + 1]) => out.swap(at, at + 1),
        "move" => {
            let line = out.remove(at);
            out.insert((at + 1 + chance.below(5)).min(out.len()), line);
        }
        "far" => {
            let line = out.remove(at);
            out.insert(chance.below(out.len() + 1), line);
        }
        "result" => result_at_start(&mut out, at),
        "status" => other_status(&mut out, run.release, chance),
        // Most lines are deltas: every kind of message is to be dropped as often.
        "drop of a kind" => {
            let kind = |at: &usize| lines[*at].text("/method").unwrap_or_default();
            let kinds: BTreeSet<&str> = places.iter().map(kind).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            let chosen = kinds[chance.below(kinds.len())];
            let own: Vec<usize> = places.into_iter().filter(|at| kind(at) == chosen).collect();
            if let Some(at) = pick(&own, chance) {
                out.remove(at);
            }
        }
        _ => {}
    }
    out
}

/// Starts an item, if one completes from there on, with what it comes to.
fn result_at_start(lines: &mut [Line], from: usize) {
    let is = |line: &Line, method: &str| line.text("/method") == Some(method);
    let Some(done) = lines[from..].iter().find(|l| is(l, "item/completed")) else {
        return;
    };
    let item = done.value["params"]["item"].clone();
    let start = lines
        .iter_mut()
        .find(|line| is(line, "item/started") && line.value["params"]["item"]["id"] == item["id"]);
    let Some(start) = start else { return };
    for (name, value) in item.as_object().into_iter().flatten() {
        if !["status", "startedAtMs", "completedAtMs"].contains(&name.as_str()) {
            start.value["params"]["item"][name] = value.clone();
        }
    }
}

/// Ends an item or a turn with another status.
fn other_status(lines: &mut [Line], release: Release, chance: &mut Chance) {
    let pointers = ["/params/item/status", "/params/turn/status"];
    let ends = |line: &Line| {
        let method = line.text("/method").unwrap_or_default();
        method.ends_with("/completed") && pointers.iter().any(|at| line.text(at).is_some())
    };
    let places: Vec<usize> = (0..lines.len()).filter(|at| ends(&lines[*at])).collect();
    let Some(at) = pick(&places, chance) else {
        return;
    };
    let (pointer, all) = match lines[at].text(pointers[0]).is_some() {
        true => (pointers[0], ["completed", "failed", "declined"]),
        false => (pointers[1], ["completed", "failed", "interrupted"]),
    };
    let declines = ["commandExecution", "fileChange"];
    let kind = lines[at].text("/params/item/type");
    // Calls and activities are not declined, and up to 0.61.0 nothing is.
    let may_be = |kind| declines.contains(&kind) && release >= view::minor(63);
    let known = match kind.is_none_or(may_be) {
        true => &all[..],
        false => &all[..2],
    };
    let status = known[chance.below(known.len())];
    *lines[at].value.pointer_mut(pointer).unwrap() = json!(status);
}

fn pick(places: &[usize], chance: &mut Chance) -> Option<usize> {
    places.get(chance.below(places.len())).copied()
}

/// The oracle agrees with what was recorded, as the checker does, except for what is beyond it.
fn undisturbed() {
    none(&all(|_, run, _| {
        let why = match (broken(run.release, &run.lines), is_beyond(run)) {
            (Some(why), false) => Some(format!("{}: {why}", run.name)),
            (None, true) => Some(format!("{}: the oracle knows all of it by now", run.name)),
            _ => None,
        };
        why.into_iter().collect()
    }));
}

fn disturbed() {
    let counts = Mutex::new(BTreeMap::<&str, [usize; 3]>::new());
    let said = each(|checker, run, chance| {
        let mut said = Vec::new();
        for way in WAYS.into_iter().chain(IDS) {
            for _ in 0..sampling::few_or(1, 2) {
                let lines = disturb(way, run, chance);
                let first =
                    |lines: &[Line]| lines.iter().find(|line| line.other.is_none()).cloned();
                // A stream without its start is checked elsewhere.
                if lines == run.lines || first(&lines) != first(&run.lines) {
                    continue;
                }
                let outcome = checker.check(&run.name, recording(run.release, &lines).as_bytes());
                let why = broken(run.release, &lines);
                let mut counts = counts.lock().unwrap();
                let count = counts.entry(way).or_default();
                count[0] += 1;
                count[1] += usize::from(why.is_some());
                count[2] += usize::from(why.is_some() && denies(&outcome));
                let changed = lines
                    .iter()
                    .zip(&run.lines)
                    .position(|(new, old)| new != old);
                let at = changed.map_or(lines.len(), |at| at + 2);
                match (why, denied(&outcome).next()) {
                    (Some(why), None) => {
                        said.push(format!("missed: {why}: {way} {} line {at}", run.name));
                    }
                    (None, Some(finding)) => said.push(format!(
                        "false: {} {:?} on {}: {way} {} line {at}",
                        finding.rule, finding.message, finding.place.line, run.name
                    )),
                    _ => {}
                }
            }
        }
        said
    });
    let counts = counts.into_inner().unwrap();
    let sum = |index: usize| counts.values().map(|count| count[index]).sum::<usize>();
    let ratio = sum(2) as f64 / sum(1) as f64;
    #[allow(clippy::print_stdout, reason = "the numbers are for the reader")]
    {
        for (way, [made, breaking, caught]) in &counts {
            println!("{way}: {made} streams, {breaking} break a rule, {caught} of them caught");
        }
        println!("{:.2} % of {} caught, of {}", ratio * 100.0, sum(1), sum(0));
        println!("{}", said.join("\n"));
    }
    assert!(sum(1) > sampling::few_or(400, 800), "{counts:?}");
    assert!(ratio >= 0.95, "{ratio}");
    let alarms = said.iter().filter(|said| said.starts_with("false"));
    assert_eq!(alarms.count(), 0);
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

/// After an unreadable line, no message that it may have held is reported as missing.
fn lost_lines() {
    none(&each(|checker, run, chance| {
        let mut said = Vec::new();
        for _ in 0..3 {
            let text = recording(run.release, &run.lines);
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let at = 1 + chance.below(run.lines.len());
            let mut record: Value = serde_json::from_str(&lines[at]).unwrap();
            if record["line"].is_null() {
                continue;
            }
            record["line"] = json!("{\"id\":");
            lines[at] = record.to_string();
            let text = format!("{}\n", lines.join("\n"));
            let outcome = checker.check(&run.name, text.as_bytes());
            let mut order = denied(&outcome).filter(|finding| finding.rule.group() != "framing");
            said.extend(order.next().map(|finding| {
                let (rule, line) = (finding.rule, finding.place.line);
                format!(
                    "{} lost {}: {rule} on {line}: {}",
                    run.name,
                    at + 1,
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
