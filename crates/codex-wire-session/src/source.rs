//! What is read: one of the protocols.

use codex_wire_base::Protocol;
use serde_json::Value;

use crate::app_server::{AppServerReader, Sender};
use crate::build::thread::{Finished, Here, ThreadBuilder};
use crate::core::CoreReader;
use crate::exec::ExecReader;
use crate::model::{Continues, End, Thread, Turn};
use crate::rollout::RolloutReader;

/// What is read, once a message has shown which protocol it is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Exec(Box<ExecReader>),
    Core(Box<CoreReader>),
    AppServer(Box<AppServerReader>),
    Rollout(Box<RolloutReader>),
}

/// Turns of a thread that can no longer change.
pub(crate) struct Taken {
    /// The number of the thread.
    pub(crate) thread: usize,
    /// The number of the first of the turns.
    pub(crate) first: usize,
    pub(crate) turns: Vec<Turn>,
}

impl Source {
    /// The reader for a message of that protocol; none for those that hold no session.
    pub(crate) fn of(protocol: Protocol, message: &Value) -> Option<Self> {
        Some(match protocol {
            Protocol::Exec if message.get("type").is_some() => Source::Exec(Box::default()),
            // The format before 0.42.0 is made of events of core.
            Protocol::Exec | Protocol::Core => Source::Core(Box::default()),
            Protocol::AppServer => Source::AppServer(Box::default()),
            Protocol::Rollout => Source::Rollout(Box::default()),
            _ => return None,
        })
    }

    /// Takes the next message.
    pub(crate) fn message(&mut self, here: Here, from: Sender, message: &Value) {
        match self {
            Source::Exec(exec) => exec.message(here, message),
            Source::Core(core) => core.message(here, message),
            Source::AppServer(server) => server.message(here, from, message),
            Source::Rollout(rollout) => rollout.message(here.line, message),
        }
    }

    /// The place in another session file that this one goes on from.
    pub(crate) fn continues(&self) -> Option<&Continues> {
        match self {
            Source::Rollout(rollout) => rollout.thread().lineage.continues.as_ref(),
            _ => None,
        }
    }

    /// A session file goes on from another one.
    pub(crate) fn continue_from(&mut self, base: &End) {
        if let Source::Rollout(rollout) = self {
            rollout.continue_from(base);
        }
    }

    /// How a session file ends.
    pub(crate) fn end(&self) -> End {
        match self {
            Source::Rollout(rollout) => rollout.file_end(),
            _ => End::default(),
        }
    }

    /// Takes out the turns that can no longer change.
    pub(crate) fn take(&mut self) -> Vec<Taken> {
        let one = |(first, turns)| {
            vec![Taken {
                thread: 0,
                first,
                turns,
            }]
        };
        let mut taken = match self {
            Source::Exec(exec) => one(exec.take()),
            Source::Core(core) => one(core.take()),
            Source::Rollout(rollout) => one(rollout.take()),
            Source::AppServer(server) => {
                let taken = server.take().into_iter();
                let taken = taken.map(|(thread, first, turns)| Taken {
                    thread,
                    first,
                    turns,
                });
                taken.collect()
            }
        };
        taken.retain(|taken| !taken.turns.is_empty());
        taken
    }

    /// The number of the first turn that was taken back after it was taken out, once.
    pub(crate) fn take_late_rollback(&mut self) -> Option<usize> {
        match self {
            Source::Rollout(rollout) => rollout.take_late_rollback(),
            _ => None,
        }
    }

    /// What is known of a thread by its number.
    pub(crate) fn thread(&self, number: usize) -> Option<&Thread> {
        match self {
            Source::Exec(exec) => Some(exec.thread()),
            Source::Core(core) => Some(core.thread()),
            Source::Rollout(rollout) => Some(rollout.thread()),
            Source::AppServer(server) => server.threads().nth(number),
        }
    }

    /// What is known of the threads.
    pub(crate) fn threads(&self) -> impl Iterator<Item = &Thread> {
        let (server, other) = match self {
            Source::AppServer(server) => (Some(server), None),
            Source::Exec(exec) => (None, Some(exec.thread())),
            Source::Core(core) => (None, Some(core.thread())),
            Source::Rollout(rollout) => (None, Some(rollout.thread())),
        };
        let server = server.into_iter().flat_map(|server| server.threads());
        server.chain(other)
    }

    /// Calls `each` with the number of every thread, and what is read of it so far.
    pub(crate) fn each_builder(&mut self, each: &mut dyn FnMut(usize, &mut ThreadBuilder)) {
        match self {
            Source::Exec(exec) => each(0, exec.builder()),
            Source::Core(core) => each(0, core.builder()),
            Source::Rollout(rollout) => each(0, rollout.builder()),
            Source::AppServer(server) => {
                let builders = server.builders().enumerate();
                builders.for_each(|(number, builder)| each(number, builder));
            }
        }
    }

    /// The threads so far.
    pub(crate) fn finish(self) -> Vec<Finished> {
        match self {
            Source::Exec(exec) => vec![exec.finish()],
            Source::Core(core) => vec![core.finish()],
            Source::Rollout(rollout) => vec![rollout.finish()],
            Source::AppServer(server) => server.finish(),
        }
    }
}
