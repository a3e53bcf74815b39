//! What the types write for a release is what the schemas of that release accept.

use std::sync::LazyLock;

use codex_wire::exec::{Event, ThreadItemDetails};
use codex_wire::generate::{Generate, Recipe};
use codex_wire::mcp::ContentBlock;
use codex_wire::{Maybe, Protocol, Release};
use codex_wire_schema::{Draft, Profile, Span, project, spans, timeline};
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use serde_json::Value;

use crate::support::validator;

/// The four schemas of a span of releases.
struct Schemas {
    span: Span,
    validators: Vec<(Profile, Draft, Validator)>,
}

static SCHEMAS: LazyLock<Vec<Schemas>> = LazyLock::new(|| {
    let of = |span: &Span| {
        let pairs = Profile::ALL
            .into_iter()
            .flat_map(|profile| Draft::ALL.map(|draft| (profile, draft)));
        let validators = pairs.map(|(profile, draft)| {
            let schema = project(Protocol::Exec, span.since, profile, draft);
            (profile, draft, validator(&schema))
        });
        Schemas {
            span: *span,
            validators: validators.collect(),
        }
    };
    spans(Protocol::Exec).iter().map(of).collect()
});

impl Schemas {
    /// Whether the schema of a profile accepts a message. Both drafts have to agree.
    fn accept(&self, profile: Profile, message: &Value) -> bool {
        let verdicts: Vec<bool> = self
            .validators
            .iter()
            .filter(|(p, ..)| *p == profile)
            .map(|(_, _, validator)| validator.is_valid(message))
            .collect();
        assert_eq!(verdicts.len(), 2);
        assert_eq!(verdicts[0], verdicts[1], "the drafts disagree");
        verdicts[0]
    }

    /// What an exact schema has against a message.
    fn complaints(&self, message: &Value) -> String {
        let (.., validator) = &self.validators[2];
        let errors = validator.iter_errors(message);
        errors.map(|error| format!("{error}\n")).collect()
    }
}

/// Runs a property on values of every span. `PROPTEST_CASES` sets how many of each.
fn for_every_span(unknown: bool, cases: u32, property: fn(&Schemas, &Event)) {
    for schemas in SCHEMAS.iter() {
        let recipe = Recipe {
            release: schemas.span.since,
            unknown,
        };
        let mut config = Config::with_source_file(file!());
        if std::env::var_os("PROPTEST_CASES").is_none() {
            config.cases = cases;
        }
        let outcome = TestRunner::new(config).run(&Event::generate(recipe), |event| {
            property(schemas, &event);
            Ok(())
        });
        if let Err(TestError::Fail(reason, event)) = outcome {
            let line = codex_wire::to_string(&event);
            panic!(
                "{reason}\nrelease {}, as a fixture:\n{line}",
                recipe.release
            );
        }
    }
}

fn json(event: &Event) -> Value {
    serde_json::to_value(event).unwrap()
}

#[test]
fn what_a_release_writes_is_accepted_by_its_schemas() {
    for_every_span(false, 256, |schemas, event| {
        let message = json(event);
        for profile in Profile::ALL {
            let complaints = schemas.complaints(&message);
            assert!(schemas.accept(profile, &message), "{profile}: {complaints}");
        }
    });
}

/// The document of all releases accepts what any of them writes.
#[test]
fn what_a_release_writes_is_accepted_by_the_timeline() {
    static TIMELINE: LazyLock<Validator> = LazyLock::new(|| validator(&timeline(Protocol::Exec)));
    for_every_span(false, 32, |_, event| {
        assert!(TIMELINE.is_valid(&json(event)));
    });
}

#[test]
fn what_no_release_writes_is_rejected_by_exact() {
    for_every_span(true, 256, |schemas, event| {
        let text = codex_wire::to_string(event);
        let again: Event = codex_wire::from_str(&text).unwrap();
        assert_eq!(codex_wire::to_string(&again), text);
        let message = json(event);
        let Unknown { members, kinds } = unknown(event, schemas.span.since);
        let exact = schemas.accept(Profile::Exact, &message);
        assert_eq!(
            exact,
            !members && !kinds,
            "{}",
            schemas.complaints(&message)
        );
        // Clients should accept members they do not know.
        assert_eq!(schemas.accept(Profile::Open, &message), !kinds);
    });
}

/// Every release's values against every other release's schemas: whatever the verdict, the
/// drafts agree, and exact accepts nothing that open does not.
#[test]
fn drafts_agree_on_what_other_releases_write() {
    for_every_span(true, 32, |_, event| {
        let message = json(event);
        for schemas in SCHEMAS.iter() {
            let open = schemas.accept(Profile::Open, &message);
            let exact = schemas.accept(Profile::Exact, &message);
            assert!(open || !exact, "{}", schemas.span.since);
        }
    });
}

/// What a message holds that no release writes.
struct Unknown {
    members: bool,
    /// Kinds of message, item and action, and values of enumerations.
    kinds: bool,
}

/// Looks for what the types could not name. They keep it in `extra` and in `Unknown`, and
/// their debug text shows both; generated texts are too short to look like either.
fn unknown(event: &Event, release: Release) -> Unknown {
    let mut text = format!("{event:?}");
    // Blocks of a tool's answer are raw JSON to the types. Up to 0.94.0 they had a shape.
    if release < Release::new(0, 95, 0)
        && let Some(ThreadItemDetails::McpToolCall(call)) = event.item().map(|i| &i.details)
        && let Maybe::Value(result) = &call.result
    {
        for content in &result.content {
            let block: ContentBlock = content.block().unwrap();
            text.push_str(&format!("{block:?}"));
        }
    }
    let members = text.matches("Extra([").count() > text.matches("Extra([])").count();
    Unknown {
        members,
        kinds: text.contains("Unknown("),
    }
}

/// Half of the values are to be tried on, else the property above says little.
#[test]
fn unknown_things_are_generated() {
    use proptest::strategy::ValueTree;
    let mut runner = TestRunner::deterministic();
    let release = Release::new(0, 169, 0);
    let strategy = Event::generate(Recipe {
        release,
        unknown: true,
    });
    let (mut members, mut kinds, mut neither) = (0, 0, 0);
    for _ in 0..200 {
        let event = strategy.new_tree(&mut runner).unwrap().current();
        let found = unknown(&event, release);
        members += usize::from(found.members && !found.kinds);
        kinds += usize::from(found.kinds);
        neither += usize::from(!found.members && !found.kinds);
    }
    assert!(
        members > 20 && kinds > 20 && neither > 20,
        "{members} {kinds} {neither}"
    );
}
