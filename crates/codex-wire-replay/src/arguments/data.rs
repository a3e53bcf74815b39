//! What releases of Codex take on their command line, recorded from the real binaries on Linux.
//!
//! `cargo xtask arguments` writes the files of the folder `data`.

pub mod features;

use codex_wire_base::Release;

/// The commands whose arguments are recorded; `codex` is what stands before a command.
pub const COMMANDS: &[&str] = &[
    "codex",
    "exec",
    "exec resume",
    "exec fork",
    "exec review",
    "app-server",
    "proto",
    "login",
    "login status",
];

/// The releases that were recorded, one on each line, oldest first.
const RELEASES: &str = include_str!("data/releases.txt");

/// One fact on each line: `exec: --color <COLOR> of always|never|auto @ 0.20.0-`.
const FACTS: &str = include_str!("data/facts.txt");

/// The same of commands that are not among [`COMMANDS`]: fewer releases were asked.
const BY_HAND: &str = include_str!("data/by-hand.txt");

/// The releases that were recorded.
pub fn releases() -> impl Iterator<Item = Release> {
    RELEASES.lines().filter_map(|line| line.parse().ok())
}

/// What a recorded release takes: commands, each with one fact.
pub fn facts(release: Release) -> impl Iterator<Item = (&'static str, &'static str)> {
    let facts = FACTS.lines().chain(BY_HAND.lines());
    facts.filter_map(move |line| {
        let (fact, ranges) = line.rsplit_once(" @ ")?;
        holds(ranges, release).then(|| fact.split_once(": "))?
    })
}

/// Whether ranges like `0.20.0-0.42.0 0.44.0 0.58.0-` hold a release.
pub fn holds(ranges: &str, release: Release) -> bool {
    let parse = |text: &str| text.parse::<Release>().ok();
    ranges
        .split_whitespace()
        .any(|range| match range.split_once('-') {
            None => parse(range) == Some(release),
            Some((first, last)) => {
                parse(first).is_some_and(|first| first <= release)
                    && (last.is_empty() || parse(last).is_some_and(|last| release <= last))
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_is_between_their_ends() {
        let holds = |release: &str| {
            let release = release.parse().expect("a release");
            super::holds("0.20.0-0.42.0 0.44.0 0.58.0-", release)
        };
        for release in ["0.20.0", "0.40.0", "0.42.0", "0.44.0", "0.58.0", "1.0.0"] {
            assert!(holds(release), "{release}");
        }
        for release in ["0.19.0", "0.43.0", "0.44.1", "0.57.0"] {
            assert!(!holds(release), "{release}");
        }
    }

    #[test]
    fn each_line_is_a_fact_about_a_recorded_command_and_release() {
        let releases: Vec<Release> = releases().collect();
        assert!(releases.is_sorted());
        for line in FACTS.lines().filter(|line| !line.starts_with('#')) {
            let (fact, ranges) = line.rsplit_once(" @ ").expect("ranges");
            let (command, _) = fact.split_once(": ").expect("a command");
            assert!(COMMANDS.contains(&command), "{line}");
            let known = |release: &Release| super::holds(ranges, *release);
            assert!(releases.iter().any(known), "{line}");
        }
    }
}
