//! A test program with a `main` of its own that plays by itself, and one that does not say so.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
use std::env;
#[cfg(unix)]
use std::process::{Command, Stdio};

#[cfg(unix)]
use codex_wire_testing::double::{FakeCodex, play_if_started};

/// Set in the process that does not say that it plays.
#[cfg(unix)]
const SILENT: &str = "CODEX_WIRE_TEST_IS_SILENT";

#[cfg(unix)]
fn main() {
    if env::var_os(SILENT).is_some() {
        let error = FakeCodex::new().say("Hello.").start().unwrap_err();
        assert!(error.to_string().contains("stand_in_program!()"), "{error}");
        return;
    }
    play_if_started();
    if env::args().any(|argument| argument == "--list") {
        return;
    }
    let codex = FakeCodex::new().say("Hello.").start().unwrap();
    let shown = Command::new(codex.path())
        .args(["exec", "--json", "Hi."])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&shown.stdout).contains("Hello."));
    assert_eq!(codex.prompts().unwrap(), ["Hi."]);

    // It asks itself for its tests, where it is only to list them, and looks for an installed program then.
    let silent = Command::new(env::current_exe().unwrap())
        .env(SILENT, "1")
        .env("PATH", "")
        .env_remove("CODEX_WIRE_PROGRAM")
        .status();
    assert!(silent.unwrap().success());
}

#[cfg(not(unix))]
fn main() {}
