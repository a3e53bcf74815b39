//! What a fault is.

use codex_wire_base::Protocol;

/// A fault that can be injected.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The id.
    pub id: &'static str,
    /// What it is, for programs.
    pub kind: FaultKind,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What the stand-in does.
    pub stand_in: &'static str,
    /// What a client should do.
    pub client: &'static str,
    /// Who met it, and what is recorded of it.
    pub evidence: &'static str,
    /// Which releases can do so.
    pub since: &'static str,
    /// What `@WHERE` means.
    pub place: Place,
    /// The protocols it makes sense for.
    pub protocols: &'static [Protocol],
    /// Why it makes no sense for the others.
    pub refusal: &'static str,
    /// What a client that copes with it shows.
    pub expectation: Expectation,
}

/// The kinds of fault.
#[allow(missing_docs, reason = "`FAULTS` explains each")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    TurnFails,
    TurnInterrupted,
    TurnNeverEnds,
    FutureMember,
    FutureMethod,
    FutureItem,
    FutureValue,
    SplitWrites,
    ByteByByte,
    LineSeparator,
    LongLine,
    StdoutNoise,
    StderrFlood,
    RpcError,
    RpcLate,
    RpcIdAsText,
    RpcReordered,
    CrashMidLine,
    ExitWithoutEnd,
    IgnoresSigterm,
    SlowStart,
}

/// What `@WHERE` means, with what holds if it is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// There is nothing to choose.
    None,
    /// The number of a turn, from 1.
    Turn(&'static str),
    /// The number of a line of Codex, from 1.
    Line(&'static str),
    /// A kind of message: a method, or an event of `codex exec`.
    Kind(&'static str),
    /// Milliseconds.
    Milliseconds(&'static str),
}

/// What a client that copes with a fault shows, compared with a run without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The same.
    Same,
    /// Something else: it reports the failure.
    Failure,
    /// The same, or it reports a failure.
    SameOrFailure,
    /// Something else, or the same with another exit status; it ends by itself.
    End,
}

impl Fault {
    /// The id without `fault/`.
    pub fn short(&self) -> &'static str {
        self.id.strip_prefix("fault/").unwrap_or(self.id)
    }
}

impl Place {
    /// What `@WHERE` means, in a sentence.
    pub fn sentence(self) -> String {
        match self {
            Place::None => "takes no `@WHERE`".to_owned(),
            Place::Turn(default) => {
                format!("`@N` is the number of a turn, from 1; {default} if not given")
            }
            Place::Line(default) => {
                format!("`@N` is the number of a line of Codex, from 1; {default} if not given")
            }
            Place::Kind(default) => format!(
                "`@NAME` is a method, or an event of `codex exec`, such as `@turn/start`; {default} if not \
                 given"
            ),
            Place::Milliseconds(default) => {
                format!("`@N` is a number of milliseconds; {default} if not given")
            }
        }
    }
}
