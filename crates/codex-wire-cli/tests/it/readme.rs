//! The README and the pages beside it: their commands are run as they are written.

use std::fs;
use std::path::PathBuf;

use crate::support::{GOOD, folder, run_with, workspace};

/// The lines of each `console` block.
fn blocks(page: &str) -> Vec<Vec<&str>> {
    let mut blocks = Vec::new();
    let mut open = false;
    for line in page.lines() {
        match line {
            "```console" => {
                open = true;
                blocks.push(Vec::new());
            }
            "```" => open = false,
            line if open => blocks.last_mut().unwrap().push(line),
            _ => {}
        }
    }
    blocks
}

/// Links to files of this repository lead somewhere.
#[test]
fn links_lead_to_files() {
    let root = workspace();
    let mut pages = pages();
    for name in [
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ] {
        let path = root.join(name);
        pages.push((path.clone(), fs::read_to_string(&path).unwrap()));
    }
    let mut dead = Vec::new();
    let mut valid = 0;
    for (path, page) in &pages {
        let targets = page.split("](").skip(1);
        let targets = targets.filter_map(|rest| Some(rest.split_once(')')?.0));
        for target in targets.filter(|target| !target.contains(':')) {
            let file = target.split('#').next().unwrap_or_default();
            match file.is_empty() || path.with_file_name(file).exists() {
                true => valid += 1,
                false => dead.push(format!("{}: {target}", path.display())),
            }
        }
    }
    assert_eq!(dead, [""; 0]);
    assert!(valid > 50, "{valid} links");
}

/// The README, and the pages of `docs` that somebody wrote.
fn pages() -> Vec<(PathBuf, String)> {
    let docs = fs::read_dir(workspace().join("docs")).unwrap();
    let docs = docs.map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = docs
        .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
        .collect();
    paths.sort();
    paths.insert(0, workspace().join("README.md"));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// The recording the README speaks of: one of 0.44.0, one word of it changed.
fn run_jsonl() -> String {
    GOOD.replace("\"status\":\"completed\"", "\"status\":\"exploded\"")
        .replace("\"command\":\"ls\"", "\"command\":\"cargo test\"")
}

#[test]
fn commands_do_what_the_pages_say() {
    let pages = pages();
    let scratch = folder("readme");
    fs::write(scratch.join("run.jsonl"), run_jsonl()).unwrap();
    let mut left = Vec::new();
    let with_commands = |page: &&(PathBuf, String)| !blocks(&page.1).is_empty();
    assert!(pages.iter().filter(with_commands).count() >= 3);
    for block in pages.iter().flat_map(|(_, page)| blocks(page)) {
        for (index, line) in block.iter().enumerate() {
            let Some(command) = line.strip_prefix("$ ") else {
                continue;
            };
            // A valid stream stands for what Codex would write to a pipe.
            let (input, command) = match command.rsplit_once(" | ") {
                Some((writer, reader)) if writer.starts_with("codex exec --json ") => {
                    (GOOD, reader)
                }
                Some((writer, reader)) => match writer.strip_prefix("printf ") {
                    Some(text) => (text.trim_matches('\''), reader),
                    None => ("", command),
                },
                None => ("", command),
            };
            let (place, args) = if let Some(args) = command.strip_prefix("codex-wire ") {
                (scratch.clone(), args)
            } else if let Some(args) = command.strip_prefix("cargo run -p codex-wire-cli -- ") {
                (workspace(), args)
            } else {
                left.push(*line);
                continue;
            };
            let finished = run_with(&place, args, input.as_bytes());
            let output: Vec<&str> = block[index + 1..]
                .iter()
                .copied()
                .take_while(|line| !line.starts_with("$ "))
                .collect();
            if output.is_empty() {
                assert_eq!(
                    finished.code, 0,
                    "{line}\n{}{}",
                    finished.stdout, finished.stderr
                );
            } else {
                // The last line names a digest, which changes with every schema.
                let finished = finished.stdout.lines();
                let finished: Vec<&str> = finished.filter(|l| !l.starts_with("  by ")).collect();
                assert_eq!(finished, output, "{line}\n{}", finished.join("\n"));
            }
        }
    }
    // A test that runs all tests would run itself.
    assert_eq!(left, ["$ cargo test --workspace"]);
}

/// The badge and the text name the Rust version that the packages declare.
#[test]
fn the_readme_names_the_minimum_rust_version() {
    let readme = fs::read_to_string(workspace().join("README.md")).unwrap();
    let version = env!("CARGO_PKG_RUST_VERSION");
    for text in [
        format!("rust-{version}%2B"),
        format!("Rust {version} or later"),
    ] {
        assert!(readme.contains(&text), "no `{text}`");
    }
}

/// The gate runs the program it has built anyway; the README lets cargo build it.
#[test]
fn the_gate_runs_the_main_command_of_the_readme() {
    let text = |path| fs::read_to_string(workspace().join(path)).unwrap();
    let (readme, gate) = (text("README.md"), text(".ci/run"));
    let mut commands = readme
        .lines()
        .filter_map(|line| line.strip_prefix("$ cargo run -p codex-wire-cli -- "));
    let command = commands.next().unwrap();
    let step = format!("run \"$program\" {command}");
    assert!(gate.lines().any(|line| line == step), "no `{step}`");
    assert_eq!(commands.next(), None);
}
