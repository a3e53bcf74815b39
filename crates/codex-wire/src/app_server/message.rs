//! Messages: the kind of a line follows from the members it has.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::app_server::answer::{ErrorResponse, Response};
use crate::app_server::envelope::{
    ClientNotification, ClientRequest, ServerNotification, ServerRequest,
};
use crate::app_server::side::{ClientSide, Id, Sent as _, ServerSide, Side};
use crate::error::ErrorKind;
use crate::json::{Cursor, Extra, Kind};
use crate::{Error, Wire};

/// A JSON-RPC message that side `By` writes: a request, a notification, or the answer to a request of
/// its peer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "JSONRPCMessage")]
pub enum JsonRpcMessage<By: Side> {
    /// `id` and `method`.
    Request(By::Request),
    /// `method` without `id`.
    Notification(By::Notification),
    /// `result` without `method`.
    Response(Response<By::Peer>),
    /// `error` without `method`.
    Error(ErrorResponse<By::Peer>),
}

/// A message that the client writes.
pub type ClientMessage = JsonRpcMessage<ClientSide>;

/// A message that Codex writes.
pub type ServerMessage = JsonRpcMessage<ServerSide>;

impl<By: Side> JsonRpcMessage<By> {
    /// The id, if this is a request.
    pub fn id(&self) -> Option<&Id<By>> {
        match self {
            JsonRpcMessage::Request(request) => request.id(),
            _ => None,
        }
    }

    /// The id of the request this answers, if it is an answer.
    pub fn answers(&self) -> Option<&Id<By::Peer>> {
        match self {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(response) => Some(&response.id),
            _ => None,
        }
    }

    /// The method, which answers do not name.
    pub fn method(&self) -> Option<&str> {
        match self {
            JsonRpcMessage::Request(request) => Some(request.method()),
            JsonRpcMessage::Notification(notification) => Some(notification.method()),
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => None,
        }
    }
}

impl<By: Side> Wire for JsonRpcMessage<By> {
    /// Reads the kind of message its members make it.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
        cursor.expect_kind(Kind::Object)?;
        // The first two members mostly decide, and then the line is read once. Where others
        // make it something else it is begun again, and where it has a fault, whose place depends
        // on what the line is.
        let mut ahead = cursor.clone();
        let [first, second] = cursor.peek_names();
        match (first.as_deref(), second.as_deref()) {
            (Some("method"), Some("id")) | (Some("id"), Some("method")) => {
                if let Ok(read) = By::Request::read(&mut ahead) {
                    *cursor = ahead;
                    return Ok(JsonRpcMessage::Request(read));
                }
            }
            (Some("method"), _) => {
                if let Ok(read) = By::Notification::read(&mut ahead)
                    && has_none(read.extra(), &["id"])
                {
                    *cursor = ahead;
                    return Ok(JsonRpcMessage::Notification(read));
                }
            }
            (Some("id"), Some("result")) | (Some("result"), Some("id")) => {
                if let Ok(read) = Response::read(&mut ahead)
                    && has_none(&read.extra, &["method"])
                {
                    *cursor = ahead;
                    return Ok(JsonRpcMessage::Response(read));
                }
            }
            (Some("id"), Some("error")) | (Some("error"), Some("id")) => {
                if let Ok(read) = ErrorResponse::read(&mut ahead)
                    && has_none(&read.extra, &["method", "result"])
                {
                    *cursor = ahead;
                    return Ok(JsonRpcMessage::Error(read));
                }
            }
            _ => {}
        }
        Self::read_by_all_members(cursor)
    }
}

impl<By: Side> JsonRpcMessage<By> {
    /// The same, with a look at the names of all members first.
    fn read_by_all_members(cursor: &mut Cursor<'_>) -> Result<Self, Error> {
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
            (true, true) => By::Request::read(cursor).map(JsonRpcMessage::Request),
            (true, false) => By::Notification::read(cursor).map(JsonRpcMessage::Notification),
            (false, _) if result => Response::read(cursor).map(JsonRpcMessage::Response),
            (false, _) if error => ErrorResponse::read(cursor).map(JsonRpcMessage::Error),
            (false, _) => Err(Error::at(ErrorKind::Missing("method"), start)),
        }
    }
}

/// Whether there is no member of these names, which would make a line another kind of message.
fn has_none(extra: &Extra, names: &[&str]) -> bool {
    extra.iter().all(|(name, _)| !names.contains(&name))
}

impl<By: Side> Serialize for JsonRpcMessage<By> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            JsonRpcMessage::Request(request) => request.serialize(serializer),
            JsonRpcMessage::Notification(notification) => notification.serialize(serializer),
            JsonRpcMessage::Response(response) => response.serialize(serializer),
            JsonRpcMessage::Error(response) => response.serialize(serializer),
        }
    }
}

impl<'de, By: Side> Deserialize<'de> for JsonRpcMessage<By> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::private::deserialize(deserializer)
    }
}

impl<By: Side> From<Response<By::Peer>> for JsonRpcMessage<By> {
    fn from(response: Response<By::Peer>) -> Self {
        JsonRpcMessage::Response(response)
    }
}

impl<By: Side> From<ErrorResponse<By::Peer>> for JsonRpcMessage<By> {
    fn from(response: ErrorResponse<By::Peer>) -> Self {
        JsonRpcMessage::Error(response)
    }
}

macro_rules! from_sent {
    ($($kind:ident($ty:ident) of $side:ident),*) => {$(
        impl From<$ty> for JsonRpcMessage<$side> {
            fn from(message: $ty) -> Self {
                JsonRpcMessage::$kind(message)
            }
        }
    )*};
}

from_sent!(
    Request(ClientRequest) of ClientSide,
    Notification(ClientNotification) of ClientSide,
    Request(ServerRequest) of ServerSide,
    Notification(ServerNotification) of ServerSide
);
