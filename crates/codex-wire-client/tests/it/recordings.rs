//! Every recorded connection is played to our client, which does what the recorded one did: it starts the same thread and
//! the same turn, answers what Codex asks, and asks meanwhile for what was asked. The turn has to end as it did then.
//! `recordings.txt` says what becomes of each.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::time::Duration;

use codex_wire::app_server::methods::client_requests as ours;
use codex_wire::app_server::methods::server_requests as theirs;
use codex_wire::app_server::{Method, ServerRequest};
use codex_wire::from_slice;
use codex_wire_client::{Client, Error, Incoming, TurnEvent};
use codex_wire_replay::{About, OnMiss, Player, PlayerOptions, Recording};
use serde_json::Value;

use golden_files::files::{below, root};

use crate::support::waiting_for;

/// How long nothing comes before the next request is sent. The stand-in has no reason to wait.
const PAUSE: Duration = Duration::from_millis(250);

/// What the recorded client did.
#[derive(Default)]
struct Recorded {
    /// The parameters with which it started threads before the turn.
    threads: Vec<String>,
    /// The parameters of its first turn.
    turn: Option<String>,
    /// What it asked for afterwards: methods and parameters.
    requests: VecDeque<(String, String)>,
    /// What it answered, or how it refused, by the id of the request.
    answers: BTreeMap<String, Result<String, String>>,
    /// How the first turn ended.
    end: Option<String>,
}

impl Recorded {
    fn read(text: &str) -> Self {
        let mut recorded = Recorded::default();
        // 0.58.0 has no other end than that of the core.
        let is_old = !text.contains("turn/completed");
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).expect("a record");
            let message = record["line"].as_str().unwrap_or_default();
            let message: Value = serde_json::from_str(message).unwrap_or_default();
            let method = message["method"].as_str();
            if record["from"] == "client" {
                recorded.client(&message, method);
            } else if method == Some("turn/completed") && recorded.end.is_none() {
                let status = message["params"]["turn"]["status"].as_str();
                recorded.end = status.map(str::to_owned);
            } else if is_old && recorded.end.is_none() {
                recorded.end = match method {
                    Some("codex/event/turn_aborted") => Some("interrupted".to_owned()),
                    Some("codex/event/task_complete") => Some("completed".to_owned()),
                    _ => None,
                };
            }
        }
        recorded
    }

    fn client(&mut self, message: &Value, method: Option<&str>) {
        let params = || message["params"].to_string();
        match method {
            Some("thread/start") if self.turn.is_none() => self.threads.push(params()),
            // Others are there to be refused.
            Some("turn/start") if self.turn.is_none() => self.turn = Some(params()),
            Some(method) if self.turn.is_some() && self.end.is_none() => {
                self.requests.push_back((method.to_owned(), params()));
            }
            Some(_) => {}
            None => {
                let answer = match message.get("error") {
                    Some(error) => Err(error.to_string()),
                    None => Ok(message["result"].to_string()),
                };
                self.answers.insert(message["id"].to_string(), answer);
            }
        }
    }
}

/// Answers what Codex asks as the recorded client did.
fn answer(codex: &Client, request: &ServerRequest, recorded: &Recorded) -> Result<(), String> {
    let id = &request.id;
    let answer = recorded.answers.get(&codex_wire::to_string(id));
    let text = match answer.ok_or("no answer was recorded")? {
        Ok(text) => text,
        Err(error) => {
            let error = from_slice(error.as_bytes()).map_err(|error| error.to_string())?;
            return codex.refuse(id, error).map_err(|error| error.to_string());
        }
    };
    let method = request.params.tag();
    macro_rules! answer {
        ($($name:ident)*) => {$(
            if method == <theirs::$name as Method>::NAME {
                let result = from_slice(text.as_bytes()).map_err(|error| error.to_string())?;
                return codex.answer::<theirs::$name>(id, &result).map_err(|error| error.to_string());
            }
        )*};
    }
    answer! {
        ItemCommandExecutionRequestApproval ItemFileChangeRequestApproval ItemToolCall
        ItemToolRequestUserInput ItemPermissionsRequestApproval McpServerElicitationRequest
        AccountChatgptAuthTokensRefresh AttestationGenerate CurrentTimeRead
    }
    Err(format!("{method} is not answered"))
}

/// Asks for what the recorded client asked for meanwhile. That Codex refuses is part of the recording.
fn ask(codex: &Client, method: &str, params: &str) -> Result<(), String> {
    macro_rules! ask {
        ($($name:ident)*) => {$(
            if method == <ours::$name as Method>::NAME {
                let params = from_slice(params.as_bytes()).map_err(|error| error.to_string())?;
                return match codex.request::<ours::$name>(params) {
                    Ok(_) | Err(Error::Refused { .. }) => Ok(()),
                    Err(error) => Err(error.to_string()),
                };
            }
        )*};
    }
    ask! {
        TurnInterrupt TurnSteer TurnStart ThreadStart ThreadUnsubscribe ThreadDelete ThreadResume
        ThreadRealtimeStart ThreadRealtimeAppendText
    }
    Err(format!("{method} is not asked"))
}

/// Answers what Codex asks outside the turn, such as for new tokens. Returns whether it asked.
fn outside(codex: &Client, recorded: &Recorded) -> Result<bool, String> {
    let mut has_asked = false;
    while let Ok(message) = codex.incoming(Duration::ZERO) {
        if let Incoming::Request(request) = message {
            has_asked = true;
            answer(codex, &request, recorded)?;
        }
    }
    Ok(has_asked)
}

/// What the client shows of a run.
fn run(codex: &Client, mut recorded: Recorded) -> Result<String, String> {
    let said = |error: Error| error.to_string();
    for params in &recorded.threads {
        // Some are there to be refused, and the types have no room for them.
        let _ = ask(codex, "thread/start", params);
    }
    let params = recorded.turn.as_deref().ok_or("no turn was recorded")?;
    let params = from_slice(params.as_bytes());
    let params = params.map_err(|error| format!("the recorded turn is none: {error}"))?;
    let mut turn = codex.start_turn_with(params).map_err(said)?;
    let mut shown = String::new();
    loop {
        match turn.next_within(PAUSE) {
            Ok(None) => return Ok(format!("completed: {shown:?}")),
            Ok(Some(TurnEvent::MessageDelta(delta))) => shown.push_str(&delta.text),
            Ok(Some(TurnEvent::Approval(approval))) => {
                let what = approval
                    .command()
                    .unwrap_or_else(|| approval.files().join(", "));
                let _ = write!(shown, "[{what}]");
                answer(codex, approval.request(), &recorded)?;
            }
            Ok(Some(TurnEvent::Question(question))) => {
                let _ = write!(shown, "[{}]", question.request().params.tag());
                answer(codex, question.request(), &recorded)?;
            }
            Ok(Some(_)) => {}
            Err(Error::Timeout { .. }) if outside(codex, &recorded)? => {}
            Err(Error::Timeout { .. }) => {
                let Some((method, params)) = recorded.requests.pop_front() else {
                    return Err("the turn does not end".to_owned());
                };
                ask(codex, &method, &params)?;
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[test]
fn each_ends_as_it_did() {
    let mut results = BTreeMap::new();
    let folder = root().join("fixtures/app-server");
    for path in below(&folder, "jsonl") {
        let name = path
            .strip_prefix(&folder)
            .expect("below it")
            .display()
            .to_string();
        let bytes = std::fs::read(&path).expect("a recording");
        let recorded = Recorded::read(&String::from_utf8_lossy(&bytes));
        if recorded.turn.is_none() {
            continue;
        }
        let end = recorded.end.clone();
        let recording = Recording::read(&name, bytes, About::new()).expect("a recording");
        let options = PlayerOptions::new().on_miss(OnMiss::Fail);
        let player = match Player::new(&[recording], options) {
            Ok(player) => player,
            Err(error) => {
                results.insert(name, (false, format!("not played: {error}")));
                continue;
            }
        };
        let (client, server) = waiting_for(player);
        let shown = client
            .map_err(|error| error.to_string())
            .and_then(|client| run(&client, recorded));
        let misses = server.join().expect("the server ends");
        let line = |error: String| error.lines().next().unwrap_or_default().to_owned();
        let result = shown.unwrap_or_else(line);
        let is_same = match end.as_deref() {
            Some("failed") => result.starts_with("the turn failed"),
            Some("interrupted") => result == "the turn was interrupted",
            Some(_) => result.starts_with("completed"),
            None => result == "the turn does not end",
        };
        let missed = match misses.is_empty() {
            true => String::new(),
            false => format!(" (not recorded: {})", misses.join(", ")),
        };
        results.insert(name, (is_same, result + &missed));
    }
    let same = results.values().filter(|(is_same, _)| *is_same).count();
    let mut text = format!("{same} of {} end as recorded\n", results.len());
    for (name, (is_same, result)) in &results {
        let mark = if *is_same { "" } else { "OTHERWISE: " };
        let _ = writeln!(text, "{name}: {mark}{result}");
    }
    golden_files::assert_file(
        &root().join("crates/codex-wire-client/tests/it/recordings.txt"),
        &text,
    );
}
