//! `codex-wire conformance` with a client that copes, and with one that does not.

use std::fs;

use serde_json::{Value, json};

use crate::calls::{Finished, command, folder, run, workspace};

const CLIENTS: &str = "crates/codex-wire-cli/tests/clients/conformance";

/// Runs the command with a client in Python 3.
fn conformance(client: &str, args: &[&str]) -> Finished {
    let mut command = command(&workspace(), "conformance");
    command
        .args(["--client", &format!("python3 {CLIENTS}/{client}")])
        .args(args);
    let output = command.output().unwrap();
    Finished {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

pub(crate) fn a_client_of_exec_that_copes_passes() {
    let finished = conformance("right.py exec", &["--scenario", "exec/*"]);
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    assert!(
        finished.stdout.contains("exec/message"),
        "{}",
        finished.stdout
    );
}

pub(crate) fn a_client_of_the_app_server_that_copes_passes_with_all_faults() {
    copes(&["--scenario", "app-server/approval"]);
}

/// In all scenarios, too.
pub(crate) fn a_client_of_the_app_server_that_copes_passes_in_all_releases() {
    let releases = ["--release", "recorded", "--fault", "turn-fails"];
    copes(&[&["--scenario", "app-server/*"], &releases[..]].concat());
}

fn copes(args: &[&str]) {
    let finished = conformance("right.py app-server", args);
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    assert!(
        !finished.stdout.contains("does not fit"),
        "{}",
        finished.stdout
    );
}

/// The bug that nearly every client has had.
pub(crate) fn a_failed_turn_as_success_is_found() {
    for (protocol, scenario) in [("app-server", "app-server/turn"), ("exec", "exec/message")] {
        let args = [
            "--scenario",
            scenario,
            "--fault",
            "turn-fails",
            "--fault",
            "split-writes",
        ];
        let finished = conformance(&format!("wrong.py {protocol}"), &args);
        assert_eq!(finished.code, 1, "{}{}", finished.stdout, finished.stderr);
        let expected = format!(
            "error[conformance/failed-turn-as-success] {scenario}/0.169.0/turn-fails: a failed turn is shown"
        );
        assert!(finished.stdout.contains(&expected), "{}", finished.stdout);
        assert!(
            finished.stdout.contains("2 of 3 passed"),
            "{}",
            finished.stdout
        );
    }
}

pub(crate) fn expected_failures_pass_until_they_are_stale() {
    let folder = folder("conformance-baseline");
    let baseline = folder.join("known.toml");
    let entry = |fault: &str| {
        format!(
            "version = 1\n[[expected]]\nscenario = 'exec/*'\nfault = 'fault/{fault}'\n\
             finding = 'conformance/failed-turn-as-success'\nreason = 'issue 12'\n"
        )
    };
    let shown = baseline.display().to_string();
    let args = [
        "--scenario",
        "exec/message",
        "--fault",
        "turn-fails",
        "--fault",
        "split-writes",
        "--baseline",
        &shown,
    ];
    fs::write(&baseline, entry("turn-fails")).unwrap();
    let known = conformance("wrong.py exec", &args);
    assert_eq!(known.code, 0, "{}{}", known.stdout, known.stderr);
    assert!(known.stdout.contains("1 expected"), "{}", known.stdout);
    let fixed = conformance("right.py exec", &args);
    assert_eq!(fixed.code, 1);
    assert!(
        fixed
            .stderr
            .contains("the baseline is stale: conformance/failed-turn-as-success"),
        "{}",
        fixed.stderr
    );
    // What is not tried is not stale.
    fs::write(&baseline, entry("crash-mid-line")).unwrap();
    assert_eq!(conformance("right.py exec", &args).code, 0);
    let of_any_fault = entry("turn-fails").replace("fault = 'fault/turn-fails'\n", "");
    fs::write(&baseline, of_any_fault).unwrap();
    assert_eq!(conformance("right.py exec", &args).code, 0);
    fs::write(&baseline, entry("turn-fails")).unwrap();
    for (release, code) in [("0.169.0", 0), ("recorded", 1)] {
        let args = [&args[..], &["--release", release]].concat();
        assert_eq!(conformance("right.py exec", &args).code, code, "{release}");
    }
}

pub(crate) fn reports_have_every_run() {
    let folder = folder("conformance-reports");
    let path = |name: &str| folder.join(name).display().to_string();
    let args = [
        "--scenario",
        "exec/message",
        "--release",
        "recorded",
        "--fault",
        "turn-fails",
        "--format",
        "json",
        "--report",
        &format!("junit={}", path("junit.xml")),
        "--report",
        &format!("markdown={}", path("report.md")),
        "--table",
        &path("table.md"),
        "--badge",
        &path("badge.json"),
    ];
    let finished = conformance("wrong.py exec", &args);
    let report: Value = serde_json::from_str(&finished.stdout).unwrap();
    let text = report.to_string();
    assert!(
        text.contains("exec/message/0.44.0/turn-fails")
            && text.contains("conformance/failed-turn-as-success"),
        "{text}"
    );
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert!(
        read("junit.xml").contains("exec/message/0.125.0/undisturbed"),
        "{}",
        read("junit.xml")
    );
    assert!(read("report.md").contains("failed-turn-as-success"));
    let table = read("table.md");
    assert!(
        table.starts_with(
            "| scenario | 0.44.0 | 0.98.0 | 0.125.0 | 0.169.0 |\n|---|---|---|---|---|\n"
        ),
        "{table}"
    );
    assert!(
        table.contains("| 1 of 2: conformance/failed-turn-as-success (turn-fails) |"),
        "{table}"
    );
    let badge: Value = serde_json::from_str(&read("badge.json")).unwrap();
    assert_eq!(
        (&badge["message"], &badge["color"]),
        (&json!("4 of 8"), &json!("red"))
    );
}

/// However a right client ends Codex, nothing is wrong with it.
pub(crate) fn a_client_may_end_codex_as_it_likes() {
    let args = ["--scenario", "app-server/turn", "--fault"];
    for how in ["close", "close-terminate", "terminate", "kill"] {
        for fault in ["future-member", "split-writes", "rpc-late"] {
            let finished = conformance(&format!("ends.py {how}"), &[&args[..], &[fault]].concat());
            assert_eq!(finished.code, 0, "{how}, {fault}: {}", finished.stdout);
            let passed = finished.stdout.contains("2 of 2 passed");
            assert!(passed, "{how}, {fault}: {}", finished.stdout);
        }
    }
}

/// What is wrong without any fault is said, and nothing else is decided.
pub(crate) fn a_client_that_always_fails_is_told_just_that() {
    for when in ["BEFORE", "AFTER"] {
        let args = ["--scenario", "exec/message"];
        let finished = conformance(&format!("fails.py {when}"), &args);
        assert_eq!(finished.code, 1, "{}{}", finished.stdout, finished.stderr);
        let found = finished.stdout.matches("error[").count();
        assert_eq!(found, 1, "{}", finished.stdout);
        for part in [
            "error[conformance/fails-undisturbed] exec/message/0.169.0/undisturbed: the client exits with status 1 \
             without any fault",
            "it wrote to standard error: no configuration: run `fails init`",
            "1 run: 0 passed, 1 failed",
        ] {
            assert!(finished.stdout.contains(part), "{}", finished.stdout);
        }
    }
}

/// A client that asks for nothing shows nothing that could be checked.
pub(crate) fn a_client_that_starts_no_turn_does_not_fit() {
    let args = ["--scenario", "app-server/*"];
    let finished = conformance("idle.py", &args);
    assert_eq!(finished.code, 2, "{}{}", finished.stdout, finished.stderr);
    let reason = "app-server/turn: the client started no turn";
    assert!(finished.stderr.contains(reason), "{}", finished.stderr);
}

/// Every finding can be looked up.
pub(crate) fn findings_are_explained() {
    let known = run(&workspace(), "explain conformance/disturbed");
    assert_eq!(known.code, 0, "{}", known.stderr);
    assert!(
        known.stdout.starts_with(
            "conformance/disturbed  error\n\nRequires that what a client should not mind"
        ),
        "{}",
        known.stdout
    );
    let page = fs::read_to_string(workspace().join("docs/conformance.md")).unwrap();
    for rule in codex_wire_live::rules() {
        assert_eq!(run(&workspace(), &format!("explain {}", rule.id)).code, 0);
        let is_listed = page.contains(&format!("| `{}` | {} |", rule.id, rule.level));
        assert!(is_listed || rule.group() == "replay", "{}", rule.id);
    }
}

/// A reader with a buffer of 64 KiB loses the message.
pub(crate) fn a_buffer_that_is_too_small_is_found() {
    let args = ["--scenario", "exec/message", "--fault", "long-line"];
    let finished = conformance("small.py", &args);
    assert_eq!(finished.code, 1, "{}{}", finished.stdout, finished.stderr);
    let expected = "error[conformance/disturbed] exec/message/0.169.0/long-line: with fault/long-line, line 1 of";
    assert!(finished.stdout.contains(expected), "{}", finished.stdout);
}

/// What a client leaves behind is ended with it, also in a session of its own.
#[cfg(target_os = "linux")]
pub(crate) fn nothing_that_a_client_started_is_left() {
    let folder = folder("conformance-left");
    let file = folder.join("left.txt");
    let client = format!("leaves.py {}", file.display());
    let finished = conformance(
        &client,
        &["--scenario", "exec/message", "--fault", "turn-fails"],
    );
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    let left = fs::read_to_string(&file).unwrap();
    assert_eq!(left.lines().count(), 3, "{left}");
    for number in left.lines() {
        let status = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        assert!(status.is_empty() || status.contains(") Z "), "{status}");
    }
}

/// A client that speaks another protocol, or does nothing, does not fit; that is not a success.
pub(crate) fn a_client_that_fits_nothing_was_not_tried() {
    let other = conformance("right.py exec", &["--scenario", "app-server/turn"]);
    assert_eq!(other.code, 2, "{}", other.stdout);
    assert!(
        other.stderr.contains("the client fits no scenario"),
        "{}",
        other.stderr
    );
    let unknown = conformance("right.py exec", &["--scenario", "walrus"]);
    assert!(
        unknown.stderr.contains("there are app-server/turn"),
        "{}",
        unknown.stderr
    );
}

pub(crate) fn what_was_tried_before_a_signal_is_reported() {
    let folder = folder("conformance-interrupted");
    let (runs, report) = (folder.join("runs.txt"), folder.join("report.json"));
    let client = format!("interrupts.py {}", runs.display());
    let to = format!("json={}", report.display());
    let finished = conformance(&client, &["--scenario", "exec/message", "--report", &to]);
    assert_eq!(finished.code, 2, "{}{}", finished.stdout, finished.stderr);
    assert_eq!(
        finished.stderr,
        "codex-wire: interrupted: not everything was tried\n"
    );
    assert!(
        finished.stdout.contains("exec/message"),
        "{}",
        finished.stdout
    );
    let report = fs::read_to_string(report).unwrap();
    assert!(report.contains("/undisturbed"), "{report}");
    assert_eq!(fs::read_to_string(&runs).unwrap().lines().count(), 3);
}

pub(crate) fn a_client_that_hangs_is_ended() {
    let hanging = conformance(
        "right.py exec",
        &[
            "--scenario",
            "exec/message",
            "--fault",
            "turn-never-ends",
            "--timeout",
            "2",
        ],
    );
    // The client waits for eight seconds.
    assert_eq!(hanging.code, 1);
    assert!(
        hanging.stdout.contains("error[conformance/hangs]"),
        "{}",
        hanging.stdout
    );
}

/// Recordings of the user are scenarios.
pub(crate) fn own_recordings_are_scenarios() {
    let path = "fixtures/exec/0.169.0/reasoning.jsonl";
    let finished = conformance(
        "right.py exec",
        &["--recordings", path, "--fault", "future-item"],
    );
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    assert!(
        finished
            .stdout
            .contains("exec/reasoning  0.169.0   2 of 2 passed"),
        "{}",
        finished.stdout
    );

    // Any name fits into a cell of the table.
    let folder = folder("conformance-recordings");
    let (recording, table) = (folder.join("a|b\nc.jsonl"), folder.join("table.md"));
    fs::copy(workspace().join(path), &recording).unwrap();
    let args = ["--recordings", recording.to_str().unwrap()];
    let table_to = ["--fault", "future-item", "--table", table.to_str().unwrap()];
    let finished = conformance("right.py exec", &[args.as_slice(), &table_to].concat());
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    let table = fs::read_to_string(&table).unwrap();
    assert!(table.ends_with("| exec/a\\|b c | 2 passed |\n"), "{table}");
}

/// A release without a recording gets the nearest one, replayed as that release would have written it.
pub(crate) fn a_release_without_a_recording_is_tried() {
    let args = [
        "--release",
        "0.110.0",
        "--release",
        "0.20.0",
        "--fault",
        "turn-fails",
    ];
    let told = |client: &str, scenario: &str| {
        let args = [&["--scenario", scenario], &args[..]].concat();
        conformance(client, &args)
    };
    for (protocol, scenario) in [("exec", "exec/message"), ("app-server", "app-server/turn")] {
        let right = told(&format!("right.py {protocol}"), scenario);
        assert_eq!(right.code, 0, "{}{}", right.stdout, right.stderr);
        assert!(
            right.stdout.contains("0.110.0   2 of 2 passed"),
            "{}",
            right.stdout
        );
        assert!(
            right.stdout.contains("0.20.0    does not fit"),
            "{}",
            right.stdout
        );
        let wrong = told(&format!("wrong.py {protocol}"), scenario);
        assert!(
            wrong
                .stdout
                .contains(&format!("{scenario}/0.110.0/turn-fails: a failed turn")),
            "{}",
            wrong.stdout
        );
    }
}
