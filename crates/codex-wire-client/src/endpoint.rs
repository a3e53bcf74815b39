//! Where an app-server listens, and what its messages on a WebSocket mean. Without input and output.

use std::io;
#[cfg(unix)]
use std::path::PathBuf;

use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Error as SocketError, Message};

use crate::error::Error;

/// An address of `codex app-server --listen`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    /// `ws://HOST:PORT`, with a path if there is one.
    Tcp { host: String, url: String },
    /// `unix://PATH`, where the same WebSocket is spoken.
    #[cfg(unix)]
    Unix(PathBuf),
}

/// What came on a WebSocket.
pub(crate) enum Came {
    Line(Vec<u8>),
    /// Nothing that is for the client.
    Nothing,
    End,
    Unreadable(io::Error),
}

impl Endpoint {
    pub(crate) fn parse(address: &str) -> io::Result<Self> {
        #[cfg(unix)]
        if let Some(path) = address.strip_prefix("unix://") {
            return Ok(Endpoint::Unix(path.into()));
        }
        let Some(rest) = address.strip_prefix("ws://") else {
            let message = "an address begins with ws:// or, on Unix, with unix://";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        };
        let host = rest.split(['/', '?']).next().unwrap_or_default();
        // After the address in brackets, if it is one.
        let has_port = host.rsplit(']').next().is_some_and(|end| end.contains(':'));
        Ok(Endpoint::Tcp {
            host: match has_port {
                true => host.to_owned(),
                false => format!("{host}:80"),
            },
            url: address.to_owned(),
        })
    }

    /// The URL that the request for a WebSocket names.
    pub(crate) fn url(&self) -> &str {
        match self {
            Endpoint::Tcp { url, .. } => url,
            #[cfg(unix)]
            Endpoint::Unix(_) => "ws://localhost/",
        }
    }
}

/// A message may be as long as a line.
pub(crate) fn config(limit: usize) -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit))
}

pub(crate) fn refused(address: &str, source: io::Error) -> Error {
    Error::Connect {
        address: address.to_owned(),
        source,
    }
}

pub(crate) fn system(error: SocketError) -> io::Error {
    match error {
        SocketError::Io(error) => error,
        other => io::Error::other(other),
    }
}

impl Came {
    pub(crate) fn of(received: Result<Message, SocketError>) -> Self {
        match received {
            // Codex writes text. Whatever else it writes is read as text is.
            Ok(Message::Text(text)) => Came::Line(text.as_bytes().to_vec()),
            Ok(Message::Binary(bytes)) => Came::Line(bytes.to_vec()),
            Ok(_) => Came::Nothing,
            Err(error) if is_end(&error) => Came::End,
            Err(error) => Came::Unreadable(system(error)),
        }
    }
}

/// Whether it says that the other side is gone, politely or not.
pub(crate) fn is_end(error: &SocketError) -> bool {
    use tungstenite::error::ProtocolError;
    match error {
        SocketError::ConnectionClosed
        | SocketError::AlreadyClosed
        | SocketError::Protocol(
            ProtocolError::ResetWithoutClosingHandshake | ProtocolError::SendAfterClosing,
        ) => true,
        SocketError::Io(error) => matches!(
            error.kind(),
            io::ErrorKind::BrokenPipe
                | io::ErrorKind::ConnectionReset
                | io::ErrorKind::ConnectionAborted
        ),
        _ => false,
    }
}
