//! Tests of the harness, with transcripts in folders of their own.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Options, rules};

use super::*;
use crate::{assert_conforms, by_release_folder, check};

const STARTED: &str = concat!(
    r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}"#,
    "\n",
    r#"{"type":"turn.started"}"#,
    "\n"
);
const GOOD: &str = STARTED;
const BAD: &str = concat!(
    r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}"#,
    "\n",
    r#"{"type":"turn.started","added":1}"#
);

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn with(name: &str, files: &[(&str, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("codex-wire-testing-{}", std::process::id()));
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

/// Runs the tests as a test target does, with these arguments. Returns how many passed, failed and
/// were filtered out, and the output.
fn run_with(
    arguments: &[&str],
    folder: &Folder,
    options: impl OptionsFor,
) -> (u64, u64, u64, String) {
    let log = folder.0.join(".log");
    let mut arguments = Arguments::from_iter(["transcripts"].iter().chain(arguments));
    arguments.logfile = Some(log.display().to_string());
    let done = run(&arguments, &folder.0, options, None);
    let printed = fs::read_to_string(log).unwrap();
    (
        done.num_passed,
        done.num_failed,
        done.num_filtered_out,
        printed,
    )
}

/// The transcripts here are not complete, so the rules about sequences are switched off.
fn of_lines(mut options: Options) -> Options {
    for rule in rules::RULES.iter() {
        if rule.group() == "sequence" {
            options.levels.set(rule, None);
        }
    }
    options
}

fn latest() -> Options {
    let latest = Protocol::Exec.release_list().latest();
    of_lines(Options::exact(Protocol::Exec, latest))
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
    let (passed, failed, _, printed) = run_with(&[], &folder, latest());
    assert_eq!((passed, failed), (1, 1));
    assert!(
        printed.contains("/deep/er/a.jsonl:2:24: TurnStartedEvent has no member"),
        "{printed}"
    );
    assert!(printed.contains("test result: FAILED"), "{printed}");
    let (passed, failed, skipped, _) = run_with(&["b.json"], &folder, latest());
    assert_eq!((passed, failed, skipped), (1, 0, 1));
    let (.., printed) = run_with(&["--list"], &folder, latest());
    assert_eq!(printed, "b.jsonl: test\ndeep/er/a.jsonl: test\n");
}

#[test]
fn nothing_checked_is_a_failure() {
    let folder = Folder::with("nothing", &[("readme.md", "# none")]);
    let (passed, failed, _, printed) = run_with(&[], &folder, latest());
    assert_eq!((passed, failed), (0, 1));
    assert!(
        printed.contains("nothing was checked: no .jsonl files in"),
        "{printed}"
    );
    let missing = folder.0.join("missing");
    let trials = trials(&missing, latest(), None);
    assert_eq!(trials.len(), 1);
    let folder = Folder::with("empty", &[("a.jsonl", "")]);
    let (passed, failed, _, printed) = run_with(&[], &folder, latest());
    assert_eq!((passed, failed), (0, 1));
    assert!(
        printed.contains("holds no messages, so nothing was checked"),
        "{printed}"
    );
}

#[test]
fn options_may_depend_on_the_path() {
    let usage = |more: &str| {
        format!(
            r#"{STARTED}{{"type":"turn.completed","usage":{{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1{more}}}}}"#
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
    let (passed, failed, ..) = run_with(&[], &folder, by_folder());
    assert_eq!((passed, failed), (3, 0));
    fs::write(folder.0.join("0.124.0/run.jsonl"), &new).unwrap();
    fs::write(folder.0.join("lost.jsonl"), &new).unwrap();
    let (passed, failed, _, printed) = run_with(&[], &folder, by_folder());
    assert_eq!((passed, failed), (2, 2));
    assert!(printed.contains("valid in: 0.125.0 or later"), "{printed}");
    assert!(printed.contains("is named after a release"), "{printed}");
}

#[test]
fn a_file_or_a_folder_in_an_ordinary_test() {
    let folder = Folder::with("one", &[("of/good.jsonl", GOOD), ("bad.jsonl", BAD)]);
    assert_conforms(folder.0.join("of/good.jsonl"), &latest());
    assert_conforms(folder.0.join("of"), &latest());
    let failure = |name: &str, options: &Options| {
        let path = folder.0.join(name);
        let panic = std::panic::catch_unwind(|| assert_conforms(path, options));
        *panic.unwrap_err().downcast::<String>().unwrap()
    };
    let printed = failure("bad.jsonl", &latest());
    assert!(
        printed.contains("1 input, 2 messages: does not conform; 1 error (exec"),
        "{printed}"
    );
    let printed = failure("", &latest());
    assert!(printed.contains("/bad.jsonl:2:24: "), "{printed}");
    assert!(printed.contains("\n\n1 of 2 transcripts in "), "{printed}");
    fs::create_dir(folder.0.join("none")).unwrap();
    let printed = failure("none", &latest());
    assert!(
        printed.starts_with("nothing was checked: no .j"),
        "{printed}"
    );
    let printed = failure("missing.jsonl", &latest());
    assert!(printed.contains("missing.jsonl: "), "{printed}");
    let too_old = Options::exact(Protocol::Exec, Release::new(0, 1, 0));
    let printed = failure("of/good.jsonl", &too_old);
    assert!(printed.contains("0.1.0 is older than"), "{printed}");
}

#[test]
fn a_transcript_is_checked_once_for_all_entries() {
    let folder = Folder::with("once", &[("bad.jsonl", BAD)]);
    let file = folder.0.join("known.toml");
    let path = folder.0.join("bad.jsonl").display().to_string();
    let entries: String = (0..5)
        .map(|number| {
            format!(
                "[[expected]]\nrule = 'schema/unknown-member'\npath = '{path}'\n\
                 message = '{number}'\nreason = 'known'\n"
            )
        })
        .collect();
    fs::write(&file, entries).unwrap();
    let checks = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&checks);
    let options = move |_: &Path| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok::<_, Infallible>(latest())
    };
    let mut arguments = Arguments::from_iter(["transcripts"]);
    arguments.logfile = Some(folder.0.join(".log").display().to_string());
    arguments.test_threads = Some(1);
    let done = run(&arguments, &folder.0, options, Some(&file));
    assert_eq!((done.num_passed, done.num_failed), (0, 6));
    assert_eq!(checks.load(Ordering::Relaxed), 1);
}

/// The superuser reads every folder.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_read_is_named() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = Folder::with("locked", &[("a/b.jsonl", GOOD), ("c.jsonl", GOOD)]);
    let locked = folder.0.join("a");
    let mode = |mode| fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
    mode(0);
    let found = crate::transcripts(&folder.0);
    mode(0o700);
    if let Err(error) = found {
        let expected = format!("cannot read {}", locked.display());
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn entries_of_a_baseline_are_tests() {
    let folder = Folder::with("baseline", &[("bad.jsonl", BAD), ("good.jsonl", GOOD)]);
    let file = folder.0.join("known.toml");
    let run_with = |text: &str| {
        fs::write(&file, text).unwrap();
        let log = folder.0.join(".log");
        let mut arguments = Arguments::from_iter(["transcripts"]);
        arguments.logfile = Some(log.display().to_string());
        let done = run(&arguments, &folder.0, latest(), Some(&file));
        let printed = fs::read_to_string(log).unwrap();
        (done.num_passed, done.num_failed, printed)
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
    let (passed, failed, printed) = run_with(&entry("bad.jsonl", &message));
    assert_eq!((passed, failed), (3, 0), "{printed}");
    let (passed, failed, printed) = run_with(&entry("bad.jsonl", "old"));
    assert_eq!((passed, failed), (1, 2), "{printed}");
    assert!(
        printed.contains(&format!("now says: {message}")),
        "{printed}"
    );
    let (passed, failed, printed) = run_with(&entry("good.jsonl", &message));
    assert_eq!((passed, failed), (1, 2), "{printed}");
    assert!(printed.contains("no longer occurs"), "{printed}");
    let (.., printed) = run_with(&entry("lost.jsonl", &message));
    assert!(printed.contains("no such input was checked"), "{printed}");
    let (passed, failed, printed) = run_with("[[expected]]\n");
    assert_eq!((passed, failed), (0, 1), "{printed}");
    assert!(printed.contains("known.toml: line 1: "), "{printed}");
}
