//! Small messages that hold a change.
//!
//! A message is made to the description of the side that writes, and so that the reader has as
//! little as possible against it besides the change. Whether it succeeds is for a validator to
//! say; nothing here is taken on trust.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use crate::compare::{Found, Step};
use crate::difference::{Change, Which};
use crate::document::Document;
use crate::shapes::{Bounds, Kind, Object, Shapes, peel, shapes};

/// Makes values after the description of a writer, with the reader's at hand.
pub(crate) struct Maker<'d> {
    writer: &'d Document,
    reader: &'d Document,
    which: Which,
    /// Values by the addresses of the writer's and the reader's node.
    known: HashMap<(usize, usize), Value>,
    /// Nodes that are being made: whoever needs itself to be made cannot be.
    making: HashSet<(usize, usize)>,
}

/// A value, and where in it the change is.
pub(crate) struct Made {
    pub(crate) value: Value,
    /// A JSON Pointer.
    pub(crate) pointer: String,
}

impl<'d> Maker<'d> {
    /// `which` of the sides writes.
    pub(crate) fn new(before: &'d Document, after: &'d Document, which: Which) -> Self {
        let (writer, reader) = match which {
            Which::Before => (before, after),
            Which::After => (after, before),
        };
        Maker {
            writer,
            reader,
            which,
            known: HashMap::new(),
            making: HashSet::new(),
        }
    }

    /// Messages that hold a change, most telling first. `steps` lead from the start of the
    /// documents to where the change is.
    pub(crate) fn messages(&mut self, steps: &[Step<'d>], found: &Found<'d>) -> Vec<Made> {
        let start = (self.writer.start(), Some(self.reader.start()));
        let leaves = {
            let Some((writer, reader)) = self.follow(start, steps) else {
                return Vec::new();
            };
            self.leaves(writer, reader, found)
        };
        leaves
            .into_iter()
            .filter_map(|leaf| {
                let mut pointer = String::new();
                let value = self.around(start, steps, leaf, &mut pointer)?;
                Some(Made { value, pointer })
            })
            .collect()
    }

    /// Where steps from the start lead, for the writer and for the reader.
    pub(crate) fn at(&self, steps: &[Step<'d>]) -> Option<(&'d Value, Option<&'d Value>)> {
        self.follow((self.writer.start(), Some(self.reader.start())), steps)
    }

    /// Where some steps lead on both sides.
    fn follow(
        &self,
        start: (&'d Value, Option<&'d Value>),
        steps: &[Step<'d>],
    ) -> Option<(&'d Value, Option<&'d Value>)> {
        let mut at = start;
        for step in steps {
            at = self.enter(at, step)?;
        }
        Some(at)
    }

    /// One step on both sides.
    fn enter(
        &self,
        (writer, reader): (&'d Value, Option<&'d Value>),
        step: &Step<'d>,
    ) -> Option<(&'d Value, Option<&'d Value>)> {
        let step_in = |document: &'d Document, node: &'d Value| -> Option<&'d Value> {
            let sorted = shapes(document, node);
            match step {
                Step::Member(name) => sorted.objects.iter().find_map(|object| object.member(name)),
                Step::Item => sorted.arrays.first()?.items,
                Step::Key => sorted.objects.first()?.node.get("additionalProperties"),
                Step::Arm { .. } => None,
            }
        };
        if let Step::Arm { before, after, .. } = step {
            let (writer, reader) = match self.which {
                Which::Before => (before.node, after.node),
                Which::After => (after.node, before.node),
            };
            return Some((writer, Some(reader)));
        }
        let inside = step_in(self.writer, writer)?;
        Some((
            inside,
            reader.and_then(|reader| step_in(self.reader, reader)),
        ))
    }

    /// A message with `leaf` where the steps lead.
    fn around(
        &mut self,
        at: (&'d Value, Option<&'d Value>),
        steps: &[Step<'d>],
        leaf: Value,
        pointer: &mut String,
    ) -> Option<Value> {
        let Some((step, rest)) = steps.split_first() else {
            return Some(leaf);
        };
        let inside = self.enter(at, step)?;
        match step {
            Step::Arm { .. } => self.around(inside, rest, leaf, pointer),
            Step::Member(name) => {
                pointer.push('/');
                pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
                let inner = self.around(inside, rest, leaf, pointer)?;
                let mut object = self.whole(at, name)?;
                object.insert((*name).to_owned(), inner);
                Some(Value::Object(object))
            }
            Step::Item => {
                pointer.push_str("/0");
                Some(json!([self.around(inside, rest, leaf, pointer)?]))
            }
            Step::Key => {
                pointer.push_str("/key");
                Some(json!({ "key": self.around(inside, rest, leaf, pointer)? }))
            }
        }
    }

    /// The object that holds a member, without it.
    fn whole(
        &mut self,
        (writer, reader): (&'d Value, Option<&'d Value>),
        member: &str,
    ) -> Option<Map<String, Value>> {
        let objects = shapes(self.writer, writer).objects;
        let object = objects
            .into_iter()
            .find(|object| object.member(member).is_some())?;
        let reader = reader.and_then(|reader| {
            let objects = shapes(self.reader, reader).objects;
            objects
                .into_iter()
                .find(|object| object.member(member).is_some())
        });
        self.object(&object, reader.as_ref(), Some(member))
    }

    /// What shows the change at its place.
    fn leaves(
        &mut self,
        writer: &'d Value,
        reader: Option<&'d Value>,
        found: &Found<'d>,
    ) -> Vec<Value> {
        let (ours, theirs) = match self.which {
            Which::Before => (0, 1),
            Which::After => (1, 0),
        };
        let own = found.subject[ours];
        match found.change {
            Change::NullAdded | Change::NullRemoved => vec![Value::Null],
            Change::TypeWidened | Change::TypeNarrowed | Change::TypeChanged => {
                let sorted = shapes(self.writer, peel(writer).1);
                let known = reader.map(|reader| shapes(self.reader, peel(reader).1));
                self.other_kinds(&sorted, known.as_ref())
            }
            Change::BoundsWidened | Change::BoundsNarrowed => {
                let sorted = shapes(self.writer, writer);
                let known = reader
                    .map(|reader| shapes(self.reader, reader))
                    .unwrap_or_default();
                extremes(&sorted, &known)
            }
            Change::EnumOpened | Change::EnumClosed => vec![json!("something else")],
            Change::ValueAdded | Change::ValueRemoved | Change::ValueRenamed => {
                own.map(|value| json!(value)).into_iter().collect()
            }
            Change::MessageAdded
            | Change::MessageRemoved
            | Change::MessageRenamed
            | Change::VariantAdded
            | Change::VariantRemoved
            | Change::VariantRenamed
            | Change::TagRenamed => {
                let arm = found.arms[ours].as_ref();
                let made = arm.and_then(|arm| self.object(arm, found.arms[theirs].as_ref(), None));
                made.map(Value::Object).into_iter().collect()
            }
            Change::ConstraintChanged => {
                let mut out: Vec<Value> = self.value(writer, reader).into_iter().collect();
                let texts = [
                    "",
                    "a",
                    "A",
                    "0",
                    "a b",
                    "é",
                    "AA==",
                    "#",
                    "aaaaaaaaaaaaaaaaaaaaaaaa",
                ];
                out.extend(texts.iter().map(|text| json!(text)));
                out.extend([json!([]), json!({}), json!(0), json!(true), Value::Null]);
                out
            }
            _ => self.members(writer, reader, found, own),
        }
    }

    /// An object with a member, without it, and with one nobody declared.
    fn members(
        &mut self,
        writer: &'d Value,
        reader: Option<&'d Value>,
        found: &Found<'d>,
        own: Option<&'d str>,
    ) -> Vec<Value> {
        let Some(object) = shapes(self.writer, writer).objects.into_iter().next() else {
            return Vec::new();
        };
        let known =
            reader.and_then(|reader| shapes(self.reader, reader).objects.into_iter().next());
        let Some(bare) = self.object(&object, known.as_ref(), None) else {
            return Vec::new();
        };
        let mut without = bare.clone();
        let mut with = bare;
        if let Some(name) = own {
            if !object.requires(name) {
                without.remove(name);
            }
            let value = object.member(name).and_then(|node| {
                self.value(node, known.as_ref().and_then(|known| known.member(name)))
            });
            if let Some(value) = value {
                with.insert(name.to_owned(), value);
            }
        }
        if found.change == Change::ObjectClosed || found.change == Change::ObjectOpened {
            with.insert("undeclared".to_owned(), json!(true));
        }
        vec![Value::Object(without), Value::Object(with)]
    }

    /// Values of the types the reader does not have.
    fn other_kinds(&mut self, writer: &Shapes<'d>, reader: Option<&Shapes<'d>>) -> Vec<Value> {
        let known = reader.map(Shapes::kinds).unwrap_or_default();
        if writer.any {
            let samples = [
                json!("text"),
                json!(true),
                json!(0.5),
                json!([]),
                json!({}),
                Value::Null,
            ];
            return samples.into();
        }
        let new: Vec<Kind> = writer
            .kinds()
            .into_iter()
            .filter(|kind| !known.contains(kind))
            .collect();
        let mut out = Vec::new();
        if new.is_empty() {
            // Of objects none is one the reader knows.
            for object in &writer.objects {
                out.extend(self.object(object, None, None).map(Value::Object));
            }
        }
        for kind in new {
            out.extend(match kind {
                Kind::Null => Some(Value::Null),
                Kind::Boolean => Some(json!(true)),
                Kind::Integer => Some(json!(whole(writer.integer.unwrap_or_default(), None))),
                Kind::Number => Some(json!(0.5)),
                Kind::String => Some(match writer.values.first() {
                    Some(value) if writer.text.is_none() => json!(value),
                    _ => json!(""),
                }),
                Kind::Array => Some(json!([])),
                Kind::Object => self.any_object(&writer.objects, &[]),
            });
        }
        out
    }

    /// The smallest value of a node, one the reader takes if there is one.
    fn value(&mut self, writer: &'d Value, reader: Option<&'d Value>) -> Option<Value> {
        let key = (
            std::ptr::from_ref(writer) as usize,
            reader.map_or(0, |reader| std::ptr::from_ref(reader) as usize),
        );
        if let Some(known) = self.known.get(&key) {
            return Some(known.clone());
        }
        if !self.making.insert(key) {
            return None;
        }
        let made = self.fresh(writer, reader);
        self.making.remove(&key);
        if let Some(made) = &made {
            self.known.insert(key, made.clone());
        }
        made
    }

    fn fresh(&mut self, writer: &'d Value, reader: Option<&'d Value>) -> Option<Value> {
        let (nullable, inner) = peel(writer);
        let ours = shapes(self.writer, inner);
        let mut theirs = Shapes::default();
        let mut takes_null = true;
        if let Some(reader) = reader {
            let (nullable, inner) = peel(reader);
            theirs = shapes(self.reader, inner);
            takes_null = nullable || theirs.null || theirs.any;
        }
        let anything = reader.is_none() || theirs.any;
        if (nullable || ours.null) && takes_null && !ours.any {
            return Some(Value::Null);
        }
        if ours.any {
            return match reader {
                Some(_) if !theirs.any && theirs.text.is_some() => Some(json!("")),
                Some(_) if !theirs.any && theirs.integer.is_some() => Some(json!(0)),
                Some(_) if !theirs.any && !theirs.arrays.is_empty() => Some(json!([])),
                _ => Some(json!({})),
            };
        }
        let known = theirs.kinds();
        let mut kinds: Vec<Kind> = ours.kinds().into_iter().collect();
        kinds.sort_by_key(|kind| !anything && !known.contains(kind));
        for kind in kinds {
            let made = match kind {
                Kind::Null => Some(Value::Null),
                Kind::Boolean => Some(json!(false)),
                Kind::Integer => Some(json!(whole(
                    ours.integer.unwrap_or_default(),
                    theirs.integer
                ))),
                Kind::Number => Some(json!(whole(ours.number.unwrap_or_default(), theirs.number))),
                Kind::String => Some(text(&ours, &theirs)),
                Kind::Array => Some(json!([])),
                Kind::Object => self.any_object(&ours.objects, &theirs.objects),
            };
            if made.is_some() {
                return made;
            }
        }
        nullable.then_some(Value::Null)
    }

    /// The smallest of some variants, one the reader has if there is one.
    fn any_object(&mut self, writer: &[Object<'d>], reader: &[Object<'d>]) -> Option<Value> {
        let tags = |object: &Object<'d>| -> Vec<(&'d str, &'d str)> { object.tags().collect() };
        let twin = |ours: &Object<'d>| {
            let single = writer.len() == 1 && reader.len() == 1;
            reader.iter().find(|theirs| {
                single
                    || (!tags(ours).is_empty() && tags(ours) == tags(theirs))
                    || (ours.name.is_some() && ours.name == theirs.name)
            })
        };
        let mut order: Vec<(&Object<'d>, Option<&Object<'d>>)> =
            writer.iter().map(|ours| (ours, twin(ours))).collect();
        order.sort_by_key(|(_, twin)| twin.is_none());
        order
            .into_iter()
            .find_map(|(ours, theirs)| self.object(ours, theirs, None))
            .map(Value::Object)
    }

    /// An object with what the writer always writes, and what else the reader asks for.
    fn object(
        &mut self,
        writer: &Object<'d>,
        reader: Option<&Object<'d>>,
        without: Option<&str>,
    ) -> Option<Map<String, Value>> {
        let mut out = Map::new();
        for (name, node) in writer.members() {
            let asked = reader.is_some_and(|reader| reader.requires(name));
            if Some(name) == without || !(writer.requires(name) || asked) {
                continue;
            }
            let theirs = reader.and_then(|reader| reader.member(name));
            match self.value(node, theirs) {
                Some(value) => {
                    out.insert(name.to_owned(), value);
                }
                None if writer.requires(name) => return None,
                None => {}
            }
        }
        Some(out)
    }
}

/// A whole number near zero within the bounds.
fn whole(ours: Bounds, theirs: Option<Bounds>) -> i64 {
    let ends = [Some(ours), theirs];
    let ends = || ends.into_iter().flatten();
    let low = ends()
        .filter_map(|bounds| bounds.minimum)
        .max()
        .unwrap_or(i128::MIN);
    let high = ends()
        .filter_map(|bounds| bounds.maximum)
        .min()
        .unwrap_or(i128::MAX);
    let near = 0.max(low).min(high);
    i64::try_from(near).unwrap_or_default()
}

/// The ends of the writer's bounds, where they lie beyond the reader's.
fn extremes(ours: &Shapes<'_>, theirs: &Shapes<'_>) -> Vec<Value> {
    let mut out = Vec::new();
    for (ours, theirs) in [(ours.integer, theirs.integer), (ours.number, theirs.number)] {
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            continue;
        };
        let beyond = [
            theirs
                .minimum
                .map(|end| end - 1)
                .filter(|low| ours.minimum.is_none_or(|end| end <= *low)),
            theirs
                .maximum
                .map(|end| end + 1)
                .filter(|high| ours.maximum.is_none_or(|end| end >= *high)),
        ];
        for number in beyond.into_iter().flatten() {
            out.extend(i64::try_from(number).ok().map(|number| json!(number)));
            out.extend(u64::try_from(number).ok().map(|number| json!(number)));
        }
    }
    out
}

/// A text both take, or else one the writer writes.
fn text(ours: &Shapes<'_>, theirs: &Shapes<'_>) -> Value {
    let common = ours.values.iter().find(|value| {
        theirs.text.is_some() || theirs.values.is_empty() || theirs.values.contains(*value)
    });
    if let Some(value) = common {
        return json!(value);
    }
    if ours.text.is_some() && theirs.text.is_none() && !theirs.values.is_empty() {
        return json!(theirs.values.first());
    }
    match ours.values.first() {
        Some(value) if ours.text.is_none() => json!(value),
        _ => json!(""),
    }
}
