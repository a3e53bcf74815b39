//! Looks at the lines of a generated corpus in one way, for a profiler to count the
//! instructions: `instructions exec|app-server WAY [ROUNDS]`. Prints how many bytes it has looked
//! at, and with rounds the speed of the best in MB/s as well.
//!
//! It is an example of this crate, rather than one of the benches, because it needs nothing but
//! a published schema: a profiler is slow, and so is building everything.

#![allow(clippy::print_stdout, dead_code, unreachable_pub)]

#[path = "../../../benches/src/generate.rs"]
mod generate;
#[path = "../../../benches/src/generate_app_server.rs"]
mod generate_app_server;
#[path = "../../../benches/src/random.rs"]
mod random;
#[path = "../../../benches/src/text.rs"]
mod text;

use std::cell::RefCell;
use std::hint::black_box;
use std::process::ExitCode;
use std::time::Instant;

use codex_wire_program::{Outline, Program, Scanner, Verdict, View};
use serde_json::Value;

/// Small enough for a profiler, large enough for the shares of kinds of line to settle.
const SIZE: usize = 1 << 20;

const EXEC: &str = include_str!("../../../schemas/exec/0.145.0-0.169.0.exact.json");
const APP_SERVER: &str =
    include_str!("../../../schemas/app-server/server-notifications/latest.exact.experimental.json");

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (which, way) = (arguments.next(), arguments.next().unwrap_or_default());
    let (schema, corpus) = match which.as_deref() {
        Some("exec") => (EXEC, generate::generate(SIZE)),
        Some("app-server") => (APP_SERVER, generate_app_server::flood(SIZE)),
        _ => return ExitCode::FAILURE,
    };
    let rounds: usize = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(0);
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    let lines: Vec<&[u8]> = corpus.split(|byte| *byte == b'\n').collect();
    let lines = lines
        .split(|line| line.is_empty())
        .next()
        .unwrap_or_default();
    let Some(is_right) = look(which.as_deref().unwrap_or_default(), &way, &schema) else {
        return ExitCode::FAILURE;
    };
    let bytes: usize = lines.iter().map(|line| line.len()).sum();
    let mut best = f64::MAX;
    for _ in 0..=rounds {
        let start = Instant::now();
        let right = count(lines, &*is_right);
        best = best.min(start.elapsed().as_secs_f64());
        assert_eq!(right, lines.len(), "every line is right");
    }
    println!("{bytes}");
    if rounds > 0 {
        println!("{:.0} MB/s", bytes as f64 / 1e6 / best);
    }
    ExitCode::SUCCESS
}

type Look = Box<dyn Fn(&[u8]) -> bool>;

/// One way to look at a line.
fn look(which: &str, way: &str, schema: &Value) -> Option<Look> {
    let program = |scanner| {
        let program = Program::compile_for(schema, scanner).expect("a program");
        let accepts = move |line: &[u8]| matches!(program.check(line), Verdict::Accepted { .. });
        Box::new(accepts) as Look
    };
    Some(match way {
        "shape program" => program(Scanner::best()),
        "view" => {
            let program = Program::compile(schema).expect("a program");
            let outline = RefCell::new(Outline::new());
            let is_exec = which == "exec";
            Box::new(move |line| {
                let mut outline = outline.borrow_mut();
                let line = simdutf8::basic::from_utf8(line).unwrap_or_default();
                let view = program.view(line, &mut outline);
                view.is_ok_and(|(view, _)| tells(view, is_exec))
            })
        }
        "shape program, portable" => program(Scanner::all()[0]),
        "serde_json Value and jsonschema" => {
            let validator = jsonschema::validator_for(schema).expect("a schema");
            Box::new(move |line| {
                let value = serde_json::from_slice(line);
                value.is_ok_and(|value: Value| validator.is_valid(&value))
            })
        }
        "serde_json IgnoredAny" => {
            Box::new(|line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok())
        }
        "serde_json Value" => Box::new(|line| serde_json::from_slice::<Value>(line).is_ok()),
        _ => return None,
    })
}

/// What a client looks at first: the kind of message, and whose it is.
fn tells(view: View<'_>, is_exec: bool) -> bool {
    let (tag, body, members) = match is_exec {
        true => ("type", "item", ["id", "type", "status"]),
        false => ("method", "params", ["threadId", "turnId", "itemId"]),
    };
    let body = view.get(body);
    for name in members {
        black_box(body.and_then(|body| body.get_str(name)));
    }
    black_box(view.get_str(tag)).is_some()
}

// A profile counts what is done in here, and none of what comes before.
#[inline(never)]
fn count(lines: &[&[u8]], is_right: &dyn Fn(&[u8]) -> bool) -> usize {
    lines
        .iter()
        .filter(|line| is_right(black_box(line)))
        .count()
}
