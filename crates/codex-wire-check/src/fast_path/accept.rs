//! Asks compiled schemas about lines.

use codex_wire_base::ReleaseSet;
use codex_wire_base::lines::Line;
use codex_wire_prefilter::{Tape, View};

use super::prefix::Prefix;
use crate::checker::{Checker, Spec};
use crate::dialect::Dialect;
use crate::dialect::detect::DialectState;
use crate::dialect::json_rpc::Kind;
use crate::framing::frame::text_of;
use crate::inference::state::ReleaseState;
use crate::line::LineContext;
use crate::options::Limits;
use crate::rpc::tracker::Rpc;
use crate::writer::Writer;

/// That a compiled schema has accepted a line, and as what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    dialect: Dialect,
    side: usize,
    /// The ranges of which the newest writes such lines.
    by: ReleaseSet,
    /// Of a response, the method of the request.
    answers: Option<&'static str>,
    /// Whether a key may stand there twice.
    pub(crate) repeated: bool,
}

/// By how many ranges a line is tried before its releases are inferred, of those that have the same
/// to say of its kind one. Inference takes as long as two or three.
const MOST_RANGES: usize = 2;

/// What has to be known of a stream to ask compiled schemas about its lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    dialect: Option<Dialect>,
    possible: ReleaseSet,
}

/// A line, and who wrote it if that is known.
type Source<'a> = (&'a str, Option<Writer>);

impl Ahead {
    /// The line, if a compiled schema accepts it. `rpc` knows which requests are open.
    fn ask<'a>(
        self,
        checker: &Checker,
        (text, from): Source<'a>,
        rpc: Option<(&Rpc, Option<u32>)>,
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, Accepted)> {
        let dialect = self.dialect?;
        let spec = checker.spec(dialect);
        let room = Tape::new();
        let prefix = Prefix::of(text, &room);
        let mut answers = None;
        let (side, tag) = match dialect {
            Dialect::Exec => (0, prefix.tag),
            Dialect::Rollout => (0, prefix.tag),
            Dialect::ExecLegacy | Dialect::RolloutEarly => (0, None),
            Dialect::Core => (usize::from(prefix.body == Some("op")), None),
            Dialect::AppServer => {
                let (message_set, method) = match (prefix.kind(), rpc) {
                    (Kind::Response, None) => return None,
                    (Kind::Response, Some((rpc, connection))) => {
                        rpc.guess(prefix.id?, from, connection)?
                    }
                    (kind, _) => (prefix.message_set(kind, from)?, None),
                };
                answers = method;
                (spec.ranges.side(message_set), method.or(prefix.method))
            }
            // They are short, and few.
            Dialect::Hooks | Dialect::Notify => return None,
        };
        let validators = &spec.validators;
        let (view, repeated) = validators.accepts(side, self.possible, tag, text, tape)?;
        let accepted = Accepted {
            dialect,
            side,
            by: self.possible,
            answers,
            repeated,
        };
        Some((view, accepted))
    }

    /// Examines a line of a plain log before its turn has come.
    pub(crate) fn scan(
        self,
        checker: &Checker,
        line: &Line<'_>,
        tape: &mut Tape,
    ) -> Option<Accepted> {
        if line.is_cut_off() || line.bytes.last() == Some(&b'\r') {
            return None;
        }
        let text = text_of(line.bytes).ok()?;
        self.ask(checker, (text, None), None, tape)
            .map(|(_, accepted)| accepted)
    }
}

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

    /// What has to be known of the stream to look at its next lines.
    pub(crate) fn ahead(&self) -> Ahead {
        Ahead {
            dialect: self.dialect.dialect.filter(|_| self.is_on()),
            possible: self.releases.possible,
        }
    }

    /// The line, if a compiled schema accepts it.
    pub(crate) fn accept<'a>(
        &self,
        context: &LineContext<'a>,
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, Accepted)> {
        let rpc = (self.rpc, context.connection);
        let source = (context.text, context.recorded);
        if self.releases.identity.is_some() {
            return self.tells_nothing(source, rpc, tape);
        }
        let mut ahead = self.ahead();
        if ahead.dialect.is_none() {
            ahead = self.at_the_start(source.0)?;
        }
        ahead.ask(self.checker, source, Some(rpc), tape)
    }

    /// The line, if it excludes no release, because each that it can be
    /// of by now writes such lines.
    fn tells_nothing<'a>(
        &self,
        source: Source<'a>,
        rpc: (&Rpc, Option<u32>),
        tape: &'a mut Tape,
    ) -> Option<(View<'a>, Accepted)> {
        let known = self.releases.identity.as_ref()?.known();
        if known.is_empty() || !self.is_allowed() || self.dialect.recognized == 0 {
            return None;
        }
        let newest = known.newest().map_or(ReleaseSet::EMPTY, ReleaseSet::one);
        let of = |possible| Ahead {
            dialect: self.dialect.dialect,
            possible,
        };
        let (view, accepted) = of(newest).ask(self.checker, source, Some(rpc), tape)?;
        let mut others = known & !newest;
        if known.len() > MOST_RANGES {
            // Its kind was taken from one of the duplicate keys.
            if accepted.repeated {
                return None;
            }
            others = self.one_of_each(&accepted, view, known)? & !newest;
        }
        for place in others.places() {
            of(ReleaseSet::one(place)).ask(self.checker, source, Some(rpc), &mut Tape::new())?;
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
        let spec = self.checker.spec(accepted.dialect);
        let method = accepted.answers.or_else(|| view.get_str("method"));
        let equivalence = spec.validators.equivalence(accepted.side, view, method);
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

    /// What is to be known of a stream whose first message this may be.
    fn at_the_start(&self, text: &str) -> Option<Ahead> {
        let room = Tape::new();
        let prefix = Prefix::of(text, &room);
        let dialect = match (prefix.tag, prefix.kind()) {
            (Some(_), _) if prefix.is_timed => Dialect::Rollout,
            (Some(_), _) => Dialect::Exec,
            (None, Kind::Request | Kind::Notification) => Dialect::AppServer,
            (None, _) if matches!(prefix.body, Some("msg" | "op")) => Dialect::Core,
            (None, _) => return None,
        };
        let may_be = self.is_on()
            && self.dialect.dialect.is_none()
            && self.dialect.candidates().any(|other| other == dialect);
        may_be.then(|| Ahead {
            dialect: Some(dialect),
            possible: self.releases.at_first(&self.checker.spec(dialect).ranges),
        })
    }

    /// Whether a compiled schema is asked again, and accepts the message as what it turned out to
    /// be, as one of these releases.
    pub(crate) fn accepts_as(
        &self,
        spec: &Spec,
        context: &LineContext<'_>,
        possible: ReleaseSet,
    ) -> bool {
        // How deep it may be nested was examined before.
        let is_on = self.checker.options.fast_path && self.releases.identity.is_none();
        let (Some(side), true, None) = (context.side, is_on, context.hook) else {
            return false;
        };
        let room = Tape::new();
        let tag = match &context.call {
            Some(call) => call.method,
            None => Prefix::of(context.text, &room).tag,
        };
        let mut tape = Tape::new();
        let validators = &spec.validators;
        let accepted = validators.accepts(side, possible, tag, context.text, &mut tape);
        accepted.is_some()
    }

    /// Whether that was the right compiled schema to ask.
    pub(crate) fn is_right(&self, accepted: &Accepted, context: &LineContext<'_>) -> bool {
        self.is_right_kind(accepted, context) && accepted.is_of_now(self.releases.possible)
    }

    /// Whether a message teaches nothing that a compiled schema of each release it can be of has
    /// accepted.
    pub(crate) fn is_no_news(&self, accepted: &Accepted, context: &LineContext<'_>) -> bool {
        let writer = context.writer.unwrap_or(Writer::Codex);
        let identity = self.releases.identity.as_ref();
        self.is_right_kind(accepted, context)
            && identity.is_some_and(|identity| identity.is_within(writer, accepted.by))
    }

    fn is_right_kind(&self, accepted: &Accepted, context: &LineContext<'_>) -> bool {
        let call = context.call.as_ref();
        let response = call.filter(|call| call.kind == Kind::Response);
        self.dialect.dialect == Some(accepted.dialect)
            && context.side == Some(accepted.side)
            && response.and_then(|call| call.method) == accepted.answers
    }
}

impl Accepted {
    /// Whether a line would be validated against the same still.
    pub(crate) fn is_of_now(&self, possible: ReleaseSet) -> bool {
        possible.newest() == self.by.newest()
    }
}
