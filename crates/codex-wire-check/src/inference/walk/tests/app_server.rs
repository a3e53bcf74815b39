//! Compares inference with exact projections for the app-server.
//!
//! The app-server has hundreds of kinds of message in a hundred release ranges. So each kind is
//! tried for some of the ranges, and other ranges for each kind; all kinds together try every
//! range. With `CODEX_WIRE_TESTS=wide` each kind is tried for each range.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use codex_wire_schema::Parts as Projected;

use super::*;

/// What a kind is compared with in a range, if the range has it.
type Made = Option<Rc<Validator>>;

/// The projections of a message set, taken apart by kind; what two ranges say alike is made once.
struct Parts {
    message_set: MessageSet,
    ranges: &'static [ReleaseRange],
    /// By kind, in order: which of them a kind is compared with goes by its place.
    kinds: Vec<&'static str>,
    by_kind: RefCell<BTreeMap<(usize, usize), Made>>,
    by_text: RefCell<BTreeMap<String, Rc<Validator>>>,
}

impl Parts {
    fn new(message_set: MessageSet) -> Self {
        let ranges = release_ranges(message_set);
        let union = annotated(message_set).root().tagged();
        let variants = union.into_iter().flat_map(|union| &union.variants);
        Parts {
            message_set,
            ranges,
            kinds: variants.map(|variant| &*variant.tag).collect(),
            by_kind: RefCell::default(),
            by_text: RefCell::default(),
        }
    }

    /// The ranges a kind is compared with.
    fn tried(&self, kind: Option<usize>) -> impl Iterator<Item = usize> + use<> {
        let step = if sampling::is_wide() {
            1
        } else {
            (self.kinds.len() / 8).clamp(1, 12)
        };
        (kind.unwrap_or(0) % step..self.ranges.len()).step_by(step)
    }

    /// What a kind is compared with in a range, if it has it; without a kind, the whole.
    fn validator(&self, kind: Option<usize>, range: usize) -> Made {
        let key = (kind.map_or(0, |kind| kind + 1), range);
        if let Some(known) = self.by_kind.borrow().get(&key) {
            return known.clone();
        }
        let made = self.schema(kind, range).map(|schema| {
            let mut known = self.by_text.borrow_mut();
            let validator = || jsonschema::options().build(&schema).unwrap().into();
            Rc::clone(known.entry(schema.to_string()).or_insert_with(validator))
        });
        self.by_kind.borrow_mut().insert(key, made.clone());
        made
    }

    fn schema(&self, kind: Option<usize>, range: usize) -> Option<Value> {
        let release = self.ranges[range].since;
        let stability = Stability::Experimental;
        let projected = Projected::new(self.message_set, release, Profile::Known, stability);
        let mut schema = match kind {
            Some(kind) => {
                let variant = projected.root().tagged()?.variant(self.kinds[kind])?;
                projected.with_reached(&variant.definition)
            }
            None => {
                let stability = Stability::Experimental;
                let (profile, draft) = (Profile::Known, Draft::Draft202012);
                let mut whole = project(self.message_set, release, profile, draft, stability);
                let members = whole.as_object_mut()?;
                // What names the range would keep it from being like another one.
                members.retain(|key, _| !["$id", "$comment", "x-releases"].contains(&key.as_str()));
                whole
            }
        };
        forbid_others(&mut schema, annotated(self.message_set).whole());
        Some(schema)
    }

    /// The ranges of those asked that take a message.
    fn taking(&self, message: &Value) -> (ReleaseSet, ReleaseSet) {
        let tagged = !self.kinds.is_empty();
        let of_kind = |kind: &&'static str| message.get("method").is_some_and(|tag| tag == *kind);
        let kind = self.kinds.iter().position(of_kind);
        let (mut asked, mut taking) = (ReleaseSet::EMPTY, ReleaseSet::EMPTY);
        for range in self.tried(kind) {
            asked |= ReleaseSet::one(range);
            let validator = if tagged && kind.is_none() {
                None
            } else {
                self.validator(kind, range)
            };
            if validator.is_some_and(|validator| validator.is_valid(message)) {
                taking |= ReleaseSet::one(range);
            }
        }
        (asked, taking)
    }
}

fn agrees(message_set: MessageSet) {
    let parts = Parts::new(message_set);
    let inference = ReleaseInference::new(message_set, parts.ranges);
    let counts = Cell::new((0, 0));
    let covered = Cell::new(ReleaseSet::EMPTY);
    let last = parts.ranges.len() - 1;
    for index in 0..5 {
        let range = parts.ranges[index * last / 4];
        let mut config = Config::with_source_file(file!());
        if std::env::var_os("PROPTEST_CASES").is_none() {
            config.cases = (parts.kinds.len() as u32 * 2).max(50);
        }
        let recipe = Recipe {
            release: range.since,
            unknown: index % 2 == 1,
        };
        let messages = changed(trees(message_set, recipe));
        let outcome = TestRunner::new(config).run(&messages, |message| {
            let (asked, taking) = parts.taking(&message);
            let bits = inference.of(&message);
            prop_assert_eq!(bits & asked, taking, "as a fixture: {}", message);
            covered.set(covered.get() | asked);
            let (placed, lost) = counts.get();
            counts.set(match bits.is_empty() {
                true => (placed, lost + 1),
                false => (placed + 1, lost),
            });
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{message_set} {}: {error}", range.since));
    }
    let (placed, lost) = counts.get();
    assert!(placed > 50 && lost > 50, "{placed} placed, {lost} not");
    let left = ReleaseSet::first(parts.ranges.len()) & !covered.get();
    assert!(
        left.is_empty(),
        "ranges of {message_set} that nothing was compared with: {left:?}"
    );
}

#[test]
fn agrees_with_projections_of_client_requests() {
    agrees(MessageSet::AppServerClientRequests);
}

#[test]
fn agrees_with_projections_of_client_notifications() {
    agrees(MessageSet::AppServerClientNotifications);
}

#[test]
fn agrees_with_projections_of_client_responses() {
    agrees(MessageSet::AppServerClientResponses);
}

#[test]
fn agrees_with_projections_of_server_requests() {
    agrees(MessageSet::AppServerServerRequests);
}

#[test]
fn agrees_with_projections_of_server_notifications() {
    agrees(MessageSet::AppServerServerNotifications);
}

#[test]
fn agrees_with_projections_of_server_responses() {
    agrees(MessageSet::AppServerServerResponses);
}

#[test]
fn agrees_with_projections_of_errors() {
    agrees(MessageSet::AppServerErrors);
}

/// Tools of before 0.141.0 have no tag, and Codex goes by the tag if it is there.
#[test]
fn a_tag_that_is_null_is_a_tag() {
    let message_set = MessageSet::AppServerClientRequests;
    let ranges = release_ranges(message_set);
    let inference = ReleaseInference::new(message_set, ranges);
    let may_be_newest = |tool: &str| {
        let tool = format!(r#"{{"name":"a","description":"b","inputSchema":true{tool}}}"#);
        let text =
            format!(r#"{{"id":0,"method":"thread/start","params":{{"dynamicTools":[{tool}]}}}}"#);
        let bits = inference.of(&serde_json::from_str(&text).unwrap());
        bits.contains(ranges.len() - 1)
    };
    assert!(may_be_newest(""));
    assert!(may_be_newest(r#","type":"function""#));
    for tag in ["null", "5", r#""other""#] {
        assert!(!may_be_newest(&format!(r#","type":{tag}"#)), "{tag}");
    }
}
