//! What a client sends: the arguments and the input with which it starts Codex, and each of its lines.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shown::Shown;

/// What a client calls instead of Codex.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Codex<'p> {
    /// A real Codex of a release. What is said is recorded by `codex-wire tap`.
    Real(&'p Path, &'p str),
    /// A stand-in, which records what is said.
    StandIn(&'p Path),
}

/// Where everything that was said is written, a folder for each process.
#[derive(Clone, Debug)]
pub(crate) struct Exchange {
    folder: PathBuf,
}

impl Exchange {
    /// Writes a program to `path`, which starts Codex and keeps what is said below `folder`.
    pub(crate) fn with(codex: Codex<'_>, path: &Path, folder: PathBuf) -> Self {
        fs::create_dir_all(&folder).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, script(codex, &folder)).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        Exchange { folder }
    }

    /// The recordings of the processes, in order, without the folder that they ran in.
    pub(crate) fn recordings(&self, root: &str) -> Vec<PathBuf> {
        let recording = |folder: PathBuf| {
            let text = complete(&folder.join(RECORDING)).replace(root, "/stage");
            let path = folder.with_extension("jsonl");
            fs::write(&path, text).unwrap();
            path
        };
        self.processes().map(recording).collect()
    }

    /// What the client sent. `root` is the folder that it ran in.
    pub(crate) fn sent(&self, root: &str) -> Shown {
        let mut lines = Vec::new();
        for process in self.processes() {
            let words = read(&process.join("arguments.txt"));
            let words: Vec<&str> = words.split_terminator('\0').collect();
            lines.push(json!({ "arguments": steady(&words) }));
            let input = read(&process.join("input.txt"));
            if !input.is_empty() {
                lines.push(json!({ "input": input }));
            }
            lines.extend(client_lines(&read(&process.join(RECORDING))));
        }
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        Shown::read(&text, root)
    }

    /// Whether all processes came to their end by themselves.
    pub(crate) fn is_whole(&self) -> bool {
        let mut recordings = self
            .processes()
            .map(|process| read(&process.join(RECORDING)));
        recordings.all(|recording| is_whole(&recording))
    }

    fn processes(&self) -> impl Iterator<Item = PathBuf> {
        (1..)
            .map(|number| self.folder.join(format!("{number}")))
            .take_while(|folder| folder.exists())
    }
}

/// The name of a recording in the folder of its process.
const RECORDING: &str = "run.jsonl";

/// A script for a shell. What it starts to ask for a version or a login is not an exchange.
fn script(codex: Codex<'_>, folder: &Path) -> String {
    let (program, start) = match codex {
        // The shell stays: a client that kills it does not kill `tap` before all is recorded.
        Codex::Real(program, release) => {
            let tap = env!("CARGO_BIN_EXE_codex-wire");
            let tap = format!(
                "'{tap}' tap --release {release} --protocol $protocol --log \"$to/log.txt\" \
                 --record \"$to/{RECORDING}\" -- '{}' \"$@\"",
                program.display()
            );
            (program, tap)
        }
        Codex::StandIn(program) => {
            let record = format!("CODEX_REPLAY_RECORD=\"$to/{RECORDING}\"");
            (
                program,
                format!("{record} exec '{}' \"$@\"", program.display()),
            )
        }
    };
    format!(
        "#!/bin/sh\n\
         case \" $* \" in\n\
         *\" exec \"*) protocol=exec ;;\n\
         *\" app-server \"*) protocol=app-server ;;\n\
         *) exec '{program}' \"$@\" ;;\n\
         esac\n\
         n=1\n\
         while ! mkdir '{folder}/'$n 2>/dev/null; do n=$((n + 1)); done\n\
         to='{folder}/'$n\n\
         printf '%s\\0' \"$@\" > \"$to/arguments.txt\"\n\
         if [ $protocol = exec ]; then cat > \"$to/input.txt\"; exec < \"$to/input.txt\"; fi\n\
         {start}\n",
        program = program.display(),
        folder = folder.display(),
    )
}

/// Arguments without the names of files that are made for one run.
fn steady(words: &[&str]) -> Vec<String> {
    let mut steady: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    for (at, word) in words.iter().enumerate() {
        let names_file = ["--output-schema", "--output-last-message"].contains(word);
        if names_file && let Some(file) = steady.get_mut(at + 1) {
            "<file>".clone_into(file);
        }
    }
    steady
}

/// The lines of the client in a recording.
fn client_lines(recording: &str) -> Vec<Value> {
    let line = |record: &str| {
        let record: Value = serde_json::from_str(record).ok()?;
        let line = record.get("line")?.as_str()?;
        let is_client = record["from"] == "client";
        let line = serde_json::from_str(line).unwrap_or_else(|_| Value::from(line));
        is_client.then(|| json!({ "line": line }))
    };
    recording.lines().filter_map(line).collect()
}

/// Lines in an order that does not depend on when they were sent, without the numbers of requests. What the
/// client asks for beside its turn is left out, as is what comes after a thread that is not kept: it may end
/// before it comes to that.
pub(crate) fn disorder(lines: &mut Vec<Value>) {
    let is_beside = |line: &Value| line.pointer("/line/params/ephemeral") == Some(&json!(true));
    let end = lines.iter().position(is_beside);
    lines.truncate(end.unwrap_or(lines.len()));
    lines.retain(|line| line.pointer("/line/method") != Some(&json!("skills/list")));
    for line in lines.iter_mut() {
        if let Some(id) = line.pointer_mut("/line/id") {
            *id = Value::Null;
        }
    }
    lines.sort_by_cached_key(Value::to_string);
}

/// The text of a file, if there is one.
fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// Longer than Codex takes to end.
const PATIENCE: Duration = Duration::from_secs(90);

/// A recording, once it is at its end: a client may end before its Codex does.
fn complete(path: &Path) -> String {
    let until = Instant::now() + PATIENCE;
    loop {
        let text = read(path);
        if is_whole(&text) {
            return text;
        }
        assert!(Instant::now() < until, "{} has no end", path.display());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a recording is at its end.
fn is_whole(recording: &str) -> bool {
    let last = recording.lines().last().unwrap_or_default();
    recording.ends_with('\n') && last.starts_with("{\"kind\":\"exit\"")
}
