use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use sha2::Digest as _;
use xtask::fixtures::{check, import};
use xtask::repository;

#[test]
fn files_and_manifests_agree() {
    assert_eq!(check(&repository()).unwrap(), Vec::<String>::new());
}

const TURN: &str =
    "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n{\"type\":\"turn.started\"}\n";

/// A repository with one selected recording and one synthetic transcript, and its source.
struct Small {
    root: PathBuf,
    source: PathBuf,
}

impl Small {
    fn new(name: &str) -> Self {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("fixtures")
            .join(name);
        if base.exists() {
            fs::remove_dir_all(&base).unwrap();
        }
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
        small
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
        let digest = sha2::Sha256::digest(text);
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
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

    fn import(&self) -> anyhow::Result<String> {
        import(&self.root, std::slice::from_ref(&self.source)).map(|done| done.to_string())
    }

    fn problems(&self) -> Vec<String> {
        check(&self.root).unwrap()
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn an_import_leaves_a_tree_that_agrees() {
    let small = Small::new("import");
    assert_eq!(
        small.import().unwrap(),
        "1 copied, 0 kept, 0 removed; 66 bytes in all"
    );
    assert_eq!(small.problems(), Vec::<String>::new());
    let copy = fs::read_to_string(small.root.join("fixtures/exec/0.44.0/turn.jsonl"));
    assert_eq!(copy.unwrap(), TURN);
}

#[test]
fn what_is_here_stays_and_what_is_not_selected_goes() {
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

#[test]
fn an_import_refuses_what_is_missing_or_altered() {
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

#[test]
fn every_disagreement_is_a_problem() {
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
            "fixtures/exec/0.44.0/turn.jsonl: what it exercises differs from the manifest",
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

#[test]
fn private_places_do_not_get_in() {
    let small = Small::new("private");
    let text = "{\"type\":\"error\",\"message\":\"cannot open /home/alice/x\"}\n";
    small.record("0.44.0", "turn", text);
    small.import().unwrap();
    assert_eq!(
        small.problems(),
        ["fixtures/exec/0.44.0/turn.jsonl: contains `/home/`"]
    );
}
