//! Renders a comparison as a short Markdown page: breaking changes first and in detail, compatible
//! ones last and grouped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::change::{Change, Direction, Verdict};
use crate::comparison::Comparison;
use crate::difference::Difference;

/// The longest counterexample that is shown, in bytes.
const EXAMPLE: usize = 400;

/// How many places of one kind of change are named before they are only counted.
const PLACES: usize = 60;

impl Comparison {
    /// The comparison as a page. `title` is its heading.
    pub fn to_markdown(&self, title: &str) -> String {
        let mut out = format!("# {title}\n\n");
        let _ = writeln!(out, "{} → {}: {}.", self.before, self.after, self.counts());
        if !self.left_out.is_empty() {
            let _ = writeln!(
                out,
                "\nNot compared, as only one side has it: {}.",
                self.left_out.join(", ")
            );
        }
        self.sections(&mut out);
        self.corrected(&mut out);
        if let Some(hidden) = self.hidden.sentence() {
            let _ = writeln!(out, "\nNot shown: {hidden}.");
        }
        out
    }

    /// What is known to differ, and what was not listed.
    fn corrected(&self, out: &mut String) {
        if self.unlisted > 0 {
            let _ = writeln!(
                out,
                "\nFurther changes that are not listed: {}.",
                self.unlisted
            );
        }
        if self.corrections.is_empty() {
            return;
        }
        let _ = writeln!(out, "\n## Known corrections of the official schema\n");
        for corrected in &self.corrections {
            let difference = &corrected.difference;
            let _ = writeln!(
                out,
                "- {}: {}. {}",
                code(&difference.place),
                difference.sentence(),
                corrected.reason
            );
        }
    }

    /// A section for each verdict there is.
    pub(crate) fn sections(&self, out: &mut String) {
        for verdict in Verdict::ALL {
            let of = |difference: &&Difference| difference.verdict() == verdict;
            let list: Vec<&Difference> = self.differences.iter().filter(of).collect();
            if list.is_empty() {
                continue;
            }
            let heading = match verdict {
                Verdict::Breaking => "Breaking",
                Verdict::Maybe => "Maybe breaking",
                Verdict::Unknown => "Not decided",
                Verdict::Compatible => "Compatible",
            };
            let _ = writeln!(out, "\n## {heading}\n");
            match verdict {
                Verdict::Breaking | Verdict::Unknown => {
                    list.iter()
                        .for_each(|difference| at_length(out, difference));
                }
                Verdict::Maybe | Verdict::Compatible => {
                    let (read, rest): (Vec<&Difference>, _) = list
                        .into_iter()
                        .partition(|difference| difference.evidence().is_some());
                    read.iter()
                        .for_each(|difference| at_length(out, difference));
                    together(out, &rest);
                }
            }
        }
    }
}

fn at_length(out: &mut String, difference: &Difference) {
    let _ = write!(
        out,
        "- **{}**: {}",
        code(&difference.place),
        difference.sentence()
    );
    match difference.verdict() {
        Verdict::Compatible => out.push_str(", by our description."),
        _ => {
            let _ = write!(out, ". {}", breaks(difference));
        }
    }
    if !difference.is_about_a_message() {
        let _ = write!(out, " In {}.", difference.reach());
    }
    out.push('\n');
    for judgement in difference.worst() {
        if let Some(remark) = &judgement.remark {
            let _ = writeln!(out, "  ({remark})");
        }
    }
    if let Some(text) = difference.example().filter(|text| text.len() <= EXAMPLE) {
        let _ = writeln!(out, "  {}", code(&text));
    }
    if let Some(evidence) = difference.evidence() {
        let _ = writeln!(out, "  *{}*: {}", evidence.kind(), evidence.basis());
    }
}

/// Whom a difference breaks.
fn breaks(difference: &Difference) -> String {
    let worst: Vec<_> = difference.worst().collect();
    let who: Vec<&str> = worst
        .iter()
        .map(|judgement| match judgement.direction {
            Direction::CodexWrites => "clients that read it",
            Direction::ClientWrites => "clients that write it",
        })
        .collect();
    let verb = match difference.verdict() {
        Verdict::Breaking => "Breaks",
        _ => "Concerns",
    };
    let why = worst.first().map_or("", |judgement| judgement.rule.why);
    format!("{verb} {}: {}", who.join(" and "), lower(why))
}

fn lower(sentence: &str) -> String {
    let mut chars = sentence.chars();
    let name = sentence.starts_with("Codex");
    match chars.next() {
        Some(first) if !name => format!("{}{}", first.to_lowercase(), chars.as_str()),
        _ => sentence.to_owned(),
    }
}

/// Places by what happened to them and to whom it matters.
fn together(out: &mut String, list: &[&Difference]) {
    let mut kinds: BTreeMap<(Change, Vec<Direction>), Vec<String>> = BTreeMap::new();
    for difference in list {
        let who = difference
            .worst()
            .map(|judgement| judgement.direction)
            .collect();
        let place = match difference.change {
            Change::OptionalMemberAdded
            | Change::RequiredMemberAdded
            | Change::OptionalMemberRemoved
            | Change::RequiredMemberRemoved
            | Change::MessageAdded
            | Change::MessageRemoved
            | Change::BecameOptional
            | Change::BecameRequired
            | Change::BecameStable
            | Change::DialectBegan
            | Change::DialectEnded
            | Change::BecameExperimental => code(&difference.place),
            Change::ValueAdded | Change::VariantAdded => {
                let new = difference.after.as_deref().unwrap_or_default();
                format!("{} {}", code(&difference.place), code(new))
            }
            Change::ValueRemoved | Change::VariantRemoved => {
                let old = difference.before.as_deref().unwrap_or_default();
                format!("{} {}", code(&difference.place), code(old))
            }
            _ => format!("{} ({})", code(&difference.place), difference.sentence()),
        };
        kinds
            .entry((difference.change, who))
            .or_default()
            .push(place);
    }
    for ((change, who), places) in kinds {
        let writers: Vec<&str> = who.iter().map(|direction| writer(*direction)).collect();
        let left = places.len().saturating_sub(PLACES);
        let shown = places[..places.len() - left].join(", ");
        let more = if left > 0 {
            format!(" and {left} more")
        } else {
            String::new()
        };
        let _ = writeln!(
            out,
            "- {}, {}: {shown}{more}",
            heading(change),
            writers.join(" and ")
        );
    }
}

fn writer(direction: Direction) -> &'static str {
    match direction {
        Direction::CodexWrites => "Codex writes it",
        Direction::ClientWrites => "clients write it",
    }
}

/// A change as the beginning of a list.
fn heading(change: Change) -> String {
    let text = change.as_str().replace('-', " ");
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => format!("{}{}", first.to_uppercase(), chars.as_str()),
        None => text,
    }
}

/// Text as code, whatever it holds.
pub(crate) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if longest > 0 { " " } else { "" };
    format!("{fence}{gap}{text}{gap}{fence}")
}
