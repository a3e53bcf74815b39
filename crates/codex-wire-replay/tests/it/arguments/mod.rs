//! The command line of each release takes and refuses what the real binary took and refused.

mod values;

use std::fmt::Write as _;

use codex_wire_replay::arguments::{Answer, CommandLine, Invocation, data};

/// What each release exited with, written by `cargo xtask arguments`.
const COMMAND_LINES: &str = include_str!("command-lines.txt");

#[test]
fn the_exit_status_of_each_command_line_is_that_of_the_release() {
    let releases: Vec<_> = data::releases().collect();
    let command_lines: Vec<_> = releases.iter().copied().map(CommandLine::of).collect();
    let (mut count, mut wrong) = (0, String::new());
    for line in COMMAND_LINES.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (arguments, statuses) = line.split_once(" => ").expect("what came of it");
        for (release, command_line) in releases.iter().zip(&command_lines) {
            let mut statuses = statuses
                .split("; ")
                .filter_map(|status| status.split_once(' '));
            let recorded = statuses.find(|(_, ranges)| data::holds(ranges, *release));
            let (recorded, _) = recorded.unwrap_or_else(|| panic!("{release} has no {arguments}"));
            count += 1;
            if let Err(here) = agrees(command_line, arguments, recorded) {
                let _ = writeln!(
                    wrong,
                    "codex {release}: {arguments}: {recorded}, but {here}"
                );
            }
        }
    }
    assert!(count > 8_000, "only {count} were tried");
    assert!(wrong.is_empty(), "{wrong}");
}

/// The stand-in exits with the same status, or goes on where Codex was not stopped by its arguments.
fn agrees(command_line: &CommandLine, arguments: &str, recorded: &str) -> Result<(), String> {
    let words = arguments.split(' ');
    let words = words.map(|word| if word == "''" { "" } else { word });
    let (answer, is_refused) = match command_line.parse(words) {
        Ok(Invocation::Print(answer)) => (answer, false),
        Err(answer) => (answer, true),
        Ok(Invocation::LoginStatus) => (command_line.login_status(false), true),
        Ok(invocation) => {
            return match recorded {
                // What comes then depends on more than the arguments.
                "1" => Ok(()),
                _ => Err(format!("{invocation:?}")),
            };
        }
    };
    let Answer {
        status,
        stdout,
        stderr,
    } = &answer;
    let is_well_said = match is_refused {
        true => stdout.is_empty() && stderr.ends_with('\n'),
        false => stderr.is_empty() && stdout.ends_with('\n'),
    };
    match is_well_said && recorded == status.to_string() {
        true => Ok(()),
        false => Err(format!("{answer:?}")),
    }
}
