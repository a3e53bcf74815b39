//! Injected faults: what a stand-in does wrong, or differently, on purpose.
//!
//! A fault has a stable id, such as `fault/turn-fails`, and a page in `docs/faults`. [`FAULTS`] lists
//! them. [`Faults`] are those of one session. Faults of messages are made here: [`Faulty`] puts them
//! into any [`Conversation`](crate::Conversation), and [`Faults::of_run`] into a run of `codex exec`.
//! Faults of bytes, time and processes are made by the program that writes.

mod catalog;
mod edit;
mod faulty;
mod future;
mod run;
mod sample;
mod texts;
mod turns;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use codex_wire_base::Protocol;

pub use catalog::FAULTS;
pub use faulty::Faulty;
pub use run::RunFaults;

/// A fault that can be injected.
#[derive(Debug)]
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

/// A fault with its place.
#[derive(Clone, Debug)]
pub struct Injection {
    /// The fault.
    pub fault: &'static Fault,
    /// The number after `@`.
    pub number: Option<u64>,
    /// The kind of message after `@`.
    pub message: Option<String>,
}

/// The faults of a session.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    injections: Vec<Injection>,
    /// Chooses what is left open, such as which member is added.
    pub seed: u64,
    log: FaultLog,
}

/// Which faults were injected so far. Copies share what they hold.
#[derive(Clone, Debug, Default)]
pub struct FaultLog(Arc<Mutex<Vec<&'static str>>>);

/// The fault of that id, with or without `fault/` before it.
pub fn find(id: &str) -> Option<&'static Fault> {
    let short = id.strip_prefix("fault/").unwrap_or(id);
    FAULTS.iter().find(|fault| fault.short() == short)
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

impl Injection {
    /// Reads `ID` or `ID@WHERE`.
    ///
    /// # Errors
    /// When there is no such fault, or it has no such place.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (id, place) = match text.split_once('@') {
            Some((id, place)) => (id, Some(place)),
            None => (text, None),
        };
        let Some(fault) = find(id) else {
            let all: Vec<&str> = FAULTS.iter().map(Fault::short).collect();
            return Err(format!(
                "there is no fault `{id}`; there are {}",
                all.join(", ")
            ));
        };
        let mut injection = Injection {
            fault,
            number: None,
            message: None,
        };
        let Some(place) = place else {
            return Ok(injection);
        };
        let bad = || format!("{}: {}", fault.id, fault.place.sentence());
        match fault.place {
            Place::None => return Err(bad()),
            Place::Kind(_) if place.is_empty() => return Err(bad()),
            Place::Kind(_) => injection.message = Some(place.to_owned()),
            Place::Turn(_) | Place::Line(_) | Place::Milliseconds(_) => {
                let number = place.parse().ok();
                let is_from_1 = !matches!(fault.place, Place::Milliseconds(_));
                injection.number = Some(
                    number
                        .filter(|number| !is_from_1 || *number > 0)
                        .ok_or_else(bad)?,
                );
            }
        }
        Ok(injection)
    }

    /// Whether it is for a message of this kind.
    pub(crate) fn is_for(&self, kind: &str) -> bool {
        self.message.as_deref().is_none_or(|own| own == kind)
    }
}

impl fmt::Display for Injection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fault.id)?;
        match (&self.number, &self.message) {
            (Some(number), _) => write!(f, "@{number}"),
            (_, Some(message)) => write!(f, "@{message}"),
            _ => Ok(()),
        }
    }
}

impl Faults {
    /// The faults of a session.
    pub fn new(injections: Vec<Injection>, seed: u64) -> Self {
        Faults {
            injections,
            seed,
            log: FaultLog::default(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.injections.is_empty()
    }

    /// The faults.
    pub fn injections(&self) -> &[Injection] {
        &self.injections
    }

    /// The fault of that kind, if it is one of them.
    pub fn get(&self, kind: FaultKind) -> Option<&Injection> {
        self.injections.iter().find(|i| i.fault.kind == kind)
    }

    /// What was injected so far.
    pub fn log(&self) -> &FaultLog {
        &self.log
    }

    /// Refuses faults that make no sense for a protocol.
    ///
    /// # Errors
    /// When one of them is for other protocols; with the reason.
    pub fn fit(&self, protocol: Protocol) -> Result<(), String> {
        for injection in &self.injections {
            let fault = injection.fault;
            if !fault.protocols.contains(&protocol) {
                return Err(format!(
                    "{} cannot be injected here: {}",
                    fault.id, fault.refusal
                ));
            }
        }
        Ok(())
    }
}

impl FaultLog {
    /// Notes that a fault was injected.
    pub fn note(&self, injection: &Injection) {
        self.lock().push(injection.fault.id);
    }

    /// The ids of what was injected since the last call.
    pub fn take(&self) -> Vec<&'static str> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<&'static str>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Numbers that look random and follow from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Begins with a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// A number below `bound`; 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        // The shift keeps the number within any `usize`.
        let number = usize::try_from(mixed >> 33).unwrap_or(0);
        number.checked_rem(bound).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_with_their_place() {
        let with = |text: &str| Injection::parse(text).map(|i| i.to_string());
        assert_eq!(with("turn-fails@2").as_deref(), Ok("fault/turn-fails@2"));
        assert_eq!(
            with("fault/rpc-error@model/list").as_deref(),
            Ok("fault/rpc-error@model/list")
        );
        assert_eq!(with("slow-start@0").as_deref(), Ok("fault/slow-start@0"));
        for bad in [
            "turn-fails@0",
            "turn-fails@x",
            "split-writes@1",
            "rpc-late@",
            "crash",
        ] {
            assert!(with(bad).is_err(), "{bad}");
        }
        let unknown = with("walrus").expect_err("no fault");
        assert!(
            unknown.contains("there are turn-fails, turn-interrupted"),
            "{unknown}"
        );
    }

    #[test]
    fn ids_are_unique_and_sorted_into_kinds() {
        for (at, fault) in FAULTS.iter().enumerate() {
            assert!(fault.id.starts_with("fault/"), "{}", fault.id);
            let same = |other: &&Fault| other.id == fault.id || other.kind == fault.kind;
            assert_eq!(
                FAULTS.iter().position(|f| same(&f)),
                Some(at),
                "{}",
                fault.id
            );
            assert_eq!(
                fault.refusal.is_empty(),
                fault.protocols.len() == 3,
                "{}",
                fault.id
            );
        }
        assert_eq!(FAULTS.len(), 21);
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_reason() {
        let faults = |text: &str| Faults::new(vec![Injection::parse(text).expect("a fault")], 0);
        let refused = faults("rpc-error")
            .fit(Protocol::Exec)
            .expect_err("no requests");
        assert!(refused.contains("answers no requests"), "{refused}");
        assert!(faults("turn-fails").fit(Protocol::Core).is_err());
        assert!(faults("slow-start").fit(Protocol::Core).is_ok());
    }
}
