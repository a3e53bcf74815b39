//! Asks compiled schemas about lines.

use codex_wire_base::ReleaseSet;
use codex_wire_prefilter::{Tape, View};

use super::prefix::Prefix;
use crate::attribution::accepted::Accepted;
use crate::checker::Checker;
use crate::dialect::Dialect;
use crate::dialect::detect::DialectState;
use crate::dialect::json_rpc::Kind;
use crate::inference::state::ReleaseState;
use crate::line::Text;
use crate::options::Limits;
use crate::rpc::tracker::Rpc;

/// By how many ranges a line is tried before its releases are inferred, of those that have the same
/// to say of its kind one. Inference takes as long as two or three.
const MOST_RANGES: usize = 2;

/// What the fast path reads of the stages.
#[derive(Clone, Copy)]
pub(crate) struct FastPath<'s> {
    pub(crate) checker: &'s Checker,
    pub(crate) dialect: &'s DialectState,
    pub(crate) rpc: &'s Rpc,
    pub(crate) releases: &'s ReleaseState,
}

impl FastPath<'_> {
    /// Whether compiled schemas can check the input: they go as deep as can be, and do not show
    /// which release a line is of.
    pub(crate) fn is_on(&self) -> bool {
        self.is_allowed() && self.releases.identity.is_none()
    }

    fn is_allowed(&self) -> bool {
        let options = &self.checker.options;
        options.fast_path && options.limits.depth >= Limits::DEEPEST
    }

    /// The line, if a compiled schema accepts it.
    pub(crate) fn accept<'a>(
        &self,
        line: &Text<'a>,
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, Accepted)> {
        if self.releases.identity.is_some() {
            return self.tells_nothing(line, tape);
        }
        if !self.is_on() {
            return None;
        }
        let (dialect, possible) = match self.dialect.dialect {
            Some(dialect) => (dialect, self.releases.possible),
            None => self.at_the_start(line.text)?,
        };
        self.ask(dialect, possible, line, tape)
    }

    /// The line, if the newest of these releases of a dialect writes such lines.
    fn ask<'a>(
        &self,
        dialect: Dialect,
        by: ReleaseSet,
        line: &Text<'a>,
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, Accepted)> {
        let room = Tape::new();
        let prefix = Prefix::of(line.text, &room);
        let mut answers = None;
        let (side, tag) = match dialect {
            Dialect::Exec | Dialect::Rollout => (0, prefix.tag),
            Dialect::ExecLegacy | Dialect::RolloutEarly => (0, None),
            Dialect::Core => (usize::from(prefix.body == Some("op")), None),
            Dialect::AppServer => {
                let (from, connection) = (line.origin.stated_writer, line.origin.connection);
                let (message_set, method) = match prefix.kind() {
                    Kind::Response => self.rpc.guess(prefix.id?, from, connection)?,
                    kind => (prefix.message_set(kind, from)?, None),
                };
                answers = method;
                (dialect.side(message_set), method.or(prefix.method))
            }
            // They are short, and few.
            Dialect::Hooks | Dialect::Notify => return None,
        };
        let validators = self.checker.validators(dialect);
        let (view, is_repeated) = validators.accepts(side, by, tag, line.text, tape)?;
        let accepted = Accepted {
            dialect,
            side,
            by,
            answers,
            is_repeated,
        };
        Some((view, accepted))
    }

    /// The line, if it excludes no release, because each that it can be of by now writes such lines.
    fn tells_nothing<'a>(
        &self,
        line: &Text<'a>,
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, Accepted)> {
        let known = self.releases.identity.as_ref()?.known();
        if known.is_empty() || !self.is_allowed() || self.dialect.recognized == 0 {
            return None;
        }
        let dialect = self.dialect.dialect?;
        let newest = known.newest().map_or(ReleaseSet::EMPTY, ReleaseSet::one);
        let (view, accepted) = self.ask(dialect, newest, line, tape)?;
        let mut others = known & !newest;
        // Of a repeated tag it is not known which is meant.
        if accepted.is_repeated && known.len() > MOST_RANGES {
            return None;
        }
        if !accepted.is_repeated && !others.is_empty() {
            others = self.one_of_each(&accepted, view, known)? & !newest;
        }
        for place in others.places() {
            self.ask(dialect, ReleaseSet::one(place), line, &mut Tape::new())?;
        }
        let by = known;
        Some((view, Accepted { by, ..accepted }))
    }

    /// Of known ranges one of each that have the same to say of a message of its kind, if these are
    /// few.
    fn one_of_each(
        &self,
        accepted: &Accepted,
        view: View<'_>,
        known: ReleaseSet,
    ) -> Option<ReleaseSet> {
        let validators = self.checker.validators(accepted.dialect);
        let method = accepted.answers.or_else(|| view.get_str("method"));
        let equivalence = validators.equivalence(accepted.side, view, method);
        let (mut left, mut chosen) = (known, ReleaseSet::EMPTY);
        while let Some(newest) = left.newest() {
            if chosen.len() == MOST_RANGES {
                return None;
            }
            chosen |= ReleaseSet::one(newest);
            left &= !equivalence.of(newest);
        }
        Some(chosen)
    }

    /// The dialect of a stream whose first message this may be, and its releases.
    fn at_the_start(&self, text: &str) -> Option<(Dialect, ReleaseSet)> {
        let room = Tape::new();
        let prefix = Prefix::of(text, &room);
        let dialect = match (prefix.tag, prefix.kind()) {
            (Some(_), _) if prefix.is_timed => Dialect::Rollout,
            (Some(_), _) => Dialect::Exec,
            (None, Kind::Request | Kind::Notification) => Dialect::AppServer,
            (None, _) if matches!(prefix.body, Some("msg" | "op")) => Dialect::Core,
            (None, _) => return None,
        };
        let may_be = self.dialect.candidates().any(|other| other == dialect);
        may_be.then(|| {
            let ranges = self.checker.inference(dialect).ranges();
            (dialect, self.releases.at_first(ranges))
        })
    }
}
