//! Asks releases of Codex what they take on their command line, and writes down what they say.

mod facts;
mod features;
mod help;
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use app_server_codegen::availability;
use codex_wire::Release;
use codex_wire_replay::arguments::data::{self, COMMANDS};

use self::features::Features;
use self::help::Help;
use self::run::{Output, Stage};
use crate::app_server::binaries;

/// Where the library keeps what is recorded: the releases, and what each takes.
const RELEASES: &str = "crates/codex-wire-replay/src/arguments/data/releases.txt";
const FACTS: &str = "crates/codex-wire-replay/src/arguments/data/facts.txt";

const FEATURES: &str = "crates/codex-wire-replay/src/arguments/data/features.txt";

/// The command lines that tests try, with the exit status of each release.
const COMMAND_LINES: &str = "crates/codex-wire-replay/tests/it/arguments/command-lines.txt";

/// A fact, with the place of its command in [`COMMANDS`].
type Fact = (usize, String);

/// Everything that is written down.
struct Recorded {
    releases: BTreeSet<Release>,
    header: Vec<String>,
    facts: BTreeMap<Fact, BTreeSet<Release>>,
    features: Features,
    lines: Vec<Line>,
}

/// A line of the command lines.
enum Line {
    /// A comment, or an empty one.
    Comment(String),
    /// Arguments, and what releases exited with.
    Arguments(String, BTreeMap<Release, i32>),
}

/// Asks releases, which are fetched where they are not there, and writes down what they take; without
/// a version, those that are written down. Tells `progress` what is being done.
///
/// # Errors
/// When a release cannot be fetched or run, or a file cannot be read or written.
pub fn record(root: &Path, versions: &[Release], mut progress: impl FnMut(&str)) -> Result<()> {
    let mut recorded = Recorded::read(root)?;
    let versions = match versions {
        [] => recorded.releases.iter().copied().collect(),
        _ => versions.to_vec(),
    };
    let folder = tempfile::tempdir()?;
    let mut asked = Vec::new();
    let mut seen = recorded.flags();
    for release in versions {
        let program = binaries::fetch(&release.to_string())?;
        let stage = Stage::new(&program, &folder.path().join(release.to_string()))?;
        let help = help_of(&stage)?;
        for (command, help) in &help {
            seen[*command].extend(help.options.iter().map(help::Opt::flag));
        }
        asked.push((release, stage, help));
    }
    // What `codex exec` takes, the commands below it take in some releases.
    let exec = seen[1].clone();
    for (flags, command) in seen.iter_mut().zip(COMMANDS) {
        if command.starts_with("exec ") {
            flags.extend(exec.iter().cloned());
        }
    }
    for (release, stage, help) in asked {
        progress(&format!("{release}: flags"));
        recorded.forget(release);
        for (command, help) in &help {
            for fact in facts::facts(&stage, &words(*command), help, &seen[*command])? {
                let releases = recorded.facts.entry((*command, fact)).or_default();
                releases.insert(release);
            }
        }
        recorded.features.ask(release, &stage)?;
        progress(&format!("{release}: command lines"));
        for line in &mut recorded.lines {
            if let Line::Arguments(arguments, statuses) = line {
                statuses.insert(release, status(&stage, arguments)?);
            }
        }
    }
    recorded.write(root)
}

/// What a release shows, lists and exits with now, and what is written down, for each kind; without what is
/// found by trying flags, which takes long.
///
/// # Errors
/// When the release cannot be run, or a file cannot be read.
pub fn compare(
    root: &Path,
    release: Release,
    program: &Path,
) -> Result<[(&'static str, String, String); 3]> {
    let folder = tempfile::tempdir()?;
    let stage = Stage::new(program, folder.path())?;
    let recorded = Recorded::read(root)?;
    let is_of = |releases: &BTreeSet<Release>| releases.contains(&release);
    let facts = recorded.facts.iter().filter(|(_, of)| is_of(of));
    let written: BTreeSet<Fact> = facts
        .filter_map(|((command, fact), _)| Some((*command, shown(fact)?)))
        .collect();
    let mut found = BTreeSet::new();
    for (command, help) in help_of(&stage)? {
        found.extend(help.facts().map(|fact| (command, fact)));
    }
    let text = |facts: &BTreeSet<Fact>| {
        let lines = facts
            .iter()
            .map(|(command, fact)| format!("{}: {fact}\n", COMMANDS[*command]));
        lines.collect::<String>()
    };
    let (mut before, mut now) = (String::new(), String::new());
    for line in &recorded.lines {
        if let Line::Arguments(arguments, statuses) = line {
            let _ = writeln!(before, "{arguments} => {:?}", statuses.get(&release));
            let status = Some(status(&stage, arguments)?);
            let _ = writeln!(now, "{arguments} => {status:?}");
        }
    }
    let mut now_listed = recorded.features.clone();
    now_listed.forget(release);
    now_listed.ask(release, &stage)?;
    Ok([
        ("help", text(&written), text(&found)),
        (
            "features",
            recorded.features.printed(release),
            now_listed.printed(release),
        ),
        ("exit statuses", before, now),
    ])
}

/// What the help shows of a fact, if anything.
fn shown(fact: &str) -> Option<String> {
    if [" = ", " excludes "].iter().any(|verb| fact.contains(verb)) || fact.ends_with(" hidden") {
        return None;
    }
    let fact = fact.replace(" plain", "").replace(" repeats", "");
    Some(match fact.split_once(" of ") {
        // A refusal names these.
        Some((flag, forms)) if forms.contains("://") => flag.to_owned(),
        _ => fact,
    })
}

/// The help of each command that a release has.
fn help_of(stage: &Stage) -> Result<Vec<(usize, Help)>> {
    let mut all = Vec::new();
    for command in 0..COMMANDS.len() {
        let words = words(command);
        let output = stage.run(&[words.as_slice(), &["--help"]].concat())?;
        // A release that does not have a command takes its name for a prompt.
        let usage = [&["Usage: codex"], words.as_slice()].concat().join(" ");
        let is_there = output.stdout.lines().any(|line| {
            line.strip_prefix(&usage)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        });
        if is_there {
            all.push((command, Help::read(&output.stdout)));
        }
    }
    Ok(all)
}

/// What Codex exits with for the arguments of a line.
fn status(stage: &Stage, arguments: &str) -> Result<i32> {
    // `''` is an empty word.
    let words = arguments
        .split(' ')
        .map(|word| if word == "''" { "" } else { word });
    let Output {
        status,
        stdout,
        stderr,
    } = stage.run(&words.collect::<Vec<_>>())?;
    let status = status.with_context(|| format!("`codex {arguments}` goes on"))?;
    let is_well_said = match status {
        0 => stderr.is_empty(),
        _ => !stderr.is_empty() && (status != 2 || stdout.is_empty()),
    };
    ensure!(
        is_well_said,
        "`codex {arguments}` exits with {status} and prints to another stream than expected"
    );
    Ok(status)
}

/// The words of a command.
fn words(command: usize) -> Vec<&'static str> {
    match COMMANDS[command] {
        "codex" => Vec::new(),
        name => name.split(' ').collect(),
    }
}

impl Recorded {
    fn read(root: &Path) -> Result<Self> {
        let text = |file: &str| {
            let path = root.join(file);
            fs::read_to_string(&path).with_context(|| path.display().to_string())
        };
        let mut recorded = Recorded {
            releases: text(RELEASES)?
                .lines()
                .map(|line| line.parse().context("the list of releases"))
                .collect::<Result<_>>()?,
            header: Vec::new(),
            facts: BTreeMap::new(),
            features: Features::default(),
            lines: Vec::new(),
        };
        recorded.features = Features::read(&text(FEATURES)?, |ranges| recorded.of(ranges))?;
        for line in text(FACTS)?.lines() {
            if line.starts_with('#') {
                recorded.header.push(line.to_owned());
                continue;
            }
            let (fact, ranges) = line.rsplit_once(" @ ").context("a fact has releases")?;
            let (command, fact) = fact.split_once(": ").context("a fact has a command")?;
            let place = COMMANDS.iter().position(|known| *known == command);
            let place = place.with_context(|| format!("an unknown command: {command}"))?;
            let releases = recorded.of(ranges);
            recorded.facts.insert((place, fact.to_owned()), releases);
        }
        for line in text(COMMAND_LINES)?.lines() {
            if line.is_empty() || line.starts_with('#') {
                recorded.lines.push(Line::Comment(line.to_owned()));
                continue;
            }
            // A new line has no statuses yet.
            let (arguments, list) = line.split_once(" => ").unwrap_or((line, ""));
            let mut statuses = BTreeMap::new();
            for (status, ranges) in list.split("; ").filter_map(|one| one.split_once(' ')) {
                let status: i32 = status.parse().context("an exit status")?;
                let releases = recorded.of(ranges);
                statuses.extend(releases.into_iter().map(|release| (release, status)));
            }
            let line = Line::Arguments(arguments.to_owned(), statuses);
            recorded.lines.push(line);
        }
        Ok(recorded)
    }

    /// The recorded releases within ranges.
    fn of(&self, ranges: &str) -> BTreeSet<Release> {
        let releases = self.releases.iter().copied();
        releases
            .filter(|release| data::holds(ranges, *release))
            .collect()
    }

    /// The flags that are known of each command, whatever the release.
    fn flags(&self) -> [BTreeSet<String>; COMMANDS.len()] {
        let mut flags = [const { BTreeSet::new() }; COMMANDS.len()];
        for (command, fact) in self.facts.keys() {
            let flag = fact.split(' ').next().unwrap_or_default();
            if flag.starts_with("--") {
                flags[*command].insert(flag.to_owned());
            }
        }
        flags
    }

    /// Drops the facts of a release, which is asked again.
    fn forget(&mut self, release: Release) {
        self.releases.insert(release);
        for releases in self.facts.values_mut() {
            releases.remove(&release);
        }
        self.facts.retain(|_, releases| !releases.is_empty());
        self.features.forget(release);
    }

    fn write(&self, root: &Path) -> Result<()> {
        let all: Vec<Release> = self.releases.iter().copied().collect();
        let releases: String = all.iter().map(|release| format!("{release}\n")).collect();
        fs::write(root.join(RELEASES), releases)?;
        let mut facts = self.header.join("\n") + "\n";
        for ((command, fact), releases) in &self.facts {
            let (command, ranges) = (COMMANDS[*command], ranges(releases, &all));
            let _ = writeln!(facts, "{command}: {fact} @ {ranges}");
        }
        fs::write(root.join(FACTS), facts)?;
        let features = self.features.write(|releases| ranges(releases, &all));
        fs::write(root.join(FEATURES), features)?;
        let mut lines = String::new();
        for line in &self.lines {
            let _ = match line {
                Line::Comment(text) => writeln!(lines, "{text}"),
                Line::Arguments(arguments, statuses) => {
                    writeln!(lines, "{arguments} => {}", outcomes(statuses, &all))
                }
            };
        }
        fs::write(root.join(COMMAND_LINES), lines)?;
        Ok(())
    }
}

/// Exit statuses with the ranges of their releases, in the order of the releases.
fn outcomes(statuses: &BTreeMap<Release, i32>, all: &[Release]) -> String {
    let mut groups: Vec<(i32, BTreeSet<Release>)> = Vec::new();
    for (release, status) in statuses {
        match groups.iter_mut().find(|(known, _)| known == status) {
            Some((_, releases)) => _ = releases.insert(*release),
            None => groups.push((*status, [*release].into())),
        }
    }
    let groups = groups.iter();
    let groups = groups.map(|(status, releases)| format!("{status} {}", ranges(releases, all)));
    groups.collect::<Vec<_>>().join("; ")
}

/// Releases as ranges in the list of all recorded ones: `0.20.0-0.42.0`, `0.44.0`, or `0.58.0-` up to
/// the newest.
fn ranges(releases: &BTreeSet<Release>, all: &[Release]) -> String {
    let ranges = availability::ranges(all, |one| releases.contains(one).then_some(()));
    let texts = ranges.map(|((), first, last)| match Some(&last) == all.last() {
        true => format!("{first}-"),
        false if first == last => first.to_string(),
        false => format!("{first}-{last}"),
    });
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository;

    #[test]
    fn what_is_read_is_written_again() {
        let copy = tempfile::tempdir().expect("a folder");
        let root = repository();
        for file in [RELEASES, FACTS, FEATURES, COMMAND_LINES] {
            let folder = copy.path().join(file);
            fs::create_dir_all(folder.parent().expect("a folder")).expect("a folder");
        }
        let recorded = Recorded::read(&root).expect("it is well formed");
        recorded.write(copy.path()).expect("it can be written");
        for file in [RELEASES, FACTS, FEATURES, COMMAND_LINES] {
            let read = |root: &Path| fs::read_to_string(root.join(file)).expect("a file");
            assert_eq!(read(copy.path()), read(&root), "{file}");
        }
    }

    #[test]
    fn ranges_are_those_of_the_recorded_releases() {
        let release = |minor: &u32| Release::new(0, *minor, 0);
        let all: Vec<_> = [1, 2, 3, 4, 5, 6].iter().map(release).collect();
        let ranges = |minors: &[u32]| super::ranges(&minors.iter().map(release).collect(), &all);
        assert_eq!(ranges(&[1, 2, 3]), "0.1.0-0.3.0");
        assert_eq!(ranges(&[1, 3, 5, 6]), "0.1.0 0.3.0 0.5.0-");
        assert_eq!(ranges(&[6]), "0.6.0-");
        assert_eq!(ranges(&[]), "");
    }
}
