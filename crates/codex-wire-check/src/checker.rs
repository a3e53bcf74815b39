//! Makes a checker from options: what its inputs are checked against.

use std::fmt;

use codex_wire_base::{Protocol, ReleaseBounds, ReleaseList};

use crate::dialect::Dialect;
use crate::error::Error;
use crate::inference::releases::{Inference, Inferences};
use crate::options::{Limits, Options};
use crate::validation::validators::{AllValidators, Validators};

/// Checks inputs against a release of a protocol. Without a stated release it infers the release of
/// each input.
///
/// A checker is cheap to make: it compiles schemas when they are first needed. Threads can share it.
pub struct Checker {
    pub(crate) options: Options,
    /// The dialects an input may have, by the options.
    pub(crate) dialects: Vec<Dialect>,
    pub(crate) inferences: Inferences,
    pub(crate) validators: AllValidators,
}

impl fmt::Debug for Checker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Checker");
        out.field("options", &self.options).finish_non_exhaustive()
    }
}

impl Checker {
    /// A checker with these options.
    ///
    /// # Errors
    /// When the release, or no release of the range, speaks the protocol.
    pub fn new(mut options: Options) -> Result<Self, Error> {
        options.limits.depth = options.limits.depth.min(Limits::DEEPEST);
        let of_protocol =
            |dialect: &Dialect| options.protocol.is_none_or(|p| p == dialect.protocol());
        let asked = match options.release {
            None => options.among,
            release => ReleaseBounds {
                since: release,
                until: release,
            },
        };
        let dialects: Vec<Dialect> = Dialect::ALL
            .into_iter()
            .filter(|dialect| of_protocol(dialect) && dialect.is_spoken_in(asked))
            .collect();
        if dialects.is_empty() {
            let protocol = options.protocol.unwrap_or(Protocol::Exec);
            let known = protocol.release_list();
            let last = known.latest();
            return Err(match asked.since.filter(|since| *since > last) {
                Some(release) => Error::ReleaseTooNew {
                    protocol,
                    release,
                    last,
                },
                None => {
                    let lists = protocol.message_sets().iter().map(|s| s.release_list());
                    let first = lists.map(ReleaseList::first).min();
                    let first = first.unwrap_or(known.first());
                    let release = asked.until.unwrap_or(first);
                    match release < first {
                        true => Error::ReleaseTooOld {
                            protocol,
                            release,
                            first,
                        },
                        false => Error::ReleaseInGap { protocol, release },
                    }
                }
            });
        }
        Ok(Checker {
            validators: AllValidators::new(options.profile),
            options,
            dialects,
            inferences: Inferences::default(),
        })
    }

    /// What infers the releases of the messages of a dialect.
    pub(crate) fn inference(&self, dialect: Dialect) -> &Inference {
        self.inferences.of(dialect)
    }

    /// What the messages of a dialect are validated by.
    pub(crate) fn validators(&self, dialect: Dialect) -> &Validators {
        self.validators.of(dialect, &self.inferences)
    }
}

#[cfg(test)]
mod tests {
    use codex_wire_base::Release;

    use super::*;

    #[test]
    fn a_release_in_a_gap_is_not_too_old() {
        for (release, expected) in [
            (
                Release::new(0, 19, 0),
                "0.19.0 is older than the rollout protocol, which begins at 0.20.0",
            ),
            (
                Release::new(0, 31, 0),
                "nothing is known of the rollout protocol in 0.31.0",
            ),
        ] {
            let options = Options::exact(Protocol::Rollout, release);
            let error = Checker::new(options).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }
}
