//! The official schemas of hooks: what a program has embedded, the archive of all releases, and what
//! differs between two.
//!
//! A program has one JSON Schema for what a hook of each event reads, and one for what it prints. They
//! stand in the file as they were written, with the titles `pre-tool-use.command.input` and
//! `pre-tool-use.command.output`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use codex_wire::Release;
use memchr::memmem;
use serde_json::{Map, Value};

use crate::{Error, archive};

/// What every schema begins with.
const BEGINS: &[u8] = b"\"$schema\"";

/// What the titles end in.
const ENDS: [&str; 2] = [".command.input", ".command.output"];

/// The schemas of hooks of a release.
#[derive(Clone, Debug, PartialEq)]
pub struct HookSchemas {
    /// The release.
    pub release: Release,
    /// The schemas, by their titles.
    pub schemas: BTreeMap<String, Value>,
}

/// The archive in the repository.
pub fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("official/hooks.tar.zst")
}

impl HookSchemas {
    /// The schemas that the bytes of a program hold; none up to 0.113.0.
    pub fn of_program(release: Release, program: &[u8]) -> Self {
        let mut schemas = BTreeMap::new();
        for at in memmem::find_iter(program, BEGINS) {
            let before = program[..at].trim_ascii_end();
            if before.last() != Some(&b'{') {
                continue;
            }
            // What stands behind the schema is none of it.
            let values = serde_json::Deserializer::from_slice(&program[before.len() - 1..]);
            let Some(Ok(schema)) = values.into_iter::<Value>().next() else {
                continue;
            };
            let title = schema["title"].as_str().unwrap_or_default();
            if ENDS.iter().any(|end| title.ends_with(end)) {
                schemas.insert(title.to_owned(), schema);
            }
        }
        HookSchemas { release, schemas }
    }

    /// What differs from the schemas of another release, a line for each: titles that came or went,
    /// and within the others every keyword.
    pub fn changes_since(&self, before: &HookSchemas) -> Vec<String> {
        let titles: BTreeSet<&String> = self.schemas.keys().chain(before.schemas.keys()).collect();
        let mut out = Vec::new();
        for title in titles {
            match (before.schemas.get(title), self.schemas.get(title)) {
                (None, _) => out.push(format!("new      {title}")),
                (_, None) => out.push(format!("gone     {title}")),
                (Some(before), Some(after)) if before != after => {
                    let (before, after) = (leaves(before), leaves(after));
                    let places: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
                    for place in places {
                        let line = match (before.get(place), after.get(place)) {
                            (None, Some(now)) => format!("new      {title} {place}: {now}"),
                            (Some(then), None) => format!("gone     {title} {place}: {then}"),
                            (Some(then), Some(now)) if then != now => {
                                format!("changed  {title} {place}: {then}, now {now}")
                            }
                            _ => continue,
                        };
                        out.push(line);
                    }
                }
                _ => {}
            }
        }
        out
    }
}

/// Reads an archive, oldest release first.
///
/// # Errors
/// When it cannot be read or is damaged.
pub fn read(file: &Path) -> Result<Vec<HookSchemas>, Error> {
    unpack(&fs::read(file).map_err(|error| Error::file(file, &error))?)
}

/// Writes an archive.
///
/// # Errors
/// When it cannot be written.
pub fn write(file: &Path, all: &[HookSchemas]) -> Result<(), Error> {
    fs::write(file, pack(all)?).map_err(|error| Error::file(file, &error))
}

/// The archive as bytes, which depend on nothing but the schemas.
///
/// # Errors
/// When compression fails.
pub fn pack(all: &[HookSchemas]) -> Result<Vec<u8>, Error> {
    let text = |one: &HookSchemas| {
        let schemas = one.schemas.clone().into_iter().collect::<Map<_, _>>();
        (one.release, Value::Object(schemas).to_string())
    };
    let texts: Vec<(Release, String)> = all.iter().map(text).collect();
    let texts = texts.iter().map(|(release, text)| (*release, &**text));
    archive::pack_texts(texts.collect())
}

/// Reads what [`pack`] makes.
///
/// # Errors
/// When it is damaged.
pub fn unpack(bytes: &[u8]) -> Result<Vec<HookSchemas>, Error> {
    let texts = archive::unpack_texts(bytes)?.into_iter();
    texts
        .map(|(release, text)| {
            let schemas = serde_json::from_str(&text)
                .map_err(|error| Error::Archive(format!("{release}.json: {error}")))?;
            Ok(HookSchemas { release, schemas })
        })
        .collect()
}

/// The values that hold no others, by their pointers. Lists of plain values stay whole.
fn leaves(schema: &Value) -> BTreeMap<String, String> {
    fn walk(value: &Value, place: &str, out: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                for (name, member) in members {
                    walk(member, &format!("{place}/{name}"), out);
                }
            }
            Value::Array(items) if items.iter().any(Value::is_object) => {
                for (index, item) in items.iter().enumerate() {
                    walk(item, &format!("{place}/{index}"), out);
                }
            }
            plain => {
                out.insert(place.to_owned(), plain.to_string());
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(schema, "", &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEMA: &str = r#"{
  "$schema": "http://json-schema.org/draft-07/schema#",
  "properties": {"a": {"type": "string"}},
  "title": "stop.command.input"
}"#;

    fn of(text: &str) -> HookSchemas {
        HookSchemas::of_program(Release::new(0, 114, 0), text.as_bytes())
    }

    #[test]
    fn schemas_are_found_among_other_bytes() {
        let other = SCHEMA.replace("stop.command.input", "Other");
        let cut = &SCHEMA[..60];
        let found = of(&format!("\u{0}x{{{SCHEMA}stop{other}\"$schema\"{cut}"));
        assert_eq!(
            found.schemas.keys().collect::<Vec<_>>(),
            ["stop.command.input"]
        );
        assert!(of("no schemas").schemas.is_empty());
    }

    #[test]
    fn every_change_is_a_line() {
        let before = of(SCHEMA);
        let after = of(&SCHEMA
            .replace("\"string\"", "\"boolean\"")
            .replace("\"a\":", "\"b\": true, \"a\":"));
        assert_eq!(
            after.changes_since(&before),
            [
                "changed  stop.command.input /properties/a/type: \"string\", now \"boolean\"",
                "new      stop.command.input /properties/b: true",
            ]
        );
        assert_eq!(
            of("").changes_since(&before),
            ["gone     stop.command.input"]
        );
        assert_eq!(
            before.changes_since(&of("")),
            ["new      stop.command.input"]
        );
        assert!(before.changes_since(&before).is_empty());
    }

    #[test]
    fn an_archive_reads_back() {
        let all = [of(SCHEMA)];
        assert_eq!(unpack(&pack(&all).unwrap()).unwrap(), all);
    }

    #[test]
    fn the_archive_is_as_it_would_be_written() {
        let bytes = fs::read(file()).unwrap();
        assert_eq!(pack(&unpack(&bytes).unwrap()).unwrap(), bytes);
    }
}
