use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::Digest as _;
use xtask::fixtures::{HOOKS, NOTIFY, OUTCOMES, RUNS, TRACES, check, import};
use xtask::repository;

pub(crate) fn files_and_manifests_agree() {
    assert_eq!(check(&repository()).unwrap(), Vec::<String>::new());
}

const TURN: &str =
    "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n";

const LEGACY: &str = "{\"prompt\":\"p\"}\n{\"id\":\"1\",\"msg\":{\"type\":\"task_started\"}}\n";

const CORE: &str = r#"{"kind":"start","transcript":1,"protocol":"core","release":"0.42.0","command":["codex","proto"]}
{"kind":"line","from":"client","line":"{\"id\":\"1\",\"op\":{\"type\":\"interrupt\"}}"}
{"kind":"line","from":"codex","line":"{\"id\":\"1\",\"msg\":{\"type\":\"turn_aborted\",\"reason\":\"interrupted\"}}"}
"#;

const APP_SERVER: &str = r#"{"kind":"start","transcript":1,"protocol":"app-server","release":"0.80.0","command":["codex","app-server"]}
{"kind":"line","from":"client","line":"{\"id\":0,\"method\":\"thread/list\",\"params\":{}}"}
{"kind":"line","from":"codex","line":"{\"id\":0,\"error\":{\"code\":-32600,\"message\":\"Not initialized\"}}"}
"#;

const MCP_SERVER: &str = r#"{"kind":"start","transcript":1,"release":"0.40.0","command":["codex","mcp"]}
{"kind":"line","from":"codex","line":"{\"id\":0,\"jsonrpc\":\"2.0\",\"result\":{}}"}
"#;

const TRACE: &str = "{\"schema_version\":1,\"seq\":1}\n";

/// A repository with one selected recording and one synthetic transcript, and its source.
pub(crate) struct Small {
    root: PathBuf,
    source: PathBuf,
}

impl Small {
    pub(crate) fn new(name: &str) -> Self {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixtures");
        let base = golden_files::folders::empty(&base, name);
        let small = Small {
            root: base.join("root"),
            source: base.join("source"),
        };
        small.record("0.44.0", "turn", TURN);
        small.select(&["turn"]);
        small.write(
            "fixtures/synthetic/exec/0.43.0/made.jsonl",
            "{\"type\":\"turn.started\"}\n",
        );
        let made = json!({"file": "exec/0.43.0/made.jsonl", "release": "0.43.0", "why": "w", "source": "s"});
        small.write(
            "fixtures/synthetic/manifest.json",
            &json!({"transcripts": [made]}).to_string(),
        );
        small.list_legacy(LEGACY, 2);
        small.list_core("0.42.0", CORE);
        small.list_app_server("0.80.0", APP_SERVER);
        small.list_mcp_server("0.40.0");
        small.list_trace("0.124.0");
        for place in RUNS {
            let selection = json!({
                "scenarios": {"turn": "a turn", "from": "another release"},
                "picks": [{"why": "w", "releases": ["0.169.0"], "scenarios": []}],
            });
            small.write(&format!("{place}/selection.json"), &selection.to_string());
            small.write(&format!("{place}/manifest.json"), r#"{"runs": []}"#);
        }
        for place in [HOOKS, NOTIFY, OUTCOMES] {
            small.write(&format!("{place}/manifest.json"), r#"{"transcripts": []}"#);
        }
        small
    }

    /// Writes a recording of the early exec stream and its entry.
    fn list_legacy(&self, text: &str, messages: usize) {
        self.write("fixtures/exec-legacy/0.42.0/turn.jsonl", text);
        let entry = json!({
            "file": "0.42.0/turn.jsonl", "release": "0.42.0", "scenario": "turn",
            "argv": ["codex", "exec"], "exit_code": 0, "sha256": digest(text),
            "bytes": text.len(), "messages": messages, "origin": "recorded",
        });
        self.manifest("exec-legacy", &entry);
    }

    /// Writes a transcript of both directions and its entry.
    fn list_core(&self, release: &str, text: &str) {
        self.write("fixtures/core/0.42.0/turn.jsonl", text);
        let entry = json!({
            "file": "0.42.0/turn.jsonl", "release": release, "scenario": "turn",
            "argv": ["codex", "proto"], "exit_code": null, "sha256": digest(text),
            "recording_sha256": digest("the recording"), "bytes": text.len(), "messages": 2,
            "origin": "recorded, converted",
        });
        self.manifest("core", &entry);
    }

    /// Writes a connection to the app-server and its entry.
    fn list_app_server(&self, release: &str, text: &str) {
        self.write("fixtures/app-server/0.80.0/early.jsonl", text);
        let entry = json!({
            "file": "0.80.0/early.jsonl", "release": release, "scenario": "early",
            "argv": ["codex", "app-server"], "exit_code": 0, "experimental": false,
            "sha256": digest(text), "recording_sha256": digest("the recording"),
            "replaced": ["host name"], "bytes": text.len(), "messages": 2,
            "origin": "recorded, converted",
        });
        self.manifest("app-server", &entry);
    }

    /// Writes a recording of `codex mcp-server` and its entry.
    fn list_mcp_server(&self, release: &str) {
        self.write("fixtures/mcp-server/0.40.0/message.jsonl", MCP_SERVER);
        let entry = json!({
            "file": "0.40.0/message.jsonl", "release": release, "scenario": "message",
            "argv": ["codex", "mcp"], "exit_code": 0, "sha256": digest(MCP_SERVER),
            "bytes": MCP_SERVER.len(), "messages": 1, "origin": "recorded",
        });
        self.manifest("mcp-server", &entry);
    }

    /// Writes a trace and its entry.
    fn list_trace(&self, release: &str) {
        self.write(&format!("{TRACES}/0.124.0/turn/trace-1/trace.jsonl"), TRACE);
        let file = json!({
            "path": "trace-1/trace.jsonl", "bytes": TRACE.len(), "sha256": digest(TRACE),
        });
        let entry = json!({
            "path": "0.124.0/turn", "release": release, "scenario": "turn", "argv": ["codex", "exec"],
            "exit_code": 0, "origin": "recorded", "files": [file],
        });
        self.manifest("rollout-trace", &entry);
    }

    fn manifest(&self, folder: &str, entry: &serde_json::Value) {
        let text = json!({"transcripts": [entry]}).to_string();
        self.write(&format!("fixtures/{folder}/manifest.json"), &text);
    }

    fn write(&self, file: &str, text: &str) {
        put(&self.root.join(file), text);
    }

    fn select(&self, scenarios: &[&str]) {
        let pick = json!([{"why": "w", "releases": ["0.44.0"], "scenarios": scenarios}]);
        self.write("fixtures/exec/selection.json", &pick.to_string());
    }

    fn record(&self, release: &str, scenario: &str, text: &str) {
        let file = format!("exec/{release}/{scenario}.jsonl");
        put(&self.source.join(&file), text);
        let digest = digest(text);
        let entry = json!({
            "file": file, "version": release, "scenario": scenario, "argv": ["codex", "exec"],
            "exit_code": 0, "timed_out": false, "signal_sent": null, "sha256": digest,
        });
        let other = json!({"file": "proto/0.44.0/x.jsonl", "steps": []});
        let manifest = self.source.join(format!("manifest-{scenario}.json"));
        put(
            &manifest,
            &json!({"transcripts": [other, entry]}).to_string(),
        );
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn import(&self) -> anyhow::Result<String> {
        import(&self.root, std::slice::from_ref(&self.source)).map(|done| done.to_string())
    }

    fn problems(&self) -> Vec<String> {
        check(&self.root).unwrap()
    }
}

pub(crate) fn digest(text: &str) -> String {
    let digest = sha2::Sha256::digest(text);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

pub(crate) fn an_import_leaves_a_tree_that_agrees() {
    let small = Small::new("import");
    assert_eq!(
        small.import().unwrap(),
        "1 copied, 0 kept, 0 removed; 66 bytes in all"
    );
    assert_eq!(small.problems(), Vec::<String>::new());
    let copy = fs::read_to_string(small.root.join("fixtures/exec/0.44.0/turn.jsonl"));
    assert_eq!(copy.unwrap(), TURN);
}

pub(crate) fn what_is_here_stays_and_what_is_not_selected_goes() {
    let small = Small::new("again");
    small.import().unwrap();
    small.record("0.44.0", "other", TURN);
    fs::remove_file(small.source.join("manifest-turn.json")).unwrap();
    small.select(&["turn", "other"]);
    assert_eq!(
        small.import().unwrap(),
        "1 copied, 1 kept, 0 removed; 132 bytes in all"
    );
    small.select(&["other"]);
    assert_eq!(
        small.import().unwrap(),
        "1 copied, 0 kept, 1 removed; 66 bytes in all"
    );
    assert_eq!(small.problems(), Vec::<String>::new());
}

pub(crate) fn connections_are_imported_as_they_are() {
    let small = Small::new("connections");
    put(
        &small.source.join("app-server/0.80.0/other.jsonl"),
        APP_SERVER,
    );
    put(
        &small.source.join("app-server/0.80.0/raw.jsonl"),
        "{\"dir\":\"client\",\"raw\":\"{}\"}\n",
    );
    assert_eq!(
        small.import().unwrap(),
        format!(
            "2 copied, 1 kept, 0 removed; {} bytes in all; 1 in app-server/ left out: \
             `codex-wire convert` makes transcripts of them",
            66 + 2 * APP_SERVER.len()
        )
    );
    assert_eq!(small.problems(), Vec::<String>::new());
    put(
        &small.source.join("app-server/0.79.0/other.jsonl"),
        APP_SERVER,
    );
    // What comes first is not copied either.
    small.record("0.44.0", "first", TURN);
    small.select(&["turn", "first"]);
    let error = format!("{:#}", small.import().unwrap_err());
    assert_eq!(
        error,
        "app-server/0.79.0/other.jsonl: its start record names 0.80.0"
    );
    assert!(!small.root.join("fixtures/exec/0.44.0/first.jsonl").exists());
}

pub(crate) fn an_import_refuses_what_is_missing_or_altered() {
    let small = Small::new("refuse");
    small.select(&["turn", "absent"]);
    let error = small.import().unwrap_err().to_string();
    assert_eq!(error, "in no source: 0.44.0/absent.jsonl");
    small.select(&["turn"]);
    put(
        &small.source.join("exec/0.44.0/turn.jsonl"),
        "{\"type\":\"error\"}\n",
    );
    let error = small.import().unwrap_err().to_string();
    assert!(error.ends_with("is not what its manifest says"), "{error}");
}

pub(crate) fn every_disagreement_is_a_problem() {
    let expect = |name: &str, spoil: &dyn Fn(&Small), expected: &[&str]| {
        let small = Small::new(name);
        small.import().unwrap();
        spoil(&small);
        assert_eq!(small.problems(), expected, "{name}");
    };
    let turn = "fixtures/exec/0.44.0/turn.jsonl";
    expect(
        "edited",
        &|small| small.write(turn, "{\"type\":\"turn.started\"}\n"),
        &[
            "fixtures/exec/0.44.0/turn.jsonl: sha256 differs from the manifest",
            "fixtures/exec/0.44.0/turn.jsonl: size differs from the manifest",
            "fixtures/exec/0.44.0/turn.jsonl: number of messages differs from the manifest",
        ],
    );
    expect(
        "gone",
        &|small| fs::remove_file(small.root.join(turn)).unwrap(),
        &["fixtures/exec/0.44.0/turn.jsonl: listed in the manifest, not there"],
    );
    expect(
        "extra",
        &|small| {
            small.write("fixtures/exec/0.44.0/new.jsonl", TURN);
            small.write("fixtures/exec/0.44.0/deeper/notes.txt", "");
        },
        &[
            "fixtures/exec/0.44.0/deeper/notes.txt: not listed in the manifest",
            "fixtures/exec/0.44.0/new.jsonl: not listed in the manifest",
        ],
    );
    expect(
        "unselected",
        &|small| small.select(&[]),
        &["fixtures/exec/0.44.0/turn.jsonl: the selection and the manifest disagree"],
    );
    expect(
        "made",
        &|small| {
            small.write("fixtures/synthetic/exec/0.43.0/made.jsonl", "");
            small.write("fixtures/synthetic/exec/0.43.0/more.jsonl", "");
        },
        &[
            "fixtures/synthetic/exec/0.43.0/more.jsonl: not listed in the manifest",
            "fixtures/synthetic/exec/0.43.0/made.jsonl: is empty",
        ],
    );
}

pub(crate) fn the_early_stream_and_the_core_protocol_are_held_too() {
    let expect = |name: &str, spoil: &dyn Fn(&Small), expected: &[&str]| {
        let small = Small::new(name);
        small.import().unwrap();
        assert_eq!(small.problems(), Vec::<String>::new());
        spoil(&small);
        assert_eq!(small.problems(), expected, "{name}");
    };
    let (legacy, core) = (
        "fixtures/exec-legacy/0.42.0/turn.jsonl",
        "fixtures/core/0.42.0/turn.jsonl",
    );
    expect(
        "legacy-edited",
        &|small| small.write(legacy, "{\"prompt\":\"q\"}\n"),
        &[
            "fixtures/exec-legacy/0.42.0/turn.jsonl: sha256 differs from the manifest",
            "fixtures/exec-legacy/0.42.0/turn.jsonl: size differs from the manifest",
            "fixtures/exec-legacy/0.42.0/turn.jsonl: number of messages differs from the manifest",
        ],
    );
    expect(
        "legacy-gone",
        &|small| fs::remove_file(small.root.join(legacy)).unwrap(),
        &["fixtures/exec-legacy/0.42.0/turn.jsonl: listed in the manifest, not there"],
    );
    expect(
        "core-extra",
        &|small| small.write("fixtures/core/0.42.0/more.jsonl", CORE),
        &["fixtures/core/0.42.0/more.jsonl: not listed in the manifest"],
    );
    expect(
        "core-edited",
        &|small| small.write(core, &CORE.replace("interrupted", "replaced")),
        &[
            "fixtures/core/0.42.0/turn.jsonl: sha256 differs from the manifest",
            "fixtures/core/0.42.0/turn.jsonl: size differs from the manifest",
        ],
    );
    expect(
        "core-command",
        &|small| small.list_core("0.42.0", &CORE.replace("\"proto\"", "\"exec\"")),
        &["fixtures/core/0.42.0/turn.jsonl: command differs from the manifest"],
    );
    expect(
        "core-release",
        &|small| small.list_core("0.42.0", &CORE.replace("0.42.0", "0.41.0")),
        &["fixtures/core/0.42.0/turn.jsonl: its start record names 0.41.0"],
    );
    expect(
        "core-place",
        &|small| small.list_core("0.41.0", &CORE.replace("0.42.0", "0.41.0")),
        &["fixtures/core/0.42.0/turn.jsonl: place differs from the manifest"],
    );
    expect(
        "core-private",
        &|small| {
            let text = CORE.replace(
                "interrupted",
                "/mnt/0.42.0/home/.npm and /mnt/0.41.0/home/x",
            );
            small.list_core("0.42.0", &text);
        },
        &["fixtures/core/0.42.0/turn.jsonl: contains `/home/`"],
    );
}

pub(crate) fn recordings_of_mcp_server_are_held_too() {
    let file = "fixtures/mcp-server/0.40.0/message.jsonl";
    let expect = |name: &str, spoil: &dyn Fn(&Small), expected: &[&str]| {
        let small = Small::new(name);
        small.import().unwrap();
        assert_eq!(small.problems(), Vec::<String>::new());
        spoil(&small);
        let expected: Vec<_> = expected
            .iter()
            .map(|text| format!("{file}{text}"))
            .collect();
        assert_eq!(small.problems(), expected, "{name}");
    };
    expect(
        "mcp-server-edited",
        &|small| small.write(file, &MCP_SERVER.replace("{}}", "1}")),
        &[
            ": sha256 differs from the manifest",
            ": size differs from the manifest",
        ],
    );
    expect(
        "mcp-server-release",
        &|small| small.list_mcp_server("0.41.0"),
        &[
            ": place differs from the manifest",
            ": its start record names 0.40.0",
        ],
    );
    expect(
        "mcp-server-gone",
        &|small| fs::remove_file(small.root.join(file)).unwrap(),
        &[": listed in the manifest, not there"],
    );
}

pub(crate) fn traces_are_held_too() {
    let file = format!("{TRACES}/0.124.0/turn/trace-1/trace.jsonl");
    let expect = |name: &str, spoil: &dyn Fn(&Small), expected: &[String]| {
        let small = Small::new(name);
        small.import().unwrap();
        assert_eq!(small.problems(), Vec::<String>::new());
        spoil(&small);
        assert_eq!(small.problems(), expected, "{name}");
    };
    expect(
        "trace-edited",
        &|small| small.write(&file, &TRACE.replace("1}", "\"/home/me\"}")),
        &[
            format!("{file}: sha256 differs from the manifest"),
            format!("{file}: size differs from the manifest"),
            format!("{file}: contains `/home/`"),
        ],
    );
    expect(
        "trace-release",
        &|small| small.list_trace("0.125.0"),
        &[format!("{TRACES}/0.124.0/turn: place or release differs")],
    );
    expect(
        "trace-gone",
        &|small| fs::remove_file(small.root.join(&file)).unwrap(),
        &[format!("{file}: listed in the manifest, not there")],
    );
}

pub(crate) fn the_app_server_protocol_is_held_too() {
    let expect = |name: &str, spoil: &dyn Fn(&Small), expected: &[&str]| {
        let small = Small::new(name);
        small.import().unwrap();
        assert_eq!(small.problems(), Vec::<String>::new());
        spoil(&small);
        assert_eq!(small.problems(), expected, "{name}");
    };
    let place = "fixtures/app-server/0.80.0/early.jsonl";
    expect(
        "app-server-edited",
        &|small| small.write(place, &APP_SERVER.replace("-32600", "-32601")),
        &["fixtures/app-server/0.80.0/early.jsonl: sha256 differs from the manifest"],
    );
    expect(
        "app-server-command",
        &|small| {
            let text = APP_SERVER.replace(r#","command":["codex","app-server"]"#, "");
            small.list_app_server("0.80.0", &text);
        },
        &["fixtures/app-server/0.80.0/early.jsonl: command differs from the manifest"],
    );
    expect(
        "app-server-release",
        &|small| small.list_app_server("0.80.0", &APP_SERVER.replace("0.80.0", "0.79.0")),
        &["fixtures/app-server/0.80.0/early.jsonl: its start record names 0.79.0"],
    );
    expect(
        "app-server-protocol",
        &|small| {
            let text = APP_SERVER.replace(r#":"app-server""#, r#":"core""#);
            small.list_app_server("0.80.0", &text);
        },
        &["fixtures/app-server/0.80.0/early.jsonl: its start record does not name the protocol"],
    );
    expect(
        "app-server-agents",
        &|small| {
            let text = |path: &str| {
                let agent = format!(r#"agentPath\":\"{path}/x"#);
                APP_SERVER.replace(r#"message\":\"Not initialized"#, &agent)
            };
            small.list_app_server("0.80.0", &text("/root"));
            assert_eq!(small.problems(), Vec::<String>::new());
            small.list_app_server("0.80.0", &text("/home"));
        },
        &["fixtures/app-server/0.80.0/early.jsonl: contains `/home/`"],
    );
    expect(
        "app-server-budget",
        &|small| {
            let padding = "x".repeat(4_000_000);
            small.list_app_server("0.80.0", &APP_SERVER.replace("Not initialized", &padding));
        },
        &["fixtures/app-server: 4000297 bytes, more than 4000000"],
    );
}

pub(crate) fn hand_written_transcripts_of_both_directions_say_what_they_are() {
    let problems = |name: &str, text: &str| {
        let small = Small::new(name);
        small.import().unwrap();
        let file = "core/0.23.0/made.jsonl";
        fs::remove_dir_all(small.root.join("fixtures/synthetic/exec")).unwrap();
        small.write(&format!("fixtures/synthetic/{file}"), text);
        small.manifest(
            "synthetic",
            &json!({"file": file, "release": "0.23.0", "why": "w", "source": "s"}),
        );
        small.problems()
    };
    for named in ["0.23.0", "agcodex-0.1.0"] {
        let text = CORE.replace("0.42.0", named);
        assert_eq!(problems("made-right", &text), Vec::<String>::new());
    }
    let place = "fixtures/synthetic/core/0.23.0/made.jsonl";
    let other = CORE.replace("0.42.0", "llmx-2025-08-13");
    assert_eq!(
        problems("made-other", &other),
        [format!("{place}: its start record names llmx-2025-08-13")]
    );
    let bare = CORE.lines().skip(1).collect::<Vec<_>>().join("\n");
    assert_eq!(
        problems("made-bare", &bare),
        [format!("{place}: does not begin with a start record")]
    );
    let unnamed = CORE.replace(r#""protocol":"core","#, "");
    assert_eq!(
        problems("made-unnamed", &unnamed),
        [format!(
            "{place}: its start record does not name the protocol"
        )]
    );
}

pub(crate) fn private_places_do_not_get_in() {
    let small = Small::new("private");
    let text = "{\"type\":\"error\",\"message\":\"cannot open /home/alice/x\"}\n";
    small.record("0.44.0", "turn", text);
    small.import().unwrap();
    assert_eq!(
        small.problems(),
        ["fixtures/exec/0.44.0/turn.jsonl: contains `/home/`"]
    );
}
