//! What goes wrong with Codex itself: it is not there, dies, writes nonsense, floods its standard error, never
//! answers, does not end.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use codex_wire::app_server::methods::client_requests::{ModelList, TurnStart};
use codex_wire::app_server::{ModelListParams, TurnStartParams};
use codex_wire::{Maybe, json::Raw};
use codex_wire_client::{Client as Blocking, Error, Incoming, Options, TurnEvent, tokio as tasks};

use crate::support::{Client, Served, WAYS, Way, options, runtime, served};

fn start(way: Way, program: &str) -> Result<Client, Error> {
    match way {
        Way::Threads => Blocking::start(program, options()).map(Client::Threads),
        Way::Tasks => {
            let client = runtime().block_on(tasks::Client::start(program, options()));
            client.map(Client::Tasks)
        }
    }
}

#[test]
fn a_program_that_is_not_there() {
    for way in WAYS {
        let error = start(way, "/no/such/codex").expect_err("it is not there");
        assert_eq!(error.to_string(), "cannot start /no/such/codex");
    }
}

#[test]
fn an_answer_that_does_not_come() {
    for way in WAYS {
        let (client, server) = served(
            way,
            options().timeout(Duration::from_millis(300)),
            |lines, writer| {
                let mut server = Served::introduced(lines, writer, "0.169.0");
                server.line();
                server.line();
                // The answer to the first request comes after all.
                server.say(r#"{"id":1,"result":{"data":[],"nextCursor":null}}"#);
                server.say(r#"{"id":2,"error":{"code":-32600,"message":"no"}}"#);
                server.line()
            },
        );
        let client = client.expect("a client");
        let error = client
            .request::<ModelList>(ModelListParams::new())
            .expect_err("no answer");
        assert_eq!(
            error.to_string(),
            "the answer to model/list did not come within 300ms"
        );
        let error = client
            .request::<ModelList>(ModelListParams::new())
            .expect_err("refused");
        assert_eq!(error.to_string(), "model/list: no (-32600)");
        let late = client.incoming(Duration::ZERO).expect("the late answer");
        assert!(matches!(late, Incoming::Unasked(_)), "{late:?}");
        drop(client);
        assert_eq!(server.join().expect("the server ends"), "");
    }
}

#[test]
fn an_id_that_came_back_as_text() {
    for way in WAYS {
        let (client, server) = served(way, options(), |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say(r#"{"id":"1","result":{"data":[],"nextCursor":null}}"#);
            server.line()
        });
        let client = client.expect("a client");
        client
            .request::<ModelList>(ModelListParams::new())
            .expect("an answer");
        drop(client);
        server.join().expect("the server ends");
    }
}

/// Codex writes a code with each error; whoever stands between may not.
#[test]
fn an_answer_that_cannot_be_read() {
    for way in WAYS {
        let (client, server) = served(way, options(), |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say(r#"{"id":1,"error":{"message":"no such model"}}"#);
            server.line()
        });
        let client = client.expect("a client");
        let error = client.request::<ModelList>(ModelListParams::new());
        assert!(matches!(error, Err(Error::Line(_))), "{error:?}");
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn a_request_is_one_line() {
    for way in WAYS {
        let (client, server) = served(way, options(), |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            let line = server.line();
            server.say(r#"{"id":1,"error":{"code":1,"message":"no"}}"#);
            line
        });
        let client = client.expect("a client");
        let mut params = TurnStartParams::new("t", Vec::new());
        params.output_schema = Maybe::Value(Raw::new("{\r\n  \"a b\": 1\n}").expect("JSON"));
        let error = client.request::<TurnStart>(params);
        assert!(matches!(error, Err(Error::Refused { .. })), "{error:?}");
        drop(client);
        let line = server.join().expect("the server ends");
        assert!(line.contains(r#""outputSchema":{    "a b": 1 }"#), "{line}");
    }
}

#[test]
fn a_turn_that_is_silent() {
    for way in WAYS {
        let quick = options().silence(Duration::from_millis(20));
        let (client, server) = served(way, quick, |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say(r#"{"id":1,"result":{"turn":{"id":"u","items":[],"status":"inProgress"}}}"#);
            server.line()
        });
        let client = client.expect("a client");
        let turn = client.start_turn("t", "Go.").expect("a turn");
        let error = turn.finish().expect_err("it is silent");
        assert_eq!(
            error.to_string(),
            "the next event of the turn did not come within 20ms"
        );
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn a_turn_goes_on_after_silence() {
    for way in WAYS {
        let (was_silent, silence) = mpsc::channel();
        let quick = options().silence(Duration::from_millis(20));
        let (client, server) = served(way, quick, move |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say(r#"{"id":1,"result":{"turn":{"id":"u","items":[],"status":"inProgress"}}}"#);
            silence.recv().expect("the client was waiting");
            server.say(r#"{"method":"turn/completed","params":{"threadId":"t","turn":{"id":"u","items":[],"status":"failed","error":{"message":"no"}}}}"#);
            server.line()
        });
        let client = client.expect("a client");
        let mut last = None;
        let mut turn = client.start_turn("t", "Go.").expect("a turn");
        // Whoever says how long it may take is not told of silence.
        let longer = Duration::from_millis(60);
        match turn.next_within(longer) {
            Err(Error::Timeout { after, .. }) => assert_eq!(after, longer),
            other => panic!("{other:?}"),
        }
        for event in turn {
            if let Err(Error::Timeout { .. }) = &event {
                was_silent.send(()).expect("the server waits, or did");
            }
            last = Some(event);
        }
        let last = last.expect("an event");
        assert!(matches!(last, Err(Error::TurnFailed { .. })), "{last:?}");
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn lines_that_are_no_messages() {
    for way in WAYS {
        let (client, server) = served(way, options(), |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say("Starting up…");
            server.say(r#"{"method":7}"#);
            server.say(r#"{"id":1,"result":{"data":[],"nextCursor":null}}"#);
            server.line()
        });
        let client = client.expect("a client");
        client
            .request::<ModelList>(ModelListParams::new())
            .expect("an answer");
        for (number, text) in [(2, "Starting up…"), (3, r#"{"method":7}"#)] {
            match client.incoming(Duration::ZERO) {
                Ok(Incoming::Unreadable(line)) => {
                    assert_eq!((line.number, line.text.as_str()), (number, text));
                    // Why is its source, which is shown with it.
                    let expected = format!("line {number} of Codex cannot be read: {text}");
                    assert_eq!(line.to_string(), expected);
                    assert!(std::error::Error::source(&line).is_some());
                }
                other => panic!("{other:?}"),
            }
        }
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn a_line_without_end() {
    for way in WAYS {
        let (client, server) = served(way, options().limit(1000), |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say("x".repeat(2000));
            server.line()
        });
        let client = client.expect("a client");
        let error = client
            .request::<ModelList>(ModelListParams::new())
            .expect_err("no answer");
        assert_eq!(error.to_string(), "cannot read from Codex");
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn an_answer_to_one_that_is_gone_is_an_error() {
    for way in WAYS {
        let (client, server) = served(way, options(), |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say(r#"{"id":1,"result":{"turn":{"id":"u","items":[],"status":"inProgress","error":null}}}"#);
            server.say(r#"{"id":0,"method":"item/commandExecution/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i"}}"#);
        });
        let client = client.expect("a client");
        let mut turn = client.start_turn("t", "Go.").expect("a turn");
        let Some(Ok(TurnEvent::Approval(approval))) = turn.next() else {
            panic!("it asks")
        };
        let error = turn.next().expect("an error").expect_err("it is gone");
        assert!(matches!(error, Error::Ended { .. }), "{error}");
        let error = approval.accept().expect_err("it is gone");
        assert_eq!(
            error.to_string(),
            "Codex closed its output before the answer of the client"
        );
        server.join().expect("the server ends");
    }
}

#[cfg(unix)]
mod processes {
    use std::process::Command;

    use super::*;

    const INTRODUCED: &str =
        r#"read line; echo '{"id":0,"result":{"userAgent":"test/0.169.0 (Linux)"}}'; read line;"#;

    fn shell(way: Way, script: &str, options: Options) -> Result<Client, Error> {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        match way {
            Way::Threads => Blocking::spawn(command, options).map(Client::Threads),
            Way::Tasks => {
                let client = runtime().block_on(tasks::Client::spawn(command, options));
                client.map(Client::Tasks)
            }
        }
    }

    #[test]
    fn it_dies_before_it_answers() {
        for way in WAYS {
            let error =
                shell(way, "echo 'no such home' >&2; exit 3", options()).expect_err("it is dead");
            assert_eq!(
                error.to_string(),
                "Codex ended (exit status: 3) before the answer to initialize; its last words:\nno such home"
            );
        }
    }

    #[test]
    fn it_dies_in_a_turn() {
        for way in WAYS {
            let turn = r#"read line; echo '{"id":1,"result":{"turn":{"id":"u","items":[],"status":"inProgress"}}}'; kill -9 $$"#;
            let client = shell(way, &format!("{INTRODUCED}{turn}"), options()).expect("a client");
            let turn = client.start_turn("t", "Go.").expect("a turn");
            let error = turn.finish().expect_err("it is dead");
            assert_eq!(
                error.to_string(),
                "Codex ended (signal: 9 (SIGKILL)) before the next event of the turn"
            );
        }
    }

    #[test]
    fn its_standard_error_is_drained() {
        for way in WAYS {
            // A pipe holds 64 KiB: nobody would read the answer.
            let flood = r#"i=0; while [ $i -lt 3000 ]; do echo "noise noise noise noise noise noise $i" >&2; i=$((i+1)); done;"#;
            let answer =
                r#"read line; echo '{"id":1,"result":{"data":[],"nextCursor":null}}'; read line"#;
            let client =
                shell(way, &format!("{flood}{INTRODUCED}{answer}"), options()).expect("a client");
            client
                .request::<ModelList>(ModelListParams::new())
                .expect("an answer");
        }
    }

    #[test]
    fn one_that_does_not_end_is_killed() {
        for way in WAYS {
            let stays = format!(
                "trap '' HUP INT TERM; {INTRODUCED} echo $$ >&2; exec sleep 600 2>/dev/null >/dev/null"
            );
            let client = shell(way, &stays, options()).expect("a client");
            // It closed its output, and runs.
            let error = client
                .request::<ModelList>(ModelListParams::new())
                .expect_err("no answer");
            let Error::Ended {
                status: None,
                stderr,
                ..
            } = error
            else {
                panic!("{error}");
            };
            let begun = Instant::now();
            client.end();
            assert!(begun.elapsed() < Duration::from_secs(10));
            let alive = Command::new("kill")
                .args(["-0", stderr.trim()])
                .output()
                .expect("kill runs");
            assert!(
                !alive.status.success(),
                "process {} is alive",
                stderr.trim()
            );
        }
    }
}
