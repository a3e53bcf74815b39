//! `show` and `identify`.

use std::fs;

use serde_json::Value;

use crate::support::{GOOD, bad, folder, golden, run, run_with, workspace};

#[test]
fn streams_of_all_protocols() {
    for (name, path) in [
        ("exec-todo", "exec/0.145.0/todo_list"),
        ("exec-early", "exec/0.42.0/command_fail"),
        ("exec-collab", "exec/0.145.0/collab"),
        ("exec-failed", "exec/0.145.0/error_after_command"),
        ("legacy", "exec-legacy/0.42.0/file_changes"),
        ("core-approval", "core/0.42.0/exec_escalated"),
        ("core-denied", "core/0.42.0/patch_denied"),
        ("core-interrupted", "core/0.42.0/interrupt_command"),
        (
            "app-approval",
            "app-server/0.169.0/03a_command_untrusted_accept",
        ),
        ("app-clients", "app-server/0.169.0/16_websocket_two_clients"),
        (
            "app-threads",
            "app-server/0.169.0/13_two_threads_interleaved",
        ),
        (
            "app-interrupted",
            "app-server/0.169.0/08c_interrupt_with_pending_approval",
        ),
        ("app-old", "app-server/0.58.0/08a_interrupt_message"),
    ] {
        let args = format!("show --format timeline --mask fixtures/{path}.jsonl");
        golden(&format!("show-{name}.txt"), &workspace(), &args);
    }
    let args = "show --format timeline --width 0 fixtures/core/0.42.0/plan.jsonl";
    golden("show-values.txt", &workspace(), args);
}

#[test]
fn findings_stand_where_they_belong() {
    let folder = folder("show-broken");
    let odd = "Reading prompt from stdin...\n{\"type\":\"mood.changed\",\"mood\":\"secret\"}\n";
    fs::write(folder.join("bad.jsonl"), bad() + "\n" + odd).unwrap();
    golden(
        "show-broken.txt",
        &folder,
        "show --format timeline --mask bad.jsonl",
    );
    golden(
        "show-narrow.txt",
        &folder,
        "show --format timeline --width 40 bad.jsonl",
    );
}

/// Whatever there is can be shown, in rows that fit.
#[test]
fn everything_can_be_shown() {
    let root = workspace();
    for below in fs::read_dir(root.join("fixtures")).unwrap() {
        let below = below.unwrap();
        if !below.path().is_dir() {
            continue;
        }
        let name = below.file_name().into_string().unwrap();
        // Nothing of a trace is shown.
        if name == "rollout-trace" {
            continue;
        }
        let finished = run(
            &root,
            &format!("show --format timeline --mask --width 80 fixtures/{name}"),
        );
        // Some of what is invalid is not a stream at all, MCP is only named, and beside session files lie
        // the arguments that the `notify` program got.
        let unknown = [
            "accounting",
            "invalid",
            "rules",
            "mcp-server",
            "rollout",
            "rollout-cross",
        ];
        let is_valid = finished.code == 0 || finished.code == 2 && unknown.contains(&&*name);
        assert!(is_valid, "{name}: exit code {}", finished.code);
        assert!(!finished.stdout.contains("PAYLOAD"), "{name}");
        // Lists of prompts and of threads lie beside some session files, and manifests beside all.
        let is_left_out = |line: &&str| line.starts_with("codex-wire: not read: ");
        // Some recordings name a release that does not speak what is in them.
        let is_told = |line: &str| {
            is_left_out(&line)
                || unknown.contains(&&*name) && line.starts_with("codex-wire: cannot show ")
        };
        let lines = || finished.stderr.lines();
        assert!(
            lines().all(is_told) && lines().filter(is_left_out).count() <= 1,
            "{name}: {}",
            finished.stderr
        );
        let rows = finished.stdout.lines().filter(|row| row.starts_with(' '));
        assert!(rows.clone().count() > 100, "{name}");
        for row in rows {
            assert!(row.chars().count() <= 80, "{name}: {row}");
        }
    }
}

#[test]
fn payload_is_masked_unless_asked_for() {
    let folder = folder("show-masked");
    fs::write(
        folder.join("good.jsonl"),
        GOOD.replace("ls", "secret-command"),
    )
    .unwrap();
    assert!(
        !run(&folder, "show --format timeline --mask good.jsonl")
            .stdout
            .contains("secret")
    );
    let finished = run(&folder, "show --format timeline good.jsonl");
    assert!(finished.stdout.contains("secret-command"));
    assert_eq!(finished.code, 0);
    let finished = run_with(&folder, "show --format timeline", GOOD.as_bytes());
    assert!(
        finished.stdout.contains("turn         1 completed"),
        "{finished:?}"
    );
    let finished = run(&folder, "show gone.jsonl");
    assert!(
        finished.stderr.contains("cannot read gone.jsonl: "),
        "{finished:?}"
    );
    assert_eq!(finished.code, 2);
}

/// What a release does not speak cannot be shown as that release, in whatever form.
#[test]
fn what_a_release_does_not_speak_is_refused() {
    let folder = folder("show-unspoken");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    for format in ["text", "markdown", "html", "timeline", "json"] {
        let as_release = |release: &str| {
            let args = format!("show good.jsonl --format {format} --release {release}");
            run(&folder, &args)
        };
        let finished = as_release("0.20.0");
        assert_eq!(finished.code, 2, "{format}: {finished:?}");
        assert!(
            finished.stderr.contains("good.jsonl: "),
            "{format}: {finished:?}"
        );
        assert_eq!(as_release("0.44.0").code, 0, "{format}");
        // What it speaks and does not have is shown with its findings.
        assert_eq!(as_release("0.169.0").code, 0, "{format}");
    }
}

/// What is not a stream is not shown line by line, but refused as `check` refuses it.
#[test]
fn what_is_no_stream_is_refused() {
    let folder = folder("show-refused");
    let prompts = "{\"session_id\":\"\",\"ts\":1795359818,\"text\":\"say hello\"}\n";
    let program = [
        b"\x7fELF\x02\x01\0\n".as_slice(),
        &[b'\x01', b'\n'].repeat(40),
    ]
    .concat();
    for (name, bytes) in [
        ("short.jsonl", prompts.repeat(3).into_bytes()),
        ("long.jsonl", prompts.repeat(2000).into_bytes()),
        ("program", program),
        ("notes", b"some notes\nof no stream\n".repeat(600)),
    ] {
        fs::write(folder.join(name), bytes).unwrap();
        let checked = run(&folder, &format!("check {name}"));
        let why = checked.stdout.lines().next().unwrap();
        let why = why.strip_prefix("error: ").unwrap();
        assert!(why.starts_with(&format!("cannot read {name}: ")), "{why}");
        for args in [
            "show",
            "show --mask",
            "show --format timeline --mask",
            "show --format markdown --width 0",
        ] {
            let finished = run(&folder, &format!("{args} {name}"));
            assert_eq!(finished.stdout, format!("{why}\n"));
            assert_eq!((finished.code, finished.stderr.as_str()), (2, ""));
        }
    }
    // What comes before the first message of a stream belongs to it.
    let log = format!("Reading prompt from stdin...\n{GOOD}");
    fs::write(folder.join("log.jsonl"), log).unwrap();
    let finished = run(&folder, "show --format timeline log.jsonl");
    assert!(
        finished.stdout.starts_with("     1    unreadable"),
        "{finished:?}"
    );
    assert_eq!(finished.code, 0);
}

/// The session as JSON is that of the protocol and the release that are stated, and nobody gets texts who asked
/// for none.
#[test]
fn json_heeds_what_the_other_formats_heed() {
    let root = workspace();
    let path = "fixtures/exec/0.145.0/todo_list.jsonl";
    let text = run(&root, &format!("show --protocol core {path}"));
    let why = text.stdout.trim_end();
    let json = run(&root, &format!("show --protocol core --format json {path}"));
    assert_eq!((json.code, json.stdout.as_str()), (2, ""), "{json:?}");
    assert!(json.stderr.contains(why), "{json:?}, not {why}");
    // 0.30.0 speaks the older format, so no line is read as one of the newer.
    let json = run(
        &root,
        &format!("show --release 0.30.0 --format json {path}"),
    );
    assert_eq!((json.code, json.stdout.as_str()), (2, ""), "{json:?}");
    let stated = format!("show --protocol exec --release 0.145.0 --format json {path}");
    let inferred = format!("show --format json {path}");
    assert_eq!(run(&root, &stated).stdout, run(&root, &inferred).stdout);
    let masked = run(&root, &format!("show --mask --format json {path}"));
    assert_eq!((masked.code, masked.stdout.as_str()), (2, ""), "{masked:?}");
    assert!(masked.stderr.contains("`codex-wire scrub`"), "{masked:?}");
}

/// Conversations as people read them, of each surface.
#[test]
fn conversations() {
    for (name, args) in [
        ("exec-todo", "exec/0.145.0/todo_list.jsonl"),
        ("exec-failed", "exec/0.145.0/error_after_command.jsonl"),
        ("legacy", "exec-legacy/0.42.0/file_changes.jsonl"),
        ("core-approval", "core/0.42.0/exec_escalated.jsonl"),
        (
            "app-approval",
            "app-server/0.169.0/03a_command_untrusted_accept.jsonl",
        ),
        (
            "app-threads",
            "app-server/0.169.0/13_two_threads_interleaved.jsonl",
        ),
        (
            "app-background",
            "app-server/0.169.0/05d_background_left_running.jsonl",
        ),
        ("rollout-mcp", "rollout/0.169.0/mcp/home"),
        ("rollout-turns", "rollout/0.169.0/i_turns/home"),
        ("rollout-patches", "rollout/0.169.0/patch_fail/home"),
    ] {
        let args = format!("show --width 80 fixtures/{args}");
        golden(&format!("conversation-{name}.txt"), &workspace(), &args);
    }
    let file = "fixtures/rollout/0.169.0/extended/home";
    for (name, args) in [
        ("markdown", "--format markdown"),
        ("masked", "--mask --width 80"),
        ("turn", "--turn 2 --width 80"),
        ("only", "--only patches,plans --full --width 80"),
        ("grep", "--grep ticket --width 0"),
        ("json", "--format json"),
    ] {
        golden(
            &format!("conversation-{name}.txt"),
            &workspace(),
            &format!("show {args} {file}"),
        );
    }
}

/// Pages for a browser, without the style sheet, which is the same on all of them.
#[test]
fn pages() {
    for (name, args) in [
        ("session", "fixtures/rollout/0.169.0/extended/home"),
        ("failed", "fixtures/exec/0.145.0/error_after_command.jsonl"),
        (
            "threads",
            "--mask fixtures/app-server/0.111.0/14h_collab.jsonl",
        ),
        ("hooks", "--mask fixtures/hooks/0.169.0/context.jsonl"),
        ("gone", "gone.jsonl"),
    ] {
        let finished = run(&workspace(), &format!("show --format html {args}"));
        assert_eq!(finished.stderr, "", "{name}");
        assert_eq!(finished.code, if name == "gone" { 2 } else { 0 }, "{name}");
        let page = &finished.stdout;
        let (head, body) = page.split_once("</style>\n</head>\n").unwrap();
        assert!(head.starts_with("<!DOCTYPE html>\n<html lang=\"en\">\n"));
        let golden = workspace().join("crates/codex-wire-cli/tests/it/golden");
        golden_files::assert_file(&golden.join(format!("page-{name}.html")), body);
    }
}

#[test]
fn two_sessions_stand_on_one_page() {
    let path = "fixtures/exec/0.145.0/todo_list.jsonl";
    let finished = run(&workspace(), &format!("show --format html {path} {path}"));
    for id in ["turn-1", "s2-turn-1", "overview", "s2-overview"] {
        let id = format!(" id=\"{id}\"");
        assert_eq!(finished.stdout.matches(&id).count(), 1, "{id}");
    }
    assert_eq!(finished.stdout.matches("</html>").count(), 1);
}

/// Every recording is shown in rows that fit, and none is masked in part.
#[test]
fn every_conversation_fits() {
    let root = workspace();
    for name in [
        "exec",
        "exec-legacy",
        "core",
        "app-server",
        "rollout",
        "rollout-cross",
    ] {
        let finished = run(&root, &format!("show --mask --width 80 fixtures/{name}"));
        assert!(matches!(finished.code, 0 | 2), "{name}: {}", finished.code);
        assert!(!finished.stdout.contains("PAYLOAD"), "{name}");
        let rows = finished
            .stdout
            .lines()
            .filter(|row| !row.starts_with("==>"));
        assert!(rows.clone().count() > 100, "{name}");
        for row in rows.filter(|row| row.starts_with(' ') && !row.contains(": ")) {
            assert!(row.chars().count() <= 80, "{name}: {row}");
        }
    }
}

/// On a wide terminal, outputs and diffs have all of it; what people read from row to row does not.
#[test]
fn prose_is_no_wider_than_headings() {
    let root = workspace();
    let longest = |args: &str, is_output: bool| {
        let finished = run(&root, &format!("show --full {args}"));
        let rows = finished.stdout.lines();
        let rows = rows.filter(|row| row.contains('│') == is_output);
        rows.map(|row| row.chars().count()).max().unwrap()
    };
    let collab = "--width 200 fixtures/app-server/0.169.0/14q_collab_v2.jsonl";
    assert_eq!(longest(collab, false), 100);
    let wide = longest("--width 200 fixtures/rollout/0.169.0/patch_fail/home", true);
    let narrow = longest("--width 100 fixtures/rollout/0.169.0/patch_fail/home", true);
    assert!(wide > narrow, "{wide} {narrow}");
}

#[test]
fn a_conversation_is_shown_as_it_comes() {
    let folder = folder("show-follow");
    let path = folder.join("run.jsonl");
    fs::write(&path, GOOD).unwrap();
    let followed = run(&folder, "show --follow --until-idle 0.2 run.jsonl");
    let whole = run(&folder, "show run.jsonl");
    assert_eq!(followed.stdout, whole.stdout);
    assert_eq!(followed.code, 0);
    let piped = run_with(&folder, "show", GOOD.as_bytes());
    assert_eq!(piped.stdout, whole.stdout);
}

/// Words of commands begin with a dash.
#[test]
fn what_is_sought_may_begin_with_a_dash() {
    let folder = folder("show-grep-dash");
    fs::write(folder.join("run.jsonl"), GOOD).unwrap();
    let dashed = run(&folder, "show --grep -lc run.jsonl");
    let joined = run(&folder, "show --grep=-lc run.jsonl");
    assert_eq!(dashed.code, 0, "{dashed:?}");
    assert_eq!(dashed.stdout, joined.stdout);
}

#[test]
fn what_cannot_be_combined_is_said() {
    let folder = folder("show-combined");
    fs::write(folder.join("run.jsonl"), GOOD).unwrap();
    for args in [
        "show --format json --turn 1 run.jsonl",
        "show --format timeline --only commands run.jsonl",
        "show --format json --follow run.jsonl",
        "show --follow run.jsonl run.jsonl",
        "show --follow .",
        "show --only command run.jsonl",
        "show --turn 0 run.jsonl",
    ] {
        let finished = run(&folder, args);
        assert_eq!((finished.code, &*finished.stdout), (2, ""), "{args}");
        assert!(!finished.stderr.is_empty(), "{args}");
    }
}

#[test]
fn inputs_are_identified() {
    let folder = folder("identify");
    let first = GOOD.lines().next().unwrap();
    let usage = r#"{"input_tokens":1,"cached_input_tokens":0,"cache_write_input_tokens":0,"output_tokens":2,"reasoning_output_tokens":0}"#;
    let new = format!("{first}\n{{\"type\":\"turn.completed\",\"usage\":{usage}}}\n");
    fs::write(folder.join("old.jsonl"), GOOD).unwrap();
    fs::write(folder.join("both.jsonl"), format!("{GOOD}{new}")).unwrap();
    fs::write(folder.join("log.jsonl"), format!("Reading prompt\n{GOOD}")).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    fs::write(
        folder.join("responses.jsonl"),
        "{\"type\":\"response.created\",\"response\":{}}\n",
    )
    .unwrap();
    golden("identify.txt", &folder, "identify . gone.jsonl");
    golden("identify.json.txt", &folder, "identify --format json .");
    golden(
        "identify-recordings.txt",
        &workspace(),
        "identify fixtures/core/0.42.0/plan.jsonl fixtures/app-server/0.169.0/12g_http_401.jsonl",
    );
    golden(
        "identify-session-files.txt",
        &workspace(),
        "identify fixtures/rollout/0.28.0/resume/home fixtures/rollout-cross/0.157.0/from_0.150.1/home",
    );
    for (args, code) in [
        ("old.jsonl log.jsonl", 0),
        ("old.jsonl both.jsonl", 1),
        ("both.jsonl empty.jsonl old.jsonl", 2),
        ("gone.jsonl", 2),
    ] {
        for format in ["text", "json"] {
            let finished = run(&folder, &format!("identify --format {format} {args}"));
            assert_eq!(finished.code, code, "{args} {finished:?}");
        }
    }
    let finished = run_with(&folder, "identify --format json", new.as_bytes());
    let finished: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(
        finished["inputs"][0]["releases"]["text"],
        "0.145.0 or later"
    );
}

#[test]
fn help_teaches() {
    golden("help-show.txt", &workspace(), "show --help");
    golden("help-identify.txt", &workspace(), "identify --help");
}

/// Where nothing is shown, the reason is said.
#[test]
fn nothing_to_show_is_said() {
    let folder = folder("show-nothing");
    fs::write(folder.join("run.jsonl"), GOOD).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    for (flags, named) in [
        ("--turn 9", "`--turn`"),
        ("--grep zzz", "`--grep`"),
        ("--turn 1 --only plans", "`--turn` and `--only`"),
    ] {
        let finished = run(&folder, &format!("show {flags} run.jsonl"));
        assert_eq!((finished.code, &*finished.stdout), (0, ""), "{finished:?}");
        let said = format!("codex-wire: run.jsonl: nothing matches {named}\n");
        assert_eq!(finished.stderr, said);
    }
    let started = r#"{"type":"thread.started","thread_id":"one"}"#;
    fs::write(folder.join("started.jsonl"), format!("{started}\n")).unwrap();
    let begun = run(&folder, "show started.jsonl");
    assert!(begun.stdout.contains("Thread one"), "{begun:?}");
    let empty = run(&folder, "show empty.jsonl");
    assert_eq!(empty.code, 2, "{empty:?}");
    assert_eq!(run(&folder, "show empty.jsonl run.jsonl").code, 0);
}
