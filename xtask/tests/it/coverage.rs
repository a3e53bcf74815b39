use codex_wire::{Protocol, Release};
use serde_json::json;
use xtask::coverage::{Feature, Inventory, PAGE, Source, coverage, walk};
use xtask::repository;

#[test]
fn the_page_is_up_to_date() {
    let path = repository().join(PAGE);
    let (page, problems) = coverage(&repository()).unwrap();
    assert_eq!(problems, Vec::<String>::new());
    if std::env::var_os("UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(&path, &page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap();
    assert!(
        committed == page,
        "{PAGE} is out of date; `cargo xtask coverage --write` brings it up to date"
    );
}

/// What a line of the exec protocol carries, as text.
fn seen(release: Release, line: &str) -> Vec<String> {
    let document = codex_wire_schema::annotated(Protocol::Exec);
    let seen = walk(document, "Event", release, line).unwrap();
    seen.iter().map(Feature::to_string).collect()
}

const NEW: Release = Release::new(0, 169, 0);

#[test]
fn absence_and_null_are_features() {
    let before = seen(
        Release::new(0, 44, 0),
        r#"{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"","status":"in_progress"}}"#,
    );
    assert!(before.contains(&"`CommandExecutionItem.exit_code`: left out".to_owned()));
    let after = seen(
        NEW,
        r#"{"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"","exit_code":null,"status":"declined"}}"#,
    );
    assert!(after.contains(&"`CommandExecutionItem.exit_code`: `null`".to_owned()));
    assert!(after.contains(&"CommandExecutionStatus `declined`".to_owned()));
    assert!(!after.contains(&"`CommandExecutionItem.exit_code`".to_owned()));
}

#[test]
fn the_doubled_id_is_two_features() {
    let twice = seen(
        NEW,
        r#"{"type":"item.completed","item":{"id":"item_0","type":"web_search","id":"ws_0","query":"","action":{"type":"other"}}}"#,
    );
    assert!(twice.contains(&"`WebSearchItem.id`".to_owned()));
    assert!(twice.contains(&"`WebSearchItem.id`, second time".to_owned()));
    let once = seen(
        NEW,
        r#"{"type":"item.completed","item":{"id":"ws_0","type":"web_search","query":"","action":{"type":"other"}}}"#,
    );
    assert!(once.contains(&"`WebSearchItem.id`, second time: left out".to_owned()));
}

#[test]
fn untagged_unions_are_told_apart_by_what_fits() {
    let line = |block: &str| {
        format!(
            r#"{{"type":"item.completed","item":{{"id":"item_0","type":"mcp_tool_call","server":"s","tool":"t","arguments":null,"result":{{"content":[{block}],"structured_content":null}},"error":null,"status":"completed"}}}}"#
        )
    };
    let blob = line(r#"{"resource":{"blob":"","uri":"u"},"type":"resource"}"#);
    let typed = seen(Release::new(0, 94, 0), &blob);
    assert!(typed.contains(&"ResourceContents `BlobResourceContents`".to_owned()));
    // From 0.95.0 the blocks are anybody's.
    let passed_on = seen(NEW, &blob);
    assert!(passed_on.contains(&"McpContent `any value`".to_owned()));
    assert!(!passed_on.iter().any(|feature| feature.contains("Blob")));
    let unknown = seen(Release::new(0, 94, 0), &line(r#"{"type":"video"}"#));
    assert!(unknown.contains(&"McpContent `no alternative`".to_owned()));
}

#[test]
fn what_the_document_does_not_declare_is_not_marked() {
    let document = codex_wire_schema::annotated(Protocol::Exec);
    let mut inventory = Inventory::new(document, "Event", Protocol::Exec.timeline().releases());
    let mut unmarked = |release: Release, line: &str| -> Vec<String> {
        let seen = walk(document, "Event", release, line).unwrap();
        seen.iter()
            .filter(|feature| !inventory.mark(feature, release, release, Source::Recorded))
            .map(Feature::to_string)
            .collect()
    };
    for (line, expected) in [
        (r#"{"type":"turn.paused"}"#, "Event `turn.paused`"),
        (r#"{"kind":"turn.started"}"#, "Event `no tag`"),
        (r#"{"type":"turn.started","at":1}"#, "`TurnStartedEvent.at`"),
        (
            r#"{"type":"error","message":null}"#,
            "`ErrorEvent.message`: `null`",
        ),
        (
            r#"{"type":"error","message":"a","message":"b"}"#,
            "`ErrorEvent.message`, second time",
        ),
    ] {
        assert_eq!(unmarked(NEW, line), [expected], "{line}");
    }
    let usage = r#"{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":1,"output_tokens":1,"reasoning_output_tokens":1}}"#;
    assert_eq!(unmarked(NEW, usage), Vec::<String>::new());
    assert_eq!(
        unmarked(Release::new(0, 124, 0), usage),
        ["`Usage.reasoning_output_tokens`"]
    );
}

#[test]
fn members_live_no_longer_than_what_holds_them() {
    let document = json!({
        "type": "object",
        "discriminator": {"propertyName": "type"},
        "x-tags": {"type": {}},
        "oneOf": [{"$ref": "#/$defs/Late", "x-tag": "late", "x-since": "0.2.0"}],
        "$defs": {
            "Late": {"properties": {
                "always": {"type": "string"},
                "early": {"type": "string", "x-until": "0.1.0"},
                "type": {"const": "late"},
            }},
        },
    });
    let releases = [Release::new(0, 1, 0), Release::new(0, 2, 0)];
    let inventory = Inventory::new(&document, "Root", &releases);
    let rows: Vec<_> = inventory
        .rows
        .iter()
        .map(|row| row.feature.to_string())
        .collect();
    assert_eq!(rows, ["Root `late`", "`Late.always`"]);
    assert!(
        inventory
            .rows
            .iter()
            .all(|row| row.exists.iter().eq(&releases[1..]))
    );
}
