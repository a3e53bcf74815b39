//! Responses: results and errors.
//!
//! A result does not name its method. [`ServerResponse`](super::ServerResponse) and
//! [`ClientResponse`](super::ClientResponse) are a result with the method of its request beside it;
//! schemas validate results in that form.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::app_server::method::Request;
use crate::app_server::side::{ClientSide, Id, ServerSide, Side};
use crate::app_server::types::{ClientRequestResult, ServerRequestResult};
use crate::json::{Cursor, Extra, Raw};
use crate::shape::{Shape, ValueShape};
use crate::{Described, Error, Maybe, Wire};

/// The answer to a request of side `To` that succeeded.
///
/// What the result is depends on the request, which the answer names by id only.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "JSONRPCResponse")]
pub struct Response<To: Side> {
    /// The id of the request.
    pub id: Id<To>,
    /// The result, as it came.
    pub raw: Raw,
    /// Members that this type does not name.
    pub extra: Extra,
}

/// The answer to a request of side `To` that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "JSONRPCError")]
pub struct ErrorResponse<To: Side> {
    /// The id of the request.
    pub id: Id<To>,
    /// Why it failed.
    pub error: ErrorObject,
    /// Members that this type does not name.
    pub extra: Extra,
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[non_exhaustive]
#[doc(alias = "JSONRPCErrorError")]
pub struct ErrorObject {
    /// The kind of failure. Codex answers nearly everything with -32600; -32603 is for failures
    /// while doing what was asked, -32601 for methods that are not implemented, -32001 for an
    /// overloaded server.
    pub code: i64,
    /// For people.
    pub message: String,
    /// More about it.
    #[wire(optional)]
    pub data: Maybe<Raw>,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

impl fmt::Display for ErrorObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl std::error::Error for ErrorObject {}

impl<To: Side> Response<To> {
    /// An answer to the request with that id.
    pub fn new(id: impl Into<Id<To>>, raw: impl Into<Raw>) -> Self {
        Response {
            id: id.into(),
            raw: raw.into(),
            extra: Extra::new(),
        }
    }

    /// The answer to a request of a method.
    pub fn to<M: Request<Sender = To>>(id: impl Into<Id<To>>, result: &M::Result) -> Self {
        Self::new(id, Raw::of(result))
    }

    /// The result as that of a method.
    ///
    /// # Errors
    /// When it does not have the shape the method's result has in any release.
    pub fn result<M: Request<Sender = To>>(&self) -> Result<M::Result, Error> {
        self.raw.parse()
    }
}

impl Response<ClientSide> {
    /// The result as that of a method known by name only.
    ///
    /// # Errors
    /// As [`Response::result`]. An unknown method is not an error: its result is kept as it came.
    pub fn result_of(&self, method: &str) -> Result<ClientRequestResult, Error> {
        ClientRequestResult::from_parts(method, Some(&self.raw))
    }
}

impl Response<ServerSide> {
    /// The result as that of a method known by name only.
    ///
    /// # Errors
    /// As [`Response::result`]. An unknown method is not an error: its result is kept as it came.
    pub fn result_of(&self, method: &str) -> Result<ServerRequestResult, Error> {
        ServerRequestResult::from_parts(method, Some(&self.raw))
    }
}

impl<To: Side> ErrorResponse<To> {
    /// An answer to the request with that id.
    pub fn new(id: impl Into<Id<To>>, error: ErrorObject) -> Self {
        ErrorResponse {
            id: id.into(),
            error,
            extra: Extra::new(),
        }
    }
}

/// The same two without a side, for the derive.
mod line {
    use crate::Wire;
    use crate::app_server::id::RequestId;
    use crate::json::{Extra, Raw};

    use super::ErrorObject;

    /// The answer to a request that succeeded.
    #[derive(Clone, Debug, PartialEq, Eq, Wire)]
    pub struct Response {
        /// The id of the request.
        pub id: RequestId,
        /// The result.
        pub result: Raw,
        /// Members that this type does not name.
        #[wire(extra)]
        pub extra: Extra,
    }

    /// The answer to a request that failed.
    #[derive(Clone, Debug, PartialEq, Eq, Wire)]
    pub struct ErrorResponse {
        /// The id of the request.
        pub id: RequestId,
        /// Why it failed.
        pub error: ErrorObject,
        /// Members that this type does not name.
        #[wire(extra)]
        pub extra: Extra,
    }
}

/// Reads and writes an answer as the line it is.
macro_rules! as_line {
    ($name:ident { $outer:ident = $inner:ident }) => {
        impl<To: Side> From<line::$name> for $name<To> {
            fn from(line: line::$name) -> Self {
                $name {
                    id: line.id.into(),
                    $outer: line.$inner,
                    extra: line.extra,
                }
            }
        }

        impl<To: Side> Wire for $name<To> {
            const VALUE: ValueShape = line::$name::VALUE;

            fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
                line::$name::read(cursor).map(Into::into)
            }
        }

        impl<To: Side> Serialize for $name<To> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use serde::ser::SerializeMap as _;
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("id", &self.id)?;
                map.serialize_entry(stringify!($inner), &self.$outer)?;
                self.extra.entries(&mut map)?;
                map.end()
            }
        }

        impl<'de, To: Side> Deserialize<'de> for $name<To> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                crate::private::deserialize(deserializer)
            }
        }

        impl<To: Side> Described for $name<To> {
            const SHAPE: &'static Shape = line::$name::SHAPE;
        }

        #[cfg(feature = "schema")]
        impl<To: Side> schemars::JsonSchema for $name<To> {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                line::$name::schema_name()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                line::$name::schema_id()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                line::$name::json_schema(generator)
            }
        }

        #[cfg(feature = "proptest")]
        impl<To: Side> crate::generate::Generate for $name<To> {
            fn generate(recipe: crate::generate::Recipe) -> crate::generate::Strategy<Self> {
                use proptest::strategy::Strategy as _;
                line::$name::generate(recipe).prop_map(Into::into).boxed()
            }
        }
    };
}

as_line!(Response { raw = result });
as_line!(ErrorResponse { error = error });
