//! The state of a session file: one part for each concern.

use super::calls::Calls;
use super::copies::Copies;
use super::early::Early;
use super::header::Header;
use super::line::RolloutLine;
use super::texts::Texts;
use super::tokens::Tokens;
use super::turns::Turns;
use super::values;
use super::window::Window;
use crate::line::end::End;
use crate::options::Limits;
use crate::sequence::machine::{Machine, Observed};
use crate::violation::Violation;
use crate::writer::Writer;

/// The state of a session file.
#[derive(Debug)]
pub(crate) struct Rollout {
    header: Header,
    turns: Turns,
    calls: Calls,
    copies: Copies,
    texts: Texts,
    tokens: Tokens,
    window: Window,
    early: Early,
}

impl Rollout {
    pub(crate) fn new(limits: &Limits) -> Self {
        Rollout {
            header: Header::default(),
            turns: Turns::new(limits.sequence_ids),
            calls: Calls::new(limits.sequence_ids),
            copies: Copies::default(),
            texts: Texts::default(),
            tokens: Tokens::default(),
            window: Window::default(),
            early: Early::default(),
        }
    }
}

impl Machine for Rollout {
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let line = RolloutLine::of(seen);
        self.header.line(&line, seen, out);
        self.copies.line(&line, seen, out);
        values::line(&line, out);
        self.calls.line(&line, &self.header, &self.turns, out);
        if line.at.is_empty() {
            return self.early.line(&line, out);
        }
        self.texts.line(&line, seen, &self.header, &self.turns, out);
        self.tokens.line(&line, &self.header, out);
        self.window.line(&line, &self.header, out);
        self.turns.line(&line, &self.header, out);
    }

    fn lost(&mut self, _: Option<Writer>, _: Option<u32>) {
        self.header.lost();
        self.turns.lost();
        self.calls.lost();
        self.texts.lost();
        self.tokens.lost();
        self.window.lost();
        self.early.lost();
    }

    fn end(&mut self, _end: &End, _out: &mut Vec<Violation>) {}
}
