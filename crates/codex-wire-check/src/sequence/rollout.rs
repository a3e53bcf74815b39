//! Checks the order of the lines of a session file.
//!
//! A file holds one thread. Several processes may have written it, of several releases, and any of
//! them may have been killed: the end of a turn, of a call or of a file proves nothing. The state is
//! [`Rollout`], one part for each concern. Each part takes every line, in the order in which they
//! stand in `Machine::message`: calls and texts first, because they ask which turn ran before the
//! line.
//!
//! - A file whose beginning is missing gets one finding, and nothing from before is missed.
//! - What a file with a base lacks may stand in the base.
//! - Lines that a fork copied may be in the form of another release; rules about that form are then
//!   not checked.

pub(crate) mod calls;
pub(crate) mod early;
mod evidence;
pub(crate) mod header;
mod line;
pub(crate) mod texts;
pub(crate) mod tokens;
pub(crate) mod turns;
pub(crate) mod window;

use self::calls::Calls;
use self::early::Early;
use self::header::Header;
use self::line::Line;
use self::texts::Texts;
use self::tokens::Tokens;
use self::turns::Turns;
use self::window::Window;
use super::machine::{Machine, Observed};
use crate::line::end::End;
use crate::options::Limits;
use crate::violation::Violation;
use crate::writer::Writer;

/// The state of a session file.
#[derive(Debug)]
pub(crate) struct Rollout {
    header: Header,
    turns: Turns,
    calls: Calls,
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
            texts: Texts::default(),
            tokens: Tokens::default(),
            window: Window::default(),
            early: Early::default(),
        }
    }
}

impl Machine for Rollout {
    fn message(&mut self, seen: &Observed<'_>, out: &mut Vec<Violation>) {
        let line = Line::of(seen);
        self.header.line(&line, seen, out);
        let known = (&self.header, &self.turns);
        self.calls.line(&line, known, out);
        if line.at.is_empty() {
            return self.early.line(&line, out);
        }
        self.texts.line(&line, seen, known, out);
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
