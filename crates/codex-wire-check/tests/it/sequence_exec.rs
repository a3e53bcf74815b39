//! Recorded streams with their order disturbed: messages dropped, repeated, moved, given the id
//! of another, and tails cut off. What breaks a rule is caught, what breaks none is not.
//!
//! Whether a disturbed stream breaks a rule is not asked of the machines: the oracle below
//! looks at the whole stream at once and says again, in its own way, what the rules demand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options, Outcome, Severity};
use codex_wire_testing::describe;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::support::{fixtures, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("sequence_exec::recorded_runs_break_nothing", undisturbed),
        trial("sequence_exec::disturbed_runs_are_caught", disturbed),
        trial("sequence_exec::any_order_is_survived", any_order),
        trial(
            "sequence_exec::severity_waits_for_the_release",
            severity_waits,
        ),
        trial("sequence_exec::lost_lines_are_not_missing", lost_lines),
        trial("sequence_exec::evicted_ids_are_not_missing", forgotten),
        trial("sequence_exec::the_other_side_is_not_blamed", one_side_only),
    ]
}

/// A recorded run.
struct Recorded {
    name: String,
    release: Release,
    lines: Vec<String>,
    status: Option<i64>,
}

fn recorded() -> Vec<Recorded> {
    let manifest = std::fs::read(fixtures().join("exec/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let transcripts = manifest["transcripts"].as_array().unwrap();
    let of = |entry: &Value| {
        let file = entry["file"].as_str().unwrap();
        let text = std::fs::read_to_string(fixtures().join("exec").join(file)).unwrap();
        Recorded {
            name: file.to_owned(),
            release: entry["release"].as_str().unwrap().parse().unwrap(),
            lines: text.split_terminator('\n').map(str::to_owned).collect(),
            status: entry["exit_code"].as_i64().filter(|status| *status >= 0),
        }
    };
    let runs: Vec<_> = transcripts.iter().map(of).collect();
    runs.into_iter()
        .filter(|run| !run.lines.is_empty())
        .collect()
}

/// The run as a recording, with its exit.
fn recording(run: &Recorded, lines: &[String]) -> String {
    let release = run.release.to_string();
    let mut out = json!({"kind": "start", "transcript": 1, "protocol": "exec", "release": release})
        .to_string();
    for line in lines {
        out += &format!(
            "\n{}",
            json!({"kind": "line", "from": "codex", "line": line})
        );
    }
    if let Some(status) = run.status {
        out += &format!("\n{}", json!({"kind": "exit", "status": status}));
    }
    out + "\n"
}

#[derive(Default)]
struct Checkers(BTreeMap<Release, Arc<Checker>>);

impl Checkers {
    fn check(&mut self, run: &Recorded, lines: &[String]) -> Outcome {
        let make = || {
            let options = Options::exact(Protocol::Exec, run.release);
            Arc::new(Checker::new(options).unwrap())
        };
        let checker = self.0.entry(run.release).or_insert_with(make);
        checker.check(&run.name, recording(run, lines).as_bytes())
    }
}

fn denies(outcome: &Outcome) -> bool {
    outcome.counts.error > 0
}

/// A message as the oracle sees it.
struct Event {
    tag: String,
    message: Value,
    /// The item's own id, the first one of duplicates.
    id: String,
    kind: String,
}

fn event(line: &str) -> Event {
    let message: Value = serde_json::from_str(line).unwrap();
    let item = &message["item"];
    let kind = item.get("type").or(item.get("item_type"));
    Event {
        tag: message["type"].as_str().unwrap().to_owned(),
        id: line
            .split("\"id\":\"")
            .nth(1)
            .map_or("", |rest| rest.split('"').next().unwrap())
            .to_owned(),
        kind: kind.and_then(Value::as_str).unwrap_or_default().to_owned(),
        message,
    }
}

/// Why the stream breaks a rule that holds in its release, if it does.
fn broken(release: Release, lines: &[String], status: Option<i64>) -> Option<&'static str> {
    let events: Vec<Event> = lines.iter().map(|line| event(line)).collect();
    let minor = |minor: u32| Release::new(0, minor, 0);
    let within = |from: u32, to: u32| minor(from) <= release && release <= minor(to);
    let of = |tag: &str| -> Vec<usize> {
        (0..events.len())
            .filter(|at| events[*at].tag == tag)
            .collect()
    };
    let early = release < Release::alpha(0, 43, 0, 5);
    let head = if early {
        "session.created"
    } else {
        "thread.started"
    };
    if of(head) != [0] {
        return Some("head");
    }
    let turns = of("turn.started");
    if turns.len() > 1 && !within(93, 111) {
        return Some("turns");
    }
    let mut ends = [of("turn.completed"), of("turn.failed")].concat();
    ends.sort_unstable();
    if ends.len() > 1 || ends.first().is_some_and(|end| *end + 1 != events.len()) {
        return Some("end");
    }
    let before_turn = |at: usize| turns.first().is_none_or(|turn| at < *turn);
    let outside = |at: usize| {
        let warns = events[at].kind == "error" && release >= minor(87);
        let belongs = events[at].tag.starts_with("item.") && !warns || ends.contains(&at);
        belongs && before_turn(at)
    };
    if !early && (0..events.len()).any(outside) {
        return Some("outside");
    }
    for end in of("turn.failed") {
        let last = of("error").into_iter().rfind(|error| *error < end);
        let said = last.map(|at| &events[at].message["message"]);
        if said != Some(&events[end].message["error"]["message"]) {
            return Some("failure");
        }
    }
    let mut ids: Vec<&str> = Vec::new();
    for event in events.iter().filter(|event| !event.id.is_empty()) {
        if !ids.contains(&&*event.id) {
            ids.push(&event.id);
        }
    }
    let numbered = ids
        .iter()
        .enumerate()
        .all(|(n, id)| *id == format!("item_{n}"));
    if !numbered {
        return Some("numbers");
    }
    if ids.iter().any(|id| history(release, &events, id).is_none()) {
        return Some("history");
    }
    let lists: BTreeSet<&str> = events
        .iter()
        .filter(|e| e.kind == "todo_list")
        .map(|e| &*e.id)
        .collect();
    if lists.len() > 1 && !within(93, 111) {
        return Some("lists");
    }
    for (at, event) in events.iter().enumerate() {
        let closes = event.kind == "todo_list" && event.tag == "item.completed";
        let next = events.get(at + 1).filter(|_| closes && !within(93, 111));
        let late = |next: &&Event| next.kind == "command_execution" && within(55, 116);
        if next.is_some_and(|next| {
            !next.tag.starts_with("turn.c") && !next.tag.starts_with("turn.f") && !late(&next)
        }) {
            return Some("list not last");
        }
    }
    match (ends.first(), status) {
        (Some(end), Some(status)) => {
            let failed = events[*end].tag == "turn.failed";
            (status != i64::from(failed) && (failed || release > minor(45))).then_some("status")
        }
        (None, Some(0)) if !early && release >= minor(117) => Some("no end"),
        _ => None,
    }
}

/// What happens to an item, if it is what may happen to one.
fn history(release: Release, events: &[Event], id: &str) -> Option<()> {
    let own: Vec<&Event> = events.iter().filter(|event| event.id == id).collect();
    let kind = &*own[0].kind;
    let minor = |minor: u32| Release::new(0, minor, 0);
    let phases: Vec<&str> = own
        .iter()
        .map(|e| e.tag.strip_prefix("item.").unwrap())
        .collect();
    let at_once = phases == ["completed"];
    let (first, rest) = phases.split_first()?;
    let updates = rest.iter().take_while(|phase| **phase == "updated").count();
    let ended = rest.get(updates..) == Some(&["completed"]);
    let open = rest.len() == updates;
    let in_order = *first == "started" && (ended || open) && (updates == 0 || kind == "todo_list");
    let fits = match kind {
        "agent_message" | "assistant_message" | "reasoning" | "error" => at_once,
        "file_change" if release < minor(117) => at_once,
        "web_search" if release < minor(87) => at_once,
        "web_search" if release < minor(92) => at_once || in_order,
        _ => in_order,
    };
    let end = events.last().map_or("", |event| &*event.tag);
    let may_stay = match (end, kind) {
        ("turn.completed" | "turn.failed", "todo_list") => false,
        ("turn.completed", "command_execution") => {
            release >= minor(117) || minor(55) <= release && release <= minor(72)
        }
        ("turn.completed", _) => false,
        _ => true,
    };
    if !fits || (open && !at_once && !may_stay) || own.iter().any(|event| event.kind != kind) {
        return None;
    }
    let called = |event: &Event| {
        let item = &event.message["item"];
        let names = [
            "command",
            "server",
            "tool",
            "arguments",
            "prompt",
            "sender_thread_id",
            "changes",
        ];
        names.map(|name| item[name].clone())
    };
    let same = own.iter().all(|event| called(event) == called(own[0]));
    // What is started has come to nothing: everything else is what it was called with.
    let nothing = own.iter().filter(|e| e.tag == "item.started").all(|event| {
        let item = &event.message["item"];
        let results = [
            "aggregated_output",
            "exit_code",
            "result",
            "error",
            "agents_states",
        ];
        results.iter().all(|name| {
            let none = [json!(null), json!(""), json!({})];
            none.contains(&item[*name])
        })
    });
    let list = own.len() < 2 || kind != "todo_list" || !ended || {
        let entries = |event: &Event| event.message["item"]["items"].clone();
        entries(own[own.len() - 1]) == entries(own[own.len() - 2])
    };
    (same && list && nothing).then_some(())
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

/// The ways to disturb a stream.
const WAYS: [&str; 8] = [
    "drop",
    "double",
    "double later",
    "swap",
    "move",
    "id",
    "cut",
    "result",
];

fn disturb(way: &str, lines: &[String], chance: &mut Chance) -> Vec<String> {
    let mut out = lines.to_vec();
    let at = chance.below(out.len());
    match way {
        "drop" => drop(out.remove(at)),
        "double" => out.insert(at, out[at].clone()),
        "double later" => out.insert(at + 1 + chance.below(lines.len() - at), lines[at].clone()),
        "swap" if at + 1 < out.len() => out.swap(at, at + 1),
        "move" => {
            let line = out.remove(at);
            out.insert(chance.below(lines.len()), line);
        }
        "id" => {
            let ids: Vec<String> = lines.iter().map(|line| event(line).id).collect();
            let other = &ids[chance.below(ids.len())];
            if !ids[at].is_empty() && !other.is_empty() {
                let (from, to) = (
                    format!("\"id\":\"{}\"", ids[at]),
                    format!("\"id\":\"{other}\""),
                );
                out[at] = out[at].replacen(&from, &to, 1);
            }
        }
        "cut" => out.truncate(at.max(1)),
        // An item is started with what it comes to.
        "result" => {
            let of = |tag: &str, id: &str| {
                let is = |line: &&String| event(line).tag == tag && event(line).id == id;
                lines.iter().position(|line| is(&line))
            };
            let id = event(&lines[at]).id;
            let places = (of("item.started", &id), of("item.completed", &id));
            if let ((Some(start), Some(end)), false) = (places, id.is_empty()) {
                let (mut early, done) = (event(&lines[start]).message, event(&lines[end]).message);
                let members = done["item"].as_object().unwrap();
                let kept = members.iter().filter(|(name, _)| *name != "status");
                for (name, value) in kept {
                    early["item"][name] = value.clone();
                }
                // A search has its id twice, which a reader of JSON does not keep.
                if early["item"]["type"] != "web_search" {
                    out[start] = early.to_string();
                }
            }
        }
        _ => {}
    }
    out
}

/// The oracle agrees with what was recorded, and so does the checker.
fn undisturbed() {
    let mut checkers = Checkers::default();
    for run in recorded() {
        let outcome = checkers.check(&run, &run.lines);
        assert!(!denies(&outcome), "{}", describe(&outcome));
        assert_eq!(
            broken(run.release, &run.lines, run.status),
            None,
            "{}",
            run.name
        );
    }
}

fn disturbed() {
    let mut checkers = Checkers::default();
    let mut chance = Chance(2025);
    let mut counts: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let (mut missed, mut false_alarms) = (Vec::new(), Vec::new());
    for run in recorded() {
        for way in WAYS {
            for _ in 0..3 {
                let lines = disturb(way, &run.lines, &mut chance);
                if lines == run.lines || lines.is_empty() {
                    continue;
                }
                let outcome = checkers.check(&run, &lines);
                let why = broken(run.release, &lines, run.status);
                let count = counts.entry(way).or_default();
                count[0] += 1;
                match (why, denies(&outcome)) {
                    (Some(_), true) => {
                        count[1] += 1;
                        count[2] += 1;
                    }
                    (Some(why), false) => {
                        count[1] += 1;
                        missed.push(format!("{way} {} {why}", run.name));
                    }
                    (None, true) => {
                        count[3] += 1;
                        false_alarms.push(format!("{way} {}", describe(&outcome)));
                    }
                    (None, false) => {}
                }
            }
        }
    }
    let sum = |index: usize| counts.values().map(|count| count[index]).sum::<usize>();
    let ratio = sum(2) as f64 / sum(1) as f64;
    #[allow(clippy::print_stdout, reason = "the numbers are for the reader")]
    {
        for (way, [made, breaking, caught, _]) in &counts {
            println!("{way}: {made} streams, {breaking} break a rule, {caught} of them caught");
        }
        println!("{:.2} % of {} caught", ratio * 100.0, sum(1));
        missed
            .iter()
            .take(20)
            .for_each(|missed| println!("missed: {missed}"));
    }
    assert!(sum(1) > 5000, "{counts:?}");
    assert!(
        ratio >= 0.95,
        "{ratio}: {:#?}",
        &missed[..missed.len().min(20)]
    );
    assert!(
        false_alarms.is_empty(),
        "{}: {}",
        false_alarms.len(),
        false_alarms[0]
    );
}

/// Whatever the order, the checker comes to an end and says something.
fn any_order() {
    let mut checkers = Checkers::default();
    let mut chance = Chance(7);
    for run in recorded() {
        let mut lines = run.lines.clone();
        for at in (1..lines.len()).rev() {
            lines.swap(at, chance.below(at + 1));
        }
        let outcome = checkers.check(&run, &lines);
        assert_eq!(outcome.messages, lines.len() as u64, "{}", run.name);
    }
}

const HEAD: &str = r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}
{"type":"turn.started"}
"#;
const TURN: &str = "{\"type\":\"turn.started\"}\n";

fn identified(text: &str) -> Outcome {
    Checker::new(Options::new())
        .unwrap()
        .check("-", text.as_bytes())
}

fn rules_of(outcome: &Outcome) -> Vec<(&'static str, Severity, u64)> {
    let of = |f: &codex_wire_check::Finding| (f.rule.id, f.severity, f.place.line);
    outcome.findings.iter().map(of).collect()
}

/// A violation that some releases do not forbid is held until the stream shows which release it is.
fn severity_waits() {
    let open = format!("{HEAD}{TURN}");
    let end = |more: &str| {
        format!(
            r#"{open}{{"type":"turn.completed","usage":{{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1{more}}}}}"#
        )
    };
    // 0.44.0 to 0.124.0: some of them write several turns.
    assert_eq!(rules_of(&identified(&end(""))), []);
    let late = identified(&end(r#","reasoning_output_tokens":0"#));
    let again = ("sequence/exec-turn-started-again", Severity::Error, 3);
    assert_eq!(rules_of(&late), [again]);
    assert_eq!(late.counts.error, 1);
}

/// After an unreadable line, no message that it may have held is reported as missing.
fn lost_lines() {
    let text = format!(
        "{HEAD}{{\"type\":\"item.started\",\"item\":{{\"id\":\"item_0\",\"type\":\"comm\n{}\n",
        r#"{"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"","exit_code":0,"status":"completed"}}"#
    );
    let outcome = identified(&text);
    assert_eq!(
        rules_of(&outcome),
        [("framing/malformed-json", Severity::Error, 3)]
    );
    let whole = text.lines().filter(|line| !line.ends_with("comm"));
    let whole: String = whole.map(|line| format!("{line}\n")).collect();
    let found = rules_of(&identified(&whole));
    assert_eq!(
        found[0],
        ("sequence/exec-item-never-started", Severity::Error, 3)
    );
}

/// Ids beyond the limit are forgotten, and nothing is said of them; the rest is still checked.
fn forgotten() {
    let mut options = Options::new();
    options.limits.sequence_ids = 10;
    let checker = Checker::new(options).unwrap();
    let item = |event: &str, id: usize, status: &str, code: &str| {
        format!(
            r#"{{"type":"item.{event}","item":{{"id":"item_{id}","type":"command_execution","command":"ls","aggregated_output":"","exit_code":{code},"status":"{status}"}}}}"#
        ) + "\n"
    };
    let started = |id| item("started", id, "in_progress", "null");
    let completed = |id| item("completed", id, "completed", "0");
    let mut text = HEAD.to_owned();
    (0..100).for_each(|id| text += &started(id));
    (0..100).for_each(|id| text += &completed(id));
    let found = |more: &str| rules_of(&checker.check("-", format!("{text}{more}").as_bytes()));
    let unfinished = ("sequence/exec-unfinished", Severity::Warning, 202);
    assert_eq!(found(""), [unfinished]);
    let twice = ("sequence/exec-item-after-completion", Severity::Error, 203);
    assert_eq!(found(&completed(99))[0], twice);
    assert_eq!(found(&completed(3)).len(), 1, "long forgotten");
    let gap = ("sequence/exec-item-id", Severity::Error, 203);
    assert_eq!(found(&started(101))[0], gap);
}

/// If only the client is checked, what Codex does is not reported.
fn one_side_only() {
    let mut options = Options::new();
    options.side = Some(codex_wire_check::Writer::Client);
    let checker = Checker::new(options).unwrap();
    let outcome = checker.check("-", format!("{TURN}{TURN}").as_bytes());
    assert_eq!(rules_of(&outcome), []);
    assert!(denies(&identified(TURN)));
}
