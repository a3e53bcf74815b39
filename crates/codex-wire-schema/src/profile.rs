//! How much a schema accepts beside what its release has.

use std::fmt;
use std::str::FromStr;

/// How strict a schema is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// What a client should accept: members, kinds and values that the release does not have are
    /// allowed. What it has is checked.
    #[default]
    Open,
    /// What the comparison of releases goes by, and what the checker by default reports no errors for:
    /// members that the release does not have are allowed, kinds and values are not. It is not published.
    Known,
    /// What the release writes: nothing else is allowed.
    Exact,
}

impl Profile {
    /// All profiles, from the most to the least that is accepted.
    pub const ALL: [Profile; 3] = [Profile::Open, Profile::Known, Profile::Exact];

    /// Those of which there are files.
    pub const PUBLISHED: [Profile; 2] = [Profile::Open, Profile::Exact];

    /// The name on the command line and in file names.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Open => "open",
            Profile::Known => "known",
            Profile::Exact => "exact",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no profile.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a profile; known: open, known, exact")]
pub struct ParseProfileError(String);

impl FromStr for Profile {
    type Err = ParseProfileError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Profile::ALL
            .into_iter()
            .find(|profile| profile.as_str() == text)
            .ok_or_else(|| ParseProfileError(text.to_owned()))
    }
}
