//! Reads the official JSON Schema bundles, as `codex app-server generate-json-schema` writes them.
//!
//! A bundle has two name spaces: the older types at the root, the newer ones under `v2`. If one
//! name means two things at the same time, the older one gets the prefix `Core`. Objects without a
//! name are named after their position. Default values are left out, because they say nothing about
//! what is valid.
//!
//! Lists of required sets become "at least one of these members". Of string lengths and minimum
//! values the official schemas have one each: a string that is not empty, and a count of at least
//! one. The reader refuses any other, so that a new one is not overlooked.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::Release;
use serde_json::{Map, Value, json};

use crate::snapshot::{Body, Kind, Members, Snapshot};
use crate::types::{NONZERO, Signature, Type};
use crate::{Error, names::pascal, naming};

/// Names that the two name spaces used for different things at the same time. The older one is
/// called `Core…` in the model, as it came from the core of the time. A test finds them again.
pub const CLASHES: &[&str] = &[
    "AskForApproval",
    "CodexErrorInfo",
    "CreditsSnapshot",
    "McpAuthStatus",
    "ModelRerouteReason",
    "PatchApplyStatus",
    "RateLimitSnapshot",
    "RateLimitWindow",
    "ReadOnlyAccess",
    "SandboxMode",
    "SandboxPolicy",
    "SessionSource",
    "SkillInterface",
    "SkillMetadata",
    "SkillsListEntry",
    "TextElement",
    "UserInput",
];

/// Reads one document.
///
/// # Errors
/// When it uses a construct this reader does not know.
pub fn read(release: Release, document: &Value) -> Result<Snapshot, Error> {
    read_knowing(release, document, &CLASHES.iter().copied().collect())
}

/// As [`read`], with other names for clashes.
///
/// # Errors
/// As [`read`]; [`Error::Clash`] where a name means two things.
pub fn read_knowing(
    release: Release,
    document: &Value,
    clashes: &BTreeSet<&str>,
) -> Result<Snapshot, Error> {
    let mut reader = Reader {
        release,
        clashes,
        out: BTreeMap::new(),
        place: Vec::new(),
    };
    let mut snapshot = Snapshot {
        release,
        methods: BTreeMap::new(),
        beside: BTreeMap::new(),
        definitions: BTreeMap::new(),
    };
    let definitions = object(&document["definitions"]);
    for (name, schema) in definitions {
        if name == "v2" {
            continue;
        }
        if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.union() == name) {
            reader.methods(kind, schema, &mut snapshot)?;
            continue;
        }
        let name = reader.name(name, false);
        reader.definition(&name, schema)?;
    }
    for (name, schema) in object(&definitions.get("v2").cloned().unwrap_or_default()) {
        let name = reader.name(name, true);
        reader.definition(&name, schema)?;
    }
    snapshot.definitions = reader.out;
    Ok(snapshot)
}

/// The model's name for a definition of an official document: one under `v2`, or one at the root.
pub fn name_of(name: &str, v2: bool) -> String {
    named(name, v2, |plain| CLASHES.contains(&plain))
}

fn named(name: &str, v2: bool, is_clash: impl Fn(&str) -> bool) -> String {
    let plain = match name {
        "Option<()>" => "Nothing".to_owned(),
        _ => pascal(name),
    };
    if !v2 && is_clash(&plain) {
        format!("Core{plain}")
    } else {
        plain
    }
}

struct Reader<'a> {
    release: Release,
    clashes: &'a BTreeSet<&'a str>,
    out: BTreeMap<String, Body>,
    place: Vec<String>,
}

impl Reader<'_> {
    /// The model's name for a definition of a name space.
    fn name(&self, name: &str, v2: bool) -> String {
        named(name, v2, |plain| self.clashes.contains(plain))
    }

    fn methods(&mut self, kind: Kind, schema: &Value, out: &mut Snapshot) -> Result<(), Error> {
        self.place = vec![kind.union().to_owned()];
        let required = required(schema);
        for (name, property) in object(&schema["properties"]) {
            let signature = self.signature(property, !required.contains(name.as_str()))?;
            out.beside.insert((kind, name.clone()), signature);
        }
        for branch in array(&schema["oneOf"]) {
            let method = constant(&branch["properties"]["method"])
                .ok_or_else(|| self.unknown("a method without a name", branch))?;
            let params = match branch["properties"].get("params") {
                Some(params) => {
                    let optional = !self::required(branch).contains("params");
                    Some(self.signature(params, optional)?)
                }
                None => None,
            };
            out.methods.insert((kind, method), params);
        }
        Ok(())
    }

    fn definition(&mut self, name: &str, schema: &Value) -> Result<(), Error> {
        self.place = vec![name.to_owned()];
        let body = self.body(schema)?;
        if let Some(known) = self.out.get(name) {
            if *known != body {
                return Err(Error::Clash {
                    release: self.release,
                    name: name.to_owned(),
                });
            }
            return Ok(());
        }
        self.out.insert(name.to_owned(), body);
        Ok(())
    }

    fn body(&mut self, schema: &Value) -> Result<Body, Error> {
        let fields = object(schema);
        let branches: Option<&[Value]> = ["oneOf", "anyOf"]
            .iter()
            .find_map(|key| fields.get(*key)?.as_array().map(Vec::as_slice));
        let has_members = fields.contains_key("properties");
        match branches {
            Some(branches) if has_members => {
                if let Some(tag) = tag_of(branches) {
                    let base = self.members(schema)?.members;
                    return self.tagged(tag, base, branches);
                }
                self.choice(schema, branches)
            }
            Some(branches) => {
                let (open, kinds): (Vec<&Value>, Vec<&Value>) = branches
                    .iter()
                    .partition(|branch| branch["type"] == json!(["string", "object"]));
                if kinds.iter().all(|branch| is_external(branch)) {
                    return self.external(kinds.into_iter(), !open.is_empty());
                }
                if let Some(tag) = tag_of(branches) {
                    return self.tagged(tag, BTreeMap::new(), branches);
                }
                Ok(Body::AnyOf(self.branches(branches)?.into_iter().collect()))
            }
            None if fields.contains_key("enum") => self.external(std::iter::once(schema), false),
            None if is_object(schema)
                && (has_members
                    || fields
                        .get("additionalProperties")
                        .is_none_or(Value::is_boolean)) =>
            {
                Ok(Body::Object(self.members(schema)?))
            }
            None => Ok(Body::AnyOf(flat(self.value(schema)?).into_iter().collect())),
        }
    }

    /// An object with members of its own, and variants that each require some more: at least one of
    /// these sets of members is there.
    fn choice(&mut self, schema: &Value, branches: &[Value]) -> Result<Body, Error> {
        let mut members = self.members(schema)?;
        let own: BTreeSet<String> = members.members.keys().cloned().collect();
        for branch in branches {
            let more = self.members(branch)?;
            if more.members.is_empty() || more.closed || !more.choice.is_empty() {
                return Err(self.unknown("a variant that does not require members", branch));
            }
            let mut set = BTreeSet::new();
            for (name, mut signature) in more.members {
                if own.contains(&name) || signature.optional {
                    return Err(self.unknown("a variant with other than own members", branch));
                }
                signature.optional = true;
                let known = members.members.insert(name.clone(), signature.clone());
                if known.is_some_and(|known| known != signature) {
                    return Err(self.unknown("variants that differ in a member", branch));
                }
                set.insert(name);
            }
            members.choice.insert(set);
        }
        Ok(Body::Object(members))
    }

    fn tagged(
        &mut self,
        tag: String,
        base: BTreeMap<String, Signature>,
        branches: &[Value],
    ) -> Result<Body, Error> {
        let mut out: BTreeMap<String, Members> = BTreeMap::new();
        for branch in branches {
            let name = constant(&branch["properties"][&tag])
                .ok_or_else(|| self.unknown("a variant without a tag", branch))?;
            self.place.push(pascal(&name));
            let Body::Object(mut members) = self.body(branch)? else {
                return Err(self.unknown("a variant that is not an object", branch));
            };
            self.place.pop();
            members.members.remove(&tag);
            let taken = out.insert(name, members);
            if taken.is_some() {
                return Err(self.unknown("a tag used twice", branch));
            }
        }
        Ok(Body::Tagged {
            tag,
            base,
            branches: out,
        })
    }

    fn external<'v>(
        &mut self,
        branches: impl Iterator<Item = &'v Value>,
        open: bool,
    ) -> Result<Body, Error> {
        let mut out: BTreeMap<String, BTreeSet<Option<Type>>> = BTreeMap::new();
        for branch in branches {
            if let Some(values) = branch["enum"].as_array() {
                for value in values {
                    let text = value
                        .as_str()
                        .ok_or_else(|| self.unknown("a value that is not a string", branch))?;
                    out.entry(text.to_owned()).or_default().insert(None);
                }
                continue;
            }
            for (name, content) in object(&branch["properties"]) {
                self.place.push(pascal(name));
                let content = self.value(content)?;
                self.place.pop();
                out.entry(name.clone()).or_default().insert(Some(content));
            }
        }
        Ok(Body::ExternallyTagged {
            branches: out,
            open,
        })
    }

    fn members(&mut self, schema: &Value) -> Result<Members, Error> {
        let required = required(schema);
        let mut members = BTreeMap::new();
        for (name, property) in object(&schema["properties"]) {
            self.place.push(pascal(name));
            let signature = self.signature(property, !required.contains(name.as_str()))?;
            self.place.pop();
            members.insert(name.clone(), signature);
        }
        let others = !members.is_empty() && schema["additionalProperties"] == true;
        Ok(Members {
            members,
            closed: schema["additionalProperties"] == false,
            others,
            choice: BTreeSet::new(),
        })
    }

    fn signature(&mut self, schema: &Value, optional: bool) -> Result<Signature, Error> {
        let value = self.value(schema)?;
        let mut branches = flat(value);
        let nullable = branches.len() > 1 && branches.contains(&Type::Null);
        if nullable {
            branches.retain(|branch| *branch != Type::Null);
        }
        Ok(Signature {
            value: joined(branches),
            optional,
            nullable,
        })
    }

    fn value(&mut self, schema: &Value) -> Result<Type, Error> {
        let Value::Object(fields) = schema else {
            return Ok(Type::Any);
        };
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
            let path = reference.trim_start_matches("#/definitions/");
            return Ok(Type::Reference(match path.strip_prefix("v2/") {
                Some(name) => self.name(name, true),
                None => self.name(path, false),
            }));
        }
        if let Some([only]) = fields
            .get("allOf")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
        {
            return self.value(only);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(branches) = fields.get(key).and_then(Value::as_array) {
                return Ok(joined(self.branches(branches)?));
            }
        }
        if let Some(values) = fields.get("enum").and_then(Value::as_array) {
            let fixed = |value: &Value| match (value.as_str(), value.as_u64()) {
                (Some(text), _) => Ok(Type::Literal(text.to_owned())),
                (_, Some(number)) if number < 256 => Ok(Type::Fixed(number as u8)),
                _ => Err(self.unknown("a fixed value", schema)),
            };
            let values: Result<Vec<_>, _> = values.iter().map(fixed).collect();
            return Ok(joined(values?));
        }
        let format = || {
            fields
                .get("format")
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        match fields.get("type") {
            None => Ok(Type::Any),
            Some(Value::Array(types)) => {
                let mut branches = Vec::new();
                for name in types {
                    let mut one = fields.clone();
                    one.insert("type".into(), name.clone());
                    branches.extend(flat(self.value(&Value::Object(one))?));
                }
                Ok(joined(branches))
            }
            Some(Value::String(name)) => match name.as_str() {
                "null" => Ok(Type::Null),
                "boolean" => Ok(Type::Boolean),
                "string" => match fields.get("minLength").map(Value::as_u64) {
                    None | Some(Some(0)) => Ok(Type::String),
                    Some(Some(1)) => Ok(Type::NonEmpty),
                    Some(_) => Err(self.unknown("a length", schema)),
                },
                "integer" => match fields.get("minimum").and_then(Value::as_f64) {
                    None | Some(0.0) => Ok(Type::Integer(format().to_owned())),
                    Some(1.0) if matches!(format(), "uint" | "uint64") => {
                        Ok(Type::Integer(NONZERO.to_owned()))
                    }
                    Some(_) => Err(self.unknown("a minimum", schema)),
                },
                "number" => Ok(Type::Number(format().to_owned())),
                "array" => {
                    self.place.push("Item".to_owned());
                    let items = match fields.get("items") {
                        Some(items) => self.value(items),
                        None => Ok(Type::Any),
                    };
                    self.place.pop();
                    Ok(Type::Array(Box::new(items?)))
                }
                "object" if fields.contains_key("properties") => self.lifted(schema),
                "object" => {
                    let values = match fields.get("additionalProperties") {
                        Some(values) => self.value(values)?,
                        None => Type::Any,
                    };
                    Ok(Type::Map(Box::new(values)))
                }
                _ => Err(self.unknown("a type", schema)),
            },
            Some(_) => Err(self.unknown("a type", schema)),
        }
    }

    /// The types of one of several. Objects without a name are named after their difference.
    fn branches(&mut self, branches: &[Value]) -> Result<Vec<Type>, Error> {
        let is_nameless = |branch: &&Value| is_object(branch) && branch.get("properties").is_some();
        let nameless: Vec<BTreeSet<&str>> =
            branches.iter().filter(is_nameless).map(required).collect();
        let mut names = match nameless.len() {
            0 | 1 => Vec::new(),
            _ => naming::table()?.objects(&self.place.concat(), &nameless)?,
        }
        .into_iter();
        let mut types = Vec::new();
        for branch in branches {
            let name = is_nameless(&branch).then(|| names.next()).flatten();
            let depth = self.place.len();
            self.place.extend(name);
            types.extend(flat(self.value(branch)?));
            self.place.truncate(depth);
        }
        Ok(types)
    }

    /// An object without a name, called after where it stands.
    fn lifted(&mut self, schema: &Value) -> Result<Type, Error> {
        let name = naming::table()?.own(&self.place.concat())?;
        let place = std::mem::replace(&mut self.place, vec![name.clone()]);
        let body = self.body(schema)?;
        self.place = place;
        self.out.insert(name.clone(), body);
        Ok(Type::Reference(name))
    }

    fn unknown(&self, what: &str, schema: &Value) -> Error {
        let mut text = schema.to_string();
        text.truncate(200);
        Error::Official {
            release: self.release,
            place: self.place.join("."),
            message: format!("{what}: {text}"),
        }
    }
}

/// The member with a fixed string in all variants, if there is one.
fn tag_of(branches: &[Value]) -> Option<String> {
    let first = branches.first()?.get("properties")?.as_object()?;
    let shared = |name: &&String| {
        branches
            .iter()
            .all(|branch| constant(&branch["properties"][name.as_str()]).is_some())
    };
    first.keys().find(shared).cloned()
}

fn constant(schema: &Value) -> Option<String> {
    match schema["enum"].as_array()?.as_slice() {
        [Value::String(only)] => Some(only.clone()),
        _ => None,
    }
}

/// `"kind"` or `{"kind": …}` with nothing beside.
fn is_external(branch: &Value) -> bool {
    if branch.get("enum").is_some() {
        return true;
    }
    let one = object(&branch["properties"]).len() == 1 && array(&branch["required"]).len() == 1;
    let tag = object(&branch["properties"])
        .values()
        .any(|p| constant(p).is_some());
    one && branch["additionalProperties"] == false && !tag
}

fn is_object(schema: &Value) -> bool {
    schema["type"] == "object" || schema.get("properties").is_some()
}

fn flat(value: Type) -> Vec<Type> {
    match value {
        Type::Union(branches) => branches,
        one => vec![one],
    }
}

fn joined(mut branches: Vec<Type>) -> Type {
    branches.sort();
    branches.dedup();
    if branches.contains(&Type::Any) {
        return Type::Any;
    }
    match branches.pop() {
        Some(only) if branches.is_empty() => only,
        Some(last) => {
            branches.push(last);
            Type::Union(branches)
        }
        None => Type::Any,
    }
}

fn required(schema: &Value) -> BTreeSet<&str> {
    array(&schema["required"])
        .iter()
        .filter_map(Value::as_str)
        .collect()
}

fn object(value: &Value) -> &Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
