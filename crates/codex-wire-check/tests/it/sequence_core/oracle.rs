//! Says of a whole stream of core events whether it breaks a rule that holds.
//!
//! It looks at the stream as a whole and says in its own way what the rules demand, so that the
//! machine is not asked whether the machine is right.

use std::collections::BTreeSet;

use codex_wire::Release;
use codex_wire::core::ExecOutputChunk;
use serde_json::Value;

use super::line::Line;
use super::texts::texts;

const REPLIES: [(&str, &str); 6] = [
    ("get_history_entry_response", "get_history_entry_request"),
    ("conversation_history", "get_history"),
    ("conversation_path", "get_path"),
    ("mcp_list_tools_response", "list_mcp_tools"),
    ("list_custom_prompts_response", "list_custom_prompts"),
    ("shutdown_complete", "shutdown"),
];

/// Begin and end, and the members that stay what they were.
const CALLS: [(&str, &str, &[&str]); 3] = [
    ("exec_command_begin", "exec_command_end", &[]),
    ("patch_apply_begin", "patch_apply_end", &[]),
    ("mcp_tool_call_begin", "mcp_tool_call_end", &["invocation"]),
];

/// Request, answer, what is asked about, and its members.
const ASKS: [(&str, &str, &str, &[&str]); 2] = [
    (
        "exec_approval_request",
        "exec_approval",
        "exec_command_begin",
        &["command", "cwd"],
    ),
    (
        "apply_patch_approval_request",
        "patch_approval",
        "patch_apply_begin",
        &["changes"],
    ),
];

const OUTPUT: &str = "exec_command_output_delta";

const fn minor(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

/// A stream and what is known of it.
pub(crate) struct Stream<'a> {
    pub(crate) release: Release,
    pub(crate) legacy: bool,
    pub(crate) lines: &'a [Line],
}

/// A task: its events from start to end, with their places among the lines.
pub(super) struct Task<'a> {
    pub(super) events: Vec<(usize, &'a Line)>,
    pub(super) ended: bool,
}

impl<'a> Stream<'a> {
    /// The first rule that it breaks, if it breaks one.
    pub(crate) fn broken(&self) -> Option<&'static str> {
        let checks: [(&'static str, bool); 12] = [
            ("head", self.head()),
            ("session", self.session()),
            ("ids", self.ids()),
            ("replies", self.replies()),
            ("client", self.client()),
            ("tokens", self.tokens()),
            ("tasks", self.tasks()),
            ("shutdown", self.shutdown()),
            ("calls", self.each(|task| self.calls(task))),
            ("approvals", self.each(|task| self.approvals(task))),
            ("texts", self.each(|task| texts(task, self.release))),
            ("ends", self.each(|task| self.ends(task))),
        ];
        checks
            .iter()
            .find(|(_, holds)| !holds)
            .map(|(name, _)| *name)
    }

    fn events(&self) -> impl Iterator<Item = (usize, &'a Line)> {
        let lines = self.lines.iter().enumerate();
        lines.filter(|(_, line)| !line.client && line.value.get("msg").is_some())
    }

    fn submissions(&self) -> impl Iterator<Item = (usize, &'a Line)> {
        self.lines
            .iter()
            .enumerate()
            .filter(|(_, line)| line.client)
    }

    fn between(&self, since: u32, until: u32) -> bool {
        minor(since) <= self.release && self.release <= minor(until)
    }

    /// An error of starting up belongs to no task.
    fn of_startup(&self, line: &Line) -> bool {
        let id = if self.release < minor(22) { "0" } else { "" };
        line.tag() == "error" && line.id() == id
    }

    fn head(&self) -> bool {
        let kind = |line: &Line| match line.value.get("msg") {
            None if !line.client => u8::from(line.value.get("prompt").is_some()),
            _ => 2,
        };
        let shape: Vec<u8> = self.lines.iter().map(kind).collect();
        let whole = |shape: &[u8]| shape.iter().all(|kind| *kind == 2);
        match self.legacy {
            true => {
                matches!(&shape[..], [0] | [0, 1])
                    || shape.starts_with(&[0, 1]) && whole(&shape[2..])
            }
            false => whole(&shape),
        }
    }

    fn session(&self) -> bool {
        let configured = |(_, line): &(usize, &Line)| line.tag() == "session_configured";
        let first = self.events().next();
        // What is configured after the end is the next session of a log.
        let open = |(_, line): &(usize, &Line)| line.tag() != "shutdown_complete";
        let times = self.events().take_while(open).filter(configured).count();
        self.legacy || first.as_ref().is_none_or(configured) && times < 2
    }

    /// Every id is that of a submission before.
    fn ids(&self) -> bool {
        let two_way = self.submissions().next().is_some();
        let zero = if self.release < minor(22) { "0" } else { "" };
        let known = |at: usize, id: &str| {
            self.submissions()
                .any(|(s, line)| s < at && line.id() == id)
        };
        let compacts = |id: &str| self.release >= minor(41) && id.starts_with("auto-compact-");
        self.legacy
            || !two_way
            || self.events().all(|(at, line)| {
                let free = line.tag() == "session_configured" && line.id() == zero;
                free || self.of_startup(line) || known(at, line.id()) || compacts(line.id())
            })
    }

    fn replies(&self) -> bool {
        if self.submissions().next().is_none() {
            return true;
        }
        let asked = |line: &Line| self.submissions().find(|(_, s)| s.id() == line.id());
        let fits = |tag: &str, op: &str| {
            let replies: Vec<&Line> = self
                .events()
                .map(|(_, l)| l)
                .filter(|l| l.tag() == tag)
                .collect();
            let ids: BTreeSet<&str> = replies.iter().map(|line| line.id()).collect();
            ids.len() == replies.len()
                && replies.iter().all(|line| {
                    let Some((_, request)) = asked(line) else {
                        return true;
                    };
                    let same = |key: &str| request.body().get(key) == line.body().get(key);
                    let entry =
                        op != "get_history_entry_request" || same("offset") && same("log_id");
                    request.tag() == op && entry
                })
        };
        let over = self
            .events()
            .any(|(_, line)| line.tag() == "shutdown_complete");
        let stop = self
            .submissions()
            .find(|(_, line)| line.tag() == "shutdown");
        let due = |op: &str| match op {
            "get_history_entry_request" => true,
            "list_mcp_tools" => self.release >= minor(23),
            "list_custom_prompts" => self.release >= minor(26),
            "get_history" => self.between(24, 34),
            "get_path" => self.release >= minor(35),
            _ => false,
        };
        let answered = |line: &Line| {
            let of = |(tag, op): &&(&str, &str)| *op == line.tag() && !tag.is_empty();
            let Some((tag, op)) = REPLIES.iter().find(of) else {
                return true;
            };
            !due(op)
                || self
                    .events()
                    .any(|(_, event)| event.tag() == *tag && event.id() == line.id())
        };
        let in_time = |at: usize| stop.is_some_and(|(stop, _)| at <= stop);
        let all = self
            .submissions()
            .all(|(at, line)| !in_time(at) || answered(line));
        REPLIES.iter().all(|(tag, op)| fits(tag, op)) && (!over || all)
    }

    /// What the client owes.
    fn client(&self) -> bool {
        let ids: Vec<&str> = self.submissions().map(|(_, line)| line.id()).collect();
        let distinct: BTreeSet<&&str> = ids.iter().collect();
        let stop = self
            .submissions()
            .position(|(_, line)| line.tag() == "shutdown");
        let last = stop.is_none_or(|stop| stop + 1 == ids.len());
        let asked = self.submissions().all(|(at, line)| {
            let Some((request, answer, ..)) = ASKS.iter().find(|ask| ask.1 == line.tag()) else {
                return true;
            };
            let task = line.text("id");
            let before = self.lines[..at]
                .iter()
                .rev()
                .find(|other| match other.client {
                    true => other.tag() == *answer && other.text("id") == task,
                    false => other.tag() == *request && other.id() == task,
                });
            before.is_some_and(|before| !before.client)
        });
        distinct.len() == ids.len() && last && asked
    }

    fn tokens(&self) -> bool {
        let counts = self
            .events()
            .filter(|(_, line)| line.tag() == "token_count");
        let infos: Vec<&Value> = counts
            .filter_map(|(_, line)| line.body().get("info"))
            .collect();
        infos.windows(2).all(|pair| {
            let total = |info: &Value, name: &str| info["total_token_usage"][name].as_u64();
            let names = ["input_tokens", "output_tokens", "total_tokens"];
            (pair[0].is_null() || !pair[1].is_null())
                && names
                    .iter()
                    .all(|name| total(pair[1], name) >= total(pair[0], name))
        })
    }

    /// Events that belong to tasks.
    fn of_tasks(&self) -> Vec<(usize, &'a Line)> {
        let other = |tag: &str| {
            tag == "session_configured" || REPLIES.iter().any(|(reply, _)| *reply == tag)
        };
        let of_task = |line: &Line| !other(line.tag()) && !self.of_startup(line);
        self.events().filter(|(_, line)| of_task(line)).collect()
    }

    fn tasks(&self) -> bool {
        let events = self.of_tasks();
        let ids: BTreeSet<&str> = events.iter().map(|(_, line)| line.id()).collect();
        ids.into_iter().all(|id| self.task_holds(&events, id))
    }

    fn task_holds(&self, events: &[(usize, &Line)], id: &str) -> bool {
        let own: Vec<(usize, &Line)> = events
            .iter()
            .copied()
            .filter(|(_, l)| l.id() == id)
            .collect();
        let starts: Vec<usize> = own
            .iter()
            .filter(|(_, l)| l.tag() == "task_started")
            .map(|e| e.0)
            .collect();
        if id.starts_with("auto-compact-") && self.release >= minor(41) {
            let first = events.iter().find(|(_, line)| line.tag() == "task_started");
            let over = |at: usize| {
                let before = events.iter().rev().find(|(other, l)| {
                    *other < at
                        && !l.id().starts_with("auto-compact-")
                        && (l.tag() == "task_started" || ends(l))
                });
                before.is_none_or(|(_, line)| ends(line))
            };
            return first.is_some() && starts.is_empty() && own.iter().all(|(at, _)| !over(*at));
        }
        let empty = |line: &Line| {
            let items = |s: &Line| s.body()["items"] == Value::Array(Vec::new());
            let asked = self.submissions().any(|(_, s)| s.id() == id && items(s));
            self.release >= minor(41)
                && line.tag() == "task_complete"
                && line.body()["last_agent_message"].is_null()
                && (asked || self.submissions().next().is_none())
        };
        let [start] = starts[..] else {
            return starts.is_empty() && own.iter().all(|(_, line)| empty(line));
        };
        let end = own.iter().find(|(at, line)| *at > start && ends(line));
        let reviews = self.between(35, 41);
        let early = |line: &Line| reviews && line.tag() == "entered_review_mode";
        let late = |line: &Line, end: &Line| {
            let aborted = end.tag() != "task_complete";
            let left = reviews && line.tag() == "exited_review_mode";
            let goes_on = self.release >= minor(40) && line.tag() != "exited_review_mode";
            empty(line) || aborted && !ends(line) && (left || goes_on)
        };
        let within = own.iter().all(|(at, line)| match end {
            _ if *at < start => early(line),
            Some((end, last)) if at > end => late(line, last),
            _ => true,
        });
        let stop = end.map_or(usize::MAX, |(end, _)| *end);
        let alone = events.iter().all(|(at, line)| {
            let inside = start < *at && *at < stop;
            let next =
                self.legacy && line.tag() == "task_started" && own.iter().all(|(o, _)| o < at);
            let after = self.legacy && *at > own[own.len() - 1].0;
            !inside || line.id() == id || line.id().starts_with("auto-compact-") || next || after
        });
        within && alone
    }

    /// The tasks that were started, each to its end.
    fn each(&self, holds: impl Fn(&Task<'a>) -> bool) -> bool {
        let events = self.of_tasks();
        let starts = events
            .iter()
            .filter(|(_, line)| line.tag() == "task_started");
        starts.into_iter().all(|(start, first)| {
            let own = |(at, line): &&(usize, &Line)| at >= start && line.id() == first.id();
            let own: Vec<(usize, &'a Line)> = events.iter().filter(own).copied().collect();
            let end = own.iter().position(|(_, line)| ends(line));
            let length = end.map_or(own.len(), |end| end + 1);
            holds(&Task {
                events: own[..length].to_vec(),
                ended: end.is_some(),
            })
        })
    }

    /// Calls do not overlap; what they write is what their end says.
    fn calls(&self, task: &Task<'_>) -> bool {
        let search = |line: &Line| line.tag().starts_with("web_search_");
        let searches: Vec<&Line> = task
            .events
            .iter()
            .map(|e| e.1)
            .filter(|l| search(l))
            .collect();
        let once = searches.iter().enumerate().all(|(at, line)| {
            let same = |other: &&&Line| other.tag() == line.tag() && other.call() == line.call();
            let after = searches[..at]
                .iter()
                .any(|o| o.call() == line.call() && o.tag() != line.tag());
            !searches[..at].iter().any(|other| same(&other))
                && (line.tag() == "web_search_end" || !after)
                && (line.tag() == "web_search_begin" || after || self.release >= minor(26))
        });
        let own: Vec<&Line> = task
            .events
            .iter()
            .map(|e| e.1)
            .filter(|l| !search(l))
            .collect();
        let begun: Vec<&str> = own
            .iter()
            .filter(|l| kind(l).is_some())
            .map(|l| l.call())
            .collect();
        let distinct: BTreeSet<&&str> = begun.iter().collect();
        let patches = own
            .iter()
            .position(|line| line.tag() == "patch_apply_begin");
        let diffs = own.iter().position(|line| line.tag() == "turn_diff");
        let founded = diffs.is_none_or(|diff| patches.is_some_and(|patch| patch < diff));
        let paired = own.iter().enumerate().all(|(at, line)| {
            if let Some((_, end, _)) = kind(line) {
                let next = own[at + 1..].iter().find(|other| other.tag() != OUTPUT);
                return match next {
                    Some(next) if next.tag() == *end => next.call() == line.call(),
                    Some(next) => {
                        ends(next) && next.tag() != "task_complete" || next.tag() == "error"
                    }
                    None => true,
                };
            }
            let before = own[..at].iter().rfind(|other| other.tag() != OUTPUT);
            let begin = before.filter(|begin| begin.call() == line.call());
            if line.tag() == OUTPUT {
                let runs = |begin: &&&Line| {
                    let patch = begin.tag() == "patch_apply_begin" && self.release < minor(25);
                    begin.tag() == "exec_command_begin" || patch
                };
                return begin.filter(runs).is_some();
            }
            match CALLS.iter().find(|(_, end, _)| *end == line.tag()) {
                None => true,
                Some((tag, _, fixed)) => {
                    begin
                        .filter(|begin| begin.tag() == *tag)
                        .is_some_and(|begin| {
                            fixed
                                .iter()
                                .all(|key| begin.body()[key] == line.body()[key])
                                && self.output(&own[..at], line)
                        })
                }
            }
        });
        once && founded && paired && distinct.len() == begun.len()
    }

    fn output(&self, before: &[&Line], end: &Line) -> bool {
        let exit = end.body()["exit_code"].as_i64();
        if end.tag() != "exec_command_end" || matches!(exit, Some(-1 | 124)) {
            return true;
        }
        ["stdout", "stderr"].iter().all(|stream| {
            let mut bytes = Vec::new();
            for line in before
                .iter()
                .filter(|l| l.tag() == OUTPUT && l.call() == end.call())
            {
                if line.text("stream") == *stream {
                    let chunk: ExecOutputChunk =
                        codex_wire::from_str(&line.body()["chunk"].to_string()).unwrap();
                    bytes.extend(chunk.bytes().unwrap().iter());
                }
            }
            let output = String::from_utf8_lossy(&bytes).into_owned();
            let said = end.text(stream);
            output == said || self.release < minor(25) && output.starts_with(said)
        })
    }

    /// What is asked about waits, is done only after a yes, and is what was asked about.
    fn approvals(&self, task: &Task<'_>) -> bool {
        let two_way = self.submissions().next().is_some();
        task.events.iter().enumerate().all(|(at, (place, line))| {
            let Some((_, answer, begin, fixed)) = ASKS.iter().find(|ask| ask.0 == line.tag())
            else {
                return true;
            };
            let mut answers = self.submissions().filter(|(other, client)| {
                other > place && client.tag() == *answer && client.text("id") == line.id()
            });
            let answer = answers.next();
            let next = task.events.get(at + 1);
            let waits = next.is_none_or(|(next, event)| {
                matches!(event.tag(), "turn_aborted" | "error" | "task_complete")
                    || answer.is_some_and(|(answer, _)| answer < *next)
            });
            let begins = task.events[at..]
                .iter()
                .find(|(_, l)| l.tag() == *begin && l.call() == line.call());
            let said = answer.map_or("", |(_, client)| client.text("decision"));
            let same = begins.is_none_or(|(_, begin)| {
                fixed
                    .iter()
                    .all(|key| begin.body()[key] == line.body()[key])
            });
            let refused = begins.is_some() && matches!(said, "denied" | "abort");
            same && (!two_way || waits && !refused)
        })
    }

    /// How the task ends.
    fn ends(&self, task: &Task<'_>) -> bool {
        let last = task.events[task.events.len() - 1].1;
        let errors = task
            .events
            .iter()
            .position(|(_, l)| l.tag() == "error" && !ends(l));
        let failed = errors.is_none_or(|error| {
            let next = task.events.get(error + 1).map(|(_, line)| *line);
            let complete =
                |l: &Line| l.tag() == "task_complete" && l.body()["last_agent_message"].is_null();
            next.is_none_or(|next| complete(next) || next.tag() == "turn_aborted")
        });
        let tags: Vec<&str> = task.events.iter().map(|(_, line)| line.tag()).collect();
        let count = |tag: &str| tags.iter().filter(|other| **other == tag).count();
        let entered = tags.iter().position(|tag| *tag == "entered_review_mode");
        let left = tags.iter().position(|tag| *tag == "exited_review_mode");
        let before = self.of_tasks().iter().any(|(at, line)| {
            *at < task.events[0].0 && line.id() == last.id() && line.tag() == "entered_review_mode"
        });
        let reviews = usize::from(before) + count("entered_review_mode");
        let open = task.ended
            && !(last.tag() == "turn_aborted" && self.between(35, 41))
            && !interrupted(last);
        let reviewed = reviews < 2
            && count("exited_review_mode") <= reviews
            && (!open || count("exited_review_mode") == reviews)
            && left.is_none_or(|left| before || entered.is_some_and(|entered| entered < left));
        let asked = last.tag() != "turn_aborted"
            || last.text("reason") != "interrupted"
            || self.release < minor(23)
            || self.submissions().next().is_none()
            || self.submissions().any(|(at, line)| {
                let abort = line.text("decision") == "abort";
                at < task.events[task.events.len() - 1].0
                    && (matches!(line.tag(), "interrupt" | "shutdown") || abort)
            });
        failed && reviewed && asked && (last.tag() != "task_complete" || answer(task, reviews > 0))
    }

    /// What may follow `shutdown_complete`, and what has to come before it.
    fn shutdown(&self) -> bool {
        let Some((over, _)) = self
            .events()
            .find(|(_, line)| line.tag() == "shutdown_complete")
        else {
            return true;
        };
        let of_tasks = self.of_tasks();
        let next = |line: &Line| line.tag() == "session_configured";
        let after = self.events().filter(|(at, line)| *at > over && !next(line));
        let only_tasks = after
            .into_iter()
            .all(|(at, _)| of_tasks.iter().any(|(other, _)| *other == at));
        let left = self.each(|task| {
            let began = task.events[0].0 < over;
            let last = task.events[task.events.len() - 1].0;
            let open = began && (!task.ended || last > over);
            !open || self.release < minor(42)
        });
        only_tasks && left
    }
}

fn interrupted(line: &Line) -> bool {
    line.tag() == "error" && line.text("message") == " Turn interrupted"
}

fn ends(line: &Line) -> bool {
    matches!(line.tag(), "task_complete" | "turn_aborted") || interrupted(line)
}

fn kind(line: &Line) -> Option<&'static (&'static str, &'static str, &'static [&'static str])> {
    CALLS.iter().find(|(begin, ..)| *begin == line.tag())
}

/// Whether the end repeats the last message.
fn answer(task: &Task<'_>, review: bool) -> bool {
    let (_, end) = task.events[task.events.len() - 1];
    let said = end.body()["last_agent_message"].as_str();
    if review || task.events.iter().any(|(_, line)| line.tag() == "error") {
        return true;
    }
    let last = task
        .events
        .iter()
        .rposition(|(_, line)| line.tag() == "agent_message");
    let in_pieces = task
        .events
        .iter()
        .any(|(_, line)| line.tag() == "agent_message_delta");
    let quiet = |line: &Line| matches!(line.tag(), "token_count" | "turn_diff" | "task_complete");
    match (last, said) {
        (Some(_), _) if !in_pieces => true,
        (Some(last), None) => task.events[last + 1..].iter().any(|(_, line)| !quiet(line)),
        (Some(last), Some(said)) => task.events[last].1.text("message") == said,
        (None, said) => said.is_none(),
    }
}
