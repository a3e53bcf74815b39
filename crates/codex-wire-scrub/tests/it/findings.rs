//! A checker finds the same in a scrubbed transcript: the same rules, lines and levels.

use codex_wire_check::Outcome;
use codex_wire_scrub::scrub;

use crate::support::{Case, FOLDERS, below, key};

/// What is found, without names and texts.
pub(crate) fn found(outcome: &Outcome) -> Vec<String> {
    let mut out = vec![format!(
        "{}, {:?}, {:?}, {} messages, {:?}",
        outcome.verdict.as_str(),
        outcome.protocol,
        outcome.releases,
        outcome.messages,
        outcome.counts,
    )];
    out.extend(outcome.findings.iter().map(|finding| {
        format!(
            "{} {} line {}, message {:?}, {} deep, earlier {:?}, {:?}, valid in {:?}",
            finding.severity,
            finding.rule,
            finding.place.line,
            finding.place.message,
            finding.place.pointer.split('/').count(),
            finding.earlier,
            finding.writer,
            finding.releases,
        )
    }));
    out
}

fn differs(case: &Case) -> Option<String> {
    match scrub(&case.bytes, key(), &[]) {
        Ok(scrubbed) => changed(case, &case.bytes, &scrubbed),
        Err(survivor) => Some(format!("{}: {survivor}", case.name)),
    }
}

/// What is found in one of two transcripts and not in the other.
pub(crate) fn changed(case: &Case, before: &[u8], after: &[u8]) -> Option<String> {
    let (before, after) = (case.check(before), case.check(after));
    let (mut one, mut other) = (found(&before), found(&after));
    if one == other {
        return None;
    }
    let same: Vec<String> = one
        .iter()
        .filter(|line| other.contains(line))
        .cloned()
        .collect();
    one.retain(|line| !same.contains(line));
    other.retain(|line| !same.contains(line));
    let short = |lines: Vec<String>| lines.into_iter().take(4).collect::<Vec<_>>().join("\n    ");
    Some(format!(
        "{}\n  - {}\n  + {}",
        case.name,
        short(one),
        short(other)
    ))
}

#[test]
fn the_same_is_found_in_all_fixtures() {
    let mut wrong = Vec::new();
    let mut tried = 0;
    for folder in FOLDERS {
        for case in below(folder) {
            tried += 1;
            wrong.extend(differs(&case));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {tried} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
