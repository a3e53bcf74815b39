//! The two sides of a connection, as types, and the ids of their requests.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use serde::{Serialize, Serializer};

use crate::app_server::id::RequestId;
use crate::json::{Cursor, Extra};
use crate::shape::ValueShape;
use crate::{Error, Wire};

/// One of the two sides of a connection, as a type.
pub trait Side: sealed::Sealed + Copy + fmt::Debug + Eq + Hash + Sized + 'static {
    /// The other side.
    type Peer: Side<Peer = Self>;

    /// The requests it sends.
    type Request: Sent<Self>;

    /// The notifications it sends.
    type Notification: Sent<Self>;
}

/// A message that begins something: a request or a notification.
pub trait Sent<By: Side>: sealed::Sealed + Wire + Serialize {
    /// The id, which only requests have.
    fn id(&self) -> Option<&Id<By>>;

    /// The method, whether this crate knows it or not.
    fn method(&self) -> &str;

    /// The members that its type does not name.
    fn extra(&self) -> &Extra;
}

/// Marks what the client writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClientSide;

/// Marks what Codex writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ServerSide;

/// There are two sides and their messages, and no others.
pub(super) mod sealed {
    pub trait Sealed {}
}

/// The id of a request that a given side sent.
///
/// Both sides choose their ids freely and Codex counts from 0 on every connection, so the ids of
/// the two directions clash and have nothing to do with each other. As types they cannot be
/// taken for each other: what a client waits for is found by `Id<ClientSide>`, what Codex waits for
/// has an `Id<ServerSide>`.
pub struct Id<By: Side> {
    id: RequestId,
    by: PhantomData<fn() -> By>,
}

impl<By: Side> Id<By> {
    /// The id itself, as it stands on the wire.
    pub fn get(&self) -> &RequestId {
        &self.id
    }
}

impl<By: Side, T: Into<RequestId>> From<T> for Id<By> {
    fn from(id: T) -> Self {
        Id {
            id: id.into(),
            by: PhantomData,
        }
    }
}

// The derives would ask for these of `By`, of which there is nothing in an id.
impl<By: Side> Clone for Id<By> {
    fn clone(&self) -> Self {
        self.id.clone().into()
    }
}

impl<By: Side> PartialEq for Id<By> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<By: Side> Eq for Id<By> {}

impl<By: Side> Hash for Id<By> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl<By: Side> fmt::Debug for Id<By> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

impl<By: Side> fmt::Display for Id<By> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.id.fmt(f)
    }
}

impl<By: Side> Wire for Id<By> {
    const VALUE: ValueShape = RequestId::VALUE;

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        RequestId::read(cursor).map(Into::into)
    }
}

impl<By: Side> Serialize for Id<By> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.id.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl<By: Side> schemars::JsonSchema for Id<By> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        RequestId::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        RequestId::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        RequestId::json_schema(generator)
    }
}

#[cfg(feature = "proptest")]
impl<By: Side> crate::generate::Generate for Id<By> {
    fn generate(recipe: crate::generate::Recipe) -> crate::generate::Strategy<Self> {
        use proptest::strategy::Strategy as _;
        RequestId::generate(recipe).prop_map(Into::into).boxed()
    }
}
