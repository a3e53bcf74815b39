//! What the types say about releases: lookups, and that every release named is a release.

use std::collections::BTreeSet;

use codex_wire::exec::{
    CollabAgentStatus, CollabToolCallItem, CommandExecutionItem, CommandExecutionStatus, Event,
    ItemTag, McpToolCallItem, McpToolCallResult, PatchApplyStatus, SearchAction, ThreadItem,
    TurnCompletedEvent, Usage, WebSearchItem,
};
use codex_wire::shape::{Form, Member, Presence, ReleaseBounds, Shape};
use codex_wire::{Described, Protocol, Release, ReleaseList};

use crate::support::{files, types};

fn exec() -> ReleaseList {
    Protocol::Exec.release_list()
}

fn release(text: &str) -> Release {
    text.parse().expect("a release number")
}

fn member(shape: &'static Shape, name: &str) -> &'static Member {
    let (Form::Object(members) | Form::Tagged { base: members, .. }) = &shape.form else {
        panic!("{} is an enumeration", shape.name);
    };
    members
        .iter()
        .find(|member| member.name == name)
        .unwrap_or_else(|| panic!("{} has no member {name}", shape.name))
}

#[test]
fn lookups() {
    // The first and the last release that has it, as recorded or read from release tags.
    let table: &[(&Shape, &str, &str)] = &[
        (Event::SHAPE, "thread.started", "0.43.0-alpha.5 or later"),
        (Event::SHAPE, "session.created", "0.43.0-alpha.4 or earlier"),
        (Event::SHAPE, "turn.started", "0.43.0-alpha.1 or later"),
        (Event::SHAPE, "turn.completed", "0.43.0-alpha.1 or later"),
        (Event::SHAPE, "turn.failed", "0.43.0-alpha.5 or later"),
        (Event::SHAPE, "item.started", "every release"),
        (Event::SHAPE, "item.updated", "every release"),
        (Event::SHAPE, "item.completed", "every release"),
        (Event::SHAPE, "error", "every release"),
        (Event::SHAPE, "type", "every release"),
        (ThreadItem::SHAPE, "type", "0.44.0 or later"),
        (ThreadItem::SHAPE, "item_type", "0.43.0 or earlier"),
        (ThreadItem::SHAPE, "id", "every release"),
        (ThreadItem::SHAPE, "agent_message", "0.44.0 or later"),
        (ThreadItem::SHAPE, "assistant_message", "0.43.0 or earlier"),
        (ThreadItem::SHAPE, "mcp_tool_call", "every release"),
        (ThreadItem::SHAPE, "collab_tool_call", "0.92.0 or later"),
        (CommandExecutionItem::SHAPE, "exit_code", "every release"),
        (CommandExecutionStatus::SHAPE, "completed", "every release"),
        (CommandExecutionStatus::SHAPE, "declined", "0.63.0 or later"),
        (PatchApplyStatus::SHAPE, "in_progress", "0.62.0 or later"),
        (PatchApplyStatus::SHAPE, "failed", "every release"),
        (McpToolCallItem::SHAPE, "server", "every release"),
        (McpToolCallItem::SHAPE, "arguments", "0.51.0 or later"),
        (McpToolCallItem::SHAPE, "result", "0.51.0 or later"),
        (McpToolCallItem::SHAPE, "error", "0.51.0 or later"),
        (McpToolCallResult::SHAPE, "_meta", "0.132.0 or later"),
        (WebSearchItem::SHAPE, "id", "0.92.0 or later"),
        (WebSearchItem::SHAPE, "action", "0.92.0 or later"),
        (SearchAction::SHAPE, "queries", "0.93.0 or later"),
        (CollabAgentStatus::SHAPE, "interrupted", "0.115.0 or later"),
        (CollabAgentStatus::SHAPE, "not_found", "every release"),
        (Usage::SHAPE, "input_tokens", "every release"),
        (Usage::SHAPE, "reasoning_output_tokens", "0.125.0 or later"),
        (Usage::SHAPE, "cache_write_input_tokens", "0.145.0 or later"),
        (TurnCompletedEvent::SHAPE, "usage", "every release"),
    ];
    for (shape, name, expected) in table {
        let availability = shape
            .availability(name)
            .map(|availability| availability.to_string());
        assert_eq!(
            availability.as_deref(),
            Some(*expected),
            "{}.{name}",
            shape.name
        );
    }
    for (shape, name) in [
        (Event::SHAPE, "item.deleted"),
        (Usage::SHAPE, "total_tokens"),
        (CommandExecutionStatus::SHAPE, "paused"),
    ] {
        assert_eq!(shape.availability(name), None, "{}.{name}", shape.name);
    }
}

#[test]
fn presence_by_release() {
    use Presence::{Nullable, Optional, Required};
    let check = |shape: &'static Shape, name: &str, expected: &[(&str, Option<Presence>)]| {
        for (at, presence) in expected {
            let release = release(at);
            assert!(exec().releases().contains(&release), "{at} is not listed");
            let found = member(shape, name).presence(release);
            assert_eq!(found, *presence, "{}.{name} in {at}", shape.name);
        }
    };
    check(
        CommandExecutionItem::SHAPE,
        "exit_code",
        &[
            ("0.42.0", Some(Optional)),
            ("0.50.0", Some(Optional)),
            ("0.51.0", Some(Nullable)),
            ("0.169.0", Some(Nullable)),
        ],
    );
    check(
        CommandExecutionItem::SHAPE,
        "command",
        &[("0.42.0", Some(Required)), ("0.169.0", Some(Required))],
    );
    check(
        McpToolCallItem::SHAPE,
        "result",
        &[("0.50.0", None), ("0.51.0", Some(Nullable))],
    );
    check(
        McpToolCallResult::SHAPE,
        "_meta",
        &[("0.131.0", None), ("0.132.0", Some(Optional))],
    );
    check(
        McpToolCallResult::SHAPE,
        "structured_content",
        &[("0.51.0", Some(Nullable))],
    );
    check(
        CollabToolCallItem::SHAPE,
        "prompt",
        &[("0.92.0", Some(Nullable))],
    );
    check(
        Usage::SHAPE,
        "reasoning_output_tokens",
        &[("0.124.0", None), ("0.125.0", Some(Required))],
    );
    check(
        Usage::SHAPE,
        "cache_write_input_tokens",
        &[("0.144.6", None), ("0.145.0", Some(Required))],
    );
    check(
        WebSearchItem::SHAPE,
        "action",
        &[("0.90.0", None), ("0.92.0", Some(Required))],
    );
    check(
        SearchAction::SHAPE,
        "queries",
        &[("0.92.0", None), ("0.93.0", Some(Optional))],
    );
    check(
        ThreadItem::SHAPE,
        "id",
        &[("0.42.0", Some(Required)), ("0.169.0", Some(Required))],
    );
}

#[test]
fn every_release_named_is_on_the_timeline() {
    let mut seen = 0;
    for shape in types::shapes() {
        for (what, availability) in types::availabilities(shape) {
            for end in [availability.since, availability.until]
                .into_iter()
                .flatten()
            {
                assert!(
                    exec().releases().contains(&end),
                    "{what} {availability}: {end} is not listed"
                );
                seen += 1;
            }
            assert!(
                exec()
                    .releases()
                    .iter()
                    .any(|release| availability.contains(*release)),
                "{what} {availability}: no listed release"
            );
            assert_ne!(
                availability.since,
                Some(exec().first()),
                "{what}: the first release needs no since"
            );
            assert_ne!(
                availability.until,
                Some(exec().latest()),
                "{what}: the latest needs no until"
            );
        }
    }
    assert!(seen > 20, "only {seen} ends of availabilities");
}

#[test]
fn optional_ranges_lie_within_their_member() {
    for shape in types::shapes() {
        let (Form::Object(members) | Form::Tagged { base: members, .. }) = &shape.form else {
            continue;
        };
        for member in *members {
            for availability in [member.optional, member.nullable].concat() {
                let both = availability.intersect(member.availability.range);
                assert!(
                    exec()
                        .releases()
                        .iter()
                        .any(|release| both.contains(*release)),
                    "{}.{}: {availability} is outside {}",
                    shape.name,
                    member.name,
                    member.availability
                );
            }
        }
    }
}

/// One spelling of a kind ends where the other begins: in no release two, in none neither.
#[test]
fn renamed_things_follow_each_other() {
    let availability = |shape: &Shape, name: &str| shape.availability(name).expect("a known name");
    for (shape, old, new) in [
        (Event::SHAPE, "session.created", "thread.started"),
        (ThreadItem::SHAPE, "assistant_message", "agent_message"),
        (ThreadItem::SHAPE, "item_type", "type"),
    ] {
        for release in exec().releases() {
            let (old, new) = (availability(shape, old), availability(shape, new));
            assert_ne!(old.contains(*release), new.contains(*release), "{release}");
        }
    }
    let exit_code = member(CommandExecutionItem::SHAPE, "exit_code");
    for release in exec().releases() {
        let presence = exit_code.presence(*release);
        assert!(
            matches!(presence, Some(Presence::Optional | Presence::Nullable)),
            "{release}: {presence:?}"
        );
    }
}

/// Unlisted patch releases have the schemas of the listed release before them.
#[test]
fn unlisted_releases() {
    let exit_code = member(CommandExecutionItem::SHAPE, "exit_code");
    for (unlisted, expected) in [
        ("0.50.7", Presence::Optional),
        ("0.51.0-alpha.3", Presence::Optional),
        ("0.51.9", Presence::Nullable),
        ("0.170.0", Presence::Nullable),
    ] {
        assert!(!exec().releases().contains(&release(unlisted)));
        let listed = exec().resolve(unlisted).unwrap();
        assert_eq!(
            exit_code.presence(listed),
            Some(expected),
            "{unlisted} is {listed}"
        );
    }
    assert_eq!(exec().floor(release("0.42.0-alpha.9")), None);
}

#[test]
fn lifetimes_add_up() {
    let availability = |since: &str, until: &str| ReleaseBounds {
        since: since.parse().ok(),
        until: until.parse().ok(),
    };
    for (a, b, both) in [
        (
            ReleaseBounds::ALWAYS,
            availability("0.44.0", ""),
            availability("0.44.0", ""),
        ),
        (
            availability("0.44.0", ""),
            availability("0.51.0", "0.63.0"),
            availability("0.51.0", "0.63.0"),
        ),
        (
            availability("", "0.43.0"),
            availability("", "0.50.0"),
            availability("", "0.43.0"),
        ),
        (
            availability("0.51.0", ""),
            availability("", "0.50.0"),
            availability("0.51.0", "0.50.0"),
        ),
    ] {
        assert_eq!((a.intersect(b), b.intersect(a)), (both, both));
        for release in exec().releases() {
            let expected = a.contains(*release) && b.contains(*release);
            assert_eq!(
                both.contains(*release),
                expected,
                "{a} and {b} in {release}"
            );
        }
    }
    let text = |since, until| availability(since, until).to_string();
    assert_eq!(text("0.44.0", "0.44.0"), "0.44.0 only");
    assert_eq!(text("0.44.0", "0.50.0"), "0.44.0 to 0.50.0");
}

#[test]
fn numbers_that_are_no_releases() {
    for text in [
        "0.43.0-alpha.4294967295",
        "0.4294967296.0",
        "0.44.0-alpha",
        "rust-",
        "v",
    ] {
        assert!(text.parse::<Release>().is_err(), "{text} was read");
    }
    for text in ["0.44.0", "0.43.0-alpha.4", "0.43.0-alpha.0"] {
        assert_eq!(release(text).to_string(), text);
    }
}

/// The tag a new item gets is the one the newest release writes.
#[test]
fn the_default_tag_is_the_current_one() {
    let item = ThreadItem::new("item_0", codex_wire::exec::ReasoningItem::new("x"));
    assert_eq!(item.tag_key, ItemTag::default());
    assert_eq!(
        codex_wire::to_string(&item),
        r#"{"id":"item_0","type":"reasoning","text":"x"}"#
    );
}

/// The list of types these tests run over is every type of the exec protocol.
#[test]
fn the_list_of_types_is_complete() {
    let source = files::root().join("crates/codex-wire/src/exec");
    let mut declared = BTreeSet::new();
    for path in files::below(&source, "rs") {
        // The legacy form carries the events of another protocol, on another timeline.
        if path.ends_with("legacy.rs") {
            continue;
        }
        let text = files::read(&path);
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if !(line.starts_with("#[derive(") && line.contains("Wire)]")) {
                continue;
            }
            let declaration = lines
                .by_ref()
                .find(|line| line.starts_with("pub "))
                .expect("a declaration follows a derive");
            let name = declaration
                .split_whitespace()
                .nth(2)
                .expect("it has a name");
            declared.insert(name.to_owned());
        }
    }
    // An embedded union is described by the type that embeds it.
    assert!(declared.remove("ThreadItemDetails"));
    let listed: BTreeSet<_> = types::shapes().iter().map(|s| s.name.to_owned()).collect();
    let forgotten: Vec<_> = declared.difference(&listed).collect();
    assert!(forgotten.is_empty(), "{forgotten:?}");
    assert!(declared.len() > 30, "{declared:?}");
}
