//! The titles of schemas: Codex gives one to each message, and to each variant of a union after the member that distinguishes
//! them. Code generators name types after them.

use std::collections::BTreeSet;

use codex_wire_base::Release;
use serde_json::{Map, Value, json};

/// The members that tell variants apart, and have a title of their own.
const DISCRIMINATORS: [&str; 6] = ["type", "method", "mode", "status", "role", "reason"];

/// The members whose value a variant is named after, whatever else it has.
const NAMING: [&str; 2] = ["method", "type"];

/// The first release that names a variant of one member after the value of the member, where it has only one, and
/// not after its name. 0.107.0 does so, and 0.98.0 does not.
const NAMED_BY_VALUE: Release = Release::new(0, 107, 0);

/// Writes the titles into a schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Titles {
    is_named_by_value: bool,
}

impl Titles {
    pub(super) fn of(release: Release) -> Self {
        Titles {
            is_named_by_value: release >= NAMED_BY_VALUE,
        }
    }

    /// Writes the titles into a schema, whose own is there if it has one. `owner` is what its variants are named
    /// after.
    pub(super) fn write(self, schema: &mut Value, owner: &str) {
        match schema {
            Value::Object(schema) => self.object(schema, owner),
            Value::Array(list) => list.iter_mut().for_each(|one| self.write(one, owner)),
            _ => {}
        }
    }

    fn object(self, schema: &mut Map<String, Value>, owner: &str) {
        let title = schema.get("title").and_then(Value::as_str);
        if let Some(title) = title.map(str::to_owned) {
            discriminators(schema, &title);
        }
        for (key, value) in schema {
            match (key.as_str(), value) {
                ("oneOf" | "anyOf", Value::Array(variants)) => self.variants(variants, owner),
                ("definitions", Value::Object(named)) => {
                    let named = named.iter_mut();
                    named.for_each(|(name, schema)| self.write(schema, name));
                }
                // The keys are names here, not keywords.
                ("properties", Value::Object(named)) => {
                    let named = named.values_mut();
                    named.for_each(|schema| self.write(schema, owner));
                }
                (_, value) => self.write(value, owner),
            }
        }
    }

    fn variants(self, variants: &mut [Value], owner: &str) {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for variant in variants.iter_mut() {
            if let Value::Object(variant) = variant
                && let Some(name) = self.name(variant, owner)
            {
                let title = free(&name, &taken);
                variant.insert("title".to_owned(), json!(title));
                discriminators(variant, &title);
                taken.insert(title);
            }
            self.write(variant, owner);
        }
    }

    /// What a variant is called.
    fn name(self, variant: &Map<String, Value>, owner: &str) -> Option<String> {
        let members = variant.get("properties").and_then(Value::as_object);
        if let Some(members) = members {
            let of = |key: &str| Some((key.to_owned(), constant(members.get(key)?)?.to_owned()));
            // Other unions that a mode tells apart have no titles.
            let mode = owner.starts_with("SandboxPolicy").then_some("mode");
            if let Some((key, value)) = NAMING.into_iter().chain(mode).find_map(of) {
                let owner = match (key.as_str(), owner) {
                    ("method", "ClientRequest" | "ServerRequest") => "Request",
                    ("method", "ClientNotification" | "ServerNotification") => "Notification",
                    _ => owner,
                };
                return Some(pascal(&value) + owner);
            }
            if let (1, Some((key, value))) = (members.len(), members.iter().next()) {
                let value = constant(value).filter(|_| self.is_named_by_value);
                return Some(pascal(value.unwrap_or(key)) + owner);
            }
        }
        match variant.get("required")?.as_array()?.as_slice() {
            [Value::String(only)] => Some(pascal(only) + owner),
            _ => None,
        }
    }
}

/// A name that no other variant has.
fn free(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2_u32..).map(|number| format!("{name}{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let free = names.find(|name| !taken.contains(name));
    free.unwrap_or_else(|| name.to_owned())
}

/// Writes the titles of the members that tell a schema apart.
fn discriminators(schema: &mut Map<String, Value>, title: &str) {
    let Some(Value::Object(members)) = schema.get_mut("properties") else {
        return;
    };
    for key in DISCRIMINATORS {
        let member = members.get_mut(key);
        if let Some(member) = member.filter(|member| constant(member).is_some())
            && let Value::Object(member) = member
        {
            let own = || json!(title.to_owned() + &pascal(key));
            member.entry("title").or_insert_with(own);
        }
    }
}

/// The only value that a schema has.
fn constant(schema: &Value) -> Option<&str> {
    match schema.get("enum")?.as_array()?.as_slice() {
        [Value::String(only)] => Some(only),
        _ => None,
    }
}

/// `in_progress` as `InProgress`, and `thread/start` as `Thread/start`, as Codex does.
fn pascal(word: &str) -> String {
    let parts = word.split(['_', '-']);
    let capitalised = parts.map(|part| {
        let mut letters = part.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    capitalised.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titled(release: Release) -> Value {
        let one = |name: &str, value: &str| json!({"properties": {name: {"enum": [value]}}});
        let mut schema = json!({"oneOf": [
            one("type", "read_only"), one("kind", "root"), one("kind", "tmp"),
            {"properties": {"kind": true, "a": true}, "required": ["kind"]},
            {"properties": {"a": true, "b": true}, "required": ["a", "b"]},
        ]});
        Titles::of(release).write(&mut schema, "Path");
        schema
    }

    #[test]
    fn variants_are_named_after_what_tells_them_apart() {
        let titles = |schema: &Value| {
            let variants = schema["oneOf"].as_array().into_iter().flatten();
            variants.map(|one| one["title"].clone()).collect::<Vec<_>>()
        };
        let newer = titled(NAMED_BY_VALUE);
        assert_eq!(
            titles(&newer),
            [
                json!("ReadOnlyPath"),
                json!("RootPath"),
                json!("TmpPath"),
                json!("KindPath"),
                Value::Null
            ]
        );
        let tag = &newer["oneOf"][0]["properties"]["type"];
        assert_eq!(tag["title"], "ReadOnlyPathType");
        let older = titled(Release::new(0, 98, 0));
        assert_eq!(
            titles(&older)[1..4],
            ["KindPath", "KindPath2", "KindPath3"].map(|title| json!(title))
        );
    }
}
