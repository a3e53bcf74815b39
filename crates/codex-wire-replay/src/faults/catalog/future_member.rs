//! `fault/future-member`: messages have members of a later release.

use crate::faults::each_line::EachLine;
use crate::faults::edit::{span, text, with_member};
use crate::faults::fault::{Fault, Layer, Place};
use crate::faults::future::Future;
use crate::faults::talk::LineKind;

/// Messages have members of a later release.
pub(super) static FAULT: Fault = Fault {
    id: "fault/future-member",
    summary: "messages have members of a later release",
    stand_in: "Every message and every item has one more member: one that a later release added there, or \
        an invented one if none did.",
    client: "Ignore members that you do not know.",
    evidence: "Nearly every release adds members: see the pages of docs/changes. Clients stay behind: SDKs \
        at 0.163.0 meet 0.169.0.",
    place: Place::Kind("all messages"),
    layer: Layer::Messages,
    effect: |injected| Box::new(EachLine(injected, with_future_member)),
    ..Fault::OF_TURNS
};

/// A line with one more member in its body, and one in its item.
fn with_future_member(future: &mut Future, line: &str, kind: &LineKind) -> Option<String> {
    let body = future.body(kind.written);
    let has = |path: &[&str], name: &str| span(line, &[path, &[name]].concat()).is_some();
    let (name, json) = future.member(kind.written, &kind.name, &|name| has(body, name));
    let mut changed = with_member(line, body, &name, &json)?;
    let item = [body, &["item"]].concat();
    let tag = ["type", "item_type"]
        .iter()
        .find_map(|tag| text(line, &[&item[..], &[tag]].concat()));
    if let Some(tag) = tag {
        let (name, json) = future.member_of_item(&kind.name, &tag, &|name| has(&item, name));
        changed = with_member(&changed, &item, &name, &json)?;
    }
    Some(changed)
}
