//! A model that answers as it is told: the Responses API over SSE, on loopback.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufReader, Read as _, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use serde_json::{Value, json};

use crate::answer::{Answer, End, Tokens};
use crate::dialogue::Dialogue;
use crate::events::{Events, tools};
use crate::http::Request;

/// A model that listens on a port of the loopback device for as long as the process lives.
#[derive(Debug)]
pub struct Model {
    port: u16,
    stage: Arc<Mutex<Stage>>,
}

/// What the model answers.
enum Source {
    /// One answer after the other, whoever asks.
    List(VecDeque<Answer>),
    /// What each thread is told.
    Dialogue(Dialogue),
}

struct Stage {
    source: Source,
    requests: Vec<Value>,
    ids: u32,
    /// Whether no two answers cost the same.
    tells_costs_apart: bool,
    billed: Vec<Billed>,
}

/// What the model has returned, and counted: a line of a bill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Billed {
    /// The thread that asked, as the request names it.
    pub thread: Option<String>,
    /// What the answer cost.
    pub tokens: Tokens,
}

/// The headers in which a request names its thread, the newest first.
const THREAD: [&str; 4] = ["thread-id", "session-id", "session_id", "conversation_id"];

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} requests", self.requests.len())
    }
}

impl Model {
    /// Starts to listen. The answers are given one after the other, whoever asks.
    ///
    /// # Errors
    /// If there is no port to listen on.
    pub fn new(script: impl IntoIterator<Item = Answer>) -> io::Result<Self> {
        Self::listen(Source::List(script.into_iter().collect()))
    }

    /// Starts to listen. Each thread has the whole dialogue.
    ///
    /// # Errors
    /// If there is no port to listen on.
    pub fn of_dialogue(dialogue: Dialogue) -> io::Result<Self> {
        Self::listen(Source::Dialogue(dialogue))
    }

    fn listen(source: Source) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let stage = Arc::new(Mutex::new(Stage {
            source,
            requests: Vec::new(),
            ids: 0,
            tells_costs_apart: false,
            billed: Vec::new(),
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

    /// From now on each answer costs a little more than the one before it, so that each number shows which answers
    /// it is the sum of.
    pub fn tell_costs_apart(&self) {
        self.locked().tells_costs_apart = true;
    }

    /// What it has returned and counted so far.
    pub fn billed(&self) -> Vec<Billed> {
        self.locked().billed.clone()
    }

    /// How many answers of the list are left.
    pub fn left(&self) -> usize {
        match &self.locked().source {
            Source::List(answers) => answers.len(),
            Source::Dialogue(_) => 0,
        }
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
        let body = json!({"error": {"message": "no such endpoint"}});
        return refuse(&mut out, 404, &body.to_string());
    }
    let thread = THREAD.iter().find_map(|name| request.header(name));
    let thread = thread.map(str::to_owned);
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    let tools = tools(&body);
    let (mut answer, mut events, more) = {
        let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
        stage.ids += 1;
        let events = Events::new(stage.ids, &body);
        let answer = match &mut stage.source {
            Source::List(answers) => answers.pop_front(),
            Source::Dialogue(dialogue) => dialogue.answer(&body),
        };
        stage.requests.push(body);
        let answer = answer.unwrap_or_else(|| Answer::message("The script is at its end."));
        let more = if stage.tells_costs_apart {
            stage.ids
        } else {
            0
        };
        (answer, events, more)
    };
    answer.tokens = answer.tokens.and_more(more);
    if let End::Refused(status, body) = &answer.end {
        return refuse(&mut out, *status, body);
    }
    write!(
        out,
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
    )?;
    let events = events.all(&answer, &tools);
    let last = events.len().saturating_sub(1);
    for (index, event) in events.into_iter().enumerate() {
        if index == last {
            thread::sleep(answer.pause);
        }
        let kind = event["type"].as_str().unwrap_or_default();
        write!(out, "event: {kind}\ndata: {event}\n\n")?;
        out.flush()?;
        if kind == "response.completed" {
            let tokens = answer.tokens;
            let thread = thread.clone();
            let mut stage = stage.lock().unwrap_or_else(PoisonError::into_inner);
            stage.billed.push(Billed { thread, tokens });
        }
    }
    if matches!(answer.end, End::Stalled) {
        // Wait until the client closes the connection.
        while input.read(&mut [0; 64])? > 0 {}
    }
    Ok(())
}

fn refuse(out: &mut TcpStream, status: u16, body: &str) -> io::Result<()> {
    write!(
        out,
        "HTTP/1.1 {status} Refused\r\ncontent-type: application/json\r\nconnection: close\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}
