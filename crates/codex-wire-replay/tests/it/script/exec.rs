//! `codex exec`.

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_replay::ExecPlay;
use codex_wire_replay::script::{ExecRun, Script, Settings, exec};
use serde_json::Value;

use super::support::{checker, findings, lines, names, script, shortened, transcript};

fn play(script: &Script, release: Release) -> Result<ExecPlay, String> {
    let played = exec(script, release, &ExecRun::default(), &Settings::default());
    played.map_err(|error| error.to_string())
}

#[test]
fn every_release_plays_every_script_without_a_finding() {
    let mut complaints = Vec::new();
    let mut played = 0;
    let legacy = MessageSet::ExecLegacy.release_list().releases().iter();
    // 0.42.0 speaks both, and its script is played in the newer dialect.
    let legacy = legacy.filter(|release| **release < Release::new(0, 42, 0));
    for release in legacy.chain(Protocol::Exec.release_list().releases()) {
        let checker = checker(Protocol::Exec, *release);
        for name in names() {
            let play = match play(&script(&name), *release) {
                Ok(play) => play,
                Err(error) => {
                    let spawn = name == "spawn" && error.contains("`spawn` needs 0.92.0 or later");
                    let decline =
                        name == "decline" && error.contains("`run` needs 0.63.0 or later");
                    if !spawn && !decline {
                        complaints.push(format!("{release} {name} {error}"));
                    }
                    continue;
                }
            };
            let lines = lines(&play).into_iter();
            let lines: Vec<_> = lines.map(|line| ("codex", line)).collect();
            let status = (!play.hangs()).then_some(play.status());
            let transcript = transcript(Protocol::Exec, *release, &lines, status);
            let outcome = checker.check(&name, transcript.as_bytes());
            let mut found = findings(&outcome, &transcript);
            found.retain(|found| {
                // The script says that the stream never ends, so it is not finished: that of a real one
                // that hangs is not either.
                let hangs = play.hangs() && found.contains("sequence/exec-unfinished");
                // Codex itself writes the id of a search twice from 0.92.0 on, as all recordings of searches
                // have it, and the checker warns of it. To write it once would be wrong.
                let search = *release >= Release::new(0, 92, 0)
                    && found.starts_with("warning framing/duplicate-id: the key `id`")
                    && found.contains("web_search");
                !hangs && !search
            });
            complaints.extend(
                found
                    .into_iter()
                    .map(|found| format!("{release} {name} {found}")),
            );
            played += 1;
        }
    }
    assert!(complaints.is_empty(), "{}", shortened(&complaints));
    assert!(played > 2000, "{played} streams");
}

#[test]
fn a_resumed_thread_goes_on_with_the_next_turn() {
    let script = script("turns");
    let resumed = |release, turns| {
        let run = ExecRun::new().resume("0199a213-81c0-7800-8aa1-bbab2a035a53", turns);
        let play = exec(&script, release, &run, &Settings::default()).unwrap();
        let lines: Vec<Value> = lines(&play)
            .iter()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let usage = lines.last().unwrap()["usage"]["input_tokens"].clone();
        let thread = lines[0]["thread_id"].clone();
        (thread, lines[2]["item"]["text"].clone(), usage)
    };
    let thread = Value::from("0199a213-81c0-7800-8aa1-bbab2a035a53");
    let new = Release::new(0, 169, 0);
    // Two answers of the first turn and one of the second, 137 tokens each.
    assert_eq!(
        resumed(new, 1),
        (thread.clone(), "Second.".into(), (3 * 137).into())
    );
    assert_eq!(
        resumed(new, 2),
        (thread.clone(), "Second.".into(), (4 * 137).into())
    );
    // Older releases count each run for itself.
    assert_eq!(
        resumed(Release::new(0, 63, 0), 1),
        (thread, "Second.".into(), 137.into())
    );
}

#[test]
fn the_same_seed_plays_the_same_lines() {
    let script = script("mixed");
    let release = Release::new(0, 125, 0);
    let play = |seed| {
        let settings = Settings::new().seed(seed);
        exec(&script, release, &ExecRun::default(), &settings).unwrap()
    };
    assert_eq!(play(7), play(7));
    assert_ne!(play(7), play(8));
}
