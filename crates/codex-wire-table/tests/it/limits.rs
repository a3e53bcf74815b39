//! What a transcript may cost, and what is unreadable.

use codex_wire_table::{Rows, Table, Tables, Transcript};

use crate::shown::{All, cell, rows_of};

const TURN: &str = concat!(
    r#"{"type":"turn.started"}"#,
    "\n",
    r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}"#,
    "\n",
    r#"{"type":"turn.completed","usage":{"input_tokens":9,"cached_input_tokens":0,"output_tokens":1}}"#,
    "\n",
);

fn stream(turns: usize) -> String {
    let begin = r#"{"type":"thread.started","thread_id":"0199a213-81c0-7800-8aa1-bbab2a035a53"}"#;
    format!("{begin}\n{}", TURN.repeat(turns))
}

/// Rows come while a transcript is read, so that a long one is not kept.
#[test]
fn rows_come_turn_by_turn() {
    struct Most(Rows, usize);
    impl codex_wire_table::Sink for Most {
        fn rows(&mut self, _: codex_wire_table::Partition) -> &mut Rows {
            &mut self.0
        }

        fn added(&mut self, _: codex_wire_table::Partition) -> Result<(), codex_wire_table::Error> {
            self.1 = self.1.max(self.0.bytes());
            self.0.take().map(drop)
        }
    }
    let most = |turns| {
        let mut sink = Most(Rows::new(Table::ALL, true), 0);
        let text = stream(turns);
        let read = Tables::new().read(Transcript::new("a"), text.as_bytes(), &mut sink);
        read.expect("rows");
        sink.1
    };
    // The turns that can still be taken back are the same number.
    assert_eq!(most(2_000), most(4_000));
}

/// A turn that has no end is told, and what was before it is there.
#[test]
fn a_turn_that_is_too_long_is_not_kept() {
    let mut text = stream(100);
    text.push_str("{\"type\":\"turn.started\"}\n");
    let item = r#"{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"Hello."}}"#;
    for _ in 0..1_000 {
        text.push_str(item);
        text.push('\n');
    }
    let mut all = All::new(false);
    let tables = Tables::new().keep_at_most(50_000);
    let read = tables.read(Transcript::new("a"), text.as_bytes(), &mut all);
    read.expect("rows");
    let tables = all.0.take().expect("batches");
    let transcripts = rows_of(&tables, Table::Transcripts);
    let error = cell(&transcripts[0], "error").expect("an error");
    assert!(
        error.contains("a turn has more than 50000 bytes"),
        "{error}"
    );
    // The check goes on.
    assert_eq!(cell(&transcripts[0], "lines"), Some("1302"));
    let turns = rows_of(&tables, Table::Turns);
    assert!(turns.len() > 50, "{}", turns.len());
}

#[test]
fn what_cannot_be_read_is_a_row() {
    let mut all = All::new(false);
    let tables = Tables::new();
    let unreadable = tables.unreadable(Transcript::new("gone.jsonl"), "it is gone", &mut all);
    unreadable.expect("a row");
    tables
        .read(Transcript::new("notes"), &b"dear diary\n"[..], &mut all)
        .expect("a row");
    tables
        .read(
            Transcript::new("notes").lenient(true),
            &b"dear diary\n"[..],
            &mut all,
        )
        .expect("no row");
    let tables = all.0.take().expect("batches");
    let rows = rows_of(&tables, Table::Transcripts);
    assert_eq!(rows.len(), 2);
    for (row, path) in rows.iter().zip(["gone.jsonl", "notes"]) {
        assert_eq!(cell(row, "path"), Some(path));
        assert_eq!(cell(row, "verdict"), Some("unreadable"));
        assert!(cell(row, "error").is_some());
        assert_eq!(cell(row, "messages"), None);
    }
}
