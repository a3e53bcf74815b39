//! Whether recordings have a place for faults.

use std::collections::HashSet;

use codex_wire_base::{Protocol, Release};

use super::edit::text;
use super::fault::Place;
use super::injection::{Faults, Injection};
use crate::error::Error;
use crate::exec::ExecPlay;
use crate::recording::{Recording, Writer};

impl Faults {
    /// Refuses the faults for which recordings have no place, whatever a client does. Runs of `codex exec`
    /// are played as that release; as the latest one if it is not known.
    ///
    /// # Errors
    /// [`Error::Recordings`] when a fault makes no sense for one of the recordings, or when the turn or line
    /// it is for was not recorded.
    pub fn fit_recordings(
        &self,
        recordings: &[Recording],
        release: Option<Release>,
    ) -> Result<(), Error> {
        for recording in recordings {
            let fits = match recording.protocol {
                Protocol::Exec => self.fit_run(&ExecPlay::new(recording), release),
                protocol => self.fit(protocol),
            };
            fits.map_err(|error| error.of(&recording.name))?;
        }
        let served = recordings
            .iter()
            .filter(|recording| recording.protocol == Protocol::AppServer);
        let served: Vec<&Recording> = served.collect();
        match served.is_empty() {
            true => Ok(()),
            false => self.fit_turns(&served),
        }
    }

    /// Refuses the faults for which a run of `codex exec` has no place.
    ///
    /// # Errors
    /// When a fault makes no sense for a run, or when the line it is for is none of the run.
    pub fn fit_run(&self, play: &ExecPlay, release: Option<Release>) -> Result<(), Error> {
        let mut play = play.clone();
        // What is injected here is not played, and not written down.
        let faults = Faults::new(self.injections().to_vec(), self.seed);
        faults.of_run(&mut play, release)?;
        let count = play.lines().count();
        let beyond = |injection: &&Injection| {
            matches!(injection.fault.place, Place::Line(_))
                && injection.number.is_some_and(|line| line > count as u64)
        };
        match self.injections().iter().find(beyond) {
            Some(injection) => Err(Error::FaultLine {
                fault: injection.to_string(),
                lines: count,
            }),
            None => Ok(()),
        }
    }

    /// Refuses the faults for which recordings of the app-server have too few turns. A client can play those
    /// of several recordings, so they are counted together.
    fn fit_turns(&self, recordings: &[&Recording]) -> Result<(), Error> {
        // Without its one turn, nothing of a fault is injected.
        let of_turns = |injection: &&Injection| match injection.fault.place {
            Place::FirstTurn => true,
            Place::EveryTurn => injection.number.is_some(),
            _ => false,
        };
        let turns: usize = recordings.iter().map(|recording| turns_of(recording)).sum();
        let mut injections = self.injections().iter().filter(of_turns);
        let beyond = injections.find(|i| i.number.unwrap_or(1) > turns as u64);
        let Some(injection) = beyond else {
            return Ok(());
        };
        let names: Vec<&str> = recordings.iter().map(|r| r.name.as_str()).collect();
        let error = Error::FaultTurn {
            fault: injection.to_string(),
            turns,
        };
        Err(error.of(names.join(", ")))
    }
}

/// How many turns a recording of the app-server has.
fn turns_of(recording: &Recording) -> usize {
    let lines = recording.lines().iter();
    let begun = lines.filter(|line| {
        line.writer == Writer::Codex
            && text(&line.text, &["method"]).as_deref() == Some("turn/started")
    });
    let ids = begun.filter_map(|line| text(&line.text, &["params", "turn", "id"]));
    ids.collect::<HashSet<_>>().len()
}
