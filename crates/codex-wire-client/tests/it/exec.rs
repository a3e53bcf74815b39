//! Runs of `codex exec --json`: each recording, as a program that prints it and exits as it did.

use std::process::Command;
use std::time::Duration;

use codex_wire_client::Error;
use codex_wire_client::exec::{Completed, Exec};
use golden_files::files::root;

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

#[test]
fn a_recorded_run_succeeds_only_if_its_turn_completed() {
    let (mut succeeded, mut failed, mut silent) = (0, 0, 0);
    for Recorded { path, status, text } in recorded() {
        let result = shell(&format!("cat >/dev/null; cat {path}; exit {status}"))
            .run("Do it.")
            .and_then(codex_wire_client::exec::Run::finish);
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
    let echo = r#"prompt=$(cat); printf '{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"%s: %s"}}\n' "$*" "$prompt"
        echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'"#;
    let run = shell(echo)
        .option("--full-auto")
        .output_schema("/s.json")
        .resume("t")
        .run("Fix it.");
    let Completed { message, .. } = run.expect("it runs").finish().expect("it succeeds");
    let expected = "exec --json --full-auto --output-schema /s.json resume t: Fix it.";
    assert_eq!(message.as_deref(), Some(expected));
}

#[test]
fn a_run_that_is_silent() {
    let begun = std::time::Instant::now();
    let exec = shell("trap '' TERM; exec sleep 600").silence(Duration::from_millis(20));
    let error = exec
        .run("")
        .expect("it runs")
        .finish()
        .expect_err("it is silent");
    assert_eq!(
        error.to_string(),
        "the next event of the run did not come within 20ms"
    );
    // And it is gone.
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn lines_that_are_no_events_and_an_early_end() {
    let mut run = shell("echo Starting; echo '{\"type\":\"turn.started\"}'; echo lost >&2; exit 7")
        .run("")
        .expect("it runs");
    let events: Vec<_> = run
        .by_ref()
        .map(|event| event.map(|event| event.kind()))
        .collect();
    assert_eq!(events.len(), 3, "{events:?}");
    assert!(
        matches!(&events[0], Err(Error::Line(line)) if line.number == 1),
        "{events:?}"
    );
    assert!(events[1].is_ok(), "{events:?}");
    let error = events[2].as_ref().expect_err("it ended early");
    assert_eq!(
        error.to_string(),
        "Codex ended (exit status: 7) before the end of the turn; its last words:\nlost"
    );
    assert!(run.next().is_none());
}
