//! Looks at the lines of a generated corpus in one way, for a profiler to count the
//! instructions: `instructions exec|app-server WAY [ROUNDS]`. Prints how many bytes it has looked
//! at, and with rounds the speed of the best in MB/s as well. The way `check` is all there is to
//! find in a log: shapes, requests and answers, order.

#![allow(clippy::print_stdout)]

use std::cell::RefCell;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use benches::corpus::{Corpus, GENERATED_RELEASE};
use benches::views;
use codex_wire::Protocol;
use codex_wire_check::{Checker, Options};
use codex_wire_program::{Outline, Program, Scanner, Seen, Verdict, View};
use serde_json::Value;

/// Small enough for a profiler, large enough for the shares of kinds of line to settle.
const SIZE: usize = 1 << 20;

const EXEC: &str = include_str!("../../../schemas/exec/0.145.0-0.169.0.exact.json");
const APP_SERVER: &str =
    include_str!("../../../schemas/app-server/server-notifications/latest.exact.experimental.json");

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (which, way) = (arguments.next(), arguments.next().unwrap_or_default());
    let (protocol, schema, corpus) = match which.as_deref() {
        Some("exec") => (Protocol::Exec, EXEC, Corpus::generated_of(SIZE)),
        Some("app-server") => (Protocol::AppServer, APP_SERVER, Corpus::flood_of(SIZE)),
        _ => return ExitCode::FAILURE,
    };
    let log = Log {
        bytes: &corpus.transcripts[0].1,
        lines: corpus.lines().collect(),
    };
    let rounds: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let Some(right) = way_of(protocol, &way, schema) else {
        return ExitCode::FAILURE;
    };
    // The first time makes programs of schemas, which is not what is to be counted.
    assert_eq!(right(&log), log.lines.len(), "every line is right");
    let mut best = f64::MAX;
    for _ in 0..=rounds {
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

/// Tells how many lines of a log are right.
type Right = Box<dyn Fn(&Log<'_>) -> usize>;

fn way_of(protocol: Protocol, way: &str, schema: &str) -> Option<Right> {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let program = |scanner| {
        let program = Program::compile_for(&schema, scanner).expect("a program");
        each(move |line| matches!(program.check(line), Verdict::Accepted { .. }))
    };
    Some(match way {
        "shape program" => program(Scanner::best()),
        "shape program, portable" => program(Scanner::all()[0]),
        "view" => {
            let program = Program::compile(&schema).expect("a program");
            let outline = RefCell::new(Outline::new());
            each(move |line| {
                let mut outline = outline.borrow_mut();
                let line = simdutf8::basic::from_utf8(line).unwrap_or_default();
                let view = program.view(line, &mut outline);
                view.is_ok_and(|(view, _)| tells(view, protocol))
            })
        }
        "places" => {
            let program = Program::compile(&schema).expect("a program");
            let program = program.looking_for(places(protocol));
            let outline = RefCell::new(Outline::new());
            each(move |line| {
                let mut outline = outline.borrow_mut();
                let line = simdutf8::basic::from_utf8(line).unwrap_or_default();
                let seen = program.look(line, &mut outline);
                seen.is_ok_and(|seen| asked(seen) > 0)
            })
        }
        "check" => {
            let options = Options::release(protocol, GENERATED_RELEASE);
            let checker = Checker::new(options).expect("the release speaks the protocol");
            Box::new(move |log| {
                let outcome = checker.check("-", log.bytes);
                assert_eq!(outcome.counts.deny, 0, "the log is right");
                outcome.messages as usize
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

/// Looks at each line by itself.
fn each(is_right: impl Fn(&[u8]) -> bool + 'static) -> Right {
    Box::new(move |log| {
        let right = log.lines.iter().filter(|line| is_right(black_box(line)));
        right.count()
    })
}

/// What a client looks at first: the kind of message and item, whose they are, how they stand.
fn tells(view: View<'_>, protocol: Protocol) -> bool {
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

/// The same, of a program that looks for it.
fn asked(seen: Seen<'_>) -> usize {
    let places = 0..seen.places();
    let there = places.filter(|place| black_box(seen.get_str(*place)).is_some());
    there.count()
}

fn places(protocol: Protocol) -> &'static [&'static str] {
    match protocol {
        Protocol::Exec => views::EXEC_PLACES,
        _ => views::APP_SERVER_PLACES,
    }
}

// A profile counts what is done in here, and none of what comes before.
#[inline(never)]
fn count(log: &Log<'_>, right: &dyn Fn(&Log<'_>) -> usize) -> usize {
    right(black_box(log))
}
