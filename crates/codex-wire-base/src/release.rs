//! Release numbers and their order.

use std::fmt;
use std::str::FromStr;

/// A Codex release: `0.44.0`, or a pre-release such as `0.43.0-alpha.4`.
///
/// Ordered as semantic versions are: an alpha comes before its release.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    major: u32,
    minor: u32,
    patch: u32,
    /// The alpha's number; [`FINAL`] for a release proper, so that the derived order is right.
    alpha: u32,
}

const FINAL: u32 = u32::MAX;

impl Release {
    /// The release `major.minor.patch`.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Release {
            major,
            minor,
            patch,
            alpha: FINAL,
        }
    }

    /// The pre-release `major.minor.patch-alpha.number`.
    pub const fn alpha(major: u32, minor: u32, patch: u32, number: u32) -> Self {
        Release {
            major,
            minor,
            patch,
            alpha: number,
        }
    }

    /// The release in the user agent of an app-server: `client/0.169.0 (Debian 12.0.0; x86_64) …`. The name before the slash is
    /// that of the client, and can have a slash itself.
    pub fn in_user_agent(user_agent: &str) -> Option<Self> {
        let (program, _) = user_agent.split_once(" (").unwrap_or((user_agent, ""));
        program.rsplit_once('/')?.1.parse().ok()
    }

    /// The newest that begins with one or two parts of a release number: `0.44`, `v0.44`, `0`.
    pub(crate) fn newest_that_begins(text: &str) -> Option<Self> {
        let plain = text.strip_prefix("rust-").unwrap_or(text);
        let plain = plain.strip_prefix('v').unwrap_or(plain);
        let (major, minor) = match plain.split_once('.') {
            Some((major, minor)) => (digits(major)?, digits(minor)?),
            None => (digits(plain)?, FINAL),
        };
        Some(Release::new(major, minor, FINAL))
    }

    /// Whether it is of the line of releases that [`Self::newest_that_begins`] made this one for.
    pub(crate) fn begins_as(self, newest: Release) -> bool {
        self.major == newest.major && (newest.minor == FINAL || self.minor == newest.minor)
    }

    /// The middle number, for lists that are made when the crate is compiled.
    pub(crate) const fn minor(self) -> u32 {
        self.minor
    }

    /// Whether this is an alpha.
    pub fn is_prerelease(self) -> bool {
        self.alpha != FINAL
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)?;
        if self.is_prerelease() {
            write!(f, "-alpha.{}", self.alpha)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The text is not a release number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a release; write it like 0.44.0 or 0.43.0-alpha.4")]
pub struct ParseReleaseError(String);

impl FromStr for Release {
    type Err = ParseReleaseError;

    /// Reads `0.44.0`, and the spellings of tags: `v0.44.0`, `rust-v0.44.0`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let err = || ParseReleaseError(text.to_owned());
        let plain = text.strip_prefix("rust-").unwrap_or(text);
        let plain = plain.strip_prefix('v').unwrap_or(plain);
        let (numbers, alpha) = match plain.split_once("-alpha.") {
            Some((numbers, alpha)) => (numbers, digits(alpha).ok_or_else(err)?),
            None => (plain, FINAL),
        };
        let mut parts = numbers.split('.').map(digits);
        let mut next = || parts.next().flatten().ok_or_else(err);
        let (major, minor, patch) = (next()?, next()?, next()?);
        if parts.next().is_some() {
            return Err(err());
        }
        Ok(Release {
            major,
            minor,
            patch,
            alpha,
        })
    }
}

fn digits(text: &str) -> Option<u32> {
    (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
        .then(|| text.parse().ok())
        .flatten()
        .filter(|number| *number != FINAL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_semantic() {
        let parse = |s: &str| s.parse::<Release>().unwrap();
        let sorted = [
            "0.9.0",
            "0.42.0",
            "0.43.0-alpha.1",
            "0.43.0-alpha.4",
            "0.43.0",
            "0.44.0",
        ];
        for pair in sorted.windows(2) {
            assert!(parse(pair[0]) < parse(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn a_user_agent_has_a_release() {
        for (agent, release) in [
            (
                "codex_cli_rs/0.58.0 (Debian 12.0.0; x86_64) dumb (c; 1.0.0)",
                "0.58.0",
            ),
            ("my/client/0.98.0 (Debian 12.0.0; x86_64)", "0.98.0"),
            ("mine/0.98.0", "0.98.0"),
        ] {
            assert_eq!(
                Release::in_user_agent(agent),
                release.parse().ok(),
                "{agent}"
            );
        }
        for agent in [
            "client",
            "0.98.0",
            "client/ (Debian)",
            "client/next (0/0.98.0)",
        ] {
            assert_eq!(Release::in_user_agent(agent), None, "{agent}");
        }
    }

    #[test]
    fn spellings() {
        assert_eq!("rust-v0.44.0".parse(), Ok(Release::new(0, 44, 0)));
        assert_eq!("v0.44.0".parse(), Ok(Release::new(0, 44, 0)));
        assert_eq!(Release::alpha(0, 43, 0, 4).to_string(), "0.43.0-alpha.4");
        for bad in ["", "0.44", "0.44.0.1", "0.44.x", "0.43.0-beta.1", "+1.2.3"] {
            assert!(bad.parse::<Release>().is_err(), "{bad}");
        }
    }
}
