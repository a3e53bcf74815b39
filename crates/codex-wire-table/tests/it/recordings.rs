//! What holds of all recordings: the tables say what the checker and the session say.

use codex_wire_check::{Checker, Options, Verdict};
use codex_wire_session::{Body, Reader};
use codex_wire_table::{ColumnType, Table};
use golden_files::files;

use crate::shown::{bytes, cell, fixtures, rows_of, sum, tables_of};

#[test]
fn tables_say_what_the_checker_and_the_session_say() {
    let checker = Checker::new(Options::new()).expect("options");
    let reader = Reader::new();
    let mut paths = Vec::new();
    for folder in [
        "exec",
        "exec-legacy",
        "core",
        "app-server",
        "rollout",
        "hooks",
        "notify",
        "invalid",
    ] {
        for ending in ["jsonl", "zst"] {
            paths.extend(files::below(&fixtures().join(folder), ending));
        }
    }
    assert!(paths.len() > 500, "{}", paths.len());
    // Each costs two checks and two readings.
    let step = if sampling::is_wide() { 1 } else { 8 };
    let mut sessions = 0;
    for path in paths.iter().step_by(step) {
        let name = files::short(path).to_string();
        let text = bytes(path);
        let tables = tables_of(&name, &text, false);
        let outcome = checker.check(&name, &*text);
        let transcripts = rows_of(&tables, Table::Transcripts);
        let [row] = &transcripts[..] else {
            panic!("{name}: {} rows", transcripts.len());
        };
        assert_eq!(
            cell(row, "verdict"),
            Some(outcome.verdict.as_str()),
            "{name}"
        );
        assert_eq!(cell(row, "error"), outcome.error.as_deref(), "{name}");
        let count =
            |column: &str| cell(row, column).map(|count| count.parse::<u64>().expect("a number"));
        if outcome.verdict != Verdict::Unreadable {
            assert_eq!(count("messages"), Some(outcome.messages), "{name}");
            assert_eq!(count("errors"), Some(outcome.counts.error), "{name}");
            assert_eq!(count("warnings"), Some(outcome.counts.warning), "{name}");
        }
        let release = outcome.releases.map(|range| range.until.to_string());
        assert_eq!(cell(row, "release_max"), release.as_deref(), "{name}");
        let findings = rows_of(&tables, Table::Findings);
        let rules: Vec<_> = findings
            .iter()
            .map(|row| cell(row, "rule").expect("a rule"))
            .collect();
        let found: Vec<_> = outcome
            .findings
            .iter()
            .map(|finding| finding.rule.id)
            .collect();
        assert_eq!(rules, found, "{name}");
        for (table, batch) in &tables {
            for (column, cells) in table.columns().zip(batch.columns()) {
                let is_empty = cells.null_count() == cells.len();
                assert!(
                    column.kind != ColumnType::Content || is_empty,
                    "{name}: {table}.{}",
                    column.name
                );
            }
        }
        let Ok(session) = reader.read(&name, &*text) else {
            assert_eq!(count("turns"), None, "{name}");
            continue;
        };
        sessions += 1;
        let turns: Vec<_> = session
            .threads
            .iter()
            .flat_map(|thread| &thread.turns)
            .collect();
        assert_eq!(
            count("threads"),
            Some(session.threads.len() as u64),
            "{name}"
        );
        assert_eq!(count("turns"), Some(turns.len() as u64), "{name}");
        let rows = rows_of(&tables, Table::Turns);
        assert_eq!(rows.len(), turns.len(), "{name}");
        // A number that no signed integer of 64 bits holds has an empty cell.
        let shown = |count: u64| i64::try_from(count).map_or(0, |_| count);
        let tokens: u64 = turns.iter().map(|turn| shown(turn.tokens().total)).sum();
        assert_eq!(sum(&rows, "total_tokens"), tokens, "{name}");
        assert_eq!(
            sum(&rows_of(&tables, Table::Usage), "total_tokens"),
            tokens,
            "{name}"
        );
        let threads = rows_of(&tables, Table::Threads);
        assert_eq!(
            sum(&threads, "total_tokens"),
            shown(session.tokens().total),
            "{name}"
        );
        let outside = session.threads.iter().flat_map(|thread| &thread.outside);
        let items: Vec<_> = turns
            .iter()
            .flat_map(|turn| &turn.items)
            .chain(outside)
            .collect();
        assert_eq!(rows_of(&tables, Table::Items).len(), items.len(), "{name}");
        let commands = items
            .iter()
            .filter(|item| matches!(item.body, Body::Command(_)))
            .count();
        assert_eq!(rows_of(&tables, Table::Commands).len(), commands, "{name}");
        let calls = items
            .iter()
            .filter(|item| item.body.tool().is_some())
            .count();
        assert_eq!(rows_of(&tables, Table::Tools).len(), calls, "{name}");
    }
    assert!(sessions > 400 / step, "{sessions}");
}
