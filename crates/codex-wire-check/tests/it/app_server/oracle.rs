//! What the schema of a release says, without the checker: the whole projection, of which a
//! message is checked against the alternative its tag names.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use codex_wire::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, project};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value, json};

use super::said::Said;

/// The projection of one release of a message set.
pub(crate) struct Oracle {
    message_set: MessageSet,
    schema: Value,
    /// The name of the tag and the definition of each, which published schemas do not state.
    tags: Option<(String, Value)>,
    /// By tag; the empty one stands for a message set without tags.
    kinds: RefCell<BTreeMap<String, Rc<Validator>>>,
    compiled: Compiled,
}

/// Schemas that are compiled, by their text: those of a kind of message are the same in many releases.
#[derive(Clone, Default)]
pub(crate) struct Compiled(Rc<RefCell<HashMap<String, Rc<Validator>>>>);

impl Oracle {
    pub(crate) fn new(message_set: MessageSet, release: Release, profile: Profile) -> Self {
        Self::with(Compiled::default(), message_set, release, profile)
    }

    /// One that takes what others have compiled.
    pub(crate) fn with(
        compiled: Compiled,
        message_set: MessageSet,
        release: Release,
        profile: Profile,
    ) -> Self {
        let projected = |profile| {
            let (draft, stability) = (Draft::Draft202012, Stability::Experimental);
            project(message_set, release, profile, draft, stability)
        };
        let known = projected(Profile::Known);
        let tag = known["discriminator"]["propertyName"].as_str();
        Oracle {
            message_set,
            schema: projected(profile),
            tags: tag.map(|tag| (tag.to_owned(), known["x-mapping"].clone())),
            kinds: RefCell::default(),
            compiled,
        }
    }

    /// Whether the release writes such a message.
    pub(crate) fn accepts(&self, said: &Said) -> bool {
        let accepts = |message: &Value| {
            let kind = self.kind(message);
            kind.is_some_and(|kind| kind.is_valid(message))
        };
        if accepts(&said.message) {
            return true;
        }
        // Codex takes an empty object for the params of a method that has none.
        if self.message_set != MessageSet::AppServerClientRequests
            || said.message.get("params") != Some(&json!({}))
        {
            return false;
        }
        let mut bare = said.message.clone();
        without(&mut bare, "params");
        accepts(&bare)
    }

    /// What it has against a message.
    pub(super) fn complaints(&self, said: &Said) -> String {
        match self.kind(&said.message) {
            Some(kind) => {
                let errors = kind.iter_errors(&said.message);
                errors.map(|error| format!("{error}\n")).collect()
            }
            None => "there is no such kind\n".to_owned(),
        }
    }

    /// The same without the values: where in a message, and by which keyword.
    pub(crate) fn places(&self, said: &Said) -> Vec<String> {
        let Some(kind) = self.kind(&said.message) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for error in kind.iter_errors(&said.message) {
            innermost(&error, &mut out);
        }
        out
    }

    /// Whether the release has messages of that kind, right or wrong.
    pub(super) fn knows(&self, said: &Said) -> bool {
        self.kind(&said.message).is_some()
    }

    /// The schema of messages of that kind, right or wrong, if the release has them.
    pub(crate) fn kind(&self, message: &Value) -> Option<Rc<Validator>> {
        let Some((tag, definitions)) = &self.tags else {
            return Some(self.of_kind("", || self.schema.clone()));
        };
        let tag = message.get(tag)?.as_str()?;
        let definition = definitions.get(tag)?;
        Some(self.of_kind(tag, || json!({"$ref": definition})))
    }

    fn of_kind(&self, name: &str, top: impl FnOnce() -> Value) -> Rc<Validator> {
        if let Some(known) = self.kinds.borrow().get(name) {
            return Rc::clone(known);
        }
        let mut schema = top();
        // Compiling looks at all that is there, needed or not.
        let mut needed = Map::new();
        reach(&schema, &self.schema["$defs"], &mut needed);
        schema["$defs"] = Value::Object(needed);
        let made = self.compiled.of(&schema);
        let mut kinds = self.kinds.borrow_mut();
        kinds.insert(name.to_owned(), Rc::clone(&made));
        made
    }
}

impl Compiled {
    fn of(&self, schema: &Value) -> Rc<Validator> {
        let mut compiled = self.0.borrow_mut();
        let compile = || Rc::new(jsonschema::options().build(schema).unwrap());
        let made = compiled.entry(schema.to_string()).or_insert_with(compile);
        Rc::clone(made)
    }
}

/// Follows an error to the alternative that was meant: the one whose tag is right.
fn innermost(error: &ValidationError<'_>, out: &mut Vec<String>) {
    if let ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context } =
        error.kind()
    {
        let is_other = |error: &ValidationError<'_>| {
            use ValidationErrorKind::{Constant, Not};
            matches!(error.kind(), Constant { .. } | Not { .. })
        };
        let meant = context.iter().find(|errors| !errors.iter().any(is_other));
        if let Some(errors) = meant {
            errors.iter().for_each(|error| innermost(error, out));
            return;
        }
    }
    let path = error.instance_path().to_string();
    let steps = path.split('/').map(|step| match step.parse::<usize>() {
        Ok(_) => "N",
        // A path, as the name of a member.
        Err(_) if step.contains("~1") => "PATH",
        Err(_) => step,
    });
    let place = steps.collect::<Vec<_>>().join("/");
    out.push(match error.kind() {
        ValidationErrorKind::Required { property } => format!("{place} lacks {property}"),
        ValidationErrorKind::Type { .. } => {
            let found = match &**error.instance() {
                Value::Null => "null",
                Value::Bool(_) => "a boolean",
                Value::Number(_) => "a number",
                Value::String(_) => "a string",
                Value::Array(_) => "an array",
                Value::Object(_) => "an object",
            };
            format!("{place} is {found}")
        }
        _ => format!("{place} by {}", error.schema_path()),
    });
}

/// Takes a member out.
fn without(message: &mut Value, name: &str) -> Option<Value> {
    message.as_object_mut()?.remove(name)
}

/// Collects the definitions that a schema leads to.
fn reach(schema: &Value, all: &Value, out: &mut Map<String, Value>) {
    match schema {
        Value::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let name = reference.strip_prefix("#/$defs/").unwrap();
                if !out.contains_key(name) {
                    out.insert(name.to_owned(), all[name].clone());
                    reach(&all[name], all, out);
                }
            }
            let inner = members.iter().filter(|(key, _)| *key != "$defs");
            inner.for_each(|(_, member)| reach(member, all, out));
        }
        Value::Array(elements) => elements.iter().for_each(|element| reach(element, all, out)),
        _ => {}
    }
}
