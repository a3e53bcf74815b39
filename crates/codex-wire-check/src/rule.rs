//! Defines what a rule is.
//!
//! A rule is data: text, evidence, releases and default level. Each is declared with [`rules!`](crate::rule_macros) at
//! the end of the file that checks it, beside the types of its violations. [`rules`](crate::rules) lists
//! all of them, and the pages under `docs/rules` are generated from that list.

use std::fmt;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Protocol, Release};

use crate::severity::Severity;

/// Something that a transcript has to respect.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its stable name: `framing/…` for lines, `schema/…` for messages, `sequence/…` for order and
    /// pairing, `rpc/…` for requests and their answers, `hooks/…` for hooks, `with-rollout/…` for a stream and its session
    /// file, `home/…` for databases and session files.
    pub id: &'static str,
    /// The message sets it is about; empty: all.
    pub about: &'static [MessageSet],
    /// What it requires: a clause that starts in lower case and has no full stop.
    pub summary: &'static str,
    /// What its findings say, for each way to break it. What stands in braces is filled in.
    pub messages: &'static [&'static str],
    /// Why it matters, and how to read a finding.
    pub explanation: &'static str,
    /// How severe a violation is, unless an exception or the user says otherwise.
    pub level: Severity,
    /// The releases in which it is checked. Its ends are releases of the list of the protocol.
    pub releases: ReleaseBounds,
    /// Whether real Codex always respects it.
    pub status: Status,
    /// The releases in which real Codex breaks it.
    pub exceptions: &'static [Exception],
    /// How that is known: how many streams were checked, of which releases.
    pub evidence: &'static str,
}

/// Whether real Codex always respects a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Every recorded stream of its releases respects it.
    Holds,
    /// Most recorded streams respect it. The exceptions name the releases in which some do not.
    Advisory,
}

impl Status {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Advisory => "advisory",
        }
    }
}

/// Releases in which real Codex breaks a rule.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Exception {
    /// The releases.
    pub releases: ReleaseBounds,
    /// The kinds of item or message that break it; empty: all.
    pub of: &'static [&'static str],
    /// How severe a violation is in these releases; `None`: it is allowed.
    pub level: Option<Severity>,
    /// What was seen.
    pub seen: &'static str,
}

impl Exception {
    /// All releases may break the rule, which has that severity then.
    pub(crate) const fn everywhere(level: Severity, seen: &'static str) -> Self {
        Exception {
            releases: ReleaseBounds::ALWAYS,
            of: &[],
            level: Some(level),
            seen,
        }
    }
}

impl Rule {
    /// The defaults of the fields that an entry of `rules!` does not give.
    pub(crate) const BASE: Rule = Rule {
        id: "",
        about: &[],
        summary: "",
        messages: &[],
        explanation: "",
        level: Severity::Error,
        releases: ReleaseBounds::ALWAYS,
        status: Status::Holds,
        exceptions: &[],
        evidence: "",
    };

    /// A rule that another program checks, so that its findings can stand in the same report. It has
    /// no page.
    pub const fn of_program(
        id: &'static str,
        summary: &'static str,
        explanation: &'static str,
        level: Severity,
    ) -> Rule {
        Rule {
            id,
            summary,
            explanation,
            level,
            ..Rule::BASE
        }
    }

    /// The part of the name before the slash.
    pub fn group(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(group, _)| group)
    }

    /// The part of the name behind the slash.
    pub fn name(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(_, name)| name)
    }

    /// Whether it is about messages of that protocol.
    pub fn concerns(&self, protocol: Protocol) -> bool {
        match self.group() {
            // Databases are compared with session files.
            "home" => protocol == Protocol::Rollout,
            _ => self.about.is_empty() || self.about.iter().any(|s| s.protocol() == protocol),
        }
    }

    /// How severe a violation is in one release of the list; `None`: it is allowed, or the rule is
    /// not checked in that release. `of` is the kind of item or message that the violation is about,
    /// if it is about one.
    pub fn level_in(&self, release: Release, of: Option<&str>) -> Option<Severity> {
        if !self.releases.contains(release) {
            return None;
        }
        let is_known = |exception: &&Exception| {
            exception.releases.contains(release)
                && (exception.of.is_empty() || of.is_some_and(|of| exception.of.contains(&of)))
        };
        match self.exceptions.iter().find(is_known) {
            Some(exception) => exception.level,
            None => Some(self.level),
        }
    }

    /// The mildest level of a violation among several releases, one of which wrote the stream.
    pub fn level_among(
        &self,
        releases: impl IntoIterator<Item = Release>,
        of: Option<&str>,
    ) -> Option<Severity> {
        let levels = releases.into_iter().map(|r| self.level_in(r, of));
        levels.min().unwrap_or(Some(self.level))
    }

    /// Whether the severity depends on the release.
    pub(crate) fn varies(&self) -> bool {
        let is_milder = |exception: &Exception| exception.level != Some(self.level);
        self.releases != ReleaseBounds::ALWAYS || self.exceptions.iter().any(is_milder)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// The releases from one on.
pub(crate) const fn since(release: Release) -> ReleaseBounds {
    ReleaseBounds {
        since: Some(release),
        until: None,
    }
}

/// The releases up to one.
pub(crate) const fn until(release: Release) -> ReleaseBounds {
    ReleaseBounds {
        since: None,
        until: Some(release),
    }
}

/// The releases from one to another, both included.
pub(crate) const fn between(since: Release, until: Release) -> ReleaseBounds {
    ReleaseBounds {
        since: Some(since),
        until: Some(until),
    }
}

/// The release `0.minor.0`.
pub(crate) const fn v(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

/// The evidence of a rule about lines that no release breaks.
pub(crate) const NO_STREAM_BREAKS_IT: &str = "No recorded stream of any release breaks it.";

/// The evidence of a rule about messages that no release breaks.
pub(crate) const EVERY_MESSAGE_FITS: &str =
    "Every recorded message of every release fits the schema of its release.";

/// The rules of a file, or of the files of a folder.
pub(crate) enum Rules {
    File(&'static [&'static Rule]),
    Folder(&'static [&'static Rules]),
}

impl Rules {
    /// Adds all of them to a list.
    pub(crate) fn collect(&self, out: &mut Vec<&'static Rule>) {
        match self {
            Rules::File(rules) => out.extend(*rules),
            Rules::Folder(files) => files.iter().for_each(|file| file.collect(out)),
        }
    }
}
