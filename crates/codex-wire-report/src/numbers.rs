//! Writes numbers for people, with the nouns they count.

use codex_wire_check::Counts;

use crate::totals::Totals;

/// A number with its thousands set apart: `1,234`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with the noun it counts, in the singular or the plural.
pub(crate) fn counted(number: u64, one: &str, many: &str) -> String {
    let noun = if number == 1 { one } else { many };
    format!("{} {noun}", grouped(number))
}

/// A number as a program would write it, with a noun that has a plural in `s`.
pub(crate) fn counted_plainly(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// A duration.
#[cfg(feature = "timeline")]
pub(crate) fn duration_text(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
    }
}

/// Findings by level, as far as there are any.
pub(crate) fn levels(counts: &Counts) -> Vec<String> {
    present([
        (counts.error, "error", "errors"),
        (counts.warning, "warning", "warnings"),
        (counts.note, "note", "notes"),
    ])
}

/// Findings by level, and those that a baseline expects, as far as there are any.
pub(crate) fn with_expected(counts: &Counts) -> Vec<String> {
    let mut parts = levels(counts);
    parts.extend(present([(counts.expected, "expected", "expected")]));
    parts
}

/// Findings by level and what a baseline makes of them, as far as there are any.
pub(crate) fn findings(totals: &Totals) -> Vec<String> {
    let mut parts = with_expected(&totals.counts);
    parts.extend(present([(
        totals.stale,
        "stale entry in the baseline",
        "stale entries in the baseline",
    )]));
    parts
}

/// The totals of a run in one line, without colours.
pub(crate) fn sums(totals: &Totals) -> String {
    let mut parts = vec![
        counted(totals.inputs, "input", "inputs"),
        counted(totals.messages, "message", "messages"),
    ];
    parts.extend(present([
        (totals.conforms, "conforms", "conform"),
        (totals.findings, "does not conform", "do not conform"),
        (
            totals.not_exercised,
            "holds no messages",
            "hold no messages",
        ),
        (totals.unreadable, "unreadable", "unreadable"),
    ]));
    parts.extend(findings(totals));
    parts.join(", ")
}

/// The numbers that are not zero, each with its noun.
fn present<const N: usize>(numbers: [(u64, &str, &str); N]) -> Vec<String> {
    let there = numbers.into_iter().filter(|(number, ..)| *number > 0);
    there
        .map(|(number, one, many)| counted(number, one, many))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_345, "12,345"),
            (123_456, "123,456"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
    #[cfg(feature = "timeline")]
    #[test]
    fn durations() {
        assert_eq!(duration_text(12), "12 ms");
        assert_eq!(duration_text(1_250), "1.2 s");
        assert_eq!(duration_text(125_000), "2 min 5 s");
    }
}
