//! Values of every generated type of the app-server, as a release writes them, are what that
//! release's schema of the type accepts: each type in its last release and in one other, another
//! for each, so that all types together try every release. With
//! `CODEX_WIRE_TESTS=all` each is tried in all its releases.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::generate::{Generate, Recipe};
use codex_wire::shape::{Form, Shape};
use codex_wire::{Described, MessageSet, Protocol, Release, Wire};
use codex_wire_schema::{Parts, Profile, Stability, annotated};
use jsonschema::Validator;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value};
use test_support::tree;

/// Definitions of upstream that no message refers to, and the types of their variants. They are types,
/// because upstream has them, but stand in no schema.
const UNREACHED: [&str; 23] = [
    "AppConfig",
    "AppDisabledReason",
    "AppLinkConfig",
    "AppLinksConfig",
    "AppToolConfig",
    "AppToolsConfig",
    "CancelledUserVerificationErrorDetails",
    "FailedUserVerificationErrorDetails",
    "FunctionCallOutputPayload",
    "InvalidRequestVerificationError",
    "ModelProviderError",
    "ModelProviderMismatchModelProviderError",
    "ModelProviderNotConfiguredProviderError",
    "ModelProviderPolicyConflictProviderError",
    "RejectConfig",
    "SandboxCommandAssessment2",
    "ToolExposureSurface",
    "UnavailableUserVerificationErrorDetails",
    "UserVerificationCancellationReason",
    "UserVerificationErrorDetails",
    "UserVerificationFailureReason",
    "UserVerificationInvalidRequestReason",
    "UserVerificationRpcError",
];

/// A type whose values can be made, without its name in the code.
struct Type {
    name: String,
    shape: &'static Shape,
    possible: fn(Recipe) -> bool,
    values: fn(Recipe) -> Values,
}

/// Makes one value after the other.
type Values = Box<dyn FnMut(&mut TestRunner) -> Value>;

fn of<T>() -> Type
where
    T: Generate + Wire + serde::Serialize + schemars::JsonSchema + Described,
{
    Type {
        name: T::schema_name().into_owned(),
        shape: T::SHAPE,
        possible: T::possible,
        values: |recipe| {
            let strategy = T::generate(recipe);
            Box::new(move |runner| {
                let value = strategy.new_tree(runner).unwrap().current();
                tree(&codex_wire::to_string(&value))
            })
        },
    }
}

/// Every generated type that can be read by itself.
fn all() -> Vec<Type> {
    use codex_wire::app_server::types::{events::*, v1::*, *};
    include!("../../../../crates/codex-wire/tests/it/app_server_types.in")
}

impl Type {
    /// The releases that have values of it, as the end of its documentation says.
    fn releases(&self) -> Vec<Release> {
        let words = self.shape.docs.rsplit("\n\n").next().unwrap_or_default();
        let words = words
            .trim_end_matches(" Experimental.")
            .trim_end_matches('.');
        let release = |text: &str| text.parse::<Release>().ok();
        let (since, until) = match words.split_whitespace().collect::<Vec<_>>()[..] {
            ["Since", since] => (release(since), None),
            ["Until", until] => (None, release(until)),
            ["From", since, "to", until] => (release(since), release(until)),
            ["In", only, "only"] => (release(only), release(only)),
            _ => (None, None),
        };
        let all = Protocol::AppServer
            .release_list()
            .releases()
            .iter()
            .copied();
        all.filter(|release| since.is_none_or(|since| since <= *release))
            .filter(|release| until.is_none_or(|until| *release <= until))
            .filter(|release| {
                (self.possible)(Recipe {
                    release: *release,
                    unknown: false,
                })
            })
            .collect()
    }

    fn schema(&self, message_set: MessageSet, release: Release) -> TypeSchema {
        let (profile, stability) = (Profile::Exact, Stability::Experimental);
        let schema = Parts::new(message_set, release, profile, stability).with_reached(&self.name);
        let members = schema["$defs"][&self.name]["properties"].as_object();
        let constant = |(name, member): (&String, &Value)| {
            let value = member.get("const")?.clone();
            Some((name.clone(), value))
        };
        TypeSchema {
            tags: members.into_iter().flatten().filter_map(constant).collect(),
            members: members
                .into_iter()
                .flatten()
                .map(|(name, _)| name.clone())
                .collect(),
            validator: jsonschema::options().build(&schema).unwrap(),
        }
    }
}

impl Type {
    /// Whether the union around it writes members beside its own: then it is whole only there.
    fn is_part(&self, schema: &TypeSchema) -> bool {
        let Form::Object(members) = &self.shape.form else {
            return false;
        };
        let own = |name: &String| members.iter().any(|member| member.name == *name);
        schema
            .members
            .iter()
            .any(|name| !own(name) && !schema.tags.contains_key(name))
    }

    /// How many values to make: a few of each variant.
    fn cases(&self) -> usize {
        let variants = match &self.shape.form {
            Form::Tagged { variants, .. } => variants.len(),
            Form::Adjacent { variants, .. } => variants.len(),
            Form::ExternallyTagged(variants) => variants.len(),
            Form::Untagged(variants) => variants.len(),
            _ => 1,
        };
        4 * variants.min(30)
    }
}

/// The schema of a type in a release.
struct TypeSchema {
    /// What the union around a variant writes into it.
    tags: Map<String, Value>,
    members: BTreeSet<String>,
    validator: Validator,
}

impl TypeSchema {
    /// What it has against a value.
    fn complaints(&self, value: &Value) -> Vec<String> {
        let mut whole = value.clone();
        if let Value::Object(members) = &mut whole {
            for (tag, kind) in &self.tags {
                members.entry(tag.clone()).or_insert_with(|| kind.clone());
            }
        }
        let errors = self.validator.iter_errors(&whole);
        errors.map(|error| error.to_string()).collect()
    }
}

#[test]
fn values_of_every_type_conform() {
    let mut message_sets: BTreeMap<&str, MessageSet> = BTreeMap::new();
    let lines = MessageSet::ALL
        .iter()
        .filter(|message_set| message_set.has_stabilities());
    for message_set in lines {
        let definitions = annotated(*message_set).whole()["$defs"]
            .as_object()
            .unwrap();
        for name in definitions.keys() {
            message_sets.entry(name).or_insert(*message_set);
        }
    }
    let every = sampling::is_all();
    let mut runner = TestRunner::deterministic();
    let (mut types, mut values, mut strange, mut refused) = (0, 0, 0, 0);
    let mut tried: BTreeSet<Release> = BTreeSet::new();
    let mut unreached = Vec::new();
    let mut parts = BTreeSet::new();
    let all = all();
    for (index, ty) in all.iter().enumerate() {
        let Some(message_set) = message_sets.get(ty.name.as_str()) else {
            unreached.push(ty.name.as_str());
            continue;
        };
        types += 1;
        let mut releases = ty.releases();
        let last = releases.len() - 1;
        if !every && last > 0 {
            releases = vec![releases[index % last], releases[last]];
        }
        for release in releases {
            tried.insert(release);
            let schema = ty.schema(*message_set, release);
            let mut next = (ty.values)(Recipe {
                release,
                unknown: false,
            });
            if ty.is_part(&schema) {
                parts.insert(&ty.name);
                continue;
            }
            for _ in 0..ty.cases() {
                let value = next(&mut runner);
                values += 1;
                let errors = schema.complaints(&value);
                assert!(
                    errors.is_empty(),
                    "{} of {release}: {errors:#?}\n{value}",
                    ty.name
                );
            }
            // What no release writes is refused, where there is a place for it.
            let value = (ty.values)(Recipe {
                release,
                unknown: true,
            })(&mut runner);
            strange += 1;
            refused += usize::from(!schema.complaints(&value).is_empty());
        }
    }
    assert_eq!(unreached, UNREACHED, "types that are in no schema");
    assert!(
        types > 1500 && values > 10_000,
        "{types} types, {values} values"
    );
    assert!(
        parts.len() < 100,
        "{} types are parts: {parts:?}",
        parts.len()
    );
    assert!(refused * 4 > strange, "{refused} of {strange} refused");
    let left = Protocol::AppServer.release_list().releases().len() - tried.len();
    assert_eq!(left, 0, "releases that no type was tried in");
}
