//! Groups releases whose schemas are the same for one kind of message.
//!
//! The schemas of two releases often differ elsewhere but agree on one kind of message. So a
//! message needs to be validated for far fewer releases than there are.

use std::collections::BTreeSet;

use codex_wire_base::shape::ReleaseBounds;
use codex_wire_base::{Release, ReleaseSet};
use codex_wire_schema::ir::{Availability, Schema, Tagged, TaggedVariant};
use codex_wire_schema::{Document, ReleaseRange};
use serde_json::Value;

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
        let mut ends = Ends {
            document,
            since: BTreeSet::new(),
            until: BTreeSet::new(),
            reached: BTreeSet::new(),
        };
        let union = document.root().tagged();
        match union.map(|union| variant(union, message)) {
            // A message without a tag of its own has one within.
            None => ends.members(document.root(), message, DEEP),
            Some(Some(variant)) => {
                ends.collect(&variant.availability);
                ends.follow(&variant.definition, message, DEEP);
            }
            Some(None) => {
                ends.collect_all(document.root());
                for (_, definition) in document.schemas() {
                    ends.collect_all(definition);
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
fn variant<'d>(union: &'d Tagged, message: &Value) -> Option<&'d TaggedVariant> {
    let mut spellings = union.spellings.iter();
    let tag = spellings.find_map(|spelling| message.get(&*spelling.name))?;
    union.variant(tag.as_str()?)
}

/// How many references are followed along a message; behind them all that can be there counts.
const DEEP: usize = 8;

/// Where availabilities begin and end.
struct Ends {
    document: &'static Document,
    since: BTreeSet<Release>,
    until: BTreeSet<Release>,
    reached: BTreeSet<&'static str>,
}

impl Ends {
    /// Those of what a definition leads to, as far as a value can meet them: of a union by a tag
    /// only the alternative that the value is.
    fn follow(&mut self, name: &'static str, value: &Value, deep: usize) {
        let Some(definition) = self.document.schema(name).filter(|_| deep > 0) else {
            return self.reach(name);
        };
        let Some(union) = definition.tagged() else {
            return self.members(definition, value, deep - 1);
        };
        // In two spellings it is not known which alternative a release takes it for.
        let spellings = union.spellings.iter();
        let mut spelt = spellings.filter_map(|spelling| value.get(&*spelling.name));
        let (Some(tag), None) = (spelt.next(), spelt.next()) else {
            return self.reach(name);
        };
        let Some(variant) = tag.as_str().and_then(|tag| union.variant(tag)) else {
            return self.reach(name);
        };
        for spelling in &union.spellings {
            self.collect(&spelling.availability);
        }
        self.collect(&variant.availability);
        self.follow(&variant.definition, value, deep - 1);
    }

    /// Those of an object and of its members.
    fn members(&mut self, schema: &'static Schema, value: &Value, deep: usize) {
        self.collect_all(schema);
        let Some(object) = schema.object() else {
            return self.reach_from(schema);
        };
        for member in &object.members {
            match (value.get(&*member.name), member.schema.reference()) {
                (Some(value), Some(name)) => self.follow(name, value, deep),
                _ => self.reach_from(&member.schema),
            }
            if let Some(second) = &member.second {
                self.reach_from(&second.schema);
            }
        }
    }

    /// Those of everything that the references of a schema lead to.
    fn reach_from(&mut self, schema: &'static Schema) {
        schema.references(&mut |name| self.reach(name));
    }

    /// Those of a definition and of everything that it leads to.
    fn reach(&mut self, name: &'static str) {
        if self.reached.insert(name)
            && let Some(definition) = self.document.schema(name)
        {
            self.collect_all(definition);
            self.reach_from(definition);
        }
    }

    /// Those that stand in a schema itself.
    fn collect_all(&mut self, schema: &Schema) {
        schema.visit_ranges(&mut |range| self.see(range));
    }

    fn collect(&mut self, availability: &Availability) {
        availability.visit_ranges(&mut |range| self.see(range));
    }

    fn see(&mut self, range: ReleaseBounds) {
        self.since.extend(range.since);
        self.until.extend(range.until);
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
