//! Numbers of changes per step, compared with an independent count.
//!
//! `steps.tsv` has what a script counted in the official schemas, definition by definition,
//! without regard to messages. Ours are counted from message to message, on the documents with
//! their corrections. With the experimental API the two agree to a few. The official schemas of
//! the stable half keep definitions that none of its messages reaches, such as the params of
//! experimental methods: there ours are fewer, and never more by more than a few. Before 0.64.0
//! a definition that changed its form as a whole is one change here and many members there.

use std::fmt::Write as _;

use codex_wire_base::Protocol;
use codex_wire_diff::{Change, Comparison, Side, diff};
use codex_wire_schema::Stability;

use crate::support::{golden, side};

const TABLE: &str = include_str!("steps.tsv");

/// The columns, with the changes each counts.
const COLUMNS: &[(&str, &[Change])] = &[
    ("methods +", &[Change::MessageAdded, Change::MessageRenamed]),
    (
        "methods -",
        &[Change::MessageRemoved, Change::MessageRenamed],
    ),
    (
        "fields + optional",
        &[Change::OptionalMemberAdded, Change::OptionalMemberRenamed],
    ),
    (
        "fields + required",
        &[Change::RequiredMemberAdded, Change::RequiredMemberRenamed],
    ),
    (
        "fields -",
        &[
            Change::OptionalMemberRemoved,
            Change::RequiredMemberRemoved,
            Change::OptionalMemberRenamed,
            Change::RequiredMemberRenamed,
        ],
    ),
    ("became required", &[Change::BecameRequired]),
    ("became optional", &[Change::BecameOptional]),
    ("values +", &[Change::ValueAdded, Change::ValueRenamed]),
    ("values -", &[Change::ValueRemoved, Change::ValueRenamed]),
    (
        "branches +",
        &[Change::VariantAdded, Change::VariantRenamed],
    ),
    (
        "branches -",
        &[Change::VariantRemoved, Change::VariantRenamed],
    ),
];

/// How much two ways of counting may differ.
const FEW: i64 = 5;

fn counted(comparison: &Comparison, changes: &[Change]) -> i64 {
    let of = |difference: &&codex_wire_diff::Difference| {
        // Core events are relayed on every connection and stand in no official union.
        changes.contains(&difference.change) && !difference.place.starts_with("codex/event/")
    };
    i64::try_from(comparison.differences.iter().filter(of).count()).unwrap()
}

#[test]
fn steps() {
    let mut text = String::new();
    // Each step begins where the one before it ended.
    let mut last: Option<(Stability, String, Side)> = None;
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let (stability, before, after) = (cells[0], cells[1], cells[2]);
        let stability: Stability = stability.parse().unwrap();
        let at = |release| side(Protocol::AppServer, release, stability);
        let old = match last.take() {
            Some((known, release, side)) if known == stability && release == before => side,
            _ => at(before),
        };
        let new = at(after);
        let found = diff(&old, &new).unwrap();
        last = Some((stability, after.to_owned(), new));
        let _ = writeln!(text, "{stability} {before} {after}");
        for ((name, changes), theirs) in COLUMNS.iter().zip(&cells[3..]) {
            let (ours, theirs) = (counted(&found, changes), theirs.parse::<i64>().unwrap());
            let _ = writeln!(text, "  {name}: {ours} of {theirs}");
            let few = theirs - FEW..=theirs + FEW;
            let fewer = ours < theirs && stability == Stability::Stable;
            assert!(few.contains(&ours) || fewer, "{text}");
        }
    }
    golden("steps.txt", &text);
}
