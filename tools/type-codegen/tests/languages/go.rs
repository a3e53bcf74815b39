//! The Go types, with the compiler of Go.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use codex_wire_schema::BundleName;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use type_codegen::{Releases, bundles};

use crate::install::{GO, done, workspace};
use crate::readme::blocks;
use crate::recorded::{Names, What, all_lines};
use crate::sessions::{self, program, written};

pub(crate) fn trials() -> Vec<Trial> {
    let missing = GO.check().err();
    let name = match &missing {
        Some(reason) => format!("go: {reason}"),
        None => "go".to_owned(),
    };
    let run = || check().map_err(Failed::from);
    let example = || examples().map_err(Failed::from);
    let test = || tests().map_err(Failed::from);
    let double = || doubles().map_err(Failed::from);
    let session = || sessions().map_err(Failed::from);
    let unbuilt = sessions::missing();
    let by_program = |what: &str| match &unbuilt {
        None => format!("{name}: {what}"),
        Some(reason) => format!("{name}: {what}: {reason}"),
    };
    let is_ignored = missing.is_some() || unbuilt.is_some();
    vec![
        Trial::test(format!("{name}: examples"), example).with_ignored_flag(missing.is_some()),
        Trial::test(by_program("tests of the README"), test).with_ignored_flag(is_ignored),
        Trial::test(by_program("doubles"), double).with_ignored_flag(is_ignored),
        Trial::test(by_program("sessions"), session).with_ignored_flag(is_ignored),
        Trial::test(name, run).with_ignored_flag(missing.is_some()),
    ]
}

/// Every recorded line is read and written again, with each value of a duplicate key. Built messages
/// have the member that names their kind. The sources are formatted, and `go vet` finds nothing.
fn check() -> Result<(), String> {
    let folder = GO.folder();
    let mut text = String::new();
    let mut names = Names::default();
    for line in all_lines() {
        let package = line.bundle.as_str().replace('-', "");
        let kind = format!("{package}.{}", names.of(line));
        let method = match &line.what {
            What::Response(_, method) => Some(method),
            What::Message(_) => None,
        };
        let newest = line.bundle.releases().last() == Some(&line.release);
        let record = json!({"type": kind, "method": method, "newest": newest, "text": line.text});
        let _ = writeln!(text, "{record}");
    }
    let path = folder.join("lines.jsonl");
    fs::write(&path, text).expect("a file");
    let kinds_path = folder.join("kinds.json");
    fs::write(&kinds_path, kinds().to_string()).expect("a file");
    let module = workspace().join("go");
    let go = |arguments: &[&str]| {
        let mut command = go(&module, arguments);
        command.env("CODEX_WIRE_LINES", &path);
        command.env("CODEX_WIRE_KINDS", &kinds_path);
        command
    };
    done(&mut go(&["vet", "./..."]))?;
    formatted(&module)?;
    done(&mut go(&["test", "-count=1", "./..."]))
}

/// What the program writes is read and written again, and nothing of it is unknown.
fn sessions() -> Result<(), String> {
    let mut text = String::new();
    for document in written()? {
        let kind = format!("{}.{}", document.module, document.document);
        let record = json!({"type": kind, "newest": true, "text": document.value.to_string()});
        let _ = writeln!(text, "{record}");
    }
    let path = GO.folder().join("sessions.jsonl");
    fs::write(&path, text).expect("a file");
    let mut test = go(
        &workspace().join("go"),
        &["test", "-count=1", "-run", "TestWrittenSessions", "."],
    );
    done(test.env("CODEX_WIRE_SESSIONS", &path))
}

/// The tests of doubles pass, which need the program.
fn doubles() -> Result<(), String> {
    let module = workspace().join("go");
    let mut test = go(&module, &["test", "-count=1", "./codextest"]);
    done(test.env("CODEX_WIRE_PROGRAM", program()))
}

/// Each kind of message that a member tells: its type, the member and its value.
fn kinds() -> Value {
    let mut out = Vec::new();
    for name in BundleName::ALL {
        let Some(bundle) = bundles(name, Releases::Newest).last() else {
            continue;
        };
        let package = name.as_str().replace('-', "");
        for root in &bundle.roots {
            let union = bundle.definitions[&root.definition].tagged();
            for variant in union.into_iter().flat_map(|union| &union.variants) {
                let tag = union.map(|union| &*union.tag);
                let kind = format!("{package}.{}", root.definition);
                out.push(json!({"type": kind, "tag": tag, "value": &*variant.tag}));
            }
        }
    }
    Value::Array(out)
}

const README: &str = "go/README.md";

/// The examples of the README compile as they are written and are formatted. The first one prints what
/// the agent says in the README's own recording, skips blank lines, and names the line of an error.
fn examples() -> Result<(), String> {
    let folder = project("examples")?;
    done(&mut go(&folder, &["vet", "./..."]))?;
    formatted(&folder)?;
    let recording = blocks(README, "json")?.concat();
    let (printed, logged) = shown(&folder, &format!("\n{recording}\n"))?;
    let said = said(&recording)?;
    if printed.trim() != said || !logged.is_empty() {
        return Err(format!(
            "{said:?} is expected, not {printed:?}, and no {logged:?}"
        ));
    }
    let wrong = recording.replace("agent_message", "agent_mesage") + "\n{\"type\":";
    let (printed, logged) = shown(&folder, &wrong)?;
    let count = wrong.lines().count();
    let expected = ["an item of a later release", &format!("line {count}:")];
    match printed.is_empty() && expected.iter().all(|part| logged.contains(part)) {
        true => Ok(()),
        false => Err(format!("{expected:?} is expected, not {logged:?}")),
    }
}

/// What the program of the README prints and logs for some lines.
fn shown(folder: &Path, lines: &str) -> Result<(String, String), String> {
    let recorded = folder.join("lines.jsonl");
    write(&recorded, lines);
    let mut run = go(folder, &["run", "./main"]);
    run.stdin(fs::File::open(&recorded).expect("a recording"));
    let output = run.output().map_err(|error| format!("go: {error}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok((text(&output.stdout), text(&output.stderr)))
}

/// The tests of the README pass with its recording and its script, played by the program. If the
/// recording is changed afterwards, they fail: `go test` does not repeat the earlier result.
fn tests() -> Result<(), String> {
    let folder = project("tested")?;
    let data = folder.join("client/testdata");
    let recording = blocks(README, "json")?.concat();
    let run = data.join("run.jsonl");
    written_before(&run, &recording);
    written_before(&data.join("hello.toml"), &blocks(README, "toml")?.concat());
    written_before(&data, "");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = program();
    let bin = program.parent().expect("a folder").to_owned();
    let paths = std::iter::once(bin).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(paths).expect("paths");
    let tests = |flags: &[&str]| {
        let mut command = go(&folder, &[&["test", "-v"], flags, &["./client"]].concat());
        command.env("PATH", &path);
        command
    };
    done(&mut go(&folder, &["clean", "-testcache"]))?;
    done(&mut tests(&[
        "-run",
        "^(TestDouble|TestFaults|TestAppServer)$",
    ]))?;
    let test = || tests(&["-run", "^(TestRecordings|TestExec)$"]);
    done(&mut test())?;
    written_before(&run, &recording.replace("agent_message", "agent_mesage"));
    let output = test().output().map_err(|error| format!("go: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let failed = ["--- FAIL: TestRecordings/run.jsonl", "--- FAIL: TestExec"];
    match failed.iter().all(|line| said.contains(line)) {
        true => Ok(()),
        false => Err(format!("a wrong recording passes: {said}")),
    }
}

/// Writes a file, unless it is a folder, and says that this was an hour ago: `go test` keeps no result
/// of what was written just now.
fn written_before(path: &Path, text: &str) {
    if !path.is_dir() {
        write(path, text);
    }
    let before = SystemTime::now() - Duration::from_secs(3600);
    let file = fs::File::open(path).expect("a file");
    file.set_modified(before).expect("a time");
}

/// A module with the examples of the README.
fn project(name: &str) -> Result<PathBuf, String> {
    let folder = GO.folder().join(name);
    let _ = fs::remove_dir_all(&folder);
    let library = workspace().join("go");
    let manifest = format!(
        "module example.com/readme\n\ngo 1.23\n\n\
         require github.com/codex-wire/codex-wire/go v0.0.0\n\n\
         replace github.com/codex-wire/codex-wire/go => {}\n",
        library.display()
    );
    write(&folder.join("go.mod"), &manifest);
    for (index, block) in blocks(README, "go")?.iter().enumerate() {
        let package = block.lines().find_map(|line| line.strip_prefix("package "));
        let package = package.ok_or_else(|| format!("not a whole file:\n{block}"))?;
        let suffix = match block.contains("\"testing\"") {
            true => "_test.go",
            false => ".go",
        };
        let name = format!("example{index}{suffix}");
        write(&folder.join(package).join(name), block);
    }
    Ok(folder)
}

/// What the agent says in a recording of `codex exec --json`.
fn said(recording: &str) -> Result<String, String> {
    let lines = recording.lines().map(serde_json::from_str::<Value>);
    let lines: Vec<Value> = lines
        .collect::<Result<_, _>>()
        .map_err(|error| error.to_string())?;
    let texts = lines
        .iter()
        .filter_map(|line| line.pointer("/item/text")?.as_str());
    let texts: Vec<&str> = texts.collect();
    match texts.is_empty() {
        true => Err("the agent says nothing in the recording".to_owned()),
        false => Ok(texts.join("\n")),
    }
}

/// The compiler, in the folder of a module.
fn go(module: &Path, arguments: &[&str]) -> Command {
    let folder = GO.folder();
    let root = folder.join("site/go");
    let mut command = Command::new(root.join("bin/go"));
    command.args(arguments).current_dir(module);
    command.env("GOROOT", &root).stdin(Stdio::null());
    command
        .env("GOCACHE", folder.join("cache"))
        .env("GOPATH", folder.join("path"));
    command
        .env("GOFLAGS", "-mod=mod")
        .env("GOPROXY", "off")
        .env("GOTOOLCHAIN", "local");
    command
}

/// An error that names the sources that are not formatted.
fn formatted(module: &Path) -> Result<(), String> {
    let mut command = Command::new(GO.folder().join("site/go/bin/gofmt"));
    let output = command.args(["-l", "."]).current_dir(module).output();
    let output = output.map_err(|error| format!("gofmt: {error}"))?;
    match output.status.success() && output.stdout.is_empty() {
        true => Ok(()),
        false => {
            let said = [output.stdout, output.stderr].concat();
            Err(format!("not formatted: {}", String::from_utf8_lossy(&said)))
        }
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}
