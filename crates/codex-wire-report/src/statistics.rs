//! Counts findings by rule, and inputs and messages by protocol, release and kind.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::{self, Write};

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_check::Outcome;
use serde::Serialize;

use crate::escape::escaped;
use crate::numbers::{counted, grouped, with_expected};
use crate::object::object;
use crate::rule_counts::RuleCounts;
use crate::styles::Styles;
use crate::totals::counts;

/// The most kinds of message that are told apart, because a name can be anything.
const MOST_KINDS: usize = 4_096;

/// The longest name of a kind that is kept, in bytes.
const LONGEST_KIND: usize = 128;

/// How many messages of each kind an input has.
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    counts: BTreeMap<(MessageSet, String), u64>,
    /// Messages of kinds beyond the limit.
    others: u64,
}

impl Kinds {
    /// Counts a message.
    pub fn add(&mut self, message_set: MessageSet, kind: &str) {
        self.add_many(message_set, kind, 1);
    }

    fn add_many(&mut self, message_set: MessageSet, kind: &str, messages: u64) {
        if kind.len() > LONGEST_KIND {
            self.others += messages;
            return;
        }
        let key = (message_set, kind.to_owned());
        let has_room = self.counts.len() < MOST_KINDS;
        match self.counts.entry(key) {
            Entry::Occupied(mut count) => *count.get_mut() += messages,
            Entry::Vacant(count) if has_room => {
                count.insert(messages);
            }
            Entry::Vacant(_) => self.others += messages,
        }
    }
}

/// Statistics over all inputs.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    rules: RuleCounts,
    /// Findings beyond the limit, of which the rule is not known.
    unlisted: u64,
    protocols: BTreeMap<Protocol, Size>,
    releases: BTreeMap<(Protocol, Release, Release, bool), Size>,
    kinds: Kinds,
}

/// Inputs, and their messages.
#[derive(Clone, Copy, Debug, Default)]
struct Size {
    inputs: u64,
    messages: u64,
}

impl Size {
    fn add(&mut self, outcome: &Outcome) {
        self.inputs += 1;
        self.messages += outcome.messages;
    }
}

impl Statistics {
    /// Adds an input. Call it after a baseline has marked the findings that it expects.
    pub fn add(&mut self, outcome: &Outcome, kinds: &Kinds) {
        self.rules.add(outcome);
        self.unlisted += outcome.dropped();
        // What is of no protocol may look like a message of one.
        let Some(protocol) = outcome.protocol else {
            return;
        };
        self.protocols.entry(protocol).or_default().add(outcome);
        if let Some(releases) = outcome.releases {
            let key = (protocol, releases.since, releases.until, outcome.identified);
            self.releases.entry(key).or_default().add(outcome);
        }
        for ((message_set, kind), messages) in &kinds.counts {
            self.kinds.add_many(*message_set, kind, *messages);
        }
        self.kinds.others += kinds.others;
    }

    /// Writes them for people.
    pub(crate) fn write(&self, out: &mut dyn Write, styles: &Styles) -> io::Result<()> {
        let size = |size: &Size| {
            let inputs = counted(size.inputs, "input", "inputs");
            (size.messages, inputs)
        };
        let mut rules: Vec<(u64, String, String)> = self
            .rules
            .iter()
            .map(|row| {
                let levels = with_expected(&row.counts).join(", ");
                (row.counts.total(), row.rule.id.to_owned(), levels)
            })
            .collect();
        if self.unlisted > 0 {
            let what = "findings beyond the limit".to_owned();
            rules.push((self.unlisted, what, String::new()));
        }
        table(out, styles, "findings by rule", rules)?;
        let protocols = self.protocols.iter().map(|(protocol, inputs)| {
            let (messages, inputs) = size(inputs);
            (messages, protocol.to_string(), inputs)
        });
        table(out, styles, "messages by protocol", protocols.collect())?;
        let releases = self.releases.iter().map(|(key, inputs)| {
            let (protocol, since, until, identified) = key;
            let range = match since == until {
                true => format!("{protocol} {since}"),
                false => format!("{protocol} {since} to {until}"),
            };
            let (messages, inputs) = size(inputs);
            let how = if *identified { ", identified" } else { "" };
            (messages, range, format!("{inputs}{how}"))
        });
        table(out, styles, "messages by release", releases.collect())?;
        let mut kinds: Vec<(u64, String, String)> = self
            .kinds
            .counts
            .iter()
            .map(|((set, kind), messages)| (*messages, escaped(kind).into_owned(), set.to_string()))
            .collect();
        if self.kinds.others > 0 {
            kinds.push((self.kinds.others, "others".to_owned(), String::new()));
        }
        table(out, styles, "messages by kind", kinds)
    }

    pub(crate) fn to_json(&self) -> impl Serialize {
        let rules = self.rules.iter().map(|row| {
            object! { rule: row.rule.id, #[serde(flatten)] counts: counts(&row.counts) }
        });
        let protocols = self.protocols.iter().map(|(protocol, size)| {
            object! {
                protocol: protocol.as_str(),
                inputs: size.inputs,
                messages: size.messages,
            }
        });
        let releases = self.releases.iter().map(|(key, size)| {
            let (protocol, since, until, identified) = key;
            object! {
                protocol: protocol.as_str(),
                since: since.to_string(),
                until: until.to_string(),
                identified: identified,
                inputs: size.inputs,
                messages: size.messages,
            }
        });
        let kinds = self.kinds.counts.iter().map(|((set, kind), messages)| {
            object! { message_set: set.as_str(), kind: kind, messages: messages }
        });
        object! {
            rules: rules.collect::<Vec<_>>(),
            unlisted: self.unlisted,
            protocols: protocols.collect::<Vec<_>>(),
            releases: releases.collect::<Vec<_>>(),
            kinds: kinds.collect::<Vec<_>>(),
            other_kinds: self.kinds.others,
        }
    }
}

/// Writes rows of a number, a name and a remark, the largest number first.
fn table(
    out: &mut dyn Write,
    styles: &Styles,
    title: &str,
    mut rows: Vec<(u64, String, String)>,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    rows.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let place = styles.place;
    writeln!(out, "\n{place}{title}{place:#}")?;
    let numbers: Vec<String> = rows.iter().map(|(number, ..)| grouped(*number)).collect();
    let width = numbers.iter().map(String::len).max().unwrap_or(0);
    for (number, (_, name, remark)) in numbers.iter().zip(&rows) {
        let gap = if remark.is_empty() { "" } else { "  " };
        writeln!(out, "  {number:>width$}  {name}{gap}{remark}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of kinds come from the input, which can have any number of them.
    #[test]
    fn kinds_are_bounded() {
        let mut kinds = Kinds::default();
        for number in 0..MOST_KINDS + 10 {
            kinds.add(MessageSet::Exec, &number.to_string());
        }
        kinds.add(MessageSet::Exec, "0");
        kinds.add(MessageSet::Exec, &"x".repeat(LONGEST_KIND + 1));
        assert_eq!(kinds.counts.len(), MOST_KINDS);
        assert_eq!(kinds.others, 11);
        assert_eq!(kinds.counts[&(MessageSet::Exec, "0".to_owned())], 2);
    }
}
