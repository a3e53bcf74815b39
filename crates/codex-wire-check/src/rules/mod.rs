//! The registry of rules: the text, the evidence, the releases and the default level of each.
//!
//! Rules are data. The code that checks a rule names its entry here, and the pages under
//! `docs/rules` are generated from it. Every rule has two transcripts under `fixtures/rules`: one
//! respects it, one breaks it.
//!
//! To add a rule, add an entry to the list of its group (`frame.rs`, `shape.rs`, `app_server.rs`,
//! `life_….rs`). Then report it where it is checked; ARCHITECTURE.md names the files.

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
        &[crate::rules::Exception {
            releases: codex_wire_base::shape::Lifetime::ALWAYS,
            of: &[],
            level: Some(crate::finding::Severity::Warning),
            seen: "the counts are those of the model's service, which Codex passes on: a service \
                that counts otherwise was not recorded, and would not be Codex's fault",
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

mod app_server;
mod framing;
mod schema;
mod sequence_app_server;
mod sequence_app_server_items;
mod sequence_core;
mod sequence_exec;

use std::fmt;

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Protocol, Release, Surface};

use crate::finding::Severity;

pub use app_server::*;
pub use framing::*;
pub use schema::*;
pub use sequence_app_server::*;
pub use sequence_app_server_items::*;
pub use sequence_core::*;
pub use sequence_exec::*;

/// Something a transcript has to respect.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its stable name: `framing/…` for lines, `schema/…` for messages, `sequence/…` for order and
    /// pairing, `rpc/…` for requests and their answers.
    pub id: &'static str,
    /// The streams it is about; empty: all.
    pub about: &'static [Surface],
    /// What it demands, in one sentence.
    pub demands: &'static str,
    /// Why it matters, and how to read a finding.
    pub reading: &'static str,
    /// How severe a breach is by default, where no exception is known.
    pub level: Severity,
    /// The releases in which it is checked, in releases of the protocol's timeline.
    pub releases: Lifetime,
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
    pub releases: Lifetime,
    /// The kinds of item or message that break it; empty: all.
    pub of: &'static [&'static str],
    /// How severe a breach is there; `None`: it is none.
    pub level: Option<Severity>,
    /// What was seen.
    pub seen: &'static str,
}

impl Rule {
    /// What entries have in common.
    const BASE: Rule = Rule {
        id: "",
        about: &[],
        demands: "",
        reading: "",
        level: Severity::Error,
        releases: Lifetime::ALWAYS,
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

    /// How severe a breach is in one release of the timeline, for that kind of item or message
    /// where it is about one; `None` where it is no breach.
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

    /// How severe a breach is at least, if one of these releases wrote the stream.
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
        self.releases != Lifetime::ALWAYS || !self.exceptions.is_empty()
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

/// Declares the rules of a file: a static for each, and the list of them.
macro_rules! rules {
    ($($name:ident { demands: $demands:expr, $($field:ident: $value:expr),* $(,)? })*) => {
        $(
            #[doc = $demands]
            pub static $name: $crate::rules::Rule = $crate::rules::Rule {
                demands: $demands,
                $($field: $value,)*
                ..$crate::rules::Rule::BASE
            };
        )*

        /// The rules of this file, by name.
        pub(super) const ALL: &[&$crate::rules::Rule] = &[$(&$name),*];
    };
}
use rules;

/// The releases from one on.
const fn since(release: Release) -> Lifetime {
    Lifetime {
        since: Some(release),
        until: None,
    }
}

/// The releases up to one.
const fn until(release: Release) -> Lifetime {
    Lifetime {
        since: None,
        until: Some(release),
    }
}

/// The releases from one to another, both included.
const fn between(since: Release, until: Release) -> Lifetime {
    Lifetime {
        since: Some(since),
        until: Some(until),
    }
}

/// The release `0.minor.0`.
const fn v(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

const GROUPS: [&[&Rule]; 7] = [
    framing::ALL,
    schema::ALL,
    sequence_exec::ALL,
    sequence_core::ALL,
    sequence_app_server::ALL,
    sequence_app_server_items::ALL,
    app_server::ALL,
];

const COUNT: usize = {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

static JOINED: [&Rule; COUNT] = {
    let mut out = [GROUPS[0][0]; COUNT];
    let (mut at, mut group) = (0, 0);
    while group < GROUPS.len() {
        let mut index = 0;
        while index < GROUPS[group].len() {
            out[at] = GROUPS[group][index];
            at += 1;
            index += 1;
        }
        group += 1;
    }
    out
};

/// All rules: lines first, then messages, then order; by name within their group.
pub static RULES: &[&Rule] = &JOINED;

/// The rule of that name.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// The rule that had that name before 0.1.0, where it has another now.
pub fn renamed(id: &str) -> Option<&'static Rule> {
    const GROUPS: [(&str, &str); 3] = [
        ("frame", "framing"),
        ("life", "sequence"),
        ("shape", "schema"),
    ];
    const NAMES: [(&str, &str); 4] = [
        ("app-server-error-told", "app-server-error-reported"),
        ("app-server-head-missing", "app-server-truncated-start"),
        ("app-server-piece-unopened", "app-server-delta-unopened"),
        ("doubled-id", "duplicate-id"),
    ];
    let (group, name) = id.split_once('/')?;
    let (_, group) = GROUPS.iter().find(|(old, _)| *old == group)?;
    let new = NAMES.iter().find(|(old, _)| *old == name);
    find(&format!("{group}/{}", new.map_or(name, |(_, new)| new)))
}
