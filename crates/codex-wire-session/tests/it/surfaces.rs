//! The same run, read from its stream and from its session file, is the same session, except for what one of them
//! cannot know. `GAPS` lists that; `docs/session-surfaces.md` is made of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use codex_wire_session::{Body, Reader, Role, Status, Thread, Tokens, Turn, TurnStatus};

use crate::gaps::{Difference, Fact, GAPS, Kind, Side, Surface};
use crate::recordings::{Run, name_of, runs};
use golden_files::files;

/// A turn as it is compared.
#[derive(Clone, Debug)]
struct Compared {
    status: TurnStatus,
    tokens: Tokens,
    facts: Vec<Fact>,
}

/// The turns of a thread as the streams of a run tell them, one process after the other.
#[derive(Default)]
struct Told {
    turns: Vec<Compared>,
    surfaces: BTreeSet<Surface>,
}

#[test]
fn a_run_is_the_same_session_from_each_surface() {
    let reader = Reader::new();
    let mut used = BTreeSet::new();
    let mut compared = BTreeMap::new();
    let mut wrong = String::new();
    for run in runs("rollout") {
        for (id, told) in streams(&reader, &run) {
            let Some(file) = file(&run, &id) else {
                continue;
            };
            for surface in &told.surfaces {
                *compared.entry(*surface).or_insert(0) += 1;
            }
            let place = files::short(&run.folder);
            for difference in differences(&run, &told, &file) {
                match GAPS.iter().position(|gap| (gap.covers)(&difference)) {
                    Some(gap) => {
                        used.insert(gap);
                    }
                    None => writeln!(wrong, "{place}: {difference:?}").expect("a text"),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    let unused: Vec<&str> = GAPS
        .iter()
        .enumerate()
        .filter(|(at, _)| !used.contains(at))
        .map(|(_, gap)| gap.what)
        .collect();
    assert!(unused.is_empty(), "nothing needs {unused:#?}");
    let few = [(Surface::Exec, 250), (Surface::AppServer, 100)];
    for (surface, least) in few {
        assert!(
            compared[&surface] >= least,
            "only {compared:?} were compared"
        );
    }
}

#[test]
fn the_page_lists_the_gaps() {
    let mut page = String::from(PAGE);
    for gap in GAPS {
        let Some(surface) = gap.unknown_to else {
            continue;
        };
        writeln!(page, "| {surface} | {} | {} |", gap.what, gap.releases).expect("a text");
    }
    let path = files::root().join("docs/session-surfaces.md");
    golden_files::assert_file(&path, &page);
}

const PAGE: &str = "\
# What a surface cannot know

The same run is the same [session](session.md) whichever surface it is read from, except for what a surface does not say. This table is made
from the list that the tests compare all recorded runs with: each row stands for differences in recordings, and no other differences exist.

Threads are compared one by one. A stream of `codex exec` has no tokens of sub-agents and reviewers: their session files have them.

| surface | what it does not say | releases |
|---|---|---|
";

/// The threads of a run, as its streams tell them.
fn streams(reader: &Reader, run: &Run) -> BTreeMap<String, Told> {
    let mut threads: BTreeMap<String, Told> = BTreeMap::new();
    let mut paths = files::below(&run.folder, "jsonl");
    paths.retain(|path| path.parent() == Some(&*run.folder));
    paths.sort_by_key(|path| number(path));
    for path in paths {
        let Some(surface) = surface(&path) else {
            continue;
        };
        let text = std::fs::read(&path).expect("a recording");
        let Ok(session) = reader.read(name_of(&path), &*text) else {
            continue;
        };
        for thread in session.threads {
            let Some(id) = thread.id.clone() else {
                continue;
            };
            let told = threads.entry(id).or_default();
            told.surfaces.insert(surface);
            told.turns
                .extend(thread.own_turns().map(|turn| of(turn, Side::Stream)));
        }
    }
    threads
}

/// The number of a process: `exec-2.jsonl`.
fn number(path: &Path) -> u32 {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let number = stem.rsplit('-').next();
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

fn surface(path: &Path) -> Option<Surface> {
    let name = name_of(path);
    if name.starts_with("exec-") {
        Some(Surface::Exec)
    } else if name.starts_with("app-server-") {
        Some(Surface::AppServer)
    } else {
        None
    }
}

/// The turns of a thread as its session files have them.
fn file(run: &Run, id: &str) -> Option<Vec<Compared>> {
    let read = run.files_read();
    let mut own: Vec<(&PathBuf, &Thread)> = run
        .files
        .iter()
        .zip(&read)
        .map(|((path, _), file)| (path, &file.thread))
        .filter(|(_, thread)| thread.id.as_deref() == Some(id))
        .collect();
    // A segment has a longer name than the file it goes on from.
    own.sort_by_key(|(path, _)| (name_of(path).len(), name_of(path).to_owned()));
    let turns = own.iter().flat_map(|(_, thread)| thread.own_turns());
    let turns: Vec<Compared> = turns.map(|turn| of(turn, Side::File)).collect();
    (!own.is_empty()).then_some(turns)
}

fn of(turn: &Turn, side: Side) -> Compared {
    let facts = turn.items.iter().filter_map(|item| fact(&item.body, side));
    let mut facts: Vec<Fact> = facts.collect();
    // Things that run at the same time stand in another order.
    facts.sort();
    Compared {
        status: turn.status,
        tokens: turn.tokens(),
        facts,
    }
}

fn fact(body: &Body, side: Side) -> Option<Fact> {
    let (kind, text) = match body {
        Body::Message(message) => {
            let kind = match message.role {
                Role::User => Kind::Prompt,
                Role::Assistant => Kind::Answer,
                Role::Agent => Kind::Letter,
                _ => Kind::Context,
            };
            (kind, message.text.trim().to_owned())
        }
        Body::Reasoning(reasoning) => {
            let words: Vec<&str> = reasoning.summary.split_whitespace().collect();
            (Kind::Reasoning, words.join(" "))
        }
        Body::Command(command) => {
            let end = (command.exit_code, command.status);
            let output = command.output.as_deref().unwrap_or_default();
            let text = format!("{} {end:?} {output:?}", command.command);
            (Kind::Command, text)
        }
        Body::Patch(patch) => {
            let changes = patch.changes.iter();
            let changes: Vec<String> = changes
                .map(|change| format!("{:?} {}", change.kind, change.path))
                .collect();
            let text = format!("{:?} {}", patch.status, changes.join(", "));
            (Kind::Patch, text)
        }
        Body::McpCall(call) => {
            let text = format!(
                "{} {} {} {:?}",
                call.server, call.tool, call.arguments, call.status
            );
            (Kind::McpCall, text)
        }
        Body::ToolCall(call) => (Kind::ToolCall, call.name.clone()),
        Body::WebSearch(search) => (Kind::WebSearch, search.query.clone()),
        Body::Plan(plan) => (Kind::Plan, plan.text.trim().to_owned()),
        Body::TodoList(list) => {
            let steps = list.steps.iter();
            let steps: Vec<String> = steps
                .map(|step| format!("{} {}", step.text, step.is_done))
                .collect();
            (Kind::TodoList, steps.join(", "))
        }
        Body::Image(_) => (Kind::Image, String::new()),
        Body::Compaction(_) => (Kind::Compaction, String::new()),
        Body::Review(review) => (Kind::Review, format!("ends: {}", review.is_end)),
        Body::Approval(approval) => (Kind::Approval, approval.about.clone()),
        Body::SubAgent(agent) => (Kind::SubAgent, agent.action.clone()),
        Body::Error(error) => (Kind::Error, error.message.clone()),
        Body::Warning(warning) => (Kind::Warning, warning.message.clone()),
        Body::HookRun(_) => (Kind::HookRun, String::new()),
        other => (Kind::Other, format!("{other:?}")),
    };
    let status = match body {
        Body::Command(command) => command.status,
        Body::Patch(patch) => patch.status,
        Body::McpCall(call) => call.status,
        _ => None,
    };
    let is_empty = text.is_empty() && matches!(kind, Kind::Answer | Kind::Reasoning);
    (!is_empty).then_some(Fact {
        kind,
        text,
        is_open: status == Some(Status::InProgress),
        side,
    })
}

/// What a stream and a session file say differently of a thread.
fn differences(run: &Run, told: &Told, file: &[Compared]) -> Vec<Difference> {
    let base = Difference {
        release: run.release,
        scenario: run.scenario.clone(),
        has_exec: told.surfaces.contains(&Surface::Exec),
        has_app_server: told.surfaces.contains(&Surface::AppServer),
        kind: Kind::Turns,
        side: Side::Stream,
        text: String::new(),
        is_open: false,
        statuses: None,
        tokens: None,
        other: Vec::new(),
    };
    let mut out = Vec::new();
    if told.turns.len() != file.len() {
        out.push(Difference {
            text: format!("{} turns, and {}", told.turns.len(), file.len()),
            ..base.clone()
        });
        return out;
    }
    for (stream, file) in told.turns.iter().zip(file) {
        if stream.status != file.status {
            out.push(Difference {
                kind: Kind::Status,
                statuses: Some((stream.status, file.status)),
                text: format!("{:?}, and {:?}", stream.status, file.status),
                ..base.clone()
            });
        }
        if stream.tokens != file.tokens {
            out.push(Difference {
                kind: Kind::Tokens,
                tokens: Some((stream.tokens, file.tokens)),
                text: format!("{:?}, and {:?}", stream.tokens, file.tokens),
                ..base.clone()
            });
        }
        let (mut streamed, mut filed) = (stream.facts.clone(), Vec::new());
        for fact in &file.facts {
            match streamed.iter().position(|other| other.is_same(fact)) {
                Some(at) => {
                    streamed.remove(at);
                }
                None => filed.push(fact.clone()),
            }
        }
        for (facts, others) in [(&streamed, &filed), (&filed, &streamed)] {
            for fact in facts {
                out.push(Difference {
                    kind: fact.kind,
                    side: fact.side,
                    text: fact.text.clone(),
                    is_open: fact.is_open,
                    other: others
                        .iter()
                        .filter(|other| other.kind == fact.kind)
                        .map(|other| other.text.clone())
                        .collect(),
                    ..base.clone()
                });
            }
        }
    }
    out
}
