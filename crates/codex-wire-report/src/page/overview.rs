//! Gathers what stands above the inputs, and the texts of the rules below them.

use std::collections::HashMap;
use std::fmt::Write as _;

use codex_wire_check::{Counts, Finding, Outcome};

use super::finding::rule_id;
use crate::checked_against::Groups;
use crate::html::{self, prose, text};
use crate::numbers::{counted, findings, grouped};
use crate::rule_counts::RuleCounts;
use crate::totals::Totals;

/// How many inputs are in the list of those that have something to say.
const LISTED: u64 = 500;

/// How many lines about what inputs were checked against are shown unfolded.
const UNFOLDED: usize = 4;

/// What was seen of all inputs.
#[derive(Default)]
pub(super) struct Overview {
    against: Groups,
    rules: RuleCounts,
    /// The id of the first finding of each rule.
    first: HashMap<&'static str, String>,
    /// The inputs that have something to say, as HTML.
    contents: String,
    entries: u64,
    /// What was not read.
    pub(super) skipped: String,
}

impl Overview {
    /// Counts an input.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.against.add(outcome);
        self.rules.add(outcome);
    }

    /// A finding that is written.
    pub(super) fn finding(&mut self, finding: &Finding, id: &str) {
        let first = self.first.entry(finding.rule.id);
        first.or_insert_with(|| id.to_owned());
    }

    /// An input that has something to say.
    pub(super) fn entry(&mut self, class: &str, id: &str, name: &str, counts: &str) {
        self.entries += 1;
        if self.entries <= LISTED {
            let class = match class {
                "bad" => "failed",
                "warning" => "stopped",
                _ => "completed",
            };
            // Writing to a string cannot fail.
            let _ = write!(
                self.contents,
                "<li class=\"{class}\"><a href=\"#{id}\"><b>{}</b> {counts}</a></li>",
                text(name)
            );
        }
    }

    /// The overview as HTML.
    pub(super) fn html(&self, totals: &Totals) -> String {
        let mut out = "<section class=\"overview\" id=\"overview\">".to_owned();
        verdict(&mut out, totals);
        facts(&mut out, totals);
        self.notes(&mut out);
        self.table(&mut out, totals);
        out.push_str("</section>\n");
        if self.entries > 1 {
            out.push_str("<nav class=\"contents\" aria-label=\"inputs\"><p><a href=\"#overview\">Overview</a></p><ol>");
            out.push_str(&self.contents);
            out.push_str("</ol>");
            if let Some(more @ 1..) = self.entries.checked_sub(LISTED) {
                let more = counted(more, "more input", "more inputs");
                let _ = write!(
                    out,
                    "<p class=\"note\">{more} with something to say are not listed</p>"
                );
            }
            out.push_str("</nav>\n");
        }
        out
    }

    /// What inputs were checked against, and what was not read.
    fn notes(&self, out: &mut String) {
        if !self.skipped.is_empty() {
            let _ = write!(
                out,
                "<p class=\"note\">not read: {}</p>",
                text(&self.skipped)
            );
        }
        let groups = self.against.iter().count();
        let folds = groups > UNFOLDED;
        if folds {
            let kinds = grouped(groups as u64);
            let _ = write!(
                out,
                "<details class=\"against\"><summary>checked against {kinds} ranges of releases</summary>"
            );
        }
        out.push_str("<ul class=\"note\">");
        for (against, group) in self.against.iter() {
            let inputs = counted(group.inputs, "input", "inputs");
            let (how, releases) = (against.how(), against.releases());
            let schemas = against.schemas();
            let _ = write!(out, "<li>{inputs} {how} {releases}{schemas}</li>");
        }
        out.push_str("</ul>");
        if folds {
            out.push_str("</details>");
        }
    }

    /// Findings by rule.
    fn table(&self, out: &mut String, totals: &Totals) {
        if self.rules.is_empty() {
            return;
        }
        type Level = (&'static str, &'static str, fn(&Counts) -> u64);
        let levels: [Level; 4] = [
            ("errors", "bad", |counts| counts.error),
            ("warnings", "warning", |counts| counts.warning),
            ("notes", "plain", |counts| counts.note),
            ("expected", "good", |counts| counts.expected),
        ];
        let levels: Vec<Level> = levels
            .into_iter()
            .filter(|(.., number)| self.rules.iter().any(|row| number(&row.counts) > 0))
            .collect();
        out.push_str("<div class=\"table\" role=\"region\" aria-label=\"findings by rule\" tabindex=\"0\"><table><thead><tr><th>rule</th>");
        for (name, ..) in &levels {
            let _ = write!(out, "<th class=\"number\">{name}</th>");
        }
        out.push_str("<th class=\"number\">inputs</th><th>first</th></tr></thead><tbody>");
        for row in self.rules.iter() {
            let rule = row.rule;
            let _ = write!(
                out,
                "<tr><td><a href=\"#{}\"><code>{}</code></a></td>",
                rule_id(rule.id),
                text(rule.id)
            );
            for (_, class, number) in &levels {
                let _ = match number(&row.counts) {
                    0 => write!(out, "<td></td>"),
                    number => {
                        let number = grouped(number);
                        write!(out, "<td class=\"number {class}\">{number}</td>")
                    }
                };
            }
            let _ = write!(out, "<td class=\"number\">{}</td><td>", grouped(row.inputs));
            if let Some(first) = self.first.get(rule.id) {
                let _ = write!(out, "<a href=\"#{first}\">show</a>");
            }
            out.push_str("</td></tr>");
        }
        out.push_str("</tbody></table></div>");
        let more = self.rules.beyond(totals);
        if more > 0 {
            let more = counted(more, "finding", "findings");
            let _ = write!(
                out,
                "<p class=\"note\">{more} beyond the limit are not in this table.</p>"
            );
        }
    }

    /// The rules that were broken, with their texts.
    pub(super) fn rules(&self) -> String {
        if self.rules.is_empty() {
            return String::new();
        }
        let mut out = "<section class=\"rulebook\"><h2>Rules</h2>\
             <p class=\"note\"><code>codex-wire explain RULE</code> has the evidence, and examples that pass and fail.</p>\n"
            .to_owned();
        for row in self.rules.iter() {
            let rule = row.rule;
            let _ = writeln!(
                out,
                "<div class=\"rule\" id=\"{}\"><h3><code>{}</code></h3><p>{}</p><p class=\"why\">{}</p></div>",
                rule_id(rule.id),
                text(rule.id),
                prose(rule.summary),
                prose(rule.explanation)
            );
        }
        out.push_str("</section>\n");
        out
    }
}

fn verdict(out: &mut String, totals: &Totals) {
    let word = totals.verdict();
    let class = match word {
        "conforms" => "good",
        _ => "bad",
    };
    let _ = write!(out, "<p class=\"verdict {class}\"><b>{word}</b>");
    for count in findings(totals) {
        let _ = write!(out, " <span>{count}</span>");
    }
    out.push_str("</p>");
}

fn facts(out: &mut String, totals: &Totals) {
    let numbers = [
        ("inputs", totals.inputs),
        ("messages", totals.messages),
        ("conform", totals.conforms),
        ("do not conform", totals.findings),
        ("hold no messages", totals.not_exercised),
        ("unreadable", totals.unreadable),
    ];
    let known = numbers.into_iter();
    let known = known.filter(|(name, number)| *number > 0 || *name == "inputs");
    *out += &html::facts(known.map(|(name, number)| (name, grouped(number))));
}
