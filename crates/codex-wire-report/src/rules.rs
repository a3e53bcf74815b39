//! Writes rules: as a list, and one of them with all that is known of it.

use std::io::{self, Write};

use codex_wire_check::{Exception, Rule, Severity};
use serde_json::{Value, json};

use crate::release_ranges::bounds;
use crate::styles::Styles;
use crate::wrap::wrapped;

/// Writes a list of rules for people: the name of each, its level, whether real Codex always respects it, and what it requires.
///
/// # Errors
/// When writing fails.
pub fn write_rules(out: &mut dyn Write, rules: &[&Rule], styles: &Styles) -> io::Result<()> {
    let bold = styles.place;
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules {
        let style = styles.severity(rule.level);
        writeln!(
            out,
            "{bold}{:<width$}{bold:#}  {style}{}{style:#}  {}",
            rule.id,
            rule.level,
            rule.status.as_str(),
        )?;
        write!(out, "{}", wrapped(rule.summary, 4))?;
    }
    Ok(())
}

/// Writes a list of rules as JSON:
///
/// `{"version":1,"rules":[{"id","group","level","status","about":["exec"…],"releases":
/// {"since","until"},"summary","messages","explanation","evidence","exceptions":[{"releases","of",
/// "level","seen"}]}]}`. `messages` are what findings say, with names in braces for what is filled
/// in. An open end of `releases` is left out. A `level` of `null` means that the exception is
/// allowed.
///
/// # Errors
/// When writing fails.
pub fn write_rules_json(out: &mut dyn Write, rules: &[&Rule]) -> io::Result<()> {
    let rule = |rule: &&Rule| {
        let exceptions: Vec<_> = rule.exceptions.iter().map(exception).collect();
        json!({
            "id": rule.id,
            "group": rule.group(),
            "level": rule.level.as_str(),
            "status": rule.status.as_str(),
            "about": about(rule),
            "releases": bounds(rule.releases),
            "summary": rule.summary,
            "messages": rule.messages,
            "explanation": rule.explanation,
            "evidence": rule.evidence,
            "exceptions": exceptions,
        })
    };
    let rules: Vec<_> = rules.iter().map(rule).collect();
    serde_json::to_writer_pretty(&mut *out, &json!({"version": 1, "rules": rules}))?;
    writeln!(out)
}

/// Writes what a rule requires, why, what it applies to and where it does not hold. `transcripts` are those of all rules, of
/// which the ones of this rule are shown: a line `= ID` begins those of a rule, and lines without indentation are titles.
/// `page` is the address that has them in full.
///
/// # Errors
/// When writing fails.
pub fn write_rule(
    out: &mut dyn Write,
    rule: &Rule,
    transcripts: &str,
    page: &str,
    styles: &Styles,
) -> io::Result<()> {
    let bold = styles.place;
    let style = styles.severity(rule.level);
    writeln!(
        out,
        "{bold}{}{bold:#}  {style}{}{style:#}  {}\n",
        rule.id,
        rule.level,
        rule.status.as_str()
    )?;
    requirement(out, rule)?;
    writeln!(out, "\n{bold}Applies to{bold:#}\n{}", applies_to(rule))?;
    if !rule.exceptions.is_empty() {
        writeln!(out, "\n{bold}Exceptions{bold:#}")?;
        for exception in rule.exceptions {
            write!(out, "{}", wrapped(&sentence(exception), 2))?;
        }
    }
    if rule.messages.len() > 1 {
        writeln!(out, "\n{bold}What findings say{bold:#}")?;
        for message in rule.messages {
            write!(out, "{}", wrapped(message, 2))?;
        }
    }
    writeln!(out, "\n{bold}Evidence{bold:#}")?;
    write!(out, "{}", wrapped(rule.evidence, 2))?;
    examples(out, rule, transcripts, styles)?;
    writeln!(out, "\nBoth transcripts in full: {page}")
}

/// Writes what a rule about a client that runs requires. It has no transcripts: what a client shows is none. `page` is the
/// address of the page about it.
///
/// # Errors
/// When writing fails.
pub fn write_client_rule(
    out: &mut dyn Write,
    rule: &Rule,
    page: &str,
    styles: &Styles,
) -> io::Result<()> {
    let bold = styles.place;
    let style = styles.severity(rule.level);
    let (id, level) = (rule.id, rule.level);
    writeln!(out, "{bold}{id}{bold:#}  {style}{level}{style:#}\n")?;
    requirement(out, rule)?;
    writeln!(out, "\nThe page: {page}")
}

/// Writes what a rule requires, and why.
fn requirement(out: &mut dyn Write, rule: &Rule) -> io::Result<()> {
    let summary = format!("Requires that {}.", rule.summary);
    write!(out, "{}", wrapped(&summary, 0))?;
    write!(out, "\n{}", wrapped(rule.explanation, 0))
}

/// The message sets that a rule is about.
fn about(rule: &Rule) -> Vec<&'static str> {
    let message_sets = rule.about.iter();
    message_sets
        .map(|message_set| message_set.as_str())
        .collect()
}

fn exception(exception: &Exception) -> Value {
    json!({
        "releases": bounds(exception.releases),
        "of": exception.of,
        "level": exception.level.map(Severity::as_str),
        "seen": exception.seen,
    })
}

/// Writes the transcripts of the rule. Lines without indentation are titles.
fn examples(
    out: &mut dyn Write,
    rule: &Rule,
    transcripts: &str,
    styles: &Styles,
) -> io::Result<()> {
    let bold = styles.place;
    let own = transcripts
        .lines()
        .skip_while(|line| line.strip_prefix("= ") != Some(rule.id))
        .skip(1)
        .take_while(|line| !line.starts_with("= "));
    for line in own.filter(|line| !line.is_empty()) {
        match line.starts_with(' ') {
            true => writeln!(out, "{}", line.trim_end())?,
            false => writeln!(out, "\n{bold}{line}{bold:#}")?,
        }
    }
    Ok(())
}

/// The message sets and releases that a rule applies to.
fn applies_to(rule: &Rule) -> String {
    let streams = match about(rule).as_slice() {
        [] => "all streams".to_owned(),
        some => some.join(", "),
    };
    format!("  {streams}; {}", rule.releases)
}

/// An exception in a sentence.
fn sentence(exception: &Exception) -> String {
    let of = match exception.of {
        [] => String::new(),
        kinds => format!(", {}", kinds.join(" and ")),
    };
    let level = match exception.level {
        Some(level) => level.as_str(),
        None => "allowed",
    };
    format!("{}{of}: {level}; {}.", exception.releases, exception.seen)
}
