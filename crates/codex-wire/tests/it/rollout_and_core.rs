//! Session files and the core protocol share names of types. Up to 0.42.0, where the core protocol
//! ends, what the one type writes the other reads as a whole and writes again, in both directions,
//! except for what is listed here with its reason.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::generate::{Generate, Recipe};
use codex_wire::{Release, Wire};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde::Serialize;
use syn::Item;

use crate::support::files;

/// Releases that have both, and wrote session files as they do today.
const RELEASES: [Release; 4] = [
    Release::new(0, 34, 0),
    Release::new(0, 36, 0),
    Release::new(0, 40, 0),
    Release::new(0, 42, 0),
];

/// What differs although it has the same name, and why.
const DIFFERENT: &[(&str, &str)] = &[
    (
        "EventMsg",
        "files keep few of the kinds of events, and have others that only files have",
    ),
    ("ErrorEvent", NOT_KEPT),
    ("ExecCommandEndEvent", NOT_KEPT),
    ("McpToolCallEndEvent", NOT_KEPT),
    ("PatchApplyEndEvent", NOT_KEPT),
    ("TaskCompleteEvent", NOT_KEPT),
    ("TaskStartedEvent", NOT_KEPT),
    ("WebSearchEndEvent", NOT_KEPT),
    (
        "ParsedCommand",
        "a part of `ExecCommandEndEvent` and of turn items only",
    ),
];

/// Such events have members that came after 0.42.0.
const NOT_KEPT: &str = "not kept in files before 0.100.0";

/// How many values of each type are tried in each release and direction.
const VALUES: usize = 60;

macro_rules! each_shared {
    ($with:ident) => {
        $with!(
            AgentMessageEvent,
            AgentReasoningEvent,
            AgentReasoningRawContentEvent,
            AskForApproval,
            ContentItem,
            CustomToolCallItem,
            CustomToolCallOutputItem,
            EnteredReviewModeEvent,
            ErrorEvent,
            EventMsg,
            ExecCommandEndEvent,
            ExitedReviewModeEvent,
            FunctionCallItem,
            FunctionCallOutputItem,
            InputImageContent,
            LocalShellCallItem,
            McpToolCallEndEvent,
            MessageItem,
            OutputTextContent,
            ParsedCommand,
            PatchApplyEndEvent,
            RateLimitSnapshot,
            RateLimitWindow,
            ReasoningItem,
            ResponseItem,
            TaskCompleteEvent,
            TaskStartedEvent,
            TokenCountEvent,
            TokenUsage,
            TokenUsageInfo,
            TurnAbortReason,
            TurnAbortedEvent,
            UserMessageEvent,
            WebSearchEndEvent,
        )
    };
}

/// What `From` writes in a release and `To` does not read as a whole; nothing if there is no such
/// value.
fn difference<From, To>(release: Release) -> Option<String>
where
    From: Wire + Generate + Serialize,
    To: Wire + Serialize + std::fmt::Debug,
{
    let mut runner = TestRunner::deterministic();
    let strategy = From::generate(Recipe {
        release,
        unknown: false,
    });
    (0..VALUES).find_map(|_| {
        let value = strategy.new_tree(&mut runner).expect("a value").current();
        let text = codex_wire::to_string(&value);
        let problem = match codex_wire::from_str::<To>(&text) {
            Err(error) => error.to_string(),
            Ok(read) if codex_wire::to_string(&read) != text => codex_wire::to_string(&read),
            Ok(read) => unknown_part(&read)?,
        };
        Some(format!("{release} {text}: {problem}"))
    })
}

/// A part that a type does not know; the derived `Debug` names them all alike.
fn unknown_part(value: &impl std::fmt::Debug) -> Option<String> {
    let text = format!("{value:?}");
    ["Unknown(", "Extra([("].iter().find_map(|sign| {
        let at = text.find(sign)?;
        Some(text[at..].chars().take(80).collect())
    })
}

/// What differs, by name.
fn differences() -> BTreeMap<&'static str, Vec<String>> {
    let mut found: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    macro_rules! compare {
        ($($name:ident),* $(,)?) => {
            for release in RELEASES {
                $(
                    let there = difference::<codex_wire::core_protocol::$name, codex_wire::rollout::$name>(release);
                    let back = difference::<codex_wire::rollout::$name, codex_wire::core_protocol::$name>(release);
                    for one in there.into_iter().chain(back) {
                        found.entry(stringify!($name)).or_default().push(one);
                    }
                )*
            }
        };
    }
    each_shared!(compare);
    found
}

#[test]
fn what_has_a_name_of_the_core_protocol_is_the_same_on_the_wire() {
    let found = differences();
    let listed: BTreeMap<&str, &str> = DIFFERENT.iter().copied().collect();
    let is_unlisted = |(name, _): &(&&str, &Vec<String>)| !listed.contains_key(*name);
    let unlisted: BTreeMap<_, _> = found.iter().filter(is_unlisted).collect();
    assert!(unlisted.is_empty(), "{unlisted:#?}");
    for (name, reason) in listed {
        assert!(found.contains_key(name), "{name} is the same, not {reason}");
    }
}

/// The names of the public types below a folder of the sources.
fn types(folder: &str) -> BTreeSet<String> {
    let folder = files::root().join("crates/codex-wire/src").join(folder);
    let mut names = BTreeSet::new();
    for path in files::below(&folder, "rs") {
        let file = syn::parse_file(&files::read(&path)).expect("sources are Rust");
        for item in file.items {
            match item {
                Item::Struct(item) => names.insert(item.ident.to_string()),
                Item::Enum(item) => names.insert(item.ident.to_string()),
                _ => false,
            };
        }
    }
    names
}

#[test]
fn every_shared_name_is_compared() {
    let mut compared = BTreeSet::new();
    macro_rules! name {
        ($($name:ident),* $(,)?) => {
            $(compared.insert(stringify!($name).to_owned());)*
        };
    }
    each_shared!(name);
    let (core, rollout) = (types("core_protocol"), types("rollout"));
    let shared: BTreeSet<String> = core.intersection(&rollout).cloned().collect();
    assert_eq!(compared, shared);
}
