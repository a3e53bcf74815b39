//! A tap within this process.

use std::io::Read;
use std::net::TcpStream;
use std::process::Command;
use std::thread;

use codex_wire_check::{Checker, Options};
use codex_wire_live::tap::{Route, Tap};
use codex_wire_live::{Error, Notices, Recorder, Stop};

/// Writes two lines, of which the second is not right, and exits with a status.
const CODEX: &str =
    r#"printf '{"type":"thread.started","thread_id":"t"}\n{"type":"turn.stalled"}\n'; exit 3"#;

#[cfg(unix)]
#[test]
fn findings_are_an_iterator() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let checker = Checker::new(Options::new()).unwrap();
    let (mut read, output) = std::io::pipe().unwrap();
    let tap = Tap::new(&checker, "run").recorder(Some(Recorder::open(&path).unwrap()));
    let mut command = Command::new("sh");
    let running = tap.run(command.args(["-c", CODEX]), std::io::empty(), output);
    let mut running = running.unwrap();
    let found: Vec<_> = running.by_ref().flatten().map(|f| f.rule.id).collect();
    assert_eq!(found, ["schema/unknown-kind"]);
    let tapped = running.finish().unwrap();
    assert_eq!(tapped.status.code(), Some(3));
    assert!(tapped.inspected.is_complete && tapped.cut.is_none());
    let mut passed = String::new();
    read.read_to_string(&mut passed).unwrap();
    assert_eq!(passed.lines().count(), 2, "{passed}");
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert!(
        recorded.contains(r#"{"kind":"exit","status":3"#),
        "{recorded}"
    );
}

/// A command that cannot be started costs no earlier recording.
#[test]
fn what_cannot_be_started_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    std::fs::write(&path, "before\n").unwrap();
    let checker = Checker::new(Options::new()).unwrap();
    let tap = Tap::new(&checker, "run").recorder(Some(Recorder::open(&path).unwrap()));
    let mut command = Command::new(folder.path().join("walrus"));
    let error = tap.run(&mut command, std::io::empty(), std::io::sink());
    assert!(matches!(error, Err(Error::Start { .. })), "{error:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "before\n");
    let missing = Recorder::open(&folder.path().join("no/run.jsonl"));
    assert!(
        matches!(missing, Err(Error::NoFolder { .. })),
        "{missing:?}"
    );
}

/// After a stop nobody is let in any more.
#[test]
fn who_listens_is_stopped() {
    let checker = Checker::new(Options::new()).unwrap();
    let stop = Stop::new();
    let nowhere = "ws://127.0.0.1:9".parse().unwrap();
    let route = Route::new("ws://127.0.0.1:0".parse().unwrap(), nowhere, None);
    let tap = Tap::new(&checker, "app-server").notices(Notices::ignored());
    let listening = tap.listen(&route, &stop).unwrap();
    let address = listening.address().trim_start_matches("ws://").to_owned();
    drop(TcpStream::connect(&address).unwrap());
    stop.request();
    assert!(listening.finish().is_complete);
    // The thread that lets clients in ends soon after.
    while TcpStream::connect(&address).is_ok() {
        thread::yield_now();
    }
}
