//! Runs one way of looking at a generated corpus, for a profiler that counts instructions.
//!
//! `instructions exec|app-server WAY [ROUNDS]` prints how many bytes it has looked at and, with
//! rounds, the best speed in MB/s. `instructions --prepare …` does the same without looking at them, so that it can be
//! subtracted. The way `check` is a complete check of a log: validation,
//! requests and responses, sequences.

#![allow(clippy::print_stdout)]

/// The tests of the checker have them, and hold how much memory they take.
#[path = "../../../crates/codex-wire-check/tests/it/hostile/inputs.rs"]
mod inputs;

use std::cell::RefCell;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use benches::corpus::Corpus;
use benches::places;
use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options};
use codex_wire_prefilter::{Prefilter, Projected, Scanner, Tape, Verdict, View};
use serde_json::Value;

/// Small enough for a profiler, large enough for the shares of kinds of line to settle.
const SIZE: usize = 1 << 20;

const EXEC: &str = include_str!("../../../schemas/exec/latest.exact.json");
const ROLLOUT: &str = include_str!("../../../schemas/rollout/latest.exact.json");
const APP_SERVER: &str =
    include_str!("../../../schemas/app-server/server-notifications/latest.exact.experimental.json");

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    let looks = arguments.next_if_eq("--prepare").is_none();
    let (which, way) = (arguments.next(), arguments.next().unwrap_or_default());
    let (protocol, schema, corpus) = match which.as_deref() {
        Some("exec") => (Protocol::Exec, EXEC, Corpus::generated_of(SIZE)),
        Some("core") => (Protocol::Core, "{}", Corpus::pieces_of(SIZE)),
        Some("app-server") => (Protocol::AppServer, APP_SERVER, Corpus::flood_of(SIZE)),
        Some("rollout") => (Protocol::Rollout, ROLLOUT, Corpus::session_file_of(SIZE)),
        Some("hostile") => return hostile(&way, arguments.next().as_deref(), looks),
        _ => return ExitCode::FAILURE,
    };
    let log = Log {
        bytes: &corpus.transcripts[0].1,
        lines: corpus.lines().collect(),
    };
    let rounds: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let release = corpus.transcripts[0].0;
    let Some(right) = way_of((protocol, release), &way, schema) else {
        return ExitCode::FAILURE;
    };
    // The first time makes prefilters of schemas, which is not what is to be counted.
    assert_eq!(right(&log), log.lines.len(), "every line is right");
    let mut best = f64::MAX;
    let times = if looks { rounds + 1 } else { 0 };
    for _ in 0..times {
        let start = Instant::now();
        assert_eq!(count(&log, &*right), log.lines.len(), "every line is right");
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{}", log.bytes.len());
    if rounds > 0 {
        println!("{:.0} MB/s", log.bytes.len() as f64 / 1e6 / best);
    }
    ExitCode::SUCCESS
}

/// A log, whole and as its lines.
struct Log<'l> {
    bytes: &'l [u8],
    lines: Vec<&'l [u8]>,
}

/// Counts the valid lines of a log.
type Right = Box<dyn Fn(&Log<'_>) -> usize>;

fn way_of((protocol, release): (Protocol, Release), way: &str, schema: &str) -> Option<Right> {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let prefilter = |scanner| {
        let prefilter = Prefilter::compile_for(&schema, scanner).expect("a prefilter");
        each(move |line| matches!(prefilter.check(line), Verdict::Accepted { .. }))
    };
    Some(match way {
        "prefilter" => prefilter(Scanner::best()),
        "prefilter, portable" => prefilter(Scanner::all()[0]),
        "view" => {
            let prefilter = Prefilter::compile(&schema).expect("a prefilter");
            let tape = RefCell::new(Tape::new());
            each(move |line| {
                let mut tape = tape.borrow_mut();
                let line = simdutf8::basic::from_utf8(line).unwrap_or_default();
                let view = prefilter.view(line, &mut tape);
                view.is_ok_and(|(view, _)| reads_kind(view, protocol))
            })
        }
        "places" => {
            let prefilter = Prefilter::compile(&schema).expect("a prefilter");
            let prefilter = prefilter.projecting(places(protocol));
            let tape = RefCell::new(Tape::new());
            each(move |line| {
                let mut tape = tape.borrow_mut();
                let line = simdutf8::basic::from_utf8(line).unwrap_or_default();
                let seen = prefilter.project(line, &mut tape);
                seen.is_ok_and(|seen| asked(seen) > 0)
            })
        }
        "check" => {
            let options = Options::exact(protocol, release);
            let checker = Checker::new(options).expect("the release speaks the protocol");
            Box::new(move |log| {
                let outcome = checker.check("-", log.bytes);
                // Generated core events have shapes and sizes, not an order.
                let right = outcome.counts.error == 0 || protocol == Protocol::Core;
                assert!(right, "the log is right");
                outcome.messages as usize
            })
        }
        "identify" => {
            let checker = Checker::new(Options::new()).expect("nothing is asked for");
            Box::new(move |log| {
                let known = checker.identify(log.bytes).expect("bytes can be read");
                assert_eq!(known.protocol, Some(protocol), "it is found out");
                log.lines.len()
            })
        }
        "serde_json Value and jsonschema" => {
            let validator = jsonschema::validator_for(&schema).expect("a schema");
            each(move |line| {
                let value = serde_json::from_slice(line);
                value.is_ok_and(|value: Value| validator.is_valid(&value))
            })
        }
        "serde_json IgnoredAny" => {
            each(|line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok())
        }
        "serde_json Value" => each(|line| serde_json::from_slice::<Value>(line).is_ok()),
        _ => return None,
    })
}

/// Those that are right, and those that are made to hurt.
fn all() -> impl Iterator<Item = (&'static inputs::Hostile, bool)> {
    let right = inputs::RIGHT.iter().map(|input| (input, true));
    right.chain(inputs::ALL.iter().map(|input| (input, false)))
}

/// Checks or identifies an input that is made to hurt.
fn hostile(way: &str, name: Option<&str>, looks: bool) -> ExitCode {
    let Some(name) = name else {
        for (input, is_valid) in all() {
            let lines = if input.is_one_line() { "line" } else { "lines" };
            let what = if is_valid { "right" } else { "wrong" };
            println!("{} {} {lines} {what}", input.name, input.of.0);
        }
        return ExitCode::SUCCESS;
    };
    let Some((input, _)) = all().find(|(input, _)| input.name == name) else {
        return ExitCode::FAILURE;
    };
    let (protocol, release) = input.of;
    let options = match way {
        "check" => Options::exact(
            protocol.parse().expect("a protocol"),
            release.parse().expect("a release"),
        ),
        _ => Options::new(),
    };
    let checker = Checker::new(options).expect("the release speaks the protocol");
    let right: Right = match way {
        "check" => Box::new(move |log| checker.check("-", log.bytes).messages as usize),
        _ => Box::new(move |log| {
            let known = checker.identify(log.bytes).expect("bytes can be read");
            known.messages as usize
        }),
    };
    // About as large as the others: what is kept of a line costs little of so many.
    let tried = input.size.div_ceil(10);
    let each = (input.make)(tried).len() / tried;
    let (small, large) = ((input.make)(3), (input.make)((SIZE / each.max(1)).max(3)));
    let whole = |bytes| Log {
        bytes,
        lines: Vec::new(),
    };
    // What is made once is made here.
    right(&whole(&small));
    if looks {
        count(&whole(&large), &*right);
    }
    println!("{}", large.len());
    ExitCode::SUCCESS
}

/// Examines each line by itself.
fn each(is_valid: impl Fn(&[u8]) -> bool + 'static) -> Right {
    Box::new(move |log| {
        let right = log.lines.iter().filter(|line| is_valid(black_box(line)));
        right.count()
    })
}

/// What a client looks at first: the kind of message and item, whose they are, how they stand.
fn reads_kind(view: View<'_>, protocol: Protocol) -> bool {
    let text = |of: Option<View<'_>>, name| black_box(of.and_then(|of| of.get_str(name))).is_some();
    let of_item = |item| {
        for name in ["id", "type", "status"] {
            text(item, name);
        }
    };
    match protocol {
        Protocol::Exec => {
            of_item(view.get("item"));
            text(Some(view), "type")
        }
        Protocol::Rollout => {
            text(view.get("payload"), "type");
            text(Some(view), "type")
        }
        _ => {
            let params = view.get("params");
            for name in ["threadId", "turnId", "itemId"] {
                text(params, name);
            }
            of_item(params.and_then(|params| params.get("item")));
            text(Some(view), "method")
        }
    }
}

/// The same, of a prefilter that searches for it.
fn asked(seen: Projected<'_>) -> usize {
    let places = 0..seen.paths();
    let there = places.filter(|place| black_box(seen.get_str(*place)).is_some());
    there.count()
}

fn places(protocol: Protocol) -> &'static [&'static str] {
    match protocol {
        Protocol::Exec => places::EXEC,
        Protocol::Rollout => places::ROLLOUT,
        _ => places::APP_SERVER,
    }
}

// A profile counts what is done in here, and none of what comes before.
#[inline(never)]
fn count(log: &Log<'_>, right: &dyn Fn(&Log<'_>) -> usize) -> usize {
    right(black_box(log))
}
