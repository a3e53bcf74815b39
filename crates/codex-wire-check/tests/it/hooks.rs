//! Hooks and `notify`: recorded payloads conform to their release, and an output of a hook has an error
//! exactly if a real Codex refused it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use codex_wire::{Protocol, Release};
use codex_wire_check::{
    Checker, Finding, HookDocument, HookEffect, Options, Severity, Verdict, Writer,
};
use codex_wire_testing::describe;
use libtest_mimic::{Failed, Trial};
use probes::Probes;
use probes::hooks::{EVENTS, Output};
use serde_json::{Value, json};

use crate::support::{fixtures, name, release_of, transcripts, trial};

static PROBES: LazyLock<Probes> = LazyLock::new(|| {
    let root = fixtures().join("..");
    Probes::load(&probes::folder::folder(&root)).unwrap()
});

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials: Vec<Trial> = Vec::new();
    for path in transcripts("hooks") {
        let title = format!("conform::{}", name(&path));
        trials.push(Trial::test(title, move || conforms(&path, Protocol::Hooks)));
    }
    for path in payloads("notify") {
        let title = format!("conform::{}", name(&path));
        trials.push(Trial::test(title, move || {
            conforms(&path, Protocol::Notify)
        }));
    }
    for path in payloads("hooks-outcomes") {
        let title = format!("hooks::{}", name(&path));
        let own = path.clone();
        trials.push(Trial::test(title, move || outcomes(&own)));
        let title = format!("hooks::effects::{}", name(&path));
        trials.push(Trial::test(title, move || effects(&path)));
    }
    for event in EVENTS {
        let title = format!("hooks::probed::{}", event.name);
        trials.push(Trial::test(title, move || probed(event.name)));
    }
    trials.push(trial("hooks::documents", documents));
    trials.push(trial("hooks::effects_are_told", effects_are_told));
    let name = "hooks::outputs_that_are_not_utf_8";
    trials.push(trial(name, outputs_that_are_not_utf_8));
    trials
}

/// The files `FOLDER/RELEASE.jsonl`.
fn payloads(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixtures().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "jsonl")
    });
    paths.sort();
    assert!(!paths.is_empty(), "{folder} has no files");
    paths
}

fn release(path: &Path) -> Release {
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    match stem.and_then(|stem| stem.parse().ok()) {
        Some(release) => release,
        None => release_of(path).unwrap(),
    }
}

/// What Codex wrote is exactly what its release writes, and the release is among those identified.
fn conforms(path: &Path, protocol: Protocol) -> Result<(), Failed> {
    let text = std::fs::read(path)?;
    let release = release(path);
    let mut options = Options::exact(protocol, release);
    options.side = Some(Writer::Codex);
    let outcome = Checker::new(options)?.check(&name(path), text.as_slice());
    if outcome.verdict != Verdict::Conforms || !outcome.findings.is_empty() {
        return Err(describe(&outcome).into());
    }
    let found = Checker::new(Options::new())?.identify(text.as_slice())?;
    if found.protocol != Some(protocol) {
        return Err(format!("identified as {found:?}").into());
    }
    match found
        .releases
        .as_ref()
        .is_some_and(|found| found.contains(release))
    {
        true => Ok(()),
        false => Err(format!("{release} is not among {:?}", found.releases).into()),
    }
}

/// Whether a finding says that Codex refuses the output. Of a key that stands twice Codex takes the last.
fn refuses(finding: &Finding) -> bool {
    finding.severity == Severity::Error && finding.rule.id != "framing/duplicate-key"
}

/// A real Codex was given each output, and said what it made of it.
fn outcomes(path: &Path) -> Result<(), Failed> {
    let checker = Checker::new(Options::exact(Protocol::Hooks, release(path)))?;
    let text = std::fs::read_to_string(path)?;
    let mut wrong = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let outcome = checker.check("-", line.as_bytes());
        let record: Value = serde_json::from_str(line)?;
        let expected = record["status"] == "failed";
        let found: Vec<&str> = outcome
            .findings
            .iter()
            .filter(|finding| refuses(finding))
            .map(|finding| finding.rule.id)
            .collect();
        if expected == found.is_empty() {
            wrong.push(format!("{}: {found:?} for {record}", index + 1));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// A real Codex said what it did because of each output.
fn effects(path: &Path) -> Result<(), Failed> {
    let checker = Checker::new(Options::exact(Protocol::Hooks, release(path)))?;
    let text = std::fs::read_to_string(path)?;
    let mut wrong = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let record: Value = serde_json::from_str(line)?;
        let text = |name: &str| record[name].as_str().unwrap_or_default();
        let exit = i32::try_from(record["exit"].as_i64().unwrap_or_default())?;
        let decided = checker.hook_effect(
            text("event"),
            None,
            exit,
            text("stdout").as_bytes(),
            text("stderr"),
        );
        let found = decided.effect;
        let expected = observed(&record);
        if found != expected {
            wrong.push(format!(
                "{}: {found:?}, not {expected:?}: {record}",
                index + 1
            ));
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// What Codex did, as it said it and as was seen.
fn observed(record: &Value) -> HookEffect {
    let entries = record["entries"].as_str().unwrap_or_default();
    let (ran, asked) = (record["ran"] == true, record["asked"] == true);
    match (record["status"].as_str(), record["event"].as_str()) {
        (Some("failed"), _) => HookEffect::FailsOpen,
        (Some("blocked"), _) => HookEffect::Blocks,
        (Some("stopped"), _) => HookEffect::Stops,
        // Of `PostToolUse` with the exit status 2, Codex says that it is completed, with the reason as feedback.
        _ if entries.contains("feedback:") => HookEffect::Blocks,
        _ if entries.contains("context:") => HookEffect::AddsContext,
        (_, Some("PermissionRequest")) if ran && !asked => HookEffect::Grants,
        // The command of the model leaves a mark, and the one of the hook none.
        (_, Some("PreToolUse")) if !ran => HookEffect::ChangesInput,
        _ => HookEffect::Allows,
    }
}

/// Every release with hooks was given many outputs for an event, and said what it made of them.
fn probed(event: &str) -> Result<(), Failed> {
    // What each release was given, and what it answered.
    let mut asked: BTreeMap<Release, (String, Vec<&str>)> = BTreeMap::new();
    for entry in PROBES.hooks.log.entries() {
        if entry.about != event {
            continue;
        }
        let output = Output::parse(entry.sent, entry.put)?;
        let line = json!({"event": event, "stdout": output.stdout, "stderr": output.stderr,
                          "exit": output.exit});
        for (answer, releases) in entry.answers {
            for release in releases {
                let (lines, answers) = asked.entry(*release).or_default();
                *lines += &format!("{line}\n");
                answers.push(answer);
            }
        }
    }
    if asked.is_empty() {
        return Err("nothing was asked".into());
    }
    let mut wrong = Vec::new();
    for (release, (lines, answers)) in asked {
        let checker = Checker::new(Options::exact(Protocol::Hooks, release))?;
        let outcome = checker.check("-", lines.as_bytes());
        let mut found: Vec<Vec<&str>> = vec![Vec::new(); answers.len()];
        for finding in outcome.findings.iter().filter(|finding| refuses(finding)) {
            let index = usize::try_from(finding.place.line)? - 1;
            found[index].push(finding.rule.id);
        }
        for ((line, answer), found) in lines.lines().zip(answers).zip(found) {
            let expected = answer.split(' ').next() == Some("failed");
            if expected == found.is_empty() {
                wrong.push(format!("{release}: {found:?} for {line}, which {answer}"));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(wrong.join("\n").into()),
    }
}

/// A document may have several lines, and a hook may print text.
fn documents() {
    let checker = Checker::new(Options::new()).unwrap();
    let output = |event| HookDocument::Output {
        event,
        exit: 0,
        stderr: None,
    };
    let found = |document, text: &str| {
        let outcome = checker.check_hook("-", document, text.as_bytes());
        let findings = outcome.findings.iter();
        let found: Vec<String> = findings
            .map(|f| {
                format!(
                    "{} {}:{} {}",
                    f.rule.id, f.place.line, f.place.column, f.place.pointer
                )
            })
            .collect();
        (outcome.verdict, found)
    };
    assert_eq!(
        found(
            output("PreToolUse"),
            "{\n  \"decision\": \"block\",\n  \"reason\": \"é\"\n}\n"
        ),
        (Verdict::Conforms, vec![])
    );
    assert_eq!(
        found(output("PreToolUse"), "{\n  \"é\": 1\n}"),
        (
            Verdict::Findings,
            vec!["schema/unknown-member 2:3 /é".to_owned()]
        )
    );
    assert_eq!(found(output("Stop"), ""), (Verdict::Conforms, vec![]));
    assert_eq!(
        found(output("Stop"), "done"),
        (
            Verdict::Findings,
            vec!["hooks/text-refused 1:1 ".to_owned()]
        )
    );
    assert_eq!(
        found(output("Stop"), "{\"systemMessage\":\n\"a\""),
        (
            Verdict::Findings,
            vec!["framing/malformed-json 2:4 ".to_owned()]
        )
    );
    let input = r#"{
        "session_id": "s", "transcript_path": null, "cwd": "/", "hook_event_name": "SessionStart",
        "model": "m", "permission_mode": "default", "source": "startup"
    }"#;
    assert_eq!(
        found(HookDocument::Input { event: None }, input),
        (Verdict::Conforms, vec![])
    );
    assert_eq!(
        found(
            HookDocument::Input { event: None },
            &input.replace("\"startup\"", "3")
        ),
        (
            Verdict::Findings,
            vec!["schema/wrong-type 3:63 /source".to_owned()]
        )
    );
    assert_eq!(
        found(output("Nope"), "{}"),
        (
            Verdict::Findings,
            vec!["schema/unknown-kind 1:1 ".to_owned()]
        )
    );
}

/// A finding about what a hook prints says what happens then.
fn effects_are_told() {
    let checker = Checker::new(Options::new()).unwrap();
    for text in ["{\"unknown\":1}", "[]", "{", "{\"decision\":\"block\"}"] {
        let document = HookDocument::Output {
            event: "PreToolUse",
            exit: 0,
            stderr: None,
        };
        let outcome = checker.check_hook("-", document, text.as_bytes());
        let helps: Vec<_> = outcome.findings.iter().map(|f| f.help.as_deref()).collect();
        let says = |help: &Option<&str>| help.is_some_and(|help| help.contains("the tool runs"));
        assert!(helps.iter().any(says), "{text}: {helps:?}");
    }
}

/// Codex replaces what is not UTF-8, and looks at the exit status all the same.
fn outputs_that_are_not_utf_8() {
    let checker = Checker::new(Options::new()).unwrap();
    for (event, exit, stdout, effect) in [
        ("PreToolUse", 2, &b"caf\xe9"[..], HookEffect::Blocks),
        ("PreToolUse", 0, b"caf\xe9", HookEffect::Allows),
        ("UserPromptSubmit", 0, b"caf\xe9", HookEffect::AddsContext),
        ("SessionEnd", 0, b"caf\xe9", HookEffect::Allows),
        (
            "PreToolUse",
            0,
            b"{\"decision\":\"block\",\"reason\":\"caf\xe9\"}",
            HookEffect::Blocks,
        ),
    ] {
        let decided = checker.hook_effect(event, None, exit, stdout, "no");
        assert_eq!(decided.effect, effect, "{event} {exit}");
    }
}
