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
