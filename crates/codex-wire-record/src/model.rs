//! A model that answers from a script: the Responses API over SSE, on loopback.

use std::collections::VecDeque;
use std::io::{self, BufReader, Read as _, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use crate::answer::{Answer, End};
use crate::events::{Events, tools};
use crate::http::Request;

/// A model that listens on a port of the loopback device for as long as the process lives.
#[derive(Debug)]
pub struct Model {
    port: u16,
    stage: Arc<Mutex<Stage>>,
}

#[derive(Debug, Default)]
struct Stage {
    script: VecDeque<Answer>,
    requests: Vec<Value>,
    ids: u32,
}

impl Model {
    /// Starts to listen.
    ///
    /// # Errors
    /// If there is no port to listen on.
    pub fn new(script: impl IntoIterator<Item = Answer>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let stage = Arc::new(Mutex::new(Stage {
            script: script.into_iter().collect(),
            ..Stage::default()
        }));
        let shared = Arc::clone(&stage);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let stage = Arc::clone(&shared);
                // A client may close the connection at any time.
                thread::spawn(move || serve(stream, &stage));
            }
        });
        Ok(Model { port, stage })
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The requests so far.
    pub fn requests(&self) -> Vec<Value> {
        self.locked().requests.clone()
    }

    /// How many answers of the script are left.
    pub fn left(&self) -> usize {
        self.locked().script.len()
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn serve(stream: TcpStream, stage: &Mutex<Stage>) -> io::Result<()> {
    let mut input = BufReader::new(stream.try_clone()?);
    let mut out = stream;
    let Some(request) = Request::read(&mut input)? else {
        return Ok(());
    };
    if request.method != "POST" || !request.path.ends_with("/responses") {
        return refuse(&mut out, 404, json!({"message": "no such endpoint"}));
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let tools = tools(&body);
    let (answer, mut events) = {
        let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = stage.script.pop_front();
        stage.requests.push(body);
        stage.ids += 1;
        let prefix = stage.ids;
        let answer = answer.unwrap_or_else(|| Answer::message("The script is at its end."));
        (answer, Events::new(prefix))
    };
    if let End::Refused(status, code, message) = answer.end {
        let error = json!({"message": message, "type": code, "code": code, "param": null});
        return refuse(&mut out, status, error);
    }
    write!(
        out,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    )?;
    for event in events.all(&answer, &tools) {
        let kind = event["type"].as_str().unwrap_or_default();
        write!(out, "event: {kind}\ndata: {event}\n\n")?;
        out.flush()?;
    }
    if matches!(answer.end, End::Stalled) {
        // Wait until the client closes the connection.
        while input.read(&mut [0; 64])? > 0 {}
    }
    Ok(())
}

fn refuse(out: &mut TcpStream, status: u16, error: Value) -> io::Result<()> {
    let body = json!({"error": error}).to_string();
    write!(
        out,
        "HTTP/1.1 {status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}
