//! Tests explanations where a document has gaps, several intervals and closed objects.

use serde_json::json;

use codex_wire_base::shape::ReleaseBounds;

use super::*;

fn release(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

/// A validator of 0.4.0.
fn validator() -> MessageValidator {
    let document = Document::of(&json!({
        "title": "Thread",
        "type": "object",
        "properties": {
            "git": {
                "type": "string",
                "x-since": "0.2.0",
                "x-gaps": [{"since": "0.4.0", "until": "0.5.0"}],
                "x-optional": {},
            },
            "goal": {"$ref": "#/$defs/Goal", "x-optional": {}},
            "id": {
                "type": "string",
                "x-optional": [{"until": "0.1.0"}, {"since": "0.3.0", "until": "0.3.0"}],
                "x-nullable": [{"until": "0.1.0"}, {"since": "0.5.0"}],
            },
            "status": {"$ref": "#/$defs/Status", "x-optional": {}},
        },
        "$defs": {
            "Goal": {
                "type": "object",
                "properties": {
                    "by": {"type": "string", "x-optional": {}},
                    "text": {"type": "string"},
                },
                "required": ["text"],
                "additionalProperties": false,
            },
            "Status": {
                "type": "string",
                "enum": ["open", "done"],
                "x-values": {
                    "done": {},
                    "open": {"gaps": [{"since": "0.4.0", "until": "0.4.0"}]},
                },
            },
        },
    }));
    let releases: Vec<Release> = (1..9).map(release).collect();
    MessageValidator::of_document(
        document,
        releases.leak(),
        Parts::of(document, release(4), Profile::Exact),
        "0.4.0 does not write".to_owned(),
    )
}

fn fault(message: &Value) -> SchemaViolation {
    let mut faults = validator().violations(message, false);
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

fn availability(since: u32, until: u32) -> Option<ReleaseBounds> {
    let end = |minor: u32| (minor > 0).then(|| release(minor));
    Some(ReleaseBounds {
        since: end(since),
        until: end(until),
    })
}

#[test]
fn what_is_in_a_gap_belongs_to_both_sides_of_it() {
    let member = fault(&json!({"id": "a", "git": "main"}));
    assert_eq!(
        member.how.to_string(),
        "`git` of Thread belongs to 0.2.0 to 0.3.0 and 0.6.0 or later"
    );
    assert_eq!(member.releases, availability(6, 0));
    let value = fault(&json!({"id": "a", "status": "open"}));
    assert_eq!(
        value.how.to_string(),
        "the value `open` of `status` belongs to 0.3.0 or earlier and 0.5.0 or later"
    );
}

#[test]
fn of_several_intervals_the_last_is_told() {
    let missing = fault(&json!({}));
    assert_eq!(missing.how.to_string(), "Thread lacks `id`");
    assert_eq!(missing.releases, availability(3, 3));
    let null = fault(&json!({"id": null}));
    assert_eq!(null.releases, availability(5, 0));
}

#[test]
fn nothing_stands_beside_the_members_of_a_closed_object() {
    let goal = fault(&json!({"id": "a", "goal": {"text": "t", "also": 1}}));
    assert_eq!(
        goal.how.to_string(),
        "Goal has no member `also` in any release"
    );
    assert!(!goal.undeclared, "the open profile does not take it either");
    let thread = fault(&json!({"id": "a", "also": 1}));
    assert!(thread.undeclared);
}

/// Codex takes tools of the client without `type`, as older clients write them, in every release
/// that has such tools.
#[test]
fn tools_without_a_type_are_read() {
    let request = |tool: serde_json::Value| json!({"id": 1, "method": "thread/start", "params": {"dynamicTools": [tool]}});
    let older = json!({"name": "n", "description": "d", "inputSchema": {}});
    let newer = json!({"type": "function", "name": "n", "description": "d", "inputSchema": {}});
    let message_set = MessageSet::AppServerClientRequests;
    let ranges = codex_wire_schema::release_ranges(message_set);
    for minor in [98, 140, 141, 157, 169] {
        let range = ranges.iter().rfind(|range| range.since <= release(minor));
        let validator =
            MessageValidator::new(message_set, *range.expect("the release is listed"), true);
        let faults = validator.violations(&request(older.clone()), false);
        assert!(faults.is_empty(), "0.{minor}.0: {faults:?}");
        let is_taken = validator
            .violations(&request(newer.clone()), false)
            .is_empty();
        assert_eq!(is_taken, minor >= 141, "0.{minor}.0");
    }
}

#[test]
fn what_is_always_written_is_missing_where_it_is_required() {
    let item = json!({"type": "agentMessage", "id": "a", "text": "t", "moderation": null,
        "memoryCitation": null, "delivery": null, "questions": null});
    let params = json!({"threadId": "t", "turnId": "u", "item": item, "startedAtMs": 1});
    let message = json!({"method": "item/started", "params": params, "emittedAtMs": 1});
    let message_set = MessageSet::AppServerServerNotifications;
    let ranges = codex_wire_schema::release_ranges(message_set);
    let range = *ranges.last().expect("there are releases");
    for (requires_written, wanted) in [(true, 1), (false, 0)] {
        let validator = MessageValidator::new(message_set, range, requires_written);
        let found = validator.violations(&message, false);
        assert_eq!(found.len(), wanted, "{found:?}");
        let (text, mut tape) = (message.to_string(), Tape::new());
        let accepted = validator.accepts(Some("item/started"), &text, &mut tape);
        assert_eq!(accepted.is_none(), requires_written);
    }
}
