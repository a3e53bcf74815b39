//! Prints outcomes as text.

use std::fmt::Write;

use codex_wire_check::{Excerpt, Finding, Outcome, Verdict};

/// The findings of an input as text. Findings that a baseline expects are left out.
pub fn explain(outcome: &Outcome) -> String {
    let mut out = format!("{}: {}", outcome.path, headline(outcome));
    let findings = outcome.findings.iter();
    for finding in findings.filter(|finding| finding.expected.is_none()) {
        out.push_str("\n\n");
        out.push_str(&describe(finding));
    }
    if outcome.dropped() > 0 {
        let _ = write!(out, "\n\n… and {} more", outcome.dropped());
    }
    out
}

fn headline(outcome: &Outcome) -> String {
    let several = |count: u64, what| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let target = match (outcome.protocol, outcome.releases) {
        (Some(protocol), Some(releases)) => format!(" {protocol} {releases}"),
        _ => String::new(),
    };
    let how = if outcome.identified {
        "identified as"
    } else {
        "checked as"
    };
    match outcome.verdict {
        Verdict::Conforms => format!("conforms ({how}{target})"),
        Verdict::Findings => format!(
            "does not conform ({how}{target}): {}, {}",
            several(outcome.counts.error, "error"),
            several(outcome.counts.warning, "warning"),
        ),
        Verdict::NotExercised => "holds no messages, so nothing was checked".to_owned(),
        Verdict::Unreadable => {
            let reason = outcome.error.as_deref().unwrap_or("unreadable");
            format!("cannot be checked: {reason}")
        }
    }
}

fn describe(finding: &Finding) -> String {
    let place = &finding.place;
    let mut out = format!(
        "{}[{}] line {}, column {}: {}",
        finding.severity, finding.rule, place.line, place.column, finding.message
    );
    if let Some(Excerpt { text, start, end }) = &finding.excerpt {
        // One mark per character: close enough without the widths of a terminal.
        let width = |part: &str| part.chars().count();
        let before = " ".repeat(width(&text[..*start]));
        let marks = "^".repeat(width(&text[*start..*end]).max(1));
        let _ = write!(out, "\n    {text}\n    {before}{marks}");
    }
    if !place.pointer.is_empty() {
        let _ = write!(out, "\n    at {}", place.pointer);
    }
    if let Some(releases) = finding.releases {
        let _ = write!(out, "\n    valid in {releases}");
    }
    if let Some(line) = finding.earlier {
        let _ = write!(out, "\n    see line {line}");
    }
    if let Some(help) = &finding.help {
        let _ = write!(out, "\n    help: {help}");
    }
    out
}
