//! Compares two tables of instructions per byte that were counted on the same machine.
//!
//! The gate compares with committed figures and allows for another compiler. A pull request is
//! compared with the commit it starts from, where one percent is significant.

use std::fmt::Write as _;

use crate::instructions::read;

/// A figure that is more than this many times the one before has risen.
const RISE: f64 = 1.01;

const INTRODUCTION: &str = "\
This change needs more instructions per byte:

| corpus | way | before | after | rise |
|---|---|--:|--:|--:|
";

/// The figures that rose, as Markdown; empty if none did. A way that one table lacks is new or gone
/// and has not risen.
pub fn report(before: &str, after: &str) -> String {
    let before = read(before);
    let mut rows = String::new();
    for now in read(after) {
        let same = before
            .iter()
            .find(|then| then.corpus == now.corpus && then.way == now.way);
        let Some(then) = same.filter(|then| now.per_byte > then.per_byte * RISE) else {
            continue;
        };
        let rise = (now.per_byte / then.per_byte - 1.0) * 100.0;
        let _ = writeln!(
            rows,
            "| {} | {} | {:.2} | {:.2} | {rise:.1} % |",
            now.corpus, now.way, then.per_byte, now.per_byte
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!("{INTRODUCTION}{rows}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instructions::{Count, table};

    fn counts(check: f64) -> String {
        let count = |way: &str, per_byte| Count {
            corpus: "exec".to_owned(),
            way: way.to_owned(),
            per_byte,
        };
        table(&[count("check", check), count("view", 2.0)])
    }

    #[test]
    fn only_what_rose_is_reported() {
        let row = "| exec | check | 10.00 | 10.20 | 2.0 % |\n";
        let expected = format!("{INTRODUCTION}{row}");
        assert_eq!(report(&counts(10.0), &counts(10.2)), expected);
        for unchanged in [10.0, 10.05, 9.0] {
            assert_eq!(report(&counts(10.0), &counts(unchanged)), "");
        }
    }

    #[test]
    fn a_way_without_a_figure_before_has_not_risen() {
        assert_eq!(report("", &counts(10.0)), "");
    }
}
