//! Differences for people: by the messages they concern, worst first, a line each.

use std::io::{self, Write};

use anstyle::Style;
use codex_wire_diff::{Comparison, Difference, Verdict, counts};
use codex_wire_report::Styles;

/// The longest counterexample that is shown, in bytes.
const EXAMPLE: usize = 600;

/// Prints a comparison.
pub(crate) fn comparison(
    out: &mut dyn Write,
    protocol: &str,
    comparison: &Comparison,
) -> io::Result<()> {
    differences(out, &comparison.differences)?;
    if !comparison.left_out.is_empty() {
        writeln!(
            out,
            "not compared, as only one side has it: {}\n",
            comparison.left_out.join(", ")
        )?;
    }
    let [before, after] = comparison.messages;
    writeln!(
        out,
        "{protocol} {} → {}: {} ({before} → {after} messages)",
        comparison.before,
        comparison.after,
        counts(&comparison.differences)
    )
}

/// Prints differences with the same messages together.
pub(crate) fn differences(out: &mut dyn Write, list: &[Difference]) -> io::Result<()> {
    let mut groups: Vec<(String, Vec<&Difference>)> = Vec::new();
    // They come worst first, so the groups do too.
    for difference in list {
        let head = head(difference);
        match groups.iter_mut().find(|(known, _)| *known == head) {
            Some((_, group)) => group.push(difference),
            None => groups.push((head, vec![difference])),
        }
    }
    let bold = Styles::coloured().place;
    for (head, group) in groups {
        writeln!(out, "{bold}{head}{bold:#}")?;
        for difference in group {
            line(out, difference)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The messages of a group.
fn head(difference: &Difference) -> String {
    difference.reach().replace('`', "")
}

fn line(out: &mut dyn Write, difference: &Difference) -> io::Result<()> {
    let verdict = difference.verdict();
    let style = style(verdict);
    let about_message = difference.path.len() == 1 && difference.path[0] == difference.place;
    let place = if about_message {
        String::new()
    } else {
        format!("{}: ", difference.place)
    };
    // Of two verdicts the rules of both are named.
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
        difference.sentence(),
        rules.join(", ")
    )?;
    for judgement in difference.worst() {
        if let Some(remark) = &judgement.remark {
            writeln!(out, "      {remark}")?;
        }
    }
    let example = difference
        .worst()
        .find_map(|judgement| judgement.counterexample.as_ref());
    if let Some(example) = example {
        let text = example.value.to_string();
        if text.len() <= EXAMPLE {
            writeln!(out, "      {text}")?;
        }
    }
    Ok(())
}

fn style(verdict: Verdict) -> Style {
    let styles = Styles::coloured();
    match verdict {
        Verdict::Breaking => styles.deny,
        Verdict::Maybe => styles.warn,
        Verdict::Unknown => styles.note,
        Verdict::Compatible => styles.good,
    }
}
