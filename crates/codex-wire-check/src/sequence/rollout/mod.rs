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
pub(crate) mod copies;
pub(crate) mod early;
mod evidence;
pub(crate) mod header;
mod line;
mod machine;
pub(crate) mod texts;
pub(crate) mod tokens;
pub(crate) mod turns;
pub(crate) mod values;
pub(crate) mod window;

pub(super) use self::machine::Rollout;

crate::rule_macros::rule_files!(
    calls, copies, early, header, texts, tokens, turns, values, window
);
