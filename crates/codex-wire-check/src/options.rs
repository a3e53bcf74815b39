//! Options of a check: what to check against, which levels rules have, and limits.

use std::collections::BTreeMap;

use codex_wire_base::{Protocol, Release, ReleaseBounds};
use codex_wire_schema::Profile;

use crate::rule::Rule;
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
    /// The releases among which that of the input is inferred; all if not given. A release that is not listed
    /// is in the range if the listed one before it is.
    pub among: ReleaseBounds,
    /// What of the unknown is a warning rather than an error: nothing (`Exact`), members (`Known`), or
    /// members, kinds and values (`Open`). `Exact` also requires the members that an app-server always
    /// writes, though its schema lets them be left out.
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
            among: ReleaseBounds::ALWAYS,
            profile: Profile::Known,
            levels: Levels::default(),
            limits: Limits::default(),
            side: None,
            show_values: false,
            fast_path: true,
        }
    }

    /// Checks against exactly what one release of a protocol writes.
    pub fn exact(protocol: Protocol, release: Release) -> Self {
        Self::new()
            .protocol(protocol)
            .release(release)
            .profile(Profile::Exact)
    }

    /// The same, for this protocol.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = Some(protocol);
        self
    }

    /// The same, for this release.
    #[must_use]
    pub fn release(mut self, release: Release) -> Self {
        self.release = Some(release);
        self
    }

    /// The same, for one of these releases, which is inferred.
    #[must_use]
    pub fn among(mut self, releases: ReleaseBounds) -> Self {
        self.among = releases;
        self
    }

    /// The same, as strict as this profile.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The same, with this severity for a rule. `None` allows what the rule forbids.
    #[must_use]
    pub fn level(mut self, rule: &'static Rule, level: Option<Severity>) -> Self {
        self.levels.set(rule, level);
        self
    }

    /// The same, with these limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same, for the lines of one side only.
    #[must_use]
    pub fn side(mut self, side: Writer) -> Self {
        self.side = Some(side);
        self
    }

    /// The same, with excerpts that show payload text.
    #[must_use]
    pub fn show_values(mut self) -> Self {
        self.show_values = true;
        self
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

    /// Whether the user does not allow what the rule forbids.
    pub(crate) fn is_on(&self, rule: &'static Rule) -> bool {
        self.get(rule) != Some(None)
    }

    /// The severity set for a rule, if one was set.
    pub fn get(&self, rule: &'static Rule) -> Option<Option<Severity>> {
        self.0.get(rule.id).copied()
    }

    /// The severity of a violation, which without the user's would be `own`: what a rule allows by itself stays allowed.
    pub(crate) fn of(&self, rule: &'static Rule, own: Option<Severity>) -> Option<Severity> {
        self.get(rule).unwrap_or(own).filter(|_| own.is_some())
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
