//! `fault/future-value`: enumerations have values of a later release.

use serde_json::Value;

use crate::conversation::Emission;
use crate::faults::edit::replaced;
use crate::faults::effect::{Effect, Injected};
use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::future::{Future, Written};
use crate::faults::run::Run;
use crate::faults::talk::Talk;

/// Enumerations have values of a later release.
pub(super) static FAULT: Fault = Fault {
    id: "fault/future-value",
    summary: "enumerations have values of a later release",
    stand_in: "In each message, one value of an enumeration becomes one that a later release added, or an \
        invented one if none did. How a turn or an item ended stays as it is.",
    client: "Take a value that you do not know as *other*.",
    evidence: "t3code #8602: the values of `service_tier` changed, and the client refused all of Codex.",
    place: Place::Kind("all messages"),
    layer: Layer::Messages,
    effect: |injected| Box::new(FutureValue(injected)),
    ..Fault::OF_TURNS
};

struct FutureValue(Injected);

impl Effect for FutureValue {
    fn reaction(&mut self, emissions: Vec<Emission>, talk: &mut Talk) -> Vec<Emission> {
        let injected = &self.0;
        talk.edit(emissions, &mut |future, line, kind| {
            if !injected.is_for(&kind.name) {
                return None;
            }
            let changed = with_value(future, line, kind.written, &kind.name)?;
            injected.note();
            Some(changed)
        })
    }

    fn run(&mut self, run: &mut Run) -> bool {
        run.edit(&|kind| self.0.is_for(kind), &mut |future, line, kind| {
            with_value(future, line, Written::Message, kind)
        })
    }
}

/// A line with a value that came later.
fn with_value(future: &mut Future, line: &str, written: Written, kind: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let (path, value) = future.value(written, kind, &value)?;
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    replaced(line, &path, &Value::from(value).to_string())
}
