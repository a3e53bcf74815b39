//! Writes a finding: a line that unfolds to its excerpt and what there is to know of it.

use std::fmt::Write as _;

use codex_wire_check::{Finding, Location};

use crate::escape::replaced;
use crate::html::{class_of, prose, push, text};
use crate::text::{at, locations};

/// A finding of an input, and the locations of similar ones.
pub(super) fn html(finding: &Finding, others: &[&Location], id: &str, is_open: bool) -> String {
    let (class, word) = match (&finding.expected, finding.severity) {
        (Some(_), _) => ("good", "expected"),
        (None, severity) => (class_of(severity), severity.as_str()),
    };
    let open = if is_open { " open" } else { "" };
    let Location { line, column, .. } = finding.place;
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<details class=\"finding {class}\"{open}><summary><b>{word}</b> <span class=\"message\">{}</span> \
         <small>{line}:{column}</small></summary><div class=\"body\" id=\"{id}\">",
        prose(&finding.message)
    );
    if finding.expected.is_none() {
        excerpt(&mut out, finding);
    }
    out.push_str("<ul class=\"facts\">");
    let mut fact = |html: &str| {
        let _ = write!(out, "<li>{html}</li>");
    };
    if let Some(at) = at(finding).filter(|_| finding.expected.is_none()) {
        fact(&text(&at));
    }
    if !others.is_empty() {
        fact(&format!("also at {}", locations(others)));
    }
    match &finding.expected {
        // The user who listed it has seen it.
        Some(reason) => fact(&format!("because: {}", text(reason.trim()))),
        None => {
            if let Some(releases) = finding.releases {
                fact(&format!("valid in: {releases}"));
            }
            if let Some(help) = &finding.help {
                fact(&format!("help: {}", prose(help)));
            }
        }
    }
    let rule = finding.rule.id;
    fact(&format!(
        "rule <a href=\"#{}\"><code>{}</code></a>",
        rule_id(rule),
        text(rule)
    ));
    out.push_str("</ul></div></details>\n");
    out
}

/// The invalid part of the line behind its number, below the line that explains it.
fn excerpt(out: &mut String, finding: &Finding) {
    let line = finding.place.line.to_string();
    let earlier = finding.earlier.as_ref();
    let earlier = earlier.map(|earlier| (earlier.line.to_string(), earlier.what));
    if finding.excerpt.is_none() && earlier.is_none() {
        return;
    }
    let before = earlier.as_ref().map_or(0, |(line, _)| line.len());
    let width = line.len().max(before);
    out.push_str("<pre class=\"excerpt\">");
    if let Some((line, what)) = earlier {
        let _ = writeln!(out, "<i>{line:>width$} │ {}</i>", text(what));
    }
    if let Some(excerpt) = &finding.excerpt {
        let part = |from: usize, to: usize| {
            let mut part = String::new();
            let text = excerpt.text.get(from..to).unwrap_or_default();
            push(&mut part, &replaced(text));
            part
        };
        let _ = write!(
            out,
            "<i>{line:>width$} │</i> {}<mark>{}</mark>{}",
            part(0, excerpt.start),
            part(excerpt.start, excerpt.end),
            part(excerpt.end, excerpt.text.len())
        );
    }
    out.push_str("</pre>");
}

/// The id of the text of a rule.
pub(super) fn rule_id(rule: &str) -> String {
    let name = rule.chars().map(|c| match c.is_ascii_alphanumeric() {
        true => c,
        false => '-',
    });
    format!("rule-{}", name.collect::<String>())
}
