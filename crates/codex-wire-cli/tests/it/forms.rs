//! Every command reads every form of input, or says that it does not.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_schema::own::{DIFF, DIFF_TRANSCRIPT, IDENTIFICATION, USAGE};
use serde_json::{Value, json};

use crate::archives::{tar, zip};
use crate::inputs::{gzip, zstd};
use crate::support::{folder, run, run_with, workspace};

const EXEC: &str = "fixtures/exec/0.125.0/command_ok.jsonl";

/// One run of `codex exec` in all forms.
fn forms(name: &str) -> (PathBuf, Vec<&'static str>) {
    let folder = folder(name);
    let text = fs::read_to_string(workspace().join(EXEC)).unwrap();
    let messages = values(&text);
    let tee: Vec<String> = messages
        .iter()
        .map(|message| json!({"dir": "recv", "raw": message.to_string()}).to_string())
        .collect();
    let member = [("run.jsonl", text.clone().into_bytes())];
    let files: [(&str, Vec<u8>); 9] = [
        ("run.jsonl", text.clone().into_bytes()),
        ("run.jsonl.gz", gzip(&text)),
        ("run.jsonl.zst", zstd(&text)),
        ("run.tar", tar(&member)),
        ("run.zip", zip(&member)),
        ("array.json", serde_json::to_vec_pretty(&messages).unwrap()),
        ("line.json", serde_json::to_vec(&messages).unwrap()),
        ("array.json.gz", gzip(&json!(messages).to_string())),
        ("tee.log", tee.join("\n").into_bytes()),
    ];
    for (file, bytes) in &files {
        fs::write(folder.join(file), bytes).unwrap();
    }
    (folder, files.iter().map(|(file, _)| *file).collect())
}

fn values(lines: &str) -> Vec<Value> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn is_archive(file: &str) -> bool {
    file.ends_with(".tar") || file.ends_with(".zip")
}

fn json_of(folder: &Path, args: &str) -> Value {
    let finished = run(folder, args);
    serde_json::from_str(&finished.stdout).expect(&finished.stderr)
}

#[test]
fn every_command_reads_every_form() {
    let (folder, files) = forms("forms");
    let original = values(&fs::read_to_string(folder.join("run.jsonl")).unwrap());
    for file in files {
        let report = json_of(&folder, &format!("check --format json {file}"));
        assert_eq!(report["totals"]["conforms"], 1, "{file}: {report}");
        assert_eq!(report["totals"]["messages"], original.len(), "{file}");

        let known = json_of(&folder, &format!("identify --format json {file}"));
        let releases = &known["inputs"][0]["releases"]["text"];
        assert_eq!(releases, "0.125.0 to 0.144.6", "{file}");

        let shown = run(&folder, &format!("show --format timeline {file}"));
        assert!(
            shown.code == 0 && shown.stdout.contains("\n7 messages: conforms"),
            "{file}: {}",
            shown.stdout
        );

        let args = format!("diff --transcript {file} --to 0.169.0 --format json");
        let compared = json_of(&folder, &args);
        assert_eq!(compared["transcript"]["messages"], original.len(), "{file}");
        assert_eq!(compared["unmatched"]["count"], 1, "{file}");

        let played = run(&folder, &format!("replay {file}"));
        assert_eq!(played.code, 0, "{file}: {}", played.stderr);
        assert_eq!(values(&played.stdout), original, "{file}");

        fs::remove_dir_all(folder.join("out")).ok();
        let converted = run(&folder, &format!("convert --out out {file}"));
        assert_eq!(converted.code, 0, "{file}: {}", converted.stderr);
        let report = json_of(&folder, "check --format json out");
        assert_eq!(report["totals"]["messages"], original.len(), "{file}");
        fs::remove_file(folder.join("out")).ok();
    }
}

/// What programs read of recordings, of broken ones, and of a file that is not a transcript.
#[test]
fn identifications_and_usage_fit_their_schemas() {
    let root = workspace();
    let inputs = "fixtures/exec fixtures/app-server/0.169.0 fixtures/rollout-cross fixtures/invalid Cargo.toml nowhere";
    for (command, schema) in [
        ("identify", IDENTIFICATION),
        ("usage --by thread,model --cost", USAGE),
    ] {
        let schema = serde_json::from_str(schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let written = json_of(&root, &format!("{command} --format json {inputs}"));
        let errors: Vec<String> = validator
            .iter_errors(&written)
            .map(|error| format!("{error} at {}", error.instance_path()))
            .collect();
        assert_eq!(errors, [""; 0], "{command}");
        let list = if command == "identify" {
            "inputs"
        } else {
            "rows"
        };
        assert!(written[list].as_array().unwrap().len() > 50, "{command}");
    }
}

/// The page has no costs, so what asks for them is refused.
#[test]
fn usage_is_a_page_without_costs() {
    let root = workspace();
    let usage = "usage --by model,status --format html fixtures/rollout/0.169.0";
    let finished = run(&root, usage);
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(finished.stdout.starts_with("<!DOCTYPE html>\n"));
    assert!(finished.stdout.contains("<td>completed</td>"));
    let finished = run(&root, &format!("{usage} --cost"));
    assert_eq!((finished.code, finished.stdout.as_str()), (2, ""));
    assert!(finished.stderr.contains("shows no costs"), "{finished:?}");
}

/// Lines that are not counted are named, unknown times stay blank, and a status has to exist.
#[test]
fn usage_says_what_it_does_not_know() {
    let folder = folder("forms-usage");
    let text = fs::read_to_string(workspace().join(EXEC)).unwrap();
    fs::write(folder.join("cut.jsonl"), &text[..text.len() - 9]).unwrap();
    let cut = run(&folder, "usage cut.jsonl");
    assert_eq!(cut.code, 0, "{cut:?}");
    let said = "not counted: cut.jsonl: line 7: the last line ends in the middle of a message\n";
    assert!(cut.stderr.ends_with(said), "{cut:?}");
    let tools = run(&workspace(), &format!("usage --by tool {EXEC}"));
    assert!(!tools.stdout.contains(" ms"), "{tools:?}");
    let json = run(&workspace(), &format!("usage --format json {EXEC}"));
    assert!(!json.stdout.contains("_ms"), "{json:?}");
    let missing = run(&folder, "usage missing.jsonl");
    assert_eq!((missing.code, &*missing.stdout), (2, ""), "{missing:?}");
    assert!(
        missing.stderr.contains("cannot read missing.jsonl: "),
        "{missing:?}"
    );
    let misspelt = run(&folder, "usage --where status=complete cut.jsonl");
    assert_eq!(misspelt.code, 2, "{misspelt:?}");
    assert!(
        misspelt.stderr.contains("completed, failed, interrupted"),
        "{misspelt:?}"
    );
    let priceless = run(&folder, "usage --where cost>0.1 cut.jsonl");
    assert_eq!((priceless.code, &*priceless.stdout), (2, ""));
    assert_eq!(
        priceless.stderr,
        "codex-wire: `--where` compares what no row has: nothing has a `cost` without prices: give `--cost` or `--prices`\n"
    );
}

/// A file counts once, however many paths lead to it.
#[test]
fn usage_counts_a_file_once() {
    let root = workspace();
    let once = "usage fixtures/rollout/0.169.0/message";
    let twice = run(
        &root,
        &format!("{once} fixtures/rollout/0.169.0/message/home/sessions"),
    );
    assert_eq!(twice.stdout, run(&root, once).stdout);
    let stream = run(&root, &format!("usage {EXEC} {EXEC}"));
    assert_eq!(stream.stdout, run(&root, &format!("usage {EXEC}")).stdout);
}

/// The total of what `usage` counts, and its exit code.
fn tokens(folder: &Path, args: &str) -> (u64, i32) {
    let finished = run(folder, &format!("usage --format json {args}"));
    let table: Value = serde_json::from_str(&finished.stdout).expect(&finished.stderr);
    let total = table["total"]["tokens"]["total"].as_u64();
    (total.unwrap(), finished.code)
}

/// An archive counts as its folder does, in whichever order its members come, and whatever their names are.
#[test]
fn usage_of_archives() {
    let folder = folder("forms-usage-archives");
    let recording = workspace().join("fixtures/rollout/0.169.0/resume");
    let stream = fs::read(recording.join("exec-1.jsonl")).unwrap();
    let files = golden_files::files::below(&recording, "jsonl");
    let file = files
        .iter()
        .find(|path| path.to_string_lossy().contains("/rollout-"));
    let text = fs::read_to_string(file.unwrap()).unwrap();
    let file = text.clone().into_bytes();
    fs::write(folder.join("file.jsonl"), &file).unwrap();
    let whole = tokens(&folder, "file.jsonl");
    let index = br#"{"id":"a","thread_name":"b","updated_at":"2026-11-20T10:00:00Z"}"#;
    let (name, packed) = ("sessions/rollout-a.jsonl", zstd(&text));
    for members in [
        &[("a.jsonl", stream.clone()), (name, file.clone())][..],
        &[("a.jsonl", stream.clone()), ("b.jsonl", file.clone())],
        &[
            (name, file.clone()),
            ("sessions/rollout-a.jsonl.zst", packed),
        ],
        &[
            (name, file.clone()),
            ("session_index.jsonl", index.to_vec()),
        ],
    ] {
        fs::write(folder.join("a.tar"), tar(members)).unwrap();
        fs::write(folder.join("a.zip"), zip(members)).unwrap();
        let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
        assert_eq!(tokens(&folder, "a.tar"), whole, "{names:?}");
        assert_eq!(tokens(&folder, "a.zip"), whole, "{names:?}");
    }
}

/// What a folder holds and cannot be read is a problem, unlike what is not a transcript. What was read before counts.
#[test]
fn usage_of_damaged_files() {
    let folder = folder("forms-usage-damaged");
    let recording = workspace().join("fixtures/rollout/0.169.0/resume/home");
    let file = golden_files::files::below(&recording, "jsonl").remove(0);
    let text = fs::read_to_string(file).unwrap();
    let packed = gzip(&text);
    let utf16: Vec<u8> = format!("\u{feff}{text}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    for (name, bytes, reason) in [
        ("cut.jsonl.gz", &packed[..packed.len() - 12], "damaged"),
        ("cut.jsonl.zst", &zstd(&text)[..400], "damaged"),
        ("utf16.jsonl", &utf16, "UTF-16"),
    ] {
        let inner = folder.join(name.replace('.', "-"));
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join(name), bytes).unwrap();
        fs::write(inner.join("notes.jsonl"), "compiling\ndone\n").unwrap();
        for args in ["usage", "convert --to atif"] {
            let finished = run(&inner, &format!("{args} ."));
            let said = format!("codex-wire: cannot read ./{name}: ");
            assert!(
                finished.stderr.contains(&said) && finished.stderr.contains(reason),
                "{finished:?}"
            );
            assert!(finished.stderr.contains("(./notes.jsonl)"), "{finished:?}");
            assert_eq!(finished.code, 2, "{finished:?}");
        }
    }
    fs::write(folder.join("whole.jsonl"), &text).unwrap();
    let whole = tokens(&folder, "whole.jsonl").0;
    assert_eq!(tokens(&folder, "cut-jsonl-gz"), (whole, 2));
    let cut = run(&folder, "usage cut-jsonl-gz");
    assert!(cut.stdout.contains("6,170"), "{cut:?}");
}

/// `--cost` is nothing that rows of tools have.
#[test]
fn usage_of_tools_has_no_costs() {
    let finished = run(&workspace(), &format!("usage --by tool --cost {EXEC}"));
    assert_eq!((finished.code, &*finished.stdout), (2, ""), "{finished:?}");
    assert!(finished.stderr.contains("no costs"), "{finished:?}");
}

/// The parent of an old fork is found by its name, also if it is compressed.
#[test]
fn usage_of_old_forks_that_are_compressed() {
    let folder = folder("forms-usage-fork-gz");
    let home = workspace().join("fixtures/accounting/0.98.0/history/home");
    for path in golden_files::files::below(&home, "jsonl") {
        let name = path.file_name().unwrap().to_string_lossy();
        let packed = gzip(&fs::read_to_string(&path).unwrap());
        fs::write(folder.join(format!("{name}.gz")), packed).unwrap();
    }
    let plain = tokens(&home, ".");
    assert_eq!(tokens(&folder, "."), plain);
}

/// A fork that has to be read again counts, or it is said that it does not.
#[test]
fn usage_of_an_old_fork_in_an_archive() {
    let folder = folder("forms-usage-fork");
    let home = workspace().join("fixtures/accounting/0.98.0/history/home");
    let files = golden_files::files::below(&home, "jsonl");
    let mut texts = files.iter().map(|path| fs::read(path).unwrap());
    let is_fork = |text: &Vec<u8>| {
        let first = text.split(|byte| *byte == b'\n').next().unwrap();
        String::from_utf8_lossy(first).contains("\"forked_from_id\":\"")
    };
    let members = [("rollout-a.jsonl", texts.find(is_fork).unwrap())];
    fs::write(folder.join("a.tar"), tar(&members)).unwrap();
    let (_, code) = tokens(&folder, "a.tar");
    assert_eq!(code, 2);
    let finished = run(&folder, "usage a.tar");
    assert!(
        finished.stderr.contains("a.tar!rollout-a.jsonl: a fork"),
        "{finished:?}"
    );
}

/// What words of the protocol are is only known of messages. So an array or the lines of another
/// recorder become a transcript, and an archive is refused.
#[test]
fn every_form_is_scrubbed_or_refused() {
    let (folder, files) = forms("forms-scrub");
    for file in files {
        let scrubbed = run(&folder, &format!("scrub {file}"));
        if is_archive(file) {
            assert_eq!((scrubbed.code, &*scrubbed.stdout), (2, ""), "{file}");
            assert!(scrubbed.stderr.contains("unpack it first"), "{file}");
            continue;
        }
        assert_eq!(scrubbed.code, 0, "{file}: {}", scrubbed.stderr);
        assert!(!scrubbed.stdout.contains("Listing"), "{file}");
        let checked = run_with(&folder, "check --format json", scrubbed.stdout.as_bytes());
        let report: Value = serde_json::from_str(&checked.stdout).unwrap();
        assert_eq!(
            report["totals"]["conforms"], 1,
            "{file}: {}",
            scrubbed.stdout
        );
    }
    fs::write(folder.join("other.json"), "[{\"a\":\"secret\"}]").unwrap();
    let refused = run(&folder, "scrub other.json");
    assert_eq!((refused.code, &*refused.stdout), (2, ""));
    assert!(
        refused.stderr.contains("no line is a message of Codex"),
        "{}",
        refused.stderr
    );
}

/// The members of an archive are recordings like files of a folder; what is none is passed by.
#[test]
fn an_archive_of_recordings_is_played() {
    let folder = folder("forms-archive");
    let text = fs::read(workspace().join(EXEC)).unwrap();
    let members = [
        ("a/manifest.json", b"{\"a\":1}".to_vec()),
        ("a/run.jsonl", text.clone()),
    ];
    fs::write(folder.join("all.tar"), tar(&members)).unwrap();
    let played = run(&folder, "replay all.tar");
    assert_eq!((played.code, played.stdout.as_bytes()), (0, &text[..]));
    let damaged = [("a/run.jsonl", b"{\"a\":1}\n".to_vec())];
    fs::write(folder.join("bad.zip"), zip(&damaged)).unwrap();
    let refused = run(&folder, "replay bad.zip");
    assert_eq!(refused.code, 2);
    assert!(
        refused.stderr.contains("cannot play bad.zip!a/run.jsonl"),
        "{}",
        refused.stderr
    );
}

/// Each message of what is not a stream has a kind, too; also in an archive.
#[test]
fn a_comparison_has_the_kinds_of_every_protocol() {
    let folder = folder("forms-kinds");
    let parsed = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let schema = parsed(DIFF_TRANSCRIPT);
    assert_eq!(schema["$defs"]["Diff"], parsed(DIFF));
    let schema = jsonschema::draft202012::new(&schema).unwrap();
    for (path, to, part, name) in [
        (
            "hooks/0.169.0/bad_output.jsonl",
            "0.150.1",
            "hooks-output",
            "Stop",
        ),
        (
            "notify/0.125.0.jsonl",
            "0.169.0",
            "notify",
            "agent-turn-complete",
        ),
        (
            "rollout/0.169.0/collab",
            "0.150.1",
            "rollout",
            "session_meta",
        ),
    ] {
        let path = workspace().join("fixtures").join(path);
        let file = match path.is_dir() {
            true => session_file(&path),
            false => path,
        };
        let members = [("x/rollout-1.jsonl", fs::read(file).unwrap())];
        fs::write(folder.join("all.tar"), tar(&members)).unwrap();
        let args = format!("diff --transcript all.tar --to {to} --format json");
        let compared = json_of(&folder, &args);
        assert!(schema.is_valid(&compared), "{compared:#}");
        let transcript = &compared["transcript"];
        let kinds = transcript["kinds"].as_array().unwrap();
        let is_there = |kind: &Value| kind["part"] == part && kind["name"] == name;
        assert!(kinds.iter().any(is_there), "{part}: {transcript:#}");
        let lines: u64 = kinds
            .iter()
            .map(|kind| kind["lines"].as_u64().unwrap())
            .sum();
        assert_eq!(lines, transcript["messages"], "{part}");
        let name = &compared["unmatched"]["list"][0]["path"];
        if *name != Value::Null {
            assert_eq!(name, "all.tar!x/rollout-1.jsonl");
        }
    }
}

/// The first session file below a folder.
fn session_file(folder: &Path) -> PathBuf {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    let found = entries.iter().find_map(|path| {
        let name = path.file_name()?.to_str()?;
        match path.is_dir() {
            true => Some(session_file(path)).filter(|path| path.is_file()),
            false => {
                (name.starts_with("rollout-") && name.ends_with(".jsonl")).then(|| path.clone())
            }
        }
    });
    found.unwrap_or_default()
}

/// However an array is laid out, a region of SARIF is the value in the file, in characters.
#[test]
fn regions_in_arrays_are_those_of_the_file() {
    let folder = folder("forms-sarif");
    let messages = json!([
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "item_0", "type": "agent_message", "text": "ü😀"}},
        {"type": "item.completed", "item": {"id": "item_1", "type": "reasoning", "text": "ä", "é": 1}},
    ]);
    let each = messages.as_array().unwrap().iter();
    let each: Vec<String> = each.map(ToString::to_string).collect();
    let tee = json!([{"dir": "recv", "m": messages[1]}, {"dir": "recv", "m": messages[2]}]);
    for text in [
        messages.to_string(),
        format!("[{}]", each.join(", ")),
        format!("[\n  {}\n]\n", each.join(",\n  ")),
        serde_json::to_string_pretty(&messages).unwrap(),
        tee.to_string(),
        serde_json::to_string_pretty(&tee).unwrap(),
    ] {
        fs::write(folder.join("a.json"), &text).unwrap();
        let report = json_of(&folder, "check --format sarif a.json");
        let results = report["runs"][0]["results"].as_array().unwrap();
        let unknown = results
            .iter()
            .find(|one| one["ruleId"] == "schema/unknown-member");
        let region = &unknown.unwrap()["locations"][0]["physicalLocation"]["region"];
        let number = |name: &str| usize::try_from(region[name].as_u64().unwrap()).unwrap();
        let line = text.lines().nth(number("startLine") - 1).unwrap();
        let (from, to) = (number("startColumn"), number("endColumn"));
        let cut: String = line.chars().skip(from - 1).take(to - from).collect();
        assert_eq!(cut, "\"é\"", "{text}");
        let from = number("byteOffset");
        assert_eq!(&text[from..from + number("byteLength")], "\"é\"", "{text}");
    }
}

/// What could not be read to its end is not a whole recording, for any command.
#[test]
fn a_truncated_file_is_an_error_everywhere() {
    let (folder, _) = forms("forms-cut");
    let whole = fs::read(folder.join("run.jsonl.gz")).unwrap();
    fs::write(folder.join("cut.jsonl.gz"), &whole[..whole.len() - 30]).unwrap();
    for args in [
        "check",
        "identify",
        "show",
        "scrub",
        "replay",
        "convert",
        "diff --to 0.169.0 --transcript",
    ] {
        let finished = run(&folder, &format!("{args} cut.jsonl.gz"));
        assert_eq!(finished.code, 2, "{args}: {}", finished.stdout);
        let said = finished.stdout + &finished.stderr;
        assert!(
            said.contains("cut.jsonl.gz")
                && said.contains("the compressed data is damaged or cut off"),
            "{args}: {said}"
        );
    }
}

/// What a file is, is not said of half a line.
#[test]
fn a_recording_may_begin_with_a_long_line() {
    let folder = folder("forms-long");
    let text = "x".repeat(2 << 20);
    let line = json!({"type": "item.completed", "item": {"id": "i", "type": "agent_message", "text": text}});
    fs::write(folder.join("long.jsonl"), format!("{line}\n")).unwrap();
    let played = run(&folder, "replay long.jsonl");
    assert_eq!(played.code, 0, "{}", played.stderr);
    assert_eq!(values(&played.stdout), [line]);
}

#[test]
fn a_byte_order_mark_is_not_converted() {
    let folder = folder("forms-bom");
    let text = fs::read_to_string(workspace().join(EXEC)).unwrap();
    fs::write(folder.join("bom.jsonl"), format!("\u{feff}{text}")).unwrap();
    let converted = run(&folder, "convert bom.jsonl");
    assert_eq!(converted.code, 0, "{}", converted.stderr);
    assert!(!converted.stdout.contains('\u{feff}'));
}

/// A pipe can be read once, and the transcript is needed three times.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_compared() {
    let folder = folder("forms-pipe");
    let pipe = folder.join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let text = fs::read(workspace().join(EXEC)).unwrap();
    let writer = std::thread::spawn(move || fs::write(pipe, text));
    let compared = run(&folder, "diff --transcript pipe --to 0.169.0");
    writer.join().unwrap().unwrap();
    assert_eq!(compared.code, 0, "{}", compared.stderr);
    assert!(
        compared
            .stdout
            .starts_with("pipe: exec as of 0.125.0, 7 messages of 5 kinds"),
        "{}",
        compared.stdout
    );
}
