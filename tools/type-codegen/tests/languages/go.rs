//! The Go types, with the compiler of Go.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use codex_wire_schema::BundleName;
use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use type_codegen::{Releases, bundles};

use crate::install::{GO, done, workspace};
use crate::readme::blocks;
use crate::recorded::{Names, What, lines};

pub(crate) fn trials() -> Vec<Trial> {
    let missing = GO.check().err();
    let name = match &missing {
        Some(reason) => format!("go: {reason}"),
        None => "go".to_owned(),
    };
    let run = || check().map_err(Failed::from);
    let example = || examples().map_err(Failed::from);
    vec![
        Trial::test(format!("{name}: examples"), example).with_ignored_flag(missing.is_some()),
        Trial::test(name, run).with_ignored_flag(missing.is_some()),
    ]
}

/// Every recorded line is read and written again, with each value of a duplicate key. Built messages
/// have what tells their kind. The sources are formatted, and `go vet` finds nothing.
fn check() -> Result<(), String> {
    let folder = GO.folder();
    let mut text = String::new();
    let mut names = Names::default();
    for line in lines() {
        let package = line.bundle.as_str().replace('-', "");
        let kind = format!("{package}.{}", names.of(&line));
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

/// The examples of the README compile as they are written, are formatted, and the first one prints
/// what the agent says in the README's own recording. The tests among them are compiled, not run: they
/// start the program `codex-wire`.
fn examples() -> Result<(), String> {
    const README: &str = "go/README.md";
    let folder = GO.folder().join("examples");
    let _ = fs::remove_dir_all(&folder);
    let library = workspace().join("go");
    let manifest = format!(
        "module example.com/readme\n\ngo 1.23\n\n\
         require github.com/codex-wire/codex-wire/go v0.0.0\n\n\
         replace github.com/codex-wire/codex-wire/go => {}\n",
        library.display()
    );
    write(&folder.join("go.mod"), &manifest);
    let mut programs = Vec::new();
    for (index, block) in blocks(README, "go")?.iter().enumerate() {
        let package = block.lines().find_map(|line| line.strip_prefix("package "));
        let package = package.ok_or_else(|| format!("not a whole file:\n{block}"))?;
        let suffix = match block.contains("\"testing\"") {
            true => "_test.go",
            false => ".go",
        };
        let place = match package {
            "main" => format!("main{index}"),
            _ => package.to_owned(),
        };
        write(
            &folder.join(&place).join(format!("example{index}{suffix}")),
            block,
        );
        if package == "main" {
            programs.push(format!("./{place}"));
        }
    }
    done(&mut go(&folder, &["vet", "./..."]))?;
    formatted(&folder)?;
    let recording = blocks(README, "json")?.concat();
    let said = said(&recording)?;
    let recorded = folder.join("testdata/run.jsonl");
    write(&recorded, &recording);
    let [program] = &programs[..] else {
        return Err(format!("{} programs, not one", programs.len()));
    };
    let mut run = go(&folder, &["run", program]);
    run.stdin(fs::File::open(&recorded).expect("a recording"));
    let output = run.output().map_err(|error| format!("go: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    match output.status.success() && printed.trim() == said {
        true => Ok(()),
        false => {
            let errors = String::from_utf8_lossy(&output.stderr);
            Err(format!("{said:?} is expected, not {printed:?}: {errors}"))
        }
    }
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
