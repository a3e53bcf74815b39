//! The view of a session, over all recorded session files: tokens against the totals that Codex
//! itself wrote, and that each message is there once.

use codex_wire::Release;
use codex_wire::rollout::session::{Entry, MessageKind, Session, Turn, TurnStatus};
use serde_json::Value;

use crate::rollout_recordings::{json_lines, last_usage, lines, runs};
use crate::support::files;

#[test]
fn every_recorded_file_is_read_whole() {
    for run in ["rollout", "rollout-cross"].into_iter().flat_map(runs) {
        for ((path, _), session) in run.files.iter().zip(run.sessions()) {
            assert!(
                session.unread.is_empty(),
                "{}: {:?}",
                files::short(path),
                session.unread
            );
            assert!(session.id.is_some(), "{}", files::short(path));
        }
    }
}

/// What `codex exec` printed as messages is there once.
#[test]
fn messages_are_those_that_exec_printed() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for run in runs("rollout") {
        let sessions = run.sessions();
        let streams = run.printed();
        let [text] = streams.as_slice() else {
            continue;
        };
        if run.has_client() {
            continue;
        }
        let items: Vec<Value> = json_lines(text)
            .filter(|line| line["type"] == "item.completed")
            .map(|line| line["item"].clone())
            .collect();
        let Some((thread, _)) = last_usage(text) else {
            continue;
        };
        let mine: Vec<&Session> = sessions
            .iter()
            .filter(|session| session.id.as_deref() == Some(&*thread))
            .collect();
        let [session] = mine.as_slice() else { continue };
        if items.iter().any(|item| item.get("type").is_none())
            || session.lineage.history_base.is_some()
        {
            continue;
        }
        let printed: Vec<&str> = items
            .iter()
            .filter(|item| item["type"] == "agent_message")
            .filter_map(|item| item["text"].as_str())
            .collect();
        let own = || session.turns.iter().filter(|turn| !turn.is_copied);
        let mut answers = Vec::new();
        for message in own().flat_map(Turn::messages) {
            if message.kind == MessageKind::Answer {
                answers.push(&*message.text);
            }
        }
        let is_review = own().any(|turn| {
            turn.entries
                .iter()
                .any(|entry| matches!(entry, Entry::ReviewStarted(_)))
        });
        // Some releases print what other agents say as well, 0.98.0 for one.
        if is_review || !session.children.is_empty() {
            continue;
        }
        compared += 1;
        if answers != printed {
            wrong.push(format!(
                "{}: {answers:?}, printed {printed:?}",
                files::short(&run.folder)
            ));
        }
    }
    assert!(wrong.is_empty(), "{compared} compared, wrong: {wrong:#?}");
    assert!(compared > 50, "only {compared} compared");
}

/// Each prompt is there once, whatever the release.
#[test]
fn prompts_are_there_once() {
    for run in runs("rollout") {
        for ((path, text), session) in run.files.iter().zip(run.sessions()) {
            let mut said: Vec<String> = lines(text)
                .filter_map(|line| {
                    let payload = &line["payload"];
                    let item = &payload["item"];
                    match payload["type"].as_str()? {
                        "user_message" => payload["message"].as_str().map(str::to_owned),
                        "item_completed" if item["type"] == "UserMessage" => {
                            let parts = item["content"].as_array()?.iter();
                            Some(parts.filter_map(|part| part["text"].as_str()).collect())
                        }
                        _ => None,
                    }
                })
                .collect();
            if said.is_empty() {
                continue;
            }
            // The parent of a review has the task twice.
            if session.turns.iter().any(|turn| {
                turn.entries
                    .iter()
                    .any(|entry| matches!(entry, Entry::ReviewStarted(_)))
            }) {
                said.dedup();
            }
            let prompts = session.turns.iter().flat_map(Turn::messages);
            let prompts: Vec<&str> = prompts
                .filter(|message| message.kind == MessageKind::Prompt)
                .map(|message| &*message.text)
                .collect();
            assert_eq!(prompts, said, "{}", files::short(path));
        }
    }
}

/// A fork counts what it used itself.
#[test]
fn copies_count_once() {
    let mut forks = 0;
    for run in runs("rollout") {
        for ((path, text), session) in run.files.iter().zip(run.sessions()) {
            let is_copy = lines(text)
                .nth(1)
                .is_some_and(|line| line["type"] == "session_meta");
            if !is_copy || run.scenario != "fork" {
                continue;
            }
            forks += 1;
            let copied = session.turns.iter().filter(|turn| turn.is_copied).count();
            assert_eq!(copied, 2, "{}", files::short(path));
            assert_eq!(session.tokens().total, 1234, "{}", files::short(path));
        }
    }
    assert!(forks > 5, "only {forks} forks");
}

/// What the user said does not stand beside it as context too.
#[test]
fn prompts_are_no_context() {
    for run in runs("rollout") {
        for ((path, _), session) in run.files.iter().zip(run.sessions()) {
            for turn in &session.turns {
                let of = |kind: MessageKind| {
                    let messages = turn.messages().filter(move |message| message.kind == kind);
                    messages.map(|message| message.text.trim())
                };
                for prompt in of(MessageKind::Prompt) {
                    let mut context = of(MessageKind::Context);
                    assert!(
                        !context.any(|text| text == prompt),
                        "{}: {prompt}",
                        files::short(path)
                    );
                }
            }
        }
    }
}

/// Commands have their output, and turns their ends, from the release on that marks them.
#[test]
fn commands_have_outputs_and_turns_have_ends() {
    let mut commands = 0;
    for run in runs("rollout") {
        if run.scenario != "commands" {
            continue;
        }
        for ((path, _), session) in run.files.iter().zip(run.sessions()) {
            for turn in &session.turns {
                let is_marked = run.release >= Release::new(0, 100, 0);
                let expected = if is_marked {
                    TurnStatus::Completed
                } else {
                    TurnStatus::Unmarked
                };
                assert_eq!(turn.status, expected, "{}", files::short(path));
                assert!(turn.settings.model.is_some() || run.release < Release::new(0, 36, 0));
                for command in turn.commands() {
                    assert!(
                        command.output.is_some(),
                        "{}: {command:?}",
                        files::short(path)
                    );
                    assert!(
                        !command.command.is_empty(),
                        "{}: {command:?}",
                        files::short(path)
                    );
                    commands += 1;
                }
                let mut codes = turn.commands().filter_map(|command| command.exit_code);
                assert!(codes.any(|code| code == 0), "{}", files::short(path));
            }
        }
    }
    assert!(commands > 30, "only {commands} commands");
}
