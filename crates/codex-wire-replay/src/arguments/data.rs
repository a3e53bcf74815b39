//! What releases of Codex say of their command line, recorded from the real binaries on Linux.
//!
//! `cargo xtask arguments` writes the files of the folder `data`. Texts of all releases are woven
//! into one: a part that releases share stands there once, below a line with their ranges.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use codex_wire_base::Release;

macro_rules! command {
    ($name:literal) => {
        Command {
            name: $name,
            help: include_str!(concat!("data/help/", $name, ".txt")),
            short_help: include_str!(concat!("data/short-help/", $name, ".txt")),
        }
    };
}

/// The commands whose help is recorded, by the name of their files: `exec-resume` for
/// `codex exec resume`.
pub const COMMANDS: &[Command] = &[
    command!("codex"),
    command!("exec"),
    command!("exec-resume"),
    command!("exec-fork"),
    command!("exec-review"),
    command!("app-server"),
    command!("proto"),
    command!("login"),
    command!("login-status"),
];

/// A command, and its woven help texts.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The name of its files.
    pub name: &'static str,
    /// What `--help` prints.
    pub help: &'static str,
    /// What `-h` prints.
    pub short_help: &'static str,
}

/// The releases that were recorded, one in a line, in their order.
pub const RELEASES: &str = include_str!("data/releases.txt");

/// What the help does not say, one fact in a line.
pub const FACTS: &str = include_str!("data/facts.txt");

/// What Codex prints where its arguments are fine and it still goes no further, as a log of
/// runs: the arguments, then what came of them.
pub const ANSWERS: &str = include_str!("data/answers.txt");

/// What a process printed, and its exit status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The exit status; `None` if it had to be killed.
    pub status: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// The releases that were recorded.
pub fn releases() -> impl Iterator<Item = Release> {
    RELEASES.lines().filter_map(|line| line.parse().ok())
}

/// The text of one release out of a woven text; empty if the release has none.
pub fn text_of(woven: &str, release: Release) -> String {
    let mut out = String::new();
    let mut is_part = false;
    for line in woven.split_inclusive('\n') {
        match line.strip_prefix('@') {
            Some(ranges) => is_part = ranges.split_whitespace().any(|range| holds(range, release)),
            None if is_part => out.push_str(line),
            None => {}
        }
    }
    out
}

/// Whether a range like `0.20.0-0.42.0`, `0.44.0` or `0.58.0-` holds a release.
fn holds(range: &str, release: Release) -> bool {
    let parse = |text: &str| text.parse::<Release>().ok();
    match range.split_once('-') {
        None => parse(range) == Some(release),
        Some((first, last)) => {
            parse(first).is_some_and(|first| first <= release)
                && (last.is_empty() || parse(last).is_some_and(|last| release <= last))
        }
    }
}

/// Writes a run as a part of a log: the arguments behind `$`, the lines of standard output behind
/// `1|` and of standard error behind `2|`, the exit status behind `=`.
pub fn write_run(log: &mut String, name: &str, output: &Output) {
    let _ = writeln!(log, "$ {name}");
    for (mark, text) in [("1|", &output.stdout), ("2|", &output.stderr)] {
        for line in text.split_inclusive('\n') {
            let _ = writeln!(log, "{mark}{}", line.strip_suffix('\n').unwrap_or(line));
        }
    }
    match output.status {
        Some(status) => writeln!(log, "= {status}"),
        None => writeln!(log, "= killed"),
    }
    .unwrap_or_default();
}

/// Reads a log of runs, by their arguments.
pub fn read_runs(log: &str) -> BTreeMap<String, Output> {
    let mut runs = BTreeMap::new();
    let mut name = String::new();
    let mut output = Output::default();
    for line in log.lines() {
        if let Some(text) = line.strip_prefix("$ ") {
            name = text.to_owned();
        } else if let Some(text) = line.strip_prefix("1|") {
            output.stdout += text;
            output.stdout.push('\n');
        } else if let Some(text) = line.strip_prefix("2|") {
            output.stderr += text;
            output.stderr.push('\n');
        } else if let Some(text) = line.strip_prefix("= ") {
            output.status = text.parse().ok();
            runs.insert(std::mem::take(&mut name), std::mem::take(&mut output));
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_gets_its_parts_of_a_woven_text() {
        let woven = "@ 0.20.0-\none\n@ 0.20.0-0.42.0 0.58.0\ntwo\n@ 0.44.0-\nthree\n";
        let text = |release: &str| text_of(woven, release.parse().unwrap());
        assert_eq!(text("0.20.0"), "one\ntwo\n");
        assert_eq!(text("0.44.0"), "one\nthree\n");
        assert_eq!(text("0.58.0"), "one\ntwo\nthree\n");
        assert_eq!(text("0.19.0"), "");
    }

    #[test]
    fn a_run_is_read_as_it_was_written() {
        let output = Output {
            status: Some(2),
            stdout: "a\n\n = b\n".to_owned(),
            stderr: "$ c\n".to_owned(),
        };
        let killed = Output::default();
        let mut log = String::new();
        write_run(&mut log, "exec --x", &output);
        write_run(&mut log, "app-server", &killed);
        let runs = read_runs(&log);
        assert_eq!(runs["exec --x"], output);
        assert_eq!(runs["app-server"], killed);
    }
}
