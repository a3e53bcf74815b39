//! A stand-in within this process: clients on pipes and on a socket.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
#[cfg(unix)]
use std::os::fd::OwnedFd as Owned;
#[cfg(windows)]
use std::os::windows::io::OwnedHandle as Owned;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use codex_wire_check::Verdict;
use codex_wire_live::stand_in::{
    Environment, Host, Installation, Played, Repertoire, ScriptFile, Settings, Streams, install,
    read_recordings,
};
use codex_wire_live::{Error, Notices, Stop};
use codex_wire_replay::arguments::Listen;
use codex_wire_replay::faults::Injection;
use codex_wire_replay::{About, Recording};
use serde_json::{Value, json};
use tungstenite::Message;

const EXEC: &str = "exec/0.125.0/command_ok.jsonl";
const SERVER: &str = "app-server/0.169.0/10a_plain_requests.jsonl";

/// The client's ends of the streams of a stand-in.
struct Client {
    input: Option<File>,
    output: BufReader<File>,
    errors: BufReader<File>,
}

fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures")
        .join(path)
}

fn repertoire(path: &str) -> Repertoire {
    let stop = Stop::new();
    let recordings = read_recordings(&[fixture(path)], &stop, |_| stop.clone()).unwrap();
    Repertoire::of_recordings(recordings, None, None).unwrap()
}

/// A manifest that cannot be read is an error, also for a recording that needs none: who wrote it wants it read.
#[test]
fn a_broken_manifest_is_named_with_the_place() {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("manifest.json");
    fs::create_dir(folder.path().join("0.125.0")).unwrap();
    fs::copy(fixture(EXEC), folder.path().join("0.125.0/run.jsonl")).unwrap();
    let stop = Stop::new();
    let read = || read_recordings(&[folder.path().join("0.125.0")], &stop, |_| stop.clone());
    // Other programs have files of that name.
    fs::write(&manifest, "{\"name\":\"x\"}").unwrap();
    assert_eq!(read().unwrap()[0].about.release, None);
    fs::write(&manifest, "{\"transcripts\":[\n{]}").unwrap();
    let error = read().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot read {}", manifest.display())
    );
    let reason = std::error::Error::source(&error).unwrap().to_string();
    assert_eq!(reason, "line 2, column 2: not JSON");
}

fn pipe() -> (File, File) {
    let (from, to) = std::io::pipe().unwrap();
    (File::from(Owned::from(from)), File::from(Owned::from(to)))
}

fn streams() -> (Streams, Client) {
    let ((input, to), (from, output), (heard, errors)) = (pipe(), pipe(), pipe());
    let client = Client {
        input: Some(to),
        output: BufReader::new(from),
        errors: BufReader::new(heard),
    };
    (Streams::new(input, output, errors), client)
}

/// Plays in a thread of its own.
fn play(
    path: &str,
    settings: Settings,
    address: &str,
    make: impl FnOnce(Host) -> Host,
) -> (Client, Stop, JoinHandle<Result<Played, Error>>) {
    let (streams, client) = streams();
    let stop = Stop::new();
    let host = make(Host::new(streams, Environment::within("/"), &stop));
    let (repertoire, address) = (repertoire(path), address.parse::<Listen>().unwrap());
    let played = thread::spawn(move || repertoire.play(&settings, None, &address, "test", host));
    (client, stop, played)
}

impl Client {
    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().unwrap();
        input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// The answer to the request of this id, after what Codex says by itself.
    fn answer(&mut self, id: u64) -> Value {
        let lines = self.output.by_ref().lines().map(Result::unwrap);
        let mut messages = lines.map(|line| serde_json::from_str::<Value>(&line).unwrap());
        messages.find(|message| message["id"] == id).unwrap()
    }
}

fn initialize() -> Value {
    let info = json!({"name": "capture_rig", "title": "Capture Rig", "version": "1.0.0"});
    let params = json!({"clientInfo": info, "capabilities": {"experimentalApi": true}});
    json!({"id": 1, "method": "initialize", "params": params})
}

#[test]
fn a_run_is_played_on_pipes() {
    let (mut client, _, played) = play(EXEC, Settings::new(), "stdio://", |host| host);
    let mut output = Vec::new();
    client.output.read_to_end(&mut output).unwrap();
    assert_eq!(output, fs::read(fixture(EXEC)).unwrap());
    assert_eq!(played.join().unwrap().unwrap().status, 0);
}

/// `codex exec` has no client whose requests choose one.
#[test]
fn one_run_is_played() {
    for (other, expected) in [
        ("exec/0.125.0/command_fail.jsonl", "no client chooses"),
        (SERVER, "cannot play"),
    ] {
        let stop = Stop::new();
        let paths = [fixture(EXEC), fixture(other)];
        let recordings = read_recordings(&paths, &stop, |_| stop.clone()).unwrap();
        let repertoire = Repertoire::of_recordings(recordings, None, None).unwrap();
        let host = Host::new(streams().0, Environment::within("/"), &stop);
        let settings = Settings::new();
        let played = repertoire.play(&settings, None, &Listen::Stdio, "test", host);
        let error = played.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// Two stand-ins in one process do not meet, and each says what its client did.
#[test]
fn conversations_are_played_and_checked() {
    let folder = tempfile::tempdir().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut all = Vec::new();
    for number in 0..2 {
        let mut settings = Settings::new();
        settings.record = Some(folder.path().join(format!("{number}.jsonl")));
        let told = Arc::clone(&told);
        let notices = Notices::new(move |notice| told.lock().unwrap().push(notice.to_string()));
        let make = |host: Host| host.notices(notices).checking(true);
        all.push(play(SERVER, settings, "stdio://", make));
    }
    for (client, _, _) in &mut all {
        client.send(&initialize());
        assert!(client.answer(1)["result"].is_object());
        client.send(&json!({"id": 2, "method": "walrus/feed"}));
        assert_eq!(client.answer(2)["error"]["code"], -32600);
    }
    for (number, (mut client, _, played)) in all.into_iter().enumerate() {
        drop(client.input.take());
        let played = played.join().unwrap().unwrap();
        let outcome = played.outcome.unwrap();
        assert_eq!((played.status, outcome.verdict), (0, Verdict::Findings));
        let record = fs::read_to_string(folder.path().join(format!("{number}.jsonl"))).unwrap();
        assert_eq!(record.matches("walrus/feed").count(), 2, "{record}");
        assert!(
            record.contains("{\"kind\":\"exit\",\"status\":0"),
            "{record}"
        );
    }
    let told = told.lock().unwrap();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("walrus/feed"), "{told:?}");
}

/// After a stop nobody is let in any more.
#[test]
fn who_listens_is_stopped() {
    let (mut client, stop, played) = play(SERVER, Settings::new(), "ws://127.0.0.1:0", |host| host);
    let mut lines = client.errors.by_ref().lines().map(Result::unwrap);
    let address = lines
        .find_map(|line| Some(line.split_once("listening on: ws://")?.1.to_owned()))
        .unwrap();
    let stream = TcpStream::connect(&address).unwrap();
    let (mut socket, _) = tungstenite::client(format!("ws://{address}/"), stream).unwrap();
    socket
        .send(Message::text(initialize().to_string()))
        .unwrap();
    let answer = socket.read().unwrap().into_text().unwrap();
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["id"], 1);
    stop.request();
    assert_eq!(played.join().unwrap().unwrap().status, 0);
    // The thread that lets clients in ends soon after.
    while TcpStream::connect(&address).is_ok() {
        thread::yield_now();
    }
}

#[test]
fn a_socket_has_no_place_for_faults_of_bytes() {
    let mut settings = Settings::new();
    settings.injections = vec![Injection::parse("split-writes").unwrap()];
    let (_client, _, played) = play(SERVER, settings, "ws://127.0.0.1:0", |host| host);
    let error = played.join().unwrap().unwrap_err();
    assert!(matches!(error, Error::FaultOfBytes(_)), "{error}");
}

/// Whoever ends a stand-in finds all that it received in the recording, also if it does not let it finish.
#[test]
fn a_line_is_recorded_before_it_is_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    for checks in [false, true] {
        let path = folder.path().join(format!("{checks}.jsonl"));
        let mut settings = Settings::new();
        settings.record = Some(path.clone());
        let make = |host: Host| host.checking(checks);
        let (mut client, _, _played) = play(SERVER, settings, "stdio://", make);
        client.send(&initialize());
        client.answer(1);
        for id in 2..200 {
            // What takes long to be checked.
            let params = json!({"text": vec!["x"; 200], "number": id});
            client.send(&json!({"id": id, "method": "walrus/feed", "params": params}));
            client.answer(id);
            let record = fs::read_to_string(&path).unwrap();
            let last = record.lines().last().unwrap();
            let answer = format!("\\\"id\\\":{id}}}");
            assert!(
                last.contains("\"from\":\"codex\"") && last.contains(&answer),
                "{last}"
            );
        }
    }
}

/// As the real one, since 0.99.0: what a client opted out of does not come. The check has a rule about it.
#[test]
fn what_a_client_opted_out_of_does_not_come() {
    let unwanted = [
        "thread/started",
        "turn/started",
        "item/agentMessage/delta",
        "no/such",
    ];
    for (path, came) in [
        ("app-server/0.98.0/02b_reasoning_raw.jsonl", true),
        ("app-server/0.125.0/14a_web_search.jsonl", false),
        ("app-server/0.169.0/02_reasoning.jsonl", false),
    ] {
        for fault in [None, Some("rpc-id-as-text")] {
            let mut settings = Settings::new();
            settings.injections = fault
                .into_iter()
                .map(|fault| Injection::parse(fault).unwrap())
                .collect();
            let (mut client, _, _played) = play(path, settings, "stdio://", |host| host);
            let mut initialize = initialize();
            initialize["params"]["capabilities"]["optOutNotificationMethods"] = json!(unwanted);
            client.send(&initialize);
            client.send(&json!({"method": "initialized"}));
            client.send(&json!({"id": 2, "method": "thread/start", "params": {"cwd": "/tmp"}}));
            let mut heard: Vec<Value> = Vec::new();
            let mut listen = |client: &mut Client, is_last: &dyn Fn(&Value) -> bool| {
                for line in client.output.by_ref().lines() {
                    let message: Value = serde_json::from_str(&line.unwrap()).unwrap();
                    let is_last = is_last(&message);
                    heard.push(message);
                    if is_last {
                        return heard.last().unwrap().clone();
                    }
                }
                panic!("{heard:?}");
            };
            let started = listen(&mut client, &|message| {
                message["result"]["thread"].is_object()
            });
            let thread = &started["result"]["thread"]["id"];
            let input = json!([{"type": "text", "text": "Do it."}]);
            let params = json!({"threadId": thread, "input": input});
            client.send(&json!({"id": 3, "method": "turn/start", "params": params}));
            listen(&mut client, &|message| {
                message["method"] == "turn/completed"
            });
            let found = heard.iter().any(|message| {
                let method = message["method"].as_str().unwrap_or_default();
                unwanted.contains(&method)
            });
            assert_eq!(found, came, "{path}");
            assert!(
                heard
                    .iter()
                    .any(|message| message["method"] == "item/completed")
            );
        }
    }
}

#[test]
fn what_cannot_be_installed_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let install = |repertoire: &Repertoire| {
        let program = std::env::current_exe().unwrap();
        install(folder.path(), &program, &Settings::new(), repertoire)
    };
    let shelf = folder.path().join("codex-replay");
    fs::create_dir(&shelf).unwrap();
    fs::write(shelf.join("notes.txt"), "mine").unwrap();
    let refused = install(&repertoire(EXEC)).unwrap_err();
    assert!(matches!(refused, Error::NotAStandIn(path) if path == shelf));
    assert_eq!(fs::read_to_string(shelf.join("notes.txt")).unwrap(), "mine");

    fs::remove_dir_all(&shelf).unwrap();
    install(&repertoire(EXEC)).unwrap();
    let start = br#"{"kind":"start","transcript":1,"protocol":"exec"}"#;
    let of_no_release = Recording::read("a", start.to_vec(), About::new()).unwrap();
    let of_no_release = Repertoire::of_recordings(vec![of_no_release], None, None).unwrap();
    let refused = install(&of_no_release).unwrap_err();
    assert!(matches!(refused, Error::NoRelease), "{refused}");
    let kept = fs::read(shelf.join("1.jsonl")).unwrap();
    assert_eq!(kept, fs::read(fixture(EXEC)).unwrap());
}

/// A script may come from a pipe, which can be read once.
#[test]
fn a_script_is_installed_as_it_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hello.toml");
    fs::write(&path, "step = [{ say = 'Hello.' }]").unwrap();
    let script = ScriptFile::read(&path).unwrap();
    fs::write(&path, "").unwrap();
    let program = std::env::current_exe().unwrap();
    let (into, repertoire) = (
        folder.path().join("bin"),
        Repertoire::of_script(script, None, None),
    );
    let mut settings = Settings::new();
    settings.script = Some(path);
    install(&into, &program, &settings, &repertoire).unwrap();
    let installed = fs::read_to_string(into.join("codex-replay/hello.toml")).unwrap();
    assert_eq!(installed, "step = [{ say = 'Hello.' }]");
}

/// What a client gets of an installed stand-in that it starts with these arguments: the exit status, and what it reads on
/// standard output and on standard error.
fn started(folder: &Path, settings: Settings, arguments: &[&str]) -> (u8, String, String) {
    let arguments = arguments.iter().map(OsString::from);
    let task = Installation::new(settings).task(arguments).unwrap();
    let (streams, mut client) = streams();
    let played = task.run(Host::new(
        streams,
        Environment::within(folder),
        &Stop::new(),
    ));
    let (mut output, mut errors) = (String::new(), String::new());
    client.output.read_to_string(&mut output).unwrap();
    client.errors.read_to_string(&mut errors).unwrap();
    (played.unwrap().status, output, errors)
}

fn of_release(release: &str) -> Settings {
    let mut settings = Settings::new();
    settings.release = Some(release.parse().unwrap());
    settings
}

/// As real ones do it with the same script, except for the lines between `workdir` and `session id`, and for warnings.
#[test]
fn reviews_are_printed_as_the_release_prints_them() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let script = folder.join("script.toml");
    fs::write(
        &script,
        "[[step]]\nsay = \"Looking.\"\n[[step]]\nsay = \"Fine code.\"\n",
    )
    .unwrap();
    for (release, arguments, user, printed, last) in [
        (
            "0.98.0",
            &["review", "Look."][..],
            "Look.",
            "codex\nLooking.\ncodex\nFine code.\n",
            "",
        ),
        (
            "0.125.0",
            &["review", "--base", "main"],
            "changes against 'main'",
            "codex\nFine code.\n",
            "Fine code.\n",
        ),
        (
            "0.169.0",
            &["exec", "review", "--uncommitted"],
            "current changes",
            "codex\nFine code.\n",
            "Fine code.\n",
        ),
    ] {
        let mut settings = of_release(release);
        settings.script = Some(script.clone());
        settings.folder = Some(folder.to_owned());
        let (status, output, errors) = started(folder, settings, arguments);
        assert_eq!((status, output.as_str()), (0, last), "{release}");
        let (_, errors) = errors.split_once("\nsession id: ").unwrap();
        let (_, errors) = errors.split_once('\n').unwrap();
        assert_eq!(
            errors,
            format!("--------\nuser\n{user}\n{printed}"),
            "{release}"
        );
    }
}

#[test]
fn files_of_types_are_written_where_the_client_says() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, count) = (folder.path(), |path: &Path| {
        fs::read_dir(path).unwrap().count()
    });
    let started = |arguments: &[&str]| started(folder, of_release("0.98.0"), arguments);
    let written = started(&["app-server", "generate-ts", "--out", "a/b"]);
    assert_eq!(written, (0, String::new(), String::new()));
    // `cargo test -p xtask --test it -- type_files` compares what is in them with real ones.
    assert_eq!(count(&folder.join("a/b/v2")), 181);
    let turn = fs::read_to_string(folder.join("a/b/v2/Turn.ts")).unwrap();
    assert!(
        turn.starts_with("// GENERATED CODE! DO NOT MODIFY BY HAND!\n\n// This file"),
        "{turn}"
    );
    assert!(
        turn.contains("\nexport type Turn = { id: string,"),
        "{turn}"
    );
    let schemas = [
        "app-server",
        "generate-json-schema",
        "-o",
        "c",
        "--experimental",
    ];
    assert_eq!(started(&schemas).0, 0);
    assert_eq!(count(&folder.join("c")), 31);
    // A file is in the place of the folder.
    let (status, _, errors) = started(&["app-server", "generate-ts", "-o", "a/b/index.ts"]);
    assert_eq!(status, 1);
    assert!(errors.starts_with("Error: Failed to create "), "{errors}");
    let unformatted = ["app-server", "generate-ts", "-o", "d", "-p", "/no/prettier"];
    let (status, _, errors) = started(&unformatted);
    assert_eq!(status, 1);
    assert!(
        errors.starts_with("Error: Failed to invoke Prettier at /no/prettier\n"),
        "{errors}"
    );
}
