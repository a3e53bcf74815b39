//! Cells of messages that no recording has.

use codex_wire_table::Table;

use crate::program::recording;
use crate::shown::{cell, rows_of, tables_of};

/// The rows of a table of a recording in which a text stands for another.
fn changed(name: &str, table: Table, from: &str, to: &str) -> Vec<Vec<(String, String)>> {
    let text = String::from_utf8(recording(name)).expect("text");
    assert!(text.contains(from), "{from}");
    rows_of(
        &tables_of(name, text.replace(from, to).as_bytes(), false),
        table,
    )
}

/// A rule for the network refuses if its action does.
#[test]
fn a_rule_for_the_network_is_a_refusal() {
    const RECORDING: &str = "app-server/0.125.0/03b_command_untrusted_decline.jsonl";
    for (action, is_declined) in [("deny", "true"), ("allow", "false")] {
        let rule = format!(
            r#"{{\"applyNetworkPolicyAmendment\":{{\"network_policy_amendment\":{{\"action\":\"{action}\",\"host\":\"a.b\"}}}}}}"#
        );
        let rows = changed(RECORDING, Table::Items, r#"\"decline\""#, &rule);
        let row = rows.iter().find(|row| cell(row, "decision").is_some());
        let row = row.expect("a decision");
        let decision = format!("applyNetworkPolicyAmendment {action}");
        assert_eq!(cell(row, "decision"), Some(&*decision));
        assert_eq!(cell(row, "is_declined"), Some(is_declined));
    }
}

/// Seconds that are milliseconds name a year that no calendar has.
#[test]
fn a_time_beyond_the_calendar_is_none() {
    const RECORDING: &str = "app-server/0.125.0/03b_command_untrusted_decline.jsonl";
    let created = |from: &str, to: &str| {
        let rows = changed(RECORDING, Table::Threads, from, to);
        let created = rows.iter().find_map(|row| cell(row, "created_at"));
        created.map(str::to_owned)
    };
    assert!(created("1795187997", "1795187997").is_some());
    assert_eq!(created("1795187997", "1795187997000"), None);
}

/// A whole number may be spelt in other ways.
#[test]
fn a_count_is_a_whole_number() {
    const RECORDING: &str = "exec/0.169.0/message.jsonl";
    let text = String::from_utf8(recording(RECORDING)).expect("text");
    let (_, behind) = text.split_once("\"input_tokens\":").expect("a count");
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    let from = format!("\"input_tokens\":{digits}");
    for (spelt, count) in [
        ("1.0", "1"),
        ("1e2", "100"),
        ("-0", "0"),
        ("12.50e1", "125"),
    ] {
        let to = format!("\"input_tokens\":{spelt}");
        for table in [Table::Turns, Table::Usage] {
            let rows = changed(RECORDING, table, &from, &to);
            let input = rows.iter().find_map(|row| cell(row, "input_tokens"));
            assert_eq!(input, Some(count), "{table}: {spelt}");
        }
    }
}
