//! What is read: one of the protocols.

use codex_wire_base::Protocol;
use serde_json::Value;

use crate::app_server::{AppServerReader, Sender};
use crate::build::thread::{Finished, Here, Taken, ThreadBuilder};
use crate::core::CoreReader;
use crate::exec::ExecReader;
use crate::model::{Continues, End, Thread};
use crate::rollout::RolloutReader;

/// What is read, once a message has shown which protocol it is.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Exec(Box<ExecReader>),
    Core(Box<CoreReader>),
    AppServer(Box<AppServerReader>),
    Rollout(Box<RolloutReader>),
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

    /// Whether a message is surely of another protocol: an input may hold two of them, one after the other.
    pub(crate) fn is_foreign(&self, message: &Value) -> bool {
        let own = match self {
            Source::Exec(_) => Protocol::Exec,
            Source::Core(_) => Protocol::Core,
            Source::AppServer(_) => Protocol::AppServer,
            Source::Rollout(_) => Protocol::Rollout,
        };
        let has = |key: &str| message.get(key).is_some();
        let tag = message.get("type").and_then(Value::as_str);
        let shown = match message {
            _ if has("timestamp") && has("payload") => Protocol::Rollout,
            _ if has("method") => Protocol::AppServer,
            _ if has("msg") => Protocol::Core,
            _ if tag.is_some_and(|tag| tag.contains('.')) => Protocol::Exec,
            _ => own,
        };
        shown != own
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

    /// Takes out what can no longer change, with the numbers of its threads.
    pub(crate) fn take(&mut self) -> Vec<(usize, Taken)> {
        let mut taken = match self {
            Source::Exec(exec) => exec.take(),
            Source::Core(core) => vec![(0, core.take())],
            Source::Rollout(rollout) => vec![(0, rollout.take())],
            Source::AppServer(server) => server.take(),
        };
        taken.retain(|(_, taken)| !taken.is_empty());
        taken
    }

    /// What is known of a thread by its number.
    pub(crate) fn thread(&self, number: usize) -> Option<&Thread> {
        match self {
            Source::Exec(exec) => exec.thread(number),
            Source::Core(core) => Some(core.thread()),
            Source::Rollout(rollout) => Some(rollout.thread()),
            Source::AppServer(server) => server.thread_at(number),
        }
    }

    /// Calls `each` with the number of every thread, and what is read of it so far.
    pub(crate) fn each_builder(&mut self, each: &mut dyn FnMut(usize, &mut ThreadBuilder)) {
        match self {
            Source::Exec(exec) => {
                let builders = exec.builders().enumerate();
                builders.for_each(|(number, builder)| each(number, builder));
            }
            Source::Core(core) => each(0, core.builder()),
            Source::Rollout(rollout) => each(0, rollout.builder()),
            Source::AppServer(server) => {
                let builders = server.builders().enumerate();
                builders.for_each(|(number, builder)| each(number, builder));
            }
        }
    }

    /// The same for those only that the last message can have changed.
    pub(crate) fn each_changed(&mut self, each: &mut dyn FnMut(usize, &mut ThreadBuilder)) {
        match self {
            Source::Exec(exec) => exec.each_changed(each),
            Source::AppServer(server) => server.each_changed(each),
            Source::Core(_) | Source::Rollout(_) => self.each_builder(each),
        }
    }

    /// The threads so far.
    pub(crate) fn finish(self) -> Vec<Finished> {
        match self {
            Source::Exec(exec) => exec.finish(),
            Source::Core(core) => vec![core.finish()],
            Source::Rollout(rollout) => vec![rollout.finish()],
            Source::AppServer(server) => server.finish(),
        }
    }
}
