//! The commands of session files against what `codex exec` printed in the same run.

use std::collections::BTreeSet;

use codex_wire_session::{Body, Command, Item};
use serde_json::Value;

use crate::recordings::{Run, json_lines, runs};
use golden_files::files;

/// A command as a stream tells it.
#[derive(Debug)]
struct Printed {
    /// The call, where the stream names it: up to 0.42.0.
    call: Option<String>,
    /// The line of the command, where the stream has it here.
    line: Option<String>,
    code: Option<i64>,
    /// What it wrote. 0.21.0 prints its two outputs apart, and keeps that for errors if it failed.
    outputs: Vec<String>,
}

impl Printed {
    fn of(line: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let item = &line["item"];
        if line["type"] == "item.completed" && item["type"] == "command_execution" {
            return Some(Printed {
                call: None,
                line: text(&item["command"]),
                code: item["exit_code"].as_i64(),
                outputs: text(&item["aggregated_output"]).into_iter().collect(),
            });
        }
        let event = &line["msg"];
        (event["type"] == "exec_command_end").then(|| {
            let parts = ["aggregated_output", "stdout", "stderr"];
            let outputs = parts.iter().filter_map(|part| text(&event[part]));
            Printed {
                call: text(&event["call_id"]),
                line: None,
                code: event["exit_code"].as_i64(),
                outputs: outputs.collect(),
            }
        })
    }

    fn is(&self, (item, command): &(Item, Command)) -> bool {
        let is_call = self.call.is_none() || self.call == item.id;
        let line = self.line.as_deref().map(plain);
        let is_line = line.is_none_or(|line| line.contains(&plain(&command.command)));
        let output = command.output.as_ref();
        let is_output = output.is_some_and(|output| self.outputs.contains(output));
        is_call && is_line && is_output && command.exit_code == self.code
    }
}

/// A command without what shells quote with.
fn plain(line: &str) -> String {
    let is_quote = |sign: &char| matches!(sign, '\'' | '"' | '\\');
    line.chars().filter(|sign| !is_quote(sign)).collect()
}

/// The commands of all files of a run.
fn commands(run: &Run) -> Vec<(Item, Command)> {
    let read = run.files_read();
    let items = read
        .iter()
        .flat_map(|file| file.thread.own_turns())
        .flat_map(|turn| &turn.items);
    let commands = items.filter_map(|item| match &item.body {
        Body::Command(command) => Some((item.clone(), command.clone())),
        _ => None,
    });
    commands.collect()
}

#[test]
fn every_printed_command_is_there_with_its_output_and_exit_code() {
    let (mut compared, mut releases) = (0, BTreeSet::new());
    for run in runs("rollout") {
        let mut commands = commands(&run);
        for stream in run.printed() {
            for printed in json_lines(&stream).filter_map(|line| Printed::of(&line)) {
                let found = commands.iter().position(|command| printed.is(command));
                let Some(found) = found else {
                    panic!(
                        "{}: {printed:?} is not in {commands:#?}",
                        files::short(&run.folder)
                    );
                };
                commands.remove(found);
                compared += 1;
                releases.insert(run.release);
            }
        }
        let unfinished = commands
            .iter()
            .filter(|(_, command)| command.output.is_none());
        let has_end = !["killed", "interrupted"].contains(&&*run.scenario);
        if has_end && !run.has_client() {
            assert_eq!(unfinished.count(), 0, "{}", files::short(&run.folder));
        }
    }
    assert!(compared > 150, "only {compared} compared");
    assert!(releases.len() > 20, "only {releases:?}");
}
