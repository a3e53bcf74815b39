//! Servers to talk to, in this process.

mod client;

use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use codex_wire_client::{Client as Blocking, Error, OnUnsupported, Options, tokio as tasks};
use codex_wire_replay::{Conversation, Emission};
use tokio::net::TcpStream;

pub(crate) use self::client::{Client, WAYS, Way, next, runtime};

/// How the client of these tests introduces itself.
pub(crate) fn options() -> Options {
    Options::new("test", "1.0")
}

/// What a server reads.
pub(crate) type Lines = BufReader<Box<dyn Read + Send>>;

/// What a server writes to.
pub(crate) type Writer = Box<dyn Write + Send>;

/// A client, and what serves it with the two ends of a connection.
pub(crate) fn served<T: Send + 'static>(
    way: Way,
    options: Options,
    serve: impl FnOnce(Lines, Writer) -> T + Send + 'static,
) -> (Result<Client, Error>, JoinHandle<T>) {
    match way {
        Way::Threads => {
            let (from_codex, to_client) = pipe().expect("a pipe");
            let (from_client, to_codex) = pipe().expect("a pipe");
            let server = thread::spawn(move || {
                serve(BufReader::new(Box::new(from_client)), Box::new(to_client))
            });
            let client = Blocking::connect(from_codex, to_codex, options);
            (client.map(Client::Threads), server)
        }
        Way::Tasks => {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let address = listener.local_addr().expect("an address");
            let server = thread::spawn(move || {
                let (from_client, _) = listener.accept().expect("a client");
                let to_client = from_client.try_clone().expect("a second handle");
                serve(BufReader::new(Box::new(from_client)), Box::new(to_client))
            });
            let client = runtime().block_on(async {
                let stream = TcpStream::connect(address).await.expect("a server");
                let (reader, writer) = stream.into_split();
                tasks::Client::connect(reader, writer, options).await
            });
            (client.map(Client::Tasks), server)
        }
    }
}

/// A client of a conversation. What the server returns are the requests that nothing answered. It ends when nothing can
/// come any more: a turn runs, Codex asks nothing, and the client has said what it says.
pub(crate) fn talking_to(
    way: Way,
    conversation: impl Conversation + Send + 'static,
) -> (Result<Client, Error>, JoinHandle<Vec<String>>) {
    served(way, options(), move |lines, writer| {
        talk(conversation, lines, writer)
    })
}

/// A blocking client that answers what is of no turn, too, and sends what the release does not know, as recorded clients
/// did; and a server that waits for what it says next as long as there is
/// a client.
pub(crate) fn waiting_for(
    conversation: impl Conversation + Send + 'static,
) -> (Result<Blocking, Error>, JoinHandle<Vec<String>>) {
    let options = options()
        .answers_outside()
        .on_unsupported(OnUnsupported::Send);
    let (client, server) = served(Way::Threads, options, move |lines, writer| {
        talk_to_the_end(conversation, lines, writer, |_| false)
    });
    let client = client.map(|client| match client {
        Client::Threads(client) => client,
        Client::Tasks(_) => unreachable!("it waits with threads"),
    });
    (client, server)
}

fn talk(conversation: impl Conversation, lines: Lines, writer: Writer) -> Vec<String> {
    talk_to_the_end(conversation, lines, writer, Waits::for_ever)
}

fn talk_to_the_end(
    mut conversation: impl Conversation,
    lines: Lines,
    mut writer: Writer,
    is_over: fn(&Waits) -> bool,
) -> Vec<String> {
    let mut misses = Vec::new();
    let mut waits = Waits::default();
    for line in lines.lines().map_while(Result::ok) {
        let reaction = conversation.line(&line);
        misses.extend(reaction.miss.map(|miss| miss.what));
        waits.client(&line);
        for Emission { line, .. } in &reaction.emissions {
            waits.codex(line);
            if writeln!(writer, "{line}").is_err() {
                return misses;
            }
        }
        if reaction.ends || is_over(&waits) {
            break;
        }
    }
    misses
}

/// Who waits for whom.
#[derive(Default)]
struct Waits {
    /// A turn runs.
    turn: bool,
    /// So many requests of Codex are open.
    requests: usize,
}

impl Waits {
    fn client(&mut self, line: &str) {
        let message = json(line);
        self.turn |= message["method"] == "turn/start";
        if message.get("method").is_none() {
            self.requests = self.requests.saturating_sub(1);
        }
    }

    fn codex(&mut self, line: &str) {
        let message = json(line);
        match message["method"].as_str() {
            Some("turn/completed" | "codex/event/task_complete") => self.turn = false,
            Some(_) if message.get("id").is_some() => self.requests += 1,
            _ => {}
        }
    }

    fn for_ever(&self) -> bool {
        self.turn && self.requests == 0
    }
}

fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_default()
}

/// A server that was programmed: it takes lines, and answers what it is told.
pub(crate) struct Served {
    lines: Lines,
    writer: Writer,
}

impl Served {
    pub(crate) fn new(lines: Lines, writer: Writer) -> Self {
        Served { lines, writer }
    }

    /// One that has answered `initialize`, as a release.
    pub(crate) fn introduced(lines: Lines, writer: Writer, release: &str) -> Self {
        let mut server = Served::new(lines, writer);
        assert_eq!(server.method(), "initialize");
        server.say(format!(
            r#"{{"id":0,"result":{{"userAgent":"test/{release} (Linux)"}}}}"#
        ));
        assert_eq!(server.method(), "initialized");
        server
    }

    /// The next line of the client; empty if there is none.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).expect("a readable pipe");
        line.trim_end().to_owned()
    }

    /// The method of the next line.
    pub(crate) fn method(&mut self) -> String {
        let line: serde_json::Value = serde_json::from_str(&self.line()).expect("JSON");
        line["method"].as_str().unwrap_or_default().to_owned()
    }

    /// Writes a line, which may find nobody.
    pub(crate) fn say(&mut self, line: impl AsRef<[u8]>) {
        let line = [line.as_ref(), b"\n"].concat();
        let _ = self.writer.write_all(&line);
    }
}
