//! Ids of requests, by which responses find their requests.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::{Cursor, Kind, Raw};
use crate::shape::{Alternative, Form, Shape, ValueShape};
use crate::{Availability, Described, Error, Wire};

/// The id of a request, chosen by who sends it and echoed in the answer, type and all.
///
/// Codex takes integers from -2^63 to 2^63-1 and any string, the empty one included. A message
/// with another id gets no answer: `null`, `1.5`, `1.0` and 2^63 are none, and are kept as they
/// came.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestId {
    /// A number.
    Integer(i64),
    /// Text.
    Text(String),
    /// Something that is not an id.
    Unknown(Raw),
}

impl Hash for RequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            RequestId::Integer(number) => number.hash(state),
            RequestId::Text(text) => text.hash(state),
            RequestId::Unknown(raw) => raw.get().hash(state),
        }
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RequestId::Integer(number) => number.fmt(f),
            RequestId::Text(text) => f.write_str(text),
            RequestId::Unknown(raw) => f.write_str(raw.get()),
        }
    }
}

impl From<i64> for RequestId {
    fn from(number: i64) -> Self {
        RequestId::Integer(number)
    }
}

impl From<String> for RequestId {
    fn from(text: String) -> Self {
        RequestId::Text(text)
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        RequestId::Text(text.to_owned())
    }
}

impl Wire for RequestId {
    const VALUE: ValueShape = ValueShape::Of(Self::SHAPE);

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        match cursor.kind()? {
            Kind::String => cursor.string().map(|text| RequestId::Text(text.into())),
            Kind::Number => {
                let raw = Raw::read(cursor)?;
                // Other whole numbers may be spelt `1.0` or `1e3`; Codex takes no such id.
                let number = raw.get().parse().map(RequestId::Integer);
                Ok(number.unwrap_or(RequestId::Unknown(raw)))
            }
            _ => Raw::read(cursor).map(RequestId::Unknown),
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RequestId::Integer(number) => number.serialize(serializer),
            RequestId::Text(text) => text.serialize(serializer),
            RequestId::Unknown(raw) => raw.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::private::deserialize(deserializer)
    }
}

impl Described for RequestId {
    const SHAPE: &'static Shape = &Shape {
        name: "RequestId",
        docs: "The id of a request, chosen by who sends it and echoed in the answer, type and \
               all.\n\nCodex takes integers from -2^63 to 2^63-1 and any string, the empty one \
               included. A message with another id gets no answer.",
        closed: false,
        others: false,
        choices: &[],
        form: Form::Untagged(&[
            Alternative {
                docs: "A number.",
                availability: Availability::ALWAYS,
                ty: crate::private::type_of::<i64>,
            },
            Alternative {
                docs: "Text.",
                availability: Availability::ALWAYS,
                ty: crate::private::type_of::<String>,
            },
        ]),
    };
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for RequestId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RequestId".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        crate::schema::of_shape(Self::SHAPE, generator)
    }
}

#[cfg(feature = "proptest")]
impl crate::generate::Generate for RequestId {
    fn generate(recipe: crate::generate::Recipe) -> crate::generate::Strategy<Self> {
        use proptest::prelude::*;
        prop_oneof![
            i64::generate(recipe).prop_map(RequestId::Integer),
            String::generate(recipe).prop_map(RequestId::Text),
        ]
        .boxed()
    }
}
