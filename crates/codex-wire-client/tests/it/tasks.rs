//! What only tasks do: futures that are dropped, streams, many tasks on one connection, a runtime that ends.

use std::time::{Duration, Instant};

use codex_wire::app_server::ModelListParams;
use codex_wire::app_server::methods::client_notifications::Initialized;
use codex_wire::app_server::methods::client_requests::ModelList;
use codex_wire_client::{Error, Incoming, Options, TurnEvent, tokio::Client};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::support::{next, options};

const SOON: Duration = Duration::from_secs(20);

/// The other end of a connection, in the same task or another one.
struct Server {
    lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

impl Server {
    async fn line(&mut self) -> String {
        let line = timeout(SOON, self.lines.next_line()).await;
        line.expect("in time")
            .expect("readable")
            .unwrap_or_default()
    }

    async fn say(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.writer
            .write_all(line.as_bytes())
            .await
            .expect("a client");
    }
}

/// A client and the server that it talks to, which answered `initialize`.
async fn pair() -> (Client, Server) {
    pair_with(options()).await
}

async fn pair_with(options: Options) -> (Client, Server) {
    let (here, there) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(there);
    let mut server = Server {
        lines: BufReader::new(reader).lines(),
        writer,
    };
    let (reader, writer) = tokio::io::split(here);
    let client = tokio::spawn(Client::connect(reader, writer, options));
    server.line().await;
    let introduced = r#"{"id":0,"result":{"userAgent":"test/0.169.0 (Linux)"}}"#;
    server.say(introduced).await;
    let client = client.await.expect("no panic").expect("a client");
    assert!(server.line().await.contains("initialized"));
    (client, server)
}

fn delta(turn: usize, text: &str) -> String {
    format!(
        r#"{{"method":"item/agentMessage/delta","params":{{"threadId":"t{turn}","turnId":"u","itemId":"i","delta":"{text}"}}}}"#
    )
}

fn started(id: usize) -> String {
    format!(r#"{{"id":{id},"result":{{"turn":{{"id":"u","items":[],"status":"inProgress"}}}}}}"#)
}

fn completed(turn: usize) -> String {
    format!(
        r#"{{"method":"turn/completed","params":{{"threadId":"t{turn}","turn":{{"id":"u","items":[],"status":"completed"}}}}}}"#
    )
}

#[tokio::test]
async fn a_future_that_is_dropped_loses_nothing() {
    let (client, mut server) = pair().await;
    server.say(&started(1)).await;
    let mut turn = client.start_turn("t1", "Count.").await.expect("a turn");
    let mut text = String::new();
    let mut dropped = 0;
    let server = tokio::spawn(async move {
        for n in 0..200 {
            server.say(&delta(1, &format!("{n} "))).await;
            if n % 10 == 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        server.say(&completed(1)).await;
        server
    });
    loop {
        // Half of the futures are dropped after they were polled once.
        let next = match timeout(Duration::ZERO, turn.next_event()).await {
            Ok(next) => next,
            Err(_) => {
                dropped += 1;
                turn.next_event().await
            }
        };
        match next.expect("no error") {
            Some(TurnEvent::MessageDelta(delta)) => text.push_str(&delta.text),
            Some(_) => {}
            None => break,
        }
    }
    let expected: String = (0..200).map(|n| format!("{n} ")).collect();
    assert_eq!(text, expected);
    assert!(dropped > 0);
    server.await.expect("no panic");
}

#[tokio::test]
async fn the_answer_to_a_request_that_was_dropped_is_kept() {
    let (client, mut server) = pair().await;
    let asked = client.request::<ModelList>(ModelListParams::new());
    assert!(timeout(Duration::from_millis(5), asked).await.is_err());
    let begun = client.start_turn("t2", "Go.");
    assert!(timeout(Duration::from_millis(5), begun).await.is_err());
    assert!(server.line().await.contains("model/list"));
    assert!(server.line().await.contains("turn/start"));
    server.say(&delta(2, "of a turn that nobody follows")).await;
    server.say(r#"{"id":1,"result":{"data":[]}}"#).await;
    server.say(&started(2)).await;
    let mut kinds = Vec::new();
    for _ in 0..3 {
        kinds.push(match client.incoming(SOON).await.expect("a message") {
            Incoming::Unasked(_) => "unasked",
            Incoming::Notification(_) => "notification",
            other => panic!("{other:?}"),
        });
    }
    assert_eq!(kinds, ["notification", "unasked", "unasked"]);
}

#[tokio::test]
async fn what_comes_before_its_turn_is_known_is_limited() {
    let (client, mut server) = pair_with(options().limit(4096)).await;
    let mut begun = Box::pin(client.start_turn("t1", "Flood."));
    assert!(timeout(Duration::ZERO, &mut begun).await.is_err());
    let long = "x".repeat(400);
    for _ in 0..50 {
        server.say(&delta(1, &long)).await;
        server.say(&delta(2, &long)).await;
    }
    // Whoever reads this has read all.
    server.say(r#"{"method":"last"}"#).await;
    client.incoming(SOON).await.expect("the last message");
    let kept = format!("{client:?}").matches(&long).count();
    assert!((1..=20).contains(&kept), "{kept} are kept");
    server.say(&started(1)).await;
    server.say(&completed(1)).await;
    let mut turn = begun.await.expect("a turn");
    let (mut deltas, mut overruns) = (0, 0);
    while let Some(event) = next(&mut turn).await {
        match event {
            Ok(TurnEvent::MessageDelta(_)) => deltas += 1,
            Err(Error::Overrun { lost, .. }) => overruns += lost,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(deltas + overruns, 50);
    // Of the turn that nobody follows.
    let (mut others, mut lost) = (0, 0);
    while lost == 0 {
        match client.incoming(SOON).await {
            Ok(_) => others += 1,
            Err(Error::Overrun { lost: so_many, .. }) => lost = so_many,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(others + lost, 50);
}

#[tokio::test]
async fn a_server_that_is_gone_is_noticed_at_once() {
    let (client, server) = pair().await;
    let begun = Instant::now();
    drop(server);
    let error = client.incoming(SOON).await.expect_err("it is gone");
    assert!(matches!(error, Error::Ended { .. }), "{error}");
    // A process would have two seconds to exit.
    assert!(begun.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn closing_waits_for_the_other_side() {
    let (client, mut server) = pair().await;
    client.notify::<Initialized>(());
    let mut closing = Box::pin(client.close());
    let waited = timeout(Duration::from_millis(5), &mut closing).await;
    assert!(waited.is_err(), "{waited:?}");
    assert!(server.line().await.contains("initialized"));
    drop(server);
    assert!(closing.await.is_none());
}

#[tokio::test]
async fn an_answer_that_came_while_its_future_was_not_polled() {
    let (client, mut server) = pair().await;
    server.say(&started(1)).await;
    let mut turn = client.start_turn("t1", "Go.").await.expect("a turn");
    let mut asked = Box::pin(client.request::<ModelList>(ModelListParams::new()));
    assert!(timeout(Duration::ZERO, &mut asked).await.is_err());
    server.say(r#"{"id":2,"result":{"data":[]}}"#).await;
    server.say(&delta(1, "x")).await;
    // This reads the answer, for the other.
    assert!(turn.next_event().await.expect("no error").is_some());
    drop(asked);
    let answer = client.incoming(SOON).await.expect("the answer");
    assert!(matches!(answer, Incoming::Unasked(_)), "{answer:?}");
}

#[tokio::test]
async fn waiting_goes_on_after_a_timeout() {
    let (client, mut server) = pair().await;
    server.say(&started(1)).await;
    let mut turn = client.start_turn("t1", "Go.").await.expect("a turn");
    let error = turn.next_within(Duration::from_millis(10)).await;
    assert_eq!(
        error.expect_err("it is silent").to_string(),
        "the next event of the turn did not come within 10ms"
    );
    server.say(&delta(1, "x")).await;
    server.say(&completed(1)).await;
    assert!(turn.next_within(SOON).await.expect("no error").is_some());
    assert!(turn.next_within(SOON).await.expect("no error").is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_tasks_read_many_turns() {
    const TURNS: usize = 20;
    let (client, mut server) = pair().await;
    let server = tokio::spawn(async move {
        for id in 1..=TURNS {
            let line = server.line().await;
            let asked: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!(asked["id"], id);
            let thread = asked["params"]["threadId"].as_str().expect("a thread");
            let turn = thread[1..].parse().expect("a number");
            server.say(&delta(turn, "early")).await;
            server.say(&started(id)).await;
        }
        for _ in 0..50 {
            for turn in 0..TURNS {
                server.say(&delta(turn, "x")).await;
            }
        }
        for turn in 0..TURNS {
            server.say(&completed(turn)).await;
        }
        server
    });
    let mut tasks = JoinSet::new();
    for turn in 0..TURNS {
        let client = client.clone();
        tasks.spawn(async move {
            let mut turn = client.start_turn(format!("t{turn}"), "Go.").await?;
            drop(client);
            let mut text = String::new();
            while let Some(event) = next(&mut turn).await {
                if let TurnEvent::MessageDelta(delta) = event? {
                    text.push_str(&delta.text);
                }
            }
            Ok::<_, Error>(text)
        });
    }
    while let Some(text) = timeout(SOON, tasks.join_next()).await.expect("in time") {
        let text = text.expect("no panic").expect("a completed turn");
        assert_eq!(text, format!("early{}", "x".repeat(50)));
    }
    server.await.expect("no panic");
}

#[tokio::test]
async fn codex_waits_while_nobody_reads() {
    let (here, there) = tokio::io::duplex(1 << 10);
    let (reader, mut writer) = tokio::io::split(there);
    let mut lines = BufReader::new(reader).lines();
    let (of_client, to_codex) = tokio::io::split(here);
    let client = tokio::spawn(Client::connect(of_client, to_codex, options()));
    lines.next_line().await.expect("initialize");
    let introduced = "{\"id\":0,\"result\":{\"userAgent\":\"test/0.169.0 (Linux)\"}}\n";
    writer
        .write_all(introduced.as_bytes())
        .await
        .expect("a client");
    let client = client.await.expect("no panic").expect("a client");
    let line = format!("{}\n", delta(1, "x"));
    let mut written = 0;
    while let Ok(wrote) = timeout(
        Duration::from_millis(200),
        writer.write_all(line.as_bytes()),
    )
    .await
    {
        wrote.expect("a client");
        written += 1;
        assert!(written < 10_000, "nothing holds Codex up");
    }
    // Those that were written whole are there.
    for _ in 0..written {
        client.incoming(SOON).await.expect("a message");
    }
}

#[cfg(unix)]
mod processes {
    use std::process::Command;

    use codex_wire_client::exec::Exec;
    use tokio::runtime::Builder;

    use super::*;

    /// A Codex that does not end by itself, and its process.
    async fn stubborn() -> (Client, String) {
        let script = r#"trap '' HUP INT TERM; read line
            echo '{"id":0,"result":{"userAgent":"test/0.169.0 (Linux)"}}'; read line
            echo '{"method":"pid","params":{"pid":"'$$'"}}'; exec sleep 600"#;
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let client = Client::spawn(command, options()).await.expect("a client");
        let Ok(Incoming::Notification(pid)) = client.incoming(SOON).await else {
            panic!("no process");
        };
        let pid = serde_json::to_value(&*pid).expect("JSON");
        (
            client,
            pid["params"]["pid"].as_str().expect("a process").to_owned(),
        )
    }

    /// Whether it runs. One that was killed may still be listed, until somebody asks how it ended.
    fn is_alive(pid: &str) -> bool {
        let ps = Command::new("ps").args(["-o", "stat=", "-p", pid]).output();
        let state = ps.expect("ps runs").stdout;
        !state.is_empty() && !state.starts_with(b"Z")
    }

    fn is_gone_soon(pid: &str) {
        let begun = Instant::now();
        while is_alive(pid) {
            assert!(begun.elapsed() < SOON, "process {pid} is alive");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn one_that_is_dropped_is_killed() {
        let (client, pid) = stubborn().await;
        drop(client);
        tokio::task::spawn_blocking(move || is_gone_soon(&pid))
            .await
            .expect("it is gone");
    }

    #[test]
    fn one_whose_runtime_ends_is_killed() {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let (client, pid) = runtime.block_on(stubborn());
        drop(runtime);
        is_gone_soon(&pid);
        // Nothing panics afterwards.
        client.notify::<Initialized>(());
        drop(client);
    }

    #[tokio::test]
    async fn one_that_is_closed_says_how_it_ended() {
        let mut command = Command::new("sh");
        command.args([
            "-c",
            r#"read line; echo '{"id":0,"result":{"userAgent":"test/0.169.0 (Linux)"}}'; cat >/dev/null; exit 4"#,
        ]);
        let client = Client::spawn(command, options()).await.expect("a client");
        let other = client.clone();
        let status = client.close().await.expect("a process");
        assert_eq!(status.code(), Some(4));
        let error = other.request::<ModelList>(ModelListParams::new()).await;
        let error = error.expect_err("it ended");
        assert_eq!(
            error.to_string(),
            "Codex ended (exit status: 4) before the answer to model/list"
        );
    }

    #[test]
    fn without_a_runtime_nothing_is_started() {
        let error = Exec::new("sh").run_async("").expect_err("no runtime");
        assert_eq!(error.to_string(), "cannot start sh");
        let source = std::error::Error::source(&error).expect("a reason");
        assert!(
            source.to_string().contains("no reactor running"),
            "{source}"
        );
    }
}
