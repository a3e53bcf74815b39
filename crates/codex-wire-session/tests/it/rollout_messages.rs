//! The messages of all recorded session files: each is there once.

use codex_wire_base::Release;
use codex_wire_session::{Body, Role, Turn, TurnStatus};
use serde_json::Value;

use crate::recordings::{FileRead, json_lines, last_usage, lines, runs, thread_of};
use golden_files::files;

/// Whether a review begins in the turn.
fn is_review(turn: &Turn) -> bool {
    let begins = |body: &Body| matches!(body, Body::Review(review) if !review.is_end);
    turn.items.iter().any(|item| begins(&item.body))
}

#[test]
fn every_recorded_file_is_read_whole() {
    for run in ["rollout", "rollout-cross"].into_iter().flat_map(runs) {
        for ((path, _), file) in run.files.iter().zip(run.files_read()) {
            assert!(
                file.session.unread.is_empty(),
                "{}: {:?}",
                files::short(path),
                file.session.unread
            );
            assert!(file.thread.id.is_some(), "{}", files::short(path));
        }
    }
}

/// What `codex exec` printed as messages is there once.
/// Where a file marks no ends, a turn ends before the first line of the next one, without the idle time between them.
#[test]
fn turns_end_before_the_next_one() {
    let mut compared = 0;
    for run in ["rollout", "rollout-cross", "accounting"]
        .into_iter()
        .flat_map(runs)
    {
        for ((path, _), file) in run.files.iter().zip(run.files_read()) {
            for turns in file.thread.turns.windows(2) {
                let [before, after] = turns else { continue };
                if before.status != TurnStatus::Unmarked {
                    continue;
                }
                let place = files::short(path);
                assert!(
                    before.lines.to < after.lines.from,
                    "{place}: {:?}, {:?}",
                    before.lines,
                    after.lines
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "only {compared}");
    let path = "fixtures/accounting/0.44.0/resumed_with_another_model/home";
    let file = files::below(&files::root().join(path), "jsonl").remove(0);
    let thread = thread_of(&std::fs::read(file).expect("a session file"));
    // The next prompt comes hundreds of milliseconds later.
    assert!(thread.turns[0].took_ms().is_some_and(|ms| ms < 50));
}

/// A resume applies settings before it begins a turn: they are not those of a turn that never ended.
#[test]
fn settings_of_a_resume_are_of_its_turn() {
    let path = "fixtures/rollout/0.169.0/resume/home";
    let file = files::below(&files::root().join(path), "jsonl").remove(0);
    let text = std::fs::read_to_string(file).expect("a session file");
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().position(|line| line.contains("task_complete"));
    let end = end.expect("the first turn ends");
    let killed = [
        &lines[..end].join("\n"),
        &lines[end + 1..].join("\n").replace("gpt-5.5", "gpt-6"),
    ]
    .map(|lines| format!("{lines}\n"));
    let of = |text: &str| {
        let turn = thread_of(text.as_bytes()).turns.swap_remove(0);
        (turn.status, turn.settings, turn.ended, turn.lines)
    };
    let alone = of(&killed[0]);
    assert_eq!(alone.0, TurnStatus::Unfinished);
    assert_eq!(of(&killed.concat()), alone);
    // Settings may be applied more than once.
    let applied = killed[1].lines().next().expect("the settings");
    assert!(applied.contains("thread_settings_applied"));
    assert_eq!(of(&format!("{}{applied}\n{}", killed[0], killed[1])), alone);
    // Within a turn they are its own.
    let changed = format!("{}{applied}\n{}\n", killed[0], lines[end]);
    assert_ne!(of(&changed).1, alone.1);
}

#[test]
fn messages_are_those_that_exec_printed() {
    let mut compared = 0;
    let mut wrong = Vec::new();
    for run in runs("rollout") {
        let read = run.files_read();
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
        let mine: Vec<&FileRead> = read
            .iter()
            .filter(|file| file.thread.id.as_deref() == Some(&*thread))
            .collect();
        let [file] = mine.as_slice() else { continue };
        if items.iter().any(|item| item.get("type").is_none())
            || file.thread.lineage.continues.is_some()
        {
            continue;
        }
        let printed: Vec<&str> = items
            .iter()
            .filter(|item| item["type"] == "agent_message")
            .filter_map(|item| item["text"].as_str())
            .collect();
        let messages = file.thread.own_turns().flat_map(Turn::messages);
        let answers = messages.filter(|message| message.role == Role::Assistant);
        let answers: Vec<&str> = answers.map(|message| &*message.text).collect();
        let has_review = file.thread.own_turns().any(is_review);
        // Some releases print what other agents say as well, 0.98.0 for one.
        if has_review || !file.thread.children.is_empty() {
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
        for ((path, text), file) in run.files.iter().zip(run.files_read()) {
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
            if file.thread.turns.iter().any(is_review) {
                said.dedup();
            }
            let prompts = file.thread.turns.iter().flat_map(Turn::messages);
            let prompts: Vec<&str> = prompts
                .filter(|message| message.role == Role::User)
                .map(|message| &*message.text)
                .collect();
            assert_eq!(prompts, said, "{}", files::short(path));
        }
    }
}

/// Reasoning is there once, as its item has it, wherever its events stand.
#[test]
fn reasoning_is_there_once() {
    let mut compared = 0;
    for run in runs("rollout") {
        // Where a turn is interrupted, events stand without their item.
        if run.scenario != "reasoning" {
            continue;
        }
        for ((path, text), file) in run.files.iter().zip(run.files_read()) {
            let items: Vec<Value> = lines(text)
                .map(|line| match line.get("payload") {
                    Some(payload) => payload.clone(),
                    None => line,
                })
                .filter(|item| item["type"] == "reasoning")
                .collect();
            let summaries = items.iter().map(|item| {
                let parts = item["summary"].as_array().into_iter().flatten();
                let parts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
                parts.join("\n\n")
            });
            let summaries: Vec<String> = summaries.collect();
            let bodies = file.thread.turns.iter().flat_map(|turn| &turn.items);
            let bodies = bodies.filter_map(|item| match &item.body {
                Body::Reasoning(reasoning) => Some(&*reasoning.summary),
                _ => None,
            });
            let bodies: Vec<&str> = bodies.collect();
            assert_eq!(bodies, summaries, "{}", files::short(path));
            compared += bodies.len();
        }
    }
    assert!(compared > 10, "only {compared}");
}

/// What other agents write to a sub-agent, whatever the form.
#[test]
fn letters_have_their_authors() {
    for (place, expected) in [("0.142.0/collab_v2", 3), ("0.150.1/collab_v2", 2)] {
        let path = files::root().join("fixtures/rollout").join(place);
        let run = runs("rollout").into_iter().find(|run| run.folder == path);
        let read = run.expect("the run").files_read();
        let is_kid = |file: &&FileRead| {
            let path = file.thread.lineage.path.as_deref();
            path == Some("/root/kid_one")
        };
        let kid = read.iter().find(is_kid).expect("a sub-agent");
        let messages = kid.thread.turns.iter().flat_map(Turn::messages);
        let letters = messages.filter(|message| message.role == Role::Agent);
        let authors: Vec<_> = letters.map(|letter| letter.author.as_deref()).collect();
        assert_eq!(authors, vec![Some("/root"); expected], "{place}");
    }
}

/// A fork counts what it used itself.
#[test]
fn copies_count_once() {
    let mut forks = 0;
    for run in runs("rollout") {
        for ((path, text), file) in run.files.iter().zip(run.files_read()) {
            let is_copy = lines(text)
                .nth(1)
                .is_some_and(|line| line["type"] == "session_meta");
            if !is_copy || run.scenario != "fork" {
                continue;
            }
            forks += 1;
            let copied = file
                .thread
                .turns
                .iter()
                .filter(|turn| turn.is_copied)
                .count();
            assert_eq!(copied, 2, "{}", files::short(path));
            assert_eq!(file.thread.tokens.total, 1234, "{}", files::short(path));
        }
    }
    assert!(forks > 5, "only {forks} forks");
}

/// What the user said does not stand beside it as context too.
#[test]
fn prompts_are_no_context() {
    for run in runs("rollout") {
        for ((path, _), file) in run.files.iter().zip(run.files_read()) {
            for turn in &file.thread.turns {
                let of = |role: Role| {
                    let messages = turn.messages().filter(move |message| message.role == role);
                    messages.map(|message| message.text.trim())
                };
                for prompt in of(Role::User) {
                    let mut context = of(Role::Context);
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
        for ((path, _), file) in run.files.iter().zip(run.files_read()) {
            for turn in &file.thread.turns {
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
