//! Makes the files that `documents.rs` reads. The format is described there.

mod ranges;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use codex_wire_base::MessageSet;
use serde_json::Value;

use ranges::find_ranges;

use crate::documents::{Document, Family};
use crate::draft::Draft;
use crate::ir::{Kind, Schema};
use crate::profile::Profile;
use crate::project::project_document;
use crate::published::digest_of_schema;
use crate::stability::Stability;

/// The text of a file, from the schema of each message set in it, definitions under `$defs`.
///
/// The file itself is this text as a raw deflate stream.
///
/// # Panics
/// When two message sets have different definitions of one name: those cannot share a file.
pub fn write(family: Family, schema: &dyn Fn(Option<MessageSet>) -> Value) -> String {
    let mut text = String::new();
    let mut definitions: BTreeMap<String, String> = BTreeMap::new();
    let mut message_sets: Vec<Option<MessageSet>> = family.message_sets().map(Some).collect();
    if family == Family::Transcript {
        message_sets.push(None);
    }
    for message_set in message_sets {
        let schema = schema(message_set);
        let name = message_set.map_or(family.as_str(), MessageSet::as_str);
        let _ = writeln!(text, "set {name}");
        if let Some(message_set) = message_set {
            facts(message_set, Document::of(&schema), &mut text);
        }
        let mut top = schema.as_object().cloned().unwrap_or_default();
        let own = top.remove("$defs").unwrap_or_default();
        let _ = writeln!(text, "top {}", Value::Object(top));
        for (name, schema) in own.as_object().into_iter().flatten() {
            let schema = schema.to_string();
            let other = definitions.insert(name.clone(), schema.clone());
            let is_equal = other.is_none_or(|other| other == schema);
            assert!(is_equal, "{name} has two meanings in {}", family.as_str());
        }
    }
    for (name, schema) in definitions {
        let _ = writeln!(text, "definition {name} {schema}");
    }
    text
}

/// What follows from a document and is wanted before it is.
fn facts(message_set: MessageSet, document: &'static Document, text: &mut String) {
    for variant in document
        .root()
        .tagged()
        .into_iter()
        .flat_map(|union| &union.variants)
    {
        let _ = writeln!(text, "tag {}", variant.tag);
    }
    for range in find_ranges(message_set, document) {
        let (profile, draft) = (Profile::Exact, Draft::Draft202012);
        let stability = Stability::Experimental;
        let schema = project_document(message_set, document, range, profile, draft, stability);
        let digest = digest_of_schema(message_set, &schema);
        let _ = writeln!(text, "releases {} {} {digest}", range.since, range.until);
    }
    let mut words = BTreeSet::new();
    collect(document.root(), &mut words);
    for (_, schema) in document.schemas() {
        collect(schema, &mut words);
    }
    for word in words {
        assert!(!word.contains(char::is_control), "{word:?}");
        let _ = writeln!(text, "word {word}");
    }
}

/// The constants and the values of enumerations.
fn collect(schema: &'static Schema, out: &mut BTreeSet<&'static str>) {
    schema.visit(&mut |schema| match &schema.kind {
        Kind::Constant(text) => {
            out.insert(text);
        }
        Kind::Enum(values) => out.extend(values.iter().map(|value| &*value.value)),
        _ => {}
    });
}
