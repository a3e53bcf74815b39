//! Makes small messages that contain a change.
//!
//! A message follows the writer's description, and otherwise suits the reader as well as possible.
//! Whether that succeeded is decided by a validator, not here.

mod plain;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use codex_wire_base::pointer;

use crate::change::Change;
use crate::compare::{Found, Step};
use crate::difference::Which;
use crate::document::Document;
use crate::limits::{Budget, DEEP, VALUES};
use crate::ranges::Ranges;
use crate::shapes::{Kind, Object, Rest, Shapes, peel, shapes};
use plain::{
    CHOICES, ITEMS, choice, extremes, fraction, lengths, long_enough, number, size, text, whole,
};

/// Makes values after the description of a writer, with the reader's at hand.
pub(crate) struct Maker<'d> {
    writer: &'d Document,
    reader: &'d Document,
    which: Which,
    /// Values by the addresses of the writer's and the reader's node, with how many they hold.
    known: HashMap<(usize, usize), (Value, u64)>,
    /// What nodes allow, by their addresses: the writer's, then the reader's.
    sorted: [HashMap<usize, Rc<Shapes<'d>>>; 2],
    budget: Rc<Budget>,
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
    pub(crate) fn new(
        before: &'d Document,
        after: &'d Document,
        which: Which,
        budget: &Rc<Budget>,
    ) -> Self {
        let (writer, reader) = match which {
            Which::Before => (before, after),
            Which::After => (after, before),
        };
        Maker {
            writer,
            reader,
            which,
            known: HashMap::new(),
            sorted: [HashMap::new(), HashMap::new()],
            budget: Rc::clone(budget),
            making: HashSet::new(),
        }
    }

    /// What a node of the writer allows.
    fn ours(&mut self, node: &'d Value) -> Rc<Shapes<'d>> {
        let key = std::ptr::from_ref(node) as usize;
        let sorted = self.sorted[0].entry(key);
        Rc::clone(sorted.or_insert_with(|| Rc::new(shapes(self.writer, node))))
    }

    /// What a node of the reader allows.
    fn theirs(&mut self, node: &'d Value) -> Rc<Shapes<'d>> {
        let key = std::ptr::from_ref(node) as usize;
        let sorted = self.sorted[1].entry(key);
        Rc::clone(sorted.or_insert_with(|| Rc::new(shapes(self.reader, node))))
    }

    /// Messages that hold a change, most telling first. `steps` lead from the start of the
    /// documents to where the change is.
    pub(crate) fn messages(&mut self, steps: &[Step<'d>], found: &Found<'d>) -> Vec<Made> {
        // Codex would not read a message of more levels.
        let deep = steps
            .iter()
            .filter(|step| !matches!(step, Step::Branch { .. }));
        if deep.count() > DEEP {
            return Vec::new();
        }
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
                // Names on the way count as well.
                let held = size(&value);
                if held > VALUES {
                    self.budget.gives_up();
                }
                if !self.budget.proves(held) {
                    return None;
                }
                Some(Made { value, pointer })
            })
            .collect()
    }

    /// Where steps from the start lead, for the writer and for the reader.
    pub(crate) fn at(&mut self, steps: &[Step<'d>]) -> Option<(&'d Value, Option<&'d Value>)> {
        self.follow((self.writer.start(), Some(self.reader.start())), steps)
    }

    /// Where some steps lead on both sides.
    fn follow(
        &mut self,
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
        &mut self,
        (writer, reader): (&'d Value, Option<&'d Value>),
        step: &Step<'d>,
    ) -> Option<(&'d Value, Option<&'d Value>)> {
        let step_in = |sorted: &Shapes<'d>| -> Option<&'d Value> {
            match step {
                Step::Member(name) => sorted.objects.iter().find_map(|object| object.member(name)),
                Step::Item => sorted.arrays.first()?.items,
                Step::Key => sorted.objects.first()?.node.get("additionalProperties"),
                Step::Branch { .. } => None,
            }
        };
        if let Step::Branch { before, after, .. } = step {
            let (writer, reader) = match self.which {
                Which::Before => (before.node, after.node),
                Which::After => (after.node, before.node),
            };
            return Some((writer, Some(reader)));
        }
        let inside = step_in(&self.ours(writer))?;
        let reader = reader.map(|reader| self.theirs(reader));
        Some((inside, reader.and_then(|reader| step_in(&reader))))
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
            Step::Branch { .. } => self.around(inside, rest, leaf, pointer),
            Step::Member(name) => {
                pointer::push(pointer, name);
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
        let holds = |object: &&Object<'d>| object.member(member).is_some();
        let ours = self.ours(writer);
        let object = ours.objects.iter().find(holds)?.clone();
        let theirs = reader.map(|reader| self.theirs(reader));
        let reader = theirs.and_then(|theirs| theirs.objects.iter().find(holds).cloned());
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
                let sorted = self.ours(peel(writer).1);
                let known = reader.map(|reader| self.theirs(peel(reader).1));
                self.other_kinds(&sorted, known.as_deref())
            }
            Change::BoundsWidened | Change::BoundsNarrowed => {
                let sorted = self.ours(writer);
                let known = reader.map(|reader| self.theirs(reader)).unwrap_or_default();
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
                let branch = found.branches[ours].as_ref();
                let made = branch
                    .and_then(|branch| self.object(branch, found.branches[theirs].as_ref(), None));
                made.map(Value::Object).into_iter().collect()
            }
            Change::ConstraintChanged => {
                let mut out: Vec<Value> = self.value(writer, reader).into_iter().collect();
                out.extend(self.every_choice(writer, reader));
                let sorted = self.ours(peel(writer).1);
                let known = reader.map(|reader| self.theirs(peel(reader).1));
                out.extend(lengths(&sorted, known.as_deref()));
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

    /// An object for each choice of members.
    fn every_choice(&mut self, writer: &'d Value, reader: Option<&'d Value>) -> Vec<Value> {
        let ours = self.ours(peel(writer).1);
        let known = reader.map(|reader| self.theirs(peel(reader).1));
        let known = known.and_then(|known| known.objects.first().cloned());
        let mut out = Vec::new();
        for object in ours.objects.iter().take(CHOICES) {
            let sets = object.choices().iter().take(CHOICES).map(Some);
            // Where the writer has none to make, the reader may miss one.
            let none = object.choices().is_empty().then_some(None);
            for set in sets.chain(none) {
                let made = self.chosen(object, known.as_ref(), None, [set, None]);
                out.extend(made.map(Value::Object));
            }
        }
        out
    }

    /// An object with a member, without it, and with an undeclared one.
    fn members(
        &mut self,
        writer: &'d Value,
        reader: Option<&'d Value>,
        found: &Found<'d>,
        own: Option<&'d str>,
    ) -> Vec<Value> {
        let Some(object) = self.ours(writer).objects.first().cloned() else {
            return Vec::new();
        };
        let known = reader.map(|reader| self.theirs(reader));
        let known = known.and_then(|known| known.objects.first().cloned());
        let Some(bare) = self.object(&object, known.as_ref(), None) else {
            return Vec::new();
        };
        let mut without = bare.clone();
        let mut with = bare;
        if let Some(name) = own {
            if !object.requires(name) {
                // Where it can be chosen, another choice is made.
                let chosen = choice(&object, known.as_ref(), Some(name));
                if let Some(other) = self.chosen(&object, known.as_ref(), None, [chosen, None]) {
                    without = other;
                }
                if chosen.is_none_or(|set| !set.contains(name)) {
                    without.remove(name);
                }
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
                Kind::Integer => Some(json!(whole(&writer.integer, &Ranges::default()))),
                Kind::Number => Some(fraction(&writer.number)),
                Kind::String => Some(match writer.values.first() {
                    Some(value) if writer.text.is_none() => json!(value),
                    _ => json!(long_enough(writer, &Shapes::default())),
                }),
                Kind::Array => self.array(writer, &Shapes::default()),
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
        if let Some((known, size)) = self.known.get(&key) {
            let (known, size) = (known.clone(), *size);
            return self.budget.proves(size).then_some(known);
        }
        if !self.budget.proves(1) || self.making.len() >= DEEP || !self.making.insert(key) {
            return None;
        }
        let made = self.fresh(writer, reader);
        self.making.remove(&key);
        let made = made?;
        // What doubles at every level is endless long before it is deep.
        let size = size(&made);
        if size > VALUES {
            self.budget.gives_up();
        }
        if !self.budget.proves(size) {
            return None;
        }
        self.known.insert(key, (made.clone(), size));
        Some(made)
    }

    fn fresh(&mut self, writer: &'d Value, reader: Option<&'d Value>) -> Option<Value> {
        let (nullable, inner) = peel(writer);
        let ours = self.ours(inner);
        let mut theirs: Rc<Shapes<'d>> = Rc::default();
        let mut takes_null = true;
        if let Some(reader) = reader {
            let (nullable, inner) = peel(reader);
            theirs = self.theirs(inner);
            takes_null = nullable || theirs.null || theirs.any;
        }
        let anything = reader.is_none() || theirs.any;
        if (nullable || ours.null) && takes_null && !ours.any {
            return Some(Value::Null);
        }
        if ours.any {
            return match reader {
                Some(_) if !theirs.any && theirs.text.is_some() => Some(json!("")),
                Some(_) if !theirs.any && !theirs.integer.is_empty() => Some(json!(0)),
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
                Kind::Integer => Some(json!(whole(&ours.integer, &theirs.integer))),
                Kind::Number => Some(json!(whole(&ours.number, &theirs.number))),
                Kind::String => Some(text(&ours, &theirs)),
                Kind::Array => self.array(&ours, &theirs),
                Kind::Object => self.any_object(&ours.objects, &theirs.objects),
            };
            if made.is_some() {
                return made;
            }
        }
        nullable.then_some(Value::Null)
    }

    /// The shortest array both take, or else the writer's.
    fn array(&mut self, ours: &Shapes<'d>, theirs: &Shapes<'d>) -> Option<Value> {
        let own = ours.arrays.first()?;
        let read = theirs.arrays.first();
        let demanded = number(&own.constraints, "minItems")
            .max(read.map_or(0, |read| number(&read.constraints, "minItems")));
        if demanded == 0 {
            return Some(json!([]));
        }
        let item = match own.items {
            Some(items) => self.value(items, read.and_then(|read| read.items))?,
            None => json!({}),
        };
        let items = demanded.min(ITEMS);
        let whole = size(&item).saturating_mul(u64::try_from(items).unwrap_or(u64::MAX));
        (whole <= VALUES).then(|| json!(vec![item; items]))
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
        let chosen = choice(writer, reader, without);
        let asked = reader.and_then(|reader| choice(reader, Some(writer), None));
        self.chosen(writer, reader, without, [chosen, asked])
    }

    /// The same with choices made of the members of which at least one has to be there: what the
    /// writer chooses, and what the reader asks for.
    fn chosen(
        &mut self,
        writer: &Object<'d>,
        reader: Option<&Object<'d>>,
        without: Option<&str>,
        [chosen, theirs]: [Option<&BTreeSet<&'d str>>; 2],
    ) -> Option<Map<String, Value>> {
        // It holds itself as well. What is too large whatever its members are is not made: in a document of many
        // members there are as many changes, and each would make all members again.
        if u64::try_from(writer.demanded()).map_or(true, |demanded| demanded >= VALUES) {
            self.budget.gives_up();
            return None;
        }
        let mut out = Map::new();
        let mut held = 0;
        for (name, node) in writer.members() {
            if !self.budget.proves(1) {
                return None;
            }
            let own = writer.requires(name) || chosen.is_some_and(|chosen| chosen.contains(name));
            // Members of another choice stay away: together they may fit no message.
            let other = !own && writer.choices().iter().any(|set| set.contains(name));
            let asked = !other
                && reader.is_some_and(|reader| {
                    reader.requires(name) || theirs.is_some_and(|set| set.contains(name))
                });
            if Some(name) == without || !(own || asked) {
                continue;
            }
            let theirs = reader.and_then(|reader| reader.member(name));
            match self.value(node, theirs) {
                Some(value) => {
                    held += size(&value);
                    if held > VALUES {
                        self.budget.gives_up();
                        return None;
                    }
                    out.insert(name.to_owned(), value);
                }
                None if own => return None,
                None => {}
            }
        }
        self.filled(writer, reader, &mut out);
        Some(out)
    }

    /// Adds members until there are as many as the writer requires.
    fn filled(
        &mut self,
        writer: &Object<'d>,
        reader: Option<&Object<'d>>,
        out: &mut Map<String, Value>,
    ) {
        let demanded = number(&writer.constraints, "minProperties");
        for (name, node) in writer.members() {
            if out.len() >= demanded {
                return;
            }
            let theirs = reader.and_then(|reader| reader.member(name));
            if !out.contains_key(name)
                && let Some(value) = self.value(node, theirs)
            {
                out.insert(name.to_owned(), value);
            }
        }
        if let Rest::Like(node) = writer.rest() {
            for at in 0..demanded.saturating_sub(out.len()).min(ITEMS) {
                let Some(value) = self.value(node, None) else {
                    return;
                };
                out.insert(format!("key{at}"), value);
            }
        }
    }
}
