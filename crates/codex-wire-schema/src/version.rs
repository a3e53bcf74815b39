//! Adds the version of JSON-RPC, `"jsonrpc": "2.0"`, to exact schemas of what app-server clients
//! write.
//!
//! The protocol has no such member and Codex writes none. But Codex ignores it, and clients built
//! on a JSON-RPC library send it. Open schemas allow it as they allow any member. Exact schemas
//! close objects, so they have to name it.

use codex_wire_base::MessageSet;
use codex_wire_base::shape::ReleaseBounds;

use crate::documents::Document;
use crate::ir::{Availability, Kind, Member, Schema};

const NAME: &str = "jsonrpc";

/// Names it in one message.
pub(crate) fn allow(message_set: MessageSet, message: &mut Schema) {
    let Kind::Object(object) = &mut message.kind else {
        return;
    };
    if !may_stand(message_set) {
        return;
    }
    let about = "The version of JSON-RPC, which clients may send and Codex reads over.";
    let member = Member {
        name: NAME.into(),
        availability: Availability::ALWAYS,
        optional: vec![ReleaseBounds::ALWAYS],
        nullable: Vec::new(),
        written: Vec::new(),
        has_default: false,
        second: None,
        schema: Schema {
            description: Some(about.into()),
            ..Schema::default()
        },
    };
    let place = object
        .members
        .partition_point(|member| *member.name < *NAME);
    object.members.insert(place, member);
}

/// Whether a definition of a document is a message, rather than what stands in one.
pub(crate) fn is_message(document: &'static Document, definition: &str) -> bool {
    let union = document.root().tagged();
    union.is_some_and(|union| {
        let mut variants = union.variants.iter();
        variants.any(|variant| variant.definition == definition)
    })
}

/// Whether clients write such messages.
fn may_stand(message_set: MessageSet) -> bool {
    matches!(
        message_set,
        MessageSet::AppServerClientRequests
            | MessageSet::AppServerClientNotifications
            | MessageSet::AppServerClientResponses
            | MessageSet::AppServerErrors
    )
}
