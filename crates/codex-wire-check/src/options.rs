//! Options of a check: what to check against, which levels rules have, and limits.

use std::collections::BTreeMap;

use codex_wire_base::{Protocol, Release};
use codex_wire_schema::Profile;

use crate::rule::Rule;
use crate::rules::{UNKNOWN_KIND, UNKNOWN_VALUE};
use crate::severity::Severity;
use crate::writer::Writer;

/// What to check against, and how strictly.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The protocol; inferred from the input if not given.
    pub protocol: Option<Protocol>,
    /// The release; inferred from the input if not given.
    pub release: Option<Release>,
    /// What of the unknown is a warning rather than an error: nothing (`Exact`), members (`Known`), or
    /// members, kinds and values (`Open`).
    pub profile: Profile,
    /// Severities that replace those of the rules.
    pub levels: Levels,
    /// The limits on time and memory.
    pub limits: Limits,
    /// The side whose lines are checked; both if not given. A line without a known writer is always
    /// checked.
    pub side: Option<Writer>,
    /// Whether excerpts show payload text.
    pub show_values: bool,
    /// Whether the fast path is used. The findings do not depend on it.
    #[doc(hidden)]
    pub fast_path: bool,
}

impl Options {
    /// The defaults: infer protocol and release, report unknown members as warnings, mask values.
    pub fn new() -> Self {
        Options {
            protocol: None,
            release: None,
            profile: Profile::Known,
            levels: Levels::default(),
            limits: Limits::default(),
            side: None,
            show_values: false,
            fast_path: true,
        }
    }

    /// Checks against exactly what one release of a protocol writes.
    pub fn release(protocol: Protocol, release: Release) -> Self {
        Options {
            protocol: Some(protocol),
            release: Some(release),
            profile: Profile::Exact,
            ..Self::new()
        }
    }

    /// The severity of a violation; `None`: it is allowed. `undeclared` says whether it is a member that
    /// no release has.
    pub(crate) fn severity(&self, rule: &'static Rule, undeclared: bool) -> Option<Severity> {
        if let Some(level) = self.levels.get(rule) {
            return level;
        }
        let is_warning = match self.profile {
            Profile::Exact => false,
            Profile::Known => undeclared,
            Profile::Open => {
                let open = [&UNKNOWN_KIND, &UNKNOWN_VALUE];
                undeclared || open.iter().any(|unknown| unknown.id == rule.id)
            }
        };
        if is_warning {
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

/// The severity that the user set for each rule. `None` means allowed: the rule is not checked.
#[derive(Clone, Debug, Default)]
pub struct Levels(BTreeMap<&'static str, Option<Severity>>);

impl Levels {
    /// Sets the severity of a rule. `None` allows what the rule forbids.
    pub fn set(&mut self, rule: &'static Rule, level: Option<Severity>) {
        self.0.insert(rule.id, level);
    }

    /// The severity set for a rule, if one was set.
    pub fn get(&self, rule: &'static Rule) -> Option<Option<Severity>> {
        self.0.get(rule.id).copied()
    }
}

/// The limits on time and memory. See `docs/limits.md`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// The longest line, in bytes. A longer line is a finding and is not checked.
    pub line_bytes: usize,
    /// The deepest nesting of arrays and objects, at most [`Limits::DEEPEST`].
    pub depth: usize,
    /// How many values of an invalid message are compared with the schema. If it has more, the rest is
    /// not checked, which is a finding.
    pub values: usize,
    /// How many findings of one input are kept. Further findings are only counted.
    pub findings: usize,
    /// How many ids of each kind (items, turns, calls, requests) the sequence rules remember, open and
    /// finished. The oldest are evicted first, and the rules report nothing about an evicted id.
    pub sequence_ids: usize,
}

impl Limits {
    /// The largest value of `depth`.
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
