//! Pipes: closed ones, slow ones, endless ones.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::process::Stdio;

use crate::support::{GOOD, bad, command, folder, workspace};

#[test]
fn a_closed_pipe_is_quiet() {
    let folder = folder("closed");
    fs::write(folder.join("good.jsonl"), GOOD).unwrap();
    for args in [
        "check good.jsonl",
        "check --format json good.jsonl",
        "schema exec",
        "releases exec",
        "releases exec --format json",
        "check --help",
    ] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let output = command(&folder, args).stdout(writer).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args}");
        let code = output.status.code();
        let expected = if args.ends_with("--help") { 0 } else { 141 };
        assert_eq!(code, Some(expected), "{args}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_not_quiet() {
    for args in [
        "releases exec",
        "completions bash",
        "--help",
        "--version",
        "help check",
        "hooks test -h",
    ] {
        let full = fs::File::create("/dev/full").unwrap();
        let output = command(&workspace(), args).stdout(full).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.starts_with("codex-wire: ") && stderr.contains("space"),
            "{args}: {stderr}"
        );
        assert_eq!(output.status.code(), Some(2), "{args}");
    }
}

/// What was found in one input can be read while the next is still being written.
#[test]
fn reports_are_streams() {
    let folder = folder("stream");
    fs::write(folder.join("bad.jsonl"), bad()).unwrap();
    for format in ["text", "json"] {
        let args = format!("check --format {format} bad.jsonl -");
        let mut child = command(&folder, &args)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("schema/unknown-value") {
            let part = stdout.fill_buf().unwrap().to_vec();
            assert_ne!(part, [0; 0], "{format} ended");
            stdout.consume(part.len());
            seen.extend(part);
        }
        stdin.write_all(GOOD.as_bytes()).unwrap();
        drop(stdin);
        io::copy(&mut stdout, &mut io::sink()).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1));
    }
}

/// The peak of memory after a stream many times as large.
#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let mut child = command(&workspace(), "check -")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let text = "x".repeat(32 << 10);
    let head = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n";
    stdin.write_all(head.as_bytes()).unwrap();
    for id in 0..4096 {
        let line = format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_{id}\",\
             \"type\":\"agent_message\",\"text\":\"{text}\"}}}}\n"
        );
        stdin.write_all(line.as_bytes()).unwrap();
    }
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("4,098 messages: conforms"));
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let kibibytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(
        kibibytes < 64 << 10,
        "128 MiB of input took {kibibytes} KiB of memory"
    );
}
