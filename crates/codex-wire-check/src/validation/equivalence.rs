//! Groups releases whose schemas are the same for one kind of message.
//!
//! The schemas of two releases often differ elsewhere but agree on one kind of message. So a
//! message needs to be validated for far fewer releases than there are.

use std::collections::BTreeSet;

use codex_wire_base::{Release, ReleaseSet};
use codex_wire_schema::{Document, ReleaseRange};
use serde_json::Value;

use super::schema_walk::variants;

/// The ranges cut where something changes that a kind of message can hold.
pub(crate) struct Equivalence {
    /// By range, whether it differs from the one before.
    cuts: Vec<bool>,
}

impl Equivalence {
    /// By the kind of `message` in the document of all releases.
    pub(crate) fn new(
        document: &'static Document,
        ranges: &[ReleaseRange],
        message: &Value,
    ) -> Self {
        let mut ends = Ends::default();
        match variant(document.top(), message) {
            Some(variant) => {
                ends.collect(variant);
                ends.follow(document, variant, message, DEEP);
            }
            // A message without a tag of its own has one within.
            None if document.top().get("x-tags").is_none() => {
                ends.members(document, document.top(), message, DEEP);
            }
            None => {
                ends.collect(document.top());
                for (_, definition) in document.definitions() {
                    ends.collect(definition);
                }
            }
        }
        let mut before = None;
        let differs = |range: &ReleaseRange| {
            let last: Option<Release> = before.replace(range.since);
            let begins = ends.since.iter().any(|since| range.contains(*since));
            let until = |last: Release| ends.until.range(..range.since).next_back() >= Some(&last);
            begins || last.is_some_and(until)
        };
        Equivalence {
            cuts: ranges.iter().map(differs).collect(),
        }
    }

    /// All ranges that are like one of them.
    pub(crate) fn of(&self, range: usize) -> ReleaseSet {
        let is_cut = |index: &usize| self.cuts[*index];
        let from = (0..=range).rev().find(is_cut).unwrap_or(0);
        let to = (range + 1..self.cuts.len()).find(is_cut);
        ReleaseSet::first(to.unwrap_or(self.cuts.len())) & !ReleaseSet::first(from)
    }
}

/// The alternative of a tagged union that a message is, in whichever spelling of the tag.
fn variant<'d>(top: &'d Value, message: &Value) -> Option<&'d Value> {
    let tags = top["x-tags"].as_object()?;
    let tag = tags.keys().find_map(|key| message.get(key))?;
    variants(top).find(|variant| variant["x-tag"] == *tag)
}

/// How many references are followed along a message; behind them all that can be there counts.
const DEEP: usize = 8;

/// Where availabilities begin and end.
#[derive(Default)]
struct Ends {
    since: BTreeSet<Release>,
    until: BTreeSet<Release>,
    reached: BTreeSet<&'static str>,
}

impl Ends {
    /// Those of what a reference leads to, as far as a value can meet them: of a union by a tag only
    /// the alternative that the value is.
    fn follow(
        &mut self,
        document: &'static Document,
        schema: &'static Value,
        value: &Value,
        deep: usize,
    ) {
        let name = schema["$ref"].as_str().and_then(|r| r.rsplit('/').next());
        let definition = name.and_then(|name| document.definition(name));
        let (Some(definition), true) = (definition, deep > 0) else {
            return self.reach(document, schema);
        };
        let Some(tags) = definition["x-tags"].as_object() else {
            return self.members(document, definition, value, deep - 1);
        };
        // In two spellings it is not known which alternative a release takes it for.
        let mut spelt = tags.keys().filter_map(|key| value.get(key));
        let (Some(tag), None) = (spelt.next(), spelt.next()) else {
            return self.reach(document, schema);
        };
        let Some(variant) = variants(definition).find(|variant| variant["x-tag"] == *tag) else {
            return self.reach(document, schema);
        };
        self.collect(&definition["x-tags"]);
        self.collect(variant);
        self.follow(document, variant, value, deep - 1);
    }

    /// Those of an object and of its members.
    fn members(
        &mut self,
        document: &'static Document,
        object: &'static Value,
        value: &Value,
        deep: usize,
    ) {
        let keywords = object.as_object().into_iter().flatten();
        for (keyword, inner) in keywords {
            self.collect_one(keyword, inner);
            if keyword != "properties" {
                self.reach(document, inner);
                continue;
            }
            for (name, property) in inner.as_object().into_iter().flatten() {
                match value.get(name) {
                    Some(value) if property.get("$ref").is_some() => {
                        self.follow(document, property, value, deep);
                    }
                    _ => self.reach(document, property),
                }
            }
        }
    }

    /// Those of a schema and of everything its references lead to.
    fn reach(&mut self, document: &'static Document, schema: &'static Value) {
        match schema {
            Value::Object(object) => {
                let reference = object.get("$ref").and_then(Value::as_str);
                if let Some(name) = reference.and_then(|r| r.rsplit('/').next())
                    && self.reached.insert(name)
                    && let Some(definition) = document.definition(name)
                {
                    self.collect(definition);
                    self.reach(document, definition);
                }
                object
                    .values()
                    .for_each(|value| self.reach(document, value));
            }
            Value::Array(array) => array.iter().for_each(|value| self.reach(document, value)),
            _ => {}
        }
    }

    /// Those that stand in a schema itself.
    fn collect(&mut self, schema: &Value) {
        match schema {
            Value::Object(object) => {
                for (key, value) in object {
                    self.collect_one(key, value);
                }
            }
            Value::Array(array) => array.iter().for_each(|value| self.collect(value)),
            _ => {}
        }
    }

    fn collect_one(&mut self, key: &str, value: &Value) {
        let release = || value.as_str().and_then(|text| text.parse::<Release>().ok());
        match key {
            "x-since" | "since" => self.since.extend(release()),
            "x-until" | "until" => self.until.extend(release()),
            _ => self.collect(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ranges_are_cut_where_the_kind_changes() {
        let document = Document::of(&json!({
            "discriminator": {"propertyName": "method"},
            "x-tags": {"method": {}},
            "oneOf": [
                {"$ref": "#/$defs/A", "x-tag": "a", "x-since": "0.2.0"},
                {"$ref": "#/$defs/B", "x-tag": "b"},
            ],
            "$defs": {
                "A": {"properties": {"c": {"$ref": "#/$defs/C"}}},
                "B": {"properties": {"d": {"x-until": "0.4.0"}}},
                "C": {"properties": {
                    "a": {"$ref": "#/$defs/A"},
                    "e": {"enum": ["x"], "x-values": {"x": {"since": "0.5.0"}}},
                }},
            },
        }));
        let range = |minor| ReleaseRange {
            since: Release::new(0, minor, 0),
            until: Release::new(0, minor, 9),
        };
        let ranges: Vec<ReleaseRange> = (1..7).map(range).collect();
        let of = |message: Value, range| -> Vec<usize> {
            let alike = Equivalence::new(document, &ranges, &message);
            alike.of(range).places().collect()
        };
        assert_eq!(of(json!({"method": "a"}), 0), [0]);
        assert_eq!(of(json!({"method": "a"}), 2), [1, 2, 3]);
        assert_eq!(of(json!({"method": "a"}), 5), [4, 5]);
        assert_eq!(of(json!({"method": "b"}), 0), [0, 1, 2, 3]);
        assert_eq!(of(json!({"method": "b"}), 4), [4, 5]);
        assert_eq!(of(json!({"method": "c"}), 4), [4, 5]);
    }

    #[test]
    fn of_a_union_within_the_alternative_counts() {
        let document = Document::of(&json!({
            "properties": {"id": {"x-since": "0.2.0"}, "msg": {"$ref": "#/$defs/Msg"}},
            "$defs": {
                "Msg": {
                    "discriminator": {"propertyName": "type"},
                    "x-tags": {"type": {"since": "0.1.0"}, "kind": {"until": "0.1.9"}},
                    "oneOf": [
                        {"$ref": "#/$defs/A", "x-tag": "a"},
                        {"$ref": "#/$defs/B", "x-tag": "b", "x-since": "0.5.0"},
                    ],
                },
                "A": {"properties": {"c": {"type": "string"}}},
                "B": {"properties": {"d": {"x-until": "0.3.9"}}},
            },
        }));
        let range = |minor| ReleaseRange {
            since: Release::new(0, minor, 0),
            until: Release::new(0, minor, 9),
        };
        let ranges: Vec<ReleaseRange> = (1..7).map(range).collect();
        let of = |message: Value, range| -> Vec<usize> {
            let alike = Equivalence::new(document, &ranges, &message);
            alike.of(range).places().collect()
        };
        assert_eq!(of(json!({"msg": {"type": "a"}}), 5), [1, 2, 3, 4, 5]);
        assert_eq!(of(json!({"msg": {"type": "b"}}), 5), [4, 5]);
        assert_eq!(of(json!({"msg": {"type": "b"}}), 2), [1, 2]);
        // What is not known counts as all of it.
        for unknown in [
            json!({"type": "c"}),
            json!({"type": "a", "kind": "a"}),
            json!({}),
        ] {
            assert_eq!(of(json!({"msg": unknown}), 5), [4, 5]);
        }
        assert_eq!(of(json!({}), 2), [1, 2]);
    }
}
