//! The kinds of failure: `codexErrorInfo` of the app-server.

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::annotated;
use codex_wire_schema::ir::{ExternalVariant, Kind};

use crate::compose::json::{Node, object};

const SET: MessageSet = MessageSet::AppServerServerNotifications;

/// Whether any release has a kind.
pub(super) fn is_known(kind: &str) -> bool {
    find(kind).is_some()
}

/// A kind as a release writes it: those that it does not have are `other`.
pub(super) fn node(kind: &str, release: Release) -> Node {
    let known = find(kind).filter(|known| known.availability.contains(release));
    let Some(known) = known else {
        return Node::from("other");
    };
    let definition = annotated(SET).schema(&known.definition);
    match definition.map(|schema| &schema.kind) {
        Some(Kind::Constant(_)) => Node::from(kind),
        _ => object! { kind => object! { "httpStatusCode" => Node::Null } },
    }
}

fn find(kind: &str) -> Option<&'static ExternalVariant> {
    let Kind::External(variants) = &annotated(SET).schema("KnownCodexErrorInfo")?.kind else {
        return None;
    };
    variants.iter().find(|variant| variant.kind == kind)
}
