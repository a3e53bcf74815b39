//! Messages: the kind of a line follows from the members it has.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::app_server::answer::{ErrorResponse, Response};
use crate::app_server::envelope::{
    ClientNotification, ClientRequest, ServerNotification, ServerRequest,
};
use crate::app_server::id::Id;
use crate::app_server::side::{Client, Sent as _, Server, Side};
use crate::error::ErrorKind;
use crate::json::{Cursor, Extra, Kind};
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
        // The first two members mostly tell, and then the line is looked at once. Where others
        // make it something else it is begun anew, and where it has a fault, whose place depends
        // on what the line is.
        let mut ahead = cursor.clone();
        let [first, second] = cursor.peek_names();
        match (first.as_deref(), second.as_deref()) {
            (Some("method"), Some("id")) | (Some("id"), Some("method")) => {
                if let Ok(read) = By::Request::read(&mut ahead) {
                    *cursor = ahead;
                    return Ok(Message::Request(read));
                }
            }
            (Some("method"), _) => {
                if let Ok(read) = By::Notification::read(&mut ahead)
                    && has_none(read.extra(), &["id"])
                {
                    *cursor = ahead;
                    return Ok(Message::Notification(read));
                }
            }
            (Some("id"), Some("result")) | (Some("result"), Some("id")) => {
                if let Ok(read) = Response::read(&mut ahead)
                    && has_none(&read.extra, &["method"])
                {
                    *cursor = ahead;
                    return Ok(Message::Response(read));
                }
            }
            (Some("id"), Some("error")) | (Some("error"), Some("id")) => {
                if let Ok(read) = ErrorResponse::read(&mut ahead)
                    && has_none(&read.extra, &["method", "result"])
                {
                    *cursor = ahead;
                    return Ok(Message::Error(read));
                }
            }
            _ => {}
        }
        Self::read_by_all_members(cursor)
    }
}

impl<By: Side> Message<By> {
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
            (true, true) => By::Request::read(cursor).map(Message::Request),
            (true, false) => By::Notification::read(cursor).map(Message::Notification),
            (false, _) if result => Response::read(cursor).map(Message::Response),
            (false, _) if error => ErrorResponse::read(cursor).map(Message::Error),
            (false, _) => Err(Error::at(ErrorKind::Missing("method"), start)),
        }
    }
}

/// Whether there is no member of these names, which would make a line another kind of message.
fn has_none(extra: &Extra, names: &[&str]) -> bool {
    extra.iter().all(|(name, _)| !names.contains(&name))
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
