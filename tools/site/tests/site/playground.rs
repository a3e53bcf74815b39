//! Files for the playground, and what the checker finds in them.

use std::fmt::Write as _;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use libtest_mimic::Failed;
use playground::{Outputs, Playground};
use sampling::spread;
use serde_json::{Value, json};

use crate::{SITE, cases, node, root};

/// How many fixtures a browser checks. The module is tried with all of them in Node.
const FIXTURES: usize = 24;

/// The size of a huge file in bytes.
const HUGE: usize = 100_000_000;

pub(crate) fn tried() -> Result<(), Failed> {
    let folder = tempfile::tempdir()?;
    let playground = Playground::new(true)?;
    let mut files = Vec::new();
    for part in ["exec", "app-server", "rollout", "rules/schema", "invalid"] {
        let mut found = Vec::new();
        transcripts(&root().join("fixtures").join(part), &mut found);
        files.extend(spread(found, FIXTURES / 5));
    }
    let mut asked = Vec::new();
    for path in files {
        let (mut json, mut report, mut session) = (Vec::new(), Vec::new(), Vec::new());
        let outputs = Outputs {
            json: &mut json,
            report: &mut report,
            session: &mut session,
        };
        playground.run("", BufReader::new(fs::File::open(&path)?), outputs)?;
        let mut report: Value = serde_json::from_slice(&json)?;
        asked.push(json!({ "path": path, "input": report["inputs"][0].take() }));
    }
    let huge = folder.path().join("huge.jsonl");
    fs::write(&huge, long_run())?;
    let asked = json!({ "files": asked, "huge": huge, "hostile": hostile(folder.path())? });
    let cases = cases(&folder, &asked);
    node("playground.mjs", &[SITE.path(), &cases])
}

fn transcripts(folder: &Path, out: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            transcripts(&path, out);
        } else if path.extension().is_some_and(|end| end == "jsonl") {
            out.push(path);
        }
    }
}

/// A run of `codex exec --json` with thousands of commands.
fn long_run() -> String {
    let mut out = String::with_capacity(HUGE + 10_000);
    out.push_str(
        "{\"type\":\"thread.started\",\"thread_id\":\"0199a213-81c0-7800-8aa1-bbab2a035a53\"}\n",
    );
    out.push_str("{\"type\":\"turn.started\"}\n");
    let output = "a line that a command has written\\n".repeat(120);
    let mut number = 0;
    while out.len() < HUGE {
        for (event, output, status, code) in [
            ("started", "", "in_progress", "null"),
            ("completed", &*output, "completed", "0"),
        ] {
            // Writing to a string cannot fail.
            let _ = writeln!(
                out,
                "{{\"type\":\"item.{event}\",\"item\":{{\"id\":\"item_{number}\",\"type\":\"command_execution\",\
                 \"command\":\"bash -lc ls\",\"aggregated_output\":\"{output}\",\"exit_code\":{code},\"status\":\"{status}\"}}}}"
            );
        }
        number += 1;
    }
    out.push_str("{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":9,\"cached_input_tokens\":0,\"output_tokens\":1}}\n");
    out
}

/// Files that want something else of the page, or are nothing that it knows.
fn hostile(folder: &Path) -> Result<Vec<PathBuf>, Failed> {
    const MARKUP: &str = "<img src=x onerror=alert(1)>";
    let markup = format!("</pre></main>{MARKUP}<script>alert(1)</script><iframe src='/'></iframe>");
    let texts = format!(
        "{{\"type\":\"thread.started\",\"thread_id\":\"{markup}\"}}\n{{\"type\":\"turn.started\"}}\n\
         {{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"agent_message\",\"text\":\"{markup}\"}}}}\n\
         {{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_1\",\"type\":\"{markup}\",\"{markup}\":\"{markup}\"}}}}\n"
    );
    let bytes: Vec<u8> = (0..100_000_u32)
        .map(|number| (number * 31 % 251) as u8)
        .collect();
    let event = "{\"type\":\"turn.startled\"}\n".repeat(100_000);
    let files: [(&str, Vec<u8>); 8] = [
        (&format!("{MARKUP}.jsonl"), texts.into_bytes()),
        ("bytes", bytes),
        ("empty.jsonl", Vec::new()),
        ("page.html", format!("<!doctype html>{markup}").into_bytes()),
        ("packed.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03".repeat(1000)),
        ("deep.jsonl", "[".repeat(1_000_000).into_bytes()),
        (
            "long.jsonl",
            format!("{{\"type\":\"{}\"}}", "x".repeat(30_000_000)).into_bytes(),
        ),
        ("many.jsonl", event.into_bytes()),
    ];
    let written = files.into_iter().map(|(name, bytes)| {
        let path = folder.join(name);
        fs::write(&path, bytes)?;
        Ok(path)
    });
    written.collect()
}
