//! What is counted is what the model returned: sessions of which the bill is known.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codex_wire_session::usage::{Fork, Key, Query, Usage};
use codex_wire_session::{Reader, Session, Tokens};
use serde_json::Value;

use crate::recordings::name_of;
use golden_files::files;

/// What the model returned: the sum, and the sums by thread where requests name theirs.
#[derive(Debug, Default, PartialEq)]
struct Bill {
    total: Tokens,
    threads: BTreeMap<String, Tokens>,
}

impl Bill {
    /// The bill of a run, with or without the last answer.
    fn of_model(folder: &Path, with_last: bool) -> Self {
        let text = std::fs::read_to_string(folder.join("model.jsonl")).expect("a bill");
        let mut bill = Bill::default();
        let mut lines: Vec<&str> = text.lines().collect();
        if !with_last {
            lines.pop();
        }
        for line in lines {
            let line: Value = serde_json::from_str(line).expect("a line of a bill");
            let count = |name: &str| line[name].as_u64().expect("a number");
            let mut tokens = Tokens::new(count("input"), count("output"))
                .cached_input(count("cached_input"))
                .reasoning_output(count("reasoning_output"));
            tokens.total = count("total");
            bill.add(line["thread"].as_str(), tokens);
        }
        bill
    }

    /// What is counted in session files, with the files that forks and segments go on from.
    fn counted(files: &[PathBuf]) -> Self {
        let reader = Reader::new();
        let session = |path: &Path| -> Session {
            let bytes = read(path);
            let read = reader.read(name_of(path), &*bytes);
            read.unwrap_or_else(|error| panic!("{}: {error}", files::short(path)))
        };
        let mut usage = Usage::new(Query::new().by(Key::Thread));
        for path in files {
            let read = usage.read(&reader, name_of(path), &*read(path));
            read.unwrap_or_else(|error| panic!("{}: {error}", files::short(path)));
        }
        for Fork { source, parent, .. } in usage.forks() {
            let named = |wanted: &str| files.iter().find(|path| name_of(path).contains(wanted));
            let parent = named(&parent).map(|path| session(path));
            if let Some(fork) = named(&source) {
                usage.fork(session(fork), parent.as_ref());
            }
        }
        let table = usage.finish();
        let mut bill = Bill::default();
        for row in &table.rows {
            bill.add(row.keys.first().map(String::as_str), row.sums.tokens);
        }
        assert_eq!(bill.total, table.total.tokens);
        bill
    }

    fn add(&mut self, thread: Option<&str>, tokens: Tokens) {
        self.total += tokens;
        if let Some(thread) = thread
            && !tokens.is_zero()
        {
            *self.threads.entry(thread.to_owned()).or_default() += tokens;
        }
    }
}

/// The bytes of a session file.
fn read(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).expect("a session file");
    match path.extension().is_some_and(|ending| ending == "zst") {
        true => zstd::decode_all(&*bytes).expect("a compressed file"),
        false => bytes,
    }
}

/// The session files of a run. A compressed one counts where the plain one is gone.
fn session_files(folder: &Path) -> Vec<PathBuf> {
    let home = folder.join("home");
    let mut out = files::below(&home, "jsonl");
    out.retain(|path| name_of(path).starts_with("rollout-"));
    let compressed = files::below(&home, "zst").into_iter();
    let is_alone = |path: &PathBuf| !out.contains(&path.with_extension(""));
    let alone: Vec<PathBuf> = compressed.filter(is_alone).collect();
    out.extend(alone);
    out
}

/// Runs in which Codex is stopped before it writes what the last answer cost: the file cannot know.
const NOT_WRITTEN: [&str; 3] = ["0.44.0/interrupted", "0.44.0/killed", "0.147.0/killed"];

/// The bills of all runs.
fn bills() -> Vec<PathBuf> {
    let root = files::root().join("fixtures/accounting");
    let mut bills = files::below(&root, "jsonl");
    bills.retain(|path| name_of(path) == "model.jsonl");
    bills
}

/// Recordings of the app-server have the same tokens as session files, where no other program ran. Those of 0.63.0 have none.
#[test]
fn recordings_of_the_app_server_have_them_too() {
    let mut count = 0;
    for bill in bills() {
        let folder = bill.parent().expect("a folder");
        let mut recordings = files::below(folder, "jsonl");
        recordings.retain(|path| path.parent() == Some(folder) && path != &bill);
        let is_of_server = |path: &PathBuf| name_of(path).starts_with("app-server-");
        recordings.retain(|path| is_of_server(path) || name_of(path).starts_with("exec-"));
        let is_silent = files::short(folder).contains("/0.63.0/");
        if recordings.is_empty() || !recordings.iter().all(is_of_server) || is_silent {
            continue;
        }
        let counted = Bill::counted(&recordings);
        assert_eq!(
            counted.total,
            Bill::of_model(folder, true).total,
            "{}",
            files::short(folder)
        );
        count += 1;
    }
    assert!(count > 25, "{count}");
}

#[test]
fn what_is_counted_is_what_the_model_returned() {
    let bills = bills();
    let mut wrong = Vec::new();
    for bill in &bills {
        let folder = bill.parent().expect("a folder");
        let run = files::short(folder);
        let is_written = !NOT_WRITTEN.iter().any(|known| run.ends_with(known));
        let returned = Bill::of_model(folder, is_written);
        let counted = Bill::counted(&session_files(folder));
        if counted.total != returned.total {
            let (counted, returned) = (counted.total, returned.total);
            wrong.push(format!(
                "{run}\n  counted  {counted:?}\n  returned {returned:?}"
            ));
        } else if !returned.threads.is_empty() && counted.threads != returned.threads {
            let (counted, returned) = (counted.threads, returned.threads);
            wrong.push(format!(
                "{run}\n  counted  {counted:?}\n  returned {returned:?}"
            ));
        }
    }
    assert!(bills.len() > 100, "{}", bills.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
