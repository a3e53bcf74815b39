//! Says what inputs were checked against: protocol, releases, schema.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::{Protocol, Release};
use codex_wire_check::{Outcome, SchemaUsed};
use sha2::{Digest, Sha256};

/// What an input was checked against.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CheckedAgainst {
    protocol: Protocol,
    since: Release,
    until: Release,
    identified: bool,
    /// The schemas with their digests, shortened.
    schemas: String,
    /// The message sets and the digests of their schemas.
    used: Vec<(&'static str, String)>,
}

impl CheckedAgainst {
    /// What this input was checked against, if it was.
    pub(crate) fn of(outcome: &Outcome) -> Option<Self> {
        let releases = outcome.releases?;
        Some(CheckedAgainst {
            protocol: outcome.protocol?,
            since: releases.since,
            until: releases.until,
            identified: outcome.identified,
            schemas: schemas(&outcome.schemas),
            used: outcome
                .schemas
                .iter()
                .map(|schema| (schema.message_set.as_str(), schema.sha256.clone()))
                .collect(),
        })
    }

    /// The protocol and the releases.
    pub(crate) fn releases(&self) -> String {
        let CheckedAgainst {
            protocol,
            since,
            until,
            ..
        } = self;
        if since == until {
            format!("{protocol} {since}")
        } else {
            format!("{protocol} {since} to {until}")
        }
    }

    /// The words before the releases: whether they were identified.
    pub(crate) fn how(&self) -> &'static str {
        if self.identified {
            "identified as"
        } else {
            "checked as"
        }
    }

    /// Whether the release was identified from the input.
    pub(crate) fn is_identified(&self) -> bool {
        self.identified
    }

    /// The schemas with their digests, as the end of a list: `, schema exec 862c65e68550`.
    pub(crate) fn schemas(&self) -> &str {
        &self.schemas
    }
}

/// How much of a digest is shown to people.
const SHORT: usize = 12;

fn schemas(used: &[SchemaUsed]) -> String {
    let named: Vec<String> = used
        .iter()
        .map(|schema| {
            let digest = schema.sha256.get(..SHORT).unwrap_or(&schema.sha256);
            format!("{} {digest}", schema.message_set)
        })
        .collect();
    match named.as_slice() {
        [] => String::new(),
        [one] => format!(", schema {one}"),
        several => format!(", schemas {}", several.join(", ")),
    }
}

/// Inputs by what they were checked against. There are few groups, even for many inputs.
#[derive(Default)]
pub(crate) struct Groups(BTreeMap<CheckedAgainst, Group>);

/// The inputs that were checked against the same.
pub(crate) struct Group {
    pub(crate) inputs: u64,
    /// The path of the first input, which is shown if it is the only one.
    pub(crate) first: String,
}

impl Groups {
    /// Counts an input.
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        let Some(against) = CheckedAgainst::of(outcome) else {
            return;
        };
        let group = self.0.entry(against).or_insert_with(|| Group {
            inputs: 0,
            first: outcome.path.clone(),
        });
        group.inputs += 1;
    }

    /// The schemas of all groups, as the end of a list. Of more than two only one digest is shown, that of
    /// all.
    pub(crate) fn schemas(&self) -> String {
        let used: BTreeSet<(&str, &str)> = self
            .0
            .keys()
            .flat_map(|against| &against.used)
            .map(|(message_set, digest)| (*message_set, &**digest))
            .collect();
        let short = |digest: &str| digest.get(..SHORT).unwrap_or(digest).to_owned();
        let names: Vec<String> = used
            .iter()
            .map(|(message_set, digest)| format!("{message_set} {}", short(digest)))
            .collect();
        match names.as_slice() {
            [] => String::new(),
            [one] => format!(", schema {one}"),
            [one, other] => format!(", schemas {one}, {other}"),
            many => {
                let mut all = Sha256::new();
                for (message_set, digest) in &used {
                    all.update(format!("{message_set} {digest}\n"));
                }
                let all: String = all.finalize().iter().map(|b| format!("{b:02x}")).collect();
                format!(", {} schemas {}", many.len(), short(&all))
            }
        }
    }

    /// The groups, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&CheckedAgainst, &Group)> {
        self.0.iter()
    }

    /// The only group, if there is exactly one.
    pub(crate) fn only(&self) -> Option<&CheckedAgainst> {
        let mut groups = self.0.keys();
        let first = groups.next();
        first.filter(|_| groups.next().is_none())
    }
}
