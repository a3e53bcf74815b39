//! The same steps, recorded with the real program and played from a script.

use std::collections::BTreeMap;

use codex_wire_base::{Protocol, Release};
use codex_wire_replay::manifest as manifest_of;
use codex_wire_replay::script::{ExecRun, Script, Settings, exec};
use serde_json::Value;

use super::support::{fixtures, lines};

/// What can be compared of a line: everything but what a run makes up, and the texts of errors and
/// of programs, which depend on the machine.
fn normalized(line: &str) -> Value {
    let mut line: Value = serde_json::from_str(line).unwrap();
    if let Some(item) = line.get_mut("item").and_then(Value::as_object_mut) {
        // A search has two ids, of which JSON has the last.
        if item.contains_key("query") {
            item.remove("id");
        }
        if let Some(Value::String(output)) = item.get_mut("aggregated_output") {
            output.clear();
        }
    }
    for id in ["thread_id", "session_id"] {
        if let Some(id) = line.get_mut(id) {
            *id = Value::Null;
        }
    }
    for message in ["/message", "/error/message"] {
        if let Some(Value::String(message)) = line.pointer_mut(message) {
            // How long Codex waits is random; the text of a refusal is the server's.
            *message = message.split(" in ").next().unwrap().to_owned();
            if message.contains('{') {
                message.clear();
            }
        }
    }
    line
}

/// The exit status of each recorded run.
fn statuses() -> BTreeMap<String, i32> {
    let manifest = std::fs::read(fixtures().join("exec/manifest.json")).unwrap();
    let recorded = manifest_of(&manifest).unwrap().into_iter();
    recorded
        .filter_map(|(file, about)| Some((file, about.status?)))
        .collect()
}

/// The real program and the script write the same, except for ids.
#[test]
fn recordings_of_the_same_steps_have_the_same_lines() {
    let mut compared = Vec::new();
    let mut complaints = Vec::new();
    let statuses = statuses();
    for (recording, marker, without, text) in RECORDED {
        let script = Script::parse(text).unwrap_or_else(|error| panic!("{recording}: {error}"));
        for release in Protocol::Exec.release_list().releases() {
            let path = fixtures().join(format!("exec/{release}/{recording}.jsonl"));
            let Ok(recorded) = std::fs::read_to_string(path) else {
                continue;
            };
            // Scenarios of one name were recorded with several models.
            if !recorded.contains(marker) {
                continue;
            }
            let play = exec(&script, *release, &ExecRun::default(), &Settings::default());
            let play = play.unwrap();
            let status = statuses.get(&format!("{release}/{recording}.jsonl"));
            if status.is_some_and(|status| *status != play.status()) {
                let statuses = (play.status(), status);
                complaints.push(format!("{release} {recording}: exit status {statuses:?}"));
            }
            let lines = lines(&play);
            let recorded: Vec<Value> = recorded.split_terminator('\n').map(normalized).collect();
            let played = &lines[..lines.len() - without];
            let played: Vec<Value> = played.iter().map(|line| normalized(line)).collect();
            compared.push((*release, *recording));
            let mut pairs = played.iter().zip(&recorded);
            if let Some((played, recorded)) = pairs.find(|(played, recorded)| played != recorded) {
                complaints.push(format!("{release} {recording}\n  {played}\n  {recorded}"));
            } else if played.len() != recorded.len() && *without == 0 {
                let counts = (played.len(), recorded.len());
                complaints.push(format!("{release} {recording}: {counts:?} lines"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    for minor in [98, 125, 169] {
        let release = Release::new(0, minor, 0);
        let count = compared
            .iter()
            .filter(|(compared, _)| *compared == release)
            .count();
        assert_eq!(
            count,
            RECORDED.len() - OF_OTHER_RELEASES,
            "{release}: {compared:?}"
        );
    }
    assert!(compared.len() > 80, "{} recordings", compared.len());
}

/// How many of these were not recorded with 0.98.0, 0.125.0 and 0.169.0.
const OF_OTHER_RELEASES: usize = 1;

/// A recording, a text in it, how many of the last lines of the play are not compared, and a script
/// of the same steps.
const RECORDED: &[(&str, &str, usize, &str)] = &[
    (
        "message",
        "This is a plain",
        0,
        "step = [{ usage = { input = 1200, cached = 1000, output = 34, reasoning = 12 } },
                 { say = 'Hello! This is a plain agent message.' }]",
    ),
    (
        "command_ok",
        "echo hello && ls",
        0,
        "step = [{ usage = { input = 1200, cached = 1000, output = 34, reasoning = 12 } },
                 { reason = '**Listing**' }, { run = 'echo hello && ls' }, { say = 'Listed.' }]",
    ),
    (
        "command_fail",
        "definitely_not",
        0,
        "step = [{ usage = { input = 1200, cached = 1000, output = 34, reasoning = 12 } },
                 { run = 'echo to-stdout; echo to-stderr >&2; exit 3', exit = 3 },
                 { run = 'definitely_not_a_command --x', exit = 127 }, { say = 'Both failed.' }]",
    ),
    (
        "command_no_output",
        "lc true",
        0,
        "step = [{ usage = { input = 1200, cached = 1000, output = 34, reasoning = 12 } },
                 { run = 'true' }, { say = 'Silent.' }]",
    ),
    (
        "reasoning",
        "**First**",
        1,
        r#"[[step]]
           reason = ["**First**\n\nsome thought", "**Second**\n\nmore"]
           [[step]]
           reason = "**Third**"
           [[step]]
           say = "Thought about it.""#,
    ),
    (
        "reasoning",
        "**Inspecting",
        1,
        r#"[[step]]
           reason = ["**Inspecting the request**\n\nI should look at the README first.",
                     "**Deciding**\n\nNothing to change."]
           [[step]]
           say = "Reasoned answer.""#,
    ),
    (
        "todo_list",
        "Read the code",
        1,
        "[[step]]
         plan = [{ step = 'Read the code' }, { step = 'Write the fix' }, { step = 'Test' }]
         [[step]]
         run = 'echo reading'
         [[step]]
         plan = [{ step = 'Read the code', status = 'completed' }, { step = 'Write the fix' },
                 { step = 'Test' }]
         [[step]]
         plan = [{ step = 'Read the code', status = 'completed' },
                 { step = 'Write the fix', status = 'completed' },
                 { step = 'Test', status = 'completed' }, { step = 'Ship ✅' }]
         [[step]]
         say = 'Plan finished.'",
    ),
    (
        "file_changes",
        "notes/new.txt",
        1,
        "[[step]]
         patch = '''
*** Begin Patch
*** Add File: notes/new.txt
+one
*** End Patch'''
         [[step]]
         patch = '''
*** Begin Patch
*** Update File: README.md
@@
-a
+b
*** End Patch'''
         [[step]]
         patch = '''
*** Begin Patch
*** Delete File: old.txt
*** End Patch'''
         [[step]]
         patch = '''
*** Begin Patch
*** Update File: move_me.txt
*** Move to: moved.txt
@@
-a
+b
*** End Patch'''",
    ),
    (
        "patch_fail",
        "README.md/sub/x.txt",
        1,
        "[[step]]
         patch = '''
*** Begin Patch
*** Add File: README.md/sub/x.txt
+x
*** End Patch'''
         fails = true
         [[step]]
         say = 'Those failed.'",
    ),
    ("web_search", "codex exec jsonl", 1, "step = [{ search = 'codex exec jsonl' }]"),
    (
        "mcp",
        "echo: hi",
        1,
        "step = [{ call = 'echo', server = 'echo', arguments = { text = 'hi' }, result = 'echo: hi' },
                 { call = 'fail', server = 'echo', arguments = { text = 'boom' }, fails = true,
                   result = 'tool failed on purpose: boom' }]",
    ),
    ("error_http400", "Invalid", 0, "step = [{ fail = '{…}' }]"),
    (
        "error_stream_drop",
        "1/2",
        0,
        "[[step]]
         retry = 'stream disconnected before completion: stream closed before response.completed'
         of = 2
         [[step]]
         retry = 'stream disconnected before completion: stream closed before response.completed'
         attempt = 2
         of = 2
         [[step]]
         fail = 'stream disconnected before completion: stream closed before response.completed'",
    ),
    (
        "error_mid_turn",
        "echo before the error",
        0,
        "[[step]]
         plan = [{ step = 'one' }, { step = 'two' }]
         [[step]]
         run = 'echo before the error'
         [[step]]
         fail = '{…}'",
    ),
    ("sigint_stream", "About to hang", 0, "step = [{ reason = '**About to hang**' }, { hang = true }]"),
];
