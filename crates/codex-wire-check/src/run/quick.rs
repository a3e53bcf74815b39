//! The short way: most lines are right, and a program sees that in one pass over their bytes.
//!
//! Which program that is, the first members of the line and the open requests let guess. What
//! the message turns out to be decides whether the guess was right. What is left open goes the
//! long way. Both ways say the same: a program accepts only what the long way finds nothing to
//! fault with.

use codex_wire::lines::Line;
use codex_wire_program::{Outline, View};

use super::{Run, Source};
use crate::checker::Checker;
use crate::finding::Writer;
use crate::form::Form;
use crate::head::Head;
use crate::options::Limits;
use crate::placement::Bits;
use crate::rpc::{Kind, Rpc};

/// That a program has accepted a line, and as what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    side: usize,
    /// The spans of which the newest writes such lines.
    by: Bits,
    /// Of an answer, the method of the request.
    answers: Option<&'static str>,
    /// Whether a key may stand there twice.
    pub(super) repeated: bool,
}

/// What has to be known of a stream to look at its lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    form: Option<Form>,
    possible: Bits,
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
        let text = str::from_utf8(line.bytes).ok()?;
        self.ask(checker, (text, None), None, outline)
            .map(|(_, accepted)| accepted)
    }
}

impl Run<'_> {
    /// What has to be known of the stream to look at its next lines.
    pub(crate) fn ahead(&self) -> Ahead {
        let is_plain =
            self.identity.is_none() && self.checker.options.limits.depth >= Limits::DEEPEST;
        Ahead {
            form: self.form.filter(|_| is_plain),
            possible: self.possible,
        }
    }

    /// The line, if a program accepts it.
    pub(super) fn quick<'a>(
        &self,
        source: &Source<'a>,
        outline: &'a mut Outline,
    ) -> Option<(View<'a>, Accepted)> {
        let rpc = (&self.rpc, self.life.connection);
        let source = (source.text, source.from);
        self.ahead().ask(self.checker, source, Some(rpc), outline)
    }

    /// Whether that was the right program to ask.
    pub(super) fn is_right(&self, accepted: &Accepted, side: Option<usize>) -> bool {
        let answer = self
            .call
            .as_ref()
            .filter(|call| call.kind == Kind::Response);
        side == Some(accepted.side)
            && self.is_of_now(accepted)
            && answer.and_then(|call| call.method) == accepted.answers
    }

    /// Whether a line would be held against the same still.
    fn is_of_now(&self, accepted: &Accepted) -> bool {
        self.possible.leading_zeros() == accepted.by.leading_zeros()
    }

    /// Checks a line of a plain log that a program has accepted before.
    pub(crate) fn looked_at(
        &mut self,
        line: &Line<'_>,
        accepted: Accepted,
        outline: &Outline,
    ) -> Option<String> {
        let text = str::from_utf8(line.bytes).ok();
        let (Some(text), true) = (text, self.is_of_now(&accepted)) else {
            return self.line(line, None);
        };
        self.lines += 1;
        self.life_line(line.number, line.offset, line.bytes.len() as u64);
        let source = Source {
            line: line.number,
            offset: line.offset,
            skipped: 0,
            text,
            ended: line.ended,
            from: None,
        };
        self.taken(&source, outline.view(text, accepted.repeated), accepted);
        self.is_hopeless()
    }
}
