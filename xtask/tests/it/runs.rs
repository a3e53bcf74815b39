//! Runs that are kept whole: how they are imported, and how an edit of one is noticed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use xtask::fixtures::{check, import};

use crate::fixtures::{Small, digest, put};

const SESSION: &str = "home/sessions/2026/11/22/rollout-2026-11-22T15-01-51-a.jsonl";

const LINES: &str = r#"{"timestamp":"t","ordinal":0,"type":"session_meta","payload":{"id":"a"}}
{"timestamp":"t","ordinal":1,"type":"event_msg","payload":{"type":"task_started"}}
"#;

const STREAM: &str = r#"{"kind":"start","transcript":1,"protocol":"app-server","release":"0.169.0","command":["codex","app-server"]}
{"kind":"line","from":"client","ms":6,"line":"{\"id\":1,\"method\":\"initialize\"}"}
{"kind":"line","from":"codex","ms":7,"line":"{\"id\":1,\"result\":{}}"}
"#;

/// The files of a run, and the one that no import takes.
const FILES: [(&str, &str); 4] = [
    ("app-server-1.jsonl", STREAM),
    ("config.toml", "model = \"m\"\n"),
    (SESSION, LINES),
    ("notify.jsonl", "{\"type\":\"agent-turn-complete\"}\n"),
];

/// A small repository with a source of runs.
struct Runs {
    small: Small,
    source: PathBuf,
}

impl Runs {
    fn new(name: &str) -> Self {
        let small = Small::new(name);
        small.import().unwrap();
        let source = small.root().join("../runs");
        let runs = Runs { small, source };
        runs.record("rollout", &["turn"]);
        runs
    }

    /// Writes runs of some scenarios to the source, and the manifest of just those.
    fn record(&self, folder: &str, scenarios: &[&str]) {
        let entries: Vec<Value> = scenarios
            .iter()
            .map(|scenario| {
                let path = format!("{folder}/0.169.0/{scenario}");
                let files = FILES.map(|(file, text)| {
                    put(&self.source.join(&path).join(file), text);
                    json!({"path": file, "bytes": text.len(), "sha256": digest(text)})
                });
                let server = json!({"file": "app-server-1.jsonl", "argv": ["codex", "app-server"]});
                json!({
                    "release": "0.169.0", "scenario": scenario, "path": path,
                    "runs": [server], "notes": [], "files": files,
                })
            })
            .collect();
        let manifest = self.source.join(format!("manifest-{folder}.json"));
        put(&manifest, &Value::from(entries).to_string());
    }

    fn import(&self) -> anyhow::Result<String> {
        let done = import(self.small.root(), std::slice::from_ref(&self.source))?;
        Ok(done.to_string())
    }

    fn imported(name: &str) -> Self {
        let runs = Runs::new(name);
        runs.import().unwrap();
        assert_eq!(runs.problems(), Vec::<String>::new());
        runs
    }

    fn problems(&self) -> Vec<String> {
        check(self.small.root()).unwrap()
    }

    fn path(&self, file: &str) -> PathBuf {
        self.small
            .root()
            .join("fixtures/rollout/0.169.0")
            .join(file)
    }

    fn manifest(&self, folder: &str) -> Value {
        let path = format!("fixtures/{folder}/manifest.json");
        let text = fs::read_to_string(self.small.root().join(path)).unwrap();
        serde_json::from_str(&text).unwrap()
    }
}

pub(crate) fn a_run_is_imported_whole() {
    let runs = Runs::new("runs-import");
    let report = runs.import().unwrap();
    assert!(
        report.starts_with("3 copied, 1 kept, 0 removed; "),
        "{report}"
    );
    assert_eq!(runs.problems(), Vec::<String>::new());
    let read = |file: &str| fs::read_to_string(runs.path(&format!("turn/{file}"))).unwrap();
    assert_eq!(read(SESSION), LINES);
    assert_eq!(read("app-server-1.jsonl"), STREAM);
    assert!(!Path::new(&runs.path("turn/config.toml")).exists());
    let entry = &runs.manifest("rollout")["runs"][0];
    assert_eq!(
        entry["holds"],
        json!(["event_msg:task_started", "ordinal", "session_meta"])
    );
    assert_eq!(entry["files"][1]["sha256"], digest(LINES));
}

pub(crate) fn what_another_release_wrote_is_named() {
    let runs = Runs::imported("runs-cross");
    runs.record("rollout-cross", &["from_0.63.0"]);
    runs.import().unwrap();
    assert_eq!(runs.problems(), Vec::<String>::new());
    assert_eq!(runs.manifest("rollout-cross")["runs"][0]["from"], "0.63.0");
    runs.record("rollout", &["unheard_of"]);
    let error = format!("{:#}", runs.import().unwrap_err());
    assert_eq!(
        error,
        "fixtures/rollout/selection.json does not say what unheard_of shows"
    );
}

pub(crate) fn runs_that_are_not_imported_again_stay() {
    let runs = Runs::imported("runs-again");
    let selection = "fixtures/rollout/selection.json";
    let select = |scenarios: Value| {
        let text = json!({
            "scenarios": {"turn": "a turn", "other": "another"},
            "picks": [{"why": "w", "releases": ["0.169.0"], "scenarios": scenarios}],
        });
        put(&runs.small.root().join(selection), &text.to_string());
    };
    select(json!([]));
    runs.record("rollout", &["other"]);
    let report = runs.import().unwrap();
    assert!(
        report.starts_with("3 copied, 4 kept, 0 removed; "),
        "{report}"
    );
    select(json!(["other"]));
    assert_eq!(
        runs.problems(),
        ["fixtures/rollout/0.169.0/turn: is not selected"]
    );
    let report = runs.import().unwrap();
    assert!(
        report.starts_with("3 copied, 1 kept, 3 removed; "),
        "{report}"
    );
    assert!(!runs.path("turn").exists());
    assert_eq!(runs.problems(), Vec::<String>::new());
}

pub(crate) fn an_altered_run_is_refused() {
    let runs = Runs::new("runs-refuse");
    put(&runs.source.join("rollout/0.169.0/turn").join(SESSION), "");
    let error = format!("{:#}", runs.import().unwrap_err());
    assert!(error.ends_with("is not what its manifest says"), "{error}");
    assert!(!runs.path("turn").exists());
    let raw = STREAM.replace(r#""kind":"start""#, r#""kind":"begin""#);
    let file = runs.source.join("rollout/0.169.0/turn/app-server-1.jsonl");
    put(&file, &raw);
    let manifest = runs.source.join("manifest-rollout.json");
    let text = fs::read_to_string(&manifest).unwrap();
    put(&manifest, &text.replace(&digest(STREAM), &digest(&raw)));
    let error = format!("{:#}", runs.import().unwrap_err());
    assert_eq!(
        error,
        "rollout/0.169.0/turn: app-server-1.jsonl is not a transcript: `codex-wire convert` makes one of it"
    );
}

pub(crate) fn an_edit_of_a_run_is_noticed() {
    let expect = |name: &str, file: &str, text: Option<&str>, expected: &[&str]| {
        let runs = Runs::imported(name);
        match text {
            Some(text) => put(&runs.path(file), text),
            None => fs::remove_file(runs.path(file)).unwrap(),
        }
        let expected: Vec<String> = expected
            .iter()
            .map(|problem| format!("fixtures/rollout/0.169.0/{problem}"))
            .collect();
        assert_eq!(runs.problems(), expected, "{name}");
    };
    let session = format!("turn/{SESSION}");
    let differ = |what: &str| format!("turn: {SESSION}: {what}");
    let digest = differ("sha256 differs from the manifest");
    let size = differ("size differs from the manifest");
    let held = "turn: what its session files hold differs from the manifest";
    expect(
        "runs-digit",
        &session,
        Some(&LINES.replacen('1', "2", 1)),
        &[&digest],
    );
    expect(
        "runs-shorter",
        &session,
        Some(LINES.lines().next().unwrap()),
        &[&digest, &size, held],
    );
    let torn = &LINES[..LINES.len() - 9];
    let cut = serde_json::from_str::<Value>(torn.lines().last().unwrap()).unwrap_err();
    expect(
        "runs-torn",
        &session,
        Some(torn),
        &[&digest, &size, &differ(&format!("line 2: {cut}")), held],
    );
    let private = LINES.replace(r#""id":"a""#, r#""id":"/home/alice""#);
    expect(
        "runs-private",
        &session,
        Some(&private),
        &[&digest, &size, &differ("contains `/home/`")],
    );
    expect(
        "runs-gone",
        "turn/notify.jsonl",
        None,
        &["turn/notify.jsonl: listed in the manifest, not there"],
    );
    expect(
        "runs-more",
        "turn/home/history.jsonl",
        Some(""),
        &["turn/home/history.jsonl: not listed in the manifest"],
    );
}

/// A run of a hook as it was recorded, and as it is kept.
const HOOK: &str = r#"{"n": 1, "event": "Stop", "label": null, "stdin": "{}", "cwd": "/w", "env": {"A": "b"}, "stdout": "", "stderr": "", "exit": 0}
"#;
const KEPT: &str = r#"{"n":1,"event":"Stop","stdin":"{}","cwd":"/w","stdout":"","stderr":"","exit":0}
"#;

pub(crate) fn runs_of_hooks_and_payloads_are_imported() {
    let runs = Runs::new("runs-hooks");
    let path = "hooks/0.169.0/stop";
    put(&runs.source.join(path).join("hooks.jsonl"), HOOK);
    let entry = |digest: String| {
        let file = json!({"path": "hooks.jsonl", "sha256": digest});
        let entry =
            json!([{"release": "0.169.0", "scenario": "stop", "path": path, "files": [file]}]);
        put(&runs.source.join("manifest-hooks.json"), &entry.to_string());
    };
    entry(digest("another"));
    let error = format!("{:#}", runs.import().unwrap_err());
    assert_eq!(
        error,
        format!("{path}: hooks.jsonl is not what its manifest says")
    );
    entry(digest(HOOK));
    runs.import().unwrap();
    assert_eq!(runs.problems(), Vec::<String>::new());
    let root = runs.small.root().join("fixtures");
    let kept = root.join("hooks/0.169.0/stop.jsonl");
    assert_eq!(fs::read_to_string(&kept).unwrap(), KEPT);
    let listed = &runs.manifest("hooks")["transcripts"][0];
    assert_eq!(listed["recording_sha256"], digest(HOOK));
    assert_eq!(listed["lines"], 1);
    let payloads = root.join("notify/0.169.0.jsonl");
    assert_eq!(fs::read_to_string(&payloads).unwrap(), FILES[3].1);

    // An edit is noticed, whichever it is.
    let problems_after = |path: &Path, text: &str| {
        let before = fs::read_to_string(path).unwrap();
        put(path, text);
        let problems = runs.problems().join("\n");
        put(path, &before);
        problems
    };
    let found = problems_after(&kept, &KEPT.replace("\"n\":1,", ""));
    for problem in [
        "fixtures/hooks/0.169.0/stop.jsonl: sha256 differs from the manifest",
        "fixtures/hooks/0.169.0/stop.jsonl: line 1 is not one of fixtures/hooks",
    ] {
        assert!(found.contains(problem), "{found}");
    }
    let found = problems_after(&kept, &(KEPT.to_owned() + KEPT));
    assert!(found.contains("number of lines differs"), "{found}");
    let found = problems_after(&kept, &KEPT.replace("/w", "/home/anna"));
    assert!(found.contains("contains `/home/`"), "{found}");
    let found = problems_after(&payloads, "{\"type\":\"other\"}\n");
    assert!(
        found.contains("not what the runs in fixtures/rollout have"),
        "{found}"
    );
    fs::remove_file(&kept).unwrap();
    let found = runs.problems().join("\n");
    assert!(
        found.contains("listed in the manifest, not there"),
        "{found}"
    );
}
