//! What may be said of the step that a builder has come to.

/// Nothing: the step has no other keys, or there is none yet.
#[derive(Clone, Copy, Debug)]
pub struct Beginning;

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct Running;

/// A change of files.
#[derive(Clone, Copy, Debug)]
pub struct Patching;

/// A question.
#[derive(Clone, Copy, Debug)]
pub struct Asking;

/// A plan.
#[derive(Clone, Copy, Debug)]
pub struct Planning;

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Calling;

/// Another agent.
#[derive(Clone, Copy, Debug)]
pub struct Spawning;

/// A connection that breaks.
#[derive(Clone, Copy, Debug)]
pub struct Retrying;

/// The failure of a turn.
#[derive(Clone, Copy, Debug)]
pub struct Failing;

/// A step that a client may be asked about.
pub trait Approvable: sealed::Sealed {}

impl Approvable for Running {}
impl Approvable for Patching {}

/// A step that can fail.
pub trait Fallible: sealed::Sealed {}

impl Fallible for Patching {}
impl Fallible for Calling {}

impl sealed::Sealed for Running {}
impl sealed::Sealed for Patching {}
impl sealed::Sealed for Calling {}

/// No other step is one of these.
mod sealed {
    pub trait Sealed {}
}
