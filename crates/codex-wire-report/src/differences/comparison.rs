//! Differences of two releases for people: grouped by message, worst first, one line each.

use std::collections::HashMap;
use std::io::{self, Write};

use anstyle::Style;
use codex_wire_diff::{Comparison, Difference, Verdict};

use crate::escape::{escaped, escaped_json};
use crate::styles::Styles;

/// The longest counterexample that is shown, in bytes.
const EXAMPLE: usize = 600;

/// Writes what differs between two releases, then how much. `about` names what is compared, such as a protocol.
///
/// # Errors
/// When writing fails.
pub fn write_comparison(
    out: &mut dyn Write,
    about: &str,
    comparison: &Comparison,
    styles: &Styles,
) -> io::Result<()> {
    differences(out, &comparison.differences, styles)?;
    if !comparison.left_out.is_empty() {
        writeln!(
            out,
            "not compared, as only one side has it: {}\n",
            escaped(&comparison.left_out.join(", "))
        )?;
    }
    corrections(out, comparison, styles)?;
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
        "{about} {} → {}: {} ({before} → {after} messages)",
        escaped(&comparison.before),
        escaped(&comparison.after),
        comparison.counts()
    )?;
    match comparison.hidden.sentence() {
        Some(hidden) => writeln!(out, "not shown: {hidden}"),
        None => Ok(()),
    }
}

/// Writes differences with the same messages together.
pub(super) fn differences(
    out: &mut dyn Write,
    list: &[Difference],
    styles: &Styles,
) -> io::Result<()> {
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
    let bold = styles.place;
    for (title, group) in groups {
        writeln!(out, "{bold}{title}{bold:#}")?;
        for difference in group {
            line(out, difference, styles)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes known differences between a release and its official schema, by reason.
fn corrections(out: &mut dyn Write, comparison: &Comparison, styles: &Styles) -> io::Result<()> {
    if comparison.corrections.is_empty() {
        return Ok(());
    }
    let bold = styles.place;
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
        let place = escaped(&difference.place);
        writeln!(out, "    {place}: {}", escaped(&difference.sentence()))?;
    }
    writeln!(out)
}

/// The title of a group: its messages.
fn title(difference: &Difference) -> String {
    escaped(&difference.reach().replace('`', "")).into_owned()
}

fn line(out: &mut dyn Write, difference: &Difference, styles: &Styles) -> io::Result<()> {
    let verdict = difference.verdict();
    let style = style(styles, verdict);
    let about_message = difference.path.len() == 1 && difference.path[0] == difference.place;
    let place = if about_message {
        String::new()
    } else {
        format!("{}: ", escaped(&difference.place))
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
        escaped(&difference.sentence()),
        rules.join(", ")
    )?;
    for judgement in difference.worst() {
        if let Some(remark) = &judgement.remark {
            writeln!(out, "      {remark}")?;
        }
    }
    if let Some(text) = difference.example().filter(|text| text.len() <= EXAMPLE) {
        writeln!(out, "      {}", escaped_json(&text))?;
    }
    if let Some(evidence) = difference.evidence() {
        let basis = evidence.basis();
        writeln!(out, "      {}: {}", evidence.kind(), escaped(&basis))?;
    }
    Ok(())
}

fn style(styles: &Styles, verdict: Verdict) -> Style {
    match verdict {
        Verdict::Breaking => styles.error,
        Verdict::Maybe => styles.warning,
        Verdict::Unknown => styles.note,
        Verdict::Compatible => styles.good,
    }
}
