//! The page for people.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use codex_wire::{Release, Timeline};

use super::inventory::{Feature, Inventory, Row};

const HEAD: &str = "# What the fixtures cover

Written by `cargo xtask coverage --write`; a test holds it up to date. The rows are everything
the annotated document of `codex exec --json` declares, so that nothing can be forgotten.
*Recorded* means that some recorded transcript carries it, *synthetic* that only a hand-written
one does, *never* that none does. Ranges in the last column run over the recorded releases:
";

/// Whether a feature belongs to a section.
type Belongs = fn(&Feature) -> bool;

/// Renders the page. `recorded` are the releases with recorded transcripts, oldest first.
pub(super) fn page(inventory: &Inventory, recorded: &[Release], timeline: Timeline) -> String {
    let mut out = HEAD.to_owned();
    let names: Vec<String> = recorded.iter().map(Release::to_string).collect();
    let _ = writeln!(out, "{}.\n", names.join(", "));
    out.push_str("| | recorded | synthetic | never |\n|---|--:|--:|--:|\n");
    let sections: [(&str, Belongs); 3] = [
        ("Kinds", |feature| matches!(feature, Feature::Kind(..))),
        ("Members", |feature| {
            !matches!(feature, Feature::Kind(..) | Feature::Value(..))
        }),
        ("Values", |feature| matches!(feature, Feature::Value(..))),
    ];
    for (title, belongs) in sections {
        let count = |state| {
            let rows = inventory.rows.iter();
            rows.filter(|row| belongs(&row.feature) && covered(row) == state)
                .count()
        };
        let (recorded, synthetic) = (count("recorded"), count("synthetic"));
        let never = count("**never**");
        let _ = writeln!(out, "| {title} | {recorded} | {synthetic} | {never} |");
    }
    for (title, belongs) in sections {
        let _ = write!(
            out,
            "\n## {title}\n\n| | exists in | covered | recorded in |\n|---|---|---|---|\n"
        );
        for row in inventory.rows.iter().filter(|row| belongs(&row.feature)) {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                row.feature,
                exists(&row.exists, timeline),
                covered(row),
                ranges(&row.recorded, recorded),
            );
        }
    }
    out
}

fn covered(row: &Row) -> &'static str {
    match (row.recorded.is_empty(), row.synthetic.is_empty()) {
        (false, _) => "recorded",
        (true, false) => "synthetic",
        (true, true) => "**never**",
    }
}

fn exists(releases: &BTreeSet<Release>, timeline: Timeline) -> String {
    match (releases.first(), releases.last()) {
        (Some(first), Some(last)) => {
            match (*first == timeline.first(), *last == timeline.latest()) {
                (true, true) => "every release".to_owned(),
                (false, true) => format!("{first} →"),
                (true, false) => format!("→ {last}"),
                (false, false) if first == last => first.to_string(),
                (false, false) => format!("{first} → {last}"),
            }
        }
        _ => String::new(),
    }
}

/// The members of `set` as ranges over `all`.
fn ranges(set: &BTreeSet<Release>, all: &[Release]) -> String {
    all.chunk_by(|a, b| set.contains(a) == set.contains(b))
        .filter(|run| run.first().is_some_and(|first| set.contains(first)))
        .map(|run| match run {
            [first, .., last] => format!("{first} – {last}"),
            [one] => one.to_string(),
            [] => String::new(),
        })
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_become_ranges() {
        let all: Vec<Release> = [42, 44, 63, 98]
            .map(|minor| Release::new(0, minor, 0))
            .into();
        let of =
            |indices: &[usize]| ranges(&indices.iter().map(|index| all[*index]).collect(), &all);
        assert_eq!(of(&[]), "");
        assert_eq!(of(&[1]), "0.44.0");
        assert_eq!(of(&[0, 1, 3]), "0.42.0 – 0.44.0, 0.98.0");
        assert_eq!(of(&[0, 1, 2, 3]), "0.42.0 – 0.98.0");
    }
}
