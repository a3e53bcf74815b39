//! Tries counterexamples on both descriptions with a validator, and compares sets of values.
//!
//! This is the only module that uses the `jsonschema` crate. Sets of values are compared only where
//! the structure cannot decide what a changed constraint means, and never for open objects: there,
//! every new member looks like a narrowing.

use std::rc::Rc;
use std::sync::OnceLock;

use jsonschema::Validator;
use jsonschema::canonical::Containment;
use jsonschema::error::ValidationErrorKind;
use serde_json::Value;

use crate::document::{Document, closed};
use crate::guard::visits;
use crate::limits::{Budget, PROOF};

/// The validators of one side of a part. They are made when first asked: most parts of most
/// steps have nothing to prove.
pub(crate) struct Validators<'d> {
    document: &'d Document,
    /// What readers take: undeclared members are allowed.
    open: OnceLock<Option<Validator>>,
    /// What is written: nothing undeclared.
    exact: OnceLock<Option<Validator>>,
    budget: Rc<Budget>,
    /// How many nodes the document has; a validator meets each once when it is made.
    size: OnceLock<u64>,
}

impl<'d> Validators<'d> {
    pub(crate) fn new(document: &'d Document, budget: &Rc<Budget>) -> Self {
        Validators {
            document,
            open: OnceLock::new(),
            exact: OnceLock::new(),
            budget: Rc::clone(budget),
            size: OnceLock::new(),
        }
    }

    /// Whether a value can be tried at a reasonable cost, which is spent.
    fn can_try(&self, value: &Value) -> bool {
        let base = &self.document.base;
        let Some(visits) = visits(base, self.document.start(), value, PROOF) else {
            self.budget.gives_up();
            return false;
        };
        self.budget.proves(visits)
    }

    /// Whether a validator can be made.
    fn can_make(&self) -> bool {
        if !self.budget.proves_at_all(1) {
            return false;
        }
        let size = *self.size.get_or_init(|| nodes(&self.document.base));
        self.budget.proves_at_all(size)
    }

    fn open(&self) -> Option<&Validator> {
        let make = || {
            let able = self.can_make();
            able.then(|| jsonschema::validator_for(&self.document.whole()).ok())?
        };
        self.open.get_or_init(make).as_ref()
    }

    fn exact(&self) -> Option<&Validator> {
        let make = || {
            let able = self.can_make();
            able.then(|| jsonschema::validator_for(&closed(&self.document.whole())).ok())?
        };
        self.exact.get_or_init(make).as_ref()
    }

    /// Whether a value is written.
    pub(crate) fn writes(&self, value: &Value) -> bool {
        self.can_try(value)
            && self
                .exact()
                .is_some_and(|validator| validator.is_valid(value))
    }

    /// Whether a value is taken, undeclared members and all.
    pub(crate) fn takes(&self, value: &Value) -> bool {
        self.can_try(value)
            && self
                .open()
                .is_some_and(|validator| validator.is_valid(value))
    }

    /// Whether a value is refused, for something at, above or below a place. `definition` is that
    /// of the message, if it has one: a union of all messages would not say what is wrong.
    pub(crate) fn refuses(&self, value: &Value, definition: Option<&str>, pointer: &str) -> bool {
        let Some(validator) = self.open().filter(|_| self.can_try(value)) else {
            return false;
        };
        if validator.is_valid(value) {
            return false;
        }
        let index = definition.and_then(|definition| self.document.branch_index(definition));
        validator.iter_errors(value).any(|error| {
            let branches = match error.kind() {
                ValidationErrorKind::OneOfNotValid { context }
                | ValidationErrorKind::AnyOf { context } => Some(context),
                _ => None,
            };
            let branch = branches.and_then(|branches| branches.get(index?));
            match branch {
                Some(errors) if error.instance_path().as_str().is_empty() => errors
                    .iter()
                    .any(|error| related(error.instance_path().as_str(), pointer)),
                _ => related(error.instance_path().as_str(), pointer),
            }
        })
    }
}

/// How many nodes a document has.
fn nodes(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(nodes).sum::<u64>() + 1,
        Value::Object(members) => members.values().map(nodes).sum::<u64>() + 1,
        _ => 1,
    }
}

/// Whether one place holds the other.
fn related(one: &str, other: &str) -> bool {
    let within = |inner: &str, outer: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    within(one, other) || within(other, one)
}

/// Whether the reader takes all that the writer writes at a node: by sets of values, on copies in
/// which objects have only the members they declare. `None` if that is not known.
pub(crate) fn covers(
    (writer, written): (&Document, &Value),
    (reader, read): (&Document, &Value),
    budget: &Budget,
) -> Option<bool> {
    let size = |document: &Document| nodes(&document.base);
    if !budget.proves_at_all(size(writer).saturating_add(size(reader))) {
        return None;
    }
    let alone =
        |document: &Document, node: &Value| -> Option<jsonschema::canonical::CanonicalSchema> {
            let node = document.resolve(node).node;
            let mut schema = closed(node);
            for key in ["$defs", "definitions"] {
                if let (Some(definitions), Value::Object(schema)) =
                    (document.base.get(key), &mut schema)
                {
                    let definitions = closed(&serde_json::json!({ key: definitions }));
                    schema.insert(key.to_owned(), definitions[key].clone());
                }
            }
            if let Value::Object(schema) = &mut schema {
                // Drafts would differ in name only.
                let draft = "https://json-schema.org/draft/2020-12/schema";
                schema.insert("$schema".to_owned(), draft.into());
            }
            jsonschema::canonicalize(&schema).ok()
        };
    let (writer, reader) = (alone(writer, written)?, alone(reader, read)?);
    match reader.covers(&writer).ok()? {
        Containment::Yes => Some(true),
        Containment::No => Some(false),
        Containment::Unknown => None,
    }
}
