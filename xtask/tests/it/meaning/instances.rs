//! Instances of a schema, made from the schema alone: every alternative, every optional member
//! present and absent, every value, the numbers at the bounds.
//!
//! A schema is taken apart into units: definitions that both sides have under one name, and the
//! unions of messages. An instance of a unit varies what the unit itself says; where another
//! unit is referred to stands that unit's seed, an instance both sides accept where there is
//! one. So a difference belongs to the unit it shows in, and what one unit says is tried once.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// How deep definitions without a name of their own may lie within one another.
const DEEPEST: usize = 12;

/// What no instance can satisfy costs this much.
const NEVER: u64 = u64::MAX;

/// A document: definitions by reference, and which of them are units of their own.
pub(crate) struct Document {
    /// The text of a `$ref`, and what it leads to.
    pub(crate) definitions: BTreeMap<String, Value>,
    /// The name of the unit a `$ref` leads to, where it is one.
    pub(crate) units: BTreeMap<String, String>,
    /// How small an instance of each definition can be.
    costs: BTreeMap<String, u64>,
}

/// An object with as few members as can be, and the members that may be there too.
#[derive(Clone)]
struct Base<'d> {
    members: Map<String, Value>,
    optional: BTreeMap<&'d String, &'d Value>,
}

/// Instances that stand for units, by name.
pub(crate) type Seeds = BTreeMap<String, Value>;

/// An instance, and whether it is one to be altered: with all members, or with as few as can be.
pub(crate) struct Instance {
    pub(crate) value: Value,
    pub(crate) is_whole: bool,
}

impl Document {
    pub(crate) fn new(
        definitions: BTreeMap<String, Value>,
        units: BTreeMap<String, String>,
    ) -> Self {
        let mut document = Document {
            costs: definitions
                .keys()
                .map(|name| (name.clone(), NEVER))
                .collect(),
            definitions,
            units,
        };
        // Costs fall from round to round, until they are what they are.
        loop {
            let costs = document.definitions.iter().map(|(reference, schema)| {
                (reference.clone(), document.cost(schema).saturating_add(1))
            });
            let costs: BTreeMap<String, u64> = costs.collect();
            if costs == document.costs {
                return document;
            }
            document.costs = costs;
        }
    }

    /// The units, those with the smallest instances first: what such an instance refers to comes
    /// before it.
    pub(crate) fn by_size(&self) -> Vec<(&str, &str)> {
        let mut units: Vec<(u64, &str, &str)> = Vec::new();
        for (reference, name) in &self.units {
            let cost = self.costs.get(reference).copied().unwrap_or(NEVER);
            if cost != NEVER {
                units.push((cost, name, reference));
            }
        }
        units.sort_unstable();
        units
            .into_iter()
            .map(|(_, name, reference)| (name, reference))
            .collect()
    }

    /// The smallest instance of the definition that `reference` leads to.
    pub(crate) fn smallest(&self, reference: &str, seeds: &Seeds) -> Value {
        self.least(&self.definitions[reference], seeds)
    }

    /// All instances of the definition that `reference` leads to.
    pub(crate) fn instances(&self, reference: &str, seeds: &Seeds) -> Vec<Instance> {
        self.varied(&self.definitions[reference], seeds, 0)
    }

    fn cost(&self, schema: &Value) -> u64 {
        let Value::Object(schema) = schema else {
            return if *schema == Value::Bool(false) {
                NEVER
            } else {
                1
            };
        };
        if let Some(reference) = reference(schema) {
            return self.costs.get(reference).copied().unwrap_or(1);
        }
        if schema.get("not").is_some_and(|not| *not == json!({})) {
            return NEVER;
        }
        let mut cost: u64 = 1;
        if let Some(branches) = branches(schema) {
            let least = branches.iter().map(|branch| self.cost(branch)).min();
            cost = cost.saturating_add(least.unwrap_or(NEVER));
        }
        for name in required(schema) {
            let own = property(schema, name);
            cost = cost.saturating_add(own.map_or(1, |own| self.cost(own)));
        }
        cost
    }

    fn least(&self, schema: &Value, seeds: &Seeds) -> Value {
        let Value::Object(fields) = schema else {
            return json!("any");
        };
        if let Some(reference) = reference(fields) {
            if let Some(seed) = self.units.get(reference).and_then(|unit| seeds.get(unit)) {
                return seed.clone();
            }
            let target = self.definitions.get(reference);
            return target.map_or(json!("any"), |target| self.least(target, seeds));
        }
        if let Some(only) = listed(fields).and_then(|values| values.into_iter().next()) {
            return only;
        }
        let branch = branches(fields)
            .and_then(|branches| branches.iter().min_by_key(|branch| self.cost(branch)));
        if !is_object(fields)
            && let Some(branch) = branch
        {
            return self.least(branch, seeds);
        }
        if is_object(fields) {
            let bases = self.bases(fields, seeds).into_iter();
            let least = bases.min_by_key(|base| base.members.len());
            return Value::Object(least.map(|base| base.members).unwrap_or_default());
        }
        plain(fields).into_iter().next().unwrap_or(json!("any"))
    }

    fn required_members(&self, schema: &Map<String, Value>, seeds: &Seeds) -> Map<String, Value> {
        let value = |name: &str| match property(schema, name) {
            Some(own) => self.least(own, seeds),
            None => json!("any"),
        };
        required(schema)
            .map(|name| (name.to_owned(), value(name)))
            .collect()
    }

    /// The smallest objects, one for each way through the branches beside the members, and the members
    /// that may be there too.
    fn bases<'d>(&'d self, schema: &'d Map<String, Value>, seeds: &Seeds) -> Vec<Base<'d>> {
        let own = schema.get("properties").and_then(Value::as_object);
        let least = Base {
            members: self.required_members(schema, seeds),
            optional: own.into_iter().flatten().collect(),
        };
        let Some(branches) = branches(schema) else {
            return vec![least];
        };
        let mut out = Vec::new();
        for branch in branches.iter().filter(|branch| self.cost(branch) != NEVER) {
            let Some(fields) = branch.as_object() else {
                continue;
            };
            for more in self.bases(fields, seeds) {
                let mut base = least.clone();
                base.members.extend(more.members);
                base.optional.extend(more.optional);
                // A branch may ask for what the object itself declares.
                for name in required(fields) {
                    if let Some(property) = property(schema, name) {
                        base.members
                            .insert(name.to_owned(), self.least(property, seeds));
                    }
                }
                out.push(base);
            }
        }
        out
    }

    fn varied(&self, schema: &Value, seeds: &Seeds, depth: usize) -> Vec<Instance> {
        let one = |value: Value| Instance {
            value,
            is_whole: true,
        };
        if self.cost(schema) == NEVER {
            return Vec::new();
        }
        let Value::Object(fields) = schema else {
            return vec![one(Value::Null), one(json!({"any": [1]}))];
        };
        if let Some(reference) = reference(fields) {
            let inner = self.units.contains_key(reference) && depth > 0;
            return match self.definitions.get(reference) {
                Some(target) if !inner && depth < DEEPEST => self.varied(target, seeds, depth + 1),
                _ => vec![one(self.least(schema, seeds))],
            };
        }
        if let Some(values) = listed(fields) {
            return values.into_iter().map(one).collect();
        }
        if is_object(fields) {
            return self.objects(fields, seeds, depth + 1);
        }
        if let Some(branches) = branches(fields) {
            let branches = branches.iter();
            return branches
                .flat_map(|branch| self.varied(branch, seeds, depth + 1))
                .collect();
        }
        let mut out: Vec<Instance> = plain(fields).into_iter().map(one).collect();
        let has = |name: &str| types(fields).contains(&name);
        if has("array") {
            let items = fields.get("items").unwrap_or(&Value::Bool(true));
            let items = self.varied(items, seeds, depth + 1);
            out.extend(items.into_iter().map(|item| Instance {
                value: json!([item.value]),
                ..item
            }));
        }
        if has("object")
            && let Some(values) = fields.get("additionalProperties")
            && *values != Value::Bool(false)
        {
            let values = self.varied(values, seeds, depth + 1);
            out.extend(values.into_iter().map(|item| Instance {
                value: json!({"key": item.value}),
                ..item
            }));
        }
        out
    }

    /// Objects: with as few members as can be, with each further one by itself and each value it
    /// can have, and with all at once; so for each of the branches beside the members.
    fn objects(&self, schema: &Map<String, Value>, seeds: &Seeds, depth: usize) -> Vec<Instance> {
        let mut out = Vec::new();
        // What the object itself declares is tried beside the first of its branches.
        let mut tried: BTreeSet<&str> = BTreeSet::new();
        for Base { members, optional } in self.bases(schema, seeds) {
            let mut push = |value: Map<String, Value>, is_whole| {
                let value = Value::Object(value);
                out.push(Instance { value, is_whole });
            };
            let mut all = members.clone();
            for (name, property) in &optional {
                if self.cost(property) != NEVER && !all.contains_key(*name) {
                    all.insert((*name).clone(), self.most(property, seeds));
                }
            }
            push(members.clone(), true);
            push(all, true);
            for (name, property) in optional {
                let is_own = schema
                    .get("properties")
                    .is_some_and(|own| own.get(name).is_some());
                if is_own && !tried.insert(name) {
                    continue;
                }
                for Instance { value, is_whole } in self.varied(property, seeds, depth) {
                    let holds_more = value.is_object() || value.is_array();
                    let mut with = members.clone();
                    with.insert(name.clone(), value);
                    push(with, is_whole && holds_more);
                }
            }
        }
        out
    }

    /// A value that is not `null` where there is another, for objects with all members.
    fn most(&self, schema: &Value, seeds: &Seeds) -> Value {
        let least = self.least(schema, seeds);
        if !least.is_null() {
            return least;
        }
        let all = self.varied(schema, seeds, DEEPEST - 1);
        let other = all
            .into_iter()
            .map(|instance| instance.value)
            .find(|value| !value.is_null());
        other.unwrap_or(least)
    }
}

/// The reference a schema is, through an `allOf` around it.
fn reference(schema: &Map<String, Value>) -> Option<&str> {
    let only = match schema
        .get("allOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        Some([Value::Object(only)]) => only,
        _ => schema,
    };
    only.get("$ref")?.as_str()
}

/// The alternatives of a schema.
fn branches(schema: &Map<String, Value>) -> Option<&Vec<Value>> {
    schema
        .get("oneOf")
        .or_else(|| schema.get("anyOf"))?
        .as_array()
}

fn required(schema: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
}

fn property<'s>(schema: &'s Map<String, Value>, name: &str) -> Option<&'s Value> {
    schema.get("properties")?.get(name)
}

/// Whether a schema names members of an object.
fn is_object(schema: &Map<String, Value>) -> bool {
    schema.contains_key("properties")
}

fn listed(schema: &Map<String, Value>) -> Option<Vec<Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    }
}

fn types(schema: &Map<String, Value>) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Values of the types of a schema, without what arrays and maps hold.
fn plain(schema: &Map<String, Value>) -> Vec<Value> {
    let types = types(schema);
    if types.is_empty() {
        return vec![json!("any"), Value::Null, json!({"any": [1]})];
    }
    let mut out = Vec::new();
    for name in types {
        match name {
            "boolean" => out.extend([json!(true), json!(false)]),
            "string" if schema.contains_key("pattern") => out.extend([json!("QQ=="), json!("")]),
            "string" => match schema.get("minLength").and_then(Value::as_u64) {
                None | Some(0) => out.extend([json!("text"), json!("")]),
                Some(length) => out.push(json!("x".repeat(usize::try_from(length).unwrap_or(1)))),
            },
            "integer" => out.extend(bounds(schema)),
            "number" => out.extend([json!(0), json!(-1.5), json!(1e300)]),
            "array" => out.push(json!([])),
            "object" => out.push(json!({})),
            _ => out.push(Value::Null),
        }
    }
    out
}

/// Integers a schema takes: those at its bounds, or at those its format stands for.
fn bounds(schema: &Map<String, Value>) -> Vec<Value> {
    let (least, most): (Value, Value) = match schema.get("format").and_then(Value::as_str) {
        Some("uint8") => (0.into(), u8::MAX.into()),
        Some("uint16") => (0.into(), u16::MAX.into()),
        Some("uint32") => (0.into(), u32::MAX.into()),
        Some("uint" | "uint64") => (0.into(), u64::MAX.into()),
        Some("int16") => (i16::MIN.into(), i16::MAX.into()),
        Some("int32") => (i32::MIN.into(), i32::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    };
    // Official minimums are written as fractions: `1.0`.
    let own = |key: &str| {
        let value = schema.get(key)?;
        let whole = value.as_f64().filter(|number| number.abs() < 1e9);
        Some(whole.map_or_else(|| value.clone(), |number| json!(number as i64)))
    };
    let least = own("minimum").unwrap_or(least);
    let most = own("maximum").unwrap_or(most);
    let mut out = vec![least];
    if out[0] != json!(1) {
        out.push(json!(1));
    }
    if out.iter().all(|known| *known != most) {
        out.push(most);
    }
    out
}
