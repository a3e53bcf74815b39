//! Signals reach the command, and its end is reported.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command};
use std::sync::mpsc;
use std::thread;

use crate::support::{
    BAD, GOOD, PATIENCE, ended, folder, is_ignored, output, program, tap, tap_sh, until,
};
use crate::{Trials, trials};

pub(crate) fn trials() -> Trials {
    trials![
        a_signal_is_passed_on,
        a_signal_ends_the_command,
        no_process_is_left_behind,
        who_is_killed_takes_the_command_along,
        an_interrupted_check_still_reports,
        an_interrupted_check_of_files_stops,
        an_interrupted_trial_leaves_nothing_behind,
    ]
}

/// Sends a signal to one program.
fn send(signal: &str, child: &Child) {
    send_to(signal, &child.id().to_string());
}

fn send_to(signal: &str, process: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{signal}"), process])
        .status();
    assert!(sent.unwrap().success());
}

/// Starts a command, and waits until it reports that it runs.
fn ready(mut command: Command) -> (Child, impl Iterator<Item = String>) {
    let mut child = command.spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut lines = lines.map(|line| line.unwrap());
    assert_eq!(lines.next().unwrap(), "ready");
    (child, lines)
}

fn a_signal_is_passed_on() {
    let (mut child, mut lines) = ready(tap(&[], &["caught"]));
    for signal in ["INT", "HUP", "USR1", "INT", "TERM"] {
        send(signal, &child);
        assert_eq!(lines.next().unwrap(), format!("SIG{signal}"));
    }
    assert_eq!(ended(&mut child).code(), Some(42));
}

fn a_signal_ends_the_command() {
    for (signal, code) in [("TERM", 143), ("INT", 130), ("HUP", 129), ("QUIT", 131)] {
        if is_ignored(signal) {
            continue;
        }
        let (child, _lines) = ready(tap(&[], &["wait"]));
        send(signal, &child);
        let output = output(child);
        assert_eq!(output.status.code(), Some(code));
        // The totals are still reported.
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("  by codex-wire "), "{text}");
    }
}

fn no_process_is_left_behind() {
    let (mut child, mut lines) = ready(tap_sh(&[], "echo ready; echo $$; exec sleep 60"));
    let process = lines.next().unwrap();
    send("TERM", &child);
    assert_eq!(ended(&mut child).code(), Some(143));
    assert!(!is_alive(&process));
}

/// Against SIGKILL nothing helps; but the command sees its ends closed.
fn who_is_killed_takes_the_command_along() {
    let script = "echo ready; echo $$; exec cat >/dev/null";
    let (mut child, mut lines) = ready(tap_sh(&[], script));
    let process = lines.next().unwrap();
    // Our end of standard input stays open: it is the tap's that is closed.
    send("KILL", &child);
    ended(&mut child);
    until("the command ends", || !is_alive(&process));
}

fn is_alive(process: &str) -> bool {
    let asked = Command::new("kill")
        .args(["-0", process])
        .stderr(std::process::Stdio::null())
        .status();
    asked.unwrap().success()
}

/// Waits until everything that was written is read.
fn is_read(pipe: &ChildStdin) {
    until("all is read", || {
        rustix::io::ioctl_fionread(pipe).unwrap() == 0
    });
}

/// The report has everything that was checked so far and says that it is incomplete. Nothing that may
/// have followed is reported as missing.
fn an_interrupted_check_still_reports() {
    for format in ["text", "json"] {
        let mut child = program(&["check", "--format", format, "-"])
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let (head, _) = GOOD.split_at(GOOD.find("{\"type\":\"turn.completed").unwrap());
        stdin.write_all(head.as_bytes()).unwrap();
        stdin.write_all(BAD.as_bytes()).unwrap();
        is_read(&stdin);
        // What reads this has passed on what it read before.
        stdin.write_all(b"{\"type\":").unwrap();
        is_read(&stdin);
        send("INT", &child);
        let output = output(child);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(text.contains("turn.stalled"), "{text}");
        assert!(text.contains("interrupted"), "{text}");
        assert!(!text.contains("sequence/"), "{text}");
        let messages = match format {
            "text" => "4 messages",
            _ => "\"messages\":4",
        };
        assert!(text.contains(messages), "{text}");
        drop(stdin);
    }
}

/// With one thread, what comes after the file that is read is not begun.
fn an_interrupted_check_of_files_stops() {
    let folder = folder("signals-interrupted");
    let path = folder.join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    fs::write(folder.join("a.jsonl"), [GOOD, BAD].concat()).unwrap();
    let names = ["a.jsonl", "pipe", "a.jsonl"].map(|name| folder.join(name));
    let mut command = program(&["check", "--threads", "1"]);
    command.args(&names);
    let child = command.spawn().unwrap();
    // A pipe is open for writing as soon as the program has opened it for reading.
    let (sender, opened) = mpsc::channel();
    thread::spawn(move || sender.send(fs::OpenOptions::new().write(true).open(path)));
    let pipe = opened.recv_timeout(PATIENCE).unwrap().unwrap();
    send("TERM", &child);
    let output = output(child);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("schema/unknown-kind").count(), 1, "{text}");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        complaint.contains("not everything was checked"),
        "{complaint}"
    );
    drop(pipe);
}

fn an_interrupted_trial_leaves_nothing_behind() {
    let folder = folder("signals-trial");
    let (path, temporary) = (folder.join("process"), folder.join("temporary"));
    fs::create_dir(&temporary).unwrap();
    let client = format!("sh -c 'echo $$ > {}; exec sleep 60'", path.display());
    for (args, signal) in [
        (&["conformance", "--scenario", "exec/message"][..], "TERM"),
        (&["upgrade", "--from", "0.150.0", "--to", "0.169.0"], "INT"),
    ] {
        if is_ignored(signal) {
            continue;
        }
        let mut command = program(args);
        command
            .args(["--client", &client])
            .env("TMPDIR", &temporary);
        let child = command.spawn().unwrap();
        let process = || fs::read_to_string(&path).unwrap_or_default();
        until("the client runs", || process().ends_with('\n'));
        send(signal, &child);
        let output = output(child);
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains("interrupted"), "{text}");
        assert!(!is_alive(process().trim_end()));
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0);
        fs::remove_file(&path).unwrap();
    }
}
