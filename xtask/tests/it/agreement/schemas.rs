//! Reading our own schemas back: the projections of a release as the document the model would
//! give of it.

use std::collections::{BTreeMap, BTreeSet};

use app_server_codegen::snapshot::{Body, Choice, Members};
use app_server_codegen::types::{NONZERO, Signature, Type};
use app_server_codegen::{Kind, Snapshot};
use codex_wire::{MessageSet, Release};
use codex_wire_schema::{Draft, Profile, Stability, project};
use serde_json::{Map, Value, json};

use super::Document;

/// The unions of methods.
const METHODS: [(MessageSet, Kind); 4] = [
    (MessageSet::AppServerClientRequests, Kind::ClientRequest),
    (
        MessageSet::AppServerClientNotifications,
        Kind::ClientNotification,
    ),
    (MessageSet::AppServerServerRequests, Kind::ServerRequest),
    (
        MessageSet::AppServerServerNotifications,
        Kind::ServerNotification,
    ),
];

/// The unions of results, by the requests they answer.
const RESULTS: [(MessageSet, Kind); 2] = [
    (MessageSet::AppServerServerResponses, Kind::ClientRequest),
    (MessageSet::AppServerClientResponses, Kind::ServerRequest),
];

/// Types that are written by hand, and the official definitions they stand for.
const BY_HAND: [(&str, &str); 1] = [("ErrorObject", "JSONRPCErrorError")];

/// Reads the projections of a release. `named` are the definitions of the model that have a type
/// of their own; all others are of our making and stand for what is in them.
pub(crate) fn read(
    release: Release,
    stability: Stability,
    named: &BTreeSet<String>,
) -> Result<Document, String> {
    let mut out = Document {
        snapshot: Snapshot {
            release,
            methods: BTreeMap::new(),
            beside: BTreeMap::new(),
            definitions: BTreeMap::new(),
        },
        results: BTreeMap::new(),
    };
    let projection = |message_set| {
        project(
            message_set,
            release,
            Profile::Known,
            Draft::Draft202012,
            stability,
        )
    };
    for (message_set, kind) in METHODS {
        let root = projection(message_set);
        let reader = Reader::new(&root, named);
        for (method, mut message) in reader.methods(&root)? {
            let params = message.remove("params");
            out.snapshot.methods.insert((kind, method.clone()), params);
            for (name, signature) in message {
                let beside = out.snapshot.beside.entry((kind, name));
                let known = beside.or_insert_with(|| signature.clone());
                if *known != signature {
                    return Err(format!(
                        "{message_set}: `{method}` differs beside its params"
                    ));
                }
            }
        }
        reader.definitions(&mut out.snapshot)?;
    }
    for (message_set, kind) in RESULTS {
        let root = projection(message_set);
        let reader = Reader::new(&root, named);
        for (method, mut message) in reader.methods(&root)? {
            let result = message.remove("result");
            let result =
                result.ok_or_else(|| format!("{message_set}: `{method}` has no result"))?;
            if message.keys().ne(["id"]) {
                return Err(format!(
                    "{message_set}: `{method}` has {:?}",
                    message.keys()
                ));
            }
            out.results.insert((kind, method), result);
        }
        reader.definitions(&mut out.snapshot)?;
    }
    for (message_set, name) in [
        (MessageSet::AppServerItems, "ThreadItem"),
        (MessageSet::AppServerErrors, "JSONRPCError"),
    ] {
        let root = projection(message_set);
        let reader = Reader::new(&root, named);
        let body = reader.body(&root)?;
        insert(&mut out.snapshot, name, body)?;
        reader.definitions(&mut out.snapshot)?;
    }
    Ok(out)
}

/// Two documents of a release define nothing differently.
fn insert(snapshot: &mut Snapshot, name: &str, body: Body) -> Result<(), String> {
    match snapshot.definitions.get(name) {
        Some(known) if *known != body => Err(format!("`{name}` differs between two message_sets")),
        _ => {
            snapshot.definitions.insert(name.to_owned(), body);
            Ok(())
        }
    }
}

/// The members of a message beside its method.
type Message = BTreeMap<String, Signature>;

struct Reader<'a> {
    definitions: &'a Map<String, Value>,
    named: &'a BTreeSet<String>,
}

/// What a definition can be.
enum Alternative {
    /// A fixed string.
    Value(String),
    /// `{"kind": …}`, closed.
    Content(String, Type),
    /// An object or a tagged union.
    Body(Body),
    /// Anything else.
    Type(Type),
}

impl<'a> Reader<'a> {
    fn new(root: &'a Value, named: &'a BTreeSet<String>) -> Self {
        Reader {
            definitions: object(&root["$defs"]),
            named,
        }
    }

    /// The model's name of a definition; `None` for those of our making.
    fn name<'n>(&self, name: &'n str) -> Option<&'n str> {
        let by_hand = BY_HAND.iter().find(|(own, _)| *own == name);
        by_hand
            .map(|(_, official)| *official)
            .or_else(|| self.named.contains(name).then_some(name))
    }

    /// The definitions that have a name in the model.
    fn definitions(&self, out: &mut Snapshot) -> Result<(), String> {
        for (name, schema) in self.definitions {
            if let Some(name) = self.name(name) {
                let body = self
                    .body(schema)
                    .map_err(|error| format!("{name}: {error}"))?;
                insert(out, name, body)?;
            }
        }
        Ok(())
    }

    /// The messages of a union: the method, and the members beside it.
    fn methods(&self, root: &Value) -> Result<Vec<(String, Message)>, String> {
        if root["oneOf"].is_null() {
            return Ok(Vec::new());
        }
        match self.body(root)? {
            Body::Tagged { tag, branches, .. } if tag == "method" => Ok(branches
                .into_iter()
                .map(|(method, branch)| (method, branch.members))
                .collect()),
            other => Err(format!("the messages are {other:?}")),
        }
    }

    /// What a definition is.
    fn body(&self, schema: &Value) -> Result<Body, String> {
        let mut alternatives = Vec::new();
        self.alternatives(schema, false, &mut alternatives)?;
        if let [Alternative::Body(_)] = alternatives.as_slice()
            && let Some(Alternative::Body(body)) = alternatives.pop()
        {
            return Ok(body);
        }
        let is_body = |alternative: &Alternative| matches!(alternative, Alternative::Body(_));
        if alternatives.len() > 1 && alternatives.iter().all(is_body) {
            let bodies = alternatives
                .into_iter()
                .filter_map(|alternative| match alternative {
                    Alternative::Body(body) => Some(body),
                    _ => None,
                });
            let mut bodies: Vec<Body> = bodies.collect();
            bodies.sort_by_key(|body| matches!(body, Body::Tagged { .. }));
            return Ok(Body::Several(bodies));
        }
        let mut branches: BTreeMap<String, BTreeSet<Option<Type>>> = BTreeMap::new();
        let mut types = BTreeSet::new();
        for alternative in alternatives {
            match alternative {
                Alternative::Value(value) => {
                    branches.entry(value).or_default().insert(None);
                }
                Alternative::Content(kind, content) => {
                    branches.entry(kind).or_default().insert(Some(content));
                }
                Alternative::Type(own) => types.extend(flat(own)),
                Alternative::Body(body) => return Err(format!("an alternative is {body:?}")),
            }
        }
        if branches.is_empty() {
            return Ok(Body::AnyOf(types));
        }
        // A list may take any other string, or any other string and object.
        let open = types.remove(&Type::String) | types.remove(&Type::NonEmpty);
        types.remove(&Type::Map(Box::new(Type::Any)));
        if !types.is_empty() {
            return Err(format!("a list with {types:?} beside it"));
        }
        Ok(Body::ExternallyTagged { branches, open })
    }

    /// What a schema may be. `within` says that it is a part of a definition, where
    /// `{"kind": …}` is a kind of a list and not an object.
    fn alternatives(
        &self,
        schema: &Value,
        within: bool,
        out: &mut Vec<Alternative>,
    ) -> Result<(), String> {
        if let Some(name) = reference(schema) {
            if let Some(name) = self.name(name) {
                out.push(Alternative::Type(Type::Reference(name.to_owned())));
                return Ok(());
            }
            return self.alternatives(self.target(name)?, true, out);
        }
        // No alternative is left.
        if schema["not"] == json!({}) {
            return Ok(());
        }
        let is_object = schema["properties"].is_object();
        if let (Some(branches), false) = (schema["anyOf"].as_array(), is_object) {
            return branches
                .iter()
                .try_for_each(|branch| self.alternatives(branch, true, out));
        }
        if let Some(branches) = schema["oneOf"].as_array() {
            let tag = schema["discriminator"]["propertyName"].as_str();
            let tag = tag.ok_or("a union without a tag")?;
            out.push(Alternative::Body(self.tagged(tag, branches)?));
            return Ok(());
        }
        if let Some(value) = schema["const"].as_str() {
            out.push(Alternative::Value(value.to_owned()));
            return Ok(());
        }
        if let Some(values) = schema["enum"].as_array() {
            let values = values.iter().filter_map(Value::as_str);
            out.extend(values.map(|value| Alternative::Value(value.to_owned())));
            return Ok(());
        }
        if is_object {
            let members = self.members(schema)?;
            out.push(match kind_with_content(&members) {
                Some((kind, content)) if within => Alternative::Content(kind, content),
                _ => Alternative::Body(Body::Object(members)),
            });
            return Ok(());
        }
        out.push(Alternative::Type(self.value(schema)?));
        Ok(())
    }

    fn tagged(&self, tag: &str, branches: &[Value]) -> Result<Body, String> {
        let mut out = BTreeMap::new();
        for branch in branches {
            let name = reference(branch).ok_or("a variant in place")?;
            let schema = self.target(name)?;
            let value = schema["properties"][tag]["const"].as_str();
            let value = value.ok_or_else(|| format!("{name} has no `{tag}`"))?;
            let mut members = self.members(schema)?;
            members.members.remove(tag);
            if out.insert(value.to_owned(), members).is_some() {
                return Err(format!("two variants are `{value}`"));
            }
        }
        Ok(Body::Tagged {
            tag: tag.to_owned(),
            base: BTreeMap::new(),
            branches: out,
        })
    }

    fn members(&self, schema: &Value) -> Result<Members, String> {
        let required: BTreeSet<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut members = BTreeMap::new();
        for (name, property) in object(&schema["properties"]) {
            // The tag of a variant beside it: the object does not have it.
            if property["not"] == json!({}) {
                continue;
            }
            let value = self
                .value(property)
                .map_err(|error| format!("{name}: {error}"))?;
            let optional = !required.contains(name.as_str());
            members.insert(name.clone(), super::signature(value, optional));
        }
        Ok(Members {
            members,
            closed: schema["additionalProperties"] == false,
            others: schema["additionalProperties"] == true,
            choice: choice(schema)?,
        })
    }

    /// The type of a value.
    fn value(&self, schema: &Value) -> Result<Type, String> {
        if let Some(name) = reference(schema) {
            if let Some(name) = self.name(name) {
                return Ok(Type::Reference(name.to_owned()));
            }
            // What has no name in the model is an expression there.
            return match self.body(self.target(name)?)? {
                Body::AnyOf(types) => Ok(super::joined(types)),
                _ => Ok(Type::Reference(name.to_owned())),
            };
        }
        if let Some(branches) = schema["anyOf"].as_array() {
            let branches: Result<Vec<Type>, String> =
                branches.iter().map(|branch| self.value(branch)).collect();
            return Ok(super::joined(branches?.into_iter().flat_map(flat)));
        }
        if let Some(value) = schema["const"].as_str() {
            return Ok(Type::Literal(value.to_owned()));
        }
        let names: Vec<&str> = match &schema["type"] {
            Value::String(name) => vec![name],
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            _ => return Ok(Type::Any),
        };
        let types: Result<Vec<Type>, String> = names
            .into_iter()
            .map(|name| self.plain(name, schema))
            .collect();
        Ok(super::joined(types?))
    }

    fn plain(&self, name: &str, schema: &Value) -> Result<Type, String> {
        Ok(match name {
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "string" => match schema["minLength"].as_u64() {
                None => Type::String,
                Some(1) => Type::NonEmpty,
                Some(_) => return Err(format!("a length: {schema}")),
            },
            "number" => Type::Number(String::new()),
            "integer" => match fixed(schema) {
                Some(number) => Type::Fixed(number),
                None => Type::Integer(format_of(schema)?.to_owned()),
            },
            "array" => Type::Array(Box::new(self.value(&schema["items"])?)),
            "object" if schema["properties"].is_null() => {
                Type::Map(Box::new(self.value(&schema["additionalProperties"])?))
            }
            _ => return Err(format!("an object in place: {schema}")),
        })
    }

    fn target(&self, name: &str) -> Result<&'a Value, String> {
        self.definitions
            .get(name)
            .ok_or_else(|| format!("there is no definition `{name}`"))
    }
}

/// The only number that an integer may be.
fn fixed(schema: &Value) -> Option<u8> {
    let number = schema["minimum"].as_u64()?;
    let is_only = schema["maximum"].as_u64() == Some(number);
    is_only.then(|| u8::try_from(number).ok())?
}

/// The format whose bounds an integer has.
fn format_of(schema: &Value) -> Result<&'static str, String> {
    let bounds = (&schema["minimum"], &schema["maximum"]);
    let is = |low: i128, high: i128| {
        let number = |value: &Value| -> Option<i128> { value.to_string().parse().ok() };
        number(bounds.0) == Some(low) && number(bounds.1) == Some(high)
    };
    let formats = [
        ("uint8", 0, i128::from(u8::MAX)),
        ("uint16", 0, i128::from(u16::MAX)),
        ("uint32", 0, i128::from(u32::MAX)),
        ("uint64", 0, i128::from(u64::MAX)),
        (NONZERO, 1, i128::from(u64::MAX)),
        ("int32", i128::from(i32::MIN), i128::from(i32::MAX)),
        ("int64", i128::from(i64::MIN), i128::from(i64::MAX)),
    ];
    let found = formats.into_iter().find(|(_, low, high)| is(*low, *high));
    found
        .map(|(format, _, _)| format)
        .ok_or_else(|| format!("an integer between {bounds:?}"))
}

/// Sets of members of which one has to be there.
fn choice(schema: &Value) -> Result<Choice, String> {
    let branches = schema["anyOf"].as_array().into_iter().flatten();
    let set = |branch: &Value| -> Option<BTreeSet<String>> {
        let keywords = branch.as_object().filter(|keywords| keywords.len() == 1)?;
        let names = keywords.get("required")?.as_array()?.iter();
        names.map(|name| Some(name.as_str()?.to_owned())).collect()
    };
    branches
        .map(|branch| set(branch).ok_or_else(|| format!("an alternative beside members: {branch}")))
        .collect()
}

/// `{"kind": …}` with nothing beside, as the only member and required.
fn kind_with_content(members: &Members) -> Option<(String, Type)> {
    let mut all = members.members.iter();
    let (Some((kind, signature)), None) = (all.next(), all.next()) else {
        return None;
    };
    let alone = members.closed && !signature.optional;
    let content = super::spelt(signature);
    alone.then(|| (kind.clone(), content))
}

fn flat(value: Type) -> Vec<Type> {
    match value {
        Type::Union(branches) => branches,
        one => vec![one],
    }
}

/// The definition a schema is; beside a description it stands in an `allOf`.
fn reference(schema: &Value) -> Option<&str> {
    let schema = match schema["allOf"].as_array().map(Vec::as_slice) {
        Some([only]) => only,
        _ => schema,
    };
    schema["$ref"].as_str()?.strip_prefix("#/$defs/")
}

fn object(value: &Value) -> &Map<String, Value> {
    static EMPTY: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    value.as_object().unwrap_or(&EMPTY)
}
