//! What a fault is.

use codex_wire_base::Protocol;

use super::effect::{Effect, Injected};

/// A fault that can be injected.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fault {
    /// The id.
    pub id: &'static str,
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
    /// What it acts on.
    pub layer: Layer,
    /// What a client that handles it shows.
    pub expectation: Expectation,
    /// Characters that it puts into texts, in each form in which a client may show them. They are left out before
    /// what a client shows is compared.
    pub residue: &'static [&'static str],
    /// How a client is tried with it.
    pub trial: Trial,
    /// What it does, where it was injected.
    pub(crate) effect: fn(Injected) -> Box<dyn Effect>,
}

/// What a fault acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layer {
    /// What messages say, and which there are.
    Messages,
    /// When whole lines are written, in which order, and how long they are.
    Lines,
    /// The bytes on standard output. A socket carries whole messages, and has no place for it.
    Bytes,
    /// The process: its start, its end, and standard error.
    Process,
}

/// What `@WHERE` means, with what holds if it is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// There is nothing to choose.
    None,
    /// The number of a turn, from 1; the first one if not given.
    FirstTurn,
    /// The number of a turn, from 1; every turn if not given.
    EveryTurn,
    /// The number of a line of Codex, from 1.
    Line(&'static str),
    /// A kind of message: a method, or an event of `codex exec`.
    Kind(&'static str),
    /// Milliseconds.
    Milliseconds(&'static str),
}

/// What a client that handles a fault shows, compared with a run without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// The same.
    Same,
    /// Something else: it reports this failure.
    Failure(Failure),
    /// The same, or it reports a failure.
    SameOrFailure,
    /// Something else, or the same with another exit status; it ends by itself.
    End,
}

impl Expectation {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Expectation::Same => "same",
            Expectation::Failure(_) => "different",
            Expectation::SameOrFailure => "same-or-failure",
            Expectation::End => "different-and-ends",
        }
    }
}

/// A failure that a client may take for a success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A turn failed.
    FailedTurn,
    /// A turn was interrupted.
    InterruptedTurn,
    /// The end of a turn never came.
    LostEnd,
}

/// How a client is tried with a fault, where that is not as a user would inject it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trial {
    /// The number after `@`, unless the user gives another one.
    pub number: Option<u64>,
    /// The fault that it needs beside it, by protocol, and what a client then has to show.
    pub company: &'static [(Protocol, &'static str, Expectation)],
    /// Whether the stand-in may go on after its client has ended.
    pub stays: bool,
}

impl Fault {
    /// What most faults have in common. What else there is of a fault, it says itself.
    pub(super) const ANY: Fault = Fault {
        id: "",
        summary: "",
        stand_in: "",
        client: "",
        evidence: "",
        since: "all releases",
        place: Place::None,
        protocols: &[Protocol::Exec, Protocol::AppServer, Protocol::Core],
        refusal: "",
        layer: Layer::Messages,
        expectation: Expectation::Same,
        residue: &[],
        trial: Trial::PLAIN,
        effect: |_| Box::new(Nothing),
    };

    /// The same, for the protocols in which a client meets turns and items.
    pub(super) const OF_TURNS: Fault = Fault {
        protocols: &[Protocol::Exec, Protocol::AppServer],
        refusal: "`codex proto` is gone since 0.43.0: its turns and its kinds of message get no faults",
        ..Fault::ANY
    };

    /// The same, for the protocol in which a client sends requests.
    pub(super) const OF_REQUESTS: Fault = Fault {
        protocols: &[Protocol::AppServer],
        refusal: "`codex exec` answers no requests, and `codex proto` answers with events",
        ..Fault::ANY
    };

    /// The id without `fault/`.
    pub fn short(&self) -> &'static str {
        self.id.strip_prefix("fault/").unwrap_or(self.id)
    }
}

struct Nothing;

impl Effect for Nothing {}

impl Trial {
    /// As a user would inject it.
    pub(super) const PLAIN: Trial = Trial {
        number: None,
        company: &[],
        stays: false,
    };
}

impl Place {
    /// What `@WHERE` means, in a sentence.
    pub fn sentence(self) -> String {
        match self {
            Place::None => "takes no `@WHERE`".to_owned(),
            Place::FirstTurn => {
                "`@N` is the number of a turn, from 1; the first turn if not given".to_owned()
            }
            Place::EveryTurn => {
                "`@N` is the number of a turn, from 1; every turn if not given".to_owned()
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
