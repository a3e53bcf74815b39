//! Defines what is known of an input: protocol, dialect, releases, and the evidence.

use std::fmt;

use codex_wire_base::{Protocol, Release, ReleaseSet};

use crate::dialect::Dialect;
use crate::dialect::ranges::Ranges;
use codex_wire_base::ReleaseRange;

/// What can be said of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It is one stream, or a recording of one conversation, which some release could have
    /// written.
    Identified,
    /// It holds messages that no single release of one protocol writes.
    Mixed,
    /// It is empty, something else, or nothing that can be told.
    #[default]
    Unknown,
}

impl Kind {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Identified => "identified",
            Kind::Mixed => "mixed",
            Kind::Unknown => "unknown",
        }
    }
}

/// A dialect of a protocol, as a reader would have to tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StreamDialect {
    /// `codex exec --json` from 0.44.0 on: `thread.started`, items with a `type`.
    Exec,
    /// `codex exec --experimental-json` of 0.42.0 and 0.43.0: `session.created` at first, items
    /// with an `item_type`.
    ExecEarly,
    /// `codex exec --json` up to 0.42.0: two header lines, then core events.
    ExecLegacy,
    /// The queues of `codex proto`.
    Core,
    /// The JSON-RPC of `codex app-server`.
    AppServer,
    /// Session files from 0.34.0 on: lines with a timestamp, a type and a payload.
    Rollout,
    /// Session files up to 0.29.0: a header, then bare items.
    RolloutEarly,
    /// What hooks read and print.
    Hooks,
    /// What the `notify` program gets.
    Notify,
}

impl StreamDialect {
    /// The name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            StreamDialect::Exec => "exec",
            StreamDialect::ExecEarly => "exec-early",
            StreamDialect::ExecLegacy => "exec-legacy",
            StreamDialect::Core => "core",
            StreamDialect::AppServer => "app-server",
            StreamDialect::Rollout => "rollout",
            StreamDialect::RolloutEarly => "rollout-early",
            StreamDialect::Hooks => "hooks",
            StreamDialect::Notify => "notify",
        }
    }

    /// What writes it, in words.
    pub fn about(self) -> &'static str {
        match self {
            StreamDialect::Exec => "`codex exec --json`",
            StreamDialect::ExecEarly => "the early form of `codex exec --experimental-json`",
            StreamDialect::ExecLegacy => "the legacy form of `codex exec --json`",
            StreamDialect::Core => "`codex proto`",
            StreamDialect::AppServer => "`codex app-server`",
            StreamDialect::Rollout => "a session file",
            StreamDialect::RolloutEarly => "the early form of a session file",
            StreamDialect::Hooks => "hooks",
            StreamDialect::Notify => "the `notify` program",
        }
    }

    /// The dialect by the newest release that could have written it.
    pub(crate) fn of(dialect: Dialect, newest: Release) -> Self {
        match dialect {
            Dialect::Exec if newest < Release::new(0, 44, 0) => StreamDialect::ExecEarly,
            Dialect::Exec => StreamDialect::Exec,
            Dialect::ExecLegacy => StreamDialect::ExecLegacy,
            Dialect::Core => StreamDialect::Core,
            Dialect::AppServer => StreamDialect::AppServer,
            Dialect::Rollout => StreamDialect::Rollout,
            Dialect::RolloutEarly => StreamDialect::RolloutEarly,
            Dialect::Hooks => StreamDialect::Hooks,
            Dialect::Notify => StreamDialect::Notify,
        }
    }
}

/// Releases of one protocol: often a range, sometimes one with gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Releases {
    /// The ranges: found, oldest first.
    pub ranges: Vec<ReleaseRange>,
    /// How many of the known releases that are.
    pub count: usize,
    /// Whether the oldest release that speaks the protocol is among them.
    from_first: bool,
    /// Whether the newest one is, and releases to come may be.
    to_come: bool,
}

impl Releases {
    pub(crate) fn of(ranges: &Ranges, bits: ReleaseSet) -> Self {
        let release_list = ranges.dialect.release_list();
        let mut found: Vec<ReleaseRange> = Vec::new();
        let mut follows = false;
        for (index, range) in ranges.ranges.iter().enumerate() {
            let is_in = bits.contains(index);
            match found.last_mut() {
                Some(last) if is_in && follows => last.until = range.until,
                _ if is_in => found.push(*range),
                _ => {}
            }
            follows = is_in;
        }
        let contains = |release: &&Release| {
            let mut within = found.iter();
            within.any(|range| range.contains(**release))
        };
        let count = release_list.releases().iter().filter(contains).count();
        let is_current = ranges.dialect.message_sets()[0].is_current();
        let first = found.first().map(|range| range.since);
        let last = found.last().map(|range| range.until);
        Releases {
            count,
            from_first: first == Some(release_list.first()),
            to_come: is_current && last == Some(release_list.latest()),
            ranges: found,
        }
    }

    /// One release, that of the list of releases.
    pub(crate) fn only(ranges: &Ranges, release: Release) -> Self {
        let release_list = ranges.dialect.release_list();
        let release = release_list.floor(release).unwrap_or(release_list.first());
        Releases {
            ranges: vec![ReleaseRange {
                since: release,
                until: release,
            }],
            count: 1,
            from_first: false,
            to_come: false,
        }
    }

    /// Whether a release, a listed one, is among them.
    pub fn contains(&self, release: Release) -> bool {
        let mut within = self.ranges.iter();
        within.any(|range| range.contains(release))
    }
}

impl fmt::Display for Releases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.ranges.len().saturating_sub(1);
        for (index, range) in self.ranges.iter().enumerate() {
            if index > 0 {
                f.write_str(" or ")?;
            }
            let begins = index == 0 && self.from_first;
            let goes_on = index == last && self.to_come;
            match (begins, goes_on) {
                (true, true) => f.write_str("every release")?,
                (_, true) if range.since == range.until => range.fmt(f)?,
                (_, true) => write!(f, "{} or later", range.since)?,
                (true, _) if range.since != range.until => write!(f, "{} or earlier", range.until)?,
                _ => range.fmt(f)?,
            }
        }
        Ok(())
    }
}

/// A part of the input that told something of the releases.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Evidence {
    /// The line, from 1.
    pub line: u64,
    /// Which message of the input it is, from 1.
    pub message: u64,
    /// The place within the message as a JSON Pointer; where a member is missing, its place if
    /// it were there.
    pub pointer: String,
    /// What tells, in a few words: "`status` is `declined`". Holds no payload text.
    pub what: String,
    /// The releases that write it so.
    pub releases: Releases,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.releases)
    }
}

/// Lines of a sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// How many there are.
    pub count: u64,
    /// The number of the first.
    pub first: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, line: u64) {
        if self.count == 0 {
            self.first = line;
        }
        self.count += 1;
    }

    pub(crate) fn some(self) -> Option<Self> {
        (self.count > 0).then_some(self)
    }
}

/// What a recording says of itself, which is not taken for granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claim {
    /// The protocol it names.
    pub protocol: Option<String>,
    /// The release it names.
    pub release: Option<String>,
    /// Whether the messages fit that; `None` where it names nothing this crate knows.
    pub holds: Option<bool>,
}

/// Lines of a session file that follow each other, and that one release could have written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineRun {
    /// The number of the first line, from 1.
    pub since: u64,
    /// The number of the last line; `None`: the last one of the file.
    pub until: Option<u64>,
    /// The releases that could have written all of them.
    pub releases: Releases,
}

/// What is known of an input.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Identification {
    /// What can be said of it.
    pub kind: Kind,
    /// The protocol, if it is known.
    pub protocol: Option<Protocol>,
    /// Its dialect.
    pub dialect: Option<StreamDialect>,
    /// The releases that could have written what Codex wrote of it; where it holds only what the
    /// client wrote, those that read it. Of a mixed input those of its beginning.
    pub releases: Option<Releases>,
    /// What told, in the order of the input: no more than is needed to tell.
    pub evidence: Vec<Evidence>,
    /// What a recording says of itself.
    pub claim: Option<Claim>,
    /// How many messages it holds: lines that are JSON objects.
    pub messages: u64,
    /// Lines that hold no message of any protocol, blank ones aside.
    pub unrecognized: Option<Tally>,
    /// Messages that no release writes as they are.
    pub unmatched: Option<Tally>,
    /// Why it is mixed or unknown, in one sentence without a full stop.
    pub reason: Option<String>,
    /// The release that a session file names as the one that created it (`cli_version`). It need not
    /// have written every line.
    pub created_by: Option<Release>,
    /// The runs of lines of a session file that several releases wrote; otherwise none. `releases`
    /// and `evidence` are those of the last run then.
    pub runs: Vec<LineRun>,
    /// Whether it has lines, of which none is a message of Codex or its client: it is not a transcript.
    pub foreign: bool,
}

impl fmt::Display for Identification {
    /// In one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason.as_deref().unwrap_or("nothing can be told");
        match (self.kind, self.protocol, self.dialect, &self.releases) {
            (Kind::Identified, Some(protocol), Some(dialect), Some(releases)) => {
                write!(f, "{protocol}, {releases} ({})", dialect.about())
            }
            (Kind::Mixed, ..) => write!(f, "mixed: {reason}"),
            _ => f.write_str(reason),
        }
    }
}
