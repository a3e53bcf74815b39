//! Names the types and definitions that the official schemas leave without a name.
//!
//! A name of upstream's stays as it is, however long. What has none is named, in this order:
//!
//! 1. a variant after its tag: `ReadOnlySandboxPolicy`;
//! 2. an object among several after the one member that only it requires:
//!    `GetConversationSummaryParamsByRolloutPath`;
//! 3. what changed after its releases: `FileChangeUntil0_58`.
//!
//! Where none of these gives a name, or the name is longer than [`LONGEST`], `model/names.toml` has
//! to say one. It is reviewed like source.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use codex_wire::Release;
use serde::Deserialize;

use crate::Error;
use crate::availability::Availability;

/// The number of characters a name of ours may have.
pub const LONGEST: usize = 40;

/// The table in the repository.
pub static NAMES: LazyLock<Result<Names, String>> =
    LazyLock::new(|| Names::parse(include_str!("../model/names.toml")));

/// The reviewed names.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Names {
    /// What stands for a part of a name that would be too long.
    #[serde(default)]
    parts: BTreeMap<String, String>,
    /// Whole names that follow from no rule, by what the rules would give.
    #[serde(default)]
    names: BTreeMap<String, String>,
    /// Objects among several, by definition and required members.
    #[serde(default)]
    objects: BTreeMap<String, String>,
}

/// The table.
///
/// # Errors
/// When it is malformed.
pub fn table() -> Result<&'static Names, Error> {
    NAMES.as_ref().map_err(|message| refused(message.clone()))
}

/// Two parts of a type that no rule tells apart.
pub(crate) fn unnamed(owner: &str, part: &str) -> Error {
    refused(format!("`{owner}`: {part} needs a name of its own"))
}

/// A name of ours that is too long.
pub(crate) fn long(name: &str) -> Error {
    refused(format!(
        "`{name}` has more than {LONGEST} characters: add a line for it, or for a part of it"
    ))
}

fn refused(message: String) -> Error {
    Error::table("names.toml", message)
}

impl Names {
    /// Reads `names.toml`.
    ///
    /// # Errors
    /// In words, when it is malformed.
    pub fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    /// The name for something that the rules call `name`: at most [`LONGEST`] characters if the table
    /// has what it takes.
    pub fn short(&self, name: &str) -> String {
        if let Some(name) = self.names.get(name) {
            return name.clone();
        }
        let mut short = name.to_owned();
        // The longest part comes first: it says most of what the name stands for.
        let mut parts: Vec<_> = self.parts.iter().collect();
        parts.sort_by_key(|(part, _)| (std::cmp::Reverse(part.len()), *part));
        for (part, instead) in parts {
            if short.len() > LONGEST {
                short = short.replacen(part.as_str(), instead, 1);
            }
        }
        short
    }

    /// As [`short`](Names::short).
    ///
    /// # Errors
    /// When the name is too long and the table does not shorten it.
    pub fn own(&self, name: &str) -> Result<String, Error> {
        let short = self.short(name);
        match short.len() > LONGEST {
            true => Err(long(name)),
            false => Ok(short),
        }
    }

    /// What a kind of type that a definition has in all its releases, beside another, is called.
    ///
    /// # Errors
    /// When the table does not say.
    pub fn form(&self, definition: &str, kind: &str) -> Result<String, Error> {
        let key = format!("{definition}: {kind}");
        let name = self.objects.get(&key).cloned();
        name.ok_or_else(|| refused(format!("`{key}` needs a line in `objects`")))
    }

    /// What tells objects of `definition` apart, from the members each of them requires.
    ///
    /// # Errors
    /// When no member is required by one of them alone, and the table has no name for it.
    pub fn objects(
        &self,
        definition: &str,
        required: &[BTreeSet<&str>],
    ) -> Result<Vec<String>, Error> {
        let name = |at: usize| {
            let set = &required[at];
            let list: Vec<&str> = set.iter().copied().collect();
            let key = format!("{definition}: {}", list.join(" "));
            if let Some(name) = self.objects.get(&key) {
                return Ok(name.clone());
            }
            let others = |member: &&&str| {
                let mut others = required.iter().enumerate();
                !others.any(|(other, set)| other != at && set.contains(**member))
            };
            match set.iter().filter(others).collect::<Vec<_>>()[..] {
                [only] => Ok(format!("By{}", crate::names::pascal(only))),
                _ => Err(refused(format!(
                    "`{key}` needs a line in `objects`: no member distinguishes it from the others"
                ))),
            }
        };
        (0..required.len()).map(name).collect()
    }

    /// The lines that name nothing of ours.
    pub fn idle<'n>(&self, used: impl Iterator<Item = &'n str>) -> Vec<String> {
        let used: BTreeSet<&str> = used.collect();
        let is_used = |name: &&String| used.contains(name.as_str());
        let names = self.names.values().filter(|name| !is_used(name));
        let parts = self.parts.values().filter(|part| {
            let part = part.as_str();
            !used.iter().any(|name| name.contains(part))
        });
        names.chain(parts).cloned().collect()
    }
}

/// What something is called after its releases, among those of its owner: `Until0_58`,
/// `Since0_59`, `From0_80To0_90`; `None` where it has the releases of its owner.
pub fn releases(availability: &Availability, owner: &Availability) -> Option<String> {
    let ((first, last), (begin, end)) = (availability.hull()?, owner.hull()?);
    match (first > begin, last < end) {
        (false, false) => None,
        (false, true) => Some(format!("Until{}", number(last))),
        (true, false) => Some(format!("Since{}", number(first))),
        (true, true) if first == last => Some(format!("In{}", number(first))),
        (true, true) => Some(format!("From{}To{}", number(first), number(last))),
    }
}

/// `0.58.0` as `0_58`, `0.146.1` as `0_146_1`.
fn number(release: Release) -> String {
    let text = release.to_string();
    text.strip_suffix(".0")
        .unwrap_or(&text)
        .replace(['.', '-'], "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::availability::Channels;

    fn availability(minors: &[u32]) -> Availability {
        let mut out = Availability::default();
        for minor in minors {
            out.extend(&Availability::once(
                Release::new(0, *minor, 0),
                Channels::BOTH,
            ));
        }
        out
    }

    #[test]
    fn what_changed_is_called_after_its_releases() {
        let owner = availability(&[58, 59, 60, 61]);
        let named = |minors| releases(&availability(minors), &owner);
        assert_eq!(named(&[58, 59]).as_deref(), Some("Until0_59"));
        assert_eq!(named(&[60, 61]).as_deref(), Some("Since0_60"));
        assert_eq!(named(&[59, 60]).as_deref(), Some("From0_59To0_60"));
        assert_eq!(named(&[60]).as_deref(), Some("In0_60"));
        assert_eq!(named(&[58, 61]), None);
        assert_eq!(number(Release::new(0, 146, 1)), "0_146_1");
    }

    #[test]
    fn objects_are_called_after_the_member_that_only_they_require() {
        let names = Names::parse("[objects]\n\"A: c d\" = \"ByLogin\"\n").unwrap();
        let sets = [["a", "b"].into(), ["a", "c"].into()];
        assert_eq!(names.objects("A", &sets).unwrap(), ["ByB", "ByC"]);
        let sets = [["a"].into(), ["c", "d"].into()];
        assert_eq!(names.objects("A", &sets).unwrap(), ["ByA", "ByLogin"]);
        let error = names.objects("B", &sets).unwrap_err().to_string();
        assert!(error.contains("`B: c d` needs a line"), "{error}");
        let error = names.objects("A", &[["a"].into(), ["a"].into()]);
        assert!(error.is_err());
    }

    #[test]
    fn long_names_need_a_line() {
        let long = "CommandExecutionApprovalDecisionAcceptForSession";
        let error = Names::default().own(long).unwrap_err().to_string();
        assert!(error.contains("more than 40 characters"), "{error}");
        let text = "[parts]\nCommandExecutionApprovalDecision = \"CommandDecision\"\n";
        let names = Names::parse(text).unwrap();
        assert_eq!(names.own(long).unwrap(), "CommandDecisionAcceptForSession");
        // What is short enough keeps its name.
        let short = "CommandExecutionApprovalDecision";
        assert_eq!(names.own(short).unwrap(), short);
        assert_eq!(names.idle(["Decision"].into_iter()), ["CommandDecision"]);
    }
}
