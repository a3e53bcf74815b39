//! Folders as Codex leaves them: compressed files, lists beside them, and files that change while
//! the folder is read.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use codex_wire_report::Format;
use serde_json::{Value, json};

use crate::support::{Finished, GOOD, bad, folder, run};

const HISTORY: &str = "{\"session_id\":\"s\",\"ts\":1795187384,\"text\":\"secret\"}\n";
const INDEX: &str =
    "{\"id\":\"s\",\"thread_name\":\"secret\",\"updated_at\":\"2026-11-22T15:12:55.123456789Z\"}\n";

/// The name of a session file that was created in that minute.
fn named(day: &str, minute: u32) -> String {
    format!("rollout-{day}T10-{minute:02}-00-01a203d1-410a-7c02-87aa-5ce0a5ee2d82.jsonl")
}

fn packed(text: &str) -> Vec<u8> {
    zstd::encode_all(text.as_bytes(), 3).unwrap()
}

fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.as_ref().parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn report(finished: &Finished) -> Value {
    serde_json::from_str(&finished.stdout).unwrap()
}

/// The paths of the inputs in a report, and those that were skipped, with the reason.
fn read_and_skipped(report: &Value) -> (Vec<&str>, Vec<(&str, &str)>) {
    let text = |value: &'_ Value| -> &'static str { value.as_str().unwrap().to_owned().leak() };
    let inputs = report["inputs"].as_array().unwrap().iter();
    let skipped = report["skipped"].as_array().unwrap().iter();
    (
        inputs.map(|input| text(&input["path"])).collect(),
        skipped
            .map(|file| (text(&file["path"]), text(&file["reason"])))
            .collect(),
    )
}

/// A folder with each kind of file that Codex leaves. Returns the folder above it.
fn home(name: &str) -> PathBuf {
    let folder = folder(name);
    let home = folder.join("home");
    let day = home.join("sessions/2026/11/22");
    write(day.join(named("2026-11-22", 1)), GOOD);
    // Compressed.
    write(day.join(named("2026-11-22", 2) + ".zst"), packed(GOOD));
    // Both: the compressed one is older.
    write(day.join(named("2026-11-22", 3)), GOOD);
    write(day.join(named("2026-11-22", 3) + ".zst"), packed(&bad()));
    write(
        home.join("archived_sessions").join(named("2026-11-21", 4)),
        GOOD,
    );
    write(home.join("history.jsonl"), HISTORY.repeat(3));
    write(home.join("session_index.jsonl"), INDEX);
    write(home.join("unknown_1.sqlite"), b"SQLite format 3\0 and more");
    write(home.join("config.toml"), b"");
    folder
}

#[test]
fn a_folder_of_codex_is_one_argument() {
    let folder = home("home");
    let finished = run(&folder, "check --format json home");
    let report = report(&finished);
    let (inputs, skipped) = read_and_skipped(&report);
    let day = "home/sessions/2026/11/22";
    assert_eq!(
        inputs,
        [
            format!("home/archived_sessions/{}", named("2026-11-21", 4)),
            format!("{day}/{}", named("2026-11-22", 1)),
            format!("{day}/{}.zst", named("2026-11-22", 2)),
            format!("{day}/{}", named("2026-11-22", 3)),
        ]
    );
    let copy = format!("{day}/{}.zst", named("2026-11-22", 3));
    assert_eq!(
        skipped,
        [
            ("home/history.jsonl", "prompt-history"),
            ("home/session_index.jsonl", "session-index"),
            (&*copy, "compressed-copy"),
            ("home/unknown_1.sqlite", "database"),
        ]
    );
    assert_eq!(finished.code, 0, "{finished:?}");
    let summary = format!(
        "not read: 1 compressed copy of a file beside it ({copy}), 1 history of prompts \
         (home/history.jsonl), 1 index of sessions (home/session_index.jsonl), 1 database \
         (home/unknown_1.sqlite)\n"
    );
    assert!(finished.stderr.ends_with(&summary), "{}", finished.stderr);

    let finished = run(&folder, "check home");
    assert!(finished.stdout.contains(&summary), "{}", finished.stdout);
    assert_eq!((&*finished.stderr, finished.code), ("", 0));

    let known = run(&folder, "identify --format json home");
    let known: Value = serde_json::from_str(&known.stdout).unwrap();
    assert_eq!(known["skipped"], report["skipped"]);
    assert_eq!(read_and_skipped(&known).0, inputs);

    let shown = run(&folder, "show home");
    assert_eq!(shown.stdout.matches("==> ").count(), 4, "{}", shown.stdout);
    assert!(shown.stderr.ends_with(&summary), "{}", shown.stderr);
}

/// A name alone proves nothing.
#[test]
fn what_is_skipped_has_the_content_of_its_name() {
    let folder = folder("known-names");
    write(folder.join("a/history.jsonl"), GOOD);
    write(folder.join("b/session_index.jsonl"), HISTORY);
    write(
        folder.join("c/history.jsonl"),
        HISTORY.replace("\"ts\"", "\"time\""),
    );
    write(folder.join("d/prompts.jsonl"), HISTORY);
    let report = report(&run(&folder, "check --format json ."));
    let verdicts: Vec<&Value> = report["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| &input["verdict"])
        .collect();
    assert_eq!(
        verdicts,
        ["conforms", "unreadable", "unreadable", "unreadable"]
    );
    assert_eq!(report["skipped"], json!([]));
}

/// Codex writes traces where `CODEX_ROLLOUT_TRACE_ROOT` says. Their files are named as what they are, also beside
/// session files; what only has such a name is read.
#[test]
fn a_trace_is_no_session_file() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    for release in ["0.124.0", "0.169.0"] {
        let folder = folder(&format!("trace-{release}"));
        write(folder.join("t").join(named("2026-11-22", 1)), GOOD);
        let recorded = fixtures
            .join("rollout-trace")
            .join(release)
            .join("commands");
        let bundle = fs::read_dir(recorded).unwrap().next().unwrap().unwrap();
        let copy = folder.join("t").join(bundle.file_name());
        let mut files = vec!["manifest.json".to_owned(), "trace.jsonl".to_owned()];
        for payload in fs::read_dir(bundle.path().join("payloads")).unwrap() {
            let name = payload.unwrap().file_name().into_string().unwrap();
            files.push(format!("payloads/{name}"));
        }
        for file in &files {
            write(copy.join(file), fs::read(bundle.path().join(file)).unwrap());
        }
        let report = report(&run(&folder, "check --format json t"));
        let (inputs, skipped) = read_and_skipped(&report);
        assert_eq!(inputs, [format!("t/{}", named("2026-11-22", 1))]);
        let reasons: Vec<&str> = skipped.iter().map(|(_, reason)| *reason).collect();
        assert_eq!(reasons, vec!["rollout-trace"; files.len()]);

        for command in ["identify", "show", "usage"] {
            let finished = run(&folder, &format!("{command} t"));
            assert_eq!(finished.code, 0, "{finished:?}");
            let says = format!("{} files of traces", files.len());
            let said = finished.stdout + &finished.stderr;
            assert!(said.contains(&says), "{command}: {said}");
        }
        for (file, what) in [
            ("trace.jsonl", "a trace of Codex"),
            ("manifest.json", "the manifest of a trace of Codex"),
        ] {
            let path = format!("t/{}/{file}", bundle.file_name().display());
            let finished = run(&folder, &format!("identify {path}"));
            assert!(finished.stdout.contains(what), "{}", finished.stdout);
            assert_eq!(finished.code, 2);
        }

        // A name alone proves nothing.
        write(copy.join("trace.jsonl"), GOOD);
        let finished = run(&folder, "check --format json t");
        let again = self::report(&finished);
        let (inputs, skipped) = read_and_skipped(&again);
        let trace = format!("t/{}/trace.jsonl", bundle.file_name().display());
        assert!(inputs.contains(&&*trace), "{inputs:?}");
        let reasons: Vec<&str> = skipped.iter().map(|(_, reason)| *reason).collect();
        // Without the trace, payloads are JSON as any other.
        assert_eq!(
            reasons
                .iter()
                .filter(|reason| **reason == "rollout-trace")
                .count(),
            1
        );
    }
}

/// What the user names is read.
#[test]
fn a_list_that_is_named_is_told_what_it_is() {
    let folder = home("named-list");
    for (name, what) in [
        ("history.jsonl", "the prompts that a user typed"),
        ("session_index.jsonl", "the names of sessions"),
    ] {
        for command in ["check", "identify"] {
            let finished = run(&folder, &format!("{command} home/{name}"));
            assert!(finished.stdout.contains(what), "{}", finished.stdout);
            assert_eq!(finished.code, 2);
        }
    }
    let copy = format!("home/sessions/2026/11/22/{}.zst", named("2026-11-22", 3));
    let report = report(&run(&folder, &format!("check --format json {copy}")));
    assert_eq!(report["inputs"][0]["path"], *copy);
    assert_eq!(report["skipped"], json!([]));
}

/// A folder with nothing else is not a folder without transcripts, but nothing is checked either.
#[test]
fn nothing_but_lists_is_nothing() {
    let folder = folder("only-lists");
    write(folder.join("t/history.jsonl"), HISTORY);
    let finished = run(&folder, "check t");
    assert!(
        finished.stdout.starts_with(
            "no inputs: nothing was checked\n  not read: 1 history of prompts (t/history.jsonl)\n"
        ),
        "{}",
        finished.stdout
    );
    assert_eq!(finished.code, 2);
}

#[test]
fn since_means_activity() {
    let folder = folder("since");
    let at = |path: &str, days: u64| {
        let path = folder.join(path);
        write(&path, GOOD);
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs((20_000 + days) * 86_400);
        File::options()
            .append(true)
            .open(&path)
            .unwrap()
            .set_modified(time)
            .unwrap();
    };
    // Day 20,000 is 2024-10-04.
    let resumed = format!("t/{}", named("2024-10-01", 1));
    let old = format!("t/{}", named("2024-10-01", 2));
    let copied = format!("t/{}", named("2024-10-20", 3));
    at(&resumed, 4);
    at(&old, 3);
    // The time of the last change is that of a copy.
    at(&copied, 0);
    at("t/run.jsonl", 4);
    at("t/old.jsonl", 0);
    for (since, inputs) in [
        ("2024-10-08", vec![&*resumed, &*copied, "t/run.jsonl"]),
        ("2024-10-08T00:00:01Z", vec![&*copied]),
        (
            "2024-10-07T16:00:00-08:00",
            vec![&*resumed, &*copied, "t/run.jsonl"],
        ),
    ] {
        for command in ["check", "identify"] {
            let args = format!("{command} --format json --since {since} t");
            let report = report(&run(&folder, &args));
            let (read, skipped) = read_and_skipped(&report);
            assert_eq!(read, inputs, "{args}");
            assert_eq!(skipped.len(), 5 - inputs.len(), "{args}");
            assert!(skipped.iter().all(|(_, reason)| *reason == "not-since"));
        }
    }
    // What is named is read.
    let finished = run(&folder, "check --since 2030-01-01 t/old.jsonl");
    assert_eq!(finished.code, 0, "{finished:?}");
    let finished = run(&folder, "check --since 2030-01-01 t");
    assert!(
        finished
            .stdout
            .contains("not read: 5 files without later activity"),
        "{}",
        finished.stdout
    );
    assert_eq!(finished.code, 2);
    let finished = run(&folder, "check --since yesterday t");
    assert!(
        finished.stderr.contains("write it like 2026-11-20"),
        "{finished:?}"
    );
}

/// Nor does it depend on the zone of the machine.
#[test]
fn the_report_does_not_depend_on_threads() {
    let folder = folder("many");
    for number in 0..30_u32 {
        let text = match number % 4 {
            0 => bad(),
            1 => format!("{}{}", GOOD, "x\n".repeat(number as usize)),
            2 => "some log\n".to_owned(),
            _ => GOOD.repeat(1 + number as usize * 4),
        };
        write(
            folder.join(format!("t/{}/{number:02}.jsonl", number % 7)),
            text,
        );
    }
    let report = |threads: &str, zone: &str, format: &str| {
        let args = format!("check {threads} --format {format} t");
        let mut command = crate::support::command(&folder, &args);
        command.env("TZ", zone).output().unwrap()
    };
    for format in Format::ALL {
        let report = |threads, zone| report(threads, zone, format.as_str());
        let one = report("-j 1", "UTC");
        assert_eq!(one.status.code(), Some(2));
        for (threads, zone) in [
            ("-j 2", "Asia/Tokyo"),
            ("-j 7", "UTC"),
            ("-j 100", "UTC"),
            ("", "UTC"),
        ] {
            assert!(report(threads, zone) == one, "{threads} {format}");
        }
    }
    let known = |threads: &str| run(&folder, &format!("identify {threads} t")).stdout;
    assert_eq!(known("-j 1"), known("-j 5"));
}

/// Codex compresses a file, or writes it back, after the folder was listed and before it is opened.
#[cfg(unix)]
#[test]
fn a_file_that_changes_its_form_is_read() {
    let folder = folder("session-file-forms");
    let plain = folder.join("t").join(named("2026-11-22", 1));
    let other = folder.join("t").join(named("2026-11-22", 2));
    let form = |path: &Path| PathBuf::from(format!("{}.zst", path.display()));
    write(&plain, GOOD);
    write(form(&other), packed(GOOD));
    let finished = meanwhile(&folder, "check -j 1 --format json pipe t", || {
        write(form(&plain), packed(GOOD));
        fs::remove_file(&plain).unwrap();
        write(&other, GOOD.repeat(2));
        fs::remove_file(form(&other)).unwrap();
    });
    let report = report(&finished);
    let read: Vec<(Option<&str>, &Value)> = report["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| {
            let name = Path::new(input["path"].as_str().unwrap()).extension();
            (name.and_then(|name| name.to_str()), &input["messages"])
        })
        .collect();
    assert_eq!(
        read,
        [
            (None, &json!(5)),
            (Some("zst"), &json!(5)),
            (Some("jsonl"), &json!(10))
        ]
    );
}

/// A file that is gone could not be checked.
#[cfg(unix)]
#[test]
fn a_file_that_is_gone_is_told() {
    let folder = folder("gone");
    write(folder.join("t/a.jsonl"), GOOD);
    let finished = meanwhile(&folder, "check -j 1 pipe t", || {
        fs::remove_file(folder.join("t/a.jsonl")).unwrap();
    });
    assert!(
        finished.stdout.contains("t/a.jsonl: No such file"),
        "{finished:?}"
    );
    assert_eq!(finished.code, 2);
}

/// A file that is open is read to its end, whatever becomes of its name.
#[cfg(unix)]
#[test]
fn a_file_that_is_removed_while_it_is_read_is_read_to_its_end() {
    let folder = folder("removed");
    // More than the program reads before it can tell us that it began.
    write(folder.join("t/a.jsonl"), GOOD.repeat(4_000));
    let shown = folder.join("t/a.jsonl");
    let mut child = crate::support::command(&folder, "show --format timeline t")
        .spawn()
        .unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0];
    stdout.read_exact(&mut first).unwrap();
    // The pipe is full now, and the program waits for a reader.
    fs::remove_file(shown).unwrap();
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(
        rest.trim_end()
            .lines()
            .next_back()
            .unwrap()
            .contains("20,000 messages"),
        "{}",
        &rest[rest.len() - 300..]
    );
}

/// Runs the program with a named pipe as its first input, and does something after it has listed its
/// inputs and before it opens the second one.
#[cfg(unix)]
fn meanwhile(folder: &Path, args: &str, change: impl FnOnce()) -> Finished {
    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let child = crate::support::command(folder, args).spawn().unwrap();
    // This waits until the program opens the other end.
    let mut end = File::options().write(true).open(&pipe).unwrap();
    change();
    std::io::Write::write_all(&mut end, GOOD.as_bytes()).unwrap();
    drop(end);
    let output = child.wait_with_output().unwrap();
    Finished {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}
