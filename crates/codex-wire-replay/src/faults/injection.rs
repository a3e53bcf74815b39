//! The faults of one session, as a user gives them.

use std::fmt;

use codex_wire_base::{Protocol, Release};

use super::catalog::{FAULTS, find};
use super::effect::{Effect, Injected};
use super::fault::{Expectation, Fault, Layer, Place};
use super::log::FaultLog;
use super::run::{Run, RunFaults};
use crate::error::Error;
use crate::exec::ExecPlay;

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

impl Injection {
    /// A fault where it is injected unless somebody says otherwise.
    pub fn of(fault: &'static Fault) -> Self {
        Injection {
            fault,
            number: None,
            message: None,
        }
    }

    /// A fault as a client is tried with it.
    pub fn to_try(fault: &'static Fault) -> Self {
        Injection {
            number: fault.trial.number,
            ..Injection::of(fault)
        }
    }

    /// It and the faults that it needs beside it in a protocol, and what a client then has to show.
    pub fn with_company(&self, protocol: Option<Protocol>) -> (Vec<Injection>, Expectation) {
        let mut together = vec![self.clone()];
        let mut expectation = self.fault.expectation;
        for (of, company, expected) in self.fault.trial.company {
            if Some(*of) == protocol {
                // A test holds that there are such faults.
                together.extend(find(company).map(Injection::of));
                expectation = *expected;
            }
        }
        (together, expectation)
    }

    /// The same without `fault/`, as a user may write it.
    pub fn short(&self) -> String {
        let text = self.to_string();
        match text.strip_prefix("fault/") {
            Some(short) => short.to_owned(),
            None => text,
        }
    }

    /// Reads `ID` or `ID@WHERE`.
    ///
    /// # Errors
    /// [`Error::UnknownFault`] or [`Error::FaultPlace`].
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (id, place) = match text.split_once('@') {
            Some((id, place)) => (id, Some(place)),
            None => (text, None),
        };
        let Some(fault) = find(id) else {
            return Err(Error::UnknownFault {
                id: id.to_owned(),
                known: similar(id),
            });
        };
        let mut injection = Injection::of(fault);
        let Some(place) = place else {
            return Ok(injection);
        };
        let bad = || Error::FaultPlace {
            fault: fault.id,
            expected: fault.place.sentence(),
        };
        match fault.place {
            Place::None => return Err(bad()),
            Place::Kind(_) if place.is_empty() => return Err(bad()),
            Place::Kind(_) => injection.message = Some(place.to_owned()),
            Place::FirstTurn | Place::EveryTurn | Place::Line(_) | Place::Milliseconds(_) => {
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
}

/// The fault whose id is most like one that does not exist, or all if none is like it.
fn similar(id: &str) -> Vec<&'static str> {
    let id = id.strip_prefix("fault/").unwrap_or(id);
    let all = FAULTS.iter().map(|fault| fault.short());
    let distances = all
        .clone()
        .map(|short| (strsim::osa_distance(id, short), short));
    let nearest = distances.filter(|(distance, _)| *distance <= 3).min();
    match nearest {
        Some((_, short)) => vec![short],
        None => all.collect(),
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

    /// What they do in one session, in the order of [`FAULTS`]. Of two places of one fault, the first counts.
    pub(super) fn effects(&self) -> Vec<Box<dyn Effect>> {
        let own = self.ordered();
        own.map(|injection| (injection.fault.effect)(self.injected(injection)))
            .collect()
    }

    /// Puts the faults of messages into a run of a release; of the latest one if it is not known.
    ///
    /// # Errors
    /// When a fault makes no sense for a run.
    pub fn of_run(
        &self,
        play: &mut ExecPlay,
        release: Option<Release>,
    ) -> Result<RunFaults, Error> {
        self.fit(Protocol::Exec)?;
        let own = self.ordered();
        let own: Vec<&Injection> = own
            .filter(|injection| injection.fault.layer == Layer::Messages)
            .collect();
        if own.is_empty() {
            return Ok(RunFaults::default());
        }
        let mut run = Run::of(play, release, self.seed);
        for injection in own {
            let fault = injection.fault;
            if injection.number.is_some_and(|turn| turn > 1) {
                return Err(Error::FaultOneTurn {
                    fault: injection.to_string(),
                });
            }
            if run.is_legacy() {
                return Err(Error::FaultRelease { fault: fault.id });
            }
            let injected = self.injected(injection);
            if (fault.effect)(injected.clone()).run(&mut run) {
                injected.note();
            }
        }
        play.replace(run.lines, run.status);
        Ok(run.result)
    }

    /// The faults in the order of [`FAULTS`].
    fn ordered(&self) -> impl Iterator<Item = &Injection> {
        FAULTS.iter().filter_map(|fault| {
            let mut own = self.injections.iter();
            own.find(|injection| injection.fault.id == fault.id)
        })
    }

    fn injected(&self, injection: &Injection) -> Injected {
        Injected {
            id: injection.fault.id,
            number: injection.number,
            message: injection.message.clone(),
            log: self.log.clone(),
            is_done: false,
        }
    }

    /// What was injected so far.
    pub fn log(&self) -> &FaultLog {
        &self.log
    }

    /// The fault that needs standard input and output, if there is one: a socket carries whole messages, not bytes.
    pub fn of_bytes(&self) -> Option<&Injection> {
        let mut own = self.injections.iter();
        own.find(|injection| injection.fault.layer == Layer::Bytes)
    }

    /// Refuses faults that make no sense for a protocol.
    ///
    /// # Errors
    /// [`Error::FaultProtocol`] when one of them is for other protocols.
    pub fn fit(&self, protocol: Protocol) -> Result<(), Error> {
        let mut faults = self.injections.iter().map(|injection| injection.fault);
        match faults.find(|fault| !fault.protocols.contains(&protocol)) {
            Some(fault) => Err(Error::FaultProtocol {
                fault: fault.id,
                reason: fault.refusal,
            }),
            None => Ok(()),
        }
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
        let unknown = with("walrus").expect_err("no fault").to_string();
        assert!(
            unknown.contains("there are turn-fails, turn-interrupted"),
            "{unknown}"
        );
        let typo = with("turn-fail@2").expect_err("no fault").to_string();
        assert_eq!(
            typo,
            "there is no fault `turn-fail`; did you mean `turn-fails`?"
        );
    }

    #[test]
    fn ids_are_unique() {
        for (at, fault) in FAULTS.iter().enumerate() {
            assert!(fault.id.starts_with("fault/"), "{}", fault.id);
            let same = FAULTS.iter().position(|other| other.id == fault.id);
            assert_eq!(same, Some(at), "{}", fault.id);
            assert_eq!(
                fault.refusal.is_empty(),
                fault.protocols.len() == 3,
                "{}",
                fault.id
            );
            for (_, company, _) in fault.trial.company {
                assert!(find(company).is_some(), "{company}");
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_the_reason() {
        let faults = |text: &str| Faults::new(vec![Injection::parse(text).expect("a fault")], 0);
        let refused = faults("rpc-error")
            .fit(Protocol::Exec)
            .expect_err("no requests")
            .to_string();
        assert!(refused.contains("answers no requests"), "{refused}");
        assert!(faults("turn-fails").fit(Protocol::Core).is_err());
        assert!(faults("slow-start").fit(Protocol::Core).is_ok());
    }
}
