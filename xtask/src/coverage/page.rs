//! Writes the coverage pages.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use app_server_codegen::availability;
use codex_wire::{Release, ReleaseList};

use super::inventory::{Feature, Row};
use super::origins;

const EXEC: &str = "# What the fixtures cover

Written by `cargo xtask generate`; a test holds it up to date. The rows are everything
the annotated document of `codex exec --json` declares, so that nothing can be forgotten.
*Recorded* means that some recorded transcript carries it, *synthetic* that only a hand-written
one does, *never* that none does. Ranges in the last column run over the recorded releases:
";

const CORE: &str = "# What the fixtures cover of the core protocol

Written by `cargo xtask generate`; a test holds it up to date. The rows are everything
the annotated documents of the core protocol declare, so that nothing can be forgotten: the
events and submissions of `codex proto`, and the two lines that stand before the events in
`codex exec --json` up to 0.42.0. *Recorded* means that some recorded transcript carries it,
*synthetic* that only a hand-written one does, *never* that none does. Events count wherever
they were recorded, under `codex proto` or under `codex exec`. Submissions count as Codex reads
them: it takes more spellings than a client needs, so there are rows for `null` and for absence
wherever it takes them. What it refused in a recording does not count.
";

const ROLLOUT: &str = "# What the fixtures cover of session files

Written by `cargo xtask generate`; a test holds it up to date. The rows are everything the annotated
documents of session files declare, so that nothing can be forgotten: the lines from 0.34.0 on, and
those of the early form up to 0.29.0. *Recorded* means that some recorded session file carries it,
*synthetic* that only a hand-written one does, *never* that none does: such rows come from the
official schemas of the app-server, which has the same items and, up to 0.114.0, the same events.
Files that several releases wrote do not count.
";

const HOOKS: &str = "# What the fixtures cover of hooks and notify

Written by `cargo xtask generate`; a test holds it up to date. The rows are everything the annotated
documents declare, so that nothing can be forgotten: what hooks read, what they print, and the
payloads of `notify`. *Recorded* means that some recording carries it, *synthetic* that only a
hand-written one does, *never* that none does: of inputs such rows come from the schemas that Codex
embeds. Of outputs those count that Codex took. What its schema allows and Codex refuses is never
recorded here, and `docs/hooks.md` lists it.
";

const ORIGINS: &str = "
## Origins

The types of the two systems this protocol was first known from, and the definitions here that
hold what they hold. `llmx-2025-08-13` is the queue protocol of llmx of that day,
`agcodex-0.1.0` the crate agcodex-protocol; both names can be given in place of a release. A
test holds that messages of the named points reach each definition.
";

/// Whether a feature belongs to a section.
type Belongs = fn(&Feature) -> bool;

const SECTIONS: [(&str, Belongs); 3] = [
    ("Kinds", |feature| matches!(feature, Feature::Kind(..))),
    ("Members", |feature| {
        !matches!(feature, Feature::Kind(..) | Feature::Value(..))
    }),
    ("Values", |feature| matches!(feature, Feature::Value(..))),
];

/// What is said about one message set.
pub(super) struct Part {
    pub(super) title: &'static str,
    pub(super) rows: Vec<Row>,
    /// The releases with recorded transcripts, oldest first.
    pub(super) recorded: Vec<Release>,
    pub(super) release_list: ReleaseList,
}

impl Part {
    fn releases(&self) -> String {
        let names: Vec<String> = self.recorded.iter().map(Release::to_string).collect();
        names.join(", ")
    }

    /// One line of the table of totals; nothing if the part has no such rows.
    fn total(&self, title: &str, belongs: Belongs) -> Option<String> {
        let count = |state| {
            let rows = self.rows.iter();
            rows.filter(|row| belongs(&row.feature) && covered(row) == state)
                .count()
        };
        let (recorded, synthetic) = (count("recorded"), count("synthetic"));
        let never = count("**never**");
        let any = recorded + synthetic + never > 0;
        any.then(|| format!("| {title} | {recorded} | {synthetic} | {never} |\n"))
    }

    /// The rows of a section as a table; nothing if there are none.
    fn table(&self, heading: &str, belongs: Belongs) -> String {
        let mut rows = self
            .rows
            .iter()
            .filter(|row| belongs(&row.feature))
            .peekable();
        if rows.peek().is_none() {
            return String::new();
        }
        let mut out =
            format!("\n{heading}\n\n| | exists in | covered | recorded in |\n|---|---|---|---|\n");
        for row in rows {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                row.feature,
                exists(&row.exists, self.release_list),
                covered(row),
                ranges(&row.recorded, &self.recorded),
            );
        }
        out
    }
}

/// Renders the page about `codex exec --json`.
pub(super) fn exec(parts: &[Part]) -> String {
    let part = &parts[0];
    let mut out = format!("{EXEC}{}.\n\n", part.releases());
    out.push_str("| | recorded | synthetic | never |\n|---|--:|--:|--:|\n");
    for (title, belongs) in SECTIONS {
        out.extend(part.total(title, belongs));
    }
    for (title, belongs) in SECTIONS {
        out.push_str(&part.table(&format!("## {title}"), belongs));
    }
    out
}

/// Renders the page about the core protocol.
pub(super) fn core(parts: &[Part]) -> String {
    let mut out = parted(CORE, parts);
    out.push_str(ORIGINS);
    origins::render(&mut out);
    out
}

/// Renders the page about session files.
pub(super) fn rollout(parts: &[Part]) -> String {
    parted(ROLLOUT, parts)
}

/// Renders the page about hooks and `notify`.
pub(super) fn hooks(parts: &[Part]) -> String {
    parted(HOOKS, parts)
}

/// A page about several message sets.
fn parted(begin: &str, parts: &[Part]) -> String {
    let mut out = format!("{begin}\n| | recorded | synthetic | never |\n|---|--:|--:|--:|\n");
    for part in parts {
        for (title, belongs) in SECTIONS {
            let title = format!("{}: {}", part.title, title.to_lowercase());
            out.extend(part.total(&title, belongs));
        }
    }
    for part in parts {
        let (title, releases) = (part.title, part.releases());
        let _ = write!(
            out,
            "\n## {title}\n\nRanges run over the recorded releases:\n{releases}.\n"
        );
        for (title, belongs) in SECTIONS {
            out.push_str(&part.table(&format!("### {title}"), belongs));
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

pub(super) fn exists(releases: &BTreeSet<Release>, timeline: ReleaseList) -> String {
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
pub(super) fn ranges(set: &BTreeSet<Release>, all: &[Release]) -> String {
    let ranges = availability::ranges(all, |one| set.contains(one).then_some(()));
    let texts = ranges.map(|((), first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first} – {last}"),
    });
    texts.collect::<Vec<_>>().join(", ")
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
