//! `convert`: what is checked stays the same.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{GOOD, bad, folder, run, run_with, workspace};

/// What a check finds: verdict, releases, and rule, message and pointer of each finding.
fn found(folder: &Path, path: &str) -> Value {
    let finished = run(folder, &format!("check --format json {path}"));
    let report: Value = serde_json::from_str(&finished.stdout).expect(&finished.stderr);
    let input = &report["inputs"][0];
    let findings = input["findings"].as_array().unwrap().iter();
    let findings = findings.map(|finding| {
        json!([
            finding["rule"],
            finding["severity"],
            finding["message"],
            finding["place"]["pointer"]
        ])
    });
    json!({
        "verdict": input["verdict"],
        "messages": input["messages"],
        "protocol": input["protocol"],
        "releases": input["releases"],
        "findings": findings.collect::<Vec<_>>(),
    })
}

/// A recording of both sides, with one message that is wrong, in the ways that others write it.
fn recordings() -> Vec<(&'static str, String)> {
    let path = workspace().join("fixtures/app-server/0.125.0/08e_steer.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<(bool, String)> = text
        .lines()
        .filter_map(|line| {
            let record: Value = serde_json::from_str(line).unwrap();
            let line = record.get("line")?.as_str()?.to_owned();
            Some((
                record["from"] == "codex",
                line.replacen("\"turnId\":", "\"added\":1,\"turnId\":", 1),
            ))
        })
        .collect();
    let each = |wrap: &dyn Fn(bool, &str) -> String| -> Vec<String> {
        lines
            .iter()
            .map(|(codex, line)| wrap(*codex, line))
            .collect()
    };
    let frames = each(&|codex, line| {
        let word = ["client_to_server", "server_to_client"][usize::from(codex)];
        format!("{{\"direction\":\"{word}\",\"frame\":{line}}}")
    });
    let raw = each(&|codex, line| {
        let word = ["client", "server"][usize::from(codex)];
        format!(
            "{{\"dir\":\"{word}\",\"t_ms\":7,\"raw\":{}}}",
            Value::from(line)
        )
    });
    let values: Vec<Value> = frames
        .iter()
        .map(|frame| serde_json::from_str(frame).unwrap())
        .collect();
    let plain: Vec<String> = lines.iter().map(|(_, line)| line.clone()).collect();
    vec![
        ("frames.jsonl", frames.join("\n") + "\n"),
        ("raw.jsonl", raw.join("\n") + "\n"),
        ("array.json", format!("[{}]", frames.join(","))),
        (
            "pretty.json",
            serde_json::to_string_pretty(&values).unwrap(),
        ),
        ("plain.jsonl", plain.join("\n") + "\n"),
        (
            "exec.jsonl",
            GOOD.replace("\"status\":\"completed\"", "\"status\":\"exploded\""),
        ),
        ("exec.json", format!("[{}]", GOOD.trim().replace('\n', ","))),
    ]
}

#[test]
fn a_check_finds_the_same() {
    let folder = folder("convert");
    fs::create_dir(folder.join("in")).unwrap();
    for (name, text) in recordings() {
        let path = format!("in/{name}");
        fs::write(folder.join(&path), text).unwrap();
        let finished = run(&folder, &format!("convert {path} --out one.jsonl"));
        assert_eq!((finished.code, &*finished.stderr), (0, ""), "{name}");
        let expected = found(&folder, &path);
        assert_eq!(found(&folder, "one.jsonl"), expected, "{name}");
        let text = fs::read_to_string(folder.join("one.jsonl")).unwrap();
        assert!(
            text.starts_with("{\"kind\":\"start\",\"transcript\":1}\n"),
            "{text}"
        );
        // A transcript stays as it is, and standard output has the same.
        let again = run(&folder, "convert one.jsonl");
        assert_eq!(again.stdout, text, "{name}");
        assert!(name != "raw.jsonl" || text.contains("\"ms\":7"), "{text}");
    }
    let wrong = found(&folder, "in/frames.jsonl");
    assert!(!wrong["findings"].as_array().unwrap().is_empty());

    // A folder becomes a folder.
    let finished = run(&folder, "convert in --out out");
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(
        finished.stderr.contains("another input was written to"),
        "{finished:?}"
    );
    assert_eq!(found(&folder, "out/frames.jsonl"), wrong);
    assert_eq!(found(&folder, "out/pretty.jsonl"), wrong);
}

#[test]
fn what_is_no_message_is_kept() {
    let folder = folder("convert-bad");
    let mut bytes = bad().into_bytes();
    bytes.extend_from_slice(b"\n\xff\xfe no text\n");
    let finished = run_with(&folder, "convert", &bytes);
    assert_eq!((finished.code, &*finished.stderr), (0, ""));
    let lines: Vec<Value> = finished
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    // The start, five lines of which the last is cut, and bytes in base64. A blank line is nothing.
    assert_eq!(lines.len(), 7, "{}", finished.stdout);
    assert!(
        lines[5]["line"]
            .as_str()
            .unwrap()
            .starts_with("{\"type\":\"turn.completed\"")
    );
    assert!(lines[6]["bytes"].is_string());
}

#[test]
fn what_is_no_transcript_is_refused() {
    let folder = folder("convert-refused");
    fs::write(folder.join("a.txt"), "{\"a\":1}\n").unwrap();
    let finished = run(&folder, "convert a.txt --out b.jsonl");
    assert_eq!(finished.code, 2, "{finished:?}");
    assert!(!folder.join("b.jsonl").exists());
    let finished = run(&folder, "convert a.txt");
    assert_eq!((finished.code, &*finished.stdout), (2, ""));
    fs::write(folder.join("plain.txt"), "Tokens used: 5\n").unwrap();
    let finished = run(&folder, "convert plain.txt");
    let said =
        "cannot convert plain.txt: not a transcript of a known protocol: it looks like plain text";
    assert!(finished.stderr.contains(said), "{finished:?}");
    let finished = run(&folder, "convert --skip-unknown a.txt");
    assert_eq!((finished.code, &*finished.stdout), (0, ""));
    assert!(finished.stderr.contains("a.txt"), "{finished:?}");
    // Nor is what is empty.
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    for args in ["empty.jsonl", "empty.jsonl --out b.jsonl"] {
        let finished = run(&folder, &format!("convert {args}"));
        let said = "codex-wire: cannot convert empty.jsonl: the input holds no messages\n";
        assert_eq!(
            (finished.code, &*finished.stdout, &*finished.stderr),
            (2, "", said)
        );
    }
    assert!(!folder.join("b.jsonl").exists());
    // Several inputs need a folder.
    fs::create_dir(folder.join("t")).unwrap();
    fs::write(folder.join("t/a.jsonl"), GOOD).unwrap();
    assert_eq!(run(&folder, "convert t").code, 2);
}

/// No name of a member leads out of the folder.
/// A name may have a `!`, which stands before members of archives.
#[test]
fn a_name_with_a_mark_is_a_name() {
    let folder = folder("convert-mark");
    fs::create_dir(folder.join("t")).unwrap();
    fs::write(folder.join("t/wow!.jsonl"), GOOD).unwrap();
    let finished = run(&folder, "convert t --out out");
    assert_eq!(finished.code, 0, "{finished:?}");
    assert!(folder.join("out/wow!.jsonl").is_file());
}

#[test]
fn members_stay_in_the_folder() {
    let folder = folder("convert-members");
    let mut archive = tar::Builder::new(Vec::new());
    for name in ["../../evil.jsonl", "/root.jsonl", "a/b.json"] {
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(GOOD.len() as u64);
        header.set_cksum();
        archive.append(&header, GOOD.as_bytes()).unwrap();
    }
    fs::write(folder.join("x.tar"), archive.into_inner().unwrap()).unwrap();
    let finished = run(&folder, "convert x.tar --out deep/out");
    assert_eq!((finished.code, &*finished.stderr), (0, ""), "{finished:?}");
    for name in ["x.tar/evil.jsonl", "x.tar/root.jsonl", "x.tar/a/b.jsonl"] {
        assert!(folder.join("deep/out").join(name).is_file(), "{name}");
    }
    assert!(!folder.join("evil.jsonl").exists());
}

/// Why there is no session is said.
#[test]
fn the_reason_is_said_where_there_is_no_session() {
    let folder = folder("convert-reason");
    let packed = crate::inputs::gzip(GOOD);
    fs::write(folder.join("cut.jsonl.gz"), &packed[..packed.len() / 2]).unwrap();
    let utf16: Vec<u8> = format!("\u{feff}{GOOD}")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    fs::write(folder.join("utf16.jsonl"), utf16).unwrap();
    for (file, reason) in [
        ("cut.jsonl.gz", "the compressed data is damaged or cut off"),
        ("utf16.jsonl", "UTF-16 text, not UTF-8"),
    ] {
        for args in ["convert --to otlp", "usage"] {
            let finished = run(&folder, &format!("{args} {file}"));
            assert_eq!(finished.code, 2, "{finished:?}");
            // What was read before counts.
            let counts = (args, file) == ("usage", "cut.jsonl.gz");
            assert_eq!(finished.stdout.is_empty(), !counts, "{finished:?}");
            assert!(finished.stderr.contains(reason), "{finished:?}");
        }
    }
}

/// The recordings and session files of users are not replaced by what is made of them.
#[test]
fn no_input_is_replaced() {
    let place = folder("convert-inputs");
    fs::create_dir(place.join("runs")).unwrap();
    fs::write(place.join("runs/run.jsonl"), GOOD).unwrap();
    for command in [
        "convert runs --out runs",
        "convert --to atif runs --out runs",
        "convert --to atif runs/run.jsonl --out runs/../runs/run.jsonl",
        "convert --to atif runs/run.jsonl runs/other.jsonl --out runs",
    ] {
        let finished = run(&place, command);
        assert_eq!(finished.code, 2, "{command}: {finished:?}");
        assert!(
            finished.stderr.contains("run.jsonl is an input"),
            "{}",
            finished.stderr
        );
        assert_eq!(
            fs::read_to_string(place.join("runs/run.jsonl")).unwrap(),
            GOOD
        );
    }
}
