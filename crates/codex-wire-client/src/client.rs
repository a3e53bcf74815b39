//! A client of the app-server: the handshake, requests, threads and turns.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use codex_wire::Release;
use codex_wire::app_server::methods::client_notifications::Initialized;
use codex_wire::app_server::methods::client_requests::{
    Initialize, ReviewStart, ThreadResume, ThreadStart, TurnStart,
};
use codex_wire::app_server::{
    ClientNotificationParams, ClientRequestParams, ClientSide, ErrorObject, Id, InitializeResponse,
    Method, Request, ReviewStartParams, ServerRequestParams, ServerSide, Thread,
    ThreadResumeParams, ThreadStartParams, TurnStartParams, UserInput,
};

use crate::blocking::Threads;
use crate::connection::Connection;
use crate::error::Error;
use crate::inbox::{Inbox, Incoming, OUTSIDE};
use crate::options::Options;
use crate::transport::{FromCodex, LINE_END, Transport};
use crate::turn::TurnHandle;

/// A client of `codex app-server`.
///
/// It can be cloned and used from several threads. When the last clone and the last [`TurnHandle`] are gone, the
/// input of Codex is closed, and Codex ends; if it does not within two seconds, it is killed.
#[derive(Clone, Debug)]
pub struct Client {
    connection: Arc<Connection<Threads>>,
    server: InitializeResponse,
}

impl Client {
    /// Starts `PROGRAM app-server` and introduces the client to it.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer.
    pub fn start(program: impl AsRef<OsStr>, options: Options) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command.arg("app-server");
        Self::spawn(command, options)
    }

    /// Starts a command that speaks the app-server protocol on its standard streams, and introduces the client to it.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer.
    pub fn spawn(command: Command, options: Options) -> Result<Self, Error> {
        let transport = Transport::spawn(command, options.limit, LINE_END)?;
        Self::introduce(transport, options)
    }

    /// Introduces the client to whoever is at the other end of a stream of lines.
    ///
    /// # Errors
    /// If nobody answers.
    pub fn connect(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        options: Options,
    ) -> Result<Self, Error> {
        let transport = Transport::connect(reader, writer, options.limit);
        Self::introduce(transport, options)
    }

    /// Connects to an app-server that listens on a WebSocket, `ws://IP:PORT` or, on Unix, `unix://PATH`, and introduces the client to it.
    ///
    /// Codex listens on the former since 0.101.0 at the latest (0.98.0 does not), and speaks on the latter since 0.128.0 at the latest (0.125.0
    /// closes each connection). The connection is without TLS and without a token, as on loopback. Such a Codex goes on when the client is gone.
    ///
    /// # Errors
    /// [`Error::Connect`] if nobody is there, or what is there does not speak WebSocket; that of the first request if
    /// nobody answers.
    #[cfg(feature = "websocket")]
    pub fn connect_to(address: impl AsRef<str>, options: Options) -> Result<Self, Error> {
        let transport = crate::websocket::open(address.as_ref(), &options)?;
        Self::introduce(transport, options)
    }

    fn introduce(
        transport: (Transport, Receiver<FromCodex>),
        options: Options,
    ) -> Result<Self, Error> {
        let connection = Arc::new(Connection::with_threads(transport, &options));
        let server =
            connection.request::<Initialize, _>(options.introduction(), |_, result| result)?;
        connection.notify::<Initialized>(());
        Ok(Client { connection, server })
    }

    /// What Codex said of itself.
    pub fn server(&self) -> &InitializeResponse {
        &self.server
    }

    /// The release of Codex. A build that is not a release has none.
    pub fn release(&self) -> Option<Release> {
        self.connection.release()
    }

    /// Whether the release of Codex has a method, and has it for this client: some are only for clients that opted
    /// into the experimental API. `None` if the release is not known.
    ///
    /// ```no_run
    /// use codex_wire::app_server::methods::client_requests::TurnSteer;
    /// # let codex = codex_wire_client::Client::start("codex", codex_wire_client::Options::new("mine", "1.0"))?;
    /// if codex.supports::<TurnSteer>() != Some(false) {
    ///     println!("you can write while it works");
    /// }
    /// # Ok::<(), codex_wire_client::Error>(())
    /// ```
    pub fn supports<M: Method>(&self) -> Option<bool> {
        self.connection.supports::<M>()
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// If the release of Codex does not know parts of it and [nothing else](crate::OnUnsupported) was chosen, or Codex refuses it, does not answer in time, answers with another type than any release, or ends.
    pub fn request<M>(&self, params: M::Params) -> Result<M::Result, Error>
    where
        M: Request<Sender = ClientSide, Call = ClientRequestParams>,
    {
        self.connection.request::<M, _>(params, |_, result| result)
    }

    /// Sends a notification.
    pub fn notify<M>(&self, params: M::Params)
    where
        M: Method<Sender = ClientSide, Call = ClientNotificationParams>,
    {
        self.connection.notify::<M>(params);
    }

    /// Starts a thread.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn start_thread(&self, params: ThreadStartParams) -> Result<Thread, Error> {
        self.request::<ThreadStart>(params)
            .map(|started| started.thread)
    }

    /// Goes on with a thread that was begun before, by its id.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn resume_thread(&self, thread_id: impl Into<String>) -> Result<Thread, Error> {
        let params = ThreadResumeParams::new(thread_id);
        self.request::<ThreadResume>(params)
            .map(|resumed| resumed.thread)
    }

    /// Starts a turn with a prompt.
    ///
    /// # Errors
    /// As [`request`](Self::request), and [`Error::PartOfTurn`] while a turn of the thread runs that is being read.
    pub fn start_turn(
        &self,
        thread_id: impl Into<String>,
        prompt: impl Into<String>,
    ) -> Result<TurnHandle, Error> {
        let input = [UserInput::text(prompt)];
        self.start_turn_with(TurnStartParams::new(thread_id, input))
    }

    /// Starts a turn with these parameters.
    ///
    /// # Errors
    /// As [`start_turn`](Self::start_turn).
    pub fn start_turn_with(&self, params: TurnStartParams) -> Result<TurnHandle, Error> {
        let thread = params.thread_id.clone();
        let key = self
            .connection
            .request::<TurnStart, _>(params, |inbox, started| {
                inbox.follow_begun(thread, started)
            })??;
        Ok(TurnHandle::new(&self.connection, key))
    }

    /// Starts a review, which is a turn.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn start_review(&self, params: ReviewStartParams) -> Result<TurnHandle, Error> {
        let thread = params.thread_id.clone();
        let key = self
            .connection
            .request::<ReviewStart, _>(params, |inbox, started| {
                inbox.follow_review(thread, started)
            })??;
        Ok(TurnHandle::new(&self.connection, key))
    }

    /// Answers a request of Codex that came outside the turns that are read.
    ///
    /// # Errors
    /// If the request does not wait for an answer, is of another method, or Codex ended.
    pub fn answer<M>(&self, id: &Id<ServerSide>, result: &M::Result) -> Result<(), Error>
    where
        M: Request<Sender = ServerSide, Call = ServerRequestParams>,
    {
        self.connection.answer::<M>(id, result)
    }

    /// Refuses a request of Codex that came outside the turns that are read.
    ///
    /// # Errors
    /// If the request does not wait for an answer, or Codex ended.
    pub fn refuse(&self, id: &Id<ServerSide>, error: ErrorObject) -> Result<(), Error> {
        self.connection.refuse(id, error)
    }

    /// The next message that is of no turn that is read: of other threads, of the account, and what no turn claims.
    /// It waits so long; zero takes what is there.
    ///
    /// # Errors
    /// [`Error::Timeout`] if there is none, [`Error::Overrun`] if more came than are kept, or why Codex is gone.
    pub fn incoming(&self, timeout: impl Into<Option<Duration>>) -> Result<Incoming, Error> {
        self.connection
            .wait(OUTSIDE, timeout.into(), Inbox::outside)?
    }
}
