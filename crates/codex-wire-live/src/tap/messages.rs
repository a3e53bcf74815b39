//! Reads the messages of a connection from a copy of its bytes.
//!
//! The bytes are passed on as they are, so nothing is answered here: what the library would write goes
//! nowhere.

use std::io::{self, ErrorKind, Read, Write};

use codex_wire_check::Writer;
use memchr::memmem;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Error, Message, WebSocket};

/// How long the head of a request, or of its answer, may be.
const HEAD: usize = 64 << 10;

/// How many bytes a client may write before its request is answered.
const EARLY: usize = 1 << 20;

/// The end of a head.
const END: &[u8] = b"\r\n\r\n";

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Codex accepted the WebSocket.
    Accepted,
    /// A side wrote a message.
    Message(Writer, Vec<u8>),
    /// A side closed the WebSocket.
    Closed(Writer),
    /// Further messages of a side cannot be read, and why.
    Lost(Writer, String),
}

/// Both sides of a connection.
pub(crate) struct Messages {
    codex: Side,
    client: Side,
    handshake: Handshake,
}

/// How far the connection is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handshake {
    Open,
    Accepted,
    /// It is not a WebSocket: a request over HTTP, or one that Codex refused.
    Refused,
}

impl Messages {
    /// A connection whose messages have at most that many bytes.
    pub(crate) fn new(longest: usize) -> Self {
        Messages {
            // Each side is read as the other one would.
            codex: Side::new(Role::Client, longest),
            client: Side::new(Role::Server, longest),
            handshake: Handshake::Open,
        }
    }

    /// Takes what a side wrote. Calls `each` with what is in it.
    pub(crate) fn feed(&mut self, writer: Writer, bytes: &[u8], each: &mut dyn FnMut(Seen)) {
        if self.handshake == Handshake::Refused {
            return;
        }
        let side = match writer {
            Writer::Codex => &mut self.codex,
            Writer::Client => &mut self.client,
        };
        let fits = side.take(bytes) && self.client.waiting() <= EARLY;
        if self.handshake == Handshake::Open {
            // A client that waits for no answer speaks something else.
            self.handshake = match (&self.codex.head, fits) {
                (_, false) => Handshake::Refused,
                (Head::Complete { upgraded: true }, _) => Handshake::Accepted,
                (Head::Complete { upgraded: false }, _) => Handshake::Refused,
                (Head::Partial(_), _) => return,
            };
            if self.handshake == Handshake::Refused {
                if !fits {
                    each(Seen::Lost(writer, "it begins no WebSocket".to_owned()));
                }
                return;
            }
            each(Seen::Accepted);
            self.client.read(Writer::Client, each);
        }
        match writer {
            Writer::Codex => self.codex.read(writer, each),
            Writer::Client => self.client.read(writer, each),
        }
    }
}

/// What one side writes.
struct Side {
    head: Head,
    socket: WebSocket<Copied>,
    is_over: bool,
}

/// What comes before the frames.
enum Head {
    Partial(Vec<u8>),
    /// Whether it says that the protocol changes, as only an answer does.
    Complete {
        upgraded: bool,
    },
}

impl Side {
    fn new(role: Role, longest: usize) -> Self {
        let config = WebSocketConfig::default()
            .max_message_size(Some(longest))
            .max_frame_size(Some(longest));
        Side {
            head: Head::Partial(Vec::new()),
            socket: WebSocket::from_raw_socket(Copied::default(), role, Some(config)),
            is_over: false,
        }
    }

    /// Takes bytes. Returns whether they may be those of a WebSocket.
    fn take(&mut self, bytes: &[u8]) -> bool {
        let Head::Partial(head) = &mut self.head else {
            self.socket.get_mut().0.extend_from_slice(bytes);
            return true;
        };
        head.extend_from_slice(bytes);
        let Some(at) = memmem::find(head, END) else {
            return head.len() <= HEAD;
        };
        let frames = head.split_off(at + END.len());
        let upgraded = is_upgrade(head);
        self.socket.get_mut().0 = frames;
        self.head = Head::Complete { upgraded };
        true
    }

    /// How many bytes wait to be read.
    fn waiting(&self) -> usize {
        self.socket.get_ref().0.len()
    }

    /// Reads all messages that are complete.
    fn read(&mut self, writer: Writer, each: &mut dyn FnMut(Seen)) {
        while !self.is_over {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    each(Seen::Message(writer, text.as_bytes().to_vec()));
                }
                Ok(Message::Close(_)) => {
                    self.is_over = true;
                    each(Seen::Closed(writer));
                }
                // Codex ignores frames of bytes. Pings are not messages.
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => {
                    self.is_over = true;
                    each(Seen::Lost(writer, error.to_string()));
                }
            }
        }
        self.socket.get_mut().0.clear();
    }
}

/// Whether the head of an answer accepts a WebSocket.
fn is_upgrade(head: &[u8]) -> bool {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut answer = httparse::Response::new(&mut headers);
    answer.parse(head).is_ok_and(|status| status.is_complete()) && answer.code == Some(101)
}

/// Bytes that were copied, and that are read as far as there are any.
#[derive(Default)]
struct Copied(Vec<u8>);

impl Read for Copied {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(ErrorKind::WouldBlock.into());
        }
        let length = buffer.len().min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0.drain(..length);
        Ok(length)
    }
}

impl Write for Copied {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\n\r\n";
    const ANSWER: &[u8] = b"HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\n\r\n";

    /// What a side writes that sends these messages.
    fn frames(role: Role, messages: &[Message]) -> Vec<u8> {
        struct Written(Vec<u8>);
        impl Read for Written {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(ErrorKind::WouldBlock.into())
            }
        }
        impl Write for Written {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut socket = WebSocket::from_raw_socket(Written(Vec::new()), role, None);
        for message in messages {
            socket.send(message.clone()).unwrap();
        }
        std::mem::take(&mut socket.get_mut().0)
    }

    fn text(writer: Writer, text: &str) -> Seen {
        Seen::Message(writer, text.as_bytes().to_vec())
    }

    /// However the bytes are cut, the same is read.
    #[test]
    fn messages_are_read_from_any_pieces() {
        let long = "x".repeat(70_000);
        let sent = [
            Message::text("{}"),
            Message::Ping("p".into()),
            Message::binary(b"ignored".to_vec()),
            Message::text(long.clone()),
            Message::Close(None),
        ];
        let client = [REQUEST, &frames(Role::Client, &sent)].concat();
        let codex = [ANSWER, &frames(Role::Server, &sent)].concat();
        for size in [1, 2, 7, 1000, 1 << 20] {
            let mut messages = Messages::new(1 << 20);
            let mut seen = Vec::new();
            messages.feed(Writer::Client, &client[..REQUEST.len()], &mut |what| {
                seen.push(what);
            });
            assert_eq!(seen, []);
            for piece in codex.chunks(size) {
                messages.feed(Writer::Codex, piece, &mut |what| seen.push(what));
            }
            for piece in client[REQUEST.len()..].chunks(size) {
                messages.feed(Writer::Client, piece, &mut |what| seen.push(what));
            }
            let of = |writer: Writer| {
                [
                    text(writer, "{}"),
                    text(writer, &long),
                    Seen::Closed(writer),
                ]
            };
            let mut expected = vec![Seen::Accepted];
            expected.extend(of(Writer::Codex));
            expected.extend(of(Writer::Client));
            assert!(seen == expected, "{size}");
        }
    }

    /// A client need not wait for the answer.
    #[test]
    fn what_comes_before_the_answer_is_not_lost() {
        let mut messages = Messages::new(1 << 20);
        let mut seen = Vec::new();
        let bytes = [REQUEST, &frames(Role::Client, &[Message::text("{}")])].concat();
        messages.feed(Writer::Client, &bytes, &mut |what| seen.push(what));
        messages.feed(Writer::Codex, ANSWER, &mut |what| seen.push(what));
        assert_eq!(seen, [Seen::Accepted, text(Writer::Client, "{}")]);
    }

    #[test]
    fn what_is_no_web_socket_has_no_messages() {
        let refusal = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
        let junk = [b'x'; HEAD + 1];
        let lost = Seen::Lost(Writer::Codex, "it begins no WebSocket".to_owned());
        for (answer, expected) in [(&refusal[..], vec![]), (&junk, vec![lost])] {
            let mut messages = Messages::new(1 << 20);
            let mut seen = Vec::new();
            messages.feed(Writer::Client, REQUEST, &mut |what| seen.push(what));
            messages.feed(Writer::Codex, answer, &mut |what| seen.push(what));
            messages.feed(Writer::Codex, ANSWER, &mut |what| seen.push(what));
            assert_eq!(seen, expected);
        }
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        let long = frames(Role::Server, &[Message::text("x".repeat(1001))]);
        // Frames of Codex are not masked.
        let masked = frames(Role::Client, &[Message::text("{}")]);
        for bytes in [long, masked] {
            let mut messages = Messages::new(1000);
            let mut seen = Vec::new();
            messages.feed(
                Writer::Codex,
                &[ANSWER, &bytes, &bytes].concat(),
                &mut |what| {
                    seen.push(what);
                },
            );
            assert!(
                matches!(&seen[..], [Seen::Accepted, Seen::Lost(Writer::Codex, _)]),
                "{seen:?}"
            );
        }
    }

    proptest::proptest! {
        /// Whatever the two sides write, it is read or told, and nothing that was read is kept.
        #[test]
        fn anything_is_read(
            client: Vec<u8>,
            pieces: Vec<(bool, Vec<u8>)>,
        ) {
            let mut messages = Messages::new(100);
            let request = [REQUEST, &client].concat();
            let mut lost = [0; 2];
            let mut count = |seen: Seen| {
                if let Seen::Lost(writer, _) = seen {
                    lost[usize::from(writer == Writer::Codex)] += 1;
                }
            };
            messages.feed(Writer::Client, &request, &mut count);
            messages.feed(Writer::Codex, ANSWER, &mut count);
            for (is_codex, piece) in &pieces {
                let writer = if *is_codex { Writer::Codex } else { Writer::Client };
                messages.feed(writer, piece, &mut count);
            }
            proptest::prop_assert!(lost.iter().all(|&times| times <= 1));
            proptest::prop_assert!(messages.client.waiting() == 0);
        }
    }
}
