//! Compares the turns and items of the thread-history database with the lines of session files.

use std::collections::BTreeSet;

use codex_wire_base::shape::ReleaseBounds;

use super::difference::{Difference, Place};
use super::evidence::homes;
use super::file::{HomeFile, ItemLines, TurnLines, id_in};
use super::rows::{HomeRows, ITEMS, PROJECTIONS, Projection, Row, TURNS};
use crate::phrasing::Word;
use crate::rule::{Exception, Status};
use crate::rule_macros::rules;
use crate::severity::Severity;

/// How the exception of a rule calls what Codex has not read yet.
const BEHIND: &str = "behind";

/// Compares a session file with its projection.
pub(super) fn compare(rows: &mut HomeRows, file: &HomeFile) {
    let mut found = Vec::new();
    let should_be = is_projected(rows, file);
    let (has_turns, has_items) = (rows.has(TURNS), rows.has(ITEMS));
    match rows.projections.get_mut(&file.id) {
        Some(projection) => {
            projection.is_met = true;
            let read = place(projection, file, &mut found);
            if has_turns {
                turns(projection, file, read, &mut found);
            }
            if has_items {
                items(projection, file, read, &mut found);
            }
        }
        None if should_be => {
            let thread = Word::of(&file.id);
            found.push(Difference::new(
                Place::table(PROJECTIONS),
                Unread { thread },
            ));
        }
        None => {}
    }
    let found = found.into_iter().map(|one| one.in_file(&file.name));
    rows.differences.extend(found);
}

/// Meets the projections of session files with these names.
pub(super) fn meet(rows: &mut HomeRows, names: &BTreeSet<String>) {
    for id in names.iter().filter_map(|name| id_in(name)) {
        if let Some(projection) = rows.projections.get_mut(id) {
            projection.is_met = true;
        }
    }
}

/// What no session file was met for.
pub(super) fn without_file(rows: &mut HomeRows) {
    let mut found = Vec::new();
    for (id, projection) in &rows.projections {
        // One finding for a file that is lost is enough.
        if projection.is_met || rows.threads.get(id).is_some_and(|row| !row.is_met) {
            continue;
        }
        let states = projection.state.iter();
        let mut all = states
            .chain(projection.turns.values())
            .chain(projection.items.values());
        if let Some(first) = all.next() {
            let thread = Word::of(id);
            found.push(Difference::new(first.place, NoFile { thread }));
        }
    }
    rows.differences.append(&mut found);
}

fn is_projected(rows: &HomeRows, file: &HomeFile) -> bool {
    rows.has(PROJECTIONS) && file.header.history_mode.as_deref() == Some("paginated")
}

/// How far the session file was read, in bytes: what comes behind is not missed.
fn place(projection: &Projection, file: &HomeFile, found: &mut Vec<Difference>) -> i64 {
    let length = file.ends.last().map_or(0, |(end, _)| *end);
    let Some(state) = &projection.state else {
        return length;
    };
    let Some(byte) = state.integer("next_rollout_byte_offset") else {
        return length;
    };
    let at = state.place.column("next_rollout_byte_offset");
    if byte > length {
        found.push(Difference::new(at, Ahead { byte, length }));
        return length;
    }
    let count = file.ends.partition_point(|(end, _)| *end <= byte);
    let (before, behind) = file.ends.split_at(count);
    if before.last().map_or(0, |(end, _)| *end) != byte {
        found.push(Difference::new(at, Within { byte }));
        return byte;
    }
    if !behind.is_empty() {
        let lines = behind.len();
        found.push(Difference::new(at, Behind { byte, lines }).of(BEHIND));
    }
    let next = before.last().and_then(|(_, ordinal)| *ordinal);
    let next = next.map(|ordinal| ordinal.saturating_add(1));
    let has = state.integer("next_rollout_ordinal");
    if let Some((has, next)) = has.zip(next)
        && has != next
    {
        let at = state.place.column("next_rollout_ordinal");
        found.push(Difference::new(at, OtherOrdinal { has, next }));
    }
    byte
}

/// Copies of another thread's turns are not projected. Ids grow with time.
fn is_own(turn: &str, file: &HomeFile) -> bool {
    turn >= file.id.as_str()
}

fn turns(projection: &Projection, file: &HomeFile, read: i64, found: &mut Vec<Difference>) {
    for (id, lines) in &file.turns {
        match projection.turns.get(id) {
            Some(row) => turn(row, lines, read, found),
            None if is_own(id, file) && lines.byte < read => {
                let turn = Word::of(id);
                let place = Place::table("thread_turns");
                found.push(Difference::new(place, TurnMissing { turn }));
            }
            None => {}
        }
    }
    for (id, row) in &projection.turns {
        if !file.turns.contains_key(id) && !file.is_partial {
            let turn = Word::of(id);
            found.push(Difference::new(row.place, TurnAdded { turn }));
        }
    }
}

fn turn(row: &Row, lines: &TurnLines, read: i64, found: &mut Vec<Difference>) {
    let end = lines.end.as_ref().filter(|end| end.byte <= read);
    let places = [
        ("rollout_ordinal", lines.ordinal),
        ("rollout_byte_offset", Some(lines.byte)),
        ("rollout_end_ordinal", end.and_then(|end| end.ordinal)),
        ("rollout_end_byte_offset", end.map(|end| end.byte)),
    ];
    numbers(row, places, found);
    let expected = end.map(|end| end.is_interruption);
    let is_other = match (row.text("status"), expected) {
        (Some("interrupted"), Some(is_interruption)) => !is_interruption,
        (Some("completed" | "failed"), Some(is_interruption)) => is_interruption,
        (Some("inProgress"), Some(_)) => true,
        _ => false,
    };
    if is_other {
        let column = Word::of("status");
        found.push(Difference::new(
            row.place.column("status"),
            OtherWord { column },
        ));
    }
}

fn items(projection: &Projection, file: &HomeFile, read: i64, found: &mut Vec<Difference>) {
    for (ids, lines) in &file.items {
        match projection.items.get(ids) {
            Some(row) => item(row, lines, found),
            None if is_own(&ids.0, file) && lines.byte <= read => {
                let item = Word::of(&ids.1);
                let place = Place::table("thread_items");
                found.push(Difference::new(place, ItemMissing { item }));
            }
            None => {}
        }
    }
    for (ids, row) in &projection.items {
        if !file.items.contains_key(ids) && !file.is_partial {
            let item = Word::of(&ids.1);
            found.push(Difference::new(row.place, ItemAdded { item }));
        }
    }
}

fn item(row: &Row, lines: &ItemLines, found: &mut Vec<Difference>) {
    let places = [
        ("rollout_ordinal", lines.first),
        ("updated_at_ordinal", lines.last),
    ];
    numbers(row, places, found);
    // `AgentMessage` is `agentMessage` there.
    let is_other = row.text("item_type").is_some_and(|kind| {
        let (mut row, mut file) = (kind.chars(), lines.kind.chars());
        let first = row.next().zip(file.next());
        first.is_none_or(|(row, file)| row != file.to_ascii_lowercase())
            || row.as_str() != file.as_str()
    });
    if is_other {
        let column = Word::of("item_type");
        found.push(Difference::new(
            row.place.column("item_type"),
            OtherWord { column },
        ));
    }
}

fn numbers<const N: usize>(
    row: &Row,
    places: [(&'static str, Option<i64>); N],
    found: &mut Vec<Difference>,
) {
    for (column, file_has) in places {
        if let Some((has, file_has)) = row.integer(column).zip(file_has)
            && has != file_has
        {
            let how = OtherNumber {
                column: Word::of(column),
                has,
                file_has,
            };
            found.push(Difference::new(row.place.column(column), how));
        }
    }
}

rules! {
    HOME_PROJECTION_ADDED {
        summary: "the session file has each turn and item of the thread-history database",
        id: "home/projection-added",
        explanation: "Turns and items in `thread_history_N.sqlite` are read out of the session file. One that the file does not have \
            is of a file that was shortened, replaced or removed, and clients show what is not in the history any more.",
        evidence: homes!("Each of 497 turns and 1,823 items in the database is in its session file."),
    } => {
        TurnAdded { turn: Word }: "turn {turn} is not in the session file",
        ItemAdded { item: Word }: "item {item} is not in the session file",
        NoFile { thread: Word }: "{thread} has no session file in the home",
    }
    HOME_PROJECTION_DIFFERS {
        summary: "turns and items in the thread-history database are where and what the session file says",
        id: "home/projection-differs",
        explanation: "A turn begins at `rollout_ordinal` and `rollout_byte_offset`: at the first line that says that it begins or ends. \
            It ends with the line before `rollout_end_byte_offset`, and its status fits that line: `interrupted` to `turn_aborted`, \
            `completed` or `failed` to `task_complete`. An item stands first at `rollout_ordinal` and last at `updated_at_ordinal`. \
            If these differ, the file was changed, and what is read at that place is something else.",
        evidence: homes!("Each of 497 turns and 1,823 items is where its row says."),
    } => {
        OtherNumber { column: Word, has: i64, file_has: i64 }: "`{column}` is {has}, in the session file {file_has}",
        OtherWord { column: Word }: "`{column}` is not what the session file says",
    }
    HOME_PROJECTION_MISSING {
        summary: "the thread-history database has each turn and item of the session file, as far as it was read",
        id: "home/projection-missing",
        explanation: "`thread/turns/list` and the clients that use it show what is in `thread_history_N.sqlite`: a turn or an item that \
            is not there is not shown, though the session file has it. Turns that a sub-agent copied from its parent are not \
            read, nor are lines without turns. What comes behind the place to which the file was read is not reported again.",
        evidence: homes!("The database has all 497 turns of 364 session files that were not copied, and all 1,823 items. 14 turns that \
            were copied from a parent are in none."),
    } => {
        TurnMissing { turn: Word }: "turn {turn} of the session file has no row",
        ItemMissing { item: Word }: "item {item} of the session file has no row",
    }
    HOME_PROJECTION_PLACE {
        summary: "the thread-history database has read each session file to its end",
        id: "home/projection-place",
        status: Status::Advisory,
        explanation: "`thread_history_projection_state` says to which byte of a session file turns and items were read, and which \
            ordinal is next. If that is behind the end or within a line, the file was shortened or replaced, and Codex reads on at a \
            wrong place. If lines come behind it, they are not shown until Codex goes on with the thread. While it works on a \
            thread, that is so for moments: check again when it has ended.",
        exceptions: &[Exception {
            releases: ReleaseBounds::ALWAYS,
            of: &[BEHIND],
            level: Some(Severity::Warning),
            seen: "Codex was killed while a command ran: of 48 session files, one had a line more",
        }],
        evidence: homes!("Each of 364 session files with paginated history was read to its end, except for one of the 48 whose Codex \
            was killed; so were those of forks, segments and sub-agents, and of compressed files. No file with a legacy history was \
            read."),
    } => {
        Unread { thread: Word }: "{thread} has a paginated history and no row",
        Ahead { byte: i64, length: i64 }: "the session file was read to byte {byte}, but has {length} bytes",
        Behind { byte: i64, lines: usize }: "the session file was read to byte {byte}; lines that follow: {lines}",
        Within { byte: i64 }: "the session file was read to byte {byte}, which is within a line",
        OtherOrdinal { has: i64, next: i64 }: "the next ordinal is {has}, but {next} follows in the session file",
    }
}
