//! The generated corpora of the app-server protocol: what 0.169.0 writes while a model speaks,
//! and its answer to a client that reads a long thread.
//!
//! Recorded deltas are as long as a scripted model makes them. Here a delta has one to four
//! words, as a real model streams them, which makes a line of about 0.3 KB. Of a hundred lines
//! 80 are `item/agentMessage/delta`; the others are what a turn with one command needs around
//! them. Members and their order are those of recorded lines.

use std::fmt::Write as _;

use serde_json::Value;

use crate::random::Random;
use crate::text;

/// Deltas of a message in a turn, to 14 other lines.
const DELTAS: usize = 56;

/// The id of the request that [`thread_read`] answers.
const REQUEST: u32 = 7;

/// Milliseconds since the epoch at which everything happens.
const NOW: u64 = 1_795_187_381_503;

/// Notifications of about `size` bytes, the same every time.
pub(crate) fn flood(size: usize) -> Vec<u8> {
    let mut out = String::with_capacity(size + 32_768);
    let mut random = Random::new(58);
    let thread = random.uuid();
    let mut spent = (0, 0);
    while out.len() < size {
        let turn = random.uuid();
        Turn {
            thread: &thread,
            turn: &turn,
            spent: &mut spent,
            random: &mut random,
            out: &mut out,
        }
        .write();
    }
    out.into_bytes()
}

/// A request to read a thread, and the answer, of about `size` bytes; the same every time.
pub(crate) fn thread_read(size: usize) -> Vec<u8> {
    let mut random = Random::new(85);
    let thread = random.uuid();
    let mut turns = String::with_capacity(size + 65_536);
    while turns.len() < size {
        if !turns.is_empty() {
            turns.push(',');
        }
        let (turn, text) = (random.uuid(), text::words(&mut random, 120));
        let output = output(&mut random, 1000);
        let items = [
            user_message(&mut random),
            command(&mut random, Some(&output)),
            file_change(&mut random),
            agent_message(&text, true),
        ];
        turns.push_str(&turn_object(&turn, &items, true));
    }
    let project = "/home/dev/project";
    format!(
        r#"{{"id":{REQUEST},"method":"thread/read","params":{{"threadId":"{thread}","includeTurns":true}}}}
{{"id":{REQUEST},"result":{{"thread":{{"id":"{thread}","environments":[{{"environmentId":"local","cwd":"{project}","runtimeWorkspaceRoots":["{project}"]}}],"extra":null,"sessionId":"{thread}","forkedFromId":null,"attachedToThreadId":null,"parentThreadId":null,"preview":"Question 1","ephemeral":false,"section":null,"sectionEnteredAt":null,"projectId":null,"historyMode":"paginated","modelProvider":"openai","model":"gpt-5.5","reasoningEffort":null,"createdAt":1795187475,"updatedAt":1795187476,"recencyAt":1795187476,"status":{{"type":"idle"}},"path":"/home/dev/.codex/sessions/rollout-{thread}.jsonl","cwd":"{project}","cliVersion":"0.169.0","originator":"bench","source":"vscode","canAcceptDirectInput":true,"threadSource":null,"agentNickname":null,"agentRole":null,"gitInfo":null,"name":null,"daybreakEnabled":null,"turns":[{turns}]}},"readState":{{"firstUnread":null,"revision":"{thread}"}}}}}}
"#
    )
    .into_bytes()
}

/// The answer of [`thread_read`], with the method of its request beside the result.
pub(crate) fn answer_with_method(size: usize) -> Vec<u8> {
    let text = String::from_utf8_lossy(&thread_read(size)).into_owned();
    let answer = text.lines().last().unwrap_or_default();
    let with_method = r#","method":"thread/read","result":"#;
    let mut line = answer.replacen(r#","result":"#, with_method, 1);
    line.push('\n');
    line.into_bytes()
}

/// The lines of one turn.
struct Turn<'a> {
    thread: &'a str,
    turn: &'a str,
    /// How many tokens the turns of the thread took, and of how many answers.
    spent: &'a mut (usize, usize),
    random: &'a mut Random,
    out: &'a mut String,
}

impl Turn<'_> {
    fn write(&mut self) {
        let running = turn_object(self.turn, &[], false);
        self.status(r#"{"type":"active","activeFlags":[]}"#);
        self.notify(
            "turn/started",
            &format!(r#"{{"threadId":"{}","turn":{running}}}"#, self.thread),
        );
        let asked = user_message(self.random);
        self.started(&asked);
        self.completed(&asked);
        self.command();
        self.message();
        self.usage();
        self.notify(
            "account/rateLimits/updated",
            r#"{"rateLimits":{"limitId":"codex","limitName":null,"normalModelSlug":null,"primary":null,"secondary":null,"credits":null,"individualLimit":null,"spendControlReached":null,"planType":null,"rateLimitReachedType":null}}"#,
        );
        self.status(r#"{"type":"idle"}"#);
        let ended = turn_object(self.turn, &[], true);
        self.notify(
            "turn/completed",
            &format!(r#"{{"threadId":"{}","turn":{ended}}}"#, self.thread),
        );
    }

    fn notify(&mut self, method: &str, params: &str) {
        // Time goes on, some milliseconds a line.
        let now = NOW + self.out.len() as u64 / 64;
        let _ = writeln!(
            self.out,
            r#"{{"method":"{method}","params":{params},"emittedAtMs":{now}}}"#
        );
    }

    fn status(&mut self, status: &str) {
        let params = format!(r#"{{"threadId":"{}","status":{status}}}"#, self.thread);
        self.notify("thread/status/changed", &params);
    }

    fn started(&mut self, item: &str) {
        let item = item.replace(&times(true), &times(false));
        let params = format!(
            r#"{{"item":{item},"threadId":"{}","turnId":"{}","startedAtMs":{NOW}}}"#,
            self.thread, self.turn
        );
        self.notify("item/started", &params);
    }

    fn completed(&mut self, item: &str) {
        let params = format!(
            r#"{{"item":{item},"threadId":"{}","turnId":"{}","contentTokenCount":null,"completedAtMs":{NOW}}}"#,
            self.thread, self.turn
        );
        self.notify("item/completed", &params);
    }

    fn delta(&mut self, method: &str, item: &str, delta: &str) {
        let params = format!(
            r#"{{"threadId":"{}","turnId":"{}","itemId":"{item}","delta":{}}}"#,
            self.thread,
            self.turn,
            Value::from(delta)
        );
        self.notify(method, &params);
    }

    fn command(&mut self) {
        let text = output(self.random, 400);
        // Started and completed, it is the same command.
        let started = self.random.clone();
        let item = command(self.random, None);
        *self.random = started;
        let id = id_in(&item);
        self.started(&item);
        self.delta("item/commandExecution/outputDelta", &id, &text);
        let item = command(self.random, Some(&text));
        self.completed(&item);
    }

    fn message(&mut self) {
        let item = agent_message("", false);
        let id = format!("msg_{}", self.turn);
        self.started(&item.replace("msg_0001", &id));
        let mut whole = String::new();
        for _ in 0..DELTAS {
            let count = 1 + self.random.below(4);
            let mut words = text::words(self.random, count);
            words.push(' ');
            whole.push_str(&words);
            self.delta("item/agentMessage/delta", &id, &words);
        }
        let item = agent_message(&whole, true);
        self.completed(&item.replace("msg_0001", &id));
    }

    fn usage(&mut self) {
        let last = 1000 + self.random.below(100_000);
        self.spent.0 += last;
        self.spent.1 += 1;
        let tokens = |total: usize, answers: usize| {
            let (written, thought) = (12 * answers, 3 * answers);
            format!(
                r#"{{"totalTokens":{total},"inputTokens":{},"cachedInputTokens":{},"cacheWriteInputTokens":0,"outputTokens":{written},"reasoningOutputTokens":{thought}}}"#,
                total - written,
                21 * answers,
            )
        };
        let (total, last) = (tokens(self.spent.0, self.spent.1), tokens(last, 1));
        let params = format!(
            r#"{{"threadId":"{}","turnId":"{}","tokenUsage":{{"total":{total},"last":{last},"modelContextWindow":258400}}}}"#,
            self.thread, self.turn
        );
        self.notify("thread/tokenUsage/updated", &params);
    }
}

fn id_in(item: &str) -> String {
    let item: Value = serde_json::from_str(item).unwrap_or_default();
    item["id"].as_str().unwrap_or_default().to_owned()
}

fn turn_object(id: &str, items: &[String], ended: bool) -> String {
    let (view, end) = match ended {
        true => (
            if items.is_empty() {
                "notLoaded"
            } else {
                "full"
            },
            r#""status":"completed","error":null,"startedAt":1795187475,"completedAt":1795187475,"durationMs":161"#,
        ),
        false => (
            "notLoaded",
            r#""status":"inProgress","error":null,"startedAt":1795187475,"completedAt":null,"durationMs":null"#,
        ),
    };
    let items = items.join(",");
    format!(r#"{{"id":"{id}","rootTurnId":"{id}","items":[{items}],"itemsView":"{view}",{end}}}"#)
}

/// When an item began and, if it did, ended.
fn times(ended: bool) -> String {
    match ended {
        true => format!(r#""startedAtMs":{NOW},"completedAtMs":{NOW}"#),
        false => format!(r#""startedAtMs":{NOW},"completedAtMs":null"#),
    }
}

fn user_message(random: &mut Random) -> String {
    let (id, text) = (random.uuid(), Value::from(text::words(random, 20)));
    let times = times(true);
    format!(
        r#"{{"type":"userMessage","id":"{id}","clientId":null,"content":[{{"type":"text","text":{text},"text_elements":[]}}],{times}}}"#
    )
}

fn agent_message(text: &str, ended: bool) -> String {
    let (text, times) = (Value::from(text), times(ended));
    format!(
        r#"{{"type":"agentMessage","moderation":null,"id":"msg_0001","text":{text},"phase":null,"memoryCitation":null,"delivery":null,"questions":null,{times}}}"#
    )
}

fn output(random: &mut Random, size: usize) -> String {
    // Each doubling of the size is as likely as the next.
    let size = random.between_log(20, size * 8);
    text::output(random, size)
}

/// A command, ended if it has an output.
fn command(random: &mut Random, output: Option<&str>) -> String {
    let (id, process) = (random.uuid(), 1000 + random.below(60_000));
    let command = format!("cat {}", text::path(random));
    let (status, end) = match output {
        Some(text) => (
            "completed",
            format!(
                r#""aggregatedOutput":{},"exitCode":0,"durationMs":12"#,
                Value::from(text)
            ),
        ),
        None => (
            "inProgress",
            r#""aggregatedOutput":null,"exitCode":null,"durationMs":null"#.to_owned(),
        ),
    };
    let times = times(output.is_some());
    format!(
        r#"{{"type":"commandExecution","id":"call_{id}","pluginId":null,"scriptPath":null,"command":"/bin/bash -lc '{command}'","cwd":"/home/dev/project","processId":"{process}","source":"unifiedExecStartup","status":"{status}","commandActions":[{{"type":"unknown","command":"{command}"}}],{end},{times}}}"#
    )
}

fn file_change(random: &mut Random) -> String {
    let (id, path, times) = (random.uuid(), text::path(random), times(true));
    let diff = Value::from(output(random, 300));
    format!(
        r#"{{"type":"fileChange","id":"call_{id}","changes":[{{"path":"{path}","kind":{{"type":"update","move_path":null}},"diff":{diff}}}],"status":"completed",{times}}}"#
    )
}

#[cfg(test)]
#[cfg(feature = "types")]
mod tests {
    use codex_wire::Protocol;
    use codex_wire::app_server::methods::client_requests::ThreadRead;
    use codex_wire::app_server::{ServerMessage, ServerNotificationParams};
    use codex_wire_check::{Checker, Options, Verdict};

    use super::*;
    use crate::corpus::GENERATED_RELEASE;

    fn conforms(stream: &[u8]) {
        let options = Options::exact(Protocol::AppServer, GENERATED_RELEASE);
        let checker = Checker::new(crate::shapes_only(options)).unwrap();
        let outcome = checker.check("generated", stream);
        assert_eq!(outcome.verdict, Verdict::Conforms, "{:?}", outcome.findings);
    }

    #[test]
    fn both_are_what_the_release_writes() {
        let stream = flood(1 << 18);
        assert_eq!(stream, flood(1 << 18));
        conforms(&stream);
        let answer = thread_read(1 << 18);
        assert_eq!(answer, thread_read(1 << 18));
        conforms(&answer);
    }

    #[test]
    fn four_lines_of_five_are_deltas() {
        let stream = flood(1 << 18);
        let (mut deltas, mut all, mut bytes) = (0, 0, 0);
        for line in stream.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            all += 1;
            let ServerMessage::Notification(message) = codex_wire::from_slice(line).unwrap() else {
                panic!("no notification");
            };
            assert!(message.extra.is_empty());
            match message.params {
                ServerNotificationParams::ItemAgentMessageDelta(_) => {
                    deltas += 1;
                    bytes += line.len();
                }
                ServerNotificationParams::Unknown(_) => panic!("an unknown method"),
                _ => {}
            }
        }
        assert!(
            (78..83).contains(&(deltas * 100 / all)),
            "{deltas} of {all}"
        );
        assert!((250..330).contains(&(bytes / deltas)), "{}", bytes / deltas);
    }

    #[test]
    fn the_answer_holds_many_turns() {
        let stream = thread_read(1 << 18);
        let answer = stream.split(|b| *b == b'\n').nth(1).unwrap();
        let ServerMessage::Response(answer) = codex_wire::from_slice(answer).unwrap() else {
            panic!("no response");
        };
        let result = answer.result::<ThreadRead>().unwrap();
        assert!(result.thread.turns.into_value().unwrap().len() > 20);
        assert!(result.extra.is_empty());
    }
}
