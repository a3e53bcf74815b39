//! The content of `codex-wire.toml`.

use std::collections::BTreeMap;

use clap::builder::TypedValueParser;
use codex_wire_base::{MessageSet, NamedRange, NoSuchRelease};
use codex_wire_check::{Profile, Rule, Severity, rule_names};
use serde::Deserialize;

use crate::flags::values::profile;
use crate::inputs::Exclude;

/// Settings of `codex-wire check`. Paths are relative to the folder of the file; flags win over what it
/// says.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct ConfigFile {
    /// What is checked if the command line names no file or folder.
    #[serde(default)]
    pub(super) paths: Vec<String>,

    /// Files of folders and archives that are not read, as for `--exclude`.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<String>"))]
    pub(super) exclude: Vec<Pattern>,

    /// The release that wrote the transcripts, such as 0.125.0; inferred from each if not given.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) release: Option<ReleaseText>,

    /// How strict the check is, as for `--profile`.
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(super) profile: Option<ProfileName>,

    /// The level of rules, by a rule that `codex-wire rules` lists, a group such as `framing/*`, or `*`. A
    /// rule wins over its group, and a group over `*`.
    #[serde(default)]
    pub(super) levels: BTreeMap<Selection, Level>,

    /// A file with the findings that are expected. Its paths are relative to its folder.
    pub(super) baseline: Option<String>,
}

/// A pattern of paths.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Pattern(pub(super) Exclude);

impl TryFrom<String> for Pattern {
    type Error = codex_wire_inputs::Error;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Exclude::parse(&text).map(Pattern)
    }
}

/// A release or a range of releases, as `--release` takes them.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ReleaseText(pub(super) String);

impl TryFrom<String> for ReleaseText {
    type Error = NoSuchRelease;

    fn try_from(text: String) -> Result<Self, NoSuchRelease> {
        NamedRange::find(MessageSet::ALL, &text)?;
        Ok(ReleaseText(text))
    }
}

/// The name of a profile, as `--profile` takes it.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct ProfileName(pub(super) Profile);

impl TryFrom<String> for ProfileName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parser = profile();
        let names = || {
            let values = parser.possible_values().into_iter().flatten();
            values
                .map(|v| format!("`{}`", v.get_name()))
                .collect::<Vec<_>>()
        };
        let command = clap::Command::new("check");
        parser
            .parse_ref(&command, None, text.as_ref())
            .map(ProfileName)
            .map_err(|_| {
                format!(
                    "there is no profile `{text}`: write {}",
                    names().join(" or ")
                )
            })
    }
}

/// A rule, a group or all rules.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct Selection {
    /// How many rules the name could mean: all first, then groups. So they are in the order in which they
    /// are applied.
    rank: u8,
    name: String,
    pub(super) rules: Vec<&'static Rule>,
}

impl Selection {
    fn key(&self) -> (u8, &str) {
        (self.rank, &self.name)
    }
}

impl PartialEq for Selection {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Selection {}

impl PartialOrd for Selection {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Selection {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl TryFrom<String> for Selection {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        let rules = rule_names::select(&name).map_err(|error| format!("`{name}`: {error}"))?;
        let rank = match name.strip_suffix('*') {
            Some("") => 0,
            Some(_) => 1,
            None => 2,
        };
        Ok(Selection { rank, name, rules })
    }
}

#[cfg(test)]
impl schemars::JsonSchema for Selection {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Selection".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// What to do with findings of a rule, named as the flags are.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum Level {
    /// They fail the check.
    Deny,
    /// They are reported.
    Warn,
    /// The rule is not checked.
    Allow,
}

impl Level {
    /// The severity of its findings, if the rule is checked.
    pub(super) fn severity(self) -> Option<Severity> {
        match self {
            Level::Deny => Some(Severity::Error),
            Level::Warn => Some(Severity::Warning),
            Level::Allow => None,
        }
    }
}
