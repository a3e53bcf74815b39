//! What is known of the protocol's history, as expectation. The facts come from the upstream
//! release tags 0.42.0 to 0.111.0 and from recordings of 38 releases; the types were written
//! from the same facts, so these tests are written from the facts once more, not from the types.

use std::path::Path;

use codex_wire_base::{Protocol, Release};
use codex_wire_schema::{
    Draft, Profile, Stability, all_releases, changes, project, release_ranges,
};
use serde_json::{Value, json};

/// The list of changes as `codex-wire releases` tells it. Who changes it has checked the new
/// line against the release.
#[test]
fn changes_of_exec() {
    let mut text = String::new();
    for release in changes(Protocol::Exec) {
        text.push_str(&format!("{}\n", release.release));
        for change in release.changes {
            let kind = change.kind.as_str();
            text.push_str(&format!("  {kind} {}: {}\n", change.place, change.detail));
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/exec-changes.txt");
    golden_files::assert_file(&path, &text);
}

/// The exact schema of a release.
fn exact(release: &str) -> Value {
    let release: Release = release.parse().unwrap();
    project(
        Protocol::Exec,
        release,
        Profile::Exact,
        Draft::Draft202012,
        Stability::Experimental,
    )
}

/// The names of the members a definition has, with `?` behind those that may be left out.
fn members(release: &str, definition: &str) -> Vec<String> {
    let schema = exact(release);
    let definition = &schema["$defs"][definition];
    let required = definition["required"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    definition["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| {
            let always = required.contains(&json!(name));
            format!("{name}{}", if always { "" } else { "?" })
        })
        .collect()
}

fn property(release: &str, definition: &str, member: &str) -> Value {
    exact(release)["$defs"][definition]["properties"][member].clone()
}

fn kinds(release: &str, union: &Value) -> Vec<String> {
    let schema = exact(release);
    let branches = union["oneOf"].as_array();
    let mut kinds: Vec<String> = branches
        .unwrap_or_else(|| panic!("{release}"))
        .iter()
        .map(|branch| {
            let reference = branch["$ref"].as_str().unwrap();
            let members = &schema.pointer(&reference[1..]).unwrap()["properties"];
            let mut members = members.as_object().unwrap().values();
            let tag = members.find_map(|member| member["const"].as_str());
            tag.unwrap().to_owned()
        })
        .collect();
    kinds.sort_unstable();
    kinds
}

fn events(release: &str) -> Vec<String> {
    kinds(release, &exact(release))
}

fn items(release: &str) -> Vec<String> {
    kinds(release, &exact(release)["$defs"]["ThreadItem"])
}

fn values(release: &str, definition: &str) -> Value {
    exact(release)["$defs"][definition]["enum"].clone()
}

/// Releases around which something changed, and the last ones of what came before.
#[test]
fn ranges_of_exec() {
    let found: Vec<String> = release_ranges(Protocol::Exec)
        .iter()
        .map(|range| format!("{} {}", range.since, range.until))
        .collect();
    assert_eq!(
        found,
        [
            "0.42.0 0.42.0",
            "0.43.0-alpha.1 0.43.0-alpha.4",
            "0.43.0-alpha.5 0.43.0",
            "0.44.0 0.50.0",
            "0.51.0 0.61.0",
            "0.62.0 0.62.0",
            "0.63.0 0.90.0",
            "0.92.0 0.92.0",
            "0.93.0 0.94.0",
            "0.95.0 0.114.0",
            "0.115.0 0.124.0",
            "0.125.0 0.131.0",
            "0.132.0 0.144.6",
            &format!("0.145.0 {}", Protocol::Exec.release_list().latest()),
        ]
    );
}

#[test]
fn event_kinds() {
    let early = [
        "error",
        "item.completed",
        "item.started",
        "item.updated",
        "session.created",
    ];
    assert_eq!(events("0.42.0"), early);
    // llmx's exec_events.rs of 2025-09-26: session.created together with turn events.
    let llmx = [
        "error",
        "item.completed",
        "item.started",
        "item.updated",
        "session.created",
        "turn.completed",
        "turn.started",
    ];
    assert_eq!(events("0.43.0-alpha.1"), llmx);
    assert_eq!(events("0.43.0-alpha.4"), llmx);
    let current = [
        "error",
        "item.completed",
        "item.started",
        "item.updated",
        "thread.started",
        "turn.completed",
        "turn.failed",
        "turn.started",
    ];
    for release in ["0.43.0-alpha.5", "0.43.0", "0.44.0", "0.92.0", "0.169.0"] {
        assert_eq!(events(release), current, "{release}");
    }
}

#[test]
fn event_members() {
    assert_eq!(
        members("0.42.0", "SessionCreatedEvent"),
        ["session_id", "type"]
    );
    for release in ["0.43.0", "0.169.0"] {
        assert_eq!(
            members(release, "ThreadStartedEvent"),
            ["thread_id", "type"]
        );
        assert_eq!(members(release, "TurnStartedEvent"), ["type"]);
        assert_eq!(members(release, "TurnCompletedEvent"), ["type", "usage"]);
        assert_eq!(members(release, "TurnFailedEvent"), ["error", "type"]);
        assert_eq!(members(release, "TurnError"), ["message"]);
        assert_eq!(members(release, "ItemUpdatedEvent"), ["item", "type"]);
        assert_eq!(members(release, "ErrorEvent"), ["message", "type"]);
    }
}

#[test]
fn usage() {
    let first = ["cached_input_tokens", "input_tokens", "output_tokens"];
    for release in ["0.43.0-alpha.1", "0.44.0", "0.124.0"] {
        assert_eq!(members(release, "Usage"), first, "{release}");
    }
    let with_reasoning = [
        "cached_input_tokens",
        "input_tokens",
        "output_tokens",
        "reasoning_output_tokens",
    ];
    assert_eq!(members("0.125.0", "Usage"), with_reasoning);
    assert_eq!(members("0.144.6", "Usage"), with_reasoning);
    let with_writes = [
        "cache_write_input_tokens",
        "cached_input_tokens",
        "input_tokens",
        "output_tokens",
        "reasoning_output_tokens",
    ];
    assert_eq!(members("0.145.0", "Usage"), with_writes);
    assert_eq!(
        property("0.48.0", "Usage", "input_tokens")["maximum"],
        i64::MAX
    );
}

#[test]
fn item_kinds_and_their_tag() {
    let early = [
        "assistant_message",
        "command_execution",
        "error",
        "file_change",
        "mcp_tool_call",
        "reasoning",
        "todo_list",
        "web_search",
    ];
    let renamed = ["agent_message", "command_execution", "error", "file_change"];
    for (release, tag) in [
        ("0.42.0", "item_type"),
        ("0.43.0", "item_type"),
        ("0.44.0", "type"),
    ] {
        let known = project(
            Protocol::Exec,
            release.parse().unwrap(),
            Profile::Known,
            Draft::Draft202012,
            Stability::Experimental,
        );
        let union = &known["$defs"]["ThreadItem"];
        assert_eq!(union["discriminator"]["propertyName"], tag, "{release}");
        let mut expected = ["id", tag, "text"];
        expected.sort_unstable();
        assert_eq!(members(release, "ReasoningItem"), expected, "{release}");
    }
    assert_eq!(items("0.42.0"), early);
    assert_eq!(items("0.43.0"), early);
    assert_eq!(items("0.44.0")[..4], renamed);
    assert_eq!(items("0.90.0").len(), 8);
    assert!(!items("0.90.0").contains(&"collab_tool_call".to_owned()));
    assert_eq!(items("0.92.0").len(), 9);
    assert_eq!(items("0.92.0"), items("0.169.0"));
}

#[test]
fn plain_items() {
    for release in ["0.44.0", "0.169.0"] {
        assert_eq!(members(release, "AgentMessageItem"), ["id", "text", "type"]);
        assert_eq!(members(release, "ReasoningItem"), ["id", "text", "type"]);
        assert_eq!(members(release, "ErrorItem"), ["id", "message", "type"]);
        assert_eq!(members(release, "TodoListItem"), ["id", "items", "type"]);
        assert_eq!(members(release, "TodoItem"), ["completed", "text"]);
        assert_eq!(members(release, "FileUpdateChange"), ["kind", "path"]);
        // A bare string in every release, never an object.
        assert_eq!(
            values(release, "PatchChangeKind"),
            json!(["add", "delete", "update"])
        );
    }
}

#[test]
fn commands() {
    let left_out = [
        "aggregated_output",
        "command",
        "exit_code?",
        "id",
        "status",
        "type",
    ];
    let always = [
        "aggregated_output",
        "command",
        "exit_code",
        "id",
        "status",
        "type",
    ];
    assert_eq!(members("0.44.0", "CommandExecutionItem"), left_out);
    assert_eq!(members("0.50.0", "CommandExecutionItem"), left_out);
    assert_eq!(members("0.51.0", "CommandExecutionItem"), always);
    assert_eq!(members("0.169.0", "CommandExecutionItem"), always);
    let code = |release| property(release, "CommandExecutionItem", "exit_code");
    assert_eq!(code("0.50.0")["type"], "integer");
    assert_eq!(code("0.51.0")["type"], json!(["integer", "null"]));
    assert_eq!(code("0.51.0")["minimum"], i32::MIN);
    assert_eq!(code("0.51.0")["maximum"], i32::MAX);
    let three = json!(["in_progress", "completed", "failed"]);
    let four = json!(["in_progress", "completed", "failed", "declined"]);
    assert_eq!(values("0.42.0", "CommandExecutionStatus"), three);
    assert_eq!(values("0.62.0", "CommandExecutionStatus"), three);
    assert_eq!(values("0.63.0", "CommandExecutionStatus"), four);
    assert_eq!(values("0.169.0", "CommandExecutionStatus"), four);
}

#[test]
fn patches() {
    let ended = json!(["completed", "failed"]);
    let with_progress = json!(["in_progress", "completed", "failed"]);
    assert_eq!(values("0.42.0", "PatchApplyStatus"), ended);
    assert_eq!(values("0.61.0", "PatchApplyStatus"), ended);
    assert_eq!(values("0.62.0", "PatchApplyStatus"), with_progress);
    assert_eq!(values("0.169.0", "PatchApplyStatus"), with_progress);
}

#[test]
fn calls_of_mcp_tools() {
    let bare = ["id", "server", "status", "tool", "type"];
    let whole = [
        "arguments",
        "error",
        "id",
        "result",
        "server",
        "status",
        "tool",
        "type",
    ];
    assert_eq!(members("0.44.0", "McpToolCallItem"), bare);
    assert_eq!(members("0.50.0", "McpToolCallItem"), bare);
    assert_eq!(members("0.51.0", "McpToolCallItem"), whole);
    assert_eq!(members("0.51.0", "McpToolCallError"), ["message"]);
    assert_eq!(
        members("0.51.0", "McpToolCallResult"),
        ["content", "structured_content"]
    );
    assert_eq!(
        members("0.131.0", "McpToolCallResult"),
        ["content", "structured_content"]
    );
    assert_eq!(
        members("0.132.0", "McpToolCallResult"),
        ["_meta?", "content", "structured_content"]
    );
    for nullable in ["result", "error"] {
        let branches = property("0.51.0", "McpToolCallItem", nullable)["anyOf"].clone();
        assert_eq!(branches[1], json!({"type": "null"}), "{nullable}");
    }
    // Any JSON.
    assert!(
        property("0.51.0", "McpToolCallItem", "arguments")
            .get("type")
            .is_none()
    );
    let three = json!(["in_progress", "completed", "failed"]);
    assert_eq!(values("0.169.0", "McpToolCallStatus"), three);
}

/// Typed up to 0.94.0, passed through as any JSON from 0.95.0.
#[test]
fn content_of_mcp_results() {
    let typed = exact("0.94.0");
    assert_eq!(
        typed["$defs"]["McpContent"]["allOf"][0]["$ref"],
        "#/$defs/ContentBlock"
    );
    assert_eq!(
        kinds("0.94.0", &typed["$defs"]["ContentBlock"]),
        ["audio", "image", "resource", "resource_link", "text"]
    );
    let through = exact("0.95.0");
    assert!(through["$defs"].get("ContentBlock").is_none());
    let content = through["$defs"]["McpContent"].as_object().unwrap();
    assert_eq!(content.keys().collect::<Vec<_>>(), ["description"]);
}

#[test]
fn web_searches() {
    assert_eq!(members("0.90.0", "WebSearchItem"), ["id", "query", "type"]);
    assert_eq!(
        members("0.92.0", "WebSearchItem"),
        ["action", "id", "query", "type"]
    );
    let has_second = |release| {
        let about = property(release, "WebSearchItem", "id")["description"].to_string();
        about.contains("Written twice")
    };
    assert!(!has_second("0.90.0"));
    assert!(has_second("0.92.0") && has_second("0.169.0"));
    assert_eq!(
        kinds("0.92.0", &exact("0.92.0")["$defs"]["WebSearchAction"]),
        ["find_in_page", "open_page", "other", "search"]
    );
    assert_eq!(members("0.92.0", "SearchAction"), ["query?", "type"]);
    assert_eq!(
        members("0.93.0", "SearchAction"),
        ["queries?", "query?", "type"]
    );
    assert_eq!(members("0.92.0", "OpenPageAction"), ["type", "url?"]);
    assert_eq!(
        members("0.92.0", "FindInPageAction"),
        ["pattern?", "type", "url?"]
    );
    assert_eq!(members("0.92.0", "OtherAction"), ["type"]);
}

#[test]
fn calls_of_other_agents() {
    assert_eq!(
        members("0.92.0", "CollabToolCallItem"),
        [
            "agents_states",
            "id",
            "prompt",
            "receiver_thread_ids",
            "sender_thread_id",
            "status",
            "tool",
            "type",
        ]
    );
    let prompt = property("0.92.0", "CollabToolCallItem", "prompt");
    assert_eq!(prompt["type"], json!(["string", "null"]));
    assert_eq!(members("0.92.0", "CollabAgentState"), ["message", "status"]);
    let message = property("0.92.0", "CollabAgentState", "message");
    assert_eq!(message["type"], json!(["string", "null"]));
    assert_eq!(
        values("0.169.0", "CollabTool"),
        json!(["spawn_agent", "send_input", "wait", "close_agent"])
    );
    assert_eq!(
        values("0.169.0", "CollabToolCallStatus"),
        json!(["in_progress", "completed", "failed"])
    );
    let states = |release| values(release, "CollabAgentStatus");
    let six = json!([
        "pending_init",
        "running",
        "completed",
        "errored",
        "shutdown",
        "not_found"
    ]);
    assert_eq!(states("0.111.0"), six);
    assert!(
        states("0.116.0")
            .as_array()
            .unwrap()
            .contains(&json!("interrupted"))
    );
    assert_eq!(states("0.116.0").as_array().unwrap().len(), 7);
}

/// A release between listed ones speaks as the one before it; one before the first as it.
#[test]
fn unlisted_releases() {
    assert_eq!(exact("0.50.7"), exact("0.50.0"));
    assert_eq!(exact("0.999.0"), exact("0.169.0"));
    assert_eq!(exact("0.30.0"), exact("0.42.0"));
}

/// The document of all releases keeps the annotations that projections lose.
#[test]
fn all_releases_tell_availability() {
    let document = all_releases(Protocol::Exec);
    let usage = &document["$defs"]["Usage"]["properties"];
    assert_eq!(usage["reasoning_output_tokens"]["x-since"], "0.125.0");
    let code = &document["$defs"]["CommandExecutionItem"]["properties"]["exit_code"];
    assert_eq!(code["x-optional"], json!({"until": "0.50.0"}));
    assert_eq!(code["x-nullable"], json!({"since": "0.51.0"}));
    assert_eq!(code["type"], json!(["integer", "null"]));
    let declined = &document["$defs"]["CommandExecutionStatus"]["x-values"]["declined"];
    assert_eq!(declined["since"], "0.63.0");
    let tags = &document["$defs"]["ThreadItem"]["x-tags"];
    assert_eq!(
        tags,
        &json!({"type": {"since": "0.44.0"}, "item_type": {"until": "0.43.0"}})
    );
    let second = &document["$defs"]["WebSearchItem"]["properties"]["id"]["x-second"];
    assert_eq!(second["x-since"], "0.92.0");
}
