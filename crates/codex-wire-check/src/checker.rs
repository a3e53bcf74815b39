//! Makes a checker from options: what its inputs are checked against.

use std::fmt;

use codex_wire_base::Protocol;

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
    /// When the release does not speak the protocol.
    pub fn new(mut options: Options) -> Result<Self, Error> {
        options.limits.depth = options.limits.depth.min(Limits::DEEPEST);
        let of_protocol =
            |dialect: &Dialect| options.protocol.is_none_or(|p| p == dialect.protocol());
        let speaks = |dialect: &Dialect| {
            options
                .release
                .is_none_or(|release| dialect.speaks(release))
        };
        let dialects: Vec<Dialect> = Dialect::ALL
            .into_iter()
            .filter(|dialect| of_protocol(dialect) && speaks(dialect))
            .collect();
        if let (true, Some(release)) = (dialects.is_empty(), options.release) {
            let protocol = options.protocol.unwrap_or(Protocol::Exec);
            let known = protocol.release_list();
            return Err(if release > known.latest() {
                Error::ReleaseTooNew {
                    protocol,
                    release,
                    last: known.latest(),
                }
            } else {
                let first = protocol
                    .message_sets()
                    .iter()
                    .map(|s| s.release_list().first())
                    .min();
                Error::ReleaseTooOld {
                    protocol,
                    release,
                    first: first.unwrap_or(known.first()),
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
