//! Holds the command line of each release against what the real binary said, one test for each
//! release and command line of `command-lines.txt`. `cargo xtask arguments` writes `recorded.txt`.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod values;

use std::collections::BTreeSet;
use std::process::ExitCode;
use std::sync::Arc;

use codex_wire_replay::arguments::data::{self, COMMANDS, Output};
use codex_wire_replay::arguments::{Answer, CommandLine, Invocation};
use libtest_mimic::{Arguments, Failed, Trial};

const RECORDED: &str = include_str!("recorded.txt");

fn main() -> ExitCode {
    let mut trials = values::trials();
    let mut count = 0;
    for release in data::releases() {
        let command_line = Arc::new(CommandLine::of(release));
        assert_eq!(command_line.recorded(), release);
        for (words, output) in data::read_runs(&data::text_of(RECORDED, release)) {
            count += 1;
            let command_line = Arc::clone(&command_line);
            let name = format!("codex {release}: {words}");
            trials.push(Trial::test(name, move || {
                agrees(&command_line, &words, &output)
            }));
        }
    }
    let everything = move || is_everything(count);
    trials.push(Trial::test(
        "each_release_was_tried_with_every_line",
        everything,
    ));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn is_everything(count: usize) -> Result<(), Failed> {
    let lines = include_str!("command-lines.txt").lines();
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let (lines, releases) = (
        lines.collect::<BTreeSet<_>>().len(),
        data::releases().count(),
    );
    match count == lines * releases && releases > 40 {
        true => Ok(()),
        false => Err(format!("{count} tests of {lines} lines and {releases} releases").into()),
    }
}

/// The stand-in says what Codex said, or goes on where Codex went on.
fn agrees(command_line: &CommandLine, line: &str, output: &Output) -> Result<(), Failed> {
    let words = line
        .split(' ')
        .map(|word| if word == "''" { "" } else { word });
    let answer = match command_line.parse(words) {
        Err(answer) | Ok(Invocation::Version(answer) | Invocation::Help(answer)) => answer,
        Ok(Invocation::LoginStatus) => command_line.login_status(false),
        Ok(invocation) => {
            // What comes then depends on more than the arguments.
            return match output.status == Some(2) || output.stderr.starts_with("error: ") {
                true => Err(format!("refused: {output:?}\nhere: {invocation:?}").into()),
                false => Ok(()),
            };
        }
    };
    let expected = Answer {
        status: u8::try_from(output.status.ok_or("it went on")?)?,
        stdout: in_full(command_line, &output.stdout),
        stderr: output.stderr.clone(),
    };
    match answer == expected {
        true => Ok(()),
        false => Err(format!("{answer:#?}\nis not\n{expected:#?}").into()),
    }
}

/// The help text, if only its file is named.
fn in_full(command_line: &CommandLine, stdout: &str) -> String {
    let named = |folder: &str, name: &str| stdout == format!("{folder}/{name}.txt\n");
    let woven = COMMANDS.iter().find_map(|command| match () {
        () if named("help", command.name) => Some(command.help),
        () if named("short-help", command.name) => Some(command.short_help),
        () => None,
    });
    match woven {
        Some(woven) => data::text_of(woven, command_line.recorded()),
        None => stdout.to_owned(),
    }
}
