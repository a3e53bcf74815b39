//! Clients of Codex that others wrote, from their registries. Each runs with a real Codex, and with a
//! stand-in that plays what this Codex said, and shows the same.
//!
//! `cargo test -p codex-wire-cli --test clients -- --install` installs the clients into `.cache/clients`;
//! afterwards nothing needs a network. If a client is not installed, its tests are ignored, and each line
//! says why. [`scenario`] lists what is tried, and the folder of a client has its program, its pinned
//! versions and the recordings. With `UPDATE_EXPECT=1`, the recordings are made again, where there are real
//! binaries (`cargo xtask binaries fetch`).
//!
//! Beside them, clients of our own in Python and Rust: what `codex-wire conformance` says of them, and what
//! doubles make of them. They wait more than they compute, as the others do.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[cfg(unix)]
#[path = "../it/calls.rs"]
mod calls;
#[cfg(unix)]
mod client;
#[cfg(unix)]
mod comparison;
#[cfg(unix)]
mod differences;
#[cfg(unix)]
mod double;
#[cfg(unix)]
mod examples;
#[cfg(unix)]
mod exchange;
#[cfg(unix)]
mod hook;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod page;
#[cfg(unix)]
mod readme;
#[cfg(unix)]
mod recorded;
#[cfg(unix)]
mod right;
#[cfg(unix)]
mod scenario;
#[cfg(unix)]
mod shown;
#[cfg(unix)]
mod stage;
#[cfg(unix)]
mod verdicts;

use std::process::ExitCode;

/// The functions of a module as trials.
#[cfg(unix)]
macro_rules! trials {
    ($module:ident: $($test:ident),* $(,)?) => {
        [$(libtest_mimic::Trial::test(
            concat!(stringify!($module), "::", stringify!($test)),
            || { $module::$test(); Ok(()) },
        )),*]
    };
}

fn main() -> ExitCode {
    // What stands before the real binary is a script for a shell.
    #[cfg(unix)]
    return clients();
    #[cfg(not(unix))]
    ExitCode::SUCCESS
}

#[cfg(unix)]
fn clients() -> ExitCode {
    if std::env::args().any(|argument| argument == "--install") {
        install::install_all();
        comparison::install_programs();
        return ExitCode::SUCCESS;
    }
    if std::env::args().any(|argument| argument == "--measure") {
        comparison::measure_all();
        return ExitCode::SUCCESS;
    }
    let mut arguments = libtest_mimic::Arguments::from_args();
    // Clients wait for Codex more than they compute.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    arguments.test_threads = arguments.test_threads.or(Some(2 * cores));
    install::place_programs();
    comparison::place_programs();
    // Those that wait longest come first.
    let mut trials = Vec::from(trials!(verdicts:
        a_client_of_exec_that_copes_passes,
        a_client_of_the_app_server_that_copes_passes_with_all_faults,
        a_client_of_the_app_server_that_copes_passes_in_all_releases,
        a_failed_turn_as_success_is_found,
        expected_failures_pass_until_they_are_stale,
        reports_have_every_run,
        a_client_may_end_codex_as_it_likes,
        a_client_that_always_fails_is_told_just_that,
        a_client_that_starts_no_turn_does_not_fit,
        findings_are_explained,
        a_buffer_that_is_too_small_is_found,
        a_client_that_fits_nothing_was_not_tried,
        a_client_that_hangs_is_ended,
        what_was_tried_before_a_signal_is_reported,
        own_recordings_are_scenarios,
        a_release_without_a_recording_is_tried));
    #[cfg(target_os = "linux")]
    trials.extend(trials!(verdicts: nothing_that_a_client_started_is_left));
    trials.extend(trials!(double:
        a_double_knows_what_its_client_did,
        doubles_in_parallel_do_not_meet,
        nothing_of_a_double_is_alive_after_it,
        what_cannot_be_made_says_why,
        faults_are_tried_one_after_another,
        a_client_that_fails_without_a_fault_is_told_just_that));
    trials.extend(stage::trials());
    trials.extend(recorded::trials());
    trials.extend(readme::trials());
    trials.extend(page::trials());
    trials.extend(right::trials());
    trials.extend(comparison::trials());
    trials.extend(examples::trials());
    trials.extend(hook::trials());
    trials.push(libtest_mimic::Trial::test(
        "every_test_is_listed",
        every_test_is_listed,
    ));
    let conclusion = libtest_mimic::run(&arguments, trials);
    stage::clear();
    conclusion.exit_code()
}

/// Nothing here is run by an attribute: what carries it would never run.
#[cfg(unix)]
fn every_test_is_listed() -> Result<(), libtest_mimic::Failed> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path)?;
            if text.lines().any(|line| line.trim() == "#[test]") {
                return Err(format!("{} has a test that is not listed", path.display()).into());
            }
        }
    }
    Ok(())
}
