//! Walks what a release reads, by the model, and asks about every part of it once.

mod lend;
mod takes;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use app_server_codegen::model::{FormBody, Object};
use app_server_codegen::snapshot::{Body, Members};
use app_server_codegen::types::{Signature, Type};
use app_server_codegen::{Kind, Model, Snapshot};
use codex_wire_base::Release;
use serde_json::{Map, Value, json};

use crate::question::{Put, Question, Slot, Step};
use crate::sample::Samples;
use crate::walk::lend::lend;
use crate::walk::takes::Takes;

/// A name that no release knows.
pub(crate) const STRANGER: &str = "walrus";

/// A value that no text, number, truth value or list can be made of. A release that ignores a member takes
/// it.
pub(crate) fn strange() -> Value {
    json!({ STRANGER: null })
}

/// What a release is asked first.
#[derive(Debug, Default)]
pub(crate) struct Questions {
    /// What a server is asked that nobody greeted.
    pub(crate) all: Vec<Question>,
    /// Those that use one experimental thing, by the model.
    pub(crate) experimental: Vec<Question>,
}

/// All questions to a release that need no earlier answer. `listed` are the methods that it knows.
pub(crate) fn questions(model: &Model, release: Release, listed: &[String]) -> Questions {
    let mut snapshot = model.at(release, true);
    let stable = model.at(release, false);
    let is_unknown = |method: &&String| {
        let key = (Kind::ClientRequest, (*method).clone());
        !snapshot.methods.contains_key(&key)
    };
    let lent: BTreeSet<String> = listed.iter().filter(is_unknown).cloned().collect();
    for method in &lent {
        lend(model, &mut snapshot, method);
    }
    let mut walk = Walk {
        model,
        snapshot: &snapshot,
        stable: &stable,
        lent: &lent,
        samples: Samples::new(&snapshot),
        seen: BTreeSet::new(),
        queue: VecDeque::new(),
        questions: Questions::default(),
    };
    let mut methods: Vec<(&String, &Option<Signature>)> = snapshot
        .methods
        .iter()
        .filter(|((kind, _), _)| *kind == Kind::ClientRequest)
        .map(|((_, method), params)| (method, params))
        .collect();
    // A definition is asked about in a method for all clients, if there is one, and in the one that has been
    // there for longest, so that releases are asked the same.
    let hull = |method: &str| {
        let hull = model
            .method_availability(Kind::ClientRequest, method)
            .hull();
        hull.map(|(first, last)| (model.releases.last() != Some(&last), first))
    };
    methods.sort_by_key(|(method, _)| {
        let is_experimental = !walk.is_stable(method);
        (is_experimental, hull(method), (*method).clone())
    });
    for (method, params) in methods {
        walk.method(method, params.as_ref());
    }
    while let Some(stop) = walk.queue.pop_front() {
        walk.definition(&stop);
    }
    for (kind, method) in model.methods.keys() {
        if *kind == Kind::ClientRequest && !snapshot.methods.contains_key(&(*kind, method.clone()))
        {
            walk.ask(&about_params(method), &Slot::params(method), Put::Absent);
        }
    }
    walk.questions
}

fn about_params(method: &str) -> String {
    format!("{method} params")
}

/// A definition that is still to be asked about, and where a value of it goes.
struct Stop {
    definition: String,
    slot: Slot,
}

struct Walk<'m> {
    model: &'m Model,
    snapshot: &'m Snapshot,
    stable: &'m Snapshot,
    /// Methods that the model does not have in the release.
    lent: &'m BTreeSet<String>,
    samples: Samples<'m>,
    seen: BTreeSet<String>,
    queue: VecDeque<Stop>,
    questions: Questions,
}

impl Walk<'_> {
    fn ask(&mut self, about: &str, slot: &Slot, put: Put) {
        self.questions.all.push(Question {
            about: about.to_owned(),
            slot: slot.clone(),
            put,
        });
    }

    fn ask_experimental(&mut self, about: &str, slot: &Slot, put: Option<Value>) {
        // Where the method is experimental already, this shows nothing of what is in it.
        let is_method = slot.way.is_empty();
        if let Some(put) = put.filter(|_| is_method || self.is_stable(&slot.method)) {
            self.questions.experimental.push(Question {
                about: about.to_owned(),
                slot: slot.clone(),
                put: Put::Value(put),
            });
        }
    }

    /// Whether every client may call a method.
    fn is_stable(&self, method: &str) -> bool {
        let key = (Kind::ClientRequest, method.to_owned());
        self.stable.methods.contains_key(&key)
    }

    fn method(&mut self, method: &str, params: Option<&Signature>) {
        let slot = Slot::params(method);
        let about = about_params(method);
        self.ask(&about, &slot, Put::Absent);
        if !self.is_stable(method) && !self.lent.contains(method) {
            let sample = params.and_then(|params| self.samples.value(&params.value));
            self.ask_experimental(&about, &slot, Some(sample.unwrap_or(Value::Null)));
        }
        match params {
            Some(signature) => self.place(&about, &slot, &signature.value),
            None => self.kinds(&about, &slot, &Type::Null),
        }
    }

    /// A value that says something: not the one that leaving it out says.
    fn telling(&self, of: &Type, sample: Value) -> Value {
        match (of, &sample) {
            (_, Value::Bool(false)) => json!(true),
            (Type::Array(inner), _) => {
                let element = self.samples.value(inner);
                element.map_or(sample, |element| json!([element]))
            }
            (Type::Map(inner), _) => {
                let value = self.samples.value(inner);
                value.map_or(sample, |value| json!({"x": value}))
            }
            _ => sample,
        }
    }

    /// Asks what a place takes that has values of a type, and walks into the type.
    fn place(&mut self, about: &str, slot: &Slot, of: &Type) {
        if let Some(sample) = self.samples.value(of) {
            self.ask(about, slot, Put::Value(sample));
        }
        self.kinds(about, slot, of);
        self.into(about, slot, of);
    }

    /// One value of each kind that JSON has.
    fn kinds(&mut self, about: &str, slot: &Slot, of: &Type) {
        let takes = Takes::of(self.snapshot, of);
        let mut values = vec![Value::Null, json!(5), json!(STRANGER), strange()];
        if takes.numbers {
            for number in [
                json!(-1),
                json!(1.5),
                json!(1_u64 << 32),
                json!(1_u64 << 63),
            ] {
                values.push(number);
            }
        }
        if takes.texts {
            values.push(json!(""));
        }
        for value in values {
            self.ask(about, slot, Put::Value(value));
        }
    }

    /// Walks into the parts of a type.
    fn into(&mut self, about: &str, slot: &Slot, of: &Type) {
        match of {
            Type::Reference(name) if self.seen.insert(name.clone()) => {
                self.queue.push_back(Stop {
                    definition: name.clone(),
                    slot: slot.clone(),
                });
            }
            Type::Array(inner) => {
                let slot = slot.inside(json!([]), Step::Element(0));
                self.place(&format!("{about}[]"), &slot, inner);
            }
            Type::Map(inner) => {
                let slot = slot.inside(json!({}), Step::Member("x".to_owned()));
                self.place(&format!("{about}{{}}"), &slot, inner);
            }
            Type::Union(branches) => {
                for branch in branches {
                    if let Some(sample) = self.samples.value(branch) {
                        self.ask(about, slot, Put::Value(sample));
                    }
                    self.into(about, slot, branch);
                }
            }
            _ => {}
        }
    }

    fn definition(&mut self, stop: &Stop) {
        let Some(body) = self.snapshot.definitions.get(&stop.definition) else {
            return;
        };
        self.body(&stop.definition, &stop.slot, body);
    }

    fn body(&mut self, name: &str, slot: &Slot, body: &Body) {
        match body {
            Body::Object(members) => {
                let Some(sample) = self.samples.object(name, members) else {
                    return;
                };
                let stable = match self.stable.definitions.get(name) {
                    Some(Body::Object(stable)) => Some(stable),
                    _ => None,
                };
                let is_new =
                    |name: &str| stable.is_some_and(|stable| !stable.members.contains_key(name));
                self.object(name, slot, &sample, members, &is_new);
                let foreign = self.foreign_members(name, None);
                self.foreign(name, slot, &sample, members, &foreign);
            }
            Body::Tagged {
                tag,
                base,
                branches,
            } => self.tagged(name, slot, tag, (base, branches)),
            Body::ExternallyTagged { branches, .. } => {
                let mut known: BTreeSet<String> = self.foreign_values(name);
                let stable = match self.stable.definitions.get(name) {
                    Some(Body::ExternallyTagged { branches, .. }) => Some(branches),
                    _ => None,
                };
                for (value, contents) in branches {
                    let is_new = stable.is_some_and(|stable| !stable.contains_key(value));
                    if is_new && contents.contains(&None) {
                        self.ask_experimental(name, slot, Some(json!(value)));
                    }
                    known.insert(value.clone());
                    for content in contents.iter().flatten() {
                        let Some(sample) = self.samples.value(content) else {
                            continue;
                        };
                        if is_new {
                            let put = Some(json!({ value: sample.clone() }));
                            self.ask_experimental(name, slot, put);
                        }
                        let place = format!("{name}/{value}");
                        let step = Step::Member(value.clone());
                        let inner = slot.inside(json!({ value: sample }), step);
                        self.place(&place, &inner, content);
                    }
                }
                for value in known {
                    self.ask(name, slot, Put::Value(json!(value)));
                }
                self.ask(name, slot, Put::Value(json!(STRANGER)));
            }
            Body::AnyOf(branches) => {
                for branch in branches {
                    if let Some(sample) = self.samples.value(branch) {
                        self.ask(name, slot, Put::Value(sample));
                    }
                    self.into(name, slot, branch);
                }
            }
            Body::Several(bodies) => {
                for body in bodies {
                    self.body(name, slot, body);
                }
            }
        }
    }

    fn tagged(
        &mut self,
        name: &str,
        slot: &Slot,
        tag: &str,
        (base, branches): (&BTreeMap<String, Signature>, &BTreeMap<String, Members>),
    ) {
        let Some(common) = self.samples.required(name, base) else {
            return;
        };
        let mut foreign = self.foreign_values(name);
        let stable = match self.stable.definitions.get(name) {
            Some(Body::Tagged { branches, .. }) => Some(branches),
            _ => None,
        };
        for (variant, own) in branches {
            foreign.remove(variant);
            let owner = format!("{name}/{variant}");
            let Some(own_sample) = self.samples.object(&owner, own) else {
                continue;
            };
            let mut sample = Map::new();
            sample.insert(tag.to_owned(), json!(variant));
            sample.extend(common.clone());
            sample.extend(own_sample);
            if stable.is_some_and(|stable| !stable.contains_key(variant)) {
                self.ask_experimental(&owner, slot, Some(Value::Object(sample.clone())));
            }
            let mut members = own.clone();
            members.members.extend(base.clone());
            let of_all = stable.and_then(|stable| stable.get(variant));
            let is_new = |name: &str| {
                of_all.is_some_and(|of| !of.members.contains_key(name) && !base.contains_key(name))
            };
            self.object(&owner, slot, &sample, &members, &is_new);
            let mut others = self.foreign_members(name, Some(variant));
            others.remove(tag);
            self.foreign(&owner, slot, &sample, &members, &others);
        }
        for variant in foreign.into_iter().chain([STRANGER.to_owned()]) {
            let mut sample = common.clone();
            sample.insert(tag.to_owned(), json!(variant));
            self.ask(name, slot, Put::Value(Value::Object(sample)));
        }
    }

    /// Asks about an object and each of its members. `is_experimental` are those that the model has for
    /// clients with the experimental API alone.
    fn object(
        &mut self,
        owner: &str,
        slot: &Slot,
        sample: &Map<String, Value>,
        of: &Members,
        is_experimental: &dyn Fn(&str) -> bool,
    ) {
        self.ask(owner, slot, Put::Value(Value::Object(sample.clone())));
        let mut all = sample.clone();
        for (name, signature) in &of.members {
            if let Some(value) = self.samples.member(owner, name, signature) {
                all.entry(name.clone()).or_insert(value);
            }
        }
        if all.len() > sample.len() {
            self.ask(owner, slot, Put::Value(Value::Object(all)));
        }
        if !of.choice.is_empty() {
            let mut none = sample.clone();
            for name in of.choice.iter().flatten() {
                none.remove(name);
            }
            for set in &of.choice {
                let mut one = none.clone();
                for name in set {
                    let value = of.members.get(name);
                    let value = value.and_then(|of| self.samples.member(owner, name, of));
                    one.extend(value.map(|value| (name.clone(), value)));
                }
                self.ask(owner, slot, Put::Value(Value::Object(one)));
            }
            self.ask(owner, slot, Put::Value(Value::Object(none)));
        }
        for (name, signature) in &of.members {
            let place = format!("{owner}.{name}");
            let around = Value::Object(sample.clone());
            let inner = slot.inside(around, Step::Member(name.clone()));
            self.ask(&place, &inner, Put::Absent);
            if let Some(value) = self.samples.member(owner, name, signature) {
                if is_experimental(name) {
                    let telling = self.telling(&signature.value, value.clone());
                    self.ask_experimental(&place, &inner, Some(telling));
                }
                self.ask(&place, &inner, Put::Value(value));
            }
            self.kinds(&place, &inner, &signature.value);
            self.into(&place, &inner, &signature.value);
        }
        let mut stranger = sample.clone();
        stranger.insert(STRANGER.to_owned(), strange());
        for name in of.members.keys() {
            if let Some(other) = other_spelling(name) {
                stranger.entry(other).or_insert_with(strange);
            }
        }
        self.ask(owner, slot, Put::Value(Value::Object(stranger)));
    }

    /// Asks whether an object reads members that other releases have.
    fn foreign(
        &mut self,
        owner: &str,
        slot: &Slot,
        sample: &Map<String, Value>,
        of: &Members,
        foreign: &BTreeSet<String>,
    ) {
        for name in foreign {
            if !of.members.contains_key(name) {
                let place = format!("{owner}.{name}");
                let around = Value::Object(sample.clone());
                let inner = slot.inside(around, Step::Member(name.clone()));
                self.ask(&place, &inner, Put::Value(strange()));
            }
        }
    }

    /// The members that an object, or a variant of a union, has in any release.
    fn foreign_members(&self, definition: &str, variant: Option<&str>) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        let mut add = |object: &Object| out.extend(object.members.keys().cloned());
        for form in self.model.definitions.get(definition).into_iter().flatten() {
            match (&form.body, variant) {
                (FormBody::Object(object), None) => add(object),
                (FormBody::Tagged { branches, .. }, Some(variant)) => {
                    if let Some((_, object)) = branches.get(variant) {
                        add(object);
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// The values or variants that a definition has in any release.
    fn foreign_values(&self, definition: &str) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        for form in self.model.definitions.get(definition).into_iter().flatten() {
            match &form.body {
                FormBody::Tagged { branches, .. } => out.extend(branches.keys().cloned()),
                FormBody::ExternallyTagged { branches, .. } => {
                    out.extend(branches.keys().cloned());
                }
                _ => {}
            }
        }
        out
    }
}

/// The name in `snake_case` of one in `camelCase`, and the other way round.
fn other_spelling(name: &str) -> Option<String> {
    let other: String = if name.contains('_') {
        let mut words = name.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        first
            + &words
                .map(|word| {
                    let mut letters = word.chars();
                    let first = letters.next().map(|c| c.to_ascii_uppercase());
                    first.into_iter().chain(letters).collect::<String>()
                })
                .collect::<String>()
    } else {
        name.chars()
            .flat_map(|c| {
                let mark = c.is_ascii_uppercase().then_some('_');
                mark.into_iter().chain([c.to_ascii_lowercase()])
            })
            .collect()
    };
    (other != name).then_some(other)
}

#[cfg(test)]
mod tests;
