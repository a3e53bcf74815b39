//! What the types write for a release is what the schemas of that release accept.

use std::sync::LazyLock;

use codex_wire::generate::Recipe;
use codex_wire::mcp::ContentBlock;
use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_schema::{
    Draft, Profile, ReleaseRange, Stability, all_releases, is_small, project, release_ranges,
};
use jsonschema::Validator;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestError, TestRunner};
use sampling::Extent;
use serde_json::Value;
use test_support::{again, messages, shown, through_serde, tree};

/// The schemas of a range of releases of a message set.
struct Schemas {
    message_set: MessageSet,
    range: ReleaseRange,
    validators: Vec<(Profile, Draft, Validator)>,
}

static SCHEMAS: LazyLock<Vec<Schemas>> = LazyLock::new(|| {
    let of = |message_set: MessageSet, range: &ReleaseRange| {
        let pairs = Profile::ALL
            .into_iter()
            .flat_map(|profile| Draft::ALL.map(|draft| (profile, draft)));
        let validators = pairs.map(|(profile, draft)| {
            let schema = project(
                message_set,
                range.since,
                profile,
                draft,
                Stability::Experimental,
            );
            (profile, draft, validator(&schema))
        });
        Schemas {
            message_set,
            range: *range,
            validators: validators.collect(),
        }
    };
    let message_sets = MessageSet::ALL.iter();
    message_sets
        .flat_map(|message_set| tried(*message_set).map(move |range| of(*message_set, range)))
        .collect()
});

/// The ranges to try: all, or some of those of a large message set that changes all the time, the
/// newest among them.
fn tried(message_set: MessageSet) -> impl Iterator<Item = &'static ReleaseRange> {
    let ranges = release_ranges(message_set);
    let wanted = match sampling::extent() {
        _ if is_small(message_set) => ranges.len(),
        Extent::Sample => 3,
        Extent::Wide => 12,
        Extent::All => ranges.len(),
    };
    let step = ranges.len().div_ceil(wanted.max(1));
    ranges.iter().rev().step_by(step)
}

/// A validator as another program would make it of the file: whole, formats checked.
fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .should_validate_formats(true)
        .build(schema)
        .unwrap_or_else(|error| panic!("{}: {error}", schema["$id"]))
}

/// Looks for what the types could not name in a message. They keep it in `extra` and in `Unknown`,
/// and their debug text shows both; generated texts are too short to look like either.
fn unknown(message_set: MessageSet, release: Release, message: &str) -> Unknown {
    let mut text = shown(message_set, message).unwrap();
    // Up to 0.94.0 the blocks of a tool's answer had a shape.
    if release < Release::new(0, 95, 0) {
        blocks(&tree(message), &mut text);
    }
    // From 0.138.0 on any word may say how hard a model is to think.
    if release >= Release::new(0, 138, 0) {
        for said in [r#"effort: Value(Unknown(""#, r#"effort: Unknown(""#] {
            let of_word = |rest: &str| match rest.starts_with('"') {
                true => format!("{said}{rest}"),
                false => format!("effort: {rest}"),
            };
            let mut parts = text.split(said);
            let first = parts.next().unwrap_or_default().to_owned();
            text = parts.map(of_word).fold(first, |text, part| text + &part);
        }
    }
    Unknown {
        members: text.matches("Extra([").count() > text.matches("Extra([])").count(),
        kinds: text.contains("Unknown(") || text.contains("UnknownExternal"),
    }
}

/// A word for the effort is not an unknown kind, whether the member may be absent or not.
#[test]
fn an_effort_is_any_word() {
    let message = r#"{"timestamp":"","ordinal":0,"type":"response_item","payload":{"type":"configuration_update","reasoning":{"effort":"EFFORT"}}}"#;
    let kinds = |effort: &str| {
        let message = message.replace("EFFORT", effort);
        unknown(MessageSet::Rollout, Release::new(0, 169, 0), &message).kinds
    };
    assert!(!kinds("x_q"));
    assert!(kinds(""));
}

/// The debug text of the blocks of tools' answers, which are raw JSON to the types.
fn blocks(json: &Value, debug: &mut String) {
    if let Value::Array(elements) = json {
        elements.iter().for_each(|element| blocks(element, debug));
    }
    for (name, member) in json.as_object().into_iter().flatten() {
        let answer = member.get("Ok").unwrap_or(member);
        if let ("result", Some(Value::Array(content))) = (name.as_str(), answer.get("content")) {
            for content in content {
                let block: ContentBlock = codex_wire::from_str(&content.to_string()).unwrap();
                *debug += &format!("{block:?}");
            }
        }
        blocks(member, debug);
    }
}

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
        let exact = self.validators.iter().find(|(p, ..)| *p == Profile::Exact);
        let (.., validator) = exact.unwrap();
        let errors = validator.iter_errors(message);
        errors.map(|error| format!("{error}\n")).collect()
    }
}

/// Runs a property on values of every range of every message set. `PROPTEST_CASES` sets how many of
/// each; else it is `cases`, and fewer where values are large.
fn for_every_range(unknown: bool, cases: u32, property: fn(&Schemas, &str)) {
    for schemas in SCHEMAS.iter() {
        let recipe = Recipe {
            release: schemas.range.since,
            unknown,
        };
        let mut config = Config::with_source_file(file!());
        if std::env::var_os("PROPTEST_CASES").is_none() {
            config.cases = match schemas.message_set {
                MessageSet::Exec => cases,
                message_set if message_set.has_stabilities() => cases / 8,
                _ => cases / 2,
            };
        }
        let values = messages(schemas.message_set, recipe);
        let outcome = TestRunner::new(config).run(&values, |message| {
            property(schemas, &message);
            Ok(())
        });
        if let Err(TestError::Fail(reason, message)) = outcome {
            panic!(
                "{reason}\n{} {}, as a fixture:\n{message}",
                schemas.message_set, recipe.release
            );
        }
    }
}

#[test]
fn what_a_release_speaks_is_accepted_by_its_schemas() {
    for_every_range(false, 256, |schemas, message| {
        for profile in Profile::ALL {
            let complaints = schemas.complaints(&tree(message));
            let accepted = schemas.accept(profile, &tree(message));
            assert!(accepted, "{profile}: {complaints}");
        }
    });
}

/// The document of all releases accepts what any of them speaks.
#[test]
fn what_a_release_speaks_is_accepted_by_the_timeline() {
    static RELEASE_LISTS: LazyLock<Vec<(MessageSet, Validator)>> = LazyLock::new(|| {
        let of = |message_set: &MessageSet| (*message_set, validator(&all_releases(*message_set)));
        MessageSet::ALL.iter().map(of).collect()
    });
    for_every_range(false, 32, |schemas, message| {
        let of_message_set =
            |(message_set, _): &&(MessageSet, _)| *message_set == schemas.message_set;
        let (_, validator) = RELEASE_LISTS.iter().find(of_message_set).unwrap();
        assert!(validator.is_valid(&tree(message)));
    });
}

/// Whether a message has a `HookMetadata`. A hook that runs a command has the same members in both forms of
/// that type, so the first is taken, and writes those of 0.129.0 to 0.147.0 in its own order.
fn has_two_forms(message: &str) -> bool {
    message.contains("\"method\":\"hooks/list\"")
}

#[test]
fn what_no_release_speaks_is_rejected_by_exact() {
    for_every_range(true, 256, |schemas, message| {
        let message_set = schemas.message_set;
        let read = again(message_set, message);
        if has_two_forms(message) {
            assert_eq!(read.as_deref().map(tree), Ok(tree(message)));
        } else {
            assert_eq!(read.as_deref(), Ok(message));
        }
        assert_eq!(through_serde(message_set, message), Ok(tree(message)));
        if tells_unknown_apart(message_set) {
            let Unknown { members, kinds } = unknown(message_set, schemas.range.since, message);
            let message = tree(message);
            let exact = schemas.accept(Profile::Exact, &message);
            assert_eq!(
                exact,
                !members && !kinds,
                "{}",
                schemas.complaints(&message)
            );
            assert_eq!(schemas.accept(Profile::Known, &message), !kinds);
            // Clients should accept what they do not know.
            assert!(schemas.accept(Profile::Open, &message), "{message}");
        }
    });
}

/// Every release's values against every other release's schemas: whatever the verdict, the
/// drafts agree, and exact accepts nothing that known does not, and known nothing that open does not.
#[test]
fn drafts_agree_on_what_other_releases_speak() {
    for_every_range(true, 24, |schemas, message| {
        let message = tree(message);
        let of_message_set = |other: &&Schemas| other.message_set == schemas.message_set;
        for other in SCHEMAS.iter().filter(of_message_set) {
            let [open, known, exact] = Profile::ALL.map(|profile| other.accept(profile, &message));
            assert!(open || !known, "{}", other.range.since);
            assert!(known || !exact, "{}", other.range.since);
        }
    });
}

/// What a message holds that no release writes.
struct Unknown {
    members: bool,
    /// Kinds of message, item and action, and values of enumerations.
    kinds: bool,
}

/// Whether what no release writes can be seen in the debug text. The app-server has kinds that
/// are called `unknown` and mean it; what its schemas reject is held by the checker's mutants and
/// by the comparison with the official schemas. So it is with hooks: any name of a tool is
/// right, and what hooks print is closed in both profiles.
fn tells_unknown_apart(message_set: MessageSet) -> bool {
    !message_set.has_stabilities() && message_set.protocol() != Protocol::Hooks
}

/// All sorts of values are to be tried on, else the property above says little.
#[test]
fn unknown_things_are_generated() {
    use proptest::strategy::ValueTree;
    let message_sets = MessageSet::ALL.iter().copied();
    for message_set in message_sets.filter(|message_set| tells_unknown_apart(*message_set)) {
        let mut runner = TestRunner::deterministic();
        let recipe = Recipe {
            release: message_set.release_list().latest(),
            unknown: true,
        };
        let strategy = messages(message_set, recipe);
        let (mut members, mut kinds, mut neither) = (0, 0, 0);
        for _ in 0..600 {
            let message = strategy.new_tree(&mut runner).unwrap().current();
            let found = unknown(message_set, recipe.release, &message);
            members += usize::from(found.members && !found.kinds);
            kinds += usize::from(found.kinds);
            neither += usize::from(!found.members && !found.kinds);
        }
        assert!(
            members > 20 && kinds > 5 && neither > 20,
            "{message_set}: {members} {kinds} {neither}"
        );
    }
}
