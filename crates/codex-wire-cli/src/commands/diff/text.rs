//! Prints differences for people: grouped by message, worst first, one line each.

use std::collections::HashMap;
use std::io::{self, Write};

use anstyle::Style;
use codex_wire_diff::{Comparison, Difference, Verdict};
use codex_wire_report::Styles;

use crate::escape::{json, plain};

/// The longest counterexample that is shown, in bytes.
const EXAMPLE: usize = 600;

/// Prints a comparison.
pub(super) fn comparison(
    out: &mut dyn Write,
    protocol: &str,
    comparison: &Comparison,
) -> io::Result<()> {
    differences(out, &comparison.differences)?;
    if !comparison.left_out.is_empty() {
        writeln!(
            out,
            "not compared, as only one side has it: {}\n",
            plain(&comparison.left_out.join(", "))
        )?;
    }
    corrections(out, comparison)?;
    if comparison.unlisted > 0 {
        writeln!(
            out,
            "{} further changes are neither listed nor decided\n",
            comparison.unlisted
        )?;
    }
    let [before, after] = comparison.messages;
    writeln!(
        out,
        "{protocol} {} → {}: {} ({before} → {after} messages)",
        plain(&comparison.before),
        plain(&comparison.after),
        comparison.counts()
    )?;
    match comparison.hidden.sentence() {
        Some(hidden) => writeln!(out, "not shown: {hidden}"),
        None => Ok(()),
    }
}

/// Prints differences with the same messages together.
pub(crate) fn differences(out: &mut dyn Write, list: &[Difference]) -> io::Result<()> {
    let mut groups: Vec<(String, Vec<&Difference>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    // The list begins with the worst, so the groups do too.
    for difference in list {
        let title = title(difference);
        let at = *known.entry(title).or_insert_with_key(|title| {
            groups.push((title.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[at].1.push(difference);
    }
    let bold = Styles::coloured().place;
    for (title, group) in groups {
        writeln!(out, "{bold}{title}{bold:#}")?;
        for difference in group {
            line(out, difference)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints known differences between a release and its official schema, by reason.
fn corrections(out: &mut dyn Write, comparison: &Comparison) -> io::Result<()> {
    if comparison.corrections.is_empty() {
        return Ok(());
    }
    let bold = Styles::coloured().place;
    writeln!(
        out,
        "{bold}known corrections of the official schema (not counted as differences){bold:#}"
    )?;
    let mut last = "";
    for corrected in &comparison.corrections {
        if corrected.reason != last {
            writeln!(out, "  {}", corrected.reason)?;
            last = corrected.reason;
        }
        let difference = &corrected.difference;
        let place = plain(&difference.place);
        writeln!(out, "    {place}: {}", plain(&difference.sentence()))?;
    }
    writeln!(out)
}

/// The title of a group: its messages.
fn title(difference: &Difference) -> String {
    plain(&difference.reach().replace('`', "")).into_owned()
}

fn line(out: &mut dyn Write, difference: &Difference) -> io::Result<()> {
    let verdict = difference.verdict();
    let style = style(verdict);
    let about_message = difference.path.len() == 1 && difference.path[0] == difference.place;
    let place = if about_message {
        String::new()
    } else {
        format!("{}: ", plain(&difference.place))
    };
    // If there are two verdicts, the rules of both are named.
    let rules: Vec<String> = difference
        .judgements
        .iter()
        .map(|judgement| {
            if judgement.verdict == verdict {
                judgement.rule.id.to_owned()
            } else {
                format!("{} {}", judgement.rule.id, judgement.verdict)
            }
        })
        .collect();
    writeln!(
        out,
        "  {style}{verdict}{style:#}  {place}{}  [{}]",
        plain(&difference.sentence()),
        rules.join(", ")
    )?;
    for judgement in difference.worst() {
        if let Some(remark) = &judgement.remark {
            writeln!(out, "      {remark}")?;
        }
    }
    if let Some(text) = difference.example().filter(|text| text.len() <= EXAMPLE) {
        writeln!(out, "      {}", json(&text))?;
    }
    if let Some(evidence) = difference.evidence() {
        let basis = evidence.basis();
        writeln!(out, "      {}: {}", evidence.kind(), plain(&basis))?;
    }
    Ok(())
}

fn style(verdict: Verdict) -> Style {
    let styles = Styles::coloured();
    match verdict {
        Verdict::Breaking => styles.error,
        Verdict::Maybe => styles.warning,
        Verdict::Unknown => styles.note,
        Verdict::Compatible => styles.good,
    }
}
