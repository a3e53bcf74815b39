//! A WebSocket to an app-server that listens, over TCP or a unix socket: a task reads, and a task writes.

use std::io;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::sync::mpsc;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};
use tungstenite::Message;

use crate::endpoint::{Came, Endpoint, config, is_end, refused, system};
use crate::error::Error;
use crate::options::Options;
use crate::tokio::transport::{FromCodex, Lines, Process, Transport};

/// Connects to an app-server.
pub(crate) async fn open(address: &str, options: &Options) -> Result<(Transport, Lines), Error> {
    let connected = connect(address, options.limit);
    let connected = match options.timeout {
        Some(after) => in_time(after, connected).await,
        None => connected.await,
    };
    connected.map_err(|error| refused(address, error))
}

async fn in_time<T>(
    after: Duration,
    connected: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    let timed = tokio::time::timeout(after, connected).await;
    timed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

async fn connect(address: &str, limit: usize) -> io::Result<(Transport, Lines)> {
    let endpoint = Endpoint::parse(address)?;
    match &endpoint {
        #[cfg(unix)]
        Endpoint::Unix(path) => over(UnixStream::connect(path).await?, &endpoint, limit).await,
        Endpoint::Tcp { host, .. } => {
            let stream = TcpStream::connect(host).await?;
            // Lines are short, and each is awaited.
            stream.set_nodelay(true)?;
            over(stream, &endpoint, limit).await
        }
    }
}

async fn over<S>(stream: S, endpoint: &Endpoint, limit: usize) -> io::Result<(Transport, Lines)>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let config = Some(config(limit));
    let connected = client_async_with_config(endpoint.url(), stream, config).await;
    let (socket, _) = connected.map_err(system)?;
    let (writer, reader) = socket.split();
    Ok(Transport::between(move |lines, process| {
        (
            read(reader, lines.clone(), process.clone()),
            move |outgoing| write(writer, outgoing, lines, process),
        )
    }))
}

async fn read<S>(
    mut socket: SplitStream<WebSocketStream<S>>,
    lines: mpsc::Sender<FromCodex>,
    process: Process,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let end = loop {
        let Some(received) = socket.next().await else {
            break process.ended().await;
        };
        match Came::of(received) {
            Came::Line(line) => {
                if lines.send(FromCodex::Line(line)).await.is_err() {
                    return;
                }
            }
            Came::Nothing => {}
            Came::End => break process.ended().await,
            Came::Unreadable(error) => break process.unreadable(&error).await,
        }
    };
    let _ = lines.send(FromCodex::End(end)).await;
}

async fn write<S>(
    mut socket: SplitSink<WebSocketStream<S>, Message>,
    mut outgoing: mpsc::UnboundedReceiver<String>,
    lines: mpsc::Sender<FromCodex>,
    process: Process,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(line) = outgoing.recv().await {
        match socket.send(Message::text(line)).await {
            Ok(()) => {}
            Err(error) if is_end(&error) => return,
            Err(error) => {
                let end = process.unwritable(&system(error)).await;
                let _ = lines.send(FromCodex::End(end)).await;
                return;
            }
        }
    }
    // Codex may be gone.
    let _ = socket.close().await;
}
