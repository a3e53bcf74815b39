//! The two sides of a connection, as types.

use std::fmt::Debug;
use std::hash::Hash;

use serde::Serialize;

use crate::Wire;
use crate::app_server::envelope::{
    ClientNotification, ClientRequest, ServerNotification, ServerRequest,
};
use crate::app_server::id::Id;
use crate::json::Extra;

/// One of the two sides of a connection, as a type.
pub trait Side: sealed::Sealed + Copy + Debug + Eq + Hash + Sized + 'static {
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

impl Side for ClientSide {
    type Peer = ServerSide;
    type Request = ClientRequest;
    type Notification = ClientNotification;
}

impl Side for ServerSide {
    type Peer = ClientSide;
    type Request = ServerRequest;
    type Notification = ServerNotification;
}

macro_rules! sent {
    ($side:ident: $request:ident, $notification:ident) => {
        impl Sent<$side> for $request {
            fn id(&self) -> Option<&Id<$side>> {
                Some(&self.id)
            }

            fn method(&self) -> &str {
                self.params.tag()
            }

            fn extra(&self) -> &Extra {
                &self.extra
            }
        }

        impl Sent<$side> for $notification {
            fn id(&self) -> Option<&Id<$side>> {
                None
            }

            fn method(&self) -> &str {
                self.params.tag()
            }

            fn extra(&self) -> &Extra {
                &self.extra
            }
        }
    };
}

sent!(ClientSide: ClientRequest, ClientNotification);
sent!(ServerSide: ServerRequest, ServerNotification);

/// There are two sides and their messages, and no others.
mod sealed {
    use super::{
        ClientNotification, ClientRequest, ClientSide, ServerNotification, ServerRequest,
        ServerSide,
    };

    pub trait Sealed {}

    impl Sealed for ClientSide {}
    impl Sealed for ServerSide {}
    impl Sealed for ClientRequest {}
    impl Sealed for ClientNotification {}
    impl Sealed for ServerRequest {}
    impl Sealed for ServerNotification {}
}
