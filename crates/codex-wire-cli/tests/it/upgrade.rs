//! Whether a client can take another release, and what releases do differently.

use std::fs;

use codex_wire_diff::{BEHAVIOUR_SCHEMA, UPGRADE_SCHEMA};
use serde_json::Value;

use crate::support::{GOOD, folder, golden, run, workspace};

#[track_caller]
fn assert_valid(schema: &str, document: &str) -> Value {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let document: Value = serde_json::from_str(document).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&document)
        .map(|e| e.to_string())
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    document
}

#[test]
fn behaviour_can_be_read() {
    let place = workspace();
    golden(
        "diff-behaviour.txt",
        &place,
        "diff --behaviour exec 0.132.0 0.145.0",
    );
    golden(
        "diff-behaviour-markdown.txt",
        &place,
        "diff --behaviour exec 0.132.0 0.145.0 --format markdown",
    );
    let finished = run(&place, "diff --behaviour 0.98.0 latest --format json");
    assert_valid(BEHAVIOUR_SCHEMA, &finished.stdout);
    // Backwards, and between the same.
    let finished = run(&place, "diff --behaviour 0.145.0 0.132.0 --format json");
    assert_valid(BEHAVIOUR_SCHEMA, &finished.stdout);
    let finished = run(&place, "diff --behaviour exec latest latest");
    assert!(
        finished.stdout.contains(": nothing changed in "),
        "{finished:?}"
    );
    for (arguments, complaint) in [
        (
            "diff --behaviour rollout 0.98.0 0.145.0",
            "no scene of rollout is recorded",
        ),
        ("diff --behaviour exec 0.98.0", "name two releases"),
        ("diff 0.98.0 0.145.0", "add --behaviour"),
        (
            "diff --behaviour exec 0.98.0 newest",
            "`newest` is neither a release",
        ),
    ] {
        let finished = run(&place, arguments);
        assert_eq!(finished.code, 2, "{arguments}");
        assert!(finished.stderr.contains(complaint), "{}", finished.stderr);
    }
}

#[test]
fn recordings_say_what_is_used() {
    let place = folder("upgrade-recordings");
    fs::create_dir(place.join("runs")).unwrap();
    fs::write(place.join("runs/run.jsonl"), GOOD).unwrap();
    let command = "upgrade --from 0.50.0 --to 0.51.0 --recordings runs";
    golden("upgrade.txt", &place, command);
    golden(
        "upgrade-markdown.txt",
        &place,
        &format!("{command} --format markdown"),
    );
    let finished = run(&place, &format!("{command} --format json"));
    assert_eq!(finished.code, 1);
    let printed = assert_valid(UPGRADE_SCHEMA, &finished.stdout);
    assert_eq!(printed["breaks"]["recordings"], 1);
    assert_eq!(printed["verdict"], "breaks");
    // It asks for `never`; `on-failure`, which is gone, it does not use.
    let recording =
        "crates/codex-wire-cli/tests/clients/python-sdk/recordings/0.125.0/thread/1.jsonl";
    let command = format!("upgrade --from 0.125.0 --to 0.169.0 --recordings {recording}");
    let finished = run(&workspace(), &command);
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    // To a release that speaks the same nothing breaks.
    let finished = run(
        &place,
        "upgrade --from 0.44.0 --to 0.45.0 --recordings runs",
    );
    assert_eq!(finished.code, 0, "{}", finished.stdout);
}

/// A line that cannot be read may hold what breaks.
#[test]
fn recordings_that_cannot_be_read_are_no_all_clear() {
    let place = folder("upgrade-unread");
    let cut = GOOD.trim_end().strip_suffix('}').unwrap();
    fs::write(place.join("cut.jsonl"), cut).unwrap();
    let finished = run(
        &place,
        "upgrade --from 0.44.0 --to 0.45.0 --recordings cut.jsonl",
    );
    assert_eq!(
        (finished.code, finished.stdout.as_str()),
        (2, ""),
        "{finished:?}"
    );
    let line = GOOD.lines().count();
    let place = format!("cut.jsonl:{line}: ");
    assert!(finished.stderr.contains(&place), "{}", finished.stderr);
}

/// An empty file in a folder is not a recording. One that the user names has to be.
#[test]
fn empty_files_of_a_folder_are_skipped() {
    let place = folder("upgrade-empty");
    fs::create_dir(place.join("runs")).unwrap();
    fs::write(place.join("runs/run.jsonl"), GOOD).unwrap();
    fs::write(place.join("runs/empty.jsonl"), "").unwrap();
    let command = "upgrade --from 0.44.0 --to 0.45.0 --recordings runs";
    let finished = run(&place, command);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(
        finished.stderr.contains("(runs/empty.jsonl)"),
        "{finished:?}"
    );
    let finished = run(&place, &format!("{command}/empty.jsonl"));
    assert_eq!(finished.code, 2, "{finished:?}");
}

/// Each protocol has a part of its own.
#[test]
fn recordings_of_several_protocols_are_on_one_page() {
    let place = folder("upgrade-protocols");
    let runs = place.join("runs");
    fs::create_dir(&runs).unwrap();
    fs::write(runs.join("exec.jsonl"), GOOD).unwrap();
    let recording =
        "crates/codex-wire-cli/tests/clients/python-sdk/recordings/0.125.0/thread/1.jsonl";
    fs::copy(workspace().join(recording), runs.join("app-server.jsonl")).unwrap();
    let command = "upgrade --from 0.125.0 --to 0.169.0 --recordings runs";
    golden("upgrade-protocols.txt", &place, command);
    let finished = run(&place, &format!("{command} --format json"));
    let printed = assert_valid(UPGRADE_SCHEMA, &finished.stdout);
    let protocols = |of: &str| -> Vec<String> {
        let parts = printed[of].as_array().unwrap().iter();
        parts
            .map(|part| part["protocol"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(protocols("recordings"), ["exec", "app-server"]);
    assert_eq!(protocols("rest"), ["exec", "app-server"]);
    // Each part is what the recordings of its protocol alone have.
    for (at, name) in ["exec.jsonl", "app-server.jsonl"].iter().enumerate() {
        let alone = run(&place, &format!("{command}/{name} --format json"));
        let alone: Value = serde_json::from_str(&alone.stdout).unwrap();
        let (mut one, mut part) = (
            alone["recordings"][0].clone(),
            printed["recordings"][at].clone(),
        );
        (one["path"], part["path"]) = (Value::Null, Value::Null);
        assert_eq!(one, part, "{name}");
    }
    let finished = run(&place, &format!("{command} --format markdown"));
    for heading in [
        "\n## What the recordings of exec use: ",
        "\n## What the recordings of app-server use: ",
    ] {
        assert!(finished.stdout.contains(heading), "{}", finished.stdout);
    }
    // A comparison with a transcript is of one protocol.
    let finished = run(&place, "diff --transcript runs --to 0.169.0");
    assert_eq!(finished.code, 2);
    assert!(
        finished.stderr.contains("name recordings of one protocol"),
        "{}",
        finished.stderr
    );
}

#[test]
fn without_anything_of_a_client_changes_are_counted() {
    let place = workspace();
    golden("help-upgrade.txt", &place, "upgrade --help");
    // Whether the client breaks is not known, which must not look like an all-clear.
    let finished = run(&place, "upgrade --from 0.157.0");
    assert_eq!(finished.code, 2);
    let answer = ": cannot tell whether your client breaks; \
        add recordings of it (--recordings PATH) or the command that runs it (--client COMMAND)\n";
    assert!(finished.stdout.contains(answer), "{}", finished.stdout);
    let finished = run(&place, "upgrade --from 0.157.0 --format json");
    assert_eq!(finished.code, 2);
    let printed = assert_valid(UPGRADE_SCHEMA, &finished.stdout);
    assert_eq!(printed["verdict"], "cannot-tell");
    assert_eq!(printed["rest"].as_array().map(Vec::len), Some(2));
    for (arguments, complaint) in [
        ("upgrade --from latest", "is both releases"),
        ("upgrade --from 0.98.0 --recordings no/such", "no/such"),
        (
            "upgrade --from 0.98.0 --client true",
            "the client fits no scenario",
        ),
    ] {
        let finished = run(&place, arguments);
        assert_eq!(finished.code, 2, "{arguments}: {}", finished.stdout);
        assert!(finished.stderr.contains(complaint), "{}", finished.stderr);
    }
}

/// A client that reads messages by the name that they had before 0.44.0.
#[cfg(unix)]
#[test]
fn a_client_that_shows_nothing_any_more_fails() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = folder("upgrade-client");
    let client = place.join("client.sh");
    let script = "#!/bin/sh\n\
        \"$1\" exec --json --skip-git-repo-check 'Do the scripted thing.' > out.jsonl </dev/null || exit 1\n\
        sed -n 's/.*\"type\":\"agent_message\",\"text\":\"\\(.*\\)\"}}/\\1/p' out.jsonl\n";
    fs::write(&client, script).unwrap();
    fs::set_permissions(&client, fs::Permissions::from_mode(0o755)).unwrap();
    let upgrade = |from: &str, to: &str| {
        let mut command =
            crate::support::command(&place, "upgrade --format json --scenario exec/message");
        command.args([
            "--from",
            from,
            "--to",
            to,
            "--client",
            "sh client.sh {codex}",
        ]);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(
            !text.is_empty(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        (output.status.code(), assert_valid(UPGRADE_SCHEMA, &text))
    };
    let (code, printed) = upgrade("0.125.0", "0.169.0");
    assert_eq!(code, Some(0), "{printed:#}");
    assert_eq!(printed["client"][0]["shows"], "the-same", "{printed:#}");
    assert_eq!(printed["verdict"], "nothing-breaks");
    // Back to a release that calls it `assistant_message`.
    let (code, printed) = upgrade("0.44.0", "0.43.0");
    assert_eq!(code, Some(1), "{printed:#}");
    assert_eq!(printed["breaks"]["client"], 1, "{printed:#}");
    assert_eq!(
        printed["client"][0]["after"]["failures"][0]["finding"],
        "upgrade/shows-nothing"
    );
}

/// What says nothing of the client is no all-clear: recordings that the older release cannot have written, and a client that
/// fails undisturbed with both releases, as one whose command is wrong does.
#[test]
fn what_tells_nothing_is_no_all_clear() {
    let place = folder("upgrade-nothing");
    fs::write(place.join("run.jsonl"), GOOD).unwrap();
    let releases = "upgrade --from 0.157.0 --to 0.169.0";
    let finished = run(
        &place,
        &format!("{releases} --recordings run.jsonl --format json"),
    );
    assert_eq!(finished.code, 2, "{finished:?}");
    let printed = assert_valid(UPGRADE_SCHEMA, &finished.stdout);
    assert_eq!(printed["verdict"], "cannot-tell");
    assert_eq!(
        printed["recordings"][0]["unwritten"][0]["path"],
        "run.jsonl"
    );
    let finished = run(&place, &format!("{releases} --recordings run.jsonl"));
    assert!(
        finished.stdout.contains("run.jsonl:3 is not of 0.157.0: "),
        "{}",
        finished.stdout
    );
    let finished = run(
        &place,
        &format!("{releases} --client false --scenario exec/message"),
    );
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(
        finished
            .stdout
            .contains("without a fault it works in no scenario"),
        "{}",
        finished.stdout
    );
}
