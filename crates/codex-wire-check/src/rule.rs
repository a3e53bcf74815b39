//! Defines what a rule is, and the macro that declares rules.
//!
//! Rules are data: text, evidence, releases and default level. Each is declared beside the code that
//! checks it; [`rules`](crate::rules) lists all of them, and the pages under `docs/rules` are
//! generated from that list.

use std::fmt;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{MessageSet, Protocol, Release};

use crate::severity::Severity;

/// Something a transcript has to respect.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its stable name: `framing/…` for lines, `schema/…` for messages, `sequence/…` for order and
    /// pairing, `rpc/…` for requests and their answers.
    pub id: &'static str,
    /// The streams it is about; empty: all.
    pub about: &'static [MessageSet],
    /// What it requires, as a clause without its full stop.
    pub summary: &'static str,
    /// Why it matters, and how to read a finding.
    pub explanation: &'static str,
    /// How severe a violation is by default, where no exception is known.
    pub level: Severity,
    /// The releases in which it is checked, in releases listed for the protocol.
    pub releases: ReleaseBounds,
    /// Whether real streams always respect it.
    pub status: Status,
    /// Where real streams were seen to break it.
    pub exceptions: &'static [Exception],
    /// How that is known: which releases, how many streams.
    pub evidence: &'static str,
}

/// Whether real streams always respect a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Every recorded stream of the releases it is about does.
    Holds,
    /// Most do. Exceptions say in which releases some do not.
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

/// Releases of which real streams break a rule.
#[derive(Clone, Copy, Debug)]
pub struct Exception {
    /// The releases.
    pub releases: ReleaseBounds,
    /// The kinds of item or message that break it; empty: all.
    pub of: &'static [&'static str],
    /// How severe a violation is there; `None`: it is allowed.
    pub level: Option<Severity>,
    /// What was seen.
    pub seen: &'static str,
}

impl Rule {
    /// What entries have in common.
    pub(crate) const BASE: Rule = Rule {
        id: "",
        about: &[],
        summary: "",
        explanation: "",
        level: Severity::Error,
        releases: ReleaseBounds::ALWAYS,
        status: Status::Holds,
        exceptions: &[],
        evidence: "",
    };

    /// The part of the name before the slash.
    pub fn group(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(group, _)| group)
    }

    /// The part of the name behind the slash.
    pub fn name(&self) -> &'static str {
        self.id.split_once('/').map_or(self.id, |(_, name)| name)
    }

    /// Whether it is about streams of that protocol.
    pub fn concerns(&self, protocol: Protocol) -> bool {
        self.about.is_empty() || self.about.iter().any(|s| s.protocol() == protocol)
    }

    /// How severe a violation is in one listed release, for that kind of item or message
    /// where it is about one; `None` where it is allowed.
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

    /// How severe a violation is at least, if one of these releases wrote the stream.
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
        self.releases != ReleaseBounds::ALWAYS || !self.exceptions.is_empty()
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

/// What is known of rules about lines that no release is known to break.
pub(crate) const NO_STREAM_BREAKS_IT: &str = "No recorded stream of any release breaks it.";

/// What is known of rules about messages that no release is known to break.
pub(crate) const EVERY_MESSAGE_FITS: &str =
    "Every recorded message of every release fits the schema of its release.";

/// Declares the rules of a file: a static for each, and the list of them.
macro_rules! rules {
    ($($name:ident { summary: $summary:expr, $($field:ident: $value:expr),* $(,)? })*) => {
        $(
            #[doc = $summary]
            pub static $name: $crate::rule::Rule = $crate::rule::Rule {
                summary: $summary,
                $($field: $value,)*
                ..$crate::rule::Rule::BASE
            };
        )*

        /// The rules of this file.
        #[cfg(test)]
        pub(crate) const ALL: &[&$crate::rule::Rule] = &[$(&$name),*];
    };
}

/// What the rules of the app-server were held against.
macro_rules! connections {
    ($text:literal) => {
        concat!(
            "Checked on 1,673 recorded connections of 15 releases from 0.58.0 to 0.169.0. ",
            $text
        )
    };
}

/// How severe a count of tokens is that is more than the one it is part of. The entry is whole
/// but for its name and what it is about.
macro_rules! parts_of_tokens {
    () => {
        &[$crate::rule::Exception {
            releases: codex_wire_base::shape::ReleaseBounds::ALWAYS,
            of: &[],
            level: Some($crate::severity::Severity::Warning),
            seen: "Codex copies the counts from the model service. If a service counts in another \
                way, that is not an error of Codex; no such service was recorded",
        }]
    };
}

/// What the newer rules of the app-server were held against.
macro_rules! connected {
    ($text:literal) => {
        concat!(
            "Checked on 663 recorded connections of 24 releases from 0.44.0 to 0.169.0. ",
            $text
        )
    };
}

pub(crate) use {connected, connections, parts_of_tokens, rules};
