//! Checks a generated log once more, for a profiler to count the instructions:
//! `instructions_of_check exec|app-server`. Prints how many bytes the log has.

#![allow(clippy::print_stdout, dead_code, unreachable_pub)]

#[path = "../../../benches/src/generate.rs"]
mod generate;
#[path = "../../../benches/src/generate_app_server.rs"]
mod generate_app_server;
#[path = "../../../benches/src/random.rs"]
mod random;
#[path = "../../../benches/src/text.rs"]
mod text;

use std::hint::black_box;
use std::process::ExitCode;

use codex_wire::{Protocol, Release};
use codex_wire_check::{Checker, Options};

/// Small enough for a profiler, large enough for the shares of kinds of line to settle.
const SIZE: usize = 1 << 20;

fn main() -> ExitCode {
    let (protocol, log) = match std::env::args().nth(1).as_deref() {
        Some("exec") => (Protocol::Exec, generate::generate(SIZE)),
        Some("app-server") => (Protocol::AppServer, generate_app_server::flood(SIZE)),
        _ => return ExitCode::FAILURE,
    };
    let options = Options::release(protocol, Release::new(0, 169, 0));
    let checker = Checker::new(options).expect("the release speaks the protocol");
    // The first time makes programs of schemas, which is not what is to be counted.
    let messages = checker.check("-", &log[..]).messages;
    assert_eq!(count(&checker, &log), messages, "the log is right");
    println!("{}", log.len());
    ExitCode::SUCCESS
}

// A profile counts what is done in here, and none of what comes before.
#[inline(never)]
fn count(checker: &Checker, log: &[u8]) -> u64 {
    let outcome = checker.check("-", black_box(log));
    assert_eq!(outcome.counts.deny, 0, "the log is right");
    outcome.messages
}
