//! The client's side of a connection, without input and output: which requests wait for which answers.
//!
//! It is handed each line of Codex and returns what the line is; it makes each line that the client sends. Whoever
//! moves the lines (a process, a socket, an async runtime) uses it:
//!
//! ```
//! use codex_wire::app_server::methods::client_requests::{Initialize, TurnSteer};
//! use codex_wire::app_server::{ClientInfo, InitializeParams};
//! use codex_wire_client::{Received, Session};
//!
//! let mut session = Session::new();
//! let (ticket, line) = session.request::<Initialize>(InitializeParams::new(ClientInfo::new("mine", "1.0")))?;
//! assert_eq!(line, r#"{"id":0,"method":"initialize","params":{"clientInfo":{"name":"mine","version":"1.0"}}}"#);
//! // … the line goes to Codex, and this one comes back:
//! let received = session.receive(r#"{"id":0,"result":{"userAgent":"mine/0.169.0 (Linux)"}}"#)?;
//! let Received::Answer(answer) = received else { panic!() };
//! assert_eq!(ticket.result(&answer)?.user_agent, "mine/0.169.0 (Linux)");
//! assert_eq!(session.release(), Some(codex_wire::Release::new(0, 169, 0)));
//! assert_eq!(session.supports::<TurnSteer>(), Some(true));
//! # Ok::<(), codex_wire_client::Error>(())
//! ```

use std::collections::HashMap;
use std::marker::PhantomData;

use codex_wire::app_server::methods::client_requests::Initialize;
use codex_wire::app_server::methods::server_notifications::ServerRequestResolved;
use codex_wire::app_server::{
    ClientMessage, ClientNotification, ClientNotificationParams, ClientRequest,
    ClientRequestParams, ClientSide, ErrorObject, ErrorResponse, Id, JsonRpcMessage, Method,
    Request, RequestId, Response, ServerMessage, ServerNotification, ServerRequest,
    ServerRequestParams, ServerSide,
};
use codex_wire::unsupported::Unsupported;
use codex_wire::{Maybe, Release, from_slice, to_string};

use crate::error::{Error, LineError};
use crate::support::{OnUnsupported, fit, supports};

/// The client's side of one connection.
#[derive(Debug, Default)]
pub struct Session {
    /// The id of the next request.
    next: i64,
    /// How many lines came.
    lines: u64,
    /// The methods of our requests that were not answered yet.
    ours: HashMap<Id<ClientSide>, String>,
    /// The methods of the requests of Codex that we did not answer yet.
    theirs: HashMap<Id<ServerSide>, String>,
    release: Option<Release>,
    /// Whether the client opted into the experimental API.
    is_experimental: bool,
    on_unsupported: OnUnsupported,
}

/// A request that was sent: what its answer is.
#[derive(Debug)]
#[must_use = "the answer is found by its ticket"]
pub struct Ticket<M> {
    id: Id<ClientSide>,
    dropped: Vec<Unsupported>,
    method: PhantomData<fn() -> M>,
}

/// What a line of Codex is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Received {
    /// The answer to a request of this session.
    Answer(Answer),
    /// A notification.
    Notification(Box<ServerNotification>),
    /// A request of Codex, which waits for [`Session::answer`] or [`Session::refuse`].
    Request(Box<ServerRequest>),
    /// An answer to a request that this session did not send, or no longer waits for.
    Unasked(Box<ServerMessage>),
}

/// The answer to a request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The id of the request.
    pub id: Id<ClientSide>,
    /// The method of the request.
    pub method: String,
    /// The number of the line, from 1.
    pub line: u64,
    /// What Codex answered, or why it refused.
    pub result: Result<Response<ClientSide>, ErrorObject>,
}

impl<M> Ticket<M> {
    /// The id of the request.
    pub fn id(&self) -> &Id<ClientSide> {
        &self.id
    }

    /// What was left out of the request, because the release of Codex does not know it.
    pub fn dropped(&self) -> &[Unsupported] {
        &self.dropped
    }
}

impl<M: Request<Sender = ClientSide>> Ticket<M> {
    /// What Codex answered.
    ///
    /// # Errors
    /// [`Error::Refused`], or [`Error::Line`] if the result has another type than the method has in any release.
    ///
    /// # Panics
    /// If the answer is to another request.
    pub fn result(&self, answer: &Answer) -> Result<M::Result, Error> {
        assert_eq!(self.id, answer.id, "the answer to another request");
        let response = answer.result.as_ref().map_err(|error| Error::Refused {
            method: answer.method.clone(),
            error: error.clone(),
        })?;
        response.result::<M>().map_err(|source| {
            let text = response.raw.get().to_owned();
            Error::Line(LineError {
                number: answer.line,
                text,
                source,
            })
        })
    }
}

impl Session {
    /// A connection on which nothing was sent yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with another choice for what the release of Codex does not know.
    #[must_use]
    pub fn on_unsupported(mut self, choice: OnUnsupported) -> Self {
        self.on_unsupported = choice;
        self
    }

    /// A request of the client: what finds its answer, and the line for Codex, without its end.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if the release of Codex is known and does not know parts of it, unless
    /// [another choice](OnUnsupported) was made. The session is as it was before.
    pub fn request<M>(&mut self, params: M::Params) -> Result<(Ticket<M>, String), Error>
    where
        M: Request<Sender = ClientSide, Call = ClientRequestParams>,
    {
        let id = Id::from(self.next);
        let request = ClientRequest::new(id.clone(), M::call(params));
        let (line, dropped) = fit(&request, M::NAME, self.release, self.on_unsupported)?;
        if let Some(params) = request.params_of::<Initialize>() {
            let capabilities = params.capabilities.value();
            self.is_experimental =
                capabilities.is_some_and(|wanted| wanted.experimental_api == Maybe::Value(true));
        }
        self.next += 1;
        self.ours.insert(id.clone(), M::NAME.to_owned());
        let ticket = Ticket {
            id,
            dropped,
            method: PhantomData,
        };
        Ok((ticket, to_string(&line)))
    }

    /// A notification of the client, as a line.
    pub fn notify<M>(&self, params: M::Params) -> String
    where
        M: Method<Sender = ClientSide, Call = ClientNotificationParams>,
    {
        to_string(&ClientMessage::from(ClientNotification::new(M::call(
            params,
        ))))
    }

    /// What a line of Codex is.
    ///
    /// # Errors
    /// If it is not a message, or has another type than in any release. The line is counted, and nothing else is changed.
    pub fn receive(&mut self, line: impl AsRef<[u8]>) -> Result<Received, LineError> {
        self.lines += 1;
        let line = line.as_ref();
        let message: ServerMessage = from_slice(line).map_err(|source| LineError {
            number: self.lines,
            text: String::from_utf8_lossy(line).into_owned(),
            source,
        })?;
        Ok(match message {
            JsonRpcMessage::Notification(notification) => {
                if let Some(resolved) = notification.params_of::<ServerRequestResolved>() {
                    self.theirs.remove(&Id::from(resolved.request_id.clone()));
                }
                Received::Notification(Box::new(notification))
            }
            JsonRpcMessage::Request(request) => {
                let method = request.params.tag().to_owned();
                self.theirs.insert(request.id.clone(), method);
                Received::Request(Box::new(request))
            }
            JsonRpcMessage::Response(response) => match self.answered(&response.id) {
                Some((id, method)) => {
                    if method == Initialize::NAME
                        && let Ok(result) = response.result::<Initialize>()
                    {
                        self.release = Release::in_user_agent(&result.user_agent);
                    }
                    Received::Answer(Answer {
                        id,
                        method,
                        line: self.lines,
                        result: Ok(response),
                    })
                }
                None => Received::Unasked(Box::new(JsonRpcMessage::Response(response))),
            },
            JsonRpcMessage::Error(response) => match self.answered(&response.id) {
                Some((id, method)) => Received::Answer(Answer {
                    id,
                    method,
                    line: self.lines,
                    result: Err(response.error),
                }),
                None => Received::Unasked(Box::new(JsonRpcMessage::Error(response))),
            },
            other => Received::Unasked(Box::new(other)),
        })
    }

    /// Waits no longer for the answer to a request: a line that cannot be read has this id, and no method.
    pub(crate) fn give_up(&mut self, id: &Id<ServerSide>) -> Option<Id<ClientSide>> {
        let (id, _) = self.answered(&Id::from(id.get().clone()))?;
        Some(id)
    }

    /// The request that an answer is to. Codex gives back the id as it came; whoever stands between may have made
    /// text of the number.
    fn answered(&mut self, id: &Id<ClientSide>) -> Option<(Id<ClientSide>, String)> {
        let id = match id.get() {
            RequestId::Text(text) => Id::from(text.parse::<i64>().ok()?),
            _ => id.clone(),
        };
        self.ours.remove_entry(&id)
    }

    /// The answer to a request of Codex, as a line, and what was left out of it, because the release of Codex does not know
    /// it.
    ///
    /// # Errors
    /// If the request does not wait, or is of another method, or [`Error::Unsupported`] as for
    /// [requests](Self::request).
    pub fn answer<M>(
        &mut self,
        id: &Id<ServerSide>,
        result: &M::Result,
    ) -> Result<(String, Vec<Unsupported>), Error>
    where
        M: Request<Sender = ServerSide, Call = ServerRequestParams>,
    {
        match self.theirs.get(id) {
            None => Err(not_awaited(id)),
            Some(method) if method != M::NAME => Err(Error::OtherMethod {
                id: id.to_string(),
                method: method.clone(),
                answered: M::NAME,
            }),
            Some(_) => {
                let (result, dropped) = fit(result, M::NAME, self.release, self.on_unsupported)?;
                self.theirs.remove(id);
                let response = Response::new(id.clone(), result);
                Ok((to_string(&ClientMessage::from(response)), dropped))
            }
        }
    }

    /// The refusal of a request of Codex, as a line.
    ///
    /// # Errors
    /// If the request does not wait.
    pub fn refuse(&mut self, id: &Id<ServerSide>, error: ErrorObject) -> Result<String, Error> {
        self.theirs.remove(id).ok_or_else(|| not_awaited(id))?;
        let response = ErrorResponse::new(id.clone(), error);
        Ok(to_string(&ClientMessage::from(response)))
    }

    /// Waits no longer for an answer: if it comes, it is [`Received::Unasked`]. Codex is not told, since the protocol
    /// has no message for that.
    pub fn forget<M>(&mut self, ticket: &Ticket<M>) {
        self.ours.remove(&ticket.id);
    }

    /// The requests of the client that wait for an answer, with their methods.
    pub fn unanswered(&self) -> impl Iterator<Item = (&Id<ClientSide>, &str)> {
        self.ours.iter().map(|(id, method)| (id, method.as_str()))
    }

    /// The release of Codex, once it answered `initialize`. A build that is not a release has none.
    pub fn release(&self) -> Option<Release> {
        self.release
    }

    /// Whether the release of Codex has a method, and has it for this client: some are only for clients that opted
    /// into the experimental API. `None` if the release is not known.
    pub fn supports<M: Method>(&self) -> Option<bool> {
        let release = self.release?;
        Some(supports::<M>(release, self.is_experimental))
    }

    /// How many lines came.
    pub fn lines(&self) -> u64 {
        self.lines
    }
}

fn not_awaited(id: &Id<ServerSide>) -> Error {
    Error::NotAwaited { id: id.to_string() }
}
