//! Names, files and texts that are made to hurt.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use codex_wire_report::Format;

use crate::support::{Finished, GOOD, PATIENCE, bad, command, folder, run, run_with};

/// Runs the program, which is not to take forever.
fn ends(folder: &Path, args: &str) -> Finished {
    let child = command(folder, args).spawn().unwrap();
    let id = child.id().to_string();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(PATIENCE) else {
        let _ = Command::new("kill").args(["-KILL", &id]).status();
        panic!("`codex-wire {args}` waits forever");
    };
    let output = output.unwrap();
    Finished {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

#[test]
fn a_name_need_not_be_text() {
    let folder = folder("names");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"b\xff.jsonl")), bad()).unwrap();
    let finished = run(&folder, "check .");
    assert!(finished.stdout.contains("2 inputs"), "{}", finished.stdout);
    assert_eq!(finished.code, 1, "{}", finished.stdout);
}

/// Named by somebody, it is read: shells make pipes of commands.
#[test]
fn a_pipe_in_a_folder_is_not_waited_for() {
    let folder = folder("pipe");
    fs::write(folder.join("a.jsonl"), GOOD).unwrap();
    let made = Command::new("mkfifo").arg(folder.join("b.jsonl")).status();
    assert!(made.unwrap().success());
    fs::write(folder.join("c.jsonl"), bad()).unwrap();
    let finished = ends(&folder, "check .");
    assert!(
        finished.stdout.contains("b.jsonl: it is a named pipe"),
        "{}",
        finished.stdout
    );
    assert!(finished.stdout.contains("3 inputs"), "{}", finished.stdout);
    assert_eq!(finished.code, 2);
    let finished = ends(&folder, "identify .");
    assert!(
        finished.stdout.contains("b.jsonl: it is a named pipe"),
        "{}",
        finished.stdout
    );

    let writer = {
        let path = folder.join("b.jsonl");
        std::thread::spawn(move || fs::write(path, GOOD).unwrap())
    };
    let finished = ends(&folder, "check b.jsonl");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    writer.join().unwrap();
}

/// Whether a character may do more in a terminal than stand there.
fn steers(c: char) -> bool {
    c.is_control() && c != '\n'
        || matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[test]
fn nothing_steers_a_terminal() {
    let hostile = "\u{1b}[31m\u{9b}\u{61c}\u{2028}\u{202e}\u{7f}";
    let folder = folder("steering");
    // Of names, of texts and of values.
    let key = hostile.replace('\u{1b}', "\\u001b");
    let lines = format!(
        "{{\"type\":\"turn.started\",\"{key}\":1}}\n{{\"type\":\"{key}\"}}\n{key}\n\
         {{\"type\":\"item.completed\",\"item\":{{\"id\":\"{key}\",\"type\":\"todo_list\",\"items\":\"{key}\"}}}}\n"
    );
    fs::write(
        folder.join(format!("{hostile}.jsonl")),
        format!("{GOOD}{lines}"),
    )
    .unwrap();
    fs::create_dir(folder.join(format!("{hostile}.gz"))).unwrap();
    fs::write(folder.join("empty.jsonl"), format!("{hostile}\n")).unwrap();
    let of_format = |format| {
        [
            format!("check --format {format} --show-values ."),
            format!("check --format {format} nothing{hostile}.jsonl"),
        ]
    };
    let mut commands: Vec<String> = Format::ALL.iter().flat_map(of_format).collect();
    commands.push("identify .".to_owned());
    commands.push("identify --format json .".to_owned());
    commands.push(format!("check --baseline nothing{hostile} ."));
    for args in commands {
        let finished = run(&folder, &args);
        for text in [&finished.stdout, &finished.stderr] {
            let found = text.chars().find(|c| steers(*c));
            assert_eq!(found, None, "{args:?}: {text}");
        }
        assert!(!finished.stdout.is_empty() || !finished.stderr.is_empty());
    }
    // The values are those of the input all the same.
    let finished = run(&folder, "check --format jsonl .");
    let read: Vec<serde_json::Value> = finished
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let path = format!("./{hostile}.jsonl");
    assert!(
        read.iter().any(|line| line["path"] == path.as_str()),
        "{read:?}"
    );
    let pointer = format!("/{hostile}");
    assert!(
        read.iter().any(|line| line["pointer"] == pointer.as_str()),
        "{read:?}"
    );
}

/// If a message is not checked to its end, a finding names the limit.
#[test]
fn limits_are_named() {
    let folder = folder("limits");
    let items = r#"{"text":"one","completed":0}"#;
    let line = format!(
        "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"todo_list\",\"items\":[{items}{}]}}}}\n",
        format!(",{items}").repeat(20)
    );
    let finished = run_with(&folder, "check --max-values 20 -", line.as_bytes());
    assert!(
        finished.stdout.contains("more than 20 values"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stdout.contains("framing/too-many-values"),
        "{}",
        finished.stdout
    );
    let finished = run_with(&folder, "check -", line.as_bytes());
    assert!(
        !finished.stdout.contains("framing/too-many-values"),
        "{}",
        finished.stdout
    );
}

/// Several threads check several inputs. One input is checked by one thread: to share it was measured to
/// cost more than it saves.
#[test]
fn an_input_is_checked_by_one_thread() {
    let folder = folder("threads");
    let line = "{\"type\":\"turn.started\"}\n";
    for name in ["long.jsonl", "too.jsonl"] {
        let text = line.repeat((1 << 17) / line.len());
        fs::write(folder.join(name), text).unwrap();
    }
    for (args, most) in [
        ("check -j 1 long.jsonl too.jsonl", 1),
        ("check -j 2 long.jsonl", 1),
        ("check -j 2 long.jsonl too.jsonl", 2),
    ] {
        let mut child = command(&folder, args)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let tasks = format!("/proc/{}/task", child.id());
        let mut seen = 0;
        while child.try_wait().unwrap().is_none() {
            let now = fs::read_dir(&tasks).map_or(0, Iterator::count);
            seen = seen.max(now);
        }
        assert_eq!(seen, most, "{args}");
    }
}

/// Patterns come from a `codex-wire.toml` that somebody else wrote, too.
#[test]
fn patterns_that_are_too_deep_are_named() {
    let folder = folder("deep-patterns");
    fs::write(folder.join("a.jsonl"), GOOD).unwrap();
    let deep = format!("{}b{}", "{a,".repeat(250), "}".repeat(250));
    let failed = |finished: Finished| {
        assert_eq!(finished.code, 2, "{finished:?}");
        let said = &finished.stderr;
        assert!(said.contains("nested more than 32 deep"), "{finished:?}");
        assert!(said.contains("{a,{a,{a,"), "{finished:?}");
    };
    failed(run(&folder, &format!("check --exclude {deep} .")));
    failed(run(
        &folder,
        &format!("diff exec 0.43.0 0.44.0 --message {deep}"),
    ));
    let config = format!("exclude = [\"{deep}\"]\n");
    fs::write(folder.join("codex-wire.toml"), config).unwrap();
    failed(run(&folder, "check ."));
}

/// So do names of baselines.
#[test]
fn a_baseline_that_never_ends_is_named() {
    let folder = folder("endless-baseline");
    fs::write(folder.join("a.jsonl"), GOOD).unwrap();
    fs::write(folder.join("codex-wire.toml"), "baseline = \"/dev/zero\"\n").unwrap();
    let finished = ends(&folder, "check .");
    assert_eq!(finished.code, 2, "{finished:?}");
    for said in ["/dev/zero", "more than 1073741824 bytes"] {
        assert!(finished.stderr.contains(said), "{finished:?}");
    }
}

/// What gives bytes without end is given up, and the limit is named.
#[test]
fn a_device_that_never_ends_does() {
    let folder = folder("endless");
    // Each reads a gibibyte first.
    let commands = [
        "check", "identify", "show", "scrub", "convert", "usage", "replay",
    ];
    for command in sampling::spread(commands, 3) {
        let finished = ends(&folder, &format!("{command} /dev/zero"));
        assert_eq!(finished.code, 2, "{command}: {finished:?}");
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert!(
            said.contains("more than 1073741824 bytes"),
            "{command}: {said}"
        );
    }
}
