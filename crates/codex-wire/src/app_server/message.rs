//! Lines: what kind of message one is follows from the members it has.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::app_server::answer::{ErrorResponse, Response};
use crate::app_server::envelope::{
    ClientNotification, ClientRequest, ServerNotification, ServerRequest,
};
use crate::app_server::id::Id;
use crate::app_server::side::{Client, Sent as _, Server, Side};
use crate::error::ErrorKind;
use crate::json::{Cursor, Kind};
use crate::{Error, Wire};

/// A line of side `By`: it asks and tells of its own accord, and answers what its peer asks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Message<By: Side> {
    /// `id` and `method`.
    Request(By::Request),
    /// `method` without `id`.
    Notification(By::Notification),
    /// `result` without `method`.
    Response(Response<By::Peer>),
    /// `error` without `method`.
    Error(ErrorResponse<By::Peer>),
}

/// A line of the client.
pub type ClientMessage = Message<Client>;

/// A line of Codex.
pub type ServerMessage = Message<Server>;

impl<By: Side> Message<By> {
    /// The id, if this is a request.
    pub fn id(&self) -> Option<&Id<By>> {
        match self {
            Message::Request(request) => request.id(),
            _ => None,
        }
    }

    /// The id of the request this answers, if it is an answer.
    pub fn answers(&self) -> Option<&Id<By::Peer>> {
        match self {
            Message::Response(response) => Some(&response.id),
            Message::Error(response) => Some(&response.id),
            _ => None,
        }
    }

    /// The method, which answers do not name.
    pub fn method(&self) -> Option<&str> {
        match self {
            Message::Request(request) => Some(request.method()),
            Message::Notification(notification) => Some(notification.method()),
            Message::Response(_) | Message::Error(_) => None,
        }
    }
}

impl<By: Side> Wire for Message<By> {
    /// Reads the kind of message its members make it.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.expect_kind(Kind::Object)?;
        let start = cursor.offset();
        let (mut id, mut method, mut result, mut error) = (false, false, false, false);
        cursor.clone().object(|cursor, key| {
            match key {
                "id" => id = true,
                "method" => method = true,
                "result" => result = true,
                "error" => error = true,
                _ => {}
            }
            cursor.skip()
        })?;
        match (method, id) {
            (true, true) => By::Request::read(cursor).map(Message::Request),
            (true, false) => By::Notification::read(cursor).map(Message::Notification),
            (false, _) if result => Response::read(cursor).map(Message::Response),
            (false, _) if error => ErrorResponse::read(cursor).map(Message::Error),
            (false, _) => Err(Error::at(ErrorKind::Missing("method"), start)),
        }
    }
}

impl<By: Side> Serialize for Message<By> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Message::Request(request) => request.serialize(serializer),
            Message::Notification(notification) => notification.serialize(serializer),
            Message::Response(response) => response.serialize(serializer),
            Message::Error(response) => response.serialize(serializer),
        }
    }
}

impl<'de, By: Side> Deserialize<'de> for Message<By> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::private::deserialize(deserializer)
    }
}

impl<By: Side> From<Response<By::Peer>> for Message<By> {
    fn from(response: Response<By::Peer>) -> Self {
        Message::Response(response)
    }
}

impl<By: Side> From<ErrorResponse<By::Peer>> for Message<By> {
    fn from(response: ErrorResponse<By::Peer>) -> Self {
        Message::Error(response)
    }
}

macro_rules! from_sent {
    ($($kind:ident($ty:ident) of $side:ident),*) => {$(
        impl From<$ty> for Message<$side> {
            fn from(message: $ty) -> Self {
                Message::$kind(message)
            }
        }
    )*};
}

from_sent!(
    Request(ClientRequest) of Client,
    Notification(ClientNotification) of Client,
    Request(ServerRequest) of Server,
    Notification(ServerNotification) of Server
);
