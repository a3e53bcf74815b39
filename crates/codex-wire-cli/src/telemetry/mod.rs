//! Tells a collector of OpenTelemetry what happens, while it happens.
//!
//! Whatever the collector does, those who are watched notice nothing: documents are sent by a thread of their own, from a
//! queue that has an end.

mod collector;
mod sender;

use std::time::{Duration, SystemTime};

use anstream::ColorChoice;
use codex_wire_check::{Event, Step};
use codex_wire_export::{Live, Options};
use codex_wire_session::Time;

use crate::flags::telemetry::TelemetryFlags;
use crate::output;
pub(crate) use collector::Collector;
use sender::Sender;

/// How long a collector may take to answer while the traffic goes on.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long what is left may take at the end.
const FLUSH: Duration = Duration::from_secs(5);

/// What is told to a collector.
pub(crate) struct Telemetry {
    sender: Sender,
    color: ColorChoice,
}

/// When lines are written that do not say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// When they are read.
    Now,
    /// It is not known.
    Unknown,
}

impl Telemetry {
    /// Begins, if the command line names a collector.
    pub(crate) fn of(flags: &TelemetryFlags, color: ColorChoice) -> anyhow::Result<Option<Self>> {
        let Some(endpoint) = &flags.otlp else {
            return Ok(None);
        };
        let collector = Collector::at(endpoint, TIMEOUT)?;
        Ok(Some(Telemetry {
            sender: Sender::of(collector)?,
            color,
        }))
    }

    /// Observes inputs of that name, one after the other.
    pub(crate) fn observer(
        &self,
        flags: &TelemetryFlags,
        name: &str,
        clock: Clock,
    ) -> impl FnMut(&Step<'_>) + Send + 'static {
        let mut options = Options::new();
        options.content = flags.content;
        let (name, queue) = (name.to_owned(), self.sender.queue());
        let mut live = None;
        move |step| {
            let mut give = |document: codex_wire_export::Document<'_>| {
                // Documents have no keys that are not strings, and nothing refuses what is written.
                if let Ok(body) = serde_json::to_vec(&document) {
                    queue.push(body);
                }
            };
            let now = live.get_or_insert_with(|| Live::new(&name, options));
            if clock == Clock::Now
                && let Some(time) = self::now()
            {
                now.set_time(time);
            }
            now.step(step, &mut give);
            if matches!(step.event, Event::End)
                && let Some(ended) = live.take()
            {
                ended.finish(&mut give);
            }
        }
    }

    /// Sends what is left, and tells the user what was not sent.
    pub(crate) fn finish(self) {
        let sent = self.sender.finish(FLUSH);
        if sent.lost > 0 {
            let reason = sent.reason.as_deref().unwrap_or("for no known reason");
            let (lost, all) = (sent.lost, sent.all);
            let text = format!("{lost} of {all} documents were not sent: {reason}");
            output::complain(self.color, &text);
        }
    }
}

fn now() -> Option<Time> {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let ms = i64::try_from(since.ok()?.as_millis()).ok()?;
    Time::from_ms(ms)
}
