//! Reading recorded lines of the app-server and writing them again loses nothing, and nothing
//! that Codex writes is unknown.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;

use codex_wire::app_server::{
    ClientMessage, ClientResponse, Id, JsonRpcMessage, Response, ServerMessage, ServerResponse,
    Side,
};
use codex_wire::{Error, Wire};
use serde::Serialize;

use crate::support::recordings::{self, Recorded};
use crate::support::tree::assert_same;
use crate::support::unknowns::unknowns;

/// Reads a line, requires it back, and returns what of it is unknown.
fn read<T: Wire + Serialize + Debug>(line: &Recorded, found: &mut Found) -> Option<T> {
    match codex_wire::from_str::<T>(&line.text) {
        Ok(value) => {
            assert_same(&codex_wire::to_string(&value), &line.text);
            found.parts(line, &value);
            Some(value)
        }
        Err(error) => {
            found.fault(line, &error);
            None
        }
    }
}

/// What was found, each with the places.
#[derive(Default)]
struct Found {
    of_codex: BTreeMap<String, Vec<String>>,
    of_clients: BTreeMap<String, Vec<String>>,
    lines: usize,
    results: usize,
}

impl Found {
    fn add(&mut self, line: &Recorded, what: String) {
        let side = if line.of_codex {
            &mut self.of_codex
        } else {
            &mut self.of_clients
        };
        side.entry(what).or_default().push(line.place.clone());
    }

    fn parts(&mut self, line: &Recorded, value: &impl Debug) {
        for part in unknowns(value) {
            self.add(line, part);
        }
    }

    fn fault(&mut self, line: &Recorded, error: &Error) {
        let what = format!("{:?} in `{}`", error.kind(), error.pointer());
        self.add(line, what);
    }
}

/// The methods of the requests a side has sent, by connection and id.
type Asked<By> = HashMap<(u32, Id<By>), String>;

fn note<By: Side>(asked: &mut Asked<By>, line: &Recorded, message: &JsonRpcMessage<By>) {
    if let (Some(id), Some(method)) = (message.id(), message.method()) {
        asked.insert((line.connection, id.clone()), method.to_owned());
    }
}

/// Reads a result by the method of its request and requires it back.
fn result<By: Side, T>(
    line: &Recorded,
    response: &Response<By>,
    asked: &Asked<By>,
    found: &mut Found,
    read: fn(&Response<By>, &str) -> Result<T, Error>,
) where
    T: Serialize + Debug,
{
    let Some(method) = asked.get(&(line.connection, response.id.clone())) else {
        found.add(line, "answers no request".to_owned());
        return;
    };
    found.results += 1;
    match read(response, method) {
        Ok(message) => {
            let expected = format!(
                r#"{{"id":{},"method":"{method}","result":{}}}"#,
                codex_wire::json::Raw::of(response.id.get()).get(),
                response.raw.get()
            );
            let written = serde_json::to_string(&message).expect("string keys only");
            assert_same(&written, &expected);
            found.parts(line, &message);
        }
        Err(error) => found.fault(line, &error),
    }
}

fn every_recording() -> Found {
    let mut found = Found::default();
    for path in recordings::app_server() {
        let (mut by_client, mut by_codex) = (Asked::new(), Asked::new());
        for line in recordings::lines(&path) {
            found.lines += 1;
            if line.of_codex {
                let Some(message) = read::<ServerMessage>(&line, &mut found) else {
                    continue;
                };
                note(&mut by_codex, &line, &message);
                if let JsonRpcMessage::Response(response) = &message {
                    result(
                        &line,
                        response,
                        &by_client,
                        &mut found,
                        |response, method| {
                            let result = response.result_of(method)?;
                            Ok(ServerResponse::new(response.id.clone(), result))
                        },
                    );
                }
            } else {
                let Some(message) = read::<ClientMessage>(&line, &mut found) else {
                    continue;
                };
                note(&mut by_client, &line, &message);
                if let JsonRpcMessage::Response(response) = &message {
                    result(
                        &line,
                        response,
                        &by_codex,
                        &mut found,
                        |response, method| {
                            let result = response.result_of(method)?;
                            Ok(ClientResponse::new(response.id.clone(), result))
                        },
                    );
                }
            }
        }
    }
    found
}

/// What Codex writes and no release's type names, with the reason; by the type and what is new
/// in it, or by the type alone.
const OF_CODEX: &[(&str, &str)] = &[
    (
        "Config +",
        "`config/read` answers with the whole configuration, of which the schema names a part",
    ),
    (
        "ReasoningEffortOption \"",
        "from 0.138.0 any string is a reasoning effort",
    ),
    (
        "answers no request",
        "a request spelt as an array, `[101,\"account/read\",{}]`, is answered like any other",
    ),
];

/// The recordings whose clients write what Codex does not know, to see what it says.
const PROVOKING: &[&str] = &[
    "/09",
    "/10",
    "/11",
    "03k_approval_malformed_reply",
    "15d_v1_plain_requests",
    "websocket",
];

#[test]
fn every_line_comes_back_and_nothing_is_unknown() {
    let found = every_recording();
    assert!(found.lines > 5000, "only {} lines", found.lines);
    assert!(found.results > 700, "only {} results", found.results);
    let mut unlisted = Vec::new();
    for (what, places) in &found.of_codex {
        if !OF_CODEX.iter().any(|(listed, _)| what.starts_with(listed)) {
            unlisted.push(format!("{what}: {} times, {}", places.len(), places[0]));
        }
    }
    for (what, places) in &found.of_clients {
        let surprising = |place: &&String| !PROVOKING.iter().any(|name| place.contains(name));
        if let Some(place) = places.iter().find(surprising) {
            unlisted.push(format!("client: {what}: {place}"));
        }
    }
    assert!(unlisted.is_empty(), "{}", unlisted.join("\n"));
    for (listed, reason) in OF_CODEX {
        let stale = !found.of_codex.keys().any(|what| what.starts_with(listed));
        assert!(!stale, "{listed} does not come up any more: {reason}");
    }
}

/// What the types cannot read, Codex does not take either: it answers with an error or not at
/// all.
#[test]
fn what_the_types_refuse_codex_refuses() {
    let mut refused = 0;
    for path in recordings::app_server() {
        let lines = recordings::lines(&path);
        let mut taken = BTreeMap::new();
        for line in lines.iter().filter(|line| line.of_codex) {
            if let Ok(JsonRpcMessage::Response(response)) =
                codex_wire::from_str::<ServerMessage>(&line.text)
            {
                *taken
                    .entry((line.connection, response.id.to_string()))
                    .or_insert(0) += 1;
            }
        }
        // Every request of an id that can be read takes one of the answers it got.
        for line in lines.iter().filter(|line| !line.of_codex) {
            let read = codex_wire::from_str::<ClientMessage>(&line.text);
            if let Ok(JsonRpcMessage::Request(request)) = &read {
                let key = (line.connection, request.id.to_string());
                taken.entry(key).and_modify(|count| *count -= 1);
            }
        }
        for line in lines.iter().filter(|line| !line.of_codex) {
            let Err(error) = codex_wire::from_str::<ClientMessage>(&line.text) else {
                continue;
            };
            refused += 1;
            let id = serde_json::from_str::<serde_json::Value>(&line.text)
                .ok()
                .and_then(|value| value.get("id").map(ToString::to_string));
            let Some(id) = id else { continue };
            let answered = taken.get(&(line.connection, id)).copied().unwrap_or(0);
            assert!(answered <= 0, "{}: {error}, and yet a result", line.place);
        }
    }
    assert!(refused > 20, "only {refused}");
}
