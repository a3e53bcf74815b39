//! Homes of Codex: their databases are compared with their session files.
//!
//! `homes/RELEASE-SCENE` is what a real release left in its home after a scene of `cargo xtask record`: session files byte
//! for byte, and the databases as the statements that make them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::Value;

use crate::support::{command, folder, run, workspace};

const HOMES: [&str; 6] = [
    "0.128.0-agents",
    "0.150.1-paginated",
    "0.157.0-compressed",
    "0.169.0-agents-forked",
    "0.169.0-archived",
    "0.169.0-reverted",
];

/// A copy of a recorded home in `FOLDER/home`. The databases lie in `databases` there.
fn built(test: &str, name: &str, databases: &str) -> PathBuf {
    let folder = folder(&format!("home-{test}"));
    let from = workspace()
        .join("crates/codex-wire-cli/tests/it/homes")
        .join(name);
    fs::create_dir_all(folder.join(databases)).unwrap();
    copy(&from, &folder.join("home"), &folder.join(databases));
    folder
}

fn copy(from: &Path, to: &Path, databases: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &to, databases);
        } else if path.extension().is_some_and(|ending| ending == "sql") {
            let name = path.with_extension("sqlite");
            let database = databases.join(name.file_name().unwrap());
            change(&database, &fs::read_to_string(&path).unwrap());
        } else {
            fs::copy(&path, &to).unwrap();
        }
    }
}

fn change(database: &Path, sql: &str) {
    // Recorded tables refer to others, whose rows a fault may lack.
    let sql = format!("PRAGMA foreign_keys = OFF; {sql}");
    Connection::open(database)
        .unwrap()
        .execute_batch(&sql)
        .unwrap();
}

/// The rules and places of the findings in databases, and the exit code.
fn found(folder: &Path, args: &str) -> (Vec<(String, String)>, i32) {
    let finished = run(folder, &format!("check --format json {args} home"));
    let report: Value = serde_json::from_str(&finished.stdout).unwrap();
    let inputs = report["inputs"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let databases = inputs
        .iter()
        .filter(|input| text(&input["path"]).ends_with(".sqlite"));
    let findings = databases.flat_map(|input| input["findings"].as_array().unwrap());
    let found = findings.map(|finding| (text(&finding["rule"]), text(&finding["pointer"])));
    (found.collect(), finished.code)
}

/// The bytes of all files below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => out.append(&mut files(&path)),
            false => drop(out.insert(path.clone(), fs::read(path).unwrap())),
        }
    }
    out
}

#[test]
fn the_databases_of_real_homes_agree_with_their_session_files() {
    for name in HOMES {
        let folder = built("real", name, "home");
        let before = files(&folder);
        let finished = run(&folder, "check home");
        assert_eq!(finished.code, 0, "{name}: {}", finished.stdout);
        assert!(
            finished.stdout.contains("all conform"),
            "{name}: {}",
            finished.stdout
        );
        assert!(
            !finished.stdout.contains("not read"),
            "{name}: {}",
            finished.stdout
        );
        assert_eq!(found(&folder, ""), (vec![], 0), "{name}");
        assert_eq!(files(&folder), before, "{name}");
    }
}

/// What is changed in a home: statements for a database, or files that are removed or cut.
enum Fault {
    State(&'static str),
    History(&'static str),
    /// The session files with this in their name are gone.
    Gone(&'static str),
    /// Their last line is gone.
    Cut(&'static str),
    /// They have other bytes.
    Changed(&'static str, fn(&mut Vec<u8>)),
    /// Their folder is another one.
    Moved(&'static str),
}

use Fault::{Changed, Cut, Gone, History, Moved, State};

const ERROR: i32 = 1;

/// Of an input that cannot be read.
const UNREAD: i32 = 2;

/// The home, what is changed in it, the rules and places of the findings, and the exit code.
type Case = (
    &'static str,
    Fault,
    &'static [(&'static str, &'static str)],
    i32,
);

/// Each fault, by the home it is made in, with the findings it leads to, and no others.
#[test]
fn each_fault_gives_its_finding() {
    let cases: &[Case] = &[
        (
            "0.128.0-agents",
            State("DELETE FROM threads WHERE title = 'Count them.'"),
            &[("home/row-missing", "/threads")],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State("UPDATE threads SET tokens_used = tokens_used + 1 WHERE title = 'Count them.'"),
            &[("home/tokens", "/threads/2/tokens_used")],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State(
                "UPDATE threads SET cwd = '/elsewhere', cli_version = '0.1.0', model_provider = 'x' WHERE source = 'exec'",
            ),
            &[
                ("home/thread-differs", "/threads/1/cli_version"),
                ("home/thread-differs", "/threads/1/cwd"),
                ("home/thread-differs", "/threads/1/model_provider"),
            ],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State(
                "UPDATE threads SET first_user_message = 'Something else.' WHERE source = 'exec'",
            ),
            &[("home/thread-differs", "/threads/1/first_user_message")],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State(
                "UPDATE threads SET source = 'vscode', model = 'x', approval_mode = 'on-request' WHERE source = 'exec'",
            ),
            &[
                ("home/thread-differs", "/threads/1/approval_mode"),
                ("home/thread-differs", "/threads/1/model"),
                ("home/thread-differs", "/threads/1/source"),
            ],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State(
                "UPDATE threads SET reasoning_effort = 'low', agent_nickname = 'x' WHERE title = 'Count them.'",
            ),
            &[
                ("home/thread-differs", "/threads/2/agent_nickname"),
                ("home/thread-differs", "/threads/2/reasoning_effort"),
            ],
            ERROR,
        ),
        (
            "0.169.0-agents-forked",
            State(
                "UPDATE threads SET originator = 'x', thread_source = 'user', agent_path = '/root', source = '{}' WHERE title = ''",
            ),
            &[
                ("home/thread-differs", "/threads/2/agent_path"),
                ("home/thread-differs", "/threads/2/originator"),
                ("home/thread-differs", "/threads/2/source"),
                ("home/thread-differs", "/threads/2/thread_source"),
            ],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State("DELETE FROM thread_spawn_edges WHERE rowid = 1"),
            &[("home/spawn-edge", "/thread_spawn_edges")],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State("UPDATE thread_spawn_edges SET parent_thread_id = 'x' WHERE rowid = 1"),
            &[
                ("home/spawn-edge", "/thread_spawn_edges"),
                ("home/spawn-edge", "/thread_spawn_edges/1/parent_thread_id"),
            ],
            ERROR,
        ),
        (
            "0.128.0-agents",
            Gone("01a21624-d6"),
            &[("home/file-missing", "/threads/3/rollout_path")],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State("UPDATE threads SET tokens_used = 'many' WHERE source = 'exec'"),
            &[("home/value", "/threads/1/tokens_used")],
            ERROR,
        ),
        (
            "0.128.0-agents",
            State("UPDATE backfill_state SET status = 'pending'; DELETE FROM threads"),
            &[],
            0,
        ),
        (
            "0.169.0-archived",
            State("UPDATE threads SET archived = 0"),
            &[("home/thread-differs", "/threads/1/archived")],
            ERROR,
        ),
        (
            "0.169.0-archived",
            Moved("rollout-"),
            &[("home/thread-differs", "/threads/1/archived")],
            ERROR,
        ),
        (
            "0.169.0-archived",
            State("UPDATE threads SET history_mode = 'legacy'"),
            &[("home/thread-differs", "/threads/1/history_mode")],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History(
                "UPDATE thread_history_projection_state SET next_rollout_byte_offset = 46122 WHERE rowid = 1",
            ),
            &[(
                "home/projection-place",
                "/thread_history_projection_state/1/next_rollout_byte_offset",
            )],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History(
                "UPDATE thread_history_projection_state SET next_rollout_byte_offset = 46120 WHERE rowid = 1",
            ),
            &[(
                "home/projection-place",
                "/thread_history_projection_state/1/next_rollout_byte_offset",
            )],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History(
                "UPDATE thread_history_projection_state SET next_rollout_ordinal = 26 WHERE next_rollout_ordinal = 25",
            ),
            &[(
                "home/projection-place",
                "/thread_history_projection_state/2/next_rollout_ordinal",
            )],
            ERROR,
        ),
        // As if Codex was killed before it read the second turn: that is a warning, and nothing more.
        (
            "0.169.0-reverted",
            History(
                "UPDATE thread_history_projection_state SET next_rollout_byte_offset = 40907, next_rollout_ordinal = 14 WHERE rowid = 1; \
                     DELETE FROM thread_turns WHERE rollout_ordinal = 14; DELETE FROM thread_items WHERE rollout_ordinal IN (17, 18)",
            ),
            &[(
                "home/projection-place",
                "/thread_history_projection_state/1/next_rollout_byte_offset",
            )],
            0,
        ),
        (
            "0.169.0-reverted",
            History(
                "DELETE FROM thread_history_projection_state WHERE rowid = 2; \
                     DELETE FROM thread_turns WHERE rollout_ordinal = 16; DELETE FROM thread_items WHERE rollout_ordinal IN (19, 20)",
            ),
            &[("home/projection-place", "/thread_history_projection_state")],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History("DELETE FROM thread_turns WHERE rollout_ordinal = 14"),
            &[("home/projection-missing", "/thread_turns")],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History("DELETE FROM thread_items WHERE rollout_ordinal = 18"),
            &[("home/projection-missing", "/thread_items")],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History("UPDATE thread_turns SET turn_id = 'x' || turn_id WHERE rollout_ordinal = 14"),
            &[
                ("home/projection-missing", "/thread_turns"),
                ("home/projection-added", "/thread_turns/2"),
            ],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History(
                "UPDATE thread_turns SET rollout_byte_offset = 1, rollout_end_ordinal = 2, rollout_end_byte_offset = 3, status = 'interrupted' WHERE rollout_ordinal = 14",
            ),
            &[
                (
                    "home/projection-differs",
                    "/thread_turns/2/rollout_byte_offset",
                ),
                (
                    "home/projection-differs",
                    "/thread_turns/2/rollout_end_byte_offset",
                ),
                (
                    "home/projection-differs",
                    "/thread_turns/2/rollout_end_ordinal",
                ),
                ("home/projection-differs", "/thread_turns/2/status"),
            ],
            ERROR,
        ),
        (
            "0.169.0-reverted",
            History(
                "UPDATE thread_items SET item_type = 'plan', updated_at_ordinal = 5 WHERE rollout_ordinal = 18",
            ),
            &[
                ("home/projection-differs", "/thread_items/4/item_type"),
                (
                    "home/projection-differs",
                    "/thread_items/4/updated_at_ordinal",
                ),
            ],
            ERROR,
        ),
        // The row is about the newest file, and only the projection about the first.
        (
            "0.169.0-reverted",
            Gone("973711.jsonl"),
            &[(
                "home/projection-added",
                "/thread_history_projection_state/1",
            )],
            ERROR,
        ),
        (
            "0.169.0-archived",
            Gone("rollout-"),
            &[("home/file-missing", "/threads/1/rollout_path")],
            ERROR,
        ),
        // The end of the turn is gone.
        (
            "0.169.0-archived",
            Cut("rollout-"),
            &[(
                "home/projection-place",
                "/thread_history_projection_state/1/next_rollout_byte_offset",
            )],
            ERROR,
        ),
        (
            "0.157.0-compressed",
            Gone(".zst"),
            &[("home/file-missing", "/threads/1/rollout_path")],
            ERROR,
        ),
        (
            "0.150.1-paginated",
            History("DELETE FROM thread_items WHERE item_type = 'contextCompaction'"),
            &[("home/projection-missing", "/thread_items")],
            ERROR,
        ),
        (
            "0.169.0-agents-forked",
            History("DELETE FROM thread_turns WHERE rollout_ordinal = 1"),
            &[("home/projection-missing", "/thread_turns")],
            ERROR,
        ),
        // A file that is there is not missing, whether or not it can be read as a session file.
        ("0.128.0-agents", Changed("01a21624-d2", Vec::clear), &[], 0),
        (
            "0.128.0-agents",
            Changed("01a21624-d2", |bytes| bytes[0] = b'['),
            &[],
            ERROR,
        ),
        (
            "0.157.0-compressed",
            Changed(".zst", |bytes| bytes.truncate(300)),
            &[],
            UNREAD,
        ),
        (
            "0.169.0-archived",
            Changed("rollout-", |bytes| bytes[0] = b'['),
            &[],
            ERROR,
        ),
        // What a release does not have is not missed.
        (
            "0.128.0-agents",
            State("ALTER TABLE threads RENAME COLUMN rollout_path TO elsewhere"),
            &[],
            0,
        ),
        (
            "0.128.0-agents",
            State("ALTER TABLE threads RENAME COLUMN id TO elsewhere"),
            &[],
            0,
        ),
        (
            "0.128.0-agents",
            State("ALTER TABLE thread_spawn_edges RENAME COLUMN child_thread_id TO elsewhere"),
            &[],
            0,
        ),
        (
            "0.169.0-reverted",
            History("ALTER TABLE thread_turns RENAME COLUMN turn_id TO elsewhere"),
            &[],
            0,
        ),
        (
            "0.169.0-reverted",
            History("ALTER TABLE thread_items RENAME COLUMN item_id TO elsewhere"),
            &[],
            0,
        ),
    ];
    for (index, (name, fault, expected, code)) in cases.iter().enumerate() {
        let folder = built("fault", name, "home");
        let home = folder.join("home");
        match fault {
            State(sql) => change(&home.join("state_5.sqlite"), sql),
            History(sql) => change(&home.join("thread_history_1.sqlite"), sql),
            Gone(part) => with_name(&home, part, |path| fs::remove_file(path).unwrap()),
            Changed(part, change) => with_name(&home, part, |path| {
                let mut bytes = fs::read(path).unwrap();
                change(&mut bytes);
                fs::write(path, bytes).unwrap();
            }),
            Cut(part) => with_name(&home, part, |path| {
                let text = fs::read_to_string(path).unwrap();
                let end = text.trim_end().rfind('\n').unwrap();
                fs::write(path, &text[..=end]).unwrap();
            }),
            Moved(part) => with_name(&home, part, |path| {
                let to = home.join("sessions/2026");
                fs::create_dir_all(&to).unwrap();
                fs::rename(path, to.join(path.file_name().unwrap())).unwrap();
            }),
        }
        let (mut found, exit) = found(&folder, "");
        found.sort();
        let mut expected: Vec<(String, String)> = expected
            .iter()
            .map(|(rule, place)| ((*rule).to_owned(), (*place).to_owned()))
            .collect();
        expected.sort();
        assert_eq!(found, expected, "case {index} of {name}");
        assert_eq!(exit, *code, "case {index} of {name}");
    }
}

fn with_name(folder: &Path, part: &str, mut each: impl FnMut(&Path)) {
    let known = files(folder);
    let named = known.keys().filter(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("rollout-") && name.contains(part)
    });
    named.for_each(|path| each(path));
}

/// 0.105.0 was killed before it had a row, and its next run took its own message for the first one. So does 0.142.0 in a
/// thread that 0.157.0 began.
#[test]
fn a_row_may_have_a_later_message() {
    let folder = built("later-message", "0.128.0-agents", "home");
    let sql = "UPDATE threads SET first_user_message = 'Go on.' WHERE source = 'exec'";
    change(&folder.join("home/state_5.sqlite"), sql);
    let differs = "/threads/1/first_user_message".to_owned();
    assert_eq!(
        found(&folder, "").0,
        [("home/thread-differs".to_owned(), differs)]
    );
    let id: String = Connection::open(folder.join("home/state_5.sqlite"))
        .unwrap()
        .query_row("SELECT id FROM threads WHERE source = 'exec'", [], |row| {
            row.get(0)
        })
        .unwrap();
    let all = files(&folder.join("home/sessions"));
    let (path, bytes) = all
        .iter()
        .find(|(path, _)| path.to_string_lossy().contains(&id))
        .unwrap();
    let line = r#"{"timestamp":"2026-11-26T04:37:30.000Z","type":"event_msg","payload":{"type":"user_message","message":"Go on.","images":[],"local_images":[],"text_elements":[]}}"#;
    fs::write(path, [&bytes[..], line.as_bytes(), b"\n"].concat()).unwrap();
    assert_eq!(found(&folder, "").0, []);
}

/// The mark is a warning where the file is checked, and the rest is compared.
#[test]
fn a_byte_order_mark_is_not_a_part_of_the_header() {
    let folder = built("mark", "0.128.0-agents", "home");
    with_name(&folder.join("home"), "01a21624-d2", |path| {
        let bytes = fs::read(path).unwrap();
        fs::write(path, [b"\xef\xbb\xbf", &bytes[..]].concat()).unwrap();
    });
    assert_eq!(found(&folder, ""), (vec![], 0));
    change(
        &folder.join("home/state_5.sqlite"),
        "UPDATE threads SET tokens_used = tokens_used + 1, cwd = '/elsewhere' WHERE source = 'exec'",
    );
    let wrong = [
        ("home/thread-differs", "/threads/1/cwd"),
        ("home/tokens", "/threads/1/tokens_used"),
    ];
    let wrong = wrong.map(|(rule, place)| (rule.to_owned(), place.to_owned()));
    assert_eq!(found(&folder, ""), (wrong.to_vec(), 1));
}

#[test]
fn a_header_that_is_too_long_is_not_a_missing_file() {
    let folder = built("long-header", "0.128.0-agents", "home");
    assert_eq!(found(&folder, "--max-line-bytes 1000").0, []);
}

/// Files that nobody looked at are not missing, and databases are then not inputs of the check.
#[cfg(unix)]
#[test]
fn an_interrupted_check_compares_no_database() {
    use std::io::Read as _;
    use std::process::{Command, Stdio};

    let folder = built("interrupted", "0.128.0-agents", "home");
    let mut child = command(
        &folder,
        "check --threads 1 - home --report json=report.json",
    )
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let stdin = child.stdin.take().unwrap();
    // It handles signals once it reads.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let number = child.id().to_string();
    let sent = Command::new("kill").args(["-s", "INT", &number]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(2));
    drop(stdin);
    let mut text = String::new();
    child.stdout.unwrap().read_to_string(&mut text).unwrap();
    let report = fs::read_to_string(folder.join("report.json")).unwrap();
    for text in [text, report] {
        assert!(!text.contains("home/file-missing"), "{text}");
    }
}

/// On a big disk, these two folders are often links.
#[cfg(unix)]
#[test]
fn the_folders_of_a_home_may_be_links() {
    use std::os::unix::fs::symlink;

    let folder = built("links", "0.128.0-agents", "home");
    let home = folder.join("home");
    fs::rename(home.join("sessions"), folder.join("disk")).unwrap();
    symlink("../disk", home.join("sessions")).unwrap();
    let finished = run(&folder, "check home");
    assert!(
        finished
            .stdout
            .starts_with("4 inputs, 58 messages: all conform"),
        "{}",
        finished.stdout
    );
    assert!(!finished.stdout.contains("not read"), "{}", finished.stdout);
    // A folder within them may not: what files are there is unknown.
    fs::rename(folder.join("disk/2026"), folder.join("2026")).unwrap();
    symlink("../2026", folder.join("disk/2026")).unwrap();
    let finished = run(&folder, "check home");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    assert!(
        finished
            .stdout
            .contains("not read: 1 linked folder (home/sessions/2026)"),
        "{}",
        finished.stdout
    );
}

/// Whether a file is archived says its folder in the home, and not where the home is.
#[test]
fn a_home_may_lie_below_any_folder() {
    let folder = built("below", "0.128.0-agents", "home");
    let archive = folder.join("archived_sessions");
    fs::create_dir(&archive).unwrap();
    fs::rename(folder.join("home"), archive.join("home")).unwrap();
    let finished = run(&folder, "check archived_sessions/home");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
}

/// The variable is about the home of Codex: it says nothing of others that have databases.
#[test]
fn a_home_with_databases_has_these() {
    let folder = built("own", "0.128.0-agents", "home");
    let other = built("own-other", "0.169.0-archived", "databases");
    let with = |args: &str, home: &Path| {
        let output = command(&folder, args)
            .env("CODEX_SQLITE_HOME", other.join("databases"))
            .env("CODEX_HOME", home)
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let text = with("check home home", &other.join("home"));
    assert!(
        text.starts_with("8 inputs, 116 messages: all conform"),
        "{text}"
    );
    let both = format!("check home {}", other.join("home").display());
    let text = with(&both, &other);
    assert!(text.contains("all conform"), "{text}");
    assert!(!text.contains("not read"), "{text}");
    // Databases that Codex left in its home when the variable was set are old.
    let text = with("check home", &folder.join("home"));
    assert!(text.contains("databases/state_5.sqlite"), "{text}");
}

#[test]
fn the_folder_of_databases_is_that_of_one_home() {
    let folder = built("one", "0.128.0-agents", "home");
    let finished = run(&folder, "check --sqlite-home home home home/../home");
    assert_eq!(finished.code, 2, "{}", finished.stdout);
    assert_eq!(finished.stdout, "");
    assert!(
        finished
            .stderr
            .contains("`--sqlite-home` says where the databases of one home are, but 2 are named"),
        "{}",
        finished.stderr
    );
}

#[test]
fn databases_may_lie_in_another_folder() {
    let folder = built("elsewhere", "0.169.0-archived", "databases");
    change(
        &folder.join("databases/state_5.sqlite"),
        "UPDATE threads SET tokens_used = 1",
    );
    assert_eq!(found(&folder, ""), (vec![], 0));
    let wrong = vec![(
        "home/tokens".to_owned(),
        "/threads/1/tokens_used".to_owned(),
    )];
    assert_eq!(found(&folder, "--sqlite-home databases"), (wrong, 1));
    let named = command(&folder, "check home")
        .env("CODEX_SQLITE_HOME", "databases")
        .output();
    let text = String::from_utf8(named.unwrap().stdout).unwrap();
    assert!(
        text.contains("error[home/tokens] databases/state_5.sqlite:1:1: the row has 1 tokens"),
        "{text}"
    );
    let finished = run(&folder, "check --sqlite-home nowhere home");
    assert_eq!(finished.code, 2);
    assert!(
        finished
            .stderr
            .contains("nowhere has no databases of Codex"),
        "{}",
        finished.stderr
    );
}

/// With a part of the session files, nothing is known of the others.
#[test]
fn a_part_of_a_home_is_not_compared() {
    let folder = built("part", "0.169.0-archived", "home");
    change(
        &folder.join("home/state_5.sqlite"),
        "UPDATE threads SET tokens_used = 1",
    );
    for args in ["--since 2026-01-01", "--exclude *.log", "--side codex"] {
        assert_eq!(found(&folder, args), (vec![], 0), "{args}");
    }
    let finished = run(&folder, "check home/archived_sessions");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    let finished = run(&folder, "check --since 2026-01-01 home");
    assert!(finished.stdout.contains("databases"), "{}", finished.stdout);
}

#[test]
fn levels_and_baselines_are_those_of_other_findings() {
    let folder = built("levels", "0.169.0-archived", "home");
    change(
        &folder.join("home/state_5.sqlite"),
        "UPDATE threads SET tokens_used = 1",
    );
    assert_eq!(found(&folder, "--allow home/tokens"), (vec![], 0));
    let (warned, code) = found(&folder, "--warn home/*");
    assert_eq!((warned.len(), code), (1, 0));
    let finished = run(
        &folder,
        "check --baseline b.toml --update-baseline --reason Known. home",
    );
    assert_eq!(finished.code, 0, "{}{}", finished.stdout, finished.stderr);
    let finished = run(&folder, "check --baseline b.toml home");
    assert_eq!(finished.code, 0, "{}", finished.stdout);
    assert!(finished.stdout.contains("expected"), "{}", finished.stdout);
}

/// Older ones are left behind by Codex, and what is not a database is not one.
#[test]
fn the_newest_database_is_compared_and_a_damaged_one_is_an_error() {
    let folder = built("newest", "0.169.0-archived", "home");
    let home = folder.join("home");
    change(
        &home.join("state_4.sqlite"),
        "CREATE TABLE threads (id TEXT)",
    );
    fs::write(home.join("state_x.sqlite"), "x").unwrap();
    assert_eq!(found(&folder, ""), (vec![], 0));
    let finished = run(&folder, "check home");
    assert!(
        finished.stdout.contains("home/state_4.sqlite"),
        "{}",
        finished.stdout
    );
    fs::write(home.join("state_6.sqlite"), "no database").unwrap();
    let finished = run(&folder, "check home");
    assert_eq!(finished.code, 2, "{}", finished.stdout);
    assert!(
        finished.stdout.contains("it is not a database of SQLite"),
        "{}",
        finished.stdout
    );
}
