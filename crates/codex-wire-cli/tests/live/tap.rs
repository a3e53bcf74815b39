//! `tap` before programs of all manners.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;

use crate::support::{
    BAD, GOOD, Numbers, ended, folder, is_ignored, output, program, records, rules, run, stderr_of,
    tap, tap_sh, until,
};
use crate::{Trials, trials};

pub(crate) fn trials() -> Trials {
    trials![
        bytes_pass_untouched,
        what_is_odd_passes_untouched,
        both_directions_flow_at_once,
        a_good_stream_conforms,
        findings_come_with_their_lines,
        the_report_may_go_to_a_file,
        a_record_is_a_transcript,
        a_record_keeps_what_is_no_text,
        a_record_can_be_scrubbed,
        a_prompt_is_not_recorded,
        the_exit_code_is_the_commands,
        the_exit_code_is_the_verdict,
        a_command_that_does_not_start,
        a_codex_is_asked_for_its_version,
        a_recording_names_a_release_and_no_range,
        what_cannot_be_written_is_said_first,
        a_full_disk_stops_no_traffic,
        a_limit_of_file_size_stops_no_traffic,
        what_was_passed_on_is_recorded,
        lost_output_is_no_verdict,
        a_line_too_long_to_be_recorded,
        a_command_that_reads_nothing,
        a_command_that_exits_at_once,
        a_command_that_closes_its_output,
        a_command_that_closes_its_input,
        a_reader_that_has_seen_enough,
        a_reader_that_is_slow,
        a_flood_passes,
        somebody_left_behind_is_not_waited_for,
        a_report_that_is_not_read,
        round_trips_are_quick,
    ]
}

fn bytes_pass_untouched() {
    let mut runner = TestRunner::new(Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    });
    let line = prop_oneof![
        2 => Just(BAD.as_bytes().to_vec()),
        2 => Just(GOOD.as_bytes().to_vec()),
        2 => prop::collection::vec(any::<u8>(), 0..200),
        1 => prop::collection::vec(any::<u8>(), 0..100_000),
    ];
    let pieces = prop::collection::vec(line, 0..40);
    let done = runner.run(&(pieces, any::<u16>()), |(pieces, seed)| {
        let input = pieces.concat();
        let output = run(tap(&[], &["echo", &seed.to_string()]), &input);
        prop_assert!(output.stdout == input, "{}", stderr_of(&output));
        prop_assert_eq!(output.status.code(), Some(0));
        Ok(())
    });
    done.unwrap();
}

fn what_is_odd_passes_untouched() {
    let long = format!("{{\"type\":\"{}\"}}\n", "x".repeat(20 << 20));
    let odd: [&[u8]; 7] = [
        b"",
        b"no newline",
        b"\n\r\n\0\xff\xfe\n",
        b"\xef\xbb\xbf{}\n",
        long.as_bytes(),
        &[b'['; 100_000],
        &[0x80; 3],
    ];
    for input in odd {
        for flags in [&[][..], &["--max-line-bytes", "1K"], &["-p", "core"]] {
            let output = run(tap(flags, &["echo"]), input);
            assert!(output.stdout == input, "{}", stderr_of(&output));
            assert_eq!(output.status.code(), Some(0));
        }
    }
}

/// More than all pipes hold goes one way, before anybody reads on the other.
fn both_directions_flow_at_once() {
    let mut child = tap(&["--log", "/dev/null"], &["echo"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let input: Vec<u8> = (0..8 << 20).map(|at| (at % 251) as u8).collect();
    let expected = input.clone();
    let writer = thread::spawn(move || stdin.write_all(&input).unwrap());
    let mut back = Vec::new();
    stdout.read_to_end(&mut back).unwrap();
    writer.join().unwrap();
    assert!(back == expected);
    assert!(ended(&mut child).success());
}

fn a_good_stream_conforms() {
    let output = run(tap(&["--verdict"], &["print"]), b"");
    assert_eq!(output.stdout, GOOD.as_bytes());
    let stderr = stderr_of(&output);
    assert!(
        stderr.starts_with("1 input, 4 messages: conforms (identified as exec 0.44.0 to"),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 2, "{stderr}");
    assert_eq!(output.status.code(), Some(0));
}

/// What was found can be read while the command is still running.
fn findings_come_with_their_lines() {
    let mut child = tap(&["-p", "exec", "--format", "jsonl"], &["echo"])
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut line = || -> Value { serde_json::from_str(&stderr.next().unwrap().unwrap()).unwrap() };
    stdin.write_all(GOOD.as_bytes()).unwrap();
    stdin.write_all(BAD.as_bytes()).unwrap();
    assert_eq!(line()["kind"], "start");
    let found = line();
    assert_eq!(found["rule"], "schema/unknown-kind");
    assert_eq!(found["line"], 5);
    assert!(child.try_wait().unwrap().is_none());
    drop(stdin);
    let last: Vec<Value> = std::iter::from_fn(|| Some(line()))
        .take_while(|line| line["kind"] != "totals")
        .collect();
    assert_eq!(last.last().unwrap()["kind"], "input");
    assert!(ended(&mut child).success());
}

fn the_report_may_go_to_a_file() {
    let folder = folder("tap-log");
    let log = folder.join("log.jsonl");
    let flags = ["--format", "jsonl", "--log", log.to_str().unwrap()];
    let input = [GOOD, BAD].concat();
    let output = run(
        tap(&[&flags[..], &["-p", "exec"]].concat(), &["echo"]),
        input.as_bytes(),
    );
    assert_eq!(stderr_of(&output), "");
    let report = records(&log);
    assert!(rules(&report).contains(&"schema/unknown-kind"));
    assert_eq!(report.last().unwrap()["kind"], "totals");
    let schema = serde_json::from_str(codex_wire_report::REPORT_LINES_SCHEMA).unwrap();
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    for line in &report {
        assert!(schema.is_valid(line), "{line}");
    }
    // Without a finding that is denied, levels apply as they do in `check`.
    let allow = ["--allow", "*"];
    run(
        tap(&[&flags[..], &allow, &["-p", "exec"]].concat(), &["echo"]),
        input.as_bytes(),
    );
    assert_eq!(rules(&records(&log)), [""; 0]);
}

/// What `check` finds in the record is what `tap` found, at the same places.
fn a_record_is_a_transcript() {
    let folder = folder("tap-record");
    let (record, log) = (folder.join("run.jsonl"), folder.join("log.jsonl"));
    let (record_name, log_name) = (record.to_str().unwrap(), log.to_str().unwrap());
    let flags = [
        "--record",
        record_name,
        "--format",
        "jsonl",
        "--log",
        log_name,
    ];
    for stream in [
        GOOD.to_owned(),
        [GOOD, BAD].concat(),
        GOOD.replace("turn.started", "turn.begun"),
        GOOD.replace('\n', "\r\n"),
        GOOD.replacen('\n', "\n \n", 1),
        format!("\u{feff}{GOOD}"),
    ] {
        let input = folder.join("input.jsonl");
        fs::write(&input, &stream).unwrap();
        let script = format!("cat '{}'; exit 3", input.display());
        let output = run(tap_sh(&flags, &script), b"");
        assert_eq!(output.status.code(), Some(3));
        let lines = records(&record);
        assert_eq!(
            lines[0],
            serde_json::json!({"kind": "start", "transcript": 1, "protocol": "exec"})
        );
        let recorded: String = lines
            .iter()
            .filter(|line| line["kind"] == "line")
            .map(|line| {
                assert_eq!(line["from"], "codex");
                assert!(line["ms"].is_u64());
                format!("{}\n", line["line"].as_str().unwrap())
            })
            .collect();
        assert_eq!(recorded, stream);
        let last = lines.last().unwrap();
        assert_eq!(
            (&last["kind"], &last["status"]),
            (&"exit".into(), &3.into())
        );
        let checked = run(program(&["check", "--format", "jsonl", record_name]), b"");
        let checked: Vec<Value> = String::from_utf8(checked.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let listed = records(&log);
        let sorted = |report: &[Value]| {
            let found = report.iter().filter(|line| line["kind"] == "finding");
            let mut found: Vec<String> = found.map(Value::to_string).collect();
            found.sort();
            found
        };
        assert_eq!(sorted(&listed), sorted(&checked));
        let last = |report: &[Value]| report.last().unwrap().clone();
        assert_eq!(last(&listed), last(&checked));
    }
}

fn a_record_keeps_what_is_no_text() {
    const ODD: &str = "{\"id\":\"1\",\"op\":{\"type\":\"interrupt\"}}";
    let folder = folder("tap-bytes");
    let record = folder.join("run.jsonl");
    let name = record.to_str().unwrap();
    let input = [b"\xff\n\r\n", ODD.as_bytes(), b"\n\0"].concat();
    run(tap(&["--record", name], &["echo"]), &input);
    let lines = records(&record);
    let of = |side: &str| -> Vec<Value> {
        let lines = lines.iter().filter(|line| line["from"] == side);
        lines
            .map(|line| line.get("bytes").or(line.get("line")).unwrap().clone())
            .collect()
    };
    assert_eq!(of("client"), ["/w==", "\r", ODD, "\0"]);
    assert_eq!(of("codex"), ["/w==", "\r", ODD, "\0"]);
    let checked = run(program(&["check", name]), b"");
    assert_eq!(checked.status.code(), Some(1));
}

/// The traffic passes as it is; only the recording is scrubbed.
fn a_record_can_be_scrubbed() {
    let folder = folder("tap-scrubbed");
    let record = folder.join("run.jsonl");
    let name = record.to_str().unwrap();
    let output = run(tap(&["--record", name, "--scrub"], &["print"]), b"");
    assert_eq!(output.stdout, GOOD.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    let lines = records(&record);
    let recorded = lines.iter().filter_map(|line| line["line"].as_str());
    let recorded: Vec<&str> = recorded.collect();
    assert_eq!(recorded.len(), 4);
    for (line, original) in recorded.iter().zip(GOOD.lines()) {
        assert_eq!(line.len(), original.len());
        let is_private = ["hello", "5a61-7cf1"]
            .iter()
            .any(|text| original.contains(text));
        assert_eq!(*line != original, is_private, "{line}");
    }
    let checked = run(program(&["check", "--deny", "*", name]), b"");
    assert_eq!(checked.status.code(), Some(0));
    // Without a recording there is nothing to scrub.
    let output = run(tap(&["--scrub"], &["print"]), b"");
    assert_eq!(output.status.code(), Some(2));
}

/// What a client writes to `codex exec` is not a message.
fn a_prompt_is_not_recorded() {
    let folder = folder("tap-prompt");
    let record = folder.join("run.jsonl");
    let flags = ["--verdict", "--record", record.to_str().unwrap()];
    let good = folder.join("good.jsonl");
    fs::write(&good, GOOD).unwrap();
    let script = format!("cat >/dev/null; cat '{}'", good.display());
    let output = run(tap_sh(&flags, &script), b"fix\nthe {\"id\":1} tests");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    assert_eq!(records(&record).len(), 6);
}

fn the_exit_code_is_the_commands() {
    for code in [0, 1, 2, 7, 255] {
        let output = run(tap(&[], &["print", &code.to_string()]), b"");
        assert_eq!(output.status.code(), Some(code));
    }
    for (signal, code) in [("TERM", 143), ("KILL", 137), ("INT", 130)] {
        if is_ignored(signal) {
            continue;
        }
        let output = run(tap_sh(&[], &format!("kill -{signal} $$")), b"");
        assert_eq!(output.status.code(), Some(code));
    }
    let folder = folder("tap-signalled");
    let record = folder.join("run.jsonl");
    run(
        tap_sh(&["--record", record.to_str().unwrap()], "kill -KILL $$"),
        b"",
    );
    let lines = records(&record);
    assert_eq!(lines.last().unwrap()["signal"], "SIGKILL");
}

fn the_exit_code_is_the_verdict() {
    let folder = folder("tap-verdict");
    for (name, text, code) in [
        ("good", GOOD.to_owned(), 0),
        ("bad", [GOOD, BAD].concat(), 1),
        ("other", "hello\n".to_owned(), 2),
        ("nothing", String::new(), 2),
    ] {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        let script = format!("cat '{}'; exit 9", path.display());
        let output = run(tap_sh(&["--verdict"], &script), b"");
        // The exit of a stream that ends well is checked, too, where it is known.
        let code = if name == "good" && output.status.code() == Some(1) {
            assert!(
                stderr_of(&output).contains("status 9"),
                "{}",
                stderr_of(&output)
            );
            1
        } else {
            code
        };
        assert_eq!(
            output.status.code(),
            Some(code),
            "{name}: {}",
            stderr_of(&output)
        );
    }
}

fn a_command_that_does_not_start() {
    let folder = folder("tap-start");
    let plain = folder.join("plain");
    fs::write(&plain, "").unwrap();
    fs::set_permissions(&plain, fs::Permissions::from_mode(0o644)).unwrap();
    for name in [
        "/nowhere/codex",
        "no-such-command-anywhere",
        plain.to_str().unwrap(),
    ] {
        let output = run(program(&["tap", "--", name]), b"x");
        assert_eq!(output.status.code(), Some(2));
        let stderr = stderr_of(&output);
        assert!(
            stderr.starts_with(&format!("codex-wire: cannot start {name}: ")),
            "{stderr}"
        );
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }
    // Nor does it cost an earlier recording, or leave an empty one.
    let (earlier, new) = (folder.join("earlier.jsonl"), folder.join("new.jsonl"));
    fs::write(&earlier, "recorded").unwrap();
    for path in [&earlier, &new] {
        let path = path.to_str().unwrap();
        let output = run(
            program(&["tap", "--record", path, "--", "/nowhere/codex"]),
            b"x",
        );
        assert_eq!(output.status.code(), Some(2));
    }
    assert_eq!(fs::read_to_string(&earlier).unwrap(), "recorded");
    assert!(!new.exists());
    let log = earlier.to_str().unwrap();
    let output = run(
        program(&["tap", "--log", log, "--", "/nowhere/codex"]),
        b"x",
    );
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&earlier).unwrap(), "recorded");
}

/// A program named `codex` in that folder: it says a version, leaves somebody behind who keeps its output open, and
/// writes this whatever else it is asked.
fn named_codex(folder: &Path, stream: &str) -> PathBuf {
    let (path, said) = (folder.join("codex"), folder.join("said.jsonl"));
    fs::write(&said, stream).unwrap();
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo codex-cli 0.125.0; sleep 7 & exit; fi\ncat '{}'\n",
        said.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// What is known of a program named `codex` counts here as in its recording.
fn a_codex_is_asked_for_its_version() {
    let folder = folder("tap-codex");
    let unended = GOOD.lines().next().unwrap();
    let codex = named_codex(&folder, &format!("{unended}\n"));
    let (codex, record) = (codex.to_str().unwrap(), folder.join("run.jsonl"));
    let name = record.to_str().unwrap();
    // The prompt begins as a message of a client of the app-server does.
    let prompt = b"{\"id\":1,\"method\":\"thread/list\",\"params\":{}}\nWhat is this?\n";
    let begun = Instant::now();
    for flags in [&["--verdict"][..], &["--verdict", "--record", name]] {
        let mut command = program(&["tap"]);
        command
            .args(flags)
            .args(["--", codex, "exec", "--json", "-"]);
        let output = run(command, prompt);
        assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
        let stderr = stderr_of(&output);
        assert!(
            stderr.contains("sequence/exec-exit-without-end"),
            "{stderr}"
        );
    }
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    let lines = records(&record);
    assert_eq!(
        lines[0],
        serde_json::json!({"kind": "start", "transcript": 1, "protocol": "exec", "release": "0.125.0"})
    );
    assert!(
        lines.iter().all(|line| line["from"] != "client"),
        "{lines:?}"
    );
    let checked = run(program(&["check", name]), b"");
    assert_eq!(checked.status.code(), Some(1));
}

fn a_recording_names_a_release_and_no_range() {
    let folder = folder("tap-release");
    let record = folder.join("run.jsonl");
    let name = record.to_str().unwrap();
    for (stated, recorded) in [
        ("0.44.0", Value::from("0.44.0")),
        ("0.44", Value::from("0.44.0")),
        ("0.44..0.45", Value::Null),
    ] {
        let output = run(
            tap(&["--release", stated, "--record", name], &["print"]),
            b"",
        );
        assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
        assert_eq!(records(&record)[0]["release"], recorded);
        let checked = run(program(&["check", name]), b"");
        assert_eq!(checked.status.code(), Some(0), "{stated}");
    }
}

fn what_cannot_be_written_is_said_first() {
    let folder = folder("tap-unwritable");
    let path = folder.join("no/such/file");
    let path = path.to_str().unwrap();
    for flags in [
        ["--record", path],
        ["--log", path],
        ["--record", "-"],
        ["--log", "-"],
    ] {
        let output = run(tap(&flags, &["print"]), b"");
        assert_eq!((output.status.code(), output.stdout), (Some(2), vec![]));
    }
    let same = folder.join("same");
    let same = same.to_str().unwrap();
    let output = run(tap(&["--record", same, "--log", same], &["print"]), b"");
    assert_eq!((output.status.code(), output.stdout), (Some(2), vec![]));
}

#[cfg(target_os = "linux")]
fn a_full_disk_stops_no_traffic() {
    let input = GOOD.repeat(200);
    for flag in ["--record", "--log"] {
        let output = run(
            tap(&[flag, "/dev/full", "-p", "exec"], &["echo"]),
            input.as_bytes(),
        );
        assert!(output.stdout == input.as_bytes());
        assert_eq!(output.status.code(), Some(0));
        let stderr = stderr_of(&output);
        assert_eq!(stderr.matches("cannot write").count(), 1, "{stderr}");
        let flags = [flag, "/dev/full", "-p", "exec", "--allow", "*", "--verdict"];
        let output = run(tap(&flags, &["echo"]), GOOD.as_bytes());
        assert_eq!(output.status.code(), Some(2));
    }
}

#[cfg(not(target_os = "linux"))]
fn a_full_disk_stops_no_traffic() {}

/// The signal that comes with the limit is none that ends the tap.
fn a_limit_of_file_size_stops_no_traffic() {
    let record = folder("tap-limit").join("run.jsonl");
    for (more, code) in [("", 0), ("--verdict", 2)] {
        let mut command = std::process::Command::new("sh");
        let script = format!(
            "ulimit -f 64; exec '{}' tap --record '{}' --allow '*' {more} -- '{}' {} flood 1",
            env!("CARGO_BIN_EXE_codex-wire"),
            record.display(),
            std::env::current_exe().unwrap().display(),
            crate::child::FLAG,
        );
        command.args(["-c", &script]);
        command.stdin(std::process::Stdio::piped());
        command.stdout(std::process::Stdio::piped());
        command.stderr(std::process::Stdio::piped());
        let output = run(command, b"");
        let stderr = stderr_of(&output);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        assert!(output.stdout.len() > 1 << 20, "{stderr}");
        assert!(output.stdout.ends_with(b"\"output_tokens\":2}}\n"));
        assert_eq!(stderr.matches("cannot write").count(), 1, "{stderr}");
        let length = fs::metadata(&record).unwrap().len();
        assert!((1..1 << 20).contains(&length), "{length}");
    }
}

/// Nothing was passed on that is not recorded, also if the tap is killed.
fn what_was_passed_on_is_recorded() {
    let record = folder("tap-killed").join("run.jsonl");
    for round in 1..6 {
        let flags = ["--record", record.to_str().unwrap(), "--log", "/dev/null"];
        let mut child = tap(&flags, &["flood", "64"]).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut passed = vec![0; round << 20];
        stdout.read_exact(&mut passed).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        stdout.read_to_end(&mut passed).unwrap();
        let text = fs::read_to_string(&record).unwrap();
        // The first line is the start, and the last one may be cut.
        let mut recorded = text.split_inclusive('\n').skip(1);
        for line in passed.split_inclusive(|byte| *byte == b'\n') {
            let Some(line) = line.strip_suffix(b"\n") else {
                break;
            };
            let own: Value = serde_json::from_str(recorded.next().unwrap()).unwrap();
            assert_eq!(own["line"].as_str().unwrap().as_bytes(), line);
        }
    }
}

/// Whoever asked for the verdict wants the output as well.
#[cfg(target_os = "linux")]
fn lost_output_is_no_verdict() {
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for (flags, code) in [(&["--verdict"][..], 2), (&[][..], 0)] {
        let mut command = tap(flags, &["print"]);
        let output = output(command.stdout(full()).spawn().unwrap());
        assert_eq!(output.status.code(), Some(code), "{}", stderr_of(&output));
        let stderr = stderr_of(&output);
        assert!(stderr.contains("cannot write standard output"), "{stderr}");
    }
    let output = run(tap(&["--verdict"], &["print"]), b"");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
}

#[cfg(not(target_os = "linux"))]
fn lost_output_is_no_verdict() {}

/// An incomplete recording does not pass for a complete one.
fn a_line_too_long_to_be_recorded() {
    let path = folder("tap-cut").join("record.jsonl");
    let record = path.to_str().unwrap();
    let flags = [
        "--record",
        record,
        "--max-line-bytes",
        "100",
        "--allow",
        "*",
    ];
    for (more, code) in [(None, 0), (Some("--verdict"), 2)] {
        let flags: Vec<&str> = flags.iter().copied().chain(more).collect();
        let long = GOOD.replace("hello", &"hello ".repeat(30));
        let output = run(tap(&flags, &["echo"]), long.as_bytes());
        assert!(output.stdout == long.as_bytes());
        assert_eq!(output.status.code(), Some(code), "{}", stderr_of(&output));
        let stderr = stderr_of(&output);
        assert!(stderr.contains("has only its beginning"), "{stderr}");
        assert!(stderr.contains("--max-line-bytes"), "{stderr}");
    }
}

fn a_command_that_reads_nothing() {
    // More than pipes hold, so that passing on has to wait; and then the command exits.
    let output = run(tap(&[], &["deaf", "300"]), &vec![b'x'; 4 << 20]);
    assert_eq!(output.status.code(), Some(0));
}

fn a_command_that_exits_at_once() {
    for _ in 0..20 {
        let output = run(tap(&[], &["print", "5"]), b"much to say\n");
        assert_eq!(output.stdout, GOOD.as_bytes());
        assert_eq!(output.status.code(), Some(5));
    }
    // Standard input stays open.
    let mut child = tap(&[], &["print", "5"]).spawn().unwrap();
    let stdin = child.stdin.take();
    let output = output(child);
    assert_eq!(output.status.code(), Some(5));
    drop(stdin);
}

/// The client sees the end when it comes, not when the command exits.
fn a_command_that_closes_its_output() {
    let mut child = tap_sh(&[], "echo end; exec >&-; cat >/dev/null; exit 6")
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut text = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(text, "end\n");
    assert!(child.try_wait().unwrap().is_none());
    stdin.write_all(b"more\n").unwrap();
    drop(stdin);
    assert_eq!(ended(&mut child).code(), Some(6));
}

/// The client learns that Codex no longer reads.
fn a_command_that_closes_its_input() {
    let mut child = tap_sh(&[], "exec <&-; echo closed; sleep 20")
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    until("the client is told", || {
        stdin.write_all(&[b'x'; 1000]).is_err()
    });
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The command learns that the client no longer reads.
fn a_reader_that_has_seen_enough() {
    let mut child = tap(&["--log", "/dev/null"], &["flood", "1000000"])
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 100];
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    // The helper panics where other programs end by SIGPIPE.
    assert_eq!(ended(&mut child).code(), Some(101));
}

/// Bytes wait for who reads them, also when the command is gone.
fn a_reader_that_is_slow() {
    let gone = folder("tap-slow-reader").join("gone");
    let helper = std::env::current_exe().unwrap();
    let (helper, mark) = (helper.display(), gone.display());
    let script = format!("'{helper}' {} flood 1; : >'{mark}'", crate::child::FLAG);
    let mut child = tap_sh(&["--log", "/dev/null"], &script).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut back = Vec::new();
    let mut buffer = vec![0; 16 << 10];
    // Pipes hold less than the command writes: it ends when the rest fits in them.
    let rest = 32 << 10;
    while back.len() < (1 << 20) - rest {
        let read = stdout.read(&mut buffer).unwrap();
        assert_ne!(read, 0, "{} bytes came", back.len());
        back.extend_from_slice(&buffer[..read]);
    }
    until("the command has written all", || gone.exists());
    stdout.read_to_end(&mut back).unwrap();
    assert!(back.len() > 1 << 20);
    assert!(back.ends_with(b"\"output_tokens\":2}}\n"));
    assert!(ended(&mut child).success());
}

fn a_flood_passes() {
    let begun = Instant::now();
    let output = run(tap(&["--verdict"], &["flood", "32"]), b"");
    assert!(output.stdout.len() > 32 << 20);
    let stderr = stderr_of(&output);
    assert!(stderr.contains(" messages: conforms"), "{stderr}");
    assert_eq!(output.status.code(), Some(0));
    println!("32 MiB in {:?}", begun.elapsed());
}

fn somebody_left_behind_is_not_waited_for() {
    let begun = Instant::now();
    let output = {
        let mut command = tap_sh(&[], "sleep 20 2>/dev/null & echo gone; exit 3");
        command.stdin(std::process::Stdio::null());
        output(command.spawn().unwrap())
    };
    assert_eq!(output.stdout, b"gone\n");
    assert_eq!(output.status.code(), Some(3));
    assert!(begun.elapsed() < Duration::from_secs(15));
}

/// If standard error is not read, traffic still flows.
fn a_report_that_is_not_read() {
    let mut child = tap(&["-p", "exec"], &["echo"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let stderr = child.stderr.take().unwrap();
    let input = BAD.repeat(20_000);
    let length = input.len();
    let writer = thread::spawn(move || stdin.write_all(input.as_bytes()).unwrap());
    let mut back = vec![0; length];
    stdout.read_exact(&mut back).unwrap();
    writer.join().unwrap();
    drop(stderr);
    assert_eq!(ended(&mut child).code(), Some(0));
}

/// A line there and back, with and without `tap`. The bound is far above what it takes: it is
/// to notice a wait, such as for a full buffer, and not a busy machine.
fn round_trips_are_quick() {
    const TRIPS: usize = 300;
    let median = |mut command: std::process::Command| {
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut numbers = Numbers(7);
        let mut times: Vec<Duration> = (0..TRIPS)
            .map(|trip| {
                let text = "x".repeat(numbers.below(4000));
                let line =
                    format!("{{\"id\":{trip},\"method\":\"x\",\"params\":{{\"t\":\"{text}\"}}}}\n");
                let begun = Instant::now();
                stdin.write_all(line.as_bytes()).unwrap();
                let mut back = String::new();
                stdout.read_line(&mut back).unwrap();
                assert_eq!(back, line);
                begun.elapsed()
            })
            .collect();
        drop(stdin);
        assert!(ended(&mut child).success());
        times.sort();
        times[TRIPS / 2]
    };
    let direct = {
        let mut command = std::process::Command::new(std::env::current_exe().unwrap());
        command.args([crate::child::FLAG, "echo"]);
        let piped = std::process::Stdio::piped;
        command.stdin(piped()).stdout(piped());
        median(command)
    };
    let tapped = median(tap(&["--log", "/dev/null", "-p", "app-server"], &["echo"]));
    println!("a round trip takes {direct:?}, through tap {tapped:?}");
    assert!(
        tapped < direct + Duration::from_millis(20),
        "{direct:?} {tapped:?}"
    );
}
