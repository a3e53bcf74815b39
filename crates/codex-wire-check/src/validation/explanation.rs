//! Explains the errors of the `jsonschema` crate: which rule is broken, by which member, and in which
//! releases the message would be valid.

use codex_wire_base::Release;
use codex_wire_base::pointer::unescaped;
use codex_wire_base::shape::ReleaseBounds;
use codex_wire_schema::ir::{Member, Object, Schema, Tagged, Undeclared};
use codex_wire_schema::{Document, Parts};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::schema_violation::SchemaViolation;
use super::schema_walk::{Node, SchemaWalk};
use crate::inference::unspoken::WRONG_RELEASE;
use crate::phrasing::{kind, member, named, subject, types};
use crate::pointer::push_segment;
use crate::rule::EVERY_MESSAGE_FITS;
use crate::rule_macros::rules;
use crate::similar::similar;
use crate::validation::schema_violation::OUT_OF_RANGE;

/// The tag of JSON-RPC, which nobody calls a kind.
const METHOD: &str = "method";

/// One kind of message as it is explained.
#[derive(Clone, Copy)]
pub(super) struct Explanation<'j> {
    pub(super) document: &'static Document,
    pub(super) releases: &'static [Release],
    pub(super) refusal: &'j str,
    /// What the release says of such messages.
    pub(super) root: Node<'j>,
    /// The definitions that this leads to.
    pub(super) definitions: &'j Parts,
    /// Whether violations are only counted, so that their texts are not needed.
    pub(super) is_brief: bool,
}

/// A union whose variants are told apart by a tag.
#[derive(Clone, Copy)]
pub(super) struct TaggedUnion<'s> {
    pub(super) title: Option<&'s str>,
    /// What the release says of it.
    pub(super) of_release: &'s Tagged,
    /// What the document of all releases says of it.
    pub(super) of_all: Option<&'static Tagged>,
}

impl<'j> Explanation<'j> {
    /// What the document of all releases says of a member of the object at `pointer`.
    pub(super) fn declared(
        &self,
        message: &Value,
        pointer: &str,
        name: &str,
    ) -> Option<&'static Member> {
        self.object(message, pointer)?.member(name)
    }

    /// What it says of the object.
    pub(super) fn object(&self, message: &Value, pointer: &str) -> Option<&'static Object> {
        self.object_of(self.holder(message, pointer))
    }

    /// What it says of a definition that is an object.
    fn object_of(&self, definition: &str) -> Option<&'static Object> {
        let definition = self.document.schema(definition);
        definition.unwrap_or_else(|| self.document.root()).object()
    }

    /// The releases that leave out a member which others always write.
    fn without(&self, member: &Member) -> Option<ReleaseBounds> {
        if !member.written.is_empty() {
            return self.without_written(member);
        }
        if let Some(last) = member.optional.last() {
            return Some(*last);
        }
        let releases = self.releases;
        let availability = member.availability.range;
        let before = |since| releases.iter().copied().rfind(|release| *release < since);
        let after = |until| releases.iter().copied().find(|release| *release > until);
        let (until, since) = (
            availability.since.and_then(before),
            availability.until.and_then(after),
        );
        match (since, until) {
            (_, Some(_)) => Some(ReleaseBounds { since: None, until }),
            (Some(_), None) => Some(ReleaseBounds { since, until }),
            (None, None) => member.availability.gaps.last().copied(),
        }
    }

    /// As [`without`](Self::without), of a member that some releases always write although it may be
    /// left out: the last run of releases that do not.
    fn without_written(&self, member: &Member) -> Option<ReleaseBounds> {
        let any = |ranges: &[ReleaseBounds], release| ranges.iter().any(|r| r.contains(release));
        let lacks = |release: Release| {
            !member.availability.contains(release)
                || any(&member.optional, release) && !any(&member.written, release)
        };
        let last = self.releases.iter().rposition(|release| lacks(*release))?;
        let before = &self.releases[..last];
        let first = before.iter().rposition(|release| !lacks(*release));
        let since = first.map(|at| self.releases[at + 1]);
        let is_newest = last + 1 == self.releases.len();
        Some(ReleaseBounds {
            since,
            until: (!is_newest).then(|| self.releases[last]),
        })
    }

    pub(super) fn walk(&self) -> SchemaWalk<'j> {
        SchemaWalk::new(self.root, self.definitions)
    }

    /// The definition that the tag of a union's value chooses, or what is wrong with the tag.
    pub(super) fn choose<'s>(
        &self,
        pointer: &str,
        union: TaggedUnion<'s>,
        value: &Value,
    ) -> Result<&'s str, Box<SchemaViolation>> {
        let key: &str = &union.of_release.tag;
        let name = union.title.unwrap_or("union");
        let Value::Object(members) = value else {
            let message = format!("expected an object ({name}), found {}", kind(value));
            return Err(Box::new(SchemaViolation::new(
                &WRONG_TYPE,
                pointer,
                message,
            )));
        };
        let mut at_tag = pointer.to_owned();
        push_segment(&mut at_tag, key);
        let Some(tag) = members.get(key) else {
            return Err(Box::new(tag_missing(pointer, union, members)));
        };
        let Some(tag) = tag.as_str() else {
            let tagged = if key == METHOD { "" } else { "the tag " };
            let message = format!("{tagged}`{key}` is {}, not a string", kind(tag));
            let rule = if tag.is_null() { &NULL } else { &WRONG_TYPE };
            return Err(Box::new(SchemaViolation::new(rule, at_tag, message)));
        };
        if let Some(variant) = union.of_release.variant(tag) {
            return Ok(&variant.definition);
        }
        if let Some(variant) = union.of_all.and_then(|union| union.variant(tag)) {
            let ranges = variant.availability.ranges(self.releases);
            let of = if key == METHOD { "" } else { " of kind" };
            let message = format!("{name}{of} `{tag}`");
            let fault = SchemaViolation::elsewhere(at_tag, message, &ranges);
            return Err(Box::new(fault.hiding()));
        }
        let kind = if key == METHOD { METHOD } else { "kind" };
        let message = format!("{name} of unknown {kind}{}", named(tag));
        let mut fault = SchemaViolation::new(&UNKNOWN_KIND, at_tag, message);
        if !self.is_brief {
            fault.help = known_kinds(union.of_release, kind, tag);
        }
        Err(Box::new(fault))
    }

    /// Puts one of the validator's errors in our words, unless the value matches no variant of a union:
    /// `choice.rs` explains that.
    pub(super) fn explain_one(
        &self,
        error: &ValidationError<'_>,
        message: &Value,
        out: &mut Vec<SchemaViolation>,
    ) {
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
                SchemaViolation::new(&MISSING_MEMBER, pointer, String::new())
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let text = format!("{} lacks `{name}`", self.holder(message, pointer));
                let declared = self.declared(message, pointer, name);
                SchemaViolation {
                    releases: declared.and_then(|member| self.without(member)),
                    ..SchemaViolation::new(&MISSING_MEMBER, pointer, text)
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
                    return out.push(SchemaViolation::new(&NULL, pointer, String::new()));
                }
                let text = format!("{subject} is `null`, which {}", self.refusal);
                let nullable = pointer.rsplit_once('/').and_then(|(holder, name)| {
                    let member = self.declared(message, holder, &unescaped(name))?;
                    member.nullable.last().copied()
                });
                SchemaViolation {
                    releases: nullable,
                    ..SchemaViolation::new(&NULL, pointer, text)
                }
            }
            ValidationErrorKind::Type { .. } if self.is_brief => {
                SchemaViolation::new(&WRONG_TYPE, pointer, String::new())
            }
            ValidationErrorKind::Type { kind: expected } => {
                let expected = types(expected);
                let found = match value {
                    Value::Number(_) if expected.contains("integer") => "a number with a fraction",
                    other => kind(other),
                };
                let text = format!("{subject} is {found}, not {expected}");
                SchemaViolation::new(&WRONG_TYPE, pointer, text)
            }
            ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
                self.wrong_value(message, pointer, value)
            }
            ValidationErrorKind::Minimum { limit } => {
                let text = format!("{subject} is below {limit}");
                SchemaViolation::new(&OUT_OF_RANGE, pointer, text)
            }
            ValidationErrorKind::Maximum { limit } => {
                let text = format!("{subject} is above {limit}");
                SchemaViolation::new(&OUT_OF_RANGE, pointer, text)
            }
            ValidationErrorKind::Pattern { .. } => {
                let text = format!("{subject} is not base64: standard alphabet, padded");
                SchemaViolation::new(&WRONG_TYPE, pointer, text)
            }
            ValidationErrorKind::MinLength { .. } => {
                let text = format!("{subject} is empty, which {}", self.refusal);
                SchemaViolation::new(&WRONG_TYPE, pointer, text)
            }
            ValidationErrorKind::Not { .. } => {
                let text = format!("{subject} has no value but `null` in this release");
                SchemaViolation::new(&WRONG_TYPE, pointer, text)
            }
            other => {
                let text = format!("{subject} does not fit (`{}`)", other.keyword());
                SchemaViolation::new(&WRONG_TYPE, pointer, text)
            }
        };
        out.push(fault);
    }

    /// A member that is there and should not be: another release's, or nobody's.
    fn undeclared(&self, pointer: &str, holder: &str, name: &str) -> SchemaViolation {
        let mut at = pointer.to_owned();
        push_segment(&mut at, name);
        let definition = self.document.schema(holder).and_then(Schema::object);
        let closed = definition.filter(|object| object.undeclared == Undeclared::Refused);
        if let Some(object) = closed
            && object.members.len() == 1
            && let Some(only) = object.required.first()
        {
            let text = format!(
                "{holder} holds `{only}` and nothing beside it, here also {}",
                member(name)
            );
            return SchemaViolation {
                of_name: true,
                ..SchemaViolation::new(&UNKNOWN_MEMBER, at, text)
            };
        }
        let known = self
            .object_of(holder)
            .and_then(|object| object.member(name));
        let mut fault = match known {
            _ if self.is_brief => {
                let rule = match known {
                    Some(_) => &WRONG_RELEASE,
                    None => &UNKNOWN_MEMBER,
                };
                SchemaViolation::new(rule, at, String::new())
            }
            Some(known) => SchemaViolation::elsewhere(
                at,
                format!("{} of {holder}", member(name)),
                &known.availability.ranges(self.releases),
            ),
            None => SchemaViolation::new(
                &UNKNOWN_MEMBER,
                at,
                format!("{holder} has no member {} in any release", member(name)),
            ),
        };
        // Nobody takes others beside the members of a closed object.
        fault.undeclared = closed.is_none();
        fault.of_name = true;
        fault
    }

    /// A string that is not in its list: another release's, or nobody's.
    fn wrong_value(&self, message: &Value, pointer: &str, value: &Value) -> SchemaViolation {
        let subject = subject(pointer);
        let Some(text) = value.as_str() else {
            let text = format!("{subject} is {}, not a string", kind(value));
            return SchemaViolation::new(&WRONG_TYPE, pointer, text);
        };
        let node = self.walk().node_at(message, pointer);
        let known = node
            .and_then(|node| self.document.schema(node.name?))
            .and_then(|definition| {
                let mut values = definition.enum_values().iter();
                values.find(|known| known.value == text)
            });
        let mut fault = match known {
            Some(known) => SchemaViolation::elsewhere(
                pointer,
                format!("the value `{text}` of {subject}"),
                &known.availability.ranges(self.releases),
            ),
            None => SchemaViolation::new(
                &UNKNOWN_VALUE,
                pointer,
                match &*named(text) {
                    "" => format!("{subject} has a value that no release writes"),
                    name => format!("{subject} has the value{name}, which no release writes"),
                },
            ),
        };
        let values = node.map_or(&[][..], |node| node.schema.enum_values());
        if !values.is_empty() {
            let values: Vec<&str> = values.iter().map(|value| &*value.value).collect();
            fault.help = Some(format!("known values: {}", values.join(", ")));
        }
        fault
    }

    /// The name of the definition that the object at `pointer` is a value of.
    pub(super) fn holder(&self, message: &Value, pointer: &str) -> &'j str {
        let node = self.walk().node_at(message, pointer);
        let title = || self.root.schema.title.as_deref();
        node.and_then(|node| node.name)
            .or_else(|| pointer.is_empty().then(title).flatten())
            .unwrap_or("the object")
    }
}

/// The kinds there are; of a great many only those that begin alike.
fn known_kinds(union: &Tagged, kind: &str, tag: &str) -> Option<String> {
    const MANY: usize = 40;
    let mut kinds: Vec<&str> = union.variants.iter().map(|variant| &*variant.tag).collect();
    kinds.sort_unstable();
    let meant = similar(tag, kinds.iter().copied());
    let listed = listed(kinds, kind, tag, MANY);
    match (meant, listed) {
        (Some(meant), Some(listed)) => Some(format!("did you mean `{meant}`? {listed}")),
        (Some(meant), None) => Some(format!("did you mean `{meant}`?")),
        (None, listed) => listed,
    }
}

/// The kinds if there are not many, or else those that begin as the tag does.
fn listed(mut kinds: Vec<&str>, kind: &str, tag: &str, many: usize) -> Option<String> {
    let mut which = "";
    if kinds.len() > many {
        fn group(kind: &str) -> Option<&str> {
            kind.rfind('/').map(|end| &kind[..=end])
        }
        let of_tag = group(tag);
        kinds.retain(|kind| of_tag.is_some() && group(kind) == of_tag);
        which = " that begin so";
    }
    (1..=many)
        .contains(&kinds.len())
        .then(|| format!("known {kind}s{which}: {}", kinds.join(", ")))
}

/// A tag that is missing may be there in the spelling of other releases.
fn tag_missing(
    pointer: &str,
    union: TaggedUnion<'_>,
    members: &Map<String, Value>,
) -> SchemaViolation {
    let key = &union.of_release.tag;
    let spellings = union.of_all.map_or(&[][..], |union| &union.spellings);
    let other = spellings
        .iter()
        .find(|spelling| members.contains_key(&*spelling.name));
    let Some(spelling) = other else {
        let text = format!("the tag `{key}` is missing");
        return SchemaViolation::new(&MISSING_MEMBER, pointer, text);
    };
    let releases = spelling.availability.range;
    let spelling = &spelling.name;
    let mut at = pointer.to_owned();
    push_segment(&mut at, spelling);
    let text = format!("the tag is spelt `{spelling}`, as in {releases}, not `{key}`");
    SchemaViolation {
        releases: Some(releases),
        ..SchemaViolation::new(&WRONG_RELEASE, at, text).hiding()
    }
}

rules! {
    MISSING_MEMBER {
        summary: "a message has every member that its release always writes",
        id: "schema/missing-member",
        explanation: "Typed clients reject the whole message if a required member is missing. If the \
            finding names other releases, one of those wrote the message, or `--release` is \
            wrong.",
        evidence: EVERY_MESSAGE_FITS,
    }
    NULL {
        summary: "members are `null` only where the release writes `null`",
        id: "schema/null",
        explanation: "An absent member and `null` are different. Which of them Codex writes changed \
            between releases.",
        evidence: EVERY_MESSAGE_FITS,
    }
    UNKNOWN_KIND {
        summary: "events, items and actions have a kind that some release writes",
        id: "schema/unknown-kind",
        explanation: "This kind of message is not known, so nothing else in it is checked. The tag \
            is misspelled, comes from a fork of Codex, or is newer than this program.",
        evidence: EVERY_MESSAGE_FITS,
    }
    UNKNOWN_MEMBER {
        summary: "objects have only members that some release writes (an error with `--profile \
            exact`, a warning with the default profile)",
        id: "schema/unknown-member",
        explanation: "No release that this program knows writes the member at this place. It is \
            misspelled, in the wrong object, an extension, or newer than this program. The \
            profile `known`, which is the default, accepts it with a warning, as clients should.",
        evidence: EVERY_MESSAGE_FITS,
    }
    UNKNOWN_VALUE {
        summary: "enumerations have only values that some release writes",
        id: "schema/unknown-value",
        explanation: "Clients with a closed enumeration reject the message. The finding lists the \
            known values.",
        evidence: EVERY_MESSAGE_FITS,
    }
    WRONG_TYPE {
        summary: "members have the JSON type the release writes",
        id: "schema/wrong-type",
        explanation: "For example a number instead of a string, an object instead of an array, or a \
            string in the wrong encoding, such as text that is not base64. Typed clients reject \
            the message.",
        evidence: EVERY_MESSAGE_FITS,
    }
}
