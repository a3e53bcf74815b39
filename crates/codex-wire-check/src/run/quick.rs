//! The fast path: most lines are valid, and a compiled schema shows that in one pass over their
//! bytes.
//!
//! Which compiled schema to run has to be guessed before the line is parsed, from its first members
//! and the open requests. Later steps find out what the message really is; if the guess was wrong,
//! the result is discarded. A line that is not accepted takes the slow path.
//!
//! Both paths find the same, and a test holds that over all transcripts, valid and mutated. For an
//! accepted line, three steps of the slow path are left out: the scan for duplicate keys (unless
//! the compiled schema says that a key may be repeated), release inference (if the release is
//! known), and validation. Later steps read the line through a view; a tree is made only if one of
//! them needs it.

use codex_wire_base::ReleaseSet;
use codex_wire_base::lines::Line;
use codex_wire_program::{Outline, View};

use super::{Run, Source, text_of};
use crate::checker::Checker;
use crate::finding::Writer;
use crate::form::{Form, Spec};
use crate::head::Head;
use crate::options::Limits;
use crate::place::Places;
use crate::rpc::{Kind, Rpc};

/// That a program has accepted a line, and as what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    form: Form,
    side: usize,
    /// The spans of which the newest writes such lines.
    by: ReleaseSet,
    /// Of an answer, the method of the request.
    answers: Option<&'static str>,
    /// Whether a key may stand there twice.
    pub(super) repeated: bool,
}

/// By how many spans a line is tried before it is weighed, of those that have the same to say of its
/// kind one. Weighing takes as long as two or three.
const MOST_SPANS: usize = 2;

/// What has to be known of a stream to look at its lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    form: Option<Form>,
    possible: ReleaseSet,
}

impl Ahead {
    /// The line, if a program accepts it. `rpc` knows which requests are open.
    fn ask<'a>(
        self,
        checker: &Checker,
        source: (&'a str, Option<Writer>),
        rpc: Option<(&Rpc, Option<u32>)>,
        outline: &'a mut Outline,
    ) -> Option<(View<'a>, Accepted)> {
        let (text, from) = source;
        let form = self.form?;
        let spec = checker.spec(form);
        let room = Outline::new();
        let head = Head::of(text, &room);
        let mut answers = None;
        let (side, tag) = match form {
            Form::Exec => (0, head.tag),
            Form::ExecLegacy => (0, None),
            Form::Core => (usize::from(head.body == Some("op")), None),
            Form::AppServer => {
                let (surface, asked) = match (head.kind(), rpc) {
                    (Kind::Response, None) => return None,
                    (Kind::Response, Some((rpc, connection))) => {
                        rpc.guess(&head, from, connection)?
                    }
                    (kind, _) => (head.surface(kind, from)?, None),
                };
                answers = asked;
                (spec.side(surface), asked.or(head.method))
            }
        };
        let (view, repeated) = spec.accepts(side, self.possible, tag, text, outline)?;
        let accepted = Accepted {
            form,
            side,
            by: self.possible,
            answers,
            repeated,
        };
        Some((view, accepted))
    }

    /// Looks at a line of a plain log before its turn has come.
    pub(crate) fn look(
        self,
        checker: &Checker,
        line: &Line<'_>,
        outline: &mut Outline,
    ) -> Option<Accepted> {
        if line.is_cut_off() || line.bytes.last() == Some(&b'\r') {
            return None;
        }
        let text = text_of(line.bytes).ok()?;
        self.ask(checker, (text, None), None, outline)
            .map(|(_, accepted)| accepted)
    }
}

impl Run<'_> {
    /// What has to be known of the stream to look at its next lines.
    pub(crate) fn ahead(&self) -> Ahead {
        Ahead {
            form: self.form.filter(|_| self.is_plain()),
            possible: self.possible,
        }
    }

    /// The line, if a program accepts it.
    pub(super) fn quick<'a>(
        &self,
        source: &Source<'a>,
        outline: &'a mut Outline,
    ) -> Option<(View<'a>, Accepted)> {
        let rpc = (&self.rpc, self.sequence.connection);
        let source = (source.text, source.from);
        if self.identity.is_some() {
            return self.tells_nothing(source, outline);
        }
        let mut ahead = self.ahead();
        if ahead.form.is_none() {
            ahead = self.at_the_head(source.0)?;
        }
        ahead.ask(self.checker, source, Some(rpc), outline)
    }

    /// The line, if it tells nothing of which release the input is of, because each that it can be
    /// of by now writes such lines.
    fn tells_nothing<'a>(
        &self,
        source: (&'a str, Option<Writer>),
        outline: &'a mut Outline,
    ) -> Option<(View<'a>, Accepted)> {
        let known = self.identity.as_ref()?.known();
        let can_be = self.checker.options.limits.depth >= Limits::DEEPEST && self.recognised > 0;
        if known.is_empty() || !can_be {
            return None;
        }
        let rpc = (&self.rpc, self.sequence.connection);
        let newest = known.newest().map_or(ReleaseSet::EMPTY, ReleaseSet::one);
        let of = |possible| Ahead {
            form: self.form,
            possible,
        };
        let (view, accepted) = of(newest).ask(self.checker, source, Some(rpc), outline)?;
        let mut others = known & !newest;
        if known.len() > MOST_SPANS {
            // Of what kind it is was told by one of the doubled keys.
            if accepted.repeated {
                return None;
            }
            others = self.one_of_each(&accepted, view, known)? & !newest;
        }
        for place in others.places() {
            of(ReleaseSet::one(place)).ask(self.checker, source, Some(rpc), &mut Outline::new())?;
        }
        let by = known;
        Some((view, Accepted { by, ..accepted }))
    }

    /// Of known spans one of each that have the same to say of a message of its kind, if these are
    /// few.
    fn one_of_each(
        &self,
        accepted: &Accepted,
        view: View<'_>,
        known: ReleaseSet,
    ) -> Option<ReleaseSet> {
        let spec = self.checker.spec(accepted.form);
        let method = accepted.answers.or_else(|| view.get_str("method"));
        let alike = spec.alike(accepted.side, view, method);
        let (mut left, mut asked) = (known, ReleaseSet::EMPTY);
        while let Some(newest) = left.newest() {
            if asked.len() == MOST_SPANS {
                return None;
            }
            asked |= ReleaseSet::one(newest);
            left &= !alike.of(newest);
        }
        Some(asked)
    }

    /// What is to be known of a stream whose first message this may be.
    fn at_the_head(&self, text: &str) -> Option<Ahead> {
        let room = Outline::new();
        let head = Head::of(text, &room);
        let form = match (head.tag, head.kind()) {
            (Some(_), _) => Form::Exec,
            (None, Kind::Request | Kind::Notification) => Form::AppServer,
            (None, _) if matches!(head.body, Some("msg" | "op")) => Form::Core,
            (None, _) => return None,
        };
        let may_be = self.is_plain() && self.form.is_none() && self.forms().any(|f| f == form);
        may_be.then(|| Ahead {
            form: Some(form),
            possible: self.at_first(self.checker.spec(form)),
        })
    }

    /// Whether a program is asked again, and accepts the message as what it turned out to be.
    pub(super) fn is_accepted(
        &self,
        source: &Source<'_>,
        spec: &Spec,
        side: Option<usize>,
    ) -> bool {
        // How deep it may be nested was looked at before.
        let (Some(side), true) = (side, self.identity.is_none()) else {
            return false;
        };
        let room = Outline::new();
        let tag = match &self.call {
            Some(call) => call.method,
            None => Head::of(source.text, &room).tag,
        };
        let mut outline = Outline::new();
        let accepted = spec.accepts(side, self.possible, tag, source.text, &mut outline);
        accepted.is_some()
    }

    /// Whether programs can judge the input.
    pub(super) fn is_plain(&self) -> bool {
        self.identity.is_none() && self.checker.options.limits.depth >= Limits::DEEPEST
    }

    /// Whether that was the right program to ask.
    pub(super) fn is_right(&self, accepted: &Accepted, side: Option<usize>) -> bool {
        self.is_right_one(accepted, side) && self.is_of_now(accepted)
    }

    /// Whether a message teaches nothing that a program of each release it can be of has accepted.
    pub(super) fn is_no_news(&self, accepted: &Accepted, side: Option<usize>) -> bool {
        let writer = self.writer.unwrap_or(Writer::Codex);
        let identity = self.identity.as_ref();
        self.is_right_one(accepted, side)
            && identity.is_some_and(|identity| identity.is_within(writer, accepted.by))
    }

    fn is_right_one(&self, accepted: &Accepted, side: Option<usize>) -> bool {
        let answer = self
            .call
            .as_ref()
            .filter(|call| call.kind == Kind::Response);
        self.form == Some(accepted.form)
            && side == Some(accepted.side)
            && answer.and_then(|call| call.method) == accepted.answers
    }

    /// Whether a line would be held against the same still.
    fn is_of_now(&self, accepted: &Accepted) -> bool {
        self.possible.newest() == accepted.by.newest()
    }

    /// Checks a line of a plain log that a program has accepted before.
    pub(crate) fn looked_at(
        &mut self,
        line: &Line<'_>,
        accepted: Accepted,
        outline: &Outline,
    ) -> Option<String> {
        if !self.is_of_now(&accepted) {
            return self.line(line, None);
        }
        self.lines += 1;
        self.life_line(line);
        if self.further_piece(line, None) {
            return self.is_hopeless();
        }
        // It was text when it was looked at.
        let Ok(text) = text_of(line.bytes) else {
            self.frame(line, None);
            return self.is_hopeless();
        };
        let source = Source {
            line: line.number,
            offset: line.offset,
            skipped: 0,
            skipped_characters: Some(0),
            text,
            ended: line.ended,
            from: None,
            places: Places::default(),
        };
        self.taken(&source, outline.view(text, accepted.repeated), accepted);
        self.is_hopeless()
    }
}
