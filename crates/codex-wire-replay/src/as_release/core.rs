//! Tells the events of the core again: `codex proto`, and `codex exec --json` up to 0.42.0.

use codex_wire_base::{MessageSet, Release};
use codex_wire_schema::{Parts, Profile, Stability};

use super::facts::{Facts, Phase};
use super::fit::{Fit, Fitting, Lack};
use super::stream::{self, Told};
use super::{Unsayable, parse};
use crate::recording::{Recording, Writer};
use crate::script::json::Node;
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
pub(super) fn tell(
    recording: &Recording,
    set: MessageSet,
    recorded: Release,
    release: Release,
) -> Result<Recording, Unsayable> {
    let list = set.release_list();
    let last = list.latest();
    let listed = match list.floor(release) {
        Some(listed) if release <= last => listed,
        _ => {
            return Err(Unsayable::whole(format!(
                "{release} does not write the events of the core; {} to {last} do",
                list.first()
            )));
        }
    };
    let old = Speech::new(set, list.floor(recorded).unwrap_or(listed));
    let new = Speech::new(set, listed);
    let mut facts = Facts::new(release, recorded);
    let mut out = Vec::new();
    for told in stream::lines(recording) {
        let Some(node) = told.node.clone() else {
            out.push(told);
            continue;
        };
        notice(&mut facts, &node);
        let message = |speech: &Speech| speech.message(told.line.writer, &facts, &node);
        match message(&new) {
            Ok(fitted) => {
                let node = Some(fitted.node);
                out.push(Told { node, ..told });
            }
            Err(_) if message(&old).is_err() => out.push(told),
            Err(lack) => refuse(&told, &node, lack, release)?,
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
fn refuse(told: &Told, node: &Node, lack: Lack, release: Release) -> Result<(), Unsayable> {
    let reason = match told.line.writer {
        Writer::Codex if lack.pointer == "/msg" => return Ok(()),
        Writer::Codex => format!(
            "{release} does not have {} at `{}`",
            lack.what, lack.pointer
        ),
        Writer::Client => match parse::text(node, &["op", "type"]) {
            // Releases that have no such submission configure themselves.
            Some("configure_session" | "override_turn_context") => return Ok(()),
            Some(op) if is_read(op) => return Ok(()),
            Some(op) if lack.pointer == "/op" => format!("{release} has no `{op}`"),
            _ => format!(
                "{release} does not have {} at `{}`",
                lack.what, lack.pointer
            ),
        },
    };
    Err(Unsayable {
        line: told.line.number,
        reason,
    })
}

/// What a release says and reads.
struct Speech {
    written: Parts,
    read: Parts,
}

impl Speech {
    fn new(set: MessageSet, release: Release) -> Self {
        let parts = |set| Parts::new(set, release, Profile::Exact, Stability::Experimental);
        Speech {
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
