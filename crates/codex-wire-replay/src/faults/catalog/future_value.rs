//! `fault/future-value`: enumerations have values of a later release.

use serde_json::Value;

use crate::faults::each_line::EachLine;
use crate::faults::edit::replaced;
use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::future::Future;
use crate::faults::talk::LineKind;

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
    effect: |injected| Box::new(EachLine(injected, with_value)),
    ..Fault::OF_TURNS
};

/// A line with a value that came later.
fn with_value(future: &mut Future, line: &str, kind: &LineKind) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let (path, value) = future.value(kind.written, &kind.name, &value)?;
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    replaced(line, &path, &Value::from(value).to_string())
}
