//! Finds the release that a text names, in the lists of several message sets.

use std::cmp::Reverse;
use std::fmt;

use crate::protocol::{MessageSet, Protocol};
use crate::release::Release;
use crate::release_list::{LATEST, ResolveError, wanted};

/// A release that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamedRelease {
    /// The first of the message sets that has it.
    pub message_set: MessageSet,
    /// The release on the list of that message set.
    pub release: Release,
    /// What the listed release stands for, if it is not what the text names.
    pub stands_for: Option<StandsFor>,
}

/// What a listed release stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StandsFor {
    text: String,
    given: Option<Release>,
    /// Whether the text is only the beginning of a release.
    is_beginning: bool,
    listed: Release,
    latest: Release,
}

/// No message set has the release that a text names.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSuchRelease {
    /// The text is neither a release nor the name of a fork.
    #[error(
        "`{text}` is neither a release such as 0.44.0, 0.44 or latest, nor a known fork{}",
        fork_list(.forks)
    )]
    Unknown {
        /// What was given.
        text: String,
        /// The forks that there are.
        forks: Vec<&'static str>,
    },
    /// The text is a range where one release is asked for.
    #[error("`{text}` is a range of releases; give one release")]
    Range {
        /// What was given.
        text: String,
    },
    /// The first release of a range is newer than the last.
    #[error("`{text}` is a range without releases: {since} is newer than {until}")]
    EmptyRange {
        /// What was given.
        text: String,
        /// The first release.
        since: Release,
        /// The last release.
        until: Release,
    },
    /// The release no longer has what is asked for.
    #[error("{text} no longer has {what}")]
    Ended {
        /// What was given.
        text: String,
        /// The message set, or the protocol of several.
        what: String,
    },
    /// The release is older than the protocol.
    #[error("{text} is older than the {protocol} protocol, which begins at {first}")]
    TooOld {
        /// What was given.
        text: String,
        /// The protocol.
        protocol: Protocol,
        /// The first release that speaks the protocol.
        first: Release,
    },
    /// The release lies in a gap of the releases that speak the protocol: nothing is known of it.
    #[error("nothing is known of the {protocol} protocol in {text}")]
    InGap {
        /// What was given.
        text: String,
        /// The protocol.
        protocol: Protocol,
    },
    /// The release is older than all protocols that may be meant.
    #[error("{text} is older than every protocol: {}", begin_list(.protocols))]
    OlderThanAll {
        /// What was given.
        text: String,
        /// The protocols, each with its first release.
        protocols: Vec<(Protocol, Release)>,
    },
}

impl NamedRelease {
    /// Finds the release that a text names, in the first of some message sets that has it.
    ///
    /// ```
    /// use codex_wire_base::{NamedRelease, Protocol, Release};
    ///
    /// let found = NamedRelease::find(Protocol::Exec.message_sets(), "0.46.0")?;
    /// assert_eq!(found.release, Release::new(0, 45, 0));
    /// let remark = found.stands_for.expect("it is not listed").to_string();
    /// assert_eq!(remark, "0.46.0 is not listed; using 0.45.0, the release before it");
    /// # Ok::<(), codex_wire_base::NoSuchRelease>(())
    /// ```
    ///
    /// # Errors
    /// When none has it.
    pub fn find(message_sets: &[MessageSet], text: &str) -> Result<Self, NoSuchRelease> {
        let given = wanted(text);
        let mut failures = Vec::new();
        for message_set in message_sets {
            let list = message_set.release_list();
            let latest = list.latest();
            let gone = given.is_some_and(|given| given > latest && !message_set.is_current());
            match list.resolve(text) {
                Ok(_) if gone => {}
                Ok(listed) => {
                    let stands_for = (given != Some(listed) && text != LATEST).then(|| StandsFor {
                        text: text.to_owned(),
                        given,
                        is_beginning: text.parse::<Release>().is_err(),
                        listed,
                        latest,
                    });
                    return Ok(NamedRelease {
                        message_set: *message_set,
                        release: listed,
                        stands_for,
                    });
                }
                Err(error) => failures.push(error),
            }
        }
        Err(refusal(message_sets, text, &failures))
    }

    /// The same where the protocol is not known yet: a release that any protocol lists is itself.
    ///
    /// # Errors
    /// When no protocol has it.
    pub fn find_any(text: &str) -> Result<Self, NoSuchRelease> {
        // Of what begins so, the newest that any protocol lists.
        let Some(given) = wanted(text) else {
            return Self::find(MessageSet::ALL, text);
        };
        let is_beginning = text.parse::<Release>().is_err();
        let asked =
            |listed: &&Release| **listed == given || (is_beginning && listed.begins_as(given));
        let listed = Protocol::ALL.iter().filter_map(|protocol| {
            let listed = protocol.release_list().releases().iter().rfind(asked)?;
            Some((*listed, Reverse(*protocol)))
        });
        let Some((release, Reverse(protocol))) = listed.max() else {
            return Self::find(MessageSet::ALL, text);
        };
        Ok(NamedRelease {
            message_set: protocol.into(),
            release,
            stands_for: is_beginning.then(|| StandsFor {
                text: text.to_owned(),
                given: Some(given),
                is_beginning,
                listed: release,
                latest: protocol.release_list().latest(),
            }),
        })
    }
}

/// Why none of the message sets has the release. If the protocol is not stated, the text names none.
fn refusal(message_sets: &[MessageSet], text: &str, failures: &[ResolveError]) -> NoSuchRelease {
    let text = text.to_owned();
    if text.contains("..") {
        return NoSuchRelease::Range { text };
    }
    let first = |protocol: Protocol| {
        let of = message_sets.iter().filter(|s| s.protocol() == protocol);
        of.map(|message_set| message_set.release_list().first())
            .min()
    };
    let protocols = Protocol::ALL.iter().copied();
    let begins: Vec<(Protocol, Release)> = protocols
        .filter_map(|protocol| Some((protocol, first(protocol)?)))
        .collect();
    match (&begins[..], failures.last()) {
        (_, None) => NoSuchRelease::Ended {
            text,
            // A single message set is named itself: others of its protocol may have the release.
            what: match message_sets {
                [message_set] => message_set.to_string(),
                [first, ..] => first.protocol().to_string(),
                [] => "messages".to_owned(),
            },
        },
        ([(protocol, first)], Some(ResolveError::TooOld { release, .. })) if release >= first => {
            NoSuchRelease::InGap {
                text,
                protocol: *protocol,
            }
        }
        ([(protocol, first)], Some(ResolveError::TooOld { .. })) => NoSuchRelease::TooOld {
            text,
            protocol: *protocol,
            first: *first,
        },
        (_, Some(ResolveError::TooOld { .. })) => NoSuchRelease::OlderThanAll {
            text,
            protocols: begins,
        },
        (_, Some(ResolveError::Unknown { .. })) => {
            let mut forks: Vec<&str> = Vec::new();
            for point in message_sets.iter().flat_map(|s| s.release_list().points()) {
                if !forks.contains(&point.name) {
                    forks.push(point.name);
                }
            }
            NoSuchRelease::Unknown { text, forks }
        }
    }
}

fn fork_list(forks: &[&str]) -> String {
    match forks {
        [] => String::new(),
        forks => format!("; forks: {}", forks.join(", ")),
    }
}

fn begin_list(protocols: &[(Protocol, Release)]) -> String {
    let begins = protocols
        .iter()
        .map(|(protocol, first)| format!("{protocol} begins at {first}"));
    begins.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for StandsFor {
    /// A remark for the user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let StandsFor {
            text,
            given,
            is_beginning,
            listed,
            latest,
        } = self;
        match given {
            Some(given) if *is_beginning && listed.begins_as(*given) => {
                write!(
                    f,
                    "{text} is read as {listed}, the newest release of {text}"
                )
            }
            Some(given) if given > latest => write!(
                f,
                "{text} is newer than {latest}, the newest known release; using {latest}"
            ),
            Some(_) => write!(
                f,
                "{text} is not listed; using {listed}, the release before it"
            ),
            None => write!(f, "{text} has the protocol of {listed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The release that a text stands for, with the remark for the user.
    fn found(text: &str) -> String {
        match NamedRelease::find_any(text) {
            Ok(NamedRelease {
                release,
                stands_for,
                ..
            }) => match stands_for {
                Some(remark) => format!("{release} ({remark})"),
                None => release.to_string(),
            },
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_release_is_asked_for_in_several_ways() {
        for (text, expected) in [
            ("0.145.0", "0.145.0"),
            ("rust-v0.145.0", "0.145.0"),
            (
                "0.142",
                "0.142.5 (0.142 is read as 0.142.5, the newest release of 0.142)",
            ),
            (
                "v0.142",
                "0.142.5 (v0.142 is read as 0.142.5, the newest release of v0.142)",
            ),
            (
                "0.142.7",
                "0.142.5 (0.142.7 is not listed; using 0.142.5, the release before it)",
            ),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
        let latest = Protocol::Exec.release_list().latest();
        assert_eq!(found(LATEST), latest.to_string());
        for newer in ["0.999.0", "0.999", "999"] {
            let remark =
                format!("{newer} is newer than {latest}, the newest known release; using {latest}");
            assert_eq!(found(newer), format!("{latest} ({remark})"), "{newer}");
        }
        assert_eq!(
            found("0.140..0.150"),
            "`0.140..0.150` is a range of releases; give one release"
        );
        for bad in ["0.x", "", "0.1.2.3", "newest", "-1", "0."] {
            assert!(
                found(bad).starts_with(&format!("`{bad}` is neither a release")),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_release_in_a_gap_is_not_too_old() {
        for (text, expected) in [
            (
                "0.19.0",
                "0.19.0 is older than the rollout protocol, which begins at 0.20.0",
            ),
            (
                "0.30.0",
                "nothing is known of the rollout protocol in 0.30.0",
            ),
            ("0.33", "nothing is known of the rollout protocol in 0.33"),
        ] {
            let error = NamedRelease::find(Protocol::Rollout.message_sets(), text).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
