//! Compares rows of `threads` and of `thread_spawn_edges` with the headers of session files, and with what they count.

use std::collections::BTreeSet;

use serde_json::Value;

use super::difference::{Difference, Place};
use super::evidence::homes;
use super::file::{HomeFile, name_in};
use super::rows::{EDGES, HomeRows, Row, THREADS};
use crate::phrasing::Word;
use crate::rule_macros::rules;

/// What an IDE puts in front of the request.
const REQUEST: &str = "## My request for Codex:";

/// Compares a session file with the row of its thread.
pub(super) fn compare(rows: &mut HomeRows, file: &HomeFile) {
    let id = file.header.id.as_str();
    let is_complete = rows.is_complete();
    let mut found = Vec::new();
    match rows.threads.get_mut(id) {
        // Earlier files of a thread that was reverted are not what the row is about.
        Some(row) if file_of(row) == Some(&file.name) => {
            row.is_met = true;
            tokens(row, file, &mut found);
            header(row, file, &mut found);
        }
        Some(_) => {}
        None if is_complete && !file.messages.is_empty() => {
            let thread = Word::of(id);
            let difference = Difference::new(Place::table(THREADS), NoRow { thread });
            found.push(difference.in_file(&file.name));
        }
        None => {}
    }
    if rows.has(EDGES) {
        edges(rows, file, &mut found);
    }
    rows.differences.append(&mut found);
}

/// Meets the rows of session files with these names.
pub(super) fn meet(rows: &mut HomeRows, names: &BTreeSet<String>) {
    for row in rows.threads.values_mut() {
        row.is_met |= file_of(row).is_some_and(|name| names.contains(name));
    }
}

/// What no session file was met for.
pub(super) fn without_file(rows: &mut HomeRows) {
    let lost = rows.threads.iter().filter(|(_, row)| !row.is_met);
    let found: Vec<Difference> = lost
        .map(|(id, row)| {
            let thread = Word::of(id);
            let found = Difference::new(row.place.column("rollout_path"), NoFile { thread });
            match file_of(row) {
                Some(name) => found.in_file(name),
                None => found,
            }
        })
        .collect();
    rows.differences.extend(found);
}

/// The name of the session file that a row is about.
fn file_of(row: &Row) -> Option<&str> {
    row.text("rollout_path").map(name_in)
}

fn tokens(row: &Row, file: &HomeFile, found: &mut Vec<Difference>) {
    let Some(row_has) = row.integer("tokens_used") else {
        return;
    };
    let file_has = match file.total {
        Some(total) => total,
        // The history of another file has been counted there.
        None if file.header.history_base.is_some() => return,
        None => 0,
    };
    // A line that could not be read may count more.
    if row_has != file_has && !file.is_partial {
        let place = row.place.column("tokens_used");
        found.push(Difference::new(place, OtherTotal { row_has, file_has }).in_file(&file.name));
    }
}

fn header(row: &Row, file: &HomeFile, found: &mut Vec<Difference>) {
    let header = &file.header;
    let mut other = |column, is_other: bool| {
        if is_other {
            let how = OtherThan {
                column: Word::of(column),
            };
            found.push(Difference::new(row.place.column(column), how).in_file(&file.name));
        }
    };
    for (column, file_has) in [
        ("cwd", header.cwd.as_deref()),
        ("cli_version", header.cli_version.as_deref()),
        ("model_provider", header.model_provider.as_deref()),
        // Before there were two modes, files did not name theirs.
        (
            "history_mode",
            Some(header.history_mode.as_deref().unwrap_or("legacy")),
        ),
    ] {
        let pair = row.text(column).zip(file_has);
        other(column, pair.is_some_and(|(row, file)| row != file));
    }
    for (column, file_has) in [
        ("source", &header.source),
        ("originator", &header.originator),
        ("thread_source", &header.thread_source),
        ("agent_nickname", &header.agent_nickname),
        ("agent_role", &header.agent_role),
        ("agent_path", &header.agent_path),
    ] {
        other(column, is_other(row.text(column), file_has.as_ref()));
    }
    let settings = &file.settings;
    for (column, file_has) in [
        ("model", &settings.model),
        ("reasoning_effort", &settings.effort),
        ("approval_mode", &settings.approval_policy),
    ] {
        // A line that could not be read may be a later turn.
        let is_other = is_other(row.text(column), file_has.as_ref());
        other(column, is_other && !file.is_partial);
    }
    let archived = row.integer("archived").map(|flag| flag != 0);
    other(
        "archived",
        archived.is_some_and(|flag| flag != file.is_archived),
    );
    // A request may have pictures, for which the row has words of its own, or none. A release that finds no row, or
    // does not read what another one wrote, takes the first message that it hears itself.
    let is_said = |row: &str| {
        let mut said = file.messages.iter();
        said.any(|said| {
            let (_, request) = said.split_once(REQUEST).unwrap_or(("", said));
            request.contains(row)
        })
    };
    let row_has = row.text("first_user_message");
    other(
        "first_user_message",
        !file.messages.is_empty() && row_has.is_some_and(|row| !is_said(row)),
    );
}

/// Whether both say something, and not the same. The row has JSON as text for a value of the file that is not a text.
fn is_other(row: Option<&str>, file: Option<&Value>) -> bool {
    match (row, file) {
        (Some(row), Some(Value::String(file))) => row != file,
        (Some(row), Some(file)) => {
            let row = serde_json::from_str::<Value>(row);
            !file.is_null() && row.ok().as_ref() != Some(file)
        }
        _ => false,
    }
}

fn edges(rows: &mut HomeRows, file: &HomeFile, found: &mut Vec<Difference>) {
    let child = &file.header.id;
    let parent = file.header.parent();
    let mut has_edge = false;
    let first = (child.clone(), String::new());
    let of_child = rows.edges.range(first..);
    for ((_, edge_parent), row) in of_child.take_while(|((edge_child, _), _)| edge_child == child) {
        if parent == Some(edge_parent) {
            has_edge = true;
        } else {
            let place = row.place.column("parent_thread_id");
            let thread = Word::of(child);
            found.push(Difference::new(place, OtherParent { thread }).in_file(&file.name));
        }
    }
    if parent.is_some() && !has_edge && rows.is_complete() {
        let thread = Word::of(child);
        found.push(Difference::new(Place::table(EDGES), NoEdge { thread }).in_file(&file.name));
    }
}

rules! {
    HOME_FILE_MISSING {
        summary: "each row of `threads` has its session file in the home",
        id: "home/file-missing",
        explanation: "`rollout_path` names the session file of a thread, which is looked for by its name, plain or compressed, in \
            `sessions` and `archived_sessions` of the home. Lists of threads show the row, but the thread cannot be opened. Somebody \
            removed the file or moved it to another place, or the home is a copy without it. A file that is there and cannot be read \
            is not missing. Where a folder of files was not read, such as a linked one, nothing is reported.",
        evidence: homes!("Each row has its file, also after it was archived or compressed, and after `thread/revert` began a new \
            one."),
    } => {
        NoFile { thread: Word }: "the session file of thread {thread} is not in the home",
    }
    HOME_ROW_MISSING {
        summary: "each session file has a row in `threads`",
        id: "home/row-missing",
        explanation: "Lists of threads are read from the database, so a thread without a row is not found there. A file in which the \
            user has said nothing is not asked for. Releases before databases wrote none; the first one that has a database adds \
            their threads, and as long as `backfill_state` does not say `complete`, nothing is reported.",
        evidence: homes!("Each session file has a row, also those of 0.98.0 once 0.128.0 ran in the home, except for two in which the user \
            had said nothing when Codex was killed."),
    } => {
        NoRow { thread: Word }: "thread {thread} has a session file and no row",
    }
    HOME_SPAWN_EDGE {
        summary: "`thread_spawn_edges` has each sub-agent once, with the parent that its session file names",
        id: "home/spawn-edge",
        explanation: "The header of a sub-agent names its parent in `source`, and so does a row of `thread_spawn_edges`. Without the \
            row, a client does not find the sub-agent. Reviewers are sub-agents without a row. Rows whose session file is not in the home \
            are not compared.",
        evidence: homes!("54 sub-agents of releases from 0.128.0 on have one row each, with their parent; 0.105.0 and 0.116.0 have no \
            such table."),
    } => {
        NoEdge { thread: Word }: "sub-agent {thread} has no row",
        OtherParent { thread: Word }: "the session file of thread {thread} names another parent or none",
    }
    HOME_THREAD_DIFFERS {
        summary: "a row of `threads` says what the session file says",
        id: "home/thread-differs",
        explanation: "Compared are `cwd`, `cli_version`, `model_provider` and `history_mode` with the header of the session file, \
            `archived` with the folder that it lies in, and `first_user_message`, which has to be a part of a message of the \
            user: what an IDE puts in front of the request is left out, and a release that finds no row takes the first message that it \
            hears itself. `source`, `originator`, `thread_source`, `agent_nickname`, `agent_role` and `agent_path` are those of the header; \
            `model`, `reasoning_effort` and `approval_mode` those of the last turn. What the row or the file does not have is not \
            compared. `title` is not compared, because it may be a name that somebody gave the thread, which is not in the file, nor is \
            git, which a client may correct.",
        evidence: homes!("All of 864 rows say the same, also where another release goes on with the thread. In 486 other homes, of \
            all scenes with 0.105.0, 0.128.0, 0.142.0, 0.150.1, 0.157.0 and 0.169.0, in 67 in which two releases took turns, and in 42 \
            that were copied when Codex ended or was killed, no row says anything else of source, originator, agents, model, effort \
            and approvals. There `git_branch` was what a client had set, and titles of named threads are their names."),
    } => {
        OtherThan { column: Word }: "`{column}` is not what the session file says",
    }
    HOME_TOKENS {
        summary: "`tokens_used` is the last total of the session file",
        id: "home/tokens",
        explanation: "`tokens_used` is `total_tokens` of the last `token_count` in the session file: what the thread has used since it \
            began, of input and output. It is 0 where the file counts nothing. If it is another number, one of the two was not \
            written to the end: lists show a wrong number until Codex reads the file again.",
        evidence: homes!("The two are the same in all of 864 rows: in forks, in sub-agents that begin with a copy of their parent, \
            after compactions and reverts, and where Codex was killed."),
    } => {
        OtherTotal { row_has: i64, file_has: i64 }: "the row has {row_has} tokens, the session file {file_has}",
    }
}
