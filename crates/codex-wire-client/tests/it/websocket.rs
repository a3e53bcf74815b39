//! Connections to an app-server that listens, on a WebSocket and on a unix socket.

use std::io::{Read, Write};
use std::net::TcpListener;
#[cfg(unix)]
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use codex_wire::app_server::ModelListParams;
use codex_wire::app_server::methods::client_requests::ModelList;
use codex_wire_client::{Client as Blocking, Error, Incoming, Options, tokio as tasks};
use tungstenite::{Message, WebSocket};

use crate::support::{Client, WAYS, Way, options, runtime};

fn connect(way: Way, address: &str, options: Options) -> Result<Client, Error> {
    match way {
        Way::Threads => Blocking::connect_to(address, options).map(Client::Threads),
        Way::Tasks => {
            let client = runtime().block_on(tasks::Client::connect_to(address, options));
            client.map(Client::Tasks)
        }
    }
}

/// How many unix sockets there were.
#[cfg(unix)]
static SOCKETS: AtomicUsize = AtomicUsize::new(0);

/// A stream in either direction.
trait Stream: Read + Write + Send {}

impl<S: Read + Write + Send> Stream for S {}

type Socket = WebSocket<Box<dyn Stream>>;

/// Serves one client on each kind of socket, and calls `then` with its address.
fn on_each_socket<T: Send + 'static>(serve: fn(Socket) -> T, then: impl Fn(&str, JoinHandle<T>)) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("ws://{}", listener.local_addr().expect("an address"));
    let server = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client");
        serve(accept(Box::new(stream)))
    });
    then(&address, server);
    #[cfg(unix)]
    {
        let number = SOCKETS.fetch_add(1, Ordering::Relaxed);
        let name = format!("codex-wire-client-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        let listener = std::os::unix::net::UnixListener::bind(&path).expect("a socket");
        let address = format!("unix://{}", path.display());
        let server = thread::spawn(move || {
            let (stream, _) = listener.accept().expect("a client");
            serve(accept(Box::new(stream)))
        });
        then(&address, server);
        std::fs::remove_file(path).expect("the socket");
    }
}

fn accept(stream: Box<dyn Stream>) -> Socket {
    let socket = tungstenite::accept(stream).map_err(|error| error.to_string());
    let mut socket = socket.expect("a WebSocket");
    assert!(line(&mut socket).contains("initialize"));
    let introduced = r#"{"id":0,"result":{"userAgent":"test/0.169.0 (Linux)"}}"#;
    say(&mut socket, introduced);
    assert!(line(&mut socket).contains("initialized"));
    socket
}

/// The next line of the client; empty if it is gone.
fn line(socket: &mut Socket) -> String {
    loop {
        match socket.read() {
            Ok(Message::Text(text)) => return text.to_string(),
            Ok(_) => {}
            Err(_) => return String::new(),
        }
    }
}

fn say(socket: &mut Socket, line: &str) {
    socket.send(Message::text(line)).expect("a client");
}

/// Says something long, asks whether the client is there, and answers over two lines.
fn talks(mut socket: Socket) -> (String, bool, String) {
    let long = "x".repeat(20 << 20);
    say(
        &mut socket,
        &format!(r#"{{"method":"long","params":"{long}"}}"#),
    );
    socket
        .send(Message::Ping("there?".into()))
        .expect("a client");
    let (mut asked, mut ponged) = (String::new(), false);
    let last = loop {
        match socket.read() {
            Ok(Message::Pong(payload)) => ponged = payload.as_ref() == b"there?",
            Ok(Message::Text(text)) => {
                asked.push_str(&text);
                say(&mut socket, "{\"id\":1,\n\"result\":{\"data\":[]}}");
            }
            Ok(_) => {}
            Err(error) => break error.to_string(),
        }
    };
    (asked, ponged, last)
}

#[test]
fn messages_are_lines() {
    for way in WAYS {
        on_each_socket(talks, |address, server| {
            let client = connect(way, address, options()).expect("a client");
            client
                .request::<ModelList>(ModelListParams::new())
                .expect("an answer");
            let long = client.incoming(Duration::ZERO).expect("a message");
            assert!(matches!(long, Incoming::Notification(_)));
            drop(client);
            let (asked, ponged, last) = server.join().expect("the server ends");
            assert_eq!(asked, r#"{"id":1,"method":"model/list","params":{}}"#);
            assert!(ponged, "{way:?} {address}");
            assert_eq!(last, "Connection closed normally", "{way:?} {address}");
        });
    }
}

#[test]
fn a_message_that_is_too_long() {
    for way in WAYS {
        on_each_socket(
            |mut socket| {
                line(&mut socket);
                say(&mut socket, &"x".repeat(2000));
                line(&mut socket)
            },
            |address, server| {
                let client = connect(way, address, options().limit(1000)).expect("a client");
                let error = client.request::<ModelList>(ModelListParams::new());
                let error = error.expect_err("it is too long");
                assert!(matches!(error, Error::Read { .. }), "{error:?}");
                drop(client);
                server.join().expect("the server ends");
            },
        );
    }
}

#[test]
fn a_server_that_goes() {
    for way in WAYS {
        on_each_socket(
            |mut socket| drop(line(&mut socket)),
            |address, server| {
                let client = connect(way, address, options()).expect("a client");
                let error = client.request::<ModelList>(ModelListParams::new());
                assert_eq!(
                    error.expect_err("it is gone").to_string(),
                    "Codex closed its output before the answer to model/list"
                );
                server.join().expect("the server ends");
            },
        );
    }
}

/// Why no server can be reached at an address.
fn refusal(way: Way, address: &str) -> String {
    let quick = options().timeout(Duration::from_millis(300));
    let error = connect(way, address, quick).expect_err("nobody is there");
    assert_eq!(error.to_string(), format!("cannot connect to {address}"));
    let source = std::error::Error::source(&error).expect("a reason");
    source.to_string()
}

#[test]
fn nobody_is_there() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("ws://{}", listener.local_addr().expect("an address"));
    for way in WAYS {
        // It listens, and never answers.
        let reason = refusal(way, &address);
        assert!(reason.contains("timed out"), "{way:?}: {reason}");
        let reason = refusal(way, "wss://localhost");
        assert_eq!(
            reason,
            "an address begins with ws:// or, on Unix, with unix://"
        );
    }
    drop(listener);
    for way in WAYS {
        let reason = refusal(way, &address);
        assert!(reason.contains("refused"), "{way:?}: {reason}");
    }
}

#[test]
fn one_who_does_not_speak_websocket() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("ws://{}/", listener.local_addr().expect("an address"));
    thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let mut stream = stream.expect("a client");
            let mut head = [0; 1024];
            let _ = stream.read(&mut head).expect("a request");
            let answer = b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n";
            stream.write_all(answer).expect("a client");
        }
    });
    for way in WAYS {
        let reason = refusal(way, &address);
        assert_eq!(reason, "HTTP error: 403 Forbidden", "{way:?}");
    }
}
