//! What a client has to expect of another release, and what of it breaks.

use codex_wire_base::{Protocol, Release};

use super::trial::ClientTrial;
use crate::behaviour::BehaviourDiff;
use crate::change::Verdict;
use crate::comparison::Comparison;

/// What a client has to expect of another release.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Upgrade {
    /// The release that the client uses.
    pub from: Release,
    /// The release that it is to use.
    pub to: Release,
    /// What changed in what recordings contain, by protocol; empty without recordings.
    pub recordings: Vec<UsedChanges>,
    /// What the releases do differently.
    pub behaviour: BehaviourDiff,
    /// What the client did with both, by scenario, if it was tried.
    pub client: Option<Vec<ClientTrial>>,
    /// The other changes of the schemas.
    pub rest: Vec<RestOfChanges>,
}

/// What changed in what recordings of one protocol contain.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UsedChanges {
    /// The name of the recordings.
    pub path: String,
    /// How many there are.
    pub inputs: usize,
    /// Their protocol.
    pub protocol: Protocol,
    /// How many messages they have.
    pub messages: u64,
    /// Of each that has lines that the older release does not write, the first one: nothing is known of what breaks there.
    pub unwritten: Vec<UnwrittenLine>,
    /// The changes.
    pub comparison: Comparison,
}

/// A recorded line that the older release does not write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnwrittenLine {
    /// The name of the recording.
    pub path: String,
    /// The number of the line.
    pub line: u64,
    /// Why the release does not write it.
    pub message: String,
}

impl UsedChanges {
    /// The changes in what as many inputs of a protocol, with so many messages, contain.
    pub fn new(
        path: impl Into<String>,
        protocol: Protocol,
        inputs: usize,
        messages: u64,
        comparison: Comparison,
    ) -> Self {
        UsedChanges {
            path: path.into(),
            inputs,
            protocol,
            messages,
            unwritten: Vec::new(),
            comparison,
        }
    }

    /// The same with the lines that the older release does not write, one of each recording that has some.
    #[must_use]
    pub fn unwritten(mut self, unwritten: Vec<UnwrittenLine>) -> Self {
        self.unwritten = unwritten;
        self
    }

    /// Whether one of the recordings is all of the older release, as far as is known.
    fn tells(&self) -> bool {
        self.unwritten.len() < self.inputs
    }
}

/// Whether a client can take the newer release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpgradeVerdict {
    /// A change breaks what the recordings use, or the client has a new failure.
    Breaks,
    /// Nothing is known to break. A change of behaviour may break a client, but does not say so.
    NothingBreaks,
    /// Nothing is known of the client: there are no recordings of it from the older release, and it did not run with the
    /// newer one, or fails there without a fault.
    CannotTell,
}

/// Changes of a protocol that are only counted: nothing is known to use what changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RestOfChanges {
    /// The protocol.
    pub protocol: Protocol,
    /// How many changes have which verdict, in the order of [`Verdict::ALL`].
    pub counts: [usize; Verdict::ALL.len()],
}

impl RestOfChanges {
    /// All changes of a comparison; those that it hides, if some are shown.
    pub fn of(protocol: Protocol, comparison: &Comparison, is_shown: bool) -> Self {
        let count = |verdict| match is_shown {
            true => comparison.hidden.count(verdict),
            false => comparison.count(verdict),
        };
        RestOfChanges {
            protocol,
            counts: Verdict::ALL.map(count),
        }
    }

    /// The counts in words: `3 breaking, 1 maybe`.
    pub fn sentence(&self) -> String {
        let counts = Verdict::ALL.iter().zip(self.counts);
        let counts = counts.filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        match counts.is_empty() {
            true => "no change".to_owned(),
            false => counts.join(", "),
        }
    }
}

impl Upgrade {
    /// What the releases do otherwise; without recordings, trials of the client and other changes.
    pub fn new(behaviour: BehaviourDiff) -> Self {
        Upgrade {
            from: behaviour.before,
            to: behaviour.after,
            recordings: Vec::new(),
            behaviour,
            client: None,
            rest: Vec::new(),
        }
    }

    /// How many changes break what the recordings use.
    pub fn broken_uses(&self) -> usize {
        let used = self.recordings.iter();
        used.map(|used| used.comparison.count(Verdict::Breaking))
            .sum()
    }

    /// How many failures the client has with the newer release only.
    pub fn new_failures(&self) -> usize {
        let trials = self.client.iter().flatten();
        trials.map(|trial| trial.new_failures().count()).sum()
    }

    /// Whether the client can take the newer release, as far as is known.
    pub fn verdict(&self) -> UpgradeVerdict {
        let mut trials = self.client.iter().flatten();
        if self.broken_uses() + self.new_failures() > 0 {
            UpgradeVerdict::Breaks
        } else if self.recordings.iter().any(UsedChanges::tells) || trials.any(ClientTrial::tells) {
            UpgradeVerdict::NothingBreaks
        } else {
            UpgradeVerdict::CannotTell
        }
    }

    /// The answer in one sentence.
    pub fn summary(&self) -> String {
        let mut out = Vec::new();
        match self.broken_uses() {
            0 => {}
            1 => out.push("1 change breaks what the recordings use".to_owned()),
            many => out.push(format!("{many} changes break what the recordings use")),
        }
        match self.new_failures() {
            0 => {}
            1 => out.push("the client has 1 new failure".to_owned()),
            many => out.push(format!("the client has {many} new failures")),
        }
        let Upgrade { from, to, .. } = self;
        let what = match self.verdict() {
            UpgradeVerdict::Breaks => out.join(", and "),
            UpgradeVerdict::NothingBreaks => "nothing is known to break".to_owned(),
            UpgradeVerdict::CannotTell => {
                format!(
                    "cannot tell whether your client breaks{}",
                    self.why_unknown()
                )
            }
        };
        format!("{from} → {to}: {what}")
    }

    /// Why it is not known whether a client breaks, and what would help.
    fn why_unknown(&self) -> String {
        let Upgrade { from, to, .. } = self;
        if !self.recordings.is_empty() {
            return format!(
                ", because each recording has lines that {from} does not write; name the release that wrote them (--from RELEASE)"
            );
        }
        match &self.client {
            None => "; add recordings of it (--recordings PATH) or the command that runs it (--client COMMAND)".to_owned(),
            Some(trials) if trials.iter().any(|trial| trial.after.is_tried()) => {
                ", because without a fault it works in no scenario; look at the command that runs it (--client COMMAND)".to_owned()
            }
            Some(_) => {
                format!(", because it did not run with {to}; add recordings of it (--recordings PATH)")
            }
        }
    }
}
