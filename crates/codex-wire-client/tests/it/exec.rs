//! Runs of `codex exec --json`: each recording, as a program that prints it and exits as it did.

use std::process::Command;
use std::time::{Duration, Instant};

use codex_wire::exec::Event;
use codex_wire_client::Error;
use codex_wire_client::exec::{Completed, EventReader, Exec};
use golden_files::files::root;

use crate::support::{WAYS, Way, next, runtime};

/// Runs it to its end.
fn finish(way: Way, exec: Exec, prompt: &str) -> Result<Completed, Error> {
    match way {
        Way::Threads => exec.run(prompt)?.finish(),
        Way::Tasks => runtime().block_on(async { exec.run_async(prompt)?.finish().await }),
    }
}

/// All that it gives, and what comes after that.
fn events(way: Way, exec: Exec) -> Vec<Option<Result<Event, Error>>> {
    let mut events = Vec::new();
    match way {
        Way::Threads => {
            let mut run = exec.run("").expect("it runs");
            events.extend(run.by_ref().map(Some));
            events.push(run.next());
        }
        Way::Tasks => runtime().block_on(async {
            let mut run = exec.run_async("").expect("it runs");
            while let Some(event) = next(&mut run).await {
                events.push(Some(event));
            }
            events.push(next(&mut run).await);
        }),
    }
    events
}

/// A program that is a shell script.
fn shell(script: &str) -> Exec {
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]);
    Exec::with(command)
}

/// One recording in so many is run: each takes two processes.
const ONE_IN: usize = 5;

/// What a recorded run is.
struct Recorded {
    path: String,
    status: i64,
    text: String,
}

fn recorded() -> Vec<Recorded> {
    let folder = root().join("fixtures/exec");
    let manifest = std::fs::read(folder.join("manifest.json")).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_slice(&manifest).expect("JSON");
    let runs = manifest["transcripts"].as_array().expect("a list").iter();
    let runs = runs.filter(|run| run["form"] != "early" && run["origin"] == "recorded");
    let runs = runs.filter_map(|run| {
        let path = folder.join(run["file"].as_str()?);
        Some(Recorded {
            text: std::fs::read_to_string(&path).ok()?,
            path: path.display().to_string(),
            status: run["exit_code"].as_i64()?,
        })
    });
    runs.step_by(ONE_IN).collect()
}

/// What comes of a run whose output is read in pieces.
fn read(text: &str, status: i64) -> Result<Completed, Error> {
    let mut reader = EventReader::new();
    for piece in text.as_bytes().chunks(7) {
        reader
            .feed(piece)
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
    }
    reader.finish().transpose()?;
    let status = std::os::unix::process::ExitStatusExt::from_raw(((status & 255) as i32) << 8);
    reader.completed(Some(status), "")
}

/// A result that can be compared.
fn summary(result: &Result<Completed, Error>) -> Result<&Completed, String> {
    result.as_ref().map_err(ToString::to_string)
}

#[test]
fn a_recorded_run_succeeds_only_if_its_turn_completed() {
    let (mut succeeded, mut failed, mut silent) = (0, 0, 0);
    for Recorded { path, status, text } in recorded() {
        let exec = shell(&format!(
            "cat >/dev/null; cat {path}; exit {}",
            status & 255
        ));
        // Each of the two runs half of them.
        let way = WAYS[(succeeded + failed + silent) % 2];
        let result = finish(way, exec, "Do it.");
        assert_eq!(summary(&read(&text, status)), summary(&result), "{path}");
        let has = |kind: &str| text.contains(&format!("{{\"type\":\"{kind}\""));
        match result {
            Ok(completed) => {
                succeeded += 1;
                assert!(has("turn.completed") && status == 0, "{path}");
                assert!(
                    completed.usage.is_some() && completed.thread_id.is_some(),
                    "{path}"
                );
                let last = text
                    .lines()
                    .rev()
                    .find(|line| line.contains("\"type\":\"agent_message\""));
                let last =
                    last.map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
                let last = last.and_then(|line| line["item"]["text"].as_str().map(str::to_owned));
                assert_eq!(completed.message, last, "{path}");
            }
            Err(Error::TurnFailed { .. }) => {
                failed += 1;
                assert!(has("turn.failed"), "{path}");
            }
            Err(Error::Ended { .. }) => {
                silent += 1;
                assert!(
                    !has("turn.failed") && (!has("turn.completed") || status != 0),
                    "{path}"
                );
            }
            Err(error) => panic!("{path}: {error}"),
        }
    }
    assert!(
        succeeded > 50 && failed > 10 && silent > 0,
        "{succeeded}, {failed}, {silent}"
    );
}

#[test]
fn arguments_and_the_prompt() {
    // The line feed at its end is not one that we add.
    let echo = r#"prompt=$(cat; echo .); printf '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"%s: %s"}}\n' "$*" "$prompt"
        echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'"#;
    for way in WAYS {
        let exec = shell(echo)
            .option("--full-auto")
            .output_schema("/s.json")
            .resume("t");
        let Completed { message, .. } = finish(way, exec, "Fix it.").expect("it succeeds");
        let expected = "exec --json --full-auto --output-schema /s.json resume t: Fix it..";
        assert_eq!(message.as_deref(), Some(expected));
    }
}

#[test]
fn a_schema_that_is_a_value() {
    // The arguments, and what the file has that they name.
    let echo = r#"cat >/dev/null; for path; do case $path in *.json) text=$(sed 's/"/\\\\"/g' "$path");; esac; done
        printf '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"%s: %b"}}\n' "$*" "$text"
        echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'"#;
    let schema = serde_json::json!({"type": "object"});
    for way in WAYS {
        let exec = shell(echo).output_schema_value(schema.clone()).resume("t");
        let Completed { message, .. } = finish(way, exec, "Fix it.").expect("it succeeds");
        let message = message.expect("a message");
        let (arguments, text) = message.split_once(": ").expect("both");
        assert_eq!(text, r#"{"type":"object"}"#);
        let path = arguments
            .strip_prefix("exec --json --output-schema ")
            .and_then(|rest| rest.strip_suffix(" resume t"));
        let path = path.unwrap_or_else(|| panic!("{arguments}"));
        assert!(!std::path::Path::new(path).exists(), "{path}");
    }
}

#[test]
fn a_run_that_is_silent() {
    for way in WAYS {
        let begun = Instant::now();
        let exec = shell("trap '' TERM; echo $$ >&2; exec sleep 600");
        let error = finish(way, exec.silence(Duration::from_millis(20)), "");
        assert_eq!(
            error.expect_err("it is silent").to_string(),
            "the next event of the run did not come within 20ms"
        );
        // And it is gone.
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn a_run_that_is_left_while_it_writes_ends_at_once() {
    for way in WAYS {
        let exec = shell("while :; do echo '{\"type\":\"turn.started\"}'; done");
        let begun = match way {
            Way::Threads => {
                let mut run = exec.run("").expect("it starts");
                run.next().expect("an event").expect("no error");
                let begun = Instant::now();
                drop(run);
                begun
            }
            Way::Tasks => runtime().block_on(async {
                let mut run = exec.run_async("").expect("it starts");
                run.next_event().await.expect("no error").expect("an event");
                let begun = Instant::now();
                drop(run);
                begun
            }),
        };
        // It would be killed after two seconds.
        assert!(begun.elapsed() < Duration::from_secs(2));
    }
}

#[test]
fn lines_that_are_no_events_and_an_early_end() {
    for way in WAYS {
        let script = "echo Starting; echo '{\"type\":\"turn.started\"}'; echo lost >&2; exit 7";
        let events = events(way, shell(script));
        assert_eq!(events.len(), 4, "{events:?}");
        assert!(
            matches!(&events[0], Some(Err(Error::Line(line))) if line.number == 1),
            "{events:?}"
        );
        assert!(matches!(&events[1], Some(Ok(_))), "{events:?}");
        let Some(Err(error)) = &events[2] else {
            panic!("{events:?}");
        };
        assert_eq!(
            error.to_string(),
            "Codex ended (exit status: 7) before the end of the turn; its last words:\nlost"
        );
        assert!(events[3].is_none());
    }
}

#[test]
fn a_run_that_failed_is_no_success_once_its_events_were_read() {
    let script = r#"echo '{"type":"turn.failed","error":{"message":"no model"}}'; exit 1"#;
    for way in WAYS {
        let finished = match way {
            Way::Threads => {
                let mut run = shell(script).run("").expect("it runs");
                run.by_ref().for_each(drop);
                run.finish()
            }
            Way::Tasks => runtime().block_on(async {
                let mut run = shell(script).run_async("").expect("it runs");
                while next(&mut run).await.is_some() {}
                run.finish().await
            }),
        };
        let error = finished.expect_err("it failed");
        assert_eq!(error.to_string(), "the turn failed: no model", "{way:?}");
    }
}

#[test]
fn a_line_that_is_too_long_is_an_error_in_its_place() {
    let mut reader = EventReader::with_limit(30);
    let long = format!("{{\"type\":\"{}\"}}\n", "x".repeat(100));
    let pieces = [
        "{\"type\":\"turn.started\"}\n",
        &long,
        "{\"type\":\"turn.started\"}",
    ];
    let mut events = Vec::new();
    for piece in pieces.concat().as_bytes().chunks(11) {
        events.extend(reader.feed(piece));
    }
    events.extend(reader.finish());
    let error = events[1].as_ref().expect_err("it is too long");
    assert_eq!(
        (error.number, error.source.offset(), error.text.len()),
        (2, 30, 30)
    );
    assert_eq!(
        error.source.to_string(),
        "the line is longer than 30 bytes at line 1 column 31"
    );
    assert!(
        events[0].is_ok() && events[2].is_ok() && events.len() == 3,
        "{events:?}"
    );
}
