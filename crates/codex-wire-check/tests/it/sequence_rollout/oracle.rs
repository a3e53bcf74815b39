//! What the rules of session files demand, said a second time: of a whole file at once, by its
//! release, so that the machine is not asked whether the machine is right.

use std::collections::BTreeSet;

use codex_wire::Release;
use serde_json::Value;

use super::file::Line;
use super::oracle_texts::Texts;

/// A file that one release wrote, and what is known of it.
pub(super) struct Story<'a> {
    pub(super) release: Release,
    pub(super) lines: &'a [Line],
    pub(super) kinds: Vec<String>,
    /// For each line, the turn that runs before it: its `task_started`.
    pub(super) running: Vec<Option<usize>>,
}

const fn minor(minor: u32) -> Release {
    Release::new(0, minor, 0)
}

fn is_call(kind: &str) -> bool {
    kind.starts_with("item ") && kind.ends_with("_call") && kind != "item web_search_call"
}

fn is_output(kind: &str) -> bool {
    kind.starts_with("item ") && kind.ends_with("_output")
}

fn is_end(kind: &str) -> bool {
    matches!(kind, "event task_complete" | "event turn_aborted")
}

fn is_entered(kind: &str) -> bool {
    kind == "event entered_review_mode" || kind.ends_with(" EnteredReviewMode")
}

fn is_exited(kind: &str) -> bool {
    kind == "event exited_review_mode" || kind.ends_with(" ExitedReviewMode")
}

pub(super) fn is_user_event(kind: &str) -> bool {
    kind == "event user_message" || kind.ends_with(" UserMessage")
}

/// What may be the first line of a process that goes on with the file.
pub(super) fn may_begin(kind: &str) -> bool {
    [
        "session_meta",
        "turn_context",
        "world_state",
        "item message user",
        "item message developer",
        "event task_started",
        "event thread_settings_applied",
    ]
    .contains(&kind)
}

impl<'a> Story<'a> {
    pub(super) fn new(release: Release, lines: &'a [Line]) -> Self {
        let kinds: Vec<String> = lines.iter().map(Line::kind).collect();
        let mut now = None;
        let running = kinds.iter().enumerate().map(|(at, kind)| {
            let before = now;
            match kind.as_str() {
                "event task_started" => now = Some(at),
                kind if is_end(kind) => now = None,
                _ => {}
            }
            before
        });
        let running = running.collect();
        Story {
            release,
            lines,
            kinds,
            running,
        }
    }

    /// The first rule that it breaks, if it breaks one.
    pub(super) fn broken(&self) -> Option<&'static str> {
        if !self.head() {
            return Some("head");
        }
        let common = [
            ("headers", self.headers()),
            ("calls", self.calls()),
            ("repeats", self.repeats()),
        ];
        let checks: Vec<(&'static str, bool)> = match self.lines[0].is_early() {
            true => common
                .into_iter()
                .chain([("states", self.states())])
                .collect(),
            false => {
                let others = [
                    ("times", self.times()),
                    ("ordinals", self.ordinals()),
                    ("open calls", self.open_calls()),
                    ("call events", self.call_events()),
                    ("ends", self.ends()),
                    ("contexts", self.contexts()),
                    ("ids", self.ids()),
                    ("outside", self.outside()),
                    ("opening", self.opening()),
                    ("reviews", self.reviews()),
                    ("tokens", self.tokens()),
                    ("windows", self.windows()),
                    ("texts", Texts(self).hold()),
                ];
                common.into_iter().chain(others).collect()
            }
        };
        checks
            .iter()
            .find(|(_, holds)| !holds)
            .map(|(name, _)| *name)
    }

    pub(super) fn since(&self, since: u32) -> bool {
        self.release >= minor(since)
    }

    /// The places of lines of a kind.
    pub(super) fn of(&self, kind: impl Fn(&str) -> bool) -> Vec<usize> {
        let all = 0..self.lines.len();
        all.filter(|at| kind(&self.kinds[*at])).collect()
    }

    fn meta(&self) -> &Value {
        self.lines[0].payload()
    }

    pub(super) fn has_base(&self) -> bool {
        self.meta()["history_base"].is_object()
    }

    fn is_paginated(&self) -> bool {
        self.meta()["history_mode"] == "paginated"
    }

    fn threads(&self) -> BTreeSet<&str> {
        let metas = self.of(|kind| kind == "session_meta");
        metas.iter().map(|at| self.lines[*at].text("id")).collect()
    }

    /// The id of the turn that runs before a line.
    fn turn(&self, at: usize) -> Option<&str> {
        self.running[at].map(|start| self.lines[start].text("turn_id"))
    }

    pub(super) fn is_running(&self, at: usize) -> bool {
        self.running[at].is_some()
    }

    /// Whether nothing marks turns yet, in what a fork has copied.
    fn is_copied(&self, at: usize) -> bool {
        let starts = self.of(|kind| kind == "event task_started");
        self.threads().len() > 1 && starts.first().is_none_or(|start| at < *start)
    }

    /// Whether a review was entered since the last end of a turn.
    pub(super) fn is_review(&self, at: usize) -> bool {
        let mut before = self.kinds[..at].iter().rev();
        let since = before.by_ref().take_while(|kind| !is_end(kind));
        since.into_iter().any(|kind| is_entered(kind))
    }

    fn head(&self) -> bool {
        ["session_meta", "header"].contains(&self.kinds[0].as_str())
    }

    fn headers(&self) -> bool {
        let again = self.of(|kind| kind == "session_meta" || kind == "header");
        let repeats = minor(121) <= self.release && self.release <= Release::new(0, 150, 1);
        let id = |at: usize| self.lines[at].text("id");
        again.iter().enumerate().skip(1).all(|(count, at)| {
            if id(*at) == id(0) {
                return repeats;
            }
            let known = again[1..count].iter().any(|before| id(*before) == id(*at));
            let parent = &self.lines[again[count - 1]].payload()["forked_from_id"];
            let named = parent.is_null() || *parent == id(*at);
            known || *at == count && named && self.kinds[0] == "session_meta"
        })
    }

    /// No line comes twice in a row, except for a few kinds.
    fn repeats(&self) -> bool {
        let may_repeat = |kind: &str| {
            let kinds = [
                "state",
                "item message user",
                "item message developer",
                "event thread_settings_applied",
            ];
            kinds.contains(&kind) || is_user_event(kind)
        };
        let mut pairs = self.lines.windows(2).zip(&self.kinds);
        pairs.all(|(pair, kind)| pair[0].text != pair[1].text || may_repeat(kind))
    }

    fn times(&self) -> bool {
        self.lines
            .is_sorted_by_key(|line| line.value["timestamp"].as_str())
    }

    fn ordinals(&self) -> bool {
        let ordinals = self.lines.iter().map(|line| line.value["ordinal"].as_u64());
        let mut ordinals = ordinals.enumerate();
        let base = &self.meta()["history_base"]["end_ordinal_exclusive"];
        let first = base.as_u64().unwrap_or(0);
        match self.is_paginated() {
            _ if !self.since(147) => true,
            true => ordinals.all(|(at, ordinal)| ordinal == Some(first + at as u64)),
            false => ordinals.all(|(_, ordinal)| ordinal.is_none()),
        }
    }

    fn calls(&self) -> bool {
        let id = |at: usize| self.lines[at].text("call_id");
        let calls = self.of(is_call);
        let outputs = self.of(is_output);
        let outputs: Vec<usize> = outputs
            .into_iter()
            .filter(|at| !id(*at).is_empty())
            .collect();
        let ids: BTreeSet<&str> = calls.iter().map(|at| id(*at)).collect();
        let answered: BTreeSet<&str> = outputs.iter().map(|at| id(*at)).collect();
        let paired = outputs.iter().all(|output| {
            let call = calls.iter().find(|call| id(**call) == id(*output));
            let Some(call) = call else {
                return self.has_base();
            };
            let kind = format!("{}_output", self.kinds[*call]);
            call < output
                && kind.replace("local_shell_call", "function_call") == self.kinds[*output]
        });
        let tight = self.release > minor(63)
            || calls.iter().all(|call| {
                let rest = &self.kinds[call + 1..];
                let output = outputs
                    .iter()
                    .find(|at| id(**at) == id(*call) && *at > call);
                let until = output.map_or(rest.len(), |at| at - call - 1);
                rest[..until]
                    .iter()
                    .all(|kind| is_call(kind) || is_output(kind))
            });
        ids.len() == calls.len() && answered.len() == outputs.len() && paired && tight
    }

    /// No call is left without output where a turn ends, or where the model is asked again.
    fn open_calls(&self) -> bool {
        let mut open = BTreeSet::new();
        for (at, kind) in self.kinds.iter().enumerate() {
            let id = self.lines[at].text("call_id");
            let asked = kind == "turn_context" && !is_user_event(&self.kinds[at - 1]);
            let ended = is_end(kind) && self.running[at].is_some();
            if (asked || ended) && !open.is_empty() && self.since(36) {
                return false;
            }
            let over = kind == "event task_started" || is_end(kind);
            if over || is_user_event(kind) && self.running[at].is_none() {
                open.clear();
            }
            if is_call(kind) {
                open.insert(id);
            } else if is_output(kind) {
                open.remove(id);
            }
        }
        true
    }

    fn call_events(&self) -> bool {
        let place = |kind: &dyn Fn(&str) -> bool, id: &str, until: usize| {
            let mut before = (0..until).rev();
            before.find(|at| kind(&self.kinds[*at]) && self.lines[*at].text("call_id") == id)
        };
        let of_call = [
            "mcp_tool_call_end",
            "patch_apply_end",
            "exec_command_end",
            "dynamic_tool_call_request",
            "dynamic_tool_call_response",
            "CommandExecution",
            "FileChange",
            "McpToolCall",
            "DynamicToolCall",
            "CollabAgentToolCall",
        ];
        !self.since(104)
            || self.kinds.iter().enumerate().all(|(at, kind)| {
                let tag = kind.rsplit(' ').next().unwrap_or_default();
                if ["web_search_end", "WebSearch"].contains(&tag) {
                    let next = self.kinds.get(at + 1);
                    return next
                        .is_none_or(|next| next == "item web_search_call" || may_begin(next));
                }
                if kind == "item web_search_call" && self.since(129) && !self.is_paginated() {
                    return self.kinds[at - 1].ends_with("web_search_end");
                }
                let payload = self.lines[at].payload();
                let typed = payload["item"]["source"] == "user_shell";
                if !kind.starts_with("event ") || !of_call.contains(&tag) || typed {
                    return true;
                }
                let ids = [
                    &payload["item"]["id"],
                    &payload["callId"],
                    &payload["call_id"],
                ];
                let id = ids.iter().find_map(|id| id.as_str()).unwrap_or_default();
                let call = place(&is_call, id, at);
                let output = place(&is_output, id, at);
                let late = ["CommandExecution", "exec_command_end"].contains(&tag);
                let runs_code = (0..at).any(|call| {
                    let id = self.lines[call].text("call_id");
                    self.kinds[call] == "item custom_tool_call"
                        && place(&is_output, id, at).is_none()
                });
                self.is_review(at)
                    || call.is_none() && (self.has_base() || runs_code)
                    || call.is_some_and(|call| late || output.is_none_or(|output| output < call))
            })
    }

    /// Turns are started once, and the one that ends is the one that runs.
    fn ends(&self) -> bool {
        if !self.since(100) {
            return true;
        }
        let starts = self.of(|kind| kind == "event task_started");
        let id = |at: usize| self.lines[at].text("turn_id");
        let ids: BTreeSet<&str> = starts.iter().map(|at| id(*at)).collect();
        let ends = self.of(is_end);
        let fits = |end: usize| {
            let payload = self.lines[end].payload();
            let first = payload["time_to_first_token_ms"].as_u64();
            let whole = payload["duration_ms"].as_u64();
            let quick = first.is_none() || whole.is_none() || first <= whole;
            let Some(start) = self.running[end] else {
                let open = starts.iter().any(|at| *at < end && id(*at) == id(end));
                let over = ends.iter().any(|at| *at < end && id(*at) == id(end));
                let copied = self.is_copied(end);
                return copied || open && !over && self.kinds[end] == "event turn_aborted";
            };
            let started = &self.lines[start].payload()["started_at"];
            let again = &payload["started_at"];
            let same = started.is_null() || again.is_null() || started == again;
            quick
                && match id(end) == id(start) {
                    true => same,
                    false => self.is_review(end),
                }
        };
        ids.len() == starts.len() && ends.iter().all(|end| fits(*end))
    }

    fn contexts(&self) -> bool {
        let contexts = self.of(|kind| kind == "turn_context");
        !self.since(100)
            || contexts.iter().all(|at| {
                let id = self.lines[*at].text("turn_id");
                let Some(start) = self.running[*at] else {
                    return self.is_copied(*at) || id.is_empty();
                };
                let before = self.kinds[start..*at].iter().rev();
                let mut before = before.take_while(|kind| *kind != "compacted");
                let of_model = |kind: &str| {
                    is_call(kind) || ["item message assistant", "item reasoning"].contains(&kind)
                };
                let answered = self.kinds[start..*at].iter().rev();
                let mut answered = answered.take_while(|kind| *kind != "turn_context");
                let goes_on = answered.any(|kind| of_model(kind)) && !self.since(142);
                let again =
                    self.since(107) && !goes_on && before.any(|kind| kind == "turn_context");
                self.turn(*at) == Some(id) && !again
            })
    }

    /// What lines name is of this file and of its turns; items of a turn have ids of their own.
    fn ids(&self) -> bool {
        let threads = self.threads();
        let named = |at: usize| {
            let line = &self.lines[at];
            let thread = threads.contains(line.text("thread_id"));
            let id = line.text("turn_id");
            match self.kinds[at].as_str() {
                "token_usage_record" => thread && self.turn(at) == Some(id),
                kind if kind.starts_with("event item_completed") => {
                    let mut starts = (0..at).filter(|at| self.kinds[*at] == "event task_started");
                    let known = starts.any(|start| self.lines[start].text("turn_id") == id);
                    let review = self.is_review(at) || is_entered(kind);
                    review || thread && (known || self.has_base() || self.is_copied(at))
                }
                _ => true,
            }
        };
        let mut seen = BTreeSet::new();
        let distinct = |at: usize| {
            let id = self.lines[at].text("id");
            let is_item = self.kinds[at].starts_with("item ") && !id.is_empty();
            !is_item
                || !self.since(142)
                || seen.insert((self.running[at], id.to_owned()))
                || self.running[at].is_none()
        };
        (!self.since(100) || (0..self.lines.len()).all(named))
            && (0..self.lines.len()).all(distinct)
    }

    fn outside(&self) -> bool {
        let of_turn = |kind: &str| {
            let tag = kind.rsplit(' ').next().unwrap_or_default();
            let events = [
                "agent_message",
                "agent_reasoning",
                "web_search_end",
                "mcp_tool_call_end",
                "patch_apply_end",
                "dynamic_tool_call_request",
                "dynamic_tool_call_response",
                "exited_review_mode",
                "AgentMessage",
                "Reasoning",
                "WebSearch",
                "ExitedReviewMode",
            ];
            kind.starts_with("event ") && events.contains(&tag)
                || is_call(kind)
                || is_output(kind)
                || ["item reasoning", "compacted"].contains(&kind)
        };
        let of_turns = self.of(of_turn);
        let within = |at: &usize| self.running[*at].is_some() || self.is_copied(*at);
        !self.since(107) || of_turns.iter().all(within)
    }

    fn opening(&self) -> bool {
        let prompts = self.of(is_user_event);
        let placed = prompts.iter().all(|at| {
            let next = self.kinds.get(at + 1).map(String::as_str);
            let behind = next.is_none_or(|next| may_begin(next) || next == "item ghost_snapshot");
            let exempt = self.is_review(*at) || next.is_some_and(is_entered);
            let before = self.running[*at].is_none_or(|start| {
                let since = self.kinds[start..*at].iter().rev();
                let mut since = since.take_while(|kind| *kind != "compacted");
                since.any(|kind| kind == "turn_context")
            });
            exempt
                || !self.since(36)
                || match self.since(107) {
                    true => before,
                    false => behind || self.since(106),
                }
        });
        let pairs = self.kinds.windows(2);
        let ordered = |pair: &[String]| pair[0] != "turn_context" || pair[1] != "world_state";
        placed && (!self.since(36) || pairs.into_iter().all(ordered))
    }

    fn reviews(&self) -> bool {
        let mut entered = false;
        for (at, kind) in self.kinds.iter().enumerate() {
            if is_entered(kind) {
                let starts = &self.kinds[..at];
                let marked = starts.iter().any(|kind| kind == "event task_started");
                if entered && marked && self.since(63) {
                    return false;
                }
                entered = true;
            } else if is_exited(kind) {
                if !entered && self.since(63) && !self.has_base() {
                    return false;
                }
                entered = false;
            } else if is_end(kind) {
                if entered && kind == "event task_complete" && self.since(100) {
                    return false;
                }
                entered = false;
            }
        }
        true
    }

    /// Compactions have their event, and the state of the world is full once for each window.
    fn windows(&self) -> bool {
        let (mut owed, mut full) = (false, self.has_base().then_some(true));
        for (at, kind) in self.kinds.iter().enumerate() {
            let said = kind == "event context_compacted" || kind.ends_with(" ContextCompaction");
            let checked = self.since(66) && (self.is_paginated() || !self.since(151));
            let over = kind == "event task_complete" || is_user_event(kind);
            match kind.as_str() {
                "compacted" if owed && self.since(66) => return false,
                "compacted" => (owed, full) = (true, Some(false)),
                "event task_started" => owed = false,
                "turn_context" if full != Some(true) && self.since(143) => return false,
                "world_state" => {
                    let now = self.lines[at].payload()["full"] == true;
                    let is_unknown = self.has_base() && full == Some(true) && {
                        let before = self.kinds[..at].iter();
                        !before
                            .clone()
                            .any(|kind| kind == "world_state" || kind == "compacted")
                    };
                    let fits = is_unknown || full.unwrap_or(false) != now;
                    if !fits && self.since(143) {
                        return false;
                    }
                    full = Some(true);
                }
                _ if said && !owed && self.since(66) => return false,
                _ if said => owed = false,
                _ if over && owed && checked => return false,
                _ if over => owed = false,
                _ => {}
            }
        }
        true
    }

    /// Of early files.
    fn states(&self) -> bool {
        self.kinds.windows(2).all(|pair| {
            let [before, now] = [pair[0].as_str(), pair[1].as_str()];
            match (before, now) {
                (_, "state" | "header") | ("state", _) => true,
                ("header" | "item message user", _) | (_, "item message user") => false,
                (before, now) if is_output(before) => is_call(now) || is_output(now),
                _ => true,
            }
        })
    }
}
