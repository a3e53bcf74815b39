//! Makes facts of the calls of the model and their outputs: what a session file has of an item if it
//! does not keep the item.

use serde_json::Value;

use super::facts::{Fact, Fingerprint, Kind, Origin, changes_of, script_of, tool_of, words_of};

/// Reads a response item that is a call. `folder` is where paths of a patch begin.
pub(super) fn call(item: &Value, line: u64, folder: Option<&str>) -> Option<Fact> {
    let text = |name: &str| item[name].as_str().unwrap_or_default();
    let mut fact = match text("type") {
        "function_call" => function(item, line, folder)?,
        "custom_tool_call" if text("name") == "apply_patch" => patch(text("input"), line, folder),
        // Only searches have a query. For other actions the stream has a text of its own, and that of
        // 0.72.0 has no item.
        "web_search_call" => {
            let query = item["action"]["query"].as_str().map(Fingerprint::of);
            Fact {
                is_done: query.is_some() && text("status") == "completed",
                ..Fact::new(Kind::WebSearch, line, query)
            }
        }
        _ => return None,
    };
    fact.origin = Origin::Call;
    fact.id = item["call_id"].as_str().map(Fingerprint::of);
    Some(fact)
}

fn function(item: &Value, line: u64, folder: Option<&str>) -> Option<Fact> {
    let name = item["name"].as_str()?;
    let arguments: Value = serde_json::from_str(item["arguments"].as_str()?).ok()?;
    match name {
        "shell" | "container.exec" | "local_shell" | "shell_command" | "exec_command" => {
            let words = words_of(&arguments["command"]);
            if let Some(patch_text) = patch_in(&words) {
                return Some(patch(&patch_text, line, folder));
            }
            let text = |name: &str| arguments[name].as_str();
            let what = match (text("command").or_else(|| text("cmd")), &words[..]) {
                (Some(text), _) => Fingerprint::of(text),
                (None, []) => return None,
                (None, words) => script_of(words),
            };
            Some(Fact::new(Kind::Command, line, Some(what)))
        }
        "apply_patch" => Some(patch(arguments["input"].as_str()?, line, folder)),
        _ => {
            let space = item["namespace"].as_str().unwrap_or_default();
            let full = format!("{space}{name}");
            let (server, tool) = full
                .strip_prefix("mcp__")
                .unwrap_or(&full)
                .split_once("__")?;
            Some(Fact {
                arguments: Some(Fingerprint::of_json(&arguments)),
                ..Fact::new(Kind::McpCall, line, Some(tool_of(server, tool)))
            })
        }
    }
}

/// The patch that a command applies, if that is all it does.
fn patch_in(words: &[&str]) -> Option<String> {
    match words {
        ["apply_patch" | "applypatch", patch] => Some((*patch).to_owned()),
        [_, "-lc" | "-c", script] if script.trim_start().starts_with("apply") => {
            let start = script.find("*** Begin Patch")?;
            Some(script[start..].to_owned())
        }
        _ => None,
    }
}

/// A patch as the model writes it. Some do not apply, and then no item says so.
fn patch(text: &str, line: u64, folder: Option<&str>) -> Fact {
    let heads = [
        ("*** Add File: ", "add"),
        ("*** Update File: ", "update"),
        ("*** Delete File: ", "delete"),
    ];
    let changes: Vec<(String, &str)> = text
        .lines()
        .filter_map(|line| {
            let (path, kind) = heads
                .iter()
                .find_map(|(head, kind)| Some((line.strip_prefix(head)?.trim(), *kind)))?;
            let path = match folder {
                Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
                _ => path.to_owned(),
            };
            Some((path, kind))
        })
        .collect();
    let changes = changes.iter().map(|(path, kind)| (path.as_str(), *kind));
    let what = folder.map(|_| changes_of(changes));
    Fact::new(Kind::FileChange, line, what)
}

/// Adds what the output of its call says to a fact.
pub(super) fn answer(fact: &mut Fact, output: &Value) {
    let Some(text) = output.as_str() else {
        return;
    };
    let parsed = output_of(text);
    match (fact.kind, parsed) {
        (Kind::Command, Some((exit_code, output))) => {
            fact.is_done = true;
            fact.exit_code = Some(exit_code);
            fact.output = output
                .filter(|output| !is_shortened(text, exit_code, output))
                .and_then(|output| Fingerprint::of_output(&output));
        }
        // A patch that does not fit is refused before an item starts.
        (Kind::FileChange, Some((exit_code, _))) => fact.is_done = exit_code == 0,
        // A result is content, or begins with its duration. An unknown tool has neither.
        (Kind::McpCall, _) => {
            let is_content = text.starts_with('[') && serde_json::from_str::<Value>(text).is_ok();
            fact.is_done = is_content || text.starts_with("Wall time: ");
        }
        _ => {}
    }
}

/// The exit code and the output of a command, in one of the forms that the model was given over
/// time.
fn output_of(text: &str) -> Option<(i64, Option<String>)> {
    if text.starts_with('{') {
        let parsed: Value = serde_json::from_str(text).ok()?;
        let exit_code = parsed["metadata"]["exit_code"].as_i64()?;
        return Some((exit_code, parsed["output"].as_str().map(str::to_owned)));
    }
    let (head, output) = match text.split_once("Output:\n") {
        Some((head, output)) => (head, Some(output.to_owned())),
        None => (text, None),
    };
    let exit_code = head.lines().find_map(|line| {
        let code = line
            .strip_prefix("Exit code: ")
            .or_else(|| line.strip_prefix("Process exited with code "))?;
        code.trim().parse().ok()
    })?;
    // A line at the start says when lines are left out.
    let is_whole = !head.contains("Total output lines:");
    Some((exit_code, output.filter(|_| is_whole)))
}

/// Whether the model was not given the whole output, or more than it. 124 is the exit code of a
/// command that took too long.
fn is_shortened(text: &str, exit_code: i64, output: &str) -> bool {
    const TIMED_OUT: i64 = 124;
    exit_code == TIMED_OUT
        || output.contains("truncated")
        || output.contains("[... omitted")
        || text.contains("command timed out")
}
