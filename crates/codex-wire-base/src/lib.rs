//! Holds what all crates of codex-wire share, below the protocol types.
//!
//! - [`release`], [`protocol`] and [`release_list`]: Codex releases, the protocols, their message sets, and
//!   which releases speak them;
//! - [`lines`]: splits bytes into lines, with one or a few in memory at a time;
//! - [`json`]: JSON text, and values kept as text;
//! - [`error`]: reading errors with their place;
//! - [`Wire`], [`Maybe`]: what `#[derive(Wire)]` implements, for types of any protocol;
//! - [`transcript`]: the project's own format for recordings of both directions.
//!
//! Programs that want the protocol types use these through `codex-wire`, which re-exports them.
//!
//! ```
//! use codex_wire_base::{Protocol, Release};
//!
//! let releases = Protocol::AppServer.release_list();
//! assert_eq!(releases.first(), Release::new(0, 58, 0));
//! // An unlisted release speaks as the listed one before it.
//! assert_eq!(releases.floor(Release::new(0, 170, 0)), Some(Release::new(0, 169, 0)));
//! ```
//!
//! # Features
//! - `schema`: JSON Schemas of types that derive [`Wire`]
//! - `proptest`: strategies for values of types that derive [`Wire`]
//!
//! This crate must not know any message of Codex, files, processes, schema validators or findings.

#![forbid(unsafe_code)]

// The derive writes the path its users have.
extern crate self as codex_wire;

mod availability;
mod cursor;
pub mod error;
mod escape;
#[cfg(feature = "proptest")]
pub mod generate;
pub mod json;
mod kind;
pub mod lines;
mod maybe;
mod members;
mod named_range;
pub mod pointer;
pub mod protocol;
mod reader;
pub mod release;
pub mod release_list;
mod release_name;
mod release_range;
mod release_set;
#[cfg(feature = "schema")]
pub mod schema;
#[doc(hidden)]
pub mod shape;
pub mod transcript;
pub mod unsupported;
mod values;
mod wire;

pub use availability::{Availability, ReleaseBounds};
pub use error::{Error, ErrorKind};
pub use maybe::Maybe;
pub use named_range::{NamedRange, RangeEnds, ReleaseChoice};
pub use protocol::{MessageSet, Protocol};
pub use reader::{Message, Reader};
pub use release::Release;
pub use release_list::{LATEST, ReleaseList};
pub use release_name::{NamedRelease, NoSuchRelease, StandsFor};
pub use release_range::ReleaseRange;
pub use release_set::ReleaseSet;
pub use values::{Exactly, Map, NoParams, Null, Unknown, UnknownCall, UnknownExternal};
pub use wire::{Described, Wire, from_slice, from_str, to_string};

// Each keeps what it is given where that feature of this crate is on. A `cfg` in what the derive
// writes would ask the crate it is written into, which has features of its own.

#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_schema {
    ($($written:tt)*) => { $($written)* };
}

#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_schema {
    ($($written:tt)*) => {};
}

#[cfg(feature = "proptest")]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_proptest {
    ($($written:tt)*) => { $($written)* };
}

#[cfg(not(feature = "proptest"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __with_proptest {
    ($($written:tt)*) => {};
}

/// What the derive's output needs; not for use by hand.
#[doc(hidden)]
pub mod private {
    pub use serde::ser::SerializeMap;
    pub use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[cfg(feature = "schema")]
    pub use schemars::{JsonSchema, Schema, SchemaGenerator};

    pub use crate::members::{
        Attempts, Contents, Fields, Members, Object, TagKeys, VariantShapes, Variants, fill,
        fill_maybe, first_missing, from_parts, missing, no_content, object_start, peek_tag,
        peek_tag_key, read_beside, read_external, read_union, same,
    };

    use crate::Wire;

    use crate::shape::TypeRef;

    #[cfg(feature = "schema")]
    pub fn type_of<T: Wire + JsonSchema>() -> TypeRef {
        TypeRef {
            value: T::VALUE,
            schema: |generator| generator.subschema_for::<T>(),
        }
    }

    #[cfg(not(feature = "schema"))]
    pub fn type_of<T: Wire>() -> TypeRef {
        TypeRef { value: T::VALUE }
    }

    pub use crate::{__with_proptest as with_proptest, __with_schema as with_schema};

    pub fn deserialize<'de, T: Wire, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
        let raw = Box::<serde_json::value::RawValue>::deserialize(deserializer)?;
        // The place counts within the value; the deserializer knows where the value stands.
        crate::from_str(raw.get()).map_err(|error| serde::de::Error::custom(error.without_place()))
    }
}
