//! The judge of shapes: one schema of one release, and what the `jsonschema` crate says of a
//! message by it, put in our words.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use codex_wire::Surface;
use codex_wire::shape::Lifetime;
use codex_wire_schema::{Draft, Profile, Span, annotated, project};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use crate::placement::life;
use crate::rules::{self, Rule};
use crate::scan::push_segment;

/// What is wrong with a message, before anyone looks up where its text stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) rule: &'static Rule,
    pub(crate) pointer: String,
    pub(crate) message: String,
    pub(crate) help: Option<String>,
    pub(crate) releases: Option<Lifetime>,
    /// Whether it is about a member that is there but should not be.
    pub(crate) undeclared: bool,
}

/// The exact projection of one span of releases, with a validator per kind of message.
pub(crate) struct Judge {
    surface: Surface,
    schema: Value,
    validators: BTreeMap<String, OnceLock<Validator>>,
}

impl Judge {
    pub(crate) fn new(surface: Surface, span: Span) -> Self {
        let schema = project(surface, span.since, Profile::Exact, Draft::Draft202012);
        let validators = mapping(&schema)
            .into_values()
            .map(|definition| (definition, OnceLock::new()))
            .collect();
        Judge {
            surface,
            schema,
            validators,
        }
    }

    /// What is wrong with `message`; nothing if the release writes such messages.
    pub(crate) fn faults(&self, message: &Value) -> Vec<Fault> {
        let chosen = match self.choose("", &self.schema, annotated(self.surface), message) {
            Ok(definition) => definition,
            Err(fault) => return vec![*fault],
        };
        let Some(validator) = self.validators.get(&chosen) else {
            return Vec::new();
        };
        let validator = validator.get_or_init(|| self.compile(&chosen));
        let mut faults = Vec::new();
        for error in validator.iter_errors(message) {
            self.explain(&error, &chosen, message, &mut faults);
        }
        faults
    }

    /// Whether an object of this release carries `key` twice, and what the second is.
    pub(crate) fn doubled(&self, message: &Value, object: &str, key: &str) -> Option<&str> {
        let node = self.node(message, object)?;
        node.get("properties")?.get(key)?.get("x-doubled")?.as_str()
    }

    fn compile(&self, definition: &str) -> Validator {
        let mut schema = Map::new();
        schema.insert("$schema".into(), self.schema["$schema"].clone());
        schema.insert("$ref".into(), format!("#/$defs/{definition}").into());
        schema.insert("$defs".into(), self.schema["$defs"].clone());
        jsonschema::options()
            .should_validate_formats(false)
            .build(&Value::Object(schema))
            .expect("our own schemas compile, which a test holds for every projection")
    }

    /// The definition that the tag of a union's value chooses, or what is wrong with the tag.
    fn choose(
        &self,
        pointer: &str,
        union: &Value,
        timeline: &Value,
        value: &Value,
    ) -> Result<String, Box<Fault>> {
        let fault = |rule, pointer: &str, message: String| {
            Box::new(Fault {
                rule,
                pointer: pointer.to_owned(),
                message,
                help: None,
                releases: None,
                undeclared: false,
            })
        };
        let key = union["discriminator"]["propertyName"]
            .as_str()
            .unwrap_or("type");
        let name = union["title"].as_str().unwrap_or("union");
        let Value::Object(members) = value else {
            let message = format!("expected an object ({name}), found {}", kind(value));
            return Err(fault(&rules::WRONG_TYPE, pointer, message));
        };
        let at_tag = {
            let mut at = pointer.to_owned();
            push_segment(&mut at, key);
            at
        };
        let Some(tag) = members.get(key) else {
            return Err(self.tag_missing(pointer, key, timeline, members, fault));
        };
        let Some(tag) = tag.as_str() else {
            let message = format!("the tag `{key}` is {}, not a string", kind(tag));
            return Err(fault(&rules::WRONG_TYPE, &at_tag, message));
        };
        if let Some(definition) = mapping(union).remove(tag) {
            return Ok(definition);
        }
        let known = timeline["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .find(|arm| arm["x-tag"] == tag);
        Err(match known {
            Some(arm) => {
                let releases = life(arm, "x-since", "x-until");
                let message = format!("{name} of kind `{tag}` belongs to {releases}");
                let mut fault = fault(&rules::WRONG_RELEASE, &at_tag, message);
                fault.releases = Some(releases);
                fault
            }
            None => {
                let message = format!("{name} of unknown kind{}", named(tag));
                let mut fault = fault(&rules::UNKNOWN_KIND, &at_tag, message);
                let kinds: Vec<_> = mapping(union).into_keys().collect();
                fault.help = Some(format!("known kinds: {}", kinds.join(", ")));
                fault
            }
        })
    }

    /// A tag that is missing may be there in the spelling of other releases.
    fn tag_missing(
        &self,
        pointer: &str,
        key: &str,
        timeline: &Value,
        members: &Map<String, Value>,
        fault: impl Fn(&'static Rule, &str, String) -> Box<Fault>,
    ) -> Box<Fault> {
        let other = timeline["x-tags"]
            .as_object()
            .into_iter()
            .flatten()
            .find(|(spelling, _)| members.contains_key(*spelling));
        let Some((spelling, span)) = other else {
            return fault(
                &rules::MISSING_MEMBER,
                pointer,
                format!("the tag `{key}` is missing"),
            );
        };
        let releases = life(span, "since", "until");
        let mut at = pointer.to_owned();
        push_segment(&mut at, spelling);
        let message = format!("the tag is spelt `{spelling}`, as in {releases}, not `{key}`");
        let mut fault = fault(&rules::WRONG_RELEASE, &at, message);
        fault.releases = Some(releases);
        fault
    }

    /// Puts one of the validator's errors in our words.
    fn explain(
        &self,
        error: &ValidationError<'_>,
        definition: &str,
        message: &Value,
        out: &mut Vec<Fault>,
    ) {
        let pointer = error.instance_path().as_str().to_owned();
        let Some(value) = message.pointer(&pointer) else {
            return;
        };
        let mut push = |rule, pointer: String, message: String| {
            out.push(Fault {
                rule,
                pointer,
                message,
                help: None,
                releases: None,
                undeclared: false,
            });
        };
        let subject = last_segment(&pointer);
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                let holder = self.holder(message, &pointer, definition);
                push(
                    &rules::MISSING_MEMBER,
                    pointer,
                    format!("{holder} lacks `{name}`"),
                );
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                for name in unexpected {
                    out.push(self.undeclared(message, &pointer, name, definition));
                }
            }
            ValidationErrorKind::Type { .. } if value.is_null() => {
                push(
                    &rules::NULL,
                    pointer,
                    format!("{subject} is `null`, which the release does not write"),
                );
            }
            ValidationErrorKind::Type { kind: expected } => {
                let message = format!("{subject} is {}, not {}", kind(value), types(expected));
                push(&rules::WRONG_TYPE, pointer, message);
            }
            ValidationErrorKind::Enum { .. } | ValidationErrorKind::Constant { .. } => {
                out.push(self.wrong_value(message, pointer, value));
            }
            ValidationErrorKind::Minimum { limit } | ValidationErrorKind::Maximum { limit } => {
                let side = if matches!(error.kind(), ValidationErrorKind::Minimum { .. }) {
                    "below"
                } else {
                    "above"
                };
                let message = format!("{subject} is {side} {limit}");
                push(&rules::OUT_OF_RANGE, pointer, message);
            }
            ValidationErrorKind::OneOfNotValid { context } => {
                self.explain_union(context, &pointer, definition, message, out);
            }
            ValidationErrorKind::AnyOf { context } => {
                // Alternatives without a tag: the one that fits best explains most.
                let best = context
                    .iter()
                    .filter(|errors| !is_null_arm(errors))
                    .min_by_key(|errors| errors.len());
                for error in best.into_iter().flatten() {
                    self.explain(error, definition, message, out);
                }
            }
            other => {
                let message = format!("{subject} does not fit (`{}`)", other.keyword());
                push(&rules::WRONG_TYPE, pointer, message);
            }
        }
    }

    /// A nested union: the tag chooses the alternative whose errors count.
    fn explain_union(
        &self,
        context: &[Vec<ValidationError<'static>>],
        pointer: &str,
        definition: &str,
        message: &Value,
        out: &mut Vec<Fault>,
    ) {
        let (Some(union), Some(value)) =
            (self.union_at(message, pointer), message.pointer(pointer))
        else {
            return;
        };
        let name = union["title"].as_str().unwrap_or_default();
        let timeline = &annotated(self.surface)["$defs"][name];
        let chosen = match self.choose(pointer, union, timeline, value) {
            Ok(chosen) => chosen,
            Err(fault) => {
                out.push(*fault);
                return;
            }
        };
        let reference = format!("#/$defs/{chosen}");
        let index = union["oneOf"].as_array().and_then(|arms| {
            arms.iter()
                .position(|arm| arm["$ref"] == reference.as_str())
        });
        let errors = index.and_then(|index| context.get(index));
        for error in errors.into_iter().flatten() {
            self.explain(error, definition, message, out);
        }
    }

    /// A member that is there and should not be: another release's, or nobody's.
    fn undeclared(&self, message: &Value, pointer: &str, name: &str, definition: &str) -> Fault {
        let mut at = pointer.to_owned();
        push_segment(&mut at, name);
        let holder = self.holder(message, pointer, definition);
        let document = annotated(self.surface);
        let known = document["$defs"]
            .get(&holder)
            .and_then(|definition| definition["properties"].get(name));
        match known {
            Some(member) => {
                let releases = life(member, "x-since", "x-until");
                Fault {
                    rule: &rules::WRONG_RELEASE,
                    pointer: at,
                    message: format!("`{name}` of {holder} belongs to {releases}"),
                    help: None,
                    releases: Some(releases),
                    undeclared: true,
                }
            }
            None => Fault {
                rule: &rules::UNKNOWN_MEMBER,
                pointer: at,
                message: format!("{holder} has no member{} in any release", named(name)),
                help: None,
                releases: None,
                undeclared: true,
            },
        }
    }

    /// A string that is not in its list: another release's, or nobody's.
    fn wrong_value(&self, message: &Value, pointer: String, value: &Value) -> Fault {
        let subject = last_segment(&pointer);
        let node = self.node(message, &pointer);
        let mut fault = Fault {
            rule: &rules::UNKNOWN_VALUE,
            pointer,
            message: String::new(),
            help: None,
            releases: None,
            undeclared: false,
        };
        let Some(text) = value.as_str() else {
            fault.rule = &rules::WRONG_TYPE;
            fault.message = format!("{subject} is {}, not a string", kind(value));
            return fault;
        };
        let values: Vec<&str> = node
            .and_then(|node| node.get("enum"))
            .and_then(Value::as_array)
            .map(|values| values.iter().filter_map(Value::as_str).collect())
            .unwrap_or_default();
        let known = annotated(self.surface)["$defs"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(_, definition)| definition["x-values"].as_object())
            .find(|described| values.iter().all(|v| described.contains_key(*v)))
            .and_then(|described| described.get(text));
        if let Some(about) = known {
            let releases = life(about, "since", "until");
            fault.rule = &rules::WRONG_RELEASE;
            fault.message = format!("the value `{text}` of {subject} belongs to {releases}");
            fault.releases = Some(releases);
        } else {
            fault.message = format!("{subject} has a value{} no release writes", named(text));
        }
        if !values.is_empty() {
            fault.help = Some(format!("known values: {}", values.join(", ")));
        }
        fault
    }

    /// The name of the definition that the object at `pointer` is a value of.
    fn holder(&self, message: &Value, pointer: &str, definition: &str) -> String {
        if pointer.is_empty() {
            return definition.to_owned();
        }
        self.walk(message, pointer)
            .and_then(|(name, _)| name)
            .unwrap_or_else(|| "the object".to_owned())
    }

    fn node(&self, message: &Value, pointer: &str) -> Option<&Value> {
        self.walk(message, pointer).map(|(_, node)| node)
    }

    /// The union that the value at `pointer` is to be one of.
    fn union_at(&self, message: &Value, pointer: &str) -> Option<&Value> {
        let (parent, last) = pointer.rsplit_once('/')?;
        let (_, node) = self.walk(message, parent)?;
        let mut next = step(node, last)?;
        for _ in 0..8 {
            if next.get("discriminator").is_some() {
                return Some(next);
            }
            next = self.resolved(next)?.1;
        }
        None
    }

    /// Follows the message and the schema together down to `pointer`: the definition that is
    /// reached, by name if it has one, with unions resolved by their tags.
    fn walk(&self, message: &Value, pointer: &str) -> Option<(Option<String>, &Value)> {
        let mut value = message;
        let mut here = self.settle(None, &self.schema, value)?;
        for segment in pointer.split('/').skip(1) {
            let plain = segment.replace("~1", "/").replace("~0", "~");
            value = match value {
                Value::Array(array) => array.get(plain.parse::<usize>().ok()?)?,
                other => other.get(&plain)?,
            };
            here = self.settle(None, step(here.1, segment)?, value)?;
        }
        Some(here)
    }

    /// Follows references, chooses among alternatives.
    fn settle<'s>(
        &'s self,
        mut name: Option<String>,
        mut node: &'s Value,
        value: &Value,
    ) -> Option<(Option<String>, &'s Value)> {
        for _ in 0..8 {
            if let Some(key) = node["discriminator"]["propertyName"].as_str() {
                let tag = value.get(key).and_then(Value::as_str).unwrap_or_default();
                let Some(definition) = mapping(node).remove(tag) else {
                    return Some((name, node));
                };
                node = self.schema["$defs"].get(&definition)?;
                name = Some(definition);
            } else if let Some((found, next)) = self.resolved(node) {
                name = found.or(name);
                node = next;
            } else {
                return Some((name, node));
            }
        }
        Some((name, node))
    }

    /// One step through a reference, or through alternatives of which one may be `null`.
    fn resolved<'s>(&'s self, node: &'s Value) -> Option<(Option<String>, &'s Value)> {
        if let Some(reference) = node["$ref"].as_str() {
            let name = reference.rsplit('/').next()?;
            return Some((Some(name.to_owned()), self.schema["$defs"].get(name)?));
        }
        let arms = node["anyOf"].as_array()?;
        let arm = arms.iter().find(|arm| arm["type"] != "null")?;
        Some((None, arm))
    }
}

/// One step from the schema of an object or array to that of what it holds.
fn step<'s>(node: &'s Value, segment: &str) -> Option<&'s Value> {
    let plain = segment.replace("~1", "/").replace("~0", "~");
    node["properties"]
        .get(&plain)
        .or_else(|| node.get("items"))
        .or_else(|| node.get("additionalProperties"))
}

/// Tag → definition of a union.
fn mapping(union: &Value) -> BTreeMap<String, String> {
    union["discriminator"]["mapping"]
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(tag, reference)| {
            let definition = reference.as_str()?.rsplit('/').next()?;
            Some((tag.clone(), definition.to_owned()))
        })
        .collect()
}

/// Whether these are the errors of an alternative that would have taken `null`.
fn is_null_arm(errors: &[ValidationError<'_>]) -> bool {
    matches!(errors, [only] if matches!(
        only.kind(),
        ValidationErrorKind::Type { kind } if types(kind) == "null"
    ))
}

fn types(kind: &jsonschema::error::TypeKind) -> String {
    match kind {
        jsonschema::error::TypeKind::Single(kind) => with_article(&kind.to_string()),
        jsonschema::error::TypeKind::Multiple(kinds) => kinds
            .iter()
            .map(|kind| with_article(&kind.to_string()))
            .collect::<Vec<_>>()
            .join(" or "),
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => kind.to_owned(),
        "array" | "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "`null`",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// What a pointer leads to, in words.
fn last_segment(pointer: &str) -> String {
    match pointer.rsplit_once('/') {
        None => "the message".to_owned(),
        Some((parent, last)) if last.bytes().all(|b| b.is_ascii_digit()) => {
            format!("element {last} of {}", last_segment(parent))
        }
        Some((_, last)) => format!("`{}`", last.replace("~1", "/").replace("~0", "~")),
    }
}

/// Names a tag, member or value if it looks like one: what looks like text might be payload.
fn named(text: &str) -> String {
    let looks_like_a_name = !text.is_empty()
        && text.len() <= 64
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_-./$".contains(&b));
    if looks_like_a_name {
        format!(" `{text}`")
    } else {
        String::new()
    }
}
