//! One WebSocket connection, over TCP or a unix socket.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

use crate::sockets::Socket;
use crate::stand_in::output::Output;

/// How long the head of a request may be.
const HEAD: usize = 16 << 10;

/// How long a client may take for it.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many headers it may have.
const HEADERS: usize = 64;

/// What a release does with a request over HTTP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SocketOptions {
    /// Whether it answers what is not a WebSocket.
    pub(crate) is_server: bool,
    /// Whether it refuses pages of a browser.
    pub(crate) refuses_origin: bool,
}

/// What a client writes.
pub(crate) struct Input(WebSocket<Half>);

/// What a client is written.
pub(crate) struct WebSocketOutput(WebSocket<Half>);

/// Answers the request that begins a connection. Returns nothing if it wanted no WebSocket.
pub(crate) fn accept(
    socket: Socket,
    options: SocketOptions,
) -> io::Result<Option<(Input, WebSocketOutput)>> {
    let mut half = Half {
        write: Arc::new(Mutex::new(socket.try_clone()?)),
        read: socket,
    };
    let (head, rest) = read_head(&mut half)?;
    let answer = match answer(&head, options) {
        Ok(key) => format!(
            "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-accept: {key}\r\n\r\n"
        ),
        Err(answer) => {
            half.write_all(answer.as_bytes())?;
            return Ok(None);
        }
    };
    half.write_all(answer.as_bytes())?;
    let other = Half {
        read: half.read.try_clone()?,
        write: Arc::clone(&half.write),
    };
    let input = WebSocket::from_partially_read(half, rest, Role::Server, None);
    let output = WebSocket::from_raw_socket(other, Role::Server, None);
    Ok(Some((Input(input), WebSocketOutput(output))))
}

/// Tells a client that there are too many.
pub(crate) fn refuse(mut socket: Socket) {
    let answer =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    // One that has gone already needs no answer.
    let _ = socket.write_all(answer.as_bytes());
    socket.shutdown(Shutdown::Both);
}

impl Input {
    /// Sends each message of the client, until it closes.
    pub(crate) fn read_into(mut self, messages: &SyncSender<Vec<u8>>) {
        loop {
            match self.0.read() {
                Ok(Message::Text(text)) => {
                    if messages.send(text.as_bytes().to_vec()).is_err() {
                        return;
                    }
                }
                // Codex ignores bytes; pings are answered by the next read.
                Ok(_) => {}
                Err(_) => return,
            }
        }
    }
}

impl Output for WebSocketOutput {
    fn line(&mut self, line: &[u8]) -> io::Result<()> {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = String::from_utf8_lossy(text).into_owned();
        self.0.write(Message::text(text)).map_err(io::Error::other)
    }

    /// A socket carries whole messages.
    fn now(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.line(bytes)?;
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(io::Error::other)
    }
}

/// Reads up to the empty line. Returns that, and what came after it.
fn read_head(socket: &mut Half) -> io::Result<(Vec<u8>, Vec<u8>)> {
    const END: &[u8] = b"\r\n\r\n";
    let mut bytes = Vec::new();
    let mut chunk = [0; 1024];
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(at) = memchr::memmem::find(&bytes, END) {
            let rest = bytes.split_off(at + END.len());
            socket.read.set_read_timeout(None)?;
            return Ok((bytes, rest));
        }
        // All of it counts, not only the next byte.
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        socket.read.set_read_timeout(Some(left))?;
        let count = socket.read(&mut chunk)?;
        if count == 0 || bytes.len() > HEAD {
            return Err(io::ErrorKind::InvalidData.into());
        }
        bytes.extend_from_slice(&chunk[..count]);
    }
}

/// The key that accepts a WebSocket, or the whole answer to another request.
fn answer(head: &[u8], options: SocketOptions) -> Result<String, String> {
    const NOT_UPGRADED: &str = "Connection header did not include 'upgrade'";
    let plain = |status: &str, text: &str| match options.is_server {
        true => format!(
            "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\r\n{text}",
            text.len()
        ),
        // A server that knows nothing but WebSockets says nothing.
        false => String::new(),
    };
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    if !request.parse(head).is_ok_and(|status| status.is_complete()) {
        return Err(plain("400 Bad Request", ""));
    }
    let path = request.path.unwrap_or_default();
    let header = |name: &str| {
        let found = request.headers.iter();
        let mut found = found.filter(|header| header.name.eq_ignore_ascii_case(name));
        found.next().map(|header| header.value)
    };
    if options.refuses_origin && header("origin").is_some() {
        return Err("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n".to_owned());
    }
    if options.is_server && matches!(path, "/readyz" | "/healthz") {
        return Err("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_owned());
    }
    let upgrades = header("connection").is_some_and(|value| {
        value
            .to_ascii_lowercase()
            .windows(7)
            .any(|w| w == b"upgrade")
    });
    match header("sec-websocket-key") {
        Some(key) if upgrades => Ok(derive_accept_key(key)),
        _ => Err(plain("400 Bad Request", NOT_UPGRADED)),
    }
}

/// A connection that one thread reads and two write: the reader answers pings. What is written at
/// once arrives at once.
struct Half {
    read: Socket,
    write: Arc<Mutex<Socket>>,
}

impl Read for Half {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read.read(buffer)
    }
}

impl Write for Half {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Two frames must not be mixed.
        let mut socket = self.write.lock().unwrap_or_else(PoisonError::into_inner);
        socket.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
