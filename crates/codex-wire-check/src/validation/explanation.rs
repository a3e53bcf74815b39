//! Explains the errors of the `jsonschema` crate: which rule is broken, by which member, and in which
//! releases the message would be valid.

use std::sync::Arc;

use codex_wire_base::Release;
use codex_wire_base::pointer::unescaped;
use codex_wire_base::shape::ReleaseBounds;
use codex_wire_schema::ir::{Member, Object, Schema, Tagged, Text, Undeclared};
use codex_wire_schema::{Document, Parts};
use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};

use super::schema_violation::{
    Above, Below, KindElsewhere, MemberElsewhere, OtherSpelling, SchemaViolation, ValueElsewhere,
};
use super::schema_walk::{Node, SchemaWalk};
use crate::inference::unspoken::WRONG_RELEASE;
use crate::phrasing::{Joined, is_name, kind, member, named, subject, types};
use crate::pointer::push_segment;
use crate::rule::EVERY_MESSAGE_FITS;
use crate::rule_macros::rules;
use crate::similar::similar;

/// The tag of JSON-RPC, which nobody calls a kind.
const METHOD: &str = "method";

/// One kind of message as it is explained.
#[derive(Clone, Copy)]
pub(super) struct Explanation<'j> {
    pub(super) document: &'static Document,
    pub(super) releases: &'static [Release],
    pub(super) refusal: &'j Arc<str>,
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
    pub(super) title: Option<&'s Text>,
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
        let name = || union.title.cloned().unwrap_or_else(|| "union".into());
        let Value::Object(members) = value else {
            let (union, found) = (name(), kind(value));
            let how = NoObject { union, found };
            return Err(Box::new(SchemaViolation::new(how, pointer)));
        };
        let mut at_tag = pointer.to_owned();
        push_segment(&mut at_tag, key);
        let Some(tag) = members.get(key) else {
            return Err(Box::new(tag_missing(pointer, union, members)));
        };
        let Some(tag) = tag.as_str() else {
            let tagged = if key == METHOD { "" } else { "the tag " };
            let subject = format!("{tagged}`{key}`");
            return Err(Box::new(match tag {
                Value::Null => SchemaViolation::new(NullTag { subject }, at_tag),
                _ => SchemaViolation::new(WrongType::no_string(subject, tag), at_tag),
            }));
        };
        if let Some(variant) = union.of_release.variant(tag) {
            return Ok(&variant.definition);
        }
        if let Some(variant) = union.of_all.and_then(|union| union.variant(tag)) {
            let ranges = variant.availability.ranges(self.releases);
            let of = if key == METHOD { "" } else { " of kind" };
            let fault = SchemaViolation::elsewhere(at_tag, ranges, |releases| KindElsewhere {
                union: name(),
                of,
                tag: variant.tag.clone(),
                releases,
            });
            return Err(Box::new(fault.hiding()));
        }
        let kind = if key == METHOD { METHOD } else { "kind" };
        let how = UnknownKind {
            union: name(),
            kind,
            tag: named(tag),
        };
        let mut fault = SchemaViolation::new(how, at_tag);
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
                SchemaViolation::counted(&MISSING_MEMBER, pointer)
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let declared = self.declared(message, pointer, name);
                let (holder, name) = (self.holder(message, pointer), name.to_owned());
                SchemaViolation {
                    releases: declared.and_then(|member| self.without(member)),
                    ..SchemaViolation::new(Lacks { holder, name }, pointer)
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
                    return out.push(SchemaViolation::counted(&NULL, pointer));
                }
                let refusal = Arc::clone(self.refusal);
                let nullable = pointer.rsplit_once('/').and_then(|(holder, name)| {
                    let member = self.declared(message, holder, &unescaped(name))?;
                    member.nullable.last().copied()
                });
                SchemaViolation {
                    releases: nullable,
                    ..SchemaViolation::new(IsNull { subject, refusal }, pointer)
                }
            }
            ValidationErrorKind::Type { .. } if self.is_brief => {
                SchemaViolation::counted(&WRONG_TYPE, pointer)
            }
            ValidationErrorKind::Type { kind: expected } => {
                let expected = types(expected);
                let found = match value {
                    Value::Number(_) if expected.contains("integer") => "a number with a fraction",
                    other => kind(other),
                };
                let how = WrongType {
                    subject,
                    found,
                    expected,
                };
                SchemaViolation::new(how, pointer)
            }
            ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
                self.wrong_value(message, pointer, value)
            }
            ValidationErrorKind::Minimum { limit } => {
                let limit = limit.clone();
                SchemaViolation::new(Below { subject, limit }, pointer)
            }
            ValidationErrorKind::Maximum { limit } => {
                let limit = limit.clone();
                SchemaViolation::new(Above { subject, limit }, pointer)
            }
            ValidationErrorKind::Pattern { .. } => {
                SchemaViolation::new(NotBase64 { subject }, pointer)
            }
            ValidationErrorKind::MinLength { .. } => {
                let refusal = Arc::clone(self.refusal);
                SchemaViolation::new(Empty { subject, refusal }, pointer)
            }
            ValidationErrorKind::Not { .. } => SchemaViolation::new(OnlyNull { subject }, pointer),
            other => {
                let keyword = other.keyword().to_owned();
                SchemaViolation::new(Unfit { subject, keyword }, pointer)
            }
        };
        out.push(fault);
    }

    /// A member that is there and should not be: another release's, or nobody's.
    fn undeclared(&self, pointer: &str, holder: &'static str, name: &str) -> SchemaViolation {
        let mut at = pointer.to_owned();
        push_segment(&mut at, name);
        let definition = self.document.schema(holder).and_then(Schema::object);
        let closed = definition.filter(|object| object.undeclared == Undeclared::Refused);
        if let Some(object) = closed
            && object.members.len() == 1
            && let Some(only) = object.required.first()
        {
            let (only, name) = (only.clone(), member(name));
            return SchemaViolation {
                of_name: true,
                ..SchemaViolation::new(NothingBeside { holder, only, name }, at)
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
                SchemaViolation::counted(rule, at)
            }
            Some(known) => {
                let (name, ranges) = (member(name), known.availability.ranges(self.releases));
                SchemaViolation::elsewhere(at, ranges, |releases| MemberElsewhere {
                    name,
                    holder,
                    releases,
                })
            }
            None => {
                let name = member(name);
                SchemaViolation::new(NoMember { holder, name }, at)
            }
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
            return SchemaViolation::new(WrongType::no_string(subject, value), pointer);
        };
        let node = self.walk().node_at(message, pointer);
        let known = node
            .and_then(|node| self.document.schema(node.name?))
            .and_then(|definition| {
                let mut values = definition.enum_values().iter();
                values.find(|known| known.value == text)
            });
        let mut fault = match known {
            Some(known) => {
                let (value, ranges) = (known.value.clone(), &known.availability);
                let how = |releases| ValueElsewhere {
                    value,
                    subject,
                    releases,
                };
                SchemaViolation::elsewhere(pointer, ranges.ranges(self.releases), how)
            }
            None if is_name(text) => {
                let value = text.to_owned();
                SchemaViolation::new(UnknownValue { subject, value }, pointer)
            }
            None => SchemaViolation::new(NoKnownValue { subject }, pointer),
        };
        let values = node.map_or(&[][..], |node| node.schema.enum_values());
        if !values.is_empty() {
            let values: Vec<&str> = values.iter().map(|value| &*value.value).collect();
            fault.help = Some(format!("known values: {}", values.join(", ")));
        }
        fault
    }

    /// The name of the definition that the object at `pointer` is a value of.
    pub(super) fn holder(&self, message: &Value, pointer: &str) -> &'static str {
        let node = self.walk().node_at(message, pointer);
        let position = node.and_then(|node| self.document.position(node.name?));
        let title = || self.document.root().title.as_deref();
        position
            .map(|position| self.document.name_at(position))
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
    let key = union.of_release.tag.clone();
    let spellings = union.of_all.map_or(&[][..], |union| &union.spellings);
    let other = spellings
        .iter()
        .find(|spelling| members.contains_key(&*spelling.name));
    let Some(spelling) = other else {
        return SchemaViolation::new(TagMissing { key }, pointer);
    };
    let releases = spelling.availability.range;
    let spelling = spelling.name.clone();
    let mut at = pointer.to_owned();
    push_segment(&mut at, &spelling);
    let how = OtherSpelling {
        spelling,
        releases,
        key,
    };
    SchemaViolation {
        releases: Some(releases),
        ..SchemaViolation::new(how, at).hiding()
    }
}

impl WrongType {
    /// A value that stands where a string has to.
    fn no_string(subject: String, found: &Value) -> Self {
        WrongType {
            subject,
            found: kind(found),
            expected: "a string".to_owned(),
        }
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
    } => {
        Lacks { holder: &'static str, name: String }: "{holder} lacks `{name}`",
        LacksAll { holder: &'static str, names: Joined<String> }: "{holder} lacks {names}",
        TagMissing { key: Text }: "the tag `{key}` is missing",
        NoEnvelope: "the message lacks `method`, `result` and `error`",
    }
    NULL {
        summary: "members are `null` only where the release writes `null`",
        id: "schema/null",
        explanation: "An absent member and `null` are different. Which of them Codex writes changed \
            between releases.",
        evidence: EVERY_MESSAGE_FITS,
    } => {
        IsNull { subject: String, refusal: Arc<str> }: "{subject} is `null`, which {refusal}",
        NullTag { subject: String }: "{subject} is `null`, not a string",
    }
    UNKNOWN_KIND {
        summary: "events, items and actions have a kind that some release writes",
        id: "schema/unknown-kind",
        explanation: "This kind of message is not known, so nothing else in it is checked. The tag \
            is misspelled, comes from a fork of Codex, or is newer than this program.",
        evidence: EVERY_MESSAGE_FITS,
    } => {
        UnknownKind { union: Text, kind: &'static str, tag: String }: "{union} of unknown {kind}{tag}",
    }
    UNKNOWN_MEMBER {
        summary: "objects have only members that some release writes (an error with `--profile \
            exact`, a warning with the default profile)",
        id: "schema/unknown-member",
        explanation: "No release that this program knows writes the member at this place. It is \
            misspelled, in the wrong object, an extension, or newer than this program. The \
            profile `known`, which is the default, accepts it with a warning, as clients should.",
        evidence: EVERY_MESSAGE_FITS,
    } => {
        NoMember { holder: &'static str, name: String }: "{holder} has no member {name} in any release",
        NothingBeside { holder: &'static str, only: Text, name: String }:
            "{holder} holds `{only}` and nothing beside it, here also {name}",
    }
    UNKNOWN_VALUE {
        summary: "enumerations have only values that some release writes",
        id: "schema/unknown-value",
        explanation: "Clients with a closed enumeration reject the message. The finding lists the \
            known values.",
        evidence: EVERY_MESSAGE_FITS,
    } => {
        NoKnownValue { subject: String }: "{subject} has a value that no release writes",
        UnknownValue { subject: String, value: String }:
            "{subject} has the value `{value}`, which no release writes",
    }
    WRONG_TYPE {
        summary: "members have the JSON type the release writes",
        id: "schema/wrong-type",
        explanation: "For example a number instead of a string, an object instead of an array, or a \
            string in the wrong encoding, such as text that is not base64. Typed clients reject \
            the message.",
        evidence: EVERY_MESSAGE_FITS,
    } => {
        WrongType { subject: String, found: &'static str, expected: String }:
            "{subject} is {found}, not {expected}",
        NoObject { union: Text, found: &'static str }: "expected an object ({union}), found {found}",
        NoAlternative { subject: String, found: &'static str }:
            "{subject} is {found}, which is none of its alternatives",
        ManyMembers { subject: String, members: usize, union: Text }:
            "{subject} has {members} members, where {union} is written as one around the rest",
        NotBase64 { subject: String }: "{subject} is not base64: standard alphabet, padded",
        Empty { subject: String, refusal: Arc<str> }: "{subject} is empty, which {refusal}",
        OnlyNull { subject: String }: "{subject} has no value but `null` in this release",
        Unfit { subject: String, keyword: String }: "{subject} does not fit (`{keyword}`)",
        WideId: "`id` is not an integer of 64 bits",
        OddId: "`id` is neither an integer nor a string",
    }
}
