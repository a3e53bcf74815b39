//! Every fault of messages, in every recording: it does what it says, and the rest stays as it is.

use std::collections::BTreeMap;
use std::fs;

use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Checker, Options, Profile, Severity};
use codex_wire_replay::faults::{Faults, Faulty, Injection, Layer, RunFaults};
use codex_wire_replay::{About, ExecPlay, Player, PlayerOptions, Recording, Writer, manifest};
use sampling::{few_or, spread};
use serde_json::json;

use crate::client::{Client, Double, checker, fixtures, parse, recording};
use crate::fixtures::recordings;

/// The characters that `fault/line-separator` puts in.
const SEPARATORS: &str = "\u{2028}\u{85}";

fn faults(ids: &[&str]) -> Faults {
    let injections = ids.iter().map(|id| Injection::parse(id).unwrap());
    Faults::new(injections.collect(), 7)
}

/// A checker of what a client of the release should accept.
fn open_checker(protocol: Protocol, about: &About) -> Checker {
    let release = protocol
        .release_list()
        .floor(about.release.unwrap())
        .unwrap();
    let mut options = Options::exact(protocol, release);
    options.profile = Profile::Known;
    Checker::new(options).unwrap()
}

fn conversation(recording: &Recording, faults: &Faults) -> Box<Faulty> {
    let player = Player::new(std::slice::from_ref(recording), PlayerOptions::default()).unwrap();
    let faulty = Faulty::new(Box::new(player), faults, recording.about.release);
    Box::new(faulty.unwrap())
}

/// The recordings of the app-server with one connection.
fn conversations() -> Vec<(Recording, u32)> {
    let only = std::env::var("ONLY").unwrap_or_default();
    let paths = recordings("app-server")
        .into_iter()
        .filter(|path| path.contains(&only));
    let recordings = spread(paths, 40).into_iter().map(|path| recording(&path));
    let single = recordings.filter_map(|recording| {
        let mut connections: Vec<u32> = recording.lines().iter().map(|l| l.connection).collect();
        connections.sort_unstable();
        connections.dedup();
        match connections[..] {
            [connection] => Some((recording, connection)),
            _ => None,
        }
    });
    single.collect()
}

/// What was played, and what the checker says about Codex: the ids of rules.
struct Played {
    heard: Vec<String>,
    rules: Vec<String>,
    injected: usize,
}

fn play(recording: &Recording, connection: u32, faults: &Faults, checker: &Checker) -> Played {
    let mut client = Client::of(conversation(recording, faults), checker);
    Double::new(recording, connection).run(&mut client);
    played(client, faults)
}

fn played(client: Client<'_>, faults: &Faults) -> Played {
    Played {
        heard: client.heard.clone(),
        rules: client
            .finish()
            .iter()
            .map(|f| f.rule.id.to_owned())
            .collect(),
        injected: faults.log().take().len(),
    }
}

/// Lines of one list that the other does not have, as often as they are missing.
fn beyond(these: &[String], those: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for line in those {
        *counts.entry(line).or_default() += 1;
    }
    let mut out = Vec::new();
    for line in these {
        match counts.get_mut(line) {
            Some(count @ 1..) => *count -= 1,
            _ => out.push(line.clone()),
        }
    }
    out
}

fn method(line: &str) -> String {
    parse(line)["method"]
        .as_str()
        .unwrap_or("a response")
        .to_owned()
}

#[track_caller]
fn none(problems: &[String]) {
    let shown: Vec<String> = problems
        .iter()
        .map(|p| p.chars().take(400).collect())
        .collect();
    assert!(
        shown.is_empty(),
        "{} problems\n{}",
        shown.len(),
        shown[..shown.len().min(40)].join("\n")
    );
}

/// What a fault of a turn may change: the lines with which a turn ends.
fn turns_end_otherwise(id: &str, status: &str, allowed: &[&str]) {
    let ends = [
        "thread/status/changed",
        "turn/completed",
        "codex/event/task_complete",
        "codex/event/turn_aborted",
        "codex/event/error",
        "error",
    ];
    let (mut problems, mut injected) = (Vec::new(), 0);
    for (recording, connection) in conversations() {
        let checker = checker(&recording);
        let plain = play(&recording, connection, &Faults::default(), &checker);
        let faults = faults(&[id]);
        let found = play(&recording, connection, &faults, &checker);
        injected += found.injected;
        let name = &recording.name;
        let (new, gone) = (
            beyond(&found.heard, &plain.heard),
            beyond(&plain.heard, &found.heard),
        );
        if found.injected == 0 && (!new.is_empty() || !gone.is_empty()) {
            problems.push(format!("{name}: something changed"));
        }
        let lines = new.iter().chain(&gone);
        let others = lines.filter(|line| !ends.contains(&method(line).as_str()));
        problems.extend(others.map(|line| format!("{name}: {line}")));
        let ended = new
            .iter()
            .map(|line| parse(line)["params"]["turn"]["status"].clone());
        let ended = ended.filter(|ended| *ended == status).count();
        if ended != found.injected {
            problems.push(format!("{name}: {ended} turns are {status}"));
        }
        let rules = found
            .rules
            .iter()
            .filter(|rule| !allowed.contains(&rule.as_str()));
        problems.extend(rules.map(|rule| format!("{name}: {rule}")));
    }
    none(&problems);
    assert!(
        injected > few_or(14, 50) || std::env::var("ONLY").is_ok(),
        "{injected}"
    );
}

#[test]
fn turns_fail_as_releases_write_it() {
    turns_end_otherwise("turn-fails", "failed", &[]);
}

/// Without another client in the recording, nothing explains the interrupt.
#[test]
fn turns_are_interrupted() {
    let allowed = ["sequence/app-server-interrupt-cause"];
    turns_end_otherwise("turn-interrupted", "interrupted", &allowed);
}

#[test]
fn turns_that_never_end_can_be_interrupted() {
    let (mut problems, mut held) = (Vec::new(), 0);
    for (recording, connection) in conversations() {
        let name = recording.name.clone();
        let checker = checker(&recording);
        let faults = faults(&["turn-never-ends"]);
        let mut client = Client::of(conversation(&recording, &faults), &checker);
        let double = Double::new(&recording, connection);
        let plain = play(&recording, connection, &Faults::default(), &checker);
        let is_held = |_: &Client<'_>| !faults.log().take().is_empty();
        if !double.run_until(&mut client, &is_held) {
            continue;
        }
        held += 1;
        let open = beyond(&plain.heard, &client.heard);
        let ended = open
            .iter()
            .find(|line| method(line) == "turn/completed")
            .unwrap();
        let params = &parse(ended)["params"];
        let (thread, turn) = (&params["threadId"], &params["turn"]["id"]);
        // The oldest releases do not say which thread a turn is of.
        if thread.is_null() {
            continue;
        }
        let before = client.heard.len();
        let answer = client.call(
            900,
            "turn/interrupt",
            &json!({"threadId": thread, "turnId": turn}),
        );
        if answer["result"] != json!({}) {
            problems.push(format!("{name}: {answer}"));
        }
        let last = client.heard[before..]
            .iter()
            .find(|line| method(line) == "turn/completed");
        if last.is_none_or(|last| parse(last)["params"]["turn"]["status"] != "interrupted") {
            problems.push(format!("{name}: {last:?}"));
        }
        problems.extend(
            played(client, &faults)
                .rules
                .iter()
                .map(|rule| format!("{name}: {rule}")),
        );
    }
    none(&problems);
    assert!(
        held > few_or(14, 50) || std::env::var("ONLY").is_ok(),
        "{held}"
    );
}

/// What is known of no release, or of a later one.
const OF_THE_FUTURE: &[&str] = &[
    "schema/mixed-releases",
    "schema/unknown-kind",
    "schema/unknown-member",
    "schema/unknown-value",
    "schema/wrong-release",
];

#[test]
fn the_future_comes_to_every_conversation() {
    let (mut problems, mut injected) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for (recording, connection) in conversations() {
        let name = &recording.name;
        let checker = open_checker(recording.protocol, &recording.about);
        let plain = play(&recording, connection, &Faults::default(), &checker);
        for id in [
            "future-member",
            "future-method",
            "future-item",
            "future-value",
        ] {
            let faults = faults(&[id]);
            let found = play(&recording, connection, &faults, &checker);
            *injected.entry(id).or_default() += found.injected;
            let allowed: &[&str] = match id {
                // A reader ignores members that it does not know.
                "future-member" => &["schema/wrong-release"],
                _ => OF_THE_FUTURE,
            };
            let rules = found
                .rules
                .iter()
                .filter(|rule| !allowed.contains(&rule.as_str()));
            problems.extend(rules.map(|rule| format!("{name}: {id}: {rule}")));
            if id == "future-method" || id == "future-item" {
                let gone = beyond(&plain.heard, &found.heard);
                problems.extend(gone.iter().map(|line| format!("{name}: {id}: lost {line}")));
                let new = beyond(&found.heard, &plain.heard).len();
                let each = if id == "future-item" { 2 } else { 1 };
                if new != each * found.injected {
                    problems.push(format!("{name}: {id}: {new} lines"));
                }
            } else {
                let pairs = plain.heard.iter().zip(&found.heard);
                let kept = pairs.filter(|(a, b)| method(a) != method(b));
                problems.extend(kept.map(|(_, b)| format!("{name}: {id}: {b}")));
            }
        }
    }
    none(&problems);
    let least = few_or(25, 100);
    assert!(
        injected.values().all(|count| *count > least) || std::env::var("ONLY").is_ok(),
        "{injected:?}"
    );
}

#[test]
fn separators_stand_in_texts_and_nowhere_else() {
    let (mut problems, mut injected) = (Vec::new(), 0);
    for (recording, connection) in conversations() {
        let checker = checker(&recording);
        let plain = play(&recording, connection, &Faults::default(), &checker);
        let found = play(
            &recording,
            connection,
            &faults(&["line-separator"]),
            &checker,
        );
        injected += found.injected;
        let cleared: Vec<String> = found
            .heard
            .iter()
            .map(|l| l.replace(SEPARATORS, ""))
            .collect();
        if cleared != plain.heard {
            problems.push(format!("{}: something else changed", recording.name));
        }
        problems.extend(
            found
                .rules
                .iter()
                .map(|rule| format!("{}: {rule}", recording.name)),
        );
    }
    none(&problems);
    assert!(
        injected > few_or(25, 100) || std::env::var("ONLY").is_ok(),
        "{injected}"
    );
}

/// The runs, each with what is known of it.
fn runs() -> Vec<(Recording, About)> {
    let folder = fixtures().join("exec");
    let entries = manifest(&fs::read(folder.join("manifest.json")).unwrap()).unwrap();
    let runs = entries.into_iter().map(|(file, about)| {
        let bytes = fs::read(folder.join(&file)).unwrap();
        (Recording::read(&file, bytes, about.clone()).unwrap(), about)
    });
    spread(runs, 120)
}

fn run(recording: &Recording, id: &str) -> (ExecPlay, RunFaults, usize) {
    let mut play = ExecPlay::new(recording);
    let faults = faults(&[id]);
    let left = faults.of_run(&mut play, recording.about.release).unwrap();
    (play, left, faults.log().take().len())
}

/// The errors of a run that ends with its status, or is still running.
fn errors(checker: &Checker, play: &ExecPlay, left: RunFaults) -> Vec<String> {
    let mut stream = checker.stream("run");
    stream.feed(&play.bytes());
    if !left.hangs {
        stream.exit(Some(play.status()), None, None);
    }
    let (outcome, _) = stream.finish();
    let errors = outcome
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error);
    errors
        .map(|f| format!("{}: {}", f.rule.id, f.message))
        .collect()
}

#[test]
fn every_run_gets_every_fault() {
    let (mut problems, mut injected) = (Vec::new(), BTreeMap::<&str, usize>::new());
    for (recording, about) in runs() {
        let (name, release) = (&recording.name, about.release.unwrap());
        let exact = Checker::new(Options::exact(Protocol::Exec, release)).unwrap();
        let open = open_checker(Protocol::Exec, &about);
        let plain = ExecPlay::new(&recording);
        let before = errors(&exact, &plain, RunFaults::default());
        let lines = |play: &ExecPlay| -> Vec<String> {
            let lines = play
                .lines()
                .map(|(_, line)| String::from_utf8_lossy(&line).into_owned());
            lines.collect()
        };
        for id in [
            "turn-fails",
            "turn-interrupted",
            "turn-never-ends",
            "line-separator",
            "future-member",
            "future-method",
            "future-item",
            "future-value",
        ] {
            let (play, left, count) = run(&recording, id);
            *injected.entry(id).or_default() += count;
            if count == 0 && play.bytes() != plain.bytes() {
                problems.push(format!("{name}: {id}: something changed"));
            }
            let is_future = id.starts_with("future");
            let found = errors(if is_future { &open } else { &exact }, &play, left);
            let is_allowed = |error: &&String| {
                let mut rules = OF_THE_FUTURE.iter().chain(&["sequence/exec-item-status"]);
                let is_of_future = rules.any(|rule| error.starts_with(rule));
                before.contains(error) || (is_future && is_of_future)
            };
            let wrong = found.iter().filter(|error| !is_allowed(error));
            problems.extend(wrong.map(|error| format!("{name}: {id}: {error}")));
            let (gone, new) = (
                beyond(&lines(&plain), &lines(&play)),
                beyond(&lines(&play), &lines(&plain)),
            );
            let is_valid = match id {
                _ if count == 0 => true,
                "turn-fails" => new.len() - gone.len() == 1 && gone.len() <= 1,
                "turn-interrupted" | "turn-never-ends" => new.is_empty() && gone.len() <= 1,
                "future-method" => new.len() == 1 && gone.is_empty(),
                "future-item" => matches!(new.len(), 1 | 2) && gone.is_empty(),
                _ => new.len() == gone.len(),
            };
            if !is_valid {
                problems.push(format!(
                    "{name}: {id}: {} lines new, {} gone",
                    new.len(),
                    gone.len()
                ));
            }
            if id == "line-separator" {
                let cleared: String = lines(&play).concat().replace(SEPARATORS, "");
                if cleared != lines(&plain).concat() {
                    problems.push(format!("{name}: something else changed"));
                }
            }
        }
    }
    none(&problems);
    let least = few_or(50, 200);
    assert!(
        injected.values().all(|count| *count > least),
        "{injected:?}"
    );
}

/// Examples of single lines, as people can read them.
#[test]
fn examples() {
    let said = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n\
        {\"type\":\"item.completed\",\"item\":{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"Hi.\"}}\n\
        {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"cached_input_tokens\":0,\"output_tokens\":2}}\n";
    let about = About::new().release(Release::new(0, 44, 0)).status(0);
    let recording = Recording::read("said", said.into(), about).unwrap();
    let mut shown = String::new();
    for fault in codex_wire_replay::faults::FAULTS {
        if fault.layer != Layer::Messages || !fault.protocols.contains(&Protocol::Exec) {
            continue;
        }
        let (play, left, _) = run(&recording, fault.id);
        let status = if left.hangs {
            "it hangs".to_owned()
        } else {
            format!("status {}", play.status())
        };
        shown += &format!(
            "= {}\n{}{status}\n",
            fault.id,
            String::from_utf8_lossy(&play.bytes())
        );
    }
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    golden_files::assert_file(&folder.join("faults-exec.txt"), &shown);
}

const TURN: &str = "app-server/0.169.0/03a_command_untrusted_accept.jsonl";

/// The recorded lines of the client up to `turn/start`.
fn opening() -> Vec<String> {
    let recording = recording(TURN);
    let lines = recording
        .lines()
        .iter()
        .filter(|line| line.writer == Writer::Client);
    lines.take(4).map(|line| line.text.to_string()).collect()
}

#[test]
fn a_request_fails_once() {
    let recording = recording(TURN);
    let checker = checker(&recording);
    let faults = faults(&["rpc-error"]);
    let mut client = Client::of(conversation(&recording, &faults), &checker);
    let lines = opening();
    assert!(lines[3].contains("turn/start"), "{}", lines[3]);
    for line in &lines {
        client.send(line);
    }
    let last = parse(client.heard.last().unwrap());
    assert_eq!(last["error"]["code"], -32001);
    assert_eq!(last["id"], parse(&lines[3])["id"]);
    client.send(&lines[3]);
    assert!(
        client
            .heard
            .iter()
            .any(|line| method(line) == "turn/started")
    );
    assert_eq!(faults.log().take(), ["fault/rpc-error"]);
    assert_eq!(client.finish(), []);
}

#[test]
fn ids_become_texts() {
    let recording = recording(TURN);
    let checker = checker(&recording);
    let mut client = Client::of(
        conversation(&recording, &faults(&["rpc-id-as-text"])),
        &checker,
    );
    client.send(&opening()[0]);
    assert_eq!(parse(&client.heard[0])["id"], "1");
    let only = faults(&["rpc-id-as-text@thread/start"]);
    let mut client = Client::of(conversation(&recording, &only), &checker);
    for line in opening() {
        client.send(&line);
    }
    let responses = client
        .heard
        .iter()
        .filter(|line| method(line) == "a response");
    let ids: Vec<_> = responses.map(|line| parse(line)["id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!("2"), json!(3)]);
}

#[test]
fn the_second_turn_alone_fails() {
    let recording = recording("app-server/0.169.0/08c_interrupt_with_pending_approval.jsonl");
    let checker = checker(&recording);
    // The first turn is interrupted in the recording: it does not fail.
    for (id, count) in [("turn-fails", 0), ("turn-fails@2", 1)] {
        let played = play(&recording, 0, &faults(&[id]), &checker);
        assert_eq!(played.injected, count, "{id}");
    }
}

/// The same seed gives the same faults, another one gives others.
#[test]
fn the_seed_decides() {
    let recording = recording("app-server/0.63.0/12g_http_401.jsonl");
    let checker = open_checker(recording.protocol, &recording.about);
    let of = |seed| {
        let injections = vec![Injection::parse("future-member").unwrap()];
        play(&recording, 0, &Faults::new(injections, seed), &checker).heard
    };
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2));
}
