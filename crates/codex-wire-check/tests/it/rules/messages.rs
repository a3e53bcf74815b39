//! What findings say: each text that a rule declares is that of an example, and everything that is found in the
//! examples is held.

use std::collections::BTreeSet;
use std::fmt::Write;

use codex_wire_check::{Rule, rules};
use libtest_mimic::Failed;

use super::{check, examples_of};
use crate::invalid;
use crate::support::is_called;

/// Messages that no transcript leads to: the first is of hooks that [`hooks::run`](codex_wire_check::hooks) starts, the
/// others of schemas that no release has.
const OF_NO_TRANSCRIPT: [&str; 5] = [
    "the input is of `{named}`, not of `{event}`",
    "expected an object ({union}), found {found}",
    "{subject} is empty, which {refusal}",
    "{subject} has no value but `null` in this release",
    "{subject} does not fit (`{keyword}`)",
];

/// Each way to break a rule is shown by an example of the rule or of `fixtures/invalid`.
pub(super) fn have_examples() -> Result<(), Failed> {
    let mut said = BTreeSet::new();
    for rule in rules::RULES.iter() {
        for example in examples_of(rule) {
            let findings = check(rule, &example)?.findings;
            said.extend(
                findings
                    .into_iter()
                    .map(|f| (f.rule.id.to_owned(), f.message)),
            );
        }
    }
    said.extend(invalid::messages()?);
    let is_shown = |rule: &Rule, message: &str| {
        let pattern = pattern_of(message);
        said.iter()
            .any(|(id, text)| id == rule.id && is_called(text, &pattern))
    };
    let each = |rule: &'static Rule| rule.messages.iter().map(move |message| (rule, *message));
    let unshown: Vec<String> = rules::RULES
        .iter()
        .flat_map(|rule| each(rule))
        .filter(|(rule, message)| is_shown(rule, message) == OF_NO_TRANSCRIPT.contains(message))
        .map(|(rule, message)| format!("{}: {message}", rule.id))
        .collect();
    match unshown.is_empty() {
        true => Ok(()),
        false => Err(format!("no example has, or one now has:\n{}", unshown.join("\n")).into()),
    }
}

/// What is found in each example, line by line.
pub(super) fn findings() -> Result<String, Failed> {
    let mut out = String::from(
        "# What is found in the examples of each rule: the line, the level, the rule, what is said.\n",
    );
    for rule in rules::RULES.iter() {
        for example in examples_of(rule) {
            let _ = writeln!(out, "\n{}/{example}", rule.id);
            for finding in check(rule, &example)?.findings {
                let (line, level, id) = (finding.place.line, finding.severity, finding.rule.id);
                let _ = writeln!(out, "{line} {level} {id}: {}", finding.message);
            }
        }
    }
    Ok(out)
}

/// A message with `*` for what is filled in.
fn pattern_of(message: &str) -> String {
    let mut parts = message.split('{');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('*');
        out += part.split_once('}').map_or(part, |(_, rest)| rest);
    }
    out
}
