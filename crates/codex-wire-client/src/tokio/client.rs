//! A client of the app-server for tasks: the handshake, requests, threads and turns.

use std::ffi::OsStr;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use ::tokio::io::{AsyncRead, AsyncWrite};
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

use crate::connection::Connection;
use crate::error::Error;
use crate::inbox::{Inbox, Incoming, OUTSIDE};
use crate::options::Options;
use crate::tokio::connection::Tasks;
use crate::tokio::transport::{Lines, Transport};
use crate::tokio::turn::TurnHandle;
use crate::transport::LINE_END;

/// A client of `codex app-server`.
///
/// It can be cloned and used from several tasks. When the last clone and the last [`TurnHandle`] are gone, the
/// input of Codex is closed, and Codex ends; if it does not within two seconds, it is killed.
#[derive(Clone, Debug)]
pub struct Client {
    connection: Arc<Connection<Tasks>>,
    server: InitializeResponse,
}

impl Client {
    /// Starts `PROGRAM app-server` and introduces the client to it.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer.
    pub async fn start(program: impl AsRef<OsStr>, options: Options) -> Result<Self, Error> {
        let mut command = Command::new(program);
        command.arg("app-server");
        Self::spawn(command, options).await
    }

    /// Starts a command that speaks the app-server protocol on its standard streams, and introduces the client to it.
    ///
    /// # Errors
    /// If it cannot be started, or does not answer.
    pub async fn spawn(command: Command, options: Options) -> Result<Self, Error> {
        let transport = Transport::spawn(command, options.limit, LINE_END)?;
        Self::introduce(transport, options).await
    }

    /// Introduces the client to whoever is at the other end of a stream of lines.
    ///
    /// # Errors
    /// If nobody answers.
    pub async fn connect(
        reader: impl AsyncRead + Send + 'static,
        writer: impl AsyncWrite + Send + 'static,
        options: Options,
    ) -> Result<Self, Error> {
        let transport = Transport::connect(reader, writer, options.limit);
        Self::introduce(transport, options).await
    }

    /// Connects to an app-server that listens on a WebSocket, `ws://IP:PORT` or, on Unix, `unix://PATH`, and introduces the client to it.
    ///
    /// Codex listens on the former since 0.101.0 at the latest (0.98.0 does not), and speaks on the latter since 0.128.0 at the latest (0.125.0
    /// closes each connection). The connection is without TLS and without a token, as on loopback. Such a Codex goes on when the client is gone.
    ///
    /// # Errors
    /// [`Error::Connect`] if nobody is there, or what is there does not speak WebSocket; that of the first request if
    /// nobody answers.
    #[cfg(feature = "tokio-websocket")]
    pub async fn connect_to(address: impl AsRef<str>, options: Options) -> Result<Self, Error> {
        let transport = crate::tokio::websocket::open(address.as_ref(), &options).await?;
        Self::introduce(transport, options).await
    }

    async fn introduce(transport: (Transport, Lines), options: Options) -> Result<Self, Error> {
        let connection = Arc::new(Connection::with_tasks(transport, &options));
        let server = connection
            .request::<Initialize, _>(options.introduction(), |_, result| result)
            .await?;
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

    /// Whether the release of Codex has a method, and has it for this client; as [`Client::supports`](crate::Client::supports).
    pub fn supports<M: Method>(&self) -> Option<bool> {
        self.connection.supports::<M>()
    }

    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    /// If the release of Codex does not know parts of it and [nothing else](crate::OnUnsupported) was chosen, or Codex refuses it, does not answer in time, answers with another type than any release, or ends.
    pub async fn request<M>(&self, params: M::Params) -> Result<M::Result, Error>
    where
        M: Request<Sender = ClientSide, Call = ClientRequestParams>,
    {
        self.connection
            .request::<M, _>(params, |_, result| result)
            .await
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
    pub async fn start_thread(&self, params: ThreadStartParams) -> Result<Thread, Error> {
        self.request::<ThreadStart>(params)
            .await
            .map(|started| started.thread)
    }

    /// Goes on with a thread that was begun before, by its id.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn resume_thread(&self, thread_id: impl Into<String>) -> Result<Thread, Error> {
        let params = ThreadResumeParams::new(thread_id);
        self.request::<ThreadResume>(params)
            .await
            .map(|resumed| resumed.thread)
    }

    /// Starts a turn with a prompt.
    ///
    /// # Errors
    /// As [`request`](Self::request), and [`Error::PartOfTurn`] while a turn of the thread runs that is being read.
    pub async fn start_turn(
        &self,
        thread_id: impl Into<String>,
        prompt: impl Into<String>,
    ) -> Result<TurnHandle, Error> {
        let input = [UserInput::text(prompt)];
        self.start_turn_with(TurnStartParams::new(thread_id, input))
            .await
    }

    /// Starts a turn with these parameters.
    ///
    /// # Errors
    /// As [`start_turn`](Self::start_turn).
    pub async fn start_turn_with(&self, params: TurnStartParams) -> Result<TurnHandle, Error> {
        let thread = params.thread_id.clone();
        let key = self
            .connection
            .request::<TurnStart, _>(params, |inbox, started| inbox.follow_begun(thread, started))
            .await??;
        Ok(TurnHandle::new(&self.connection, key))
    }

    /// Starts a review, which is a turn.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn start_review(&self, params: ReviewStartParams) -> Result<TurnHandle, Error> {
        let thread = params.thread_id.clone();
        let key = self
            .connection
            .request::<ReviewStart, _>(params, |inbox, started| {
                inbox.follow_review(thread, started)
            })
            .await??;
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
    pub async fn incoming(&self, timeout: impl Into<Option<Duration>>) -> Result<Incoming, Error> {
        self.connection
            .wait(OUTSIDE, timeout.into(), Inbox::outside)
            .await?
    }

    /// Closes the input of Codex and waits until it has ended, for all clones. If it does not within two seconds, it is killed. What was
    /// not read is lost; turns that still run are as Codex leaves them. Returns how it exited, if it is a process.
    pub async fn close(self) -> Option<ExitStatus> {
        let transport = self.connection.driver().transport();
        transport.close();
        transport.ended().await
    }
}
