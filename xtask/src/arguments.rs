//! Asks releases of Codex what they take on their command line, and writes down what they say.

mod facts;
mod run;
mod weave;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use codex_wire::Release;
use codex_wire_replay::arguments::data::{self, COMMANDS};
use codex_wire_replay::arguments::help::Help;

use self::run::{Login, Stage};
use self::weave::{ByRelease, weave};
use crate::app_server::binaries;

/// Where the library keeps what is recorded.
const DATA: &str = "crates/codex-wire-replay/src/arguments/data";

/// The arguments that tests try, one command line in a line, and what Codex says to them.
const TESTS: &str = "crates/codex-wire-replay/tests/arguments";

/// What the library has to say itself where the arguments are fine.
const ANSWERS: &[&str] = &[
    "--version",
    "exec --version",
    "exec",
    "exec -",
    "exec -c walrus",
    "exec -c walrus word",
    "app-server -c walrus",
    "proto -c walrus",
    "login status",
    "walrus",
];

/// What a release says, by the file it is kept in.
pub type Texts = BTreeMap<String, String>;

/// Asks releases, which are fetched where they are not there, and weaves what they say into the
/// files. Tells `progress` what is being done.
///
/// # Errors
/// When a release cannot be had or run, or a file cannot be read or written.
pub fn record(root: &Path, versions: &[Release], mut progress: impl FnMut(&str)) -> Result<()> {
    let mut all = read(root)?;
    let versions = match versions {
        [] => recorded(root)?,
        _ => versions.to_vec(),
    };
    let stage = tempfile::tempdir()?;
    let mut stages = Vec::new();
    for release in &versions {
        progress(&format!("{release}: help and answers"));
        let program = binaries::fetch(&release.to_string())?;
        let stage = Stage::new(&program, &stage.path().join(release.to_string()))?;
        for texts in all.values_mut() {
            texts.remove(release);
        }
        for (file, text) in ask(root, &stage)? {
            all.entry(file).or_default().insert(*release, text);
        }
        stages.push((release, stage));
    }
    let seen = seen(&all);
    for (release, stage) in stages {
        progress(&format!("{release}: what the help does not say"));
        let mut text = String::new();
        for command in COMMANDS {
            let help = help_of(&all, command.name, *release).unwrap_or_default();
            if help.is_empty() {
                continue;
            }
            let name = command
                .name
                .replace('-', " ")
                .replace("app server", "app-server");
            text += &match known(&all, command.name, &name, help) {
                Some(lines) => lines,
                None => facts::facts(&stage, &name, &Help::read(help), &seen[command.name])?,
            };
        }
        all.entry(FACTS.to_owned())
            .or_default()
            .insert(*release, text);
    }
    write(root, &all)
}

fn help_of<'a>(
    all: &'a BTreeMap<String, ByRelease>,
    file: &str,
    release: Release,
) -> Option<&'a str> {
    all.get(&help_file(file))?.get(&release).map(String::as_str)
}

/// The facts of a release whose help of a command has the same text: to find them takes long.
fn known(all: &BTreeMap<String, ByRelease>, file: &str, name: &str, help: &str) -> Option<String> {
    let mut others = all.get(FACTS)?.iter();
    let (_, text) = others.find(|(release, _)| help_of(all, file, **release) == Some(help))?;
    let prefix = format!("{name}: ");
    let lines = text
        .split_inclusive('\n')
        .filter(|line| line.starts_with(&prefix));
    Some(lines.collect())
}

/// What a release says now and what is written down, for each file; without the facts, which take
/// long to find.
///
/// # Errors
/// When the release cannot be run, or a file cannot be read.
pub fn compare(
    root: &Path,
    release: Release,
    program: &Path,
) -> Result<Vec<(String, String, String)>> {
    let stage = tempfile::tempdir()?;
    let stage = Stage::new(program, stage.path())?;
    let all = read(root)?;
    let now = ask(root, &stage)?;
    Ok(now
        .into_iter()
        .map(|(file, text)| {
            let recorded = all.get(&file).and_then(|texts| texts.get(&release));
            (file, recorded.cloned().unwrap_or_default(), text)
        })
        .collect())
}

/// What a release says: its help, its answers, and what it says to the arguments of the tests.
fn ask(root: &Path, stage: &Stage) -> Result<Texts> {
    let mut texts = Texts::new();
    for command in COMMANDS {
        let words = words(command.name);
        for (file, flag) in [
            (help_file(command.name), "--help"),
            (short_help_file(command.name), "-h"),
        ] {
            let output = stage.run(&[&words[..], &[flag]].concat(), Login::No)?;
            // A release that does not have a command takes its name for a prompt.
            let usage = ["Usage: codex".to_owned()]
                .into_iter()
                .chain(words.iter().map(|word| (*word).to_owned()));
            let usage = usage.collect::<Vec<_>>().join(" ");
            let is_there = output.stdout.lines().any(|line| {
                line.strip_prefix(&usage)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            });
            texts.insert(
                file,
                if is_there {
                    output.stdout
                } else {
                    String::new()
                },
            );
        }
    }
    let mut answers = String::new();
    for line in ANSWERS {
        let output = stage.run(&line.split(' ').collect::<Vec<_>>(), Login::No)?;
        data::write_run(&mut answers, line, &output);
    }
    let output = stage.run(&["login", "status"], Login::Key)?;
    data::write_run(&mut answers, "login status # with a key", &output);
    texts.insert("answers.txt".to_owned(), answers);
    let mut log = String::new();
    for line in cases(root)? {
        let output = stage.run(&split(&line), Login::No)?;
        data::write_run(&mut log, &line, &elided(output, &texts));
    }
    texts.insert(RECORDED.to_owned(), log);
    Ok(texts)
}

/// The file of what the help does not say.
const FACTS: &str = "facts.txt";

/// The file of what Codex says to the arguments of the tests.
const RECORDED: &str = "recorded.txt";

/// A help text is written down once.
fn elided(mut output: data::Output, texts: &Texts) -> data::Output {
    if let Some((file, _)) = texts
        .iter()
        .find(|(_, text)| !text.is_empty() && **text == output.stdout)
    {
        output.stdout = format!("{file}\n");
    }
    output
}

/// The words of a command line in the list of the tests: `''` is an empty one.
fn split(line: &str) -> Vec<&str> {
    let words = line.split(' ');
    words
        .map(|word| if word == "''" { "" } else { word })
        .collect()
}

/// The command lines that the tests try.
fn cases(root: &Path) -> Result<Vec<String>> {
    let path = root.join(TESTS).join("command-lines.txt");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// The words of a command, by the name of its files.
fn words(name: &str) -> Vec<&str> {
    match name {
        "codex" => Vec::new(),
        "app-server" => vec![name],
        _ => name.split('-').collect(),
    }
}

fn help_file(command: &str) -> String {
    format!("help/{command}.txt")
}

fn short_help_file(command: &str) -> String {
    format!("short-help/{command}.txt")
}

/// For each command, the options that any release shows.
fn seen(all: &BTreeMap<String, ByRelease>) -> BTreeMap<&'static str, BTreeSet<String>> {
    let options = |name: &str| {
        let texts = all
            .get(&help_file(name))
            .into_iter()
            .flat_map(BTreeMap::values);
        texts
            .flat_map(|text| Help::read(text).options)
            .map(|option| option.flag())
            .collect()
    };
    // What `codex exec` takes, the commands below it take in some releases.
    let exec: BTreeSet<String> = options("exec");
    let all = COMMANDS.iter().map(|command| {
        let mut seen: BTreeSet<String> = options(command.name);
        if command.name.starts_with("exec-") {
            seen.extend(exec.iter().cloned());
        }
        (command.name, seen)
    });
    all.collect()
}

/// The file with a text, below the checkout.
fn path(root: &Path, file: &str) -> PathBuf {
    let folder = if file == RECORDED { TESTS } else { DATA };
    root.join(folder).join(file)
}

/// The files there can be.
fn files() -> impl Iterator<Item = String> {
    let commands = COMMANDS.iter().map(|command| command.name);
    let help = commands.flat_map(|name| [help_file(name), short_help_file(name)]);
    help.chain([FACTS, "answers.txt", RECORDED].map(str::to_owned))
}

/// The releases that are written down.
fn recorded(root: &Path) -> Result<Vec<Release>> {
    let text = fs::read_to_string(root.join(DATA).join("releases.txt"))?;
    text.lines()
        .map(|line| line.parse().context("the list of releases"))
        .collect()
}

/// All texts that are written down.
fn read(root: &Path) -> Result<BTreeMap<String, ByRelease>> {
    let releases = recorded(root)?;
    let mut all = BTreeMap::new();
    for file in files() {
        let path = path(root, &file);
        let woven = if path.exists() {
            fs::read_to_string(&path)?
        } else {
            String::new()
        };
        let texts = releases
            .iter()
            .map(|release| (*release, data::text_of(&woven, *release)));
        all.insert(file, texts.collect::<ByRelease>());
    }
    Ok(all)
}

/// Writes all texts down.
fn write(root: &Path, all: &BTreeMap<String, ByRelease>) -> Result<()> {
    let releases: BTreeSet<Release> = all
        .values()
        .flat_map(|texts| texts.keys().copied())
        .collect();
    let releases: Vec<Release> = releases.into_iter().collect();
    for (file, texts) in all {
        let woven = weave(texts, &releases);
        for (release, text) in texts {
            ensure!(
                data::text_of(&woven, *release) == *text,
                "{file} of {release} cannot be woven"
            );
        }
        let path = path(root, file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(path, woven)?;
    }
    let mut list = String::new();
    for release in &releases {
        let _ = writeln!(list, "{release}");
    }
    fs::write(root.join(DATA).join("releases.txt"), list)?;
    Ok(())
}
