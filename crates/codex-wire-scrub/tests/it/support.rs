//! The fixtures, and what they are checked with.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use codex_wire_check::{Checker, Options, Outcome, Profile, Writer, rules};
use codex_wire_scrub::Key;

/// A fixture.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    options: Options,
}

impl Case {
    pub(crate) fn check(&self, bytes: &[u8]) -> Outcome {
        // The validators of a checker are made once.
        static CHECKERS: LazyLock<Mutex<HashMap<String, Arc<Checker>>>> =
            LazyLock::new(Mutex::default);
        let checker = {
            let mut checkers = CHECKERS.lock().expect("no test has panicked");
            let checker = checkers.entry(format!("{:?}", self.options));
            let new = || Arc::new(Checker::new(self.options.clone()).expect("options"));
            checker.or_insert_with(new).clone()
        };
        checker.check("-", bytes)
    }
}

pub(crate) fn key() -> Key {
    Key::new(*b"0123456789abcdef")
}

/// All fixtures below a folder.
pub(crate) fn below(folder: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let mut paths = Vec::new();
    walk(&root.join(folder), &mut paths);
    assert!(!paths.is_empty(), "no fixtures in {folder}");
    paths.sort();
    let case = |path: PathBuf| Case {
        name: path
            .strip_prefix(&root)
            .expect("below")
            .display()
            .to_string(),
        bytes: fs::read(&path).expect("a readable file"),
        options: options(&path),
    };
    paths.into_iter().map(case).collect()
}

/// The folders of fixtures.
pub(crate) const FOLDERS: [&str; 13] = [
    "app-server",
    "core",
    "exec",
    "exec-legacy",
    "hooks",
    "hooks-outcomes",
    "invalid",
    "mcp-server",
    "notify",
    "rollout",
    "rollout-cross",
    "rules",
    "synthetic",
];

fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            walk(&path, out);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            out.push(path);
        }
    }
}

/// What a fixture is checked with: the first line of an `.expected` file, or a file `settings`.
fn options(path: &Path) -> Options {
    let mut options = Options::new();
    let expected = fs::read_to_string(path.with_extension("expected"));
    let words = match &expected {
        Ok(text) => {
            for rule in rules::RULES
                .iter()
                .filter(|rule| rule.group() == "sequence")
            {
                options.levels.set(rule, None);
            }
            text.lines()
                .next()
                .unwrap_or_default()
                .trim_start_matches("# ")
                .to_owned()
        }
        Err(_) => fs::read_to_string(path.with_file_name("settings")).unwrap_or_default(),
    };
    for word in words.split_whitespace() {
        if let Some(side) = word.strip_prefix("side=") {
            options.side = Some(match side {
                "codex" => Writer::Codex,
                _ => Writer::Client,
            });
        } else if let Some((limit, number)) = word.split_once('=') {
            let number: usize = number.parse().expect("a number");
            match limit {
                "max-line-bytes" => options.limits.line_bytes = number,
                "max-depth" => options.limits.depth = number,
                "max-values" => options.limits.values = number,
                "max-findings" => options.limits.findings = number,
                _ => panic!("{limit}: no limit"),
            }
        } else if let Ok(protocol) = word.parse() {
            options.protocol = Some(protocol);
        } else if let Ok(profile) = word.parse::<Profile>() {
            options.profile = profile;
        } else if let Ok(release) = word.parse() {
            options.release = Some(release);
        } else if word == "rpc" {
            for rule in rules::RULES.iter().filter(|rule| rule.group() == "rpc") {
                options.levels.set(rule, Some(rule.level));
            }
        } else {
            assert!(["identified", "show-values"].contains(&word), "{word}");
        }
    }
    options
}
