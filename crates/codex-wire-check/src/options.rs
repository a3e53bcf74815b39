//! Options of a check: what to check against, which levels rules have, and limits.

use std::collections::BTreeMap;

use codex_wire_base::{Protocol, Release};
use codex_wire_schema::Profile;

use crate::rule::Rule;
use crate::severity::Severity;
use crate::writer::Writer;

/// What to check against, and how strictly.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The protocol; identified from the stream if not given.
    pub protocol: Option<Protocol>,
    /// The release; identified from the stream if not given.
    pub release: Option<Release>,
    /// Whether unknown members are errors (`Exact`) or warnings (`Open`).
    pub profile: Profile,
    /// Severities other than the rules' own.
    pub levels: Levels,
    /// What is too much.
    pub limits: Limits,
    /// Whose lines are checked; both sides' if not given. A line that does not show its
    /// writer is checked in any case.
    pub side: Option<Writer>,
    /// Whether excerpts show payload text.
    pub show_values: bool,
    /// Whether compiled schemas are asked before anything is read. It makes no difference to what is
    /// found.
    #[doc(hidden)]
    pub fast_path: bool,
}

impl Options {
    /// Identify everything, take unknown members for a warning, mask values.
    pub fn new() -> Self {
        Options {
            protocol: None,
            release: None,
            profile: Profile::Open,
            levels: Levels::default(),
            limits: Limits::default(),
            side: None,
            show_values: false,
            fast_path: true,
        }
    }

    /// Check against exactly what one release of a protocol writes.
    pub fn release(protocol: Protocol, release: Release) -> Self {
        Options {
            protocol: Some(protocol),
            release: Some(release),
            profile: Profile::Exact,
            ..Self::new()
        }
    }

    /// The severity of a violation, if it is one; `undeclared` says whether it is a member that no
    /// release has.
    pub(crate) fn severity(&self, rule: &'static Rule, undeclared: bool) -> Option<Severity> {
        if let Some(level) = self.levels.get(rule) {
            return level;
        }
        if undeclared && self.profile == Profile::Open {
            return Some(Severity::Warning);
        }
        Some(rule.level)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

/// Severities by rule. `None` stands for allowed: the rule is not checked.
#[derive(Clone, Debug, Default)]
pub struct Levels(BTreeMap<&'static str, Option<Severity>>);

impl Levels {
    /// Sets the severity of a rule; `None` allows what it forbids.
    pub fn set(&mut self, rule: &'static Rule, level: Option<Severity>) {
        self.0.insert(rule.id, level);
    }

    /// The severity set for a rule, if one was set.
    pub fn get(&self, rule: &'static Rule) -> Option<Option<Severity>> {
        self.0.get(rule.id).copied()
    }
}

/// What is too much.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The longest line, in bytes. Longer ones are a finding and are not looked into.
    pub line_bytes: usize,
    /// The deepest nesting of arrays and objects, at most [`Limits::DEEPEST`].
    pub depth: usize,
    /// How many values of a message are held against the schema, where something is wrong with it.
    /// Of a message that has more the rest is not looked at, which is a finding.
    pub values: usize,
    /// How many findings of one input are kept; further ones are only counted.
    pub findings: usize,
    /// How many ids the rules about order remember of each sort, open ones and finished ones:
    /// items, turns, calls, requests. The oldest are forgotten first, and rules about what was
    /// forgotten are silent.
    pub sequence_ids: usize,
}

impl Limits {
    /// How deep a message can be examined at all.
    pub const DEEPEST: usize = 127;
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            line_bytes: 256 << 20,
            depth: Limits::DEEPEST,
            values: 16_384,
            findings: 1000,
            sequence_ids: 16_384,
        }
    }
}
