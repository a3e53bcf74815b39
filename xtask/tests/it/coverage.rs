use std::sync::LazyLock;

use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_schema::Document;
use serde_json::{Value, json};
use xtask::coverage::{
    APP_SERVER_PAGE, BESIDE_THE_WIRE, Description, Feature, Inventory, ORIGINS, Page, Source,
    coverage, walk,
};
use xtask::repository;

/// The pages of the repository's fixtures, which take a while.
static COVERAGE: LazyLock<(Vec<Page>, Vec<String>)> =
    LazyLock::new(|| coverage(&repository()).unwrap());

pub(crate) fn the_pages_are_up_to_date() {
    let (pages, problems) = &*COVERAGE;
    assert_eq!(*problems, Vec::<String>::new());
    for page in pages {
        golden_files::assert_file(&repository().join(page.path), &page.text);
    }
}

pub(crate) fn nothing_of_the_core_protocol_is_left_without_a_fixture() {
    let (pages, _) = &*COVERAGE;
    let core = &pages[1].text;
    let never: Vec<&str> = core.lines().filter(|l| l.contains("**never**")).collect();
    assert_eq!(never, Vec::<&str>::new());
}

pub(crate) fn the_page_about_the_app_server_stays_readable() {
    let page = std::fs::read_to_string(repository().join(APP_SERVER_PAGE)).unwrap();
    assert!(page.lines().count() < 1500);
    // A type that is in no module would stand there.
    assert!(!page.contains("### other"));
}

pub(crate) fn frames_go_by_the_name_of_their_root() {
    let found = seen_on(
        MessageSet::AppServerServerResponses,
        NEW,
        r#"{"method":"thread/archive","id":1,"result":{}}"#,
    );
    let of_answer = [
        "ServerResponse `thread/archive`",
        "`ServerResponse.id`",
        "`ServerResponse.result`",
    ];
    for feature in of_answer {
        assert!(found.contains(&feature.to_owned()), "{found:?}");
    }
    let archived = r#"{"method":"thread/archived","params":{"threadId":"t"}}"#;
    let found = seen_on(MessageSet::AppServerServerNotifications, NEW, archived);
    let absent = "`ServerNotification.emittedAtMs`: left out".to_owned();
    assert!(found.contains(&absent), "{found:?}");
    let with_time = archived.replace("}}", "},\"emittedAtMs\":1}");
    let found = seen_on(MessageSet::AppServerServerNotifications, NEW, &with_time);
    assert!(!found.contains(&absent), "{found:?}");
    assert!(found.contains(&"`ServerNotification.emittedAtMs`".to_owned()));
}

pub(crate) fn every_type_of_the_origins_has_a_definition_that_their_messages_reach() {
    let mut seen = std::collections::BTreeSet::new();
    for origin in ORIGINS {
        assert!(seen.insert(origin.name), "{} is listed twice", origin.name);
        let release_list = origin.message_set.release_list();
        let description = Description::of(origin.message_set);
        let inventory = Inventory::new(&description, release_list.releases());
        for release in origin.releases().unwrap() {
            for name in origin.definitions {
                let found = *name == description.root || inventory.reaches(name, release);
                assert!(found, "{}: no {name} in {release}", origin.name);
            }
        }
        // The other system does not have it under this name: its messages do not reach it.
        let others: Vec<Release> = ["llmx-2025-08-13", "agcodex-0.1.0"]
            .iter()
            .filter(|name| !origin.points.names().contains(name))
            .map(|name| release_list.resolve(name).unwrap())
            .collect();
        for (release, name) in others
            .iter()
            .flat_map(|release| origin.definitions.iter().map(move |name| (release, name)))
        {
            assert!(!inventory.reaches(name, *release), "{name} in {release}");
        }
    }
    for beside in BESIDE_THE_WIRE {
        assert!(seen.insert(beside.name), "{} is listed twice", beside.name);
    }
}

pub(crate) fn the_kinds_the_origins_have_are_those_of_the_document() {
    let kinds = |message_set: MessageSet, union: &str, release: Release| -> usize {
        let inventory = Inventory::new(
            &Description::of(message_set),
            message_set.release_list().releases(),
        );
        let of_union = |row: &&xtask::coverage::Row| {
            matches!(&row.feature, Feature::Kind(of, _) if of == union)
                && row.exists.contains(&release)
        };
        inventory.rows.iter().filter(of_union).count()
    };
    let (llmx, agcodex) = (Release::alpha(0, 22, 0, 1), Release::new(0, 23, 0));
    assert_eq!(kinds(MessageSet::CoreSubmissions, "Op", llmx), 9);
    assert_eq!(kinds(MessageSet::CoreEvents, "EventMsg", llmx), 26);
    assert_eq!(kinds(MessageSet::CoreSubmissions, "Op", agcodex), 11);
    assert_eq!(kinds(MessageSet::CoreEvents, "EventMsg", agcodex), 28);
}

/// What a line carries, as text.
fn seen_on(message_set: MessageSet, release: Release, line: &str) -> Vec<String> {
    let seen = walk(&Description::of(message_set), release, line).unwrap();
    seen.iter().map(Feature::to_string).collect()
}

/// What a line of the exec protocol carries, as text.
fn seen(release: Release, line: &str) -> Vec<String> {
    seen_on(MessageSet::Exec, release, line)
}

const NEW: Release = Release::new(0, 169, 0);

pub(crate) fn kinds_around_a_value_are_told_from_bare_ones() {
    let change = |release, change: &str| {
        let line = format!(
            r#"{{"id":"1","msg":{{"type":"patch_apply_begin","call_id":"c","auto_approved":true,"changes":{{"/a":{change}}}}}}}"#
        );
        seen_on(MessageSet::CoreEvents, release, &line)
    };
    let (old, new) = (Release::new(0, 27, 0), Release::new(0, 28, 0));
    assert!(change(old, r#""delete""#).contains(&r#"FileChange `"delete"`"#.to_owned()));
    let whole = change(new, r#"{"delete":{"content":"a"}}"#);
    assert!(whole.contains(&"FileChange `delete`".to_owned()));
    assert!(whole.contains(&"`DeleteChange.content`".to_owned()));
    // The bare form is gone: it is not an alternative, and no row takes it.
    let gone = change(new, r#""delete""#);
    assert!(gone.contains(&"FileChange `no alternative`".to_owned()));
    let beside = change(new, r#"{"delete":{"content":"a"},"extra":1}"#);
    assert!(beside.contains(&"`FileChange.extra`".to_owned()));
}

pub(crate) fn alternatives_are_told_apart_by_their_json_kind() {
    let chunk = |release, chunk: &str| {
        let line = format!(
            r#"{{"id":"1","msg":{{"type":"exec_command_output_delta","call_id":"c","stream":"stdout","chunk":{chunk}}}}}"#
        );
        seen_on(MessageSet::CoreEvents, release, &line)
    };
    let (old, new) = (Release::new(0, 29, 0), Release::new(0, 30, 0));
    let of = |kind: &str| format!("ExecOutputChunk `{kind}`");
    assert!(chunk(old, "[111]").contains(&of("array")));
    assert!(chunk(new, r#""bw==""#).contains(&of("string")));
    assert!(chunk(old, r#""bw==""#).contains(&of("no alternative")));
    assert!(chunk(new, "[111]").contains(&of("no alternative")));
}

pub(crate) fn the_reading_side_takes_more_than_the_writing_side() {
    let release = Release::new(0, 42, 0);
    let line = r#"{"id":"1","op":{"type":"override_turn_context","cwd":null,"sandbox_policy":{"mode":"workspace-write"}}}"#;
    let message_set = MessageSet::CoreSubmissions;
    let found = seen_on(message_set, release, line);
    for feature in [
        "`OverrideTurnContextOp.cwd`: `null`",
        "`OverrideTurnContextOp.effort`: left out",
        "`WorkspaceWritePolicy.network_access`: left out",
    ] {
        assert!(found.contains(&feature.to_owned()), "{feature}");
    }
    let declared = |written| {
        let description = Description {
            written,
            ..Description::of(message_set)
        };
        let inventory = Inventory::new(&description, message_set.release_list().releases());
        let rows = inventory.rows.iter().map(|row| row.feature.to_string());
        rows.collect::<Vec<_>>()
    };
    let null = "`OverrideTurnContextOp.cwd`: `null`".to_owned();
    assert!(declared(false).contains(&null));
    assert!(!declared(true).contains(&null));
}

pub(crate) fn absence_and_null_are_features() {
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

pub(crate) fn the_duplicate_id_is_two_features() {
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

pub(crate) fn untagged_unions_are_told_apart_by_what_fits() {
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

pub(crate) fn what_the_document_does_not_declare_is_not_marked() {
    let description = Description::of(MessageSet::Exec);
    let mut inventory = Inventory::new(&description, Protocol::Exec.release_list().releases());
    let mut unmarked = |release: Release, line: &str| -> Vec<String> {
        let seen = walk(&description, release, line).unwrap();
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

pub(crate) fn members_live_no_longer_than_what_holds_them() {
    let document: Value = json!({
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
    let description = Description {
        document: Document::of(&document),
        root: "Root",
        written: true,
        frames: false,
    };
    let inventory = Inventory::new(&description, &releases);
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
