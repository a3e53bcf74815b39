//! The TypeScript SDK reads recordings of every release of `codex exec`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use codex_wire_base::Release;
use codex_wire_record::Home;
use libtest_mimic::Trial;
use serde_json::{Value, json};

use crate::client::{CLIENTS, Client};
use crate::install;
use crate::stage::{empty_folder, furnish, printed, trial};

/// The recordings that most releases have, and that end by themselves.
const RECORDINGS: [&str; 8] = [
    "command_fail",
    "error_stream_drop_recover",
    "file_changes",
    "mcp",
    "reasoning",
    "todo_list",
    "unicode",
    "web_search",
];

/// The first release that names the kind of an item as the SDK reads it.
const TYPED: Release = Release::new(0, 44, 0);

/// A test for each release that has such recordings.
pub(crate) fn trials() -> Vec<Trial> {
    let client = *CLIENTS.iter().find(|c| c.name == "typescript-sdk").unwrap();
    let mut releases: Vec<Release> = fs::read_dir(fixtures())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
        .collect();
    releases.retain(|release| !recordings(*release).is_empty());
    releases.sort();
    assert!(releases.len() > 10, "{releases:?}");
    let missing = install::check(client).err();
    let of = |release| {
        let name = format!("{}::recordings of {release}", client.name);
        trial(name, missing.clone(), move || read(client, release))
    };
    releases.into_iter().map(of).collect()
}

fn fixtures() -> PathBuf {
    install::workspace().join("fixtures/exec")
}

/// The recordings of a release that are read.
fn recordings(release: Release) -> Vec<PathBuf> {
    let folder = fixtures().join(release.to_string());
    let paths = RECORDINGS
        .iter()
        .map(|name| folder.join(format!("{name}.jsonl")));
    paths.filter(|path| path.exists()).collect()
}

/// What the SDK returns for a recording is what stands in it.
fn read(client: Client, release: Release) {
    let folder = empty_folder(client.name, &format!("recordings-{release}"));
    let files = recordings(release);
    let mut install = Command::new(env!("CARGO_BIN_EXE_codex-wire"));
    install
        .args(["replay", "--install"])
        .arg(folder.join("bin"));
    assert!(install.args(&files).output().unwrap().status.success());
    let home = Home::new(&folder.join("stage"), release, 9).unwrap();
    let (codex, project) = (folder.join("bin/codex"), home.project());
    let mut arguments = vec![Path::new("recordings"), &codex, &project];
    arguments.extend(files.iter().map(PathBuf::as_path));
    let mut command = client.command(&arguments, |command| furnish(command, &home, &folder));
    let printed = printed(&mut command).unwrap();
    let shown: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected: Vec<Value> = files.iter().map(|file| expected(file, release)).collect();
    for (file, (shown, expected)) in files.iter().zip(shown.iter().zip(&expected)) {
        assert_eq!(shown, expected, "{}", file.display());
    }
    assert_eq!(shown.len(), files.len());
}

/// What a recording has: the last message and the number of items, or the error of the turn.
fn expected(file: &Path, release: Release) -> Value {
    let text = fs::read_to_string(file).unwrap();
    let mut response = json!("");
    let mut items = 0;
    for line in text.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        if event["type"] == "turn.failed" {
            return json!({"read": {"error": event["error"]["message"]}});
        }
        if event["type"] == "item.completed" {
            items += 1;
            // Before, the kind of an item is its `item_type`, which the SDK does not know.
            if release >= TYPED && event["item"]["type"] == "agent_message" {
                response = event["item"]["text"].clone();
            }
        }
    }
    json!({"read": {"response": response, "items": items}})
}
