//! Validates a message against the exact schema of one release range, and explains the errors of
//! the `jsonschema` crate.
//!
//! A judge takes the exact projection apart by kind of message. For each kind it makes a compiled
//! schema and a validator when the first such message comes (`part.rs`). An explanation says which
//! rule is broken, by which member, and in which releases the message would be valid; `follow.rs`
//! finds the definition that a value was meant to be.

mod choice;
mod chosen;
mod dispatch;
mod envelope;
mod experimental;
mod fault;
mod part;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};

use codex_wire_base::shape::Lifetime;
use codex_wire_base::{Release, Surface};
use codex_wire_schema::{
    Document, Draft, Parts, Profile, Span, Stability, annotated, lifetime_beside, lifetime_in,
    lifetimes_in, project, stretches_beside, stretches_in,
};
use foldhash::fast::RandomState;
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

pub(crate) use self::envelope::envelope;
pub(crate) use self::experimental::Experimental;
pub(crate) use self::fault::Fault;
use self::part::{Origin, Part};
use crate::follow::{Schema, arms, chosen, mapping, plain};
use crate::rules;
use crate::scan::push_segment;
use crate::words::{kind, member, named, subject, types};

/// The exact projection of one span of releases, taken apart: what a message of each kind is
/// held against is made when the first such message comes.
pub(crate) struct Judge {
    /// What all releases write.
    document: &'static Document,
    /// The releases there are.
    releases: &'static [Release],
    /// That the releases do not do what they should not, in words.
    refusal: String,
    /// Where parts are projected from; otherwise they are cut out of `top`.
    source: Option<Arc<Parts>>,
    /// The union of all messages without its definitions; the whole schema where it is no union
    /// that a tag tells apart.
    top: Value,
    /// By definition, in order; the empty name stands for the whole schema where it is no tagged
    /// union.
    parts: Vec<(String, OnceLock<Part>)>,
    /// Which part a tag stands for, where messages are told apart by one.
    by_tag: Option<HashMap<String, usize, RandomState>>,
}

/// The tag of JSON-RPC, which nobody calls a kind.
const METHOD: &str = "method";

/// One kind of message as it is explained.
#[derive(Clone, Copy)]
struct Reading<'j> {
    document: &'static Document,
    releases: &'static [Release],
    refusal: &'j str,
    schema: &'j Value,
    /// Whether faults are only counted, so that nobody reads what is said of them.
    is_brief: bool,
}

impl Judge {
    pub(crate) fn new(surface: Surface, span: Span) -> Self {
        let verb = match surface.is_written() {
            true => "write",
            false => "read",
        };
        let refusal = match span.since == span.until {
            true => format!("{} does not {verb}", span.since),
            false => format!("{} to {} do not {verb}", span.since, span.until),
        };
        let (document, releases) = (annotated(surface), surface.timeline().releases());
        if document.top().get("x-tags").is_some() {
            let (profile, stability) = (Profile::Exact, Stability::Experimental);
            let parts = Parts::new(surface, span.since, profile, stability);
            let top = parts.top();
            let judge = Self::of_document(document, releases, top, refusal);
            return Judge {
                source: Some(Arc::new(parts)),
                ..judge
            };
        }
        let schema = project(
            surface,
            span.since,
            Profile::Exact,
            Draft::Draft202012,
            Stability::Experimental,
        );
        Self::of_document(document, releases, schema, refusal)
    }

    fn of_document(
        document: &'static Document,
        releases: &'static [Release],
        top: Value,
        refusal: String,
    ) -> Self {
        let mapping = mapping(&top);
        let names: BTreeSet<String> = mapping.values().cloned().chain([String::new()]).collect();
        let names: Vec<String> = names.into_iter().collect();
        let by_tag = mapping
            .into_iter()
            .filter_map(|(tag, name)| Some((tag, names.binary_search(&name).ok()?)));
        let is_tagged = top.get("discriminator").is_some();
        let by_tag = is_tagged.then(|| by_tag.collect());
        Judge {
            document,
            releases,
            refusal,
            source: None,
            top,
            parts: names
                .into_iter()
                .map(|name| (name, OnceLock::new()))
                .collect(),
            by_tag,
        }
    }

    /// What is wrong with `message`; nothing if the release writes such messages. Where faults are
    /// only counted, no words are found for them.
    pub(crate) fn faults(&self, message: &Value, is_brief: bool) -> Vec<Fault> {
        let part = match self.part_for(message, is_brief) {
            Ok(part) => part,
            Err(fault) => return vec![*fault],
        };
        let mut faults = Vec::new();
        let reading = Reading {
            is_brief,
            ..self.reading(part.schema())
        };
        for error in part.validator().iter_errors(message) {
            reading.explain(&error, message, &mut faults);
        }
        // A value of the wrong type breaks several keywords at once; once said is enough.
        let mut said = BTreeSet::new();
        faults.retain(|fault| {
            let about_type = *fault.rule == rules::WRONG_TYPE || *fault.rule == rules::NULL;
            !about_type || said.insert(fault.pointer.clone())
        });
        faults
    }

    /// What all releases say of the members of an object.
    pub(crate) fn members(&self, message: &Value, object: &str) -> Option<&'static Value> {
        let part = self.part_for(message, true).ok()?;
        self.reading(part.schema()).members(message, object)
    }

    fn reading<'j>(&'j self, schema: &'j Value) -> Reading<'j> {
        Reading {
            document: self.document,
            releases: self.releases,
            refusal: &self.refusal,
            schema,
            is_brief: false,
        }
    }

    /// What a message is to be held against, by its tag.
    fn part_for(&self, message: &Value, is_brief: bool) -> Result<&Part, Box<Fault>> {
        let reading = Reading {
            is_brief,
            ..self.reading(&self.top)
        };
        let chosen = match &self.by_tag {
            Some(_) => reading.choose("", &self.top, self.document.top(), message)?,
            None => String::new(),
        };
        let place = self.parts.binary_search_by(|(name, _)| name.cmp(&chosen));
        Ok(self.part(place.expect("a tag is mapped to one of the parts")))
    }

    fn part(&self, place: usize) -> &Part {
        let (name, part) = &self.parts[place];
        part.get_or_init(|| self.make(name))
    }

    fn make(&self, definition: &str) -> Part {
        Part::new(match &self.source {
            Some(parts) => Origin::Projection(Arc::clone(parts), definition.to_owned()),
            None => Origin::Schema(self.top.clone()),
        })
    }
}

impl Reading<'_> {
    /// What the document of all releases says of a member of the object at `pointer`.
    fn declared(&self, message: &Value, pointer: &str, name: &str) -> Option<&'static Value> {
        self.members(message, pointer)?.get(name)
    }

    /// What it says of all of them.
    fn members(&self, message: &Value, pointer: &str) -> Option<&'static Value> {
        self.members_of(self.holder(message, pointer))
    }

    /// What it says of the members of a definition.
    fn members_of(&self, definition: &str) -> Option<&'static Value> {
        let definition = self.document.definition(definition);
        definition
            .unwrap_or_else(|| self.document.top())
            .get("properties")
    }

    /// The releases that leave out a member which others always write.
    fn without(&self, member: &Value) -> Option<Lifetime> {
        if let Some(optional) = member.get("x-optional") {
            return lifetimes_in(optional).last().copied();
        }
        let releases = self.releases;
        let life = lifetime_beside(member);
        let before = |since| releases.iter().copied().rfind(|release| *release < since);
        let after = |until| releases.iter().copied().find(|release| *release > until);
        let (until, since) = (life.since.and_then(before), life.until.and_then(after));
        match (since, until) {
            (_, Some(_)) => Some(Lifetime { since: None, until }),
            (Some(_), None) => Some(Lifetime { since, until }),
            (None, None) => lifetimes_in(member.get("x-gaps")?).last().copied(),
        }
    }

    fn follow(&self) -> Schema<'_> {
        Schema::new(self.schema)
    }

    /// The definition that the tag of a union's value chooses, or what is wrong with the tag.
    fn choose(
        &self,
        pointer: &str,
        union: &Value,
        timeline: &Value,
        value: &Value,
    ) -> Result<String, Box<Fault>> {
        let key = union["discriminator"]["propertyName"]
            .as_str()
            .unwrap_or("type");
        let name = union["title"].as_str().unwrap_or("union");
        let Value::Object(members) = value else {
            let message = format!("expected an object ({name}), found {}", kind(value));
            return Err(Box::new(Fault::new(&rules::WRONG_TYPE, pointer, message)));
        };
        let mut at_tag = pointer.to_owned();
        push_segment(&mut at_tag, key);
        let Some(tag) = members.get(key) else {
            return Err(Box::new(tag_missing(pointer, key, timeline, members)));
        };
        let Some(tag) = tag.as_str() else {
            let tagged = if key == METHOD { "" } else { "the tag " };
            let message = format!("{tagged}`{key}` is {}, not a string", kind(tag));
            let rule = if tag.is_null() {
                &rules::NULL
            } else {
                &rules::WRONG_TYPE
            };
            return Err(Box::new(Fault::new(rule, at_tag, message)));
        };
        if let Some(definition) = chosen(union, tag) {
            return Ok(definition.to_owned());
        }
        if let Some(arm) = arms(timeline).find(|arm| arm["x-tag"] == tag) {
            let stretches = stretches_beside(arm, self.releases);
            let of = if key == METHOD { "" } else { " of kind" };
            let message = format!("{name}{of} `{tag}`");
            let fault = Fault::elsewhere(at_tag, message, &stretches);
            return Err(Box::new(fault.hiding()));
        }
        let kind = if key == METHOD { METHOD } else { "kind" };
        let message = format!("{name} of unknown {kind}{}", named(tag));
        let mut fault = Fault::new(&rules::UNKNOWN_KIND, at_tag, message);
        if !self.is_brief {
            fault.help = known_kinds(union, kind, tag);
        }
        Err(Box::new(fault))
    }

    /// Puts one of the validator's errors in our words.
    fn explain(&self, error: &ValidationError<'_>, message: &Value, out: &mut Vec<Fault>) {
        let pointer = error.instance_path().as_str();
        let Some(value) = message.pointer(pointer) else {
            return;
        };
        let subject = match self.is_brief {
            true => String::new(),
            false => subject(pointer),
        };
        let fault = match error.kind() {
            ValidationErrorKind::Required { .. } if self.is_brief => {
                Fault::new(&rules::MISSING_MEMBER, pointer, String::new())
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let text = format!("{} lacks `{name}`", self.holder(message, pointer));
                let declared = self.declared(message, pointer, name);
                Fault {
                    releases: declared.and_then(|member| self.without(member)),
                    ..Fault::new(&rules::MISSING_MEMBER, pointer, text)
                }
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let holder = self.holder(message, pointer);
                let undeclared = |name: &String| self.undeclared(pointer, holder, name);
                out.extend(unexpected.iter().map(undeclared));
                return;
            }
            ValidationErrorKind::Type { .. } if value.is_null() => {
                if self.is_brief {
                    return out.push(Fault::new(&rules::NULL, pointer, String::new()));
                }
                let text = format!("{subject} is `null`, which {}", self.refusal);
                let nullable = pointer.rsplit_once('/').and_then(|(holder, name)| {
                    self.declared(message, holder, &plain(name))?
                        .get("x-nullable")
                });
                Fault {
                    releases: nullable.and_then(|spans| lifetimes_in(spans).last().copied()),
                    ..Fault::new(&rules::NULL, pointer, text)
                }
            }
            ValidationErrorKind::Type { .. } if self.is_brief => {
                Fault::new(&rules::WRONG_TYPE, pointer, String::new())
            }
            ValidationErrorKind::Type { kind: expected } => {
                let expected = types(expected);
                let found = match value {
                    Value::Number(_) if expected.contains("integer") => "a number with a fraction",
                    other => kind(other),
                };
                let text = format!("{subject} is {found}, not {expected}");
                Fault::new(&rules::WRONG_TYPE, pointer, text)
            }
            ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
                self.wrong_value(message, pointer, value)
            }
            ValidationErrorKind::Minimum { limit } => {
                let text = format!("{subject} is below {limit}");
                Fault::new(&rules::OUT_OF_RANGE, pointer, text)
            }
            ValidationErrorKind::Maximum { limit } => {
                let text = format!("{subject} is above {limit}");
                Fault::new(&rules::OUT_OF_RANGE, pointer, text)
            }
            ValidationErrorKind::Pattern { .. } => {
                let text = format!("{subject} is not base64: standard alphabet, padded");
                Fault::new(&rules::WRONG_TYPE, pointer, text)
            }
            ValidationErrorKind::MinLength { .. } => {
                let text = format!("{subject} is empty, which {}", self.refusal);
                Fault::new(&rules::WRONG_TYPE, pointer, text)
            }
            ValidationErrorKind::AnyOf { context }
                if self.is_about_members(context, message, pointer) =>
            {
                self.none_of_the_members(context, message, pointer)
            }
            ValidationErrorKind::OneOfNotValid { context }
            | ValidationErrorKind::AnyOf { context } => {
                if let Some(choice) = self.follow().choice_at(message, pointer) {
                    let choice = self.open_choice(choice, pointer, value);
                    self.explain_choice(context, &choice, pointer, message, out);
                }
                return;
            }
            ValidationErrorKind::Not { .. } => {
                let text = format!("{subject} has no value but `null` in this release");
                Fault::new(&rules::WRONG_TYPE, pointer, text)
            }
            other => {
                let text = format!("{subject} does not fit (`{}`)", other.keyword());
                Fault::new(&rules::WRONG_TYPE, pointer, text)
            }
        };
        out.push(fault);
    }

    /// A member that is there and should not be: another release's, or nobody's.
    fn undeclared(&self, pointer: &str, holder: &str, name: &str) -> Fault {
        let mut at = pointer.to_owned();
        push_segment(&mut at, name);
        let definition = self.document.definition(holder).unwrap_or(&Value::Null);
        let closed = definition["additionalProperties"] == false;
        let members = definition["properties"].as_object().map_or(0, Map::len);
        if closed
            && members == 1
            && let Some(only) = definition["required"][0].as_str()
        {
            let text = format!(
                "{holder} holds `{only}` and nothing beside it, here also {}",
                member(name)
            );
            return Fault {
                of_name: true,
                ..Fault::new(&rules::UNKNOWN_MEMBER, at, text)
            };
        }
        let known = self
            .members_of(holder)
            .and_then(|members| members.get(name));
        let mut fault = match known {
            _ if self.is_brief => {
                let rule = match known {
                    Some(_) => &rules::WRONG_RELEASE,
                    None => &rules::UNKNOWN_MEMBER,
                };
                Fault::new(rule, at, String::new())
            }
            Some(known) => Fault::elsewhere(
                at,
                format!("{} of {holder}", member(name)),
                &stretches_beside(known, self.releases),
            ),
            None => Fault::new(
                &rules::UNKNOWN_MEMBER,
                at,
                format!("{holder} has no member {} in any release", member(name)),
            ),
        };
        // Nobody takes others beside the members of a closed object.
        fault.undeclared = !closed;
        fault.of_name = true;
        fault
    }

    /// A string that is not in its list: another release's, or nobody's.
    fn wrong_value(&self, message: &Value, pointer: &str, value: &Value) -> Fault {
        let subject = subject(pointer);
        let Some(text) = value.as_str() else {
            let text = format!("{subject} is {}, not a string", kind(value));
            return Fault::new(&rules::WRONG_TYPE, pointer, text);
        };
        let node = self.follow().node_at(message, pointer);
        let about = node
            .as_ref()
            .and_then(|node| self.document.definition(node.name?))
            .and_then(|definition| definition["x-values"].get(text));
        let mut fault = match about {
            Some(about) => Fault::elsewhere(
                pointer,
                format!("the value `{text}` of {subject}"),
                &stretches_in(about, self.releases),
            ),
            None => Fault::new(
                &rules::UNKNOWN_VALUE,
                pointer,
                format!("{subject} has a value{} no release writes", named(text)),
            ),
        };
        let values: Vec<&str> = node
            .and_then(|node| node.schema.get("enum")?.as_array())
            .map(|values| values.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        if !values.is_empty() {
            fault.help = Some(format!("known values: {}", values.join(", ")));
        }
        fault
    }

    /// The name of the definition that the object at `pointer` is a value of.
    fn holder(&self, message: &Value, pointer: &str) -> &str {
        let node = self.follow().node_at(message, pointer);
        let title = || self.follow().root()["title"].as_str();
        node.and_then(|node| node.name)
            .or_else(|| pointer.is_empty().then(title).flatten())
            .unwrap_or("the object")
    }
}

/// The kinds there are; of a great many only those that begin alike.
fn known_kinds(union: &Value, kind: &str, tag: &str) -> Option<String> {
    const MANY: usize = 40;
    let mut kinds: Vec<_> = mapping(union).into_keys().collect();
    let mut which = "";
    if kinds.len() > MANY {
        let group = |kind: &str| kind.rfind('/').map(|end| kind[..=end].to_owned());
        let of_tag = group(tag);
        kinds.retain(|kind| of_tag.is_some() && group(kind) == of_tag);
        which = " that begin so";
    }
    (1..=MANY)
        .contains(&kinds.len())
        .then(|| format!("known {kind}s{which}: {}", kinds.join(", ")))
}

/// A tag that is missing may be there in the spelling of other releases.
fn tag_missing(pointer: &str, key: &str, timeline: &Value, members: &Map<String, Value>) -> Fault {
    let other = timeline["x-tags"]
        .as_object()
        .into_iter()
        .flatten()
        .find(|(spelling, _)| members.contains_key(*spelling));
    let Some((spelling, span)) = other else {
        let text = format!("the tag `{key}` is missing");
        return Fault::new(&rules::MISSING_MEMBER, pointer, text);
    };
    let releases = lifetime_in(span);
    let mut at = pointer.to_owned();
    push_segment(&mut at, spelling);
    let text = format!("the tag is spelt `{spelling}`, as in {releases}, not `{key}`");
    Fault {
        releases: Some(releases),
        ..Fault::new(&rules::WRONG_RELEASE, at, text).hiding()
    }
}

#[cfg(test)]
mod tests;
