//! What happens beside the session, as events of spans that are not sent yet.

use codex_wire_check::Finding;

use crate::trace::otlp::{Attributes, Event, Nanos};

/// How many events a span has at most; the SDKs of OpenTelemetry have the same limit. Further ones are counted.
const MOST: usize = 128;

/// Events that wait for their span.
#[derive(Debug, Default)]
pub(super) struct Notes {
    /// With their lines.
    notes: Vec<(u64, Event<'static>)>,
    dropped: u32,
}

impl Notes {
    /// Something was found.
    pub(super) fn finding(&mut self, finding: &Finding, at: Option<Nanos>) {
        let mut said = Attributes::default();
        said.text("codex_wire.rule", finding.rule.id);
        said.text("codex_wire.severity", finding.severity.as_str());
        said.text("codex_wire.finding.message", finding.message.clone());
        said.count("codex_wire.line", finding.place.line);
        self.add(finding.place.line, at, "codex_wire.finding", said);
    }

    /// Turns were taken back, from this one on.
    pub(super) fn rollback(&mut self, first: String, at: Option<Nanos>) {
        let mut said = Attributes::default();
        said.text("codex_wire.rollback.first", first);
        self.add(0, at, "codex_wire.rollback", said);
    }

    /// Takes out what is in these lines. What stands before them goes to `before`.
    pub(super) fn within(&mut self, from: u64, to: u64, before: &mut Notes) -> Notes {
        let mut within = Notes {
            notes: Vec::new(),
            dropped: std::mem::take(&mut self.dropped),
        };
        for (line, event) in std::mem::take(&mut self.notes) {
            match line {
                _ if line < from => before.push(line, event),
                _ if line <= to => within.push(line, event),
                _ => self.push(line, event),
            }
        }
        within
    }

    /// Takes in what others have.
    pub(super) fn append(&mut self, other: Notes) {
        self.dropped = self.dropped.saturating_add(other.dropped);
        for (line, event) in other.notes {
            self.push(line, event);
        }
    }

    /// The events, and how many there were beside them.
    pub(super) fn events<'a>(self) -> (impl Iterator<Item = Event<'a>>, u32) {
        let events = self.notes.into_iter();
        (
            events.map(|(_, event)| -> Event<'a> { event }),
            self.dropped,
        )
    }

    fn add(
        &mut self,
        line: u64,
        time_unix_nano: Option<Nanos>,
        name: &'static str,
        attributes: Attributes<'static>,
    ) {
        let event = Event {
            time_unix_nano,
            name: name.into(),
            attributes,
        };
        self.push(line, event);
    }

    fn push(&mut self, line: u64, event: Event<'static>) {
        match self.notes.len() < MOST {
            true => self.notes.push((line, event)),
            false => self.dropped = self.dropped.saturating_add(1),
        }
    }
}
