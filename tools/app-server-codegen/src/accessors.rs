//! Says what code written by hand reads of the types.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;

use crate::Error;
use crate::types::Type;

/// `accessors.toml`: methods of generated types that are there whatever the releases say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accessors {
    /// Unions whose kinds always stand in `details`.
    pub details: Vec<String>,
    /// The types of which members say where an image or a sound is: each member, with the variant of `Media`.
    pub media: BTreeMap<Owner, Vec<(Path, String)>>,
    /// The unions of which one kind is a text: the member that holds it.
    pub texts: BTreeMap<Owner, Path>,
    /// The methods of a type: that of a definition, or of a kind of one.
    pub of: BTreeMap<Owner, BTreeMap<String, Accessor>>,
}

/// The type that has methods.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner {
    /// The definition.
    pub definition: String,
    /// The tag of its kind, where the type is that of a kind.
    pub kind: Option<String>,
}

/// A method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accessor {
    /// What it returns.
    pub is: Type,
    /// Where that stands: the first that is there.
    pub of: Vec<Path>,
}

/// Where something stands in a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Path {
    /// It is the value.
    Itself,
    /// In a member, of the type or of each of its kinds.
    Member(String),
    /// In a member of one kind.
    OfKind(String, String),
}

#[derive(Deserialize)]
struct Table {
    #[serde(default)]
    details: Vec<String>,
    #[serde(default)]
    media: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    texts: BTreeMap<String, String>,
    #[serde(flatten)]
    of: BTreeMap<String, BTreeMap<String, Entry>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    is: String,
    of: Vec<String>,
}

impl Accessors {
    /// Reads `accessors.toml`.
    ///
    /// # Errors
    /// When the file is malformed.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let fault = |message: String| Error::table("accessors.toml", message);
        let table: Table = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
        let mut media = BTreeMap::new();
        for (owner, members) in table.media {
            let members = members.iter().map(|text| match text.split_once(" as ") {
                Some((path, variant)) => Ok((Path::parse(path), variant.to_owned())),
                None => Err(fault(format!("{owner}: `{text}`"))),
            });
            media.insert(Owner::parse(&owner), members.collect::<Result<_, _>>()?);
        }
        let mut of: BTreeMap<Owner, BTreeMap<String, Accessor>> = BTreeMap::new();
        for (owner, entries) in table.of {
            let methods = of.entry(Owner::parse(&owner)).or_default();
            for (method, entry) in entries {
                let is = Type::parse(&entry.is)
                    .map_err(|message| fault(format!("{owner}.{method}: {message}")))?;
                let of = entry.of.iter().map(|path| Path::parse(path)).collect();
                methods.insert(method, Accessor { is, of });
            }
        }
        let texts = table.texts.iter();
        let texts = texts.map(|(owner, path)| (Owner::parse(owner), Path::parse(path)));
        Ok(Accessors {
            details: table.details,
            media,
            texts: texts.collect(),
            of,
        })
    }
}

impl Owner {
    fn parse(text: &str) -> Self {
        match text.split_once("::") {
            Some((definition, kind)) => Owner {
                definition: definition.to_owned(),
                kind: Some(kind.to_owned()),
            },
            None => Owner {
                definition: text.to_owned(),
                kind: None,
            },
        }
    }
}

impl Path {
    fn parse(text: &str) -> Self {
        match text.split_once('.') {
            Some(("", "")) => Path::Itself,
            Some((kind, member)) => Path::OfKind(kind.to_owned(), member.to_owned()),
            None => Path::Member(text.to_owned()),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Some(kind) => write!(f, "{}::{kind}", self.definition),
            None => f.write_str(&self.definition),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Path::Itself => f.write_str("."),
            Path::Member(member) => f.write_str(member),
            Path::OfKind(kind, member) => write!(f, "{kind}.{member}"),
        }
    }
}
