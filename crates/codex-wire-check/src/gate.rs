//! A test harness for other projects: a test fails if a transcript does not conform.
//!
//! One line makes every transcript under a folder a named test. In `Cargo.toml`:
//!
//! ```toml
//! [dev-dependencies]
//! codex-wire-check = { version = "0.1", features = ["gate"] }
//!
//! [[test]]
//! name = "transcripts"
//! harness = false
//! ```
//!
//! and in `tests/transcripts.rs`:
//!
//! ```no_run
//! use codex_wire_check::{Options, gate};
//!
//! fn main() {
//!     gate::main("tests/transcripts", Options::new());
//! }
//! ```
//!
//! `cargo test --test transcripts` then runs one test per file, `-- --list` lists them, and a
//! word runs those with the word in their path. A test fails with what was found, in words.
//!
//! Transcripts of several releases go into folders named after them:
//!
//! ```no_run
//! use codex_wire_base::Protocol;
//! use codex_wire_check::gate;
//!
//! fn main() {
//!     // tests/transcripts/0.44.0/message.jsonl is checked as what 0.44.0 writes.
//!     gate::main("tests/transcripts", gate::by_release_folder(Protocol::Exec));
//! }
//! ```
//!
//! Findings that are known and expected go into a [baseline](crate::baseline), a file in TOML.
//! Each entry of it becomes a test as well, which fails when what it expects no longer occurs:
//!
//! ```no_run
//! use codex_wire_check::{Options, gate};
//!
//! fn main() {
//!     gate::main_with_baseline("tests/transcripts", Options::new(), "tests/known.toml");
//! }
//! ```
//!
//! The paths in it begin with the folder, as in `tests/transcripts/run.jsonl`. `codex-wire check
//! --baseline tests/known.toml --update-baseline tests/transcripts` writes it.
//!
//! Where a test target of its own is too much, one line checks a folder or a file inside an
//! ordinary test:
//!
//! ```no_run
//! # use codex_wire_check::{Options, gate};
//! gate::assert_conforms("tests/transcripts", &Options::new());
//! ```
//!
//! This module opens files and reports as test harnesses do; nothing else in the crate does.

#![allow(
    clippy::needless_doctest_main,
    reason = "a test target with its own main is what the examples show"
)]

use std::fmt::Write;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use codex_wire_base::Protocol;
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};

use crate::baseline::{Baseline, Expected};
use crate::{Checker, Excerpt, Finding, Options, Outcome, Verdict};

/// What to check a transcript against: [`Options`] for all, or a function from the path of
/// each to its options.
pub trait OptionsFor: Send + Sync + 'static {
    /// The options for the transcript at `path`.
    ///
    /// # Errors
    /// When the path does not tell; the text becomes the failure of that transcript's test.
    fn options_for(&self, path: &Path) -> Result<Options, String>;
}

impl OptionsFor for Options {
    fn options_for(&self, _: &Path) -> Result<Options, String> {
        Ok(self.clone())
    }
}

impl<F> OptionsFor for F
where
    F: Fn(&Path) -> Result<Options, String> + Send + Sync + 'static,
{
    fn options_for(&self, path: &Path) -> Result<Options, String> {
        self(path)
    }
}

/// The whole of a test target with `harness = false`: checks every transcript under `folder`,
/// each as a test named by its path there, and ends the process as a test harness does.
///
/// Transcripts are the files that end in `.jsonl`. The path is relative to the folder of the
/// package, where cargo runs tests. A folder without transcripts fails: a gate that checks
/// nothing would hold of anything.
pub fn main(folder: impl AsRef<Path>, options: impl OptionsFor) -> ! {
    run(&Arguments::from_args(), folder.as_ref(), options, None).exit()
}

/// The same as [`main`], with a baseline: findings the file at `baseline` lists are expected,
/// and each of its entries is a test that fails when there is no such finding any longer.
pub fn main_with_baseline(
    folder: impl AsRef<Path>,
    options: impl OptionsFor,
    baseline: impl AsRef<Path>,
) -> ! {
    let baseline = Some(baseline.as_ref());
    run(&Arguments::from_args(), folder.as_ref(), options, baseline).exit()
}

/// Checks the transcript at `path`, or every transcript under the folder at `path`, as [`main`]
/// finds them.
///
/// # Panics
/// When one does not conform, holds no messages or cannot be read, and when a folder has none; the
/// message says what was found in each.
#[track_caller]
pub fn assert_conforms(path: impl AsRef<Path>, options: &impl OptionsFor) {
    let path = path.as_ref();
    let all_conform = match path.is_dir() {
        true => all_conform(path, options),
        false => conforms(path, options),
    };
    if let Err(complaint) = all_conform {
        panic!("{complaint}");
    }
}

/// Options by folder: a transcript is checked as exactly what the release writes that the
/// folder nearest to it is named after, as in `transcripts/0.44.0/message.jsonl`.
///
/// The names of points on the timeline are as good as releases.
pub fn by_release_folder(
    protocol: Protocol,
) -> impl Fn(&Path) -> Result<Options, String> + Send + Sync + 'static {
    move |path| {
        let timeline = protocol.timeline();
        path.ancestors()
            .skip(1)
            .filter_map(|folder| folder.file_name()?.to_str())
            .find_map(|name| timeline.resolve(name).ok())
            .map(|release| Options::release(protocol, release))
            .ok_or_else(|| format!("no folder of {} is named after a release", path.display()))
    }
}

/// The transcripts under `folder`, in order: files that end in `.jsonl`, except in folders
/// whose names begin with a dot.
///
/// # Errors
/// When a folder cannot be read.
pub fn transcripts(folder: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.as_ref().to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // Links to folders are not followed: they may lead in circles.
            if entry.file_type()?.is_dir() {
                if !hidden {
                    waiting.push(entry.path());
                }
            } else if entry.path().extension().is_some_and(|ext| ext == "jsonl") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Checks the transcript at `path` and returns all that was found out.
///
/// # Errors
/// When the file cannot be opened, or the options name a release that does not speak the
/// protocol. What is wrong inside the file is in the outcome.
pub fn check(path: impl AsRef<Path>, options: &Options) -> Result<Outcome, String> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let checker = Checker::new(options.clone()).map_err(|error| error.to_string())?;
    let file = File::open(path).map_err(|error| format!("{name}: {error}"))?;
    Ok(checker.check(&name, BufReader::new(file)))
}

/// What was found in an input, in words. What a baseline expects is left out.
pub fn explain(outcome: &Outcome) -> String {
    let mut out = format!("{}: {}", outcome.path, headline(outcome));
    let findings = outcome.findings.iter();
    for finding in findings.filter(|finding| finding.expected.is_none()) {
        out.push_str("\n\n");
        out.push_str(&describe(finding));
    }
    if outcome.dropped() > 0 {
        let _ = write!(out, "\n\n… and {} more", outcome.dropped());
    }
    out
}

fn headline(outcome: &Outcome) -> String {
    let several = |count: u64, what| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let against = match (outcome.protocol, outcome.releases) {
        (Some(protocol), Some(releases)) => format!(" {protocol} {releases}"),
        _ => String::new(),
    };
    let how = if outcome.identified {
        "identified as"
    } else {
        "checked as"
    };
    match outcome.verdict {
        Verdict::Conforms => format!("conforms ({how}{against})"),
        Verdict::Findings => format!(
            "does not conform ({how}{against}): {}, {}",
            several(outcome.counts.error, "error"),
            several(outcome.counts.warning, "warning"),
        ),
        Verdict::NotExercised => "holds no messages, so nothing was checked".to_owned(),
        Verdict::Unreadable => {
            let reason = outcome.error.as_deref().unwrap_or("unreadable");
            format!("cannot be checked: {reason}")
        }
    }
}

fn describe(finding: &Finding) -> String {
    let place = &finding.place;
    let mut out = format!(
        "{}[{}] line {}, column {}: {}",
        finding.severity, finding.rule, place.line, place.column, finding.message
    );
    if let Some(Excerpt { text, start, end }) = &finding.excerpt {
        // One mark per character: close enough without the widths of a terminal.
        let width = |part: &str| part.chars().count();
        let before = " ".repeat(width(&text[..*start]));
        let marks = "^".repeat(width(&text[*start..*end]).max(1));
        let _ = write!(out, "\n    {text}\n    {before}{marks}");
    }
    if !place.pointer.is_empty() {
        let _ = write!(out, "\n    at {}", place.pointer);
    }
    if let Some(releases) = finding.releases {
        let _ = write!(out, "\n    valid in {releases}");
    }
    if let Some(line) = finding.earlier {
        let _ = write!(out, "\n    see line {line}");
    }
    if let Some(help) = &finding.help {
        let _ = write!(out, "\n    help: {help}");
    }
    out
}

fn conforms(path: &Path, options: &impl OptionsFor) -> Result<(), String> {
    conforming(check(path, &options.options_for(path)?)?)
}

fn all_conform(folder: &Path, options: &impl OptionsFor) -> Result<(), String> {
    let paths = checkable(folder)?;
    let checked = paths.iter().map(|path| conforms(path, options));
    let complaints: Vec<String> = checked.filter_map(Result::err).collect();
    if complaints.is_empty() {
        return Ok(());
    }
    let (shown, count) = (folder.display(), complaints.len());
    Err(format!(
        "{}\n\n{count} of {} transcripts in {shown} do not pass",
        complaints.join("\n\n"),
        paths.len()
    ))
}

/// The transcripts under a folder, of which there have to be some.
fn checkable(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let shown = folder.display();
    match transcripts(folder) {
        Ok(paths) if paths.is_empty() => {
            Err(format!("nothing was checked: no .jsonl files in {shown}"))
        }
        Ok(paths) => Ok(paths),
        Err(error) => Err(format!("nothing was checked: {shown}: {error}")),
    }
}

fn conforming(outcome: Outcome) -> Result<(), String> {
    match outcome.verdict {
        Verdict::Conforms => Ok(()),
        _ => Err(explain(&outcome)),
    }
}

fn run(
    arguments: &Arguments,
    folder: &Path,
    options: impl OptionsFor,
    baseline: Option<&Path>,
) -> Conclusion {
    libtest_mimic::run(arguments, trials(folder, options, baseline))
}

/// A test per transcript and per entry of the baseline; a failing one where there are no
/// transcripts or the baseline is none.
fn trials(folder: &Path, options: impl OptionsFor, baseline: Option<&Path>) -> Vec<Trial> {
    let shown = folder.display().to_string();
    let fail = |complaint: String| {
        let name = shown.clone();
        vec![Trial::test(name, || Err(Failed::from(complaint)))]
    };
    let paths = match checkable(folder) {
        Ok(paths) => paths,
        Err(complaint) => return fail(complaint),
    };
    let known = match baseline.map(read_baseline).transpose() {
        Ok(known) => Arc::new(known.unwrap_or_default()),
        Err(complaint) => return fail(format!("nothing was checked: {complaint}")),
    };
    let options = Arc::new(options);
    let entries = known.entries().iter().map(|entry| {
        let (paths, options, entry) = (paths.clone(), Arc::clone(&options), entry.clone());
        let file = baseline.map(|path| path.display().to_string());
        let name = format!("{}:{}", file.unwrap_or_default(), entry.line);
        Trial::test(name, move || {
            holds(entry, &paths, &*options).map_err(Failed::from)
        })
    });
    let mut trials: Vec<Trial> = entries.collect();
    trials.extend(paths.into_iter().map(|path| {
        let (options, known) = (Arc::clone(&options), Arc::clone(&known));
        Trial::test(name(folder, &path), move || {
            let options = options.options_for(&path)?;
            let mut outcome = check(&path, &options)?;
            known.compare().apply(&mut outcome);
            conforming(outcome).map_err(Failed::from)
        })
    }));
    trials
}

fn read_baseline(path: &Path) -> Result<Baseline, String> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    Baseline::parse(&text).map_err(|error| format!("{shown}, {error}"))
}

/// Checks once more what an entry is about: only then it is known whether it still holds.
fn holds(entry: Expected, paths: &[PathBuf], options: &impl OptionsFor) -> Result<(), String> {
    let expected = entry.message.clone();
    let baseline = Baseline::new(vec![entry.clone()]).map_err(|error| error.to_string())?;
    let mut comparison = baseline.compare();
    for path in paths {
        if entry.covers(&path.display().to_string()) {
            comparison.apply(&mut check(path, &options.options_for(path)?)?);
        }
    }
    match comparison.stale().first() {
        None => Ok(()),
        Some(stale) => Err(format!("{stale}\nexpected: {expected}")),
    }
}

/// The path below the folder, the same on every system.
fn name(folder: &Path, path: &Path) -> String {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = below.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use codex_wire_base::Release;

    use super::*;

    const HEAD: &str = concat!(
        r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}"#,
        "\n",
        r#"{"type":"turn.started"}"#,
        "\n"
    );
    const GOOD: &str = HEAD;
    const BAD: &str = concat!(
        r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}"#,
        "\n",
        r#"{"type":"turn.started","added":1}"#
    );

    /// A folder of its own, gone when the test is over.
    struct Folder(PathBuf);

    impl Folder {
        fn with(name: &str, files: &[(&str, &str)]) -> Self {
            let path = std::env::temp_dir().join(format!("codex-wire-gate-{}", std::process::id()));
            let folder = Folder(path.join(name));
            fs::create_dir_all(&folder.0).unwrap();
            for (path, text) in files {
                let path = folder.0.join(path);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
            folder
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn names(trials: &[Trial]) -> Vec<&str> {
        trials.iter().map(Trial::name).collect()
    }

    /// Runs the gate as the test target would, with its words on the command line.
    fn gate(words: &[&str], folder: &Folder, options: impl OptionsFor) -> (u64, u64, u64, String) {
        let log = folder.0.join(".log");
        let mut arguments = Arguments::from_iter(["gate"].iter().chain(words));
        arguments.logfile = Some(log.display().to_string());
        let done = run(&arguments, &folder.0, options, None);
        let said = fs::read_to_string(log).unwrap();
        (
            done.num_passed,
            done.num_failed,
            done.num_filtered_out,
            said,
        )
    }

    /// Single lines are no whole streams, so the rules about those are left out.
    fn of_lines(mut options: Options) -> Options {
        for rule in crate::rules::RULES {
            if rule.group() == "sequence" {
                options.levels.set(rule, None);
            }
        }
        options
    }

    fn latest() -> Options {
        let latest = Protocol::Exec.timeline().latest();
        of_lines(Options::release(Protocol::Exec, latest))
    }

    #[test]
    fn each_transcript_is_a_named_test() {
        let files = [
            ("b.jsonl", GOOD),
            ("deep/er/a.jsonl", BAD),
            ("notes.txt", "no transcript"),
            (".hidden/c.jsonl", BAD),
        ];
        let folder = Folder::with("named", &files);
        let trials = trials(&folder.0, latest(), None);
        assert_eq!(names(&trials), ["b.jsonl", "deep/er/a.jsonl"]);
        let (passed, failed, _, said) = gate(&[], &folder, latest());
        assert_eq!((passed, failed), (1, 1));
        assert!(
            said.contains("error[schema/unknown-member] line 2, column 24"),
            "{said}"
        );
        assert!(said.contains("test result: FAILED"), "{said}");
        let (passed, failed, skipped, _) = gate(&["b.json"], &folder, latest());
        assert_eq!((passed, failed, skipped), (1, 0, 1));
        let (.., said) = gate(&["--list"], &folder, latest());
        assert_eq!(said, "b.jsonl: test\ndeep/er/a.jsonl: test\n");
    }

    #[test]
    fn nothing_checked_is_a_failure() {
        let folder = Folder::with("nothing", &[("readme.md", "# none")]);
        let (passed, failed, _, said) = gate(&[], &folder, latest());
        assert_eq!((passed, failed), (0, 1));
        assert!(
            said.contains("nothing was checked: no .jsonl files in"),
            "{said}"
        );
        let missing = folder.0.join("missing");
        let trials = trials(&missing, latest(), None);
        assert_eq!(trials.len(), 1);
        let folder = Folder::with("empty", &[("a.jsonl", "")]);
        let (passed, failed, _, said) = gate(&[], &folder, latest());
        assert_eq!((passed, failed), (0, 1));
        assert!(
            said.contains("holds no messages, so nothing was checked"),
            "{said}"
        );
    }

    #[test]
    fn options_may_depend_on_the_path() {
        let usage = |more: &str| {
            format!(
                r#"{HEAD}{{"type":"turn.completed","usage":{{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1{more}}}}}"#
            )
        };
        let (old, new) = (usage(""), usage(r#","reasoning_output_tokens":0"#));
        let files = [
            ("0.124.0/run.jsonl", old.as_str()),
            ("0.125.0/run.jsonl", new.as_str()),
            ("0.125.0/of/0.124.0/run.jsonl", old.as_str()),
        ];
        let folder = Folder::with("releases", &files);
        let by_folder = || {
            let options = by_release_folder(Protocol::Exec);
            move |path: &Path| options(path).map(of_lines)
        };
        let (passed, failed, ..) = gate(&[], &folder, by_folder());
        assert_eq!((passed, failed), (3, 0));
        fs::write(folder.0.join("0.124.0/run.jsonl"), &new).unwrap();
        fs::write(folder.0.join("lost.jsonl"), &new).unwrap();
        let (passed, failed, _, said) = gate(&[], &folder, by_folder());
        assert_eq!((passed, failed), (2, 2));
        assert!(said.contains("valid in 0.125.0 or later"), "{said}");
        assert!(said.contains("is named after a release"), "{said}");
    }

    #[test]
    fn a_file_or_a_folder_in_an_ordinary_test() {
        let folder = Folder::with("one", &[("of/good.jsonl", GOOD), ("bad.jsonl", BAD)]);
        assert_conforms(folder.0.join("of/good.jsonl"), &latest());
        assert_conforms(folder.0.join("of"), &latest());
        let complaint = |name: &str, options: &Options| {
            let path = folder.0.join(name);
            let panic = std::panic::catch_unwind(|| assert_conforms(path, options));
            *panic.unwrap_err().downcast::<String>().unwrap()
        };
        let said = complaint("bad.jsonl", &latest());
        assert!(
            said.contains("bad.jsonl: does not conform (checked as exec"),
            "{said}"
        );
        let said = complaint("", &latest());
        assert!(said.contains("bad.jsonl: does not conform (ch"), "{said}");
        assert!(said.contains("\n\n1 of 2 transcripts in "), "{said}");
        fs::create_dir(folder.0.join("none")).unwrap();
        let said = complaint("none", &latest());
        assert!(said.starts_with("nothing was checked: no .j"), "{said}");
        let said = complaint("missing.jsonl", &latest());
        assert!(said.contains("missing.jsonl: "), "{said}");
        let too_old = Options::release(Protocol::Exec, Release::new(0, 1, 0));
        let said = complaint("of/good.jsonl", &too_old);
        assert!(said.contains("0.1.0 is older than"), "{said}");
    }

    #[test]
    fn entries_of_a_baseline_are_tests() {
        let folder = Folder::with("baseline", &[("bad.jsonl", BAD), ("good.jsonl", GOOD)]);
        let file = folder.0.join("known.toml");
        let gate = |text: &str| {
            fs::write(&file, text).unwrap();
            let log = folder.0.join(".log");
            let mut arguments = Arguments::from_iter(["gate"]);
            arguments.logfile = Some(log.display().to_string());
            let done = run(&arguments, &folder.0, latest(), Some(&file));
            let said = fs::read_to_string(log).unwrap();
            (done.num_passed, done.num_failed, said)
        };
        let message = check(folder.0.join("bad.jsonl"), &latest())
            .unwrap()
            .findings[0]
            .message
            .clone();
        let entry = |path: &str, message: &str| {
            let path = folder.0.join(path).display().to_string();
            format!(
                "[[expected]]\nrule = 'schema/unknown-member'\npath = '{path}'\n\
                 message = '{message}'\nreason = 'known'\n"
            )
        };
        let (passed, failed, said) = gate(&entry("bad.jsonl", &message));
        assert_eq!((passed, failed), (3, 0), "{said}");
        let (passed, failed, said) = gate(&entry("bad.jsonl", "old"));
        assert_eq!((passed, failed), (1, 2), "{said}");
        assert!(said.contains(&format!("now says: {message}")), "{said}");
        let (passed, failed, said) = gate(&entry("good.jsonl", &message));
        assert_eq!((passed, failed), (1, 2), "{said}");
        assert!(said.contains("no longer occurs"), "{said}");
        let (.., said) = gate(&entry("lost.jsonl", &message));
        assert!(said.contains("no such input was checked"), "{said}");
        let (passed, failed, said) = gate("[[expected]]\n");
        assert_eq!((passed, failed), (0, 1), "{said}");
        assert!(said.contains("known.toml, line 1: "), "{said}");
    }
}
