//! Writes the files that `documents.rs` reads. The format is described there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use codex_wire_base::Surface;
use serde_json::Value;

use super::spans::find_spans;
use super::{Document, object};
use crate::draft::Draft;
use crate::ir::{Kind, Schema};
use crate::project::{Profile, project_document};
use crate::published::digest_of_schema;
use crate::stability::Stability;

/// Message sets that share definitions, and a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// `codex exec --json`, from 0.42.0.
    Exec,
    /// The queues of `codex proto`, and `codex exec --json` up to 0.42.0, which writes its events.
    Core,
    /// `codex app-server`.
    AppServer,
    /// The project's own transcript format, which no release of Codex writes.
    Transcript,
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 4] = [
        Family::Exec,
        Family::Core,
        Family::AppServer,
        Family::Transcript,
    ];

    /// The family of a message set.
    pub fn of(surface: Surface) -> Self {
        match surface {
            Surface::Exec => Family::Exec,
            Surface::ExecLegacy | Surface::CoreEvents | Surface::CoreSubmissions => Family::Core,
            _ => Family::AppServer,
        }
    }

    /// The message sets in it; none in that of the transcript format.
    pub fn message_sets(self) -> impl Iterator<Item = Surface> {
        let all = Surface::ALL.iter().copied();
        all.filter(move |surface| self != Family::Transcript && Family::of(*surface) == self)
    }

    /// The name of its file, without the extension.
    pub fn as_str(self) -> &'static str {
        match self {
            Family::Exec => "exec",
            Family::Core => "core",
            Family::AppServer => "app-server",
            Family::Transcript => "transcript",
        }
    }
}

/// The text of a file, from the schema of each message set in it, definitions under `$defs`.
///
/// The file itself is this text as a raw deflate stream.
///
/// # Panics
/// When two message sets have different definitions of one name: those cannot share a file.
pub fn write(family: Family, schema: &dyn Fn(Option<Surface>) -> Value) -> String {
    let mut text = String::new();
    let mut definitions: BTreeMap<String, String> = BTreeMap::new();
    let mut surfaces: Vec<Option<Surface>> = family.message_sets().map(Some).collect();
    if family == Family::Transcript {
        surfaces.push(None);
    }
    for surface in surfaces {
        let schema = schema(surface);
        let name = surface.map_or(family.as_str(), Surface::as_str);
        let _ = writeln!(text, "set {name}");
        if let Some(surface) = surface {
            facts(surface, Document::of(&schema), &mut text);
        }
        let mut top = object(&schema).clone();
        let own = top.remove("$defs").unwrap_or_default();
        let _ = writeln!(text, "top {}", Value::Object(top));
        for (name, schema) in object(&own) {
            let schema = schema.to_string();
            let other = definitions.insert(name.clone(), schema.clone());
            let is_alike = other.is_none_or(|other| other == schema);
            assert!(is_alike, "{name} has two meanings in {}", family.as_str());
        }
    }
    for (name, schema) in definitions {
        let _ = writeln!(text, "definition {name} {schema}");
    }
    text
}

/// What follows from a document and is wanted before it is.
fn facts(surface: Surface, document: &'static Document, text: &mut String) {
    for variant in document
        .root()
        .tagged()
        .into_iter()
        .flat_map(|union| &union.variants)
    {
        let _ = writeln!(text, "tag {}", variant.tag);
    }
    for span in find_spans(surface, document) {
        let (profile, draft) = (Profile::Exact, Draft::Draft202012);
        let stability = Stability::Experimental;
        let schema = project_document(surface, document, span, profile, draft, stability);
        let digest = digest_of_schema(surface, &schema);
        let _ = writeln!(text, "releases {} {} {digest}", span.since, span.until);
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
