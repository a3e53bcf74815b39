//! The generated corpus: what `codex exec --json` of 0.169.0 writes, made up.
//!
//! Lines come in the proportions and sizes of recorded transcripts. Of 2478 lines recorded from
//! six releases (0.44.0, 0.63.0, 0.98.0, 0.125.0, 0.157.0, 0.169.0; 1.63 MB):
//!
//! | line of at most | share of lines | share of bytes |
//! |---|---|---|
//! | 100 bytes | 42 % | 4 % |
//! | 200 bytes | 86 % | 13 % |
//! | 500 bytes | 98.6 % | 19 % |
//! | 2 KB | 99.2 % | 19 % |
//! | 100 KB | 99.96 % | 35 % |
//! | 1.07 MB, the longest | 100 % | 100 % |
//!
//! The median line has 123 bytes; those above 2 KB are outputs of commands and a few messages.
//! By kind: 370 runs begin and 372 turns; 280 turns complete and 70 fail; 333 messages, 63
//! pieces of reasoning, 140 commands, 94 MCP calls, 74 web searches, 50 patches, 35 calls of
//! other agents, 34 to-do lists, 19 notices, and 49 errors on the way. [`KINDS`] holds these
//! counts.
//!
//! One departure: recorded long outputs are few and alike, so here they have 2 to 100 KB, each
//! doubling as likely as the next, and the text of real commands: source code, search hits,
//! diffs, listings, coloured test runs, JSON. One line of 1 MB stands in the middle.
//!
//! The recorded commands were chosen to be short. [`with_long_outputs`] is the same stream where
//! every command prints 2 to 115 KB, which makes 1.8 KB per line: the stream of an agent that
//! reads code.

use std::fmt::Write as _;

use crate::random::Random;
use crate::text;

/// How often an item or error occurs for 370 runs, and what writes its lines.
type Kind = (usize, fn(&mut Run<'_>));

const KINDS: &[Kind] = &[
    (333, agent_message),
    (140, command_execution),
    (94, mcp_tool_call),
    (74, web_search),
    (63, reasoning),
    (50, file_change),
    (49, retry),
    (35, collab_tool_call),
    (34, todo_list),
    (19, notice),
];

/// Of 133 completed commands, 18 write more than 2 KB.
const LONG_OUTPUTS_PERMILLE: usize = 135;

/// A stream of about `size` bytes, the same every time.
pub(crate) fn generate(size: usize) -> Vec<u8> {
    let outputs = Outputs {
        long_permille: LONG_OUTPUTS_PERMILLE,
        longest: 100_000,
    };
    stream(size, outputs, true)
}

/// A stream of about `size` bytes in which every command prints 2 to 115 KB.
pub(crate) fn with_long_outputs(size: usize) -> Vec<u8> {
    let outputs = Outputs {
        long_permille: 1000,
        longest: 115_000,
    };
    stream(size, outputs, false)
}

/// One line: a command that printed about `size` bytes.
pub(crate) fn long_line(size: usize) -> Vec<u8> {
    let mut out = String::with_capacity(size + size / 4);
    let outputs = Outputs::default();
    Run::new(&mut Random::new(5), &mut out, outputs).command(size);
    // A command begins with a line of its own.
    let begun = out.find('\n').map_or(0, |end| end + 1);
    out.split_off(begun).into_bytes()
}

fn stream(size: usize, outputs: Outputs, mut megabyte_is_due: bool) -> Vec<u8> {
    let mut out = String::with_capacity(size + (2 << 20));
    let mut random = Random::new(169);
    while out.len() < size {
        let mut run = Run::new(&mut random, &mut out, outputs);
        run.begin();
        // 891 items and errors for 372 turns.
        for _ in 0..1 + run.random.below(3) + usize::from(run.random.permille(400)) {
            run.anything();
        }
        if megabyte_is_due && run.out.len() > size / 2 {
            megabyte_is_due = false;
            run.command(1 << 20);
        }
        run.end();
    }
    out.into_bytes()
}

/// How much commands print.
#[derive(Clone, Copy, Default)]
struct Outputs {
    /// How many of 1000 print more than 2 KB.
    long_permille: usize,
    /// How much those print at most.
    longest: usize,
}

/// One run of `codex exec`, being written.
struct Run<'a> {
    thread: String,
    items: usize,
    /// The to-do list, which a run has once and completes at its end.
    plan: Option<Plan>,
    outputs: Outputs,
    random: &'a mut Random,
    out: &'a mut String,
}

/// A to-do list that is open.
struct Plan {
    number: usize,
    steps: Vec<String>,
    done: usize,
}

impl<'a> Run<'a> {
    fn new(random: &'a mut Random, out: &'a mut String, outputs: Outputs) -> Self {
        Run {
            thread: random.uuid(),
            items: 0,
            plan: None,
            outputs,
            random,
            out,
        }
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn begin(&mut self) {
        let thread = quoted(&self.thread);
        self.line(&format!(
            r#"{{"type":"thread.started","thread_id":{thread}}}"#
        ));
        self.line(r#"{"type":"turn.started"}"#);
    }

    fn end(&mut self) {
        if self.random.permille(200) {
            let message = quoted(self.random.pick(&[
                "stream disconnected before completion: stream closed before response.completed",
                "Quota exceeded. Check your plan and billing details.",
                r#"{"error": {"message": "Invalid 'input'.", "type": "invalid_request_error"}}"#,
            ]));
            self.line(&format!(r#"{{"type":"error","message":{message}}}"#));
            self.planned("completed");
            self.line(&format!(
                r#"{{"type":"turn.failed","error":{{"message":{message}}}}}"#
            ));
            return;
        }
        self.planned("completed");
        let (sent, written) = (self.random.below(90_000), self.random.below(4_000));
        self.line(&format!(
            r#"{{"type":"turn.completed","usage":{{"input_tokens":{sent},"cached_input_tokens":{},"cache_write_input_tokens":0,"output_tokens":{written},"reasoning_output_tokens":{}}}}}"#,
            sent * 4 / 5,
            written / 3,
        ));
    }

    /// Writes the lines of one item or error, by the recorded proportions.
    fn anything(&mut self) {
        let mut left = self
            .random
            .below(KINDS.iter().map(|(count, _)| count).sum());
        for (count, write) in KINDS {
            if left < *count {
                return write(self);
            }
            left -= count;
        }
    }

    /// Writes a line of the to-do list, if there is one.
    fn planned(&mut self, event: &str) {
        let Some(plan) = &self.plan else { return };
        let entry = |(at, step): (usize, &String)| {
            let done = at < plan.done;
            format!(r#"{{"text":{step},"completed":{done}}}"#)
        };
        let entries: Vec<String> = plan.steps.iter().enumerate().map(entry).collect();
        let members = format!(r#""items":[{}]"#, entries.join(","));
        let number = plan.number;
        self.item(event, "todo_list", number, &members);
    }

    /// The beginning of an item, up to its kind's own members.
    fn head(&mut self, event: &str, kind: &str, number: usize) -> String {
        format!(r#"{{"type":"item.{event}","item":{{"id":"item_{number}","type":"{kind}","#)
    }

    /// Writes a line of an item: `members` without braces.
    fn item(&mut self, event: &str, kind: &str, number: usize, members: &str) {
        let head = self.head(event, kind, number);
        self.line(&format!("{head}{members}}}}}"));
    }

    fn number(&mut self) -> usize {
        self.items += 1;
        self.items - 1
    }

    /// A command that prints about `size` bytes.
    fn command(&mut self, size: usize) {
        let number = self.number();
        let script = match self.random.below(4) {
            0 => format!(
                "sed -n '1,{}p' {}",
                self.random.below(400),
                text::path(self.random)
            ),
            1 => format!("rg -n \"{}\" src", text::words(self.random, 2)),
            2 => "cargo test --workspace 2>&1 | tail -40".to_owned(),
            _ => format!("git diff -- {}", text::path(self.random)),
        };
        let command = quoted(&format!("/bin/bash -lc '{script}'"));
        self.item(
            "started",
            "command_execution",
            number,
            &format!(r#""command":{command},"aggregated_output":"","exit_code":null,"status":"in_progress""#),
        );
        let output = quoted(&text::output(self.random, size));
        let (code, status) =
            [(0, "completed"), (0, "completed"), (1, "failed")][self.random.below(3)];
        self.item(
            "completed",
            "command_execution",
            number,
            &format!(r#""command":{command},"aggregated_output":{output},"exit_code":{code},"status":"{status}""#),
        );
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn agent_message(run: &mut Run<'_>) {
    let number = run.number();
    let count = 1 + run.random.below(8);
    let message = quoted(&text::words(run.random, count));
    run.item(
        "completed",
        "agent_message",
        number,
        &format!(r#""text":{message}"#),
    );
}

fn reasoning(run: &mut Run<'_>) {
    let number = run.number();
    let summary = quoted(&format!(
        "**{}**\n\n{}",
        text::words(run.random, 2),
        text::words(run.random, 4)
    ));
    run.item(
        "completed",
        "reasoning",
        number,
        &format!(r#""text":{summary}"#),
    );
}

fn command_execution(run: &mut Run<'_>) {
    let size = if run.random.permille(run.outputs.long_permille) {
        run.random.between_log(2_000, run.outputs.longest)
    } else {
        run.random.below(160)
    };
    run.command(size);
}

fn mcp_tool_call(run: &mut Run<'_>) {
    let number = run.number();
    let text = quoted(&text::words(run.random, 3));
    let call =
        format!(r#""server":"echo","tool":"structured","arguments":{{"text":{text},"limit":3}}"#);
    run.item(
        "started",
        "mcp_tool_call",
        number,
        &format!(r#"{call},"result":null,"error":null,"status":"in_progress""#),
    );
    let ending = match run.random.below(5) {
        0 => format!(r#""result":null,"error":{{"message":{text}}},"status":"failed""#),
        1 => format!(
            r#""result":{{"content":[{{"type":"text","text":{text}}}],"structured_content":{{"city":{text},"temp_c":-3.5,"tags":["snow",{text}]}}}},"error":null,"status":"completed""#
        ),
        2 => format!(
            r#""result":{{"content":[{{"type":"text","text":{text},"annotations":{{"audience":["user"],"priority":0.5}}}},{{"type":"resource_link","uri":"memo://b","name":"b"}}],"_meta":{{"trace":"t-1"}},"structured_content":null}},"error":null,"status":"completed""#
        ),
        _ => format!(
            r#""result":{{"content":[{{"type":"text","text":{text}}}],"structured_content":null}},"error":null,"status":"completed""#
        ),
    };
    run.item(
        "completed",
        "mcp_tool_call",
        number,
        &format!("{call},{ending}"),
    );
}

fn web_search(run: &mut Run<'_>) {
    let number = run.number();
    // The duplicate `id` is what releases from 0.92.0 write.
    let id = format!(r#""id":"ws_{:032x}""#, run.random.next());
    run.item(
        "started",
        "web_search",
        number,
        &format!(r#"{id},"query":"","action":{{"type":"other"}}"#),
    );
    let query = quoted(&text::words(run.random, 3));
    let action = match run.random.below(4) {
        0 => format!(r#"{{"type":"search","query":{query}}}"#),
        1 => format!(r#"{{"type":"search","query":{query},"queries":[{query},"codex exec"]}}"#),
        2 => r#"{"type":"open_page","url":"https://example.invalid/doc"}"#.to_owned(),
        _ => format!(
            r#"{{"type":"find_in_page","url":"https://example.invalid/doc","pattern":{query}}}"#
        ),
    };
    run.item(
        "completed",
        "web_search",
        number,
        &format!(r#"{id},"query":{query},"action":{action}"#),
    );
}

fn file_change(run: &mut Run<'_>) {
    let number = run.number();
    let mut changes = String::new();
    for index in 0..1 + run.random.below(3) {
        let comma = if index > 0 { "," } else { "" };
        let path = quoted(&text::path(run.random));
        let kind = run.random.pick(&["add", "delete", "update"]);
        let _ = write!(changes, r#"{comma}{{"path":{path},"kind":"{kind}"}}"#);
    }
    for (event, status) in [("started", "in_progress"), ("completed", "completed")] {
        run.item(
            event,
            "file_change",
            number,
            &format!(r#""changes":[{changes}],"status":"{status}""#),
        );
    }
}

fn collab_tool_call(run: &mut Run<'_>) {
    let number = run.number();
    let (tool, state) = [
        ("spawn_agent", "pending_init"),
        ("send_input", "running"),
        ("wait", "completed"),
    ][run.random.below(3)];
    let prompt = if tool == "wait" {
        "null".to_owned()
    } else {
        quoted(&text::words(run.random, 5))
    };
    let sender = quoted(&run.thread);
    let receiver = quoted(&run.random.uuid());
    let head = format!(r#""tool":"{tool}","sender_thread_id":{sender}"#);
    run.item(
        "started",
        "collab_tool_call",
        number,
        &format!(r#"{head},"receiver_thread_ids":[],"prompt":{prompt},"agents_states":{{}},"status":"in_progress""#),
    );
    run.item(
        "completed",
        "collab_tool_call",
        number,
        &format!(
            r#"{head},"receiver_thread_ids":[{receiver}],"prompt":{prompt},"agents_states":{{{receiver}:{{"status":"{state}","message":null}}}},"status":"completed""#
        ),
    );
}

fn todo_list(run: &mut Run<'_>) {
    if run.plan.is_none() {
        let number = run.number();
        let steps = (0..2 + run.random.below(3))
            .map(|_| quoted(&text::words(run.random, 3)))
            .collect();
        let done = 0;
        run.plan = Some(Plan {
            number,
            steps,
            done,
        });
        run.planned("started");
    }
    if let Some(plan) = &mut run.plan {
        plan.done += 1;
    }
    run.planned("updated");
}

fn notice(run: &mut Run<'_>) {
    let number = run.number();
    let message = quoted(
        "Codex is ignoring 2 unrecognized configuration settings. Check for typos or deprecated settings.\n  user (/home/dev/.codex/config.toml): `features.no_such_feature` is ignored.",
    );
    run.item(
        "completed",
        "error",
        number,
        &format!(r#""message":{message}"#),
    );
}

fn retry(run: &mut Run<'_>) {
    let attempt = 1 + run.random.below(5);
    run.line(&format!(
        r#"{{"type":"error","message":"Reconnecting... {attempt}/5 (stream disconnected before completion: stream closed before response.completed)"}}"#
    ));
}

#[cfg(test)]
#[cfg(feature = "types")]
mod tests {
    use std::collections::BTreeSet;

    use codex_wire::exec::{Event, ItemKind, ThreadItem};
    use codex_wire::{Protocol, from_slice};
    use codex_wire_check::{Checker, Options, Verdict};

    use super::*;
    use crate::contestants::EXEC;
    use crate::corpus::GENERATED_RELEASE;

    #[test]
    fn all_is_what_the_release_writes() {
        let checker = Checker::new(crate::shapes_only(Options::exact(
            Protocol::Exec,
            GENERATED_RELEASE,
        )))
        .unwrap();
        let size = 2 << 20;
        for stream in [generate(size), with_long_outputs(size), long_line(size)] {
            let outcome = checker.check("generated", &stream[..]);
            assert_eq!(outcome.verdict, Verdict::Conforms, "{:?}", outcome.findings);
        }
    }

    #[test]
    fn long_outputs_make_lines_long() {
        let stream = with_long_outputs(8 << 20);
        assert_eq!(stream, with_long_outputs(8 << 20));
        let lines = stream.iter().filter(|byte| **byte == b'\n').count();
        let mean = stream.len() / lines;
        assert!((1600..2000).contains(&mean), "{mean} bytes per line");
        let line = long_line(1 << 20);
        assert_eq!(line, long_line(1 << 20));
        assert_eq!(line.iter().filter(|byte| **byte == b'\n').count(), 1);
        assert!(line.len() > 1 << 20);
    }

    #[test]
    fn has_every_kind_and_the_sizes_it_says() {
        let stream = generate(2 << 20);
        assert_eq!(stream, generate(2 << 20));
        let mut kinds = BTreeSet::new();
        let mut sizes = Vec::new();
        for line in stream.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            assert!((EXEC.plain.read)(line), "the plain derive reads every line");
            let event: Event = from_slice(line).unwrap();
            assert_ne!(event.item().map(ThreadItem::kind), Some(ItemKind::Unknown));
            kinds.insert(format!("{:?}", event.kind()));
            kinds.extend(event.item().map(|item| format!("{:?}", item.kind())));
            sizes.push(line.len());
        }
        // Eight kinds of event and nine of item; `Error` is one of either.
        assert_eq!(kinds.len(), 8 + 9 - 1, "{kinds:?}");
        sizes.sort_unstable();
        assert!((100..150).contains(&sizes[sizes.len() / 2]));
        assert!(sizes[sizes.len() * 98 / 100] < 1000);
        assert_eq!(sizes.iter().filter(|size| **size > 1 << 20).count(), 1);
        assert!(sizes.iter().any(|size| (2_000..100_000).contains(size)));
    }
}
