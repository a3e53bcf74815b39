//! Requests and notifications of both sides: the envelope around params.
//!
//! There is no `jsonrpc` member. A client may send one and Codex ignores it; here it is kept among
//! the undeclared members.

use crate::app_server::method::Method;
use crate::app_server::side::sealed::Sealed;
use crate::app_server::side::{ClientSide, Id, Sent, ServerSide, Side};
use crate::app_server::types::{
    ClientNotificationParams, ClientRequestParams, ClientRequestResult, ServerNotificationParams,
    ServerRequestParams, ServerRequestResult, W3cTraceContext,
};
use crate::json::Extra;
use crate::{Maybe, Wire};

/// A request of the client.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "method", content = "params")]
#[non_exhaustive]
pub struct ClientRequest {
    /// The id, for the answer.
    pub id: Id<ClientSide>,
    /// Which of the client's own operations it belongs to, for tracing.
    ///
    /// Since 0.110.0.
    #[wire(since = "0.110.0", optional, nullable)]
    pub trace: Maybe<W3cTraceContext>,
    /// What is asked.
    #[wire(variant)]
    pub params: ClientRequestParams,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A request of Codex, which the client has to answer.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "method", content = "params")]
#[non_exhaustive]
pub struct ServerRequest {
    /// The id, for the answer; counted from 0 on every connection.
    pub id: Id<ServerSide>,
    /// What is asked.
    #[wire(variant)]
    pub params: ServerRequestParams,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A notification of the client.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "method", content = "params")]
#[non_exhaustive]
pub struct ClientNotification {
    /// The method and its params.
    #[wire(variant)]
    pub params: ClientNotificationParams,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// A notification of Codex.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "method", content = "params")]
#[non_exhaustive]
pub struct ServerNotification {
    /// When it was sent, in milliseconds since the epoch.
    ///
    /// Since 0.145.0.
    #[wire(rename = "emittedAtMs", since = "0.145.0", optional)]
    pub emitted_at_ms: Maybe<i64>,
    /// The method and its params.
    #[wire(variant)]
    pub params: ServerNotificationParams,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What Codex answers to a request of the client, with the method of that request beside it: not
/// a line of the wire, but what a result can be judged by.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "method", content = "result")]
#[non_exhaustive]
pub struct ServerResponse {
    /// The id of the request.
    pub id: Id<ClientSide>,
    /// The method and its result.
    #[wire(variant)]
    pub result: ClientRequestResult,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

/// What the client answers to a request of Codex, with the method of that request beside it.
#[derive(Clone, Debug, PartialEq, Eq, Wire)]
#[wire(tag = "method", content = "result")]
#[non_exhaustive]
pub struct ClientResponse {
    /// The id of the request.
    pub id: Id<ServerSide>,
    /// The method and its result.
    #[wire(variant)]
    pub result: ServerRequestResult,
    /// Members that this type does not name.
    #[wire(extra)]
    pub extra: Extra,
}

macro_rules! calls {
    ($($message:ident($union:ident)),*) => {$(
        impl $message {
            /// The params, if the message is of that method.
            pub fn params_of<M: Method<Call = $union>>(&self) -> Option<&M::Params> {
                M::params(&self.params)
            }
        }
    )*};
}

calls!(
    ClientRequest(ClientRequestParams),
    ServerRequest(ServerRequestParams),
    ClientNotification(ClientNotificationParams),
    ServerNotification(ServerNotificationParams)
);

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

impl Sealed for ClientSide {}
impl Sealed for ServerSide {}
impl Sealed for ClientRequest {}
impl Sealed for ClientNotification {}
impl Sealed for ServerRequest {}
impl Sealed for ServerNotification {}
