//! Makes a checker from options; the checker turns an input into an [`Outcome`].

use std::io::BufRead;
use std::num::NonZeroUsize;
use std::sync::OnceLock;

use codex_wire_base::{Protocol, Release};
use codex_wire_schema::Profile;

use crate::finding::Severity;
use crate::form::{Form, Spec};
use crate::options::{Limits, Options};
use crate::outcome::Outcome;
use crate::pipeline;
use crate::rules::Rule;

/// Why a checker cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The release is older than everything this crate knows of the protocol.
    #[error("{release} is older than the {protocol} protocol, which begins at {first}")]
    ReleaseTooOld {
        /// The protocol.
        protocol: Protocol,
        /// The release that was asked for.
        release: Release,
        /// The first release that speaks the protocol.
        first: Release,
    },
    /// The release no longer speaks the protocol.
    #[error("{release} no longer speaks the {protocol} protocol, which ends with {last}")]
    ReleaseTooNew {
        /// The protocol.
        protocol: Protocol,
        /// The release that was asked for.
        release: Release,
        /// The last release that speaks the protocol.
        last: Release,
    },
}

/// Checks inputs against a release of a protocol, or against the releases each input tells of.
///
/// Making one is cheap, the schemas it judges by are compiled when first needed; it can be
/// shared between threads.
pub struct Checker {
    pub(crate) options: Options,
    /// The forms an input may have, by the options.
    pub(crate) forms: Vec<Form>,
    specs: [OnceLock<Spec>; Form::ALL.len()],
}

impl Checker {
    /// A checker with these options.
    ///
    /// # Errors
    /// When the release does not speak the protocol.
    pub fn new(mut options: Options) -> Result<Self, Error> {
        options.limits.depth = options.limits.depth.min(Limits::DEEPEST);
        let of_protocol = |form: &Form| options.protocol.is_none_or(|p| p == form.protocol());
        let speaks = |form: &Form| options.release.is_none_or(|release| form.speaks(release));
        let forms: Vec<Form> = Form::ALL
            .into_iter()
            .filter(|form| of_protocol(form) && speaks(form))
            .collect();
        if let (true, Some(release)) = (forms.is_empty(), options.release) {
            let protocol = options.protocol.unwrap_or(Protocol::Exec);
            let known = protocol.timeline();
            return Err(if release > known.latest() {
                Error::ReleaseTooNew {
                    protocol,
                    release,
                    last: known.latest(),
                }
            } else {
                let first = protocol
                    .surfaces()
                    .iter()
                    .map(|s| s.timeline().first())
                    .min();
                Error::ReleaseTooOld {
                    protocol,
                    release,
                    first: first.unwrap_or(known.first()),
                }
            });
        }
        Ok(Checker {
            options,
            forms,
            specs: Default::default(),
        })
    }

    /// Checks one input. `path` is its name in the outcome; nothing is opened.
    ///
    /// Reads to the end whatever is found on the way, with one line in memory at a time.
    pub fn check(&self, path: &str, input: impl BufRead) -> Outcome {
        self.check_on(NonZeroUsize::MIN, path, input)
    }

    /// Checks one input on several threads, this one among them, where it is long enough to be
    /// worth it. The outcome is that of [`Self::check`]. A few MiB of lines are in memory at a
    /// time, and one line that is longer.
    pub fn check_on(&self, threads: NonZeroUsize, path: &str, input: impl BufRead) -> Outcome {
        pipeline::check(self, threads.get(), path, input)
    }

    /// Another one with the same options, which shares nothing with this one.
    pub(crate) fn another(&self) -> Self {
        Checker {
            options: self.options.clone(),
            forms: self.forms.clone(),
            specs: Default::default(),
        }
    }

    pub(crate) fn spec(&self, form: Form) -> &Spec {
        self.specs[form as usize].get_or_init(|| Spec::new(form))
    }

    pub(crate) fn severity(&self, rule: &'static Rule, undeclared: bool) -> Option<Severity> {
        if let Some(level) = self.options.levels.get(rule) {
            return level;
        }
        if undeclared && self.options.profile == Profile::Open {
            return Some(Severity::Warning);
        }
        Some(rule.level)
    }
}
