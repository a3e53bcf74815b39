//! Which releases have the same to say of one kind of message: far fewer tell apart a single
//! kind than tell apart the whole protocol.

use std::collections::BTreeSet;

use codex_wire_base::{Release, ReleaseSet};
use codex_wire_schema::{Document, Span};
use serde_json::Value;

use crate::follow::arms;

/// The spans cut where something changes that a kind of message can hold.
pub(crate) struct Alike {
    /// By span, whether it differs from the one before.
    cuts: Vec<bool>,
}

impl Alike {
    /// By the kind of `message` in the document of all releases.
    pub(crate) fn new(document: &'static Document, spans: &[Span], message: &Value) -> Self {
        let mut ends = Ends::default();
        match arm(document.top(), message) {
            Some(arm) => {
                ends.collect(arm);
                ends.reach(document, arm);
            }
            None => {
                ends.collect(document.top());
                for (_, definition) in document.definitions() {
                    ends.collect(definition);
                }
            }
        }
        let mut before = None;
        let differs = |span: &Span| {
            let last: Option<Release> = before.replace(span.since);
            let begins = ends.since.iter().any(|since| span.contains(*since));
            let until = |last: Release| ends.until.range(..span.since).next_back() >= Some(&last);
            begins || last.is_some_and(until)
        };
        Alike {
            cuts: spans.iter().map(differs).collect(),
        }
    }

    /// All spans that are like one of them.
    pub(crate) fn of(&self, span: usize) -> ReleaseSet {
        let is_cut = |index: &usize| self.cuts[*index];
        let from = (0..=span).rev().find(is_cut).unwrap_or(0);
        let to = (span + 1..self.cuts.len()).find(is_cut);
        ReleaseSet::first(to.unwrap_or(self.cuts.len())) & !ReleaseSet::first(from)
    }
}

/// The alternative of a tagged union that a message is, in whichever spelling of the tag.
fn arm<'d>(top: &'d Value, message: &Value) -> Option<&'d Value> {
    let tags = top["x-tags"].as_object()?;
    let tag = tags.keys().find_map(|key| message.get(key))?;
    arms(top).find(|arm| arm["x-tag"] == *tag)
}

/// Where lifetimes begin and end.
#[derive(Default)]
struct Ends {
    since: BTreeSet<Release>,
    until: BTreeSet<Release>,
    reached: BTreeSet<&'static str>,
}

impl Ends {
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
                    let release = value.as_str().and_then(|text| text.parse().ok());
                    match (key.as_str(), release) {
                        ("x-since" | "since", Some(release)) => {
                            self.since.insert(release);
                        }
                        ("x-until" | "until", Some(release)) => {
                            self.until.insert(release);
                        }
                        _ => self.collect(value),
                    }
                }
            }
            Value::Array(array) => array.iter().for_each(|value| self.collect(value)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn spans_are_cut_where_the_kind_changes() {
        let document = Document::of(&json!({
            "x-tags": {"method": {}},
            "oneOf": [
                {"$ref": "#/$defs/A", "x-tag": "a", "x-since": "0.2.0"},
                {"$ref": "#/$defs/B", "x-tag": "b"},
            ],
            "$defs": {
                "A": {"properties": {"c": {"$ref": "#/$defs/C"}}},
                "B": {"properties": {"d": {"x-until": "0.4.0"}}},
                "C": {"x-values": {"x": {"since": "0.5.0"}}, "a": {"$ref": "#/$defs/A"}},
            },
        }));
        let span = |minor| Span {
            since: Release::new(0, minor, 0),
            until: Release::new(0, minor, 9),
        };
        let spans: Vec<Span> = (1..7).map(span).collect();
        let of = |message: Value, span| -> Vec<usize> {
            let alike = Alike::new(document, &spans, &message);
            alike.of(span).places().collect()
        };
        assert_eq!(of(json!({"method": "a"}), 0), [0]);
        assert_eq!(of(json!({"method": "a"}), 2), [1, 2, 3]);
        assert_eq!(of(json!({"method": "a"}), 5), [4, 5]);
        assert_eq!(of(json!({"method": "b"}), 0), [0, 1, 2, 3]);
        assert_eq!(of(json!({"method": "b"}), 4), [4, 5]);
        assert_eq!(of(json!({"method": "c"}), 4), [4, 5]);
    }
}
