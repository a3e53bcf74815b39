//! The two parts of a protocol: what every client receives, and what a client has to opt into.

use std::fmt;
use std::str::FromStr;

/// Whether a schema includes the experimental API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stability {
    /// What every client receives.
    Stable,
    /// Also what only clients receive that opted into the experimental API.
    #[default]
    Experimental,
}

impl Stability {
    /// Both.
    pub const ALL: [Stability; 2] = [Stability::Stable, Stability::Experimental];

    /// The name on the command line and in file names.
    pub fn as_str(self) -> &'static str {
        match self {
            Stability::Stable => "stable",
            Stability::Experimental => "experimental",
        }
    }
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text names no stability.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a stability; known: stable, experimental")]
pub struct ParseStabilityError(String);

impl FromStr for Stability {
    type Err = ParseStabilityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Stability::ALL
            .into_iter()
            .find(|stability| stability.as_str() == text)
            .ok_or_else(|| ParseStabilityError(text.to_owned()))
    }
}
