//! What a schema of a format says.

use std::fmt;

use serde_json::{Map, Value};

/// A format: a document, and the definitions that it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// The name of the document.
    pub(super) name: String,
    /// The definitions, the document first.
    pub(super) definitions: Vec<Definition>,
}

/// A schema that this module cannot read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    pub(super) format: String,
    pub(super) problem: String,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.format, self.problem)
    }
}

impl std::error::Error for FormatError {}

/// A type with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) doc: Option<String>,
    /// What the schema says of the words that it allows.
    pub(super) words: Vec<(String, String)>,
    pub(super) shape: Shape,
}

impl Definition {
    /// What the schema says of itself, and of each word that it allows.
    pub(super) fn doc_with_words(&self) -> Option<String> {
        let mut text = self.doc.clone()?;
        for (word, about) in &self.words {
            text.push_str(&format!("\n\n`{word}`: {about}"));
        }
        Some(text)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Object(Vec<Member>),
    Other(Type),
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) doc: Option<String>,
    pub(super) is_required: bool,
    pub(super) is: Type,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Any,
    Null,
    Boolean,
    Integer,
    Number,
    String,
    /// One value, such as a word.
    Value(Value),
    Named(String),
    List(Box<Type>),
    /// Of values under any key.
    Map(Box<Type>),
    Union(Vec<Type>),
    /// An object that has no name.
    Object(Vec<Member>),
}

/// Words that only narrow a value further than a type of these languages can say, or speak of the document.
const UNSAID: &[&str] = &[
    "$schema",
    "$id",
    "title",
    "description",
    "default",
    "format",
    "minLength",
    "minItems",
    "minimum",
    "maximum",
    "pattern",
    "if",
    "then",
    "else",
];

/// The words of an object.
const MEMBERS: &[&str] = &[
    "type",
    "additionalProperties",
    "required",
    "properties",
    "$defs",
];

impl Format {
    /// Reads a schema. `name` is what the document is called.
    ///
    /// # Errors
    /// If the schema has words without a meaning here.
    pub fn read(name: &str, schema: &Value) -> Result<Self, FormatError> {
        let mut definitions = Vec::new();
        document(name, schema, &mut definitions).map_err(|problem| FormatError {
            format: name.to_owned(),
            problem,
        })?;
        Ok(Format {
            name: name.to_owned(),
            definitions,
        })
    }
}

/// Reads a document and its definitions. One of them may be a document with an address of its own.
fn document(name: &str, schema: &Value, out: &mut Vec<Definition>) -> Result<(), String> {
    let none = Map::new();
    let named = schema["$defs"].as_object().unwrap_or(&none);
    let reader = Reader { named };
    out.push(reader.definition(name, schema)?);
    let first = out.len();
    // The document may be such a union itself.
    let mut variants = reader.tagged(schema)?.unwrap_or_default();
    for (name, schema) in named {
        if schema.get("$id").is_some() {
            document(name, schema, out)?;
            continue;
        }
        if let Some(tagged) = reader.tagged(schema)? {
            variants.extend(tagged);
        }
        out.push(reader.definition(name, schema)?);
    }
    // What stands beside a union stands in each of its variants.
    for (variant, beside) in variants {
        let definition = out
            .iter_mut()
            .skip(first)
            .find(|known| known.name == variant);
        match definition.map(|known| &mut known.shape) {
            Some(Shape::Object(members)) if !members.iter().any(|own| beside.contains(own)) => {
                members.splice(0..0, beside);
            }
            _ => return Err(format!("{variant} is not a variant of one union")),
        }
    }
    Ok(())
}

/// A variant of a union: the name of its definition, and the members that it has besides those of that.
type Variant = (String, Vec<Member>);

/// Reads the schemas of one document.
struct Reader<'a> {
    named: &'a Map<String, Value>,
}

impl Reader<'_> {
    fn definition(&self, name: &str, schema: &Value) -> Result<Definition, String> {
        let read = || {
            let variants = self.tagged(schema)?;
            let shape = match variants {
                Some(variants) => {
                    let names = variants.into_iter().map(|(name, _)| Type::Named(name));
                    Shape::Other(Type::Union(names.collect()))
                }
                None if schema["properties"].is_object() => Shape::Object(self.members(schema)?),
                None => Shape::Other(self.of(schema)?),
            };
            Ok(Definition {
                name: name.to_owned(),
                doc: doc(schema),
                words: words(schema),
                shape,
            })
        };
        read().map_err(|problem: String| format!("{name}: {problem}"))
    }

    /// The variants of a union whose schemas are references with a tag beside them, each with its tag and the members
    /// that stand beside the union.
    fn tagged(&self, schema: &Value) -> Result<Option<Vec<Variant>>, String> {
        let Some(Value::Array(parts)) = schema.get("oneOf") else {
            return Ok(None);
        };
        if !parts
            .iter()
            .all(|part| part.get("$ref").is_some() && part.get("properties").is_some())
        {
            return Ok(None);
        }
        let beside = match schema.get("properties") {
            Some(_) => self.members_beside(schema, &["oneOf"])?,
            None => Vec::new(),
        };
        let variant = |part: &Value| {
            let mut members = self.members_beside(part, &["$ref"])?;
            members.extend(beside.iter().cloned());
            Ok((self.name_of(&part["$ref"])?, members))
        };
        let variants: Result<Vec<_>, String> = parts.iter().map(variant).collect();
        variants.map(Some)
    }

    /// A schema as a type.
    fn of(&self, schema: &Value) -> Result<Type, String> {
        if schema == &Value::Bool(true) {
            return Ok(Type::Any);
        }
        let words = schema.as_object().ok_or("not a schema")?;
        if let Some(target) = words.get("$ref") {
            said(words, &["$ref"])?;
            return Ok(Type::Named(self.name_of(target)?));
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(Value::Array(parts)) = words.get(union) {
                said(words, &[union, "$defs"])?;
                let parts: Result<Vec<Type>, String> =
                    parts.iter().map(|part| self.of(part)).collect();
                return Ok(Type::Union(parts?));
            }
        }
        if let Some(Value::Array(values)) = words.get("enum") {
            said(words, &["enum", "type"])?;
            return Ok(Type::Union(
                values.iter().cloned().map(Type::Value).collect(),
            ));
        }
        if let Some(value) = words.get("const") {
            said(words, &["const", "type"])?;
            return Ok(Type::Value(value.clone()));
        }
        match words.get("type") {
            Some(Value::Array(names)) => {
                said(words, &["type", "items"])?;
                let parts: Result<Vec<Type>, String> =
                    names.iter().map(|name| self.simple(name, words)).collect();
                Ok(Type::Union(parts?))
            }
            Some(name) if name == "object" => self.object(schema, words),
            Some(name) => {
                said(words, &["type", "items"])?;
                self.simple(name, words)
            }
            None => said(words, &[]).map(|()| Type::Any),
        }
    }

    fn name_of(&self, target: &Value) -> Result<String, String> {
        let target = target.as_str().ok_or("not a reference")?;
        if let Some(name) = target.strip_prefix("#/$defs/") {
            return Ok(name.to_owned());
        }
        let mut named = self.named.iter();
        let found = named.find(|(_, schema)| schema["$id"] == target);
        found
            .map(|(name, _)| name.clone())
            .ok_or_else(|| format!("{target}: not a definition"))
    }

    fn object(&self, schema: &Value, words: &Map<String, Value>) -> Result<Type, String> {
        if let Some(inner @ Value::Object(_)) = words.get("additionalProperties") {
            said(words, &["type", "additionalProperties"])?;
            return Ok(Type::Map(Box::new(self.of(inner)?)));
        }
        if words.get("additionalProperties") == Some(&Value::Bool(true))
            && !words.contains_key("properties")
        {
            said(words, &["type", "additionalProperties"])?;
            return Ok(Type::Map(Box::new(Type::Any)));
        }
        Ok(Type::Object(self.members(schema)?))
    }

    fn members(&self, schema: &Value) -> Result<Vec<Member>, String> {
        self.members_beside(schema, &[])
    }

    fn members_beside(&self, schema: &Value, known: &[&str]) -> Result<Vec<Member>, String> {
        let words = schema.as_object().ok_or("not a schema")?;
        let mut known = [MEMBERS, known].concat();
        if words.get("oneOf").is_some_and(only_require) {
            known.push("oneOf");
        }
        said(words, &known)?;
        let required = schema["required"].as_array();
        let members = schema["properties"]
            .as_object()
            .ok_or("an object without members")?;
        let member = |(key, schema): (&String, &Value)| {
            Ok(Member {
                key: key.clone(),
                doc: doc(schema),
                is_required: required.is_some_and(|keys| keys.iter().any(|known| known == key)),
                is: self
                    .of(schema)
                    .map_err(|problem| format!("{key}: {problem}"))?,
            })
        };
        members.iter().map(member).collect()
    }

    fn simple(&self, name: &Value, words: &Map<String, Value>) -> Result<Type, String> {
        Ok(match name.as_str() {
            Some("array") => {
                let items = words.get("items").ok_or("a list of anything")?;
                Type::List(Box::new(self.of(items)?))
            }
            Some("integer") => Type::Integer,
            Some("number") => Type::Number,
            Some("string") => Type::String,
            Some("boolean") => Type::Boolean,
            Some("null") => Type::Null,
            _ => return Err(format!("{name}: another type")),
        })
    }
}

/// Fails if a schema has words that are neither these nor without meaning for a type.
fn said(words: &Map<String, Value>, known: &[&str]) -> Result<(), String> {
    for word in words.keys().map(String::as_str) {
        if !known.contains(&word) && !UNSAID.contains(&word) {
            return Err(format!("`{word}` has no meaning here"));
        }
    }
    Ok(())
}

/// Whether alternatives only say which members go together, which a type of these languages cannot.
fn only_require(alternatives: &Value) -> bool {
    let parts = alternatives.as_array().into_iter().flatten();
    parts.filter_map(Value::as_object).all(|part| {
        let mut words = part.keys();
        words.all(|word| word == "required")
    })
}

/// What a schema says of the words that it allows.
fn words(schema: &Value) -> Vec<(String, String)> {
    let words = schema["oneOf"].as_array().into_iter().flatten();
    let said = words.filter_map(|word| Some((word["const"].as_str()?.to_owned(), doc(word)?)));
    said.collect()
}

fn doc(schema: &Value) -> Option<String> {
    schema["description"].as_str().map(str::to_owned)
}
