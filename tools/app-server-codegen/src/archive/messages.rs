//! The files that `generate-json-schema` writes beside the bundle: a document for each message, with
//! all definitions that it needs.
//!
//! Hundreds of files repeat the same definitions. So the form of a definition that most files have
//! is kept once, and beside each file the definitions that it has in another form.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::prose::without_prose;
use super::texts::Archived;

/// The files of a release, as they are archived.
pub type MessageFiles = Archived<Messages>;

/// The files that a release writes at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    /// The definitions by name, in the form that most files have.
    pub definitions: BTreeMap<String, Value>,
    /// The files by path, without `.json`: `v2/TurnStartParams`.
    pub files: BTreeMap<String, MessageFile>,
}

/// A file: a schema that refers to definitions by `#/definitions/…`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MessageFile {
    /// The schema of the message.
    pub schema: Value,
    /// The names of definitions that it has in the form that most files have.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub shared: BTreeSet<String>,
    /// The definitions that it has in another form.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, Value>,
}

impl MessageFiles {
    /// The files as Codex writes them, for every client and for clients that opted into the
    /// experimental API.
    pub fn new(stable: Messages, experimental: Option<Messages>) -> Self {
        Archived::join(stable, experimental)
    }
}

impl Messages {
    /// Files with this content, by path without `.json`.
    pub fn new(contents: impl IntoIterator<Item = (String, Value)>) -> Self {
        let mut files = Vec::new();
        let mut forms: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for (path, content) in contents {
            let mut schema = without_prose(content);
            let mut definitions = Map::new();
            if let Value::Object(fields) = &mut schema {
                fields.remove("$schema");
                if let Some(Value::Object(named)) = fields.remove("definitions") {
                    definitions = named;
                }
            }
            for (name, definition) in &definitions {
                let forms = forms.entry(name.clone()).or_default();
                *forms.entry(definition.to_string()).or_default() += 1;
            }
            files.push((path, schema, definitions));
        }
        // Of two forms that as many files have, the one that sorts last.
        let most: BTreeMap<String, String> = forms
            .into_iter()
            .filter_map(|(name, forms)| {
                let form = forms.into_iter().max_by_key(|(_, count)| *count)?.0;
                Some((name, form))
            })
            .collect();
        let mut out = Messages::default();
        for (path, schema, definitions) in files {
            let mut file = MessageFile {
                schema,
                shared: BTreeSet::new(),
                own: BTreeMap::new(),
            };
            for (name, definition) in definitions {
                let form = definition.to_string();
                if most[&name] == form {
                    file.shared.insert(name.clone());
                    out.definitions.entry(name).or_insert(definition);
                } else {
                    file.own.insert(name, definition);
                }
            }
            out.files.insert(path, file);
        }
        out
    }

    /// A file as Codex writes it, except for its prose.
    pub fn content(&self, path: &str) -> Option<Value> {
        let file = self.files.get(path)?;
        let mut content = file.schema.clone();
        let shared = file.shared.iter();
        let shared = shared.filter_map(|name| self.definitions.get_key_value(name));
        let all: BTreeMap<&String, &Value> = shared.chain(&file.own).collect();
        if !all.is_empty() {
            content["definitions"] = json!(all);
        }
        Some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_most_files_have_is_kept_once() {
        let file = |of: &str| {
            json!({
                "title": "T",
                "$schema": "draft",
                "properties": {"a": {"$ref": "#/definitions/A"}},
                "definitions": {"A": {"type": of}, "B": {"type": "null", "description": "d"}},
            })
        };
        let contents = [("x", "string"), ("v2/y", "string"), ("z", "number")];
        let contents = contents.map(|(path, of)| (path.to_owned(), file(of)));
        let messages = Messages::new(contents);
        assert_eq!(messages.definitions["A"], json!({"type": "string"}));
        assert_eq!(messages.files["z"].own["A"], json!({"type": "number"}));
        assert!(messages.files["v2/y"].own.is_empty());
        assert_eq!(
            messages.content("z"),
            Some(json!({
                "properties": {"a": {"$ref": "#/definitions/A"}},
                "definitions": {"A": {"type": "number"}, "B": {"type": "null"}},
            }))
        );
        let both = MessageFiles::new(messages.clone(), Some(Messages::default()));
        assert_eq!(both.read().unwrap(), (messages, Some(Messages::default())));
    }
}
