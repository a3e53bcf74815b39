//! Converts events of the core to another release: `codex proto`, and `codex exec --json` up to 0.42.0.

use std::collections::BTreeSet;

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::{Parts, Profile, Stability};

use super::facts::{Facts, Phase};
use super::fit::{Fit, Fitting, Lack};
use super::parse;
use super::stream::{self, Told};
use super::unsupported::UnsupportedByRelease;
use crate::compose::json::{Node, object};
use crate::compose::observed::Observed;
use crate::error::Unsupported;
use crate::recording::{Recording, Writer};
use crate::track::methods::is_read;

/// Whether a run of `codex exec` has the events of the core.
pub(super) fn is_legacy(lines: &[Told]) -> bool {
    lines.iter().any(|told| {
        let has = |name| {
            told.node
                .as_ref()
                .and_then(|n| parse::get(n, name))
                .is_some()
        };
        has("msg") || has("workdir")
    })
}

/// The events as `release` would have written them. `set` is what the recording has.
pub(super) fn convert(
    recording: &Recording,
    set: MessageSet,
    recorded: Release,
    release: Release,
) -> Result<Recording, UnsupportedByRelease> {
    let list = set.release_list();
    let last = list.latest();
    let listed = match list.floor(release) {
        Some(listed) if release <= last => listed,
        _ => {
            let first = list.first();
            return Err(UnsupportedByRelease::whole(Unsupported::NoCoreEvents {
                release,
                first,
                last,
            }));
        }
    };
    let old = Speech::new(set, list.floor(recorded).unwrap_or(listed));
    let new = Speech::new(set, listed);
    let mut facts = Facts::new(release, recorded);
    let mut words = Words::new(Observed(old.release), Observed(listed));
    let mut out = Vec::new();
    for told in stream::lines(recording) {
        let Some(node) = told.node.clone() else {
            out.push(told);
            continue;
        };
        notice(&mut facts, &node);
        let said = match told.line.writer {
            Writer::Codex => words.ordered(node),
            Writer::Client => vec![node],
        };
        for node in said {
            let message = |speech: &Speech| speech.message(told.line.writer, &facts, &node);
            let mut told = told.clone();
            match message(&new) {
                Ok(fitted) => {
                    told.node = Some(fitted.node);
                    out.push(told);
                }
                Err(_) if message(&old).is_err() => out.push(told),
                Err(lack) => refuse(&told, &node, lack, release)?,
            }
        }
    }
    Ok(stream::recording(recording, out))
}

/// What is known from an event on.
fn notice(facts: &mut Facts, node: &Node) {
    let text = |path: &[&str]| parse::text(node, path).map(str::to_owned);
    facts.phase = Phase::Other;
    facts.turn = text(&["id"]).or(facts.turn.take());
    facts.thread = text(&["msg", "session_id"]).or(facts.thread.take());
    facts.model = text(&["msg", "model"]).or(facts.model.take());
    facts.cwd = text(&["msg", "cwd"])
        .or_else(|| text(&["op", "cwd"]))
        .or_else(|| text(&["workdir"]))
        .or(facts.cwd.take());
}

/// An event of a kind that the release does not have is left out; a submission is if it only reads.
fn refuse(
    told: &Told,
    node: &Node,
    lack: Lack,
    release: Release,
) -> Result<(), UnsupportedByRelease> {
    let reason = match told.line.writer {
        Writer::Codex if lack.pointer == "/msg" => return Ok(()),
        Writer::Codex => lack.of(release),
        Writer::Client => match parse::text(node, &["op", "type"]) {
            // Releases that have no such submission configure themselves.
            Some("configure_session" | "override_turn_context") => return Ok(()),
            Some("get_history") => return Ok(()),
            Some(op) if is_read(op) => return Ok(()),
            Some(op) if lack.pointer == "/op" => Unsupported::Method {
                release,
                method: op.to_owned(),
            },
            _ => lack.of(release),
        },
    };
    Err(UnsupportedByRelease {
        line: told.line.number,
        reason,
    })
}

/// What Codex says when a turn is interrupted, up to 0.22.0; see `fixtures/core/0.21.0`.
const INTERRUPTED: &str = " Turn interrupted";

/// How the beginning of a message about a retry reads.
const RETRY: &str = "stream error: ";

/// What releases say in different events.
struct Words {
    was: Observed,
    is: Observed,
    /// The calls that apply patches.
    patches: BTreeSet<String>,
    /// The submission of the task that runs.
    task: Option<String>,
    /// The submission whose task was aborted last.
    aborted: Option<String>,
    /// The id under which the session was configured.
    configured: Option<String>,
    /// Whether a review goes on.
    reviews: bool,
    /// An event that comes after the next.
    held: Option<Node>,
    /// The tokens that were counted last.
    counted: Option<Node>,
}

impl Words {
    fn new(was: Observed, is: Observed) -> Self {
        Words {
            was,
            is,
            patches: BTreeSet::new(),
            task: None,
            aborted: None,
            configured: None,
            reviews: false,
            held: None,
            counted: None,
        }
    }

    /// The event as the release words it, and those that waited for it.
    fn ordered(&mut self, event: Node) -> Vec<Node> {
        let kind = parse::text(&event, &["msg", "type"]).unwrap_or_default();
        let swaps = !self.was.core_reviews_in_tasks() && self.is.core_reviews_in_tasks();
        let waits = match kind {
            "entered_review_mode" => self.task.is_none(),
            "turn_aborted" => self.reviews,
            _ => false,
        };
        let kind = kind.to_owned();
        let said = self.say(event);
        match kind.as_str() {
            "entered_review_mode" => self.reviews = true,
            "exited_review_mode" => self.reviews = false,
            _ => {}
        }
        if swaps && waits {
            self.held = said;
            return Vec::new();
        }
        said.into_iter().chain(self.held.take()).collect()
    }

    /// The event as the release words it; none if it does not write it.
    fn say(&mut self, mut event: Node) -> Option<Node> {
        let id = parse::text(&event, &["id"]).unwrap_or_default().to_owned();
        let Some(msg) = parse::get(&event, "msg").cloned() else {
            return Some(event);
        };
        let text = |name: &str| parse::text(&msg, &[name]).unwrap_or_default();
        let kind = text("type");
        if kind == "session_configured" {
            self.configured = Some(id.clone());
        }
        if self.configured.as_ref() == Some(&id)
            && self.was.core_configures() != self.is.core_configures()
        {
            let id = if self.is.core_configures() { "" } else { "0" };
            parse::set(&mut event, "id", id);
        }
        let goes_on = self.aborted.as_ref() == Some(&id) || id.starts_with("auto-compact");
        if goes_on && !self.is.core_goes_on() {
            return None;
        }
        match kind {
            // Input without anything in it completes a task that never started.
            "task_complete" if self.task.is_none() && !self.is.core_goes_on() => return None,
            "error" if text("message") == INTERRUPTED && self.is.core_aborts() => {
                let aborted = object! { "type" => "turn_aborted", "reason" => "interrupted" };
                parse::set(&mut event, "msg", aborted);
            }
            "turn_aborted" if !self.is.core_aborts() => {
                let error = object! { "type" => "error", "message" => INTERRUPTED };
                parse::set(&mut event, "msg", error);
            }
            "stream_error" if !self.is.core_has_stream_errors() => {
                let message = text("message");
                let error = object! { "type" => "background_event", "message" => message };
                parse::set(&mut event, "msg", error);
            }
            "background_event"
                if self.is.core_has_stream_errors() && text("message").starts_with(RETRY) =>
            {
                let message = text("message");
                let error = object! { "type" => "stream_error", "message" => message };
                parse::set(&mut event, "msg", error);
            }
            "patch_apply_begin" => drop(self.patches.insert(text("call_id").to_owned())),
            "exec_command_output_delta"
                if self.patches.contains(text("call_id")) && !self.is.core_shows_patches() =>
            {
                return None;
            }
            "token_count" => {
                let msg = self.tokens(&msg)?;
                let is_late = self.task.as_ref() != Some(&id);
                if is_late && !self.is.core_goes_on() {
                    return None;
                }
                parse::set(&mut event, "msg", msg);
            }
            _ => {}
        }
        match kind {
            "task_started" => {
                self.aborted = None;
                self.task = Some(id);
            }
            "turn_aborted" => {
                self.aborted = Some(id);
                self.task = None;
            }
            "task_complete" | "error" => self.task = None,
            _ => {}
        }
        Some(event)
    }

    /// A count of tokens: up to 0.30.0 those of the last answer, then with those of the session.
    fn tokens(&mut self, msg: &Node) -> Option<Node> {
        let flat = parse::get(msg, "input_tokens").is_some();
        match (flat, self.is.core_counts_sessions()) {
            (true, true) => {
                let Node::Object(members) = msg else {
                    return None;
                };
                let mut usage = members.clone();
                usage.retain(|(name, _)| name != "type");
                let usage = Node::Object(usage);
                let total = sum(self.counted.as_ref(), &usage);
                self.counted = Some(total.clone());
                let info = object! {
                    "total_token_usage" => total,
                    "last_token_usage" => usage,
                    "model_context_window" => Node::Null,
                };
                Some(object! { "type" => "token_count", "info" => info })
            }
            (false, false) => {
                // Limits are reported again and again; tokens were reported once.
                let total = parse::at(msg, &["info", "total_token_usage"]).cloned();
                if total.is_none() || total == self.counted {
                    return None;
                }
                self.counted = total;
                let mut last = parse::at(msg, &["info", "last_token_usage"])?.clone();
                if let Node::Object(members) = &mut last {
                    members.insert(0, ("type".to_owned(), "token_count".into()));
                }
                Some(last)
            }
            _ => Some(msg.clone()),
        }
    }
}

/// The sum of two counts of tokens.
fn sum(one: Option<&Node>, other: &Node) -> Node {
    let Node::Object(members) = other else {
        return other.clone();
    };
    let number = |node: Option<&Node>| match node {
        Some(Node::Number(number)) => number.as_u64().unwrap_or_default(),
        _ => 0,
    };
    let members = members.iter().map(|(name, value)| {
        let before = number(one.and_then(|one| parse::get(one, name)));
        (name.clone(), Node::from(before + number(Some(value))))
    });
    Node::Object(members.collect())
}

/// What a release says and reads.
struct Speech {
    release: Release,
    written: Parts,
    read: Parts,
}

impl Speech {
    fn new(set: MessageSet, release: Release) -> Self {
        let parts = |set| Parts::new(set, release, Profile::Exact, Stability::Experimental);
        Speech {
            release,
            written: parts(set),
            read: parts(MessageSet::CoreSubmissions),
        }
    }

    fn message(&self, writer: Writer, facts: &Facts, node: &Node) -> Fitting {
        let parts = match writer {
            Writer::Codex => &self.written,
            Writer::Client => &self.read,
        };
        Fit::new(parts, facts).message(node)
    }
}
