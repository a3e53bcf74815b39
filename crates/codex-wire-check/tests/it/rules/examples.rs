//! What `codex-wire explain` shows of the transcripts that respect and break a rule: the lines
//! that matter, each cut to the width of a screen, and what is said of them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use codex_wire_check::{Outcome, Rule, rules};
use codex_wire_testing::describe;
use libtest_mimic::Failed;
use serde_json::Value;

use super::{asked, check, files, folder, read, settings_of, visible};

/// Where it is written to.
pub(super) fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../codex-wire-cli/src/commands/explain/examples.txt")
}

/// Of longer transcripts only the lines around the findings are shown.
const MOST_LINES: usize = 8;

/// How wide a line is at most.
const WIDTH: usize = 96;

/// The examples of all rules, one after another.
pub(super) fn all() -> Result<String, Failed> {
    let mut out = String::new();
    for rule in rules::RULES.iter() {
        let fail = check(rule, "fail")?;
        let matters = lines_that_matter(rule, &fail);
        let with = settings_of(rule).map_or(String::new(), |settings| format!(" ({settings})"));
        let _ = writeln!(out, "= {}", rule.id);
        for (name, title) in [("pass", "Respects it"), ("fail", "Breaks it")] {
            for file in files(rule, name) {
                let bytes = read(&folder(rule).join(&file))?;
                let side = match file.rsplit('/').next() {
                    Some("rollout.jsonl") if rule.id != "with-rollout/base" => ": the session file",
                    Some("base.jsonl") => ": the base",
                    Some("database.sql") => ": the databases",
                    _ => "",
                };
                // Findings name lines of the first.
                let others = match file.ends_with(".sql") {
                    true => rows(&bytes),
                    false => BTreeSet::new(),
                };
                let matters = if side.is_empty() { &matters } else { &others };
                let _ = write!(out, "{title}{with}{side}\n{}\n", shown(&bytes, matters));
            }
        }
        let _ = write!(out, "Findings\n{}\n", said(rule, &fail));
        if let Some(answers) = asked::answers(rule)? {
            let _ = writeln!(out, "What real programs answered");
            for line in answers.lines().filter(|line| !line.is_empty()) {
                let _ = writeln!(out, "  {line}");
            }
            out.push('\n');
        }
    }
    Ok(out)
}

/// The lines of statements that make rows. What follows from one is a part of it until the next begins.
fn rows(sql: &[u8]) -> BTreeSet<usize> {
    let mut is_row = false;
    let lines = String::from_utf8_lossy(sql);
    let lines = lines.lines().enumerate().filter(|(_, line)| {
        match line.split(' ').next() {
            Some("INSERT") => is_row = true,
            Some("CREATE") => is_row = false,
            _ => {}
        }
        is_row
    });
    lines.map(|(index, _)| index + 1).collect()
}

/// The lines a finding of the rule is on or refers to, with their neighbours.
fn lines_that_matter(rule: &'static Rule, outcome: &Outcome) -> BTreeSet<usize> {
    let own = outcome
        .findings
        .iter()
        .filter(|finding| finding.rule == rule);
    own.flat_map(|finding| {
        let earlier = finding.earlier.as_ref().map(|earlier| earlier.line);
        [Some(finding.place.line), earlier]
    })
    .flatten()
    .filter_map(|line| usize::try_from(line).ok())
    .flat_map(|line| line.saturating_sub(1)..=line + 1)
    .collect()
}

fn shown(bytes: &[u8], matters: &BTreeSet<usize>) -> String {
    let text = visible(bytes);
    let lines: Vec<&str> = text.lines().collect();
    let is_short = lines.len() <= MOST_LINES;
    let last = matters.last().copied().unwrap_or_default();
    let mut out = String::new();
    let mut before = 0;
    for (number, line) in (1..).zip(&lines) {
        // Where the other transcript is longer, the end is what matters.
        let is_end = last >= lines.len() && number + 1 >= lines.len();
        if !is_short && !matters.contains(&number) && !is_end {
            continue;
        }
        if number > before + 1 {
            out += "       …\n";
        }
        before = number;
        let _ = writeln!(out, "  {number:>4} {}", cut(&unwrapped(line)));
    }
    if before < lines.len() {
        out += "       …\n";
    }
    out
}

/// A recorded line with its writer before it instead of around it.
fn unwrapped(line: &str) -> String {
    let record: Value = serde_json::from_str(line).unwrap_or_default();
    match (record["from"].as_str(), record["line"].as_str()) {
        (Some(from), Some(text)) => format!("{from}: {text}"),
        _ => line.to_owned(),
    }
}

fn cut(line: &str) -> String {
    match line.chars().count() > WIDTH {
        true => format!("{}…", line.chars().take(WIDTH).collect::<String>()),
        false => line.to_owned(),
    }
}

/// The findings of this rule, as `codex-wire check` shows them.
fn said(rule: &'static Rule, outcome: &Outcome) -> String {
    let mut own = outcome.clone();
    own.findings.retain(|finding| finding.rule == rule);
    let text = describe(&own);
    // The totals come last.
    let findings = text
        .rsplit_once("\n\n")
        .map_or("", |(findings, _)| findings);
    let mut out = String::new();
    for line in findings.lines() {
        let _ = writeln!(out, "{}", format!("  {line}").trim_end());
    }
    out
}
