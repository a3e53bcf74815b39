//! Several turns at once, what comes before its turn is known, and what nobody answers.

use std::time::{Duration, Instant};

use codex_wire::app_server::ThreadStartParams;
use codex_wire_client::{Amendment, Approval, Error, Incoming, TurnEvent};

use crate::support::{Client, Served, WAYS, Way, options, served};

const AT_ONCE: Duration = Duration::ZERO;

fn delta(thread: &str, turn: &str, text: &str) -> String {
    format!(
        r#"{{"method":"item/agentMessage/delta","params":{{"threadId":"{thread}","turnId":"{turn}","itemId":"i","delta":"{text}"}}}}"#
    )
}

fn started(id: u8, turn: &str) -> String {
    format!(
        r#"{{"id":{id},"result":{{"turn":{{"id":"{turn}","items":[],"status":"inProgress","error":null}}}}}}"#
    )
}

fn completed(thread: &str, turn: &str, status: &str) -> String {
    format!(
        r#"{{"method":"turn/completed","params":{{"threadId":"{thread}","turn":{{"id":"{turn}","items":[],"status":"{status}","error":null}}}}}}"#
    )
}

fn approval(id: u8, thread: &str, turn: &str) -> String {
    format!(
        r#"{{"id":{id},"method":"item/commandExecution/requestApproval","params":{{"threadId":"{thread}","turnId":"{turn}","itemId":"i","command":"rm -rf build","reason":null}}}}"#
    )
}

/// The text of a turn, and what it ended with.
fn text(turn: impl Iterator<Item = Result<TurnEvent, Error>>) -> (String, Option<Error>) {
    let mut text = String::new();
    for event in turn {
        match event {
            Ok(TurnEvent::MessageDelta(delta)) => text.push_str(&delta.text),
            Ok(_) => {}
            Err(error) => return (text, Some(error)),
        }
    }
    (text, None)
}

/// The server says these lines after each line of the client, which are its requests.
fn saying(way: Way, answers: Vec<Vec<String>>) -> (Client, std::thread::JoinHandle<Vec<String>>) {
    let (client, server) = served(way, options(), move |lines, writer| {
        let mut server = Served::introduced(lines, writer, "0.169.0");
        let mut asked = Vec::new();
        for answer in answers {
            asked.push(server.line());
            for line in answer {
                server.say(&line);
            }
        }
        // Until the client is gone.
        loop {
            match server.line() {
                line if line.is_empty() => return asked,
                line => asked.push(line),
            }
        }
    });
    (client.expect("a client"), server)
}

#[test]
fn two_turns_are_read_one_after_the_other_though_they_ran_together() {
    for way in WAYS {
        let (client, server) = saying(
            way,
            vec![
                vec![started(1, "u1")],
                vec![
                    delta("a", "u1", "one "),
                    started(2, "u2"),
                    delta("b", "u2", "uno "),
                    delta("a", "u1", "two"),
                    completed("b", "u2", "completed"),
                    completed("a", "u1", "failed"),
                ],
            ],
        );
        let first = client.start_turn("a", "Count.").expect("a turn");
        let second = client.start_turn("b", "Count.").expect("a turn");
        let (words, error) = text(second);
        assert_eq!((words.as_str(), error.is_none()), ("uno ", true));
        let (words, error) = text(first);
        assert_eq!(words, "one two");
        assert!(matches!(error, Some(Error::TurnFailed { .. })), "{error:?}");
        drop(client);
        server.join().expect("the server ends");
    }
}

/// As 0.157.0 answers while a turn runs: `fixtures/app-server/0.157.0/08f_turn_start_while_active.jsonl`.
#[test]
fn a_turn_that_is_read_is_not_read_twice() {
    for way in WAYS {
        let end = vec![started(2, "u1"), completed("a", "u1", "completed")];
        let (client, server) = saying(way, vec![vec![started(1, "u1")], end]);
        let first = client.start_turn("a", "Count.").expect("a turn");
        let second = client.start_turn("a", "Faster.").err();
        assert!(matches!(second, Some(Error::PartOfTurn { turn }) if turn == "u1"));
        assert!(text(first).1.is_none());
        drop(client);
        server.join().expect("a server");
    }
}

#[test]
fn two_threads_read_two_turns() {
    for way in WAYS {
        let (client, server) = saying(
            way,
            vec![
                vec![started(1, "u1")],
                [
                    vec![started(2, "u2")],
                    (0..200)
                        .map(|n| delta(["a", "b"][n % 2], ["u1", "u2"][n % 2], "x"))
                        .collect(),
                    vec![
                        completed("a", "u1", "completed"),
                        completed("b", "u2", "completed"),
                    ],
                ]
                .concat(),
            ],
        );
        let first = client.start_turn("a", "Count.").expect("a turn");
        let second = client.start_turn("b", "Count.").expect("a turn");
        let other = std::thread::spawn(move || text(second));
        let (words, error) = text(first);
        assert_eq!((words.len(), error.is_none()), (100, true));
        let (words, error) = other.join().expect("the other thread ends");
        assert_eq!((words.len(), error.is_none()), (100, true));
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn messages_before_the_answer_are_of_the_turn_that_it_names() {
    for way in WAYS {
        let (client, server) = saying(
            way,
            vec![vec![
                delta("a", "u1", "early "),
                delta("a", "other", "not mine"),
                started(1, "u1"),
                delta("a", "u1", "late"),
                completed("a", "u1", "completed"),
            ]],
        );
        let (words, error) = text(client.start_turn("a", "Go.").expect("a turn"));
        assert_eq!((words.as_str(), error.is_none()), ("early late", true));
        let outside = client.incoming(AT_ONCE).expect("a message of another turn");
        assert!(matches!(outside, Incoming::Notification(_)), "{outside:?}");
        assert!(matches!(
            client.incoming(AT_ONCE),
            Err(Error::Timeout { .. })
        ));
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn no_time_takes_what_is_there() {
    for way in WAYS {
        let (client, server) = saying(
            way,
            vec![vec![
                started(1, "u1"),
                delta("a", "other", "not mine"),
                delta("a", "u1", "mine"),
                completed("a", "u1", "completed"),
            ]],
        );
        let mut turn = client.start_turn("a", "Go.").expect("a turn");
        let outside = soon(|| client.incoming(AT_ONCE));
        assert!(matches!(outside, Incoming::Notification(_)), "{outside:?}");
        let event = soon(|| turn.next_within(AT_ONCE)).expect("an event");
        assert!(matches!(event, TurnEvent::MessageDelta(_)), "{event:?}");
        assert!(soon(|| turn.next_within(AT_ONCE)).is_none());
        drop((turn, client));
        server.join().expect("the server ends");
    }
}

/// What there is once it came, for one who asks again and again and never waits.
fn soon<T>(mut ask: impl FnMut() -> Result<T, Error>) -> T {
    let begun = Instant::now();
    loop {
        match ask() {
            Err(Error::Timeout { .. }) if begun.elapsed() < Duration::from_secs(20) => {}
            asked => return asked.expect("it came"),
        }
    }
}

#[test]
fn an_interrupted_turn_is_no_success() {
    for way in WAYS {
        let (client, server) = saying(
            way,
            vec![
                vec![started(1, "u1")],
                vec![
                    r#"{"id":2,"result":{}}"#.to_owned(),
                    completed("a", "u1", "interrupted"),
                ],
            ],
        );
        let turn = client.start_turn("a", "Go.").expect("a turn");
        turn.interrupt().expect("it is taken");
        assert!(matches!(turn.finish(), Err(Error::TurnInterrupted)));
        drop(client);
        let asked = server.join().expect("the server ends");
        assert_eq!(
            asked[1],
            r#"{"id":2,"method":"turn/interrupt","params":{"threadId":"a","turnId":"u1"}}"#
        );
    }
}

#[test]
fn a_status_of_a_later_release_is_no_success() {
    for way in WAYS {
        let (client, server) = saying(
            way,
            vec![vec![started(1, "u1"), completed("a", "u1", "abandoned")]],
        );
        let turn = client.start_turn("a", "Go.").expect("a turn");
        let error = turn.finish().expect_err("not known");
        assert_eq!(
            error.to_string(),
            "the turn ended as `abandoned`, which is not known"
        );
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn an_end_that_cannot_be_read_is_an_end() {
    for way in WAYS {
        let end = r#"{"method":"turn/completed","params":{"threadId":"a","turn":{"id":"u1","items":7,"status":"completed"}}}"#;
        let (client, server) = saying(way, vec![vec![started(1, "u1"), end.to_owned()]]);
        let turn = client.start_turn("a", "Go.").expect("a turn");
        let error = turn.finish().expect_err("no items");
        assert!(
            matches!(&error, Error::Line(line) if line.number == 3),
            "{error}"
        );
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn what_is_dropped_is_declined() {
    for way in WAYS {
        let (client, server) = saying(way, vec![
        vec![started(1, "u1"), approval(0, "a", "u1")],
        vec![
            r#"{"id":1,"method":"item/tool/call","params":{"threadId":"a","turnId":"u1","callId":"c","tool":"t","arguments":{}}}"#.to_owned(),
        ],
        vec![completed("a", "u1", "completed")],
    ]);
        let turn = client.start_turn("a", "Go.").expect("a turn");
        turn.finish().expect("a completed turn");
        drop(client);
        let asked = server.join().expect("the server ends");
        assert_eq!(asked[1], r#"{"id":0,"result":{"decision":"decline"}}"#);
        assert_eq!(
            asked[2],
            r#"{"id":1,"error":{"code":-32601,"message":"this client does not answer item/tool/call"}}"#
        );
    }
}

#[test]
fn a_question_that_cannot_be_read_is_refused() {
    for way in WAYS {
        let question = r#"{"id":"q","method":"item/fileChange/requestApproval","params":{"threadId":"a","turnId":"u1","itemId":7}}"#;
        let (client, server) = saying(
            way,
            vec![
                vec![started(1, "u1"), question.to_owned()],
                vec![completed("a", "u1", "completed")],
            ],
        );
        let mut turn = client.start_turn("a", "Go.").expect("a turn");
        match turn.next_within(Duration::from_secs(10)) {
            Ok(Some(TurnEvent::Unreadable(line))) => assert_eq!(line.text, question),
            other => panic!("{other:?}"),
        }
        let end = turn.next_within(Duration::from_secs(10));
        assert!(matches!(end, Ok(None)), "{end:?}");
        drop((turn, client));
        let asked = server.join().expect("the server ends");
        assert_eq!(
            asked[1],
            r#"{"id":"q","error":{"code":-32602,"message":"this client cannot read item/fileChange/requestApproval"}}"#
        );
    }
}

/// The end of a turn as up to 0.63.0, where it names no thread, and the turns of each thread are counted from 0.
fn completed_somewhere(status: &str) -> String {
    completed("", "0", status).replace(r#""threadId":"","#, "")
}

/// A server of 0.63.0, which says these lines after each line of the client.
fn saying_as_of_old(way: Way, answers: Vec<Vec<String>>) -> (Client, std::thread::JoinHandle<()>) {
    let (client, server) = served(way, options(), move |lines, writer| {
        let mut server = Served::introduced(lines, writer, "0.63.0");
        for answer in answers {
            server.line();
            for line in answer {
                server.say(line);
            }
        }
        while !server.line().is_empty() {}
    });
    (client.expect("a client"), server)
}

/// The answer to an interrupt, after which the client certainly follows the turn.
fn interrupted(id: u8) -> String {
    format!(r#"{{"id":{id},"result":{{}}}}"#)
}

#[test]
fn a_turn_that_ended_takes_nothing_of_a_later_one() {
    let item = r#"{"method":"item/agentMessage/delta","params":{"itemId":"i","delta":"uno"}}"#;
    let turn = || vec![item.to_owned(), completed_somewhere("completed")];
    for way in WAYS {
        for is_read in [true, false] {
            let (client, server) = saying_as_of_old(
                way,
                vec![
                    vec![started(1, "0")],
                    [vec![interrupted(2)], turn()].concat(),
                    vec![started(3, "0")],
                    [vec![interrupted(4)], turn()].concat(),
                ],
            );
            let mut held = Vec::new();
            for thread in ["a", "b"] {
                let mut turn = client.start_turn(thread, "Count.").expect("a turn");
                turn.interrupt().expect("an answer");
                if is_read || thread == "b" {
                    let (words, error) = text(&mut turn);
                    assert_eq!((words.as_str(), error.is_none()), ("uno", true));
                }
                held.push(turn);
            }
            drop((held, client));
            server.join().expect("the server ends");
        }
    }
}

#[test]
fn the_core_says_which_of_two_turns_ended() {
    let of_core = |thread: &str| {
        format!(
            r#"{{"method":"codex/event/task_complete","params":{{"id":"0","msg":{{"type":"task_complete","last_agent_message":null}},"conversationId":"{thread}"}}}}"#
        )
    };
    for way in WAYS {
        let ends = vec![
            interrupted(3),
            of_core("b"),
            completed_somewhere("completed"),
            of_core("a"),
            completed_somewhere("failed"),
        ];
        let (client, server) = saying_as_of_old(
            way,
            vec![vec![started(1, "0")], vec![started(2, "0")], ends],
        );
        let first = client.start_turn("a", "Count.").expect("a turn");
        let second = client.start_turn("b", "Count.").expect("a turn");
        second.interrupt().expect("an answer");
        let error = text(first).1;
        assert!(matches!(error, Some(Error::TurnFailed { .. })), "{error:?}");
        assert!(text(second).1.is_none());
        drop(client);
        server.join().expect("the server ends");
    }
}

#[test]
fn what_is_not_utf_8_is_of_its_turn() {
    for way in WAYS {
        let (client, server) = served(way, options(), |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say(started(1, "u1"));
            let asked = approval(7, "a", "u1").replace("rm", "?").into_bytes();
            let asked: Vec<u8> = asked
                .into_iter()
                .map(|byte| if byte == b'?' { 0xff } else { byte })
                .collect();
            server.say(asked);
            let refused = server.line();
            server.say(completed("a", "u1", "completed"));
            refused
        });
        let client = client.expect("a client");
        let turn = client.start_turn("a", "Go.").expect("a turn");
        let events: Vec<_> = turn.collect();
        assert!(
            matches!(events[..], [Ok(TurnEvent::Unreadable(_))]),
            "{events:?}"
        );
        drop(client);
        let refused = server.join().expect("the server ends");
        assert!(refused.starts_with(r#"{"id":7,"error":"#), "{refused}");
    }
}

#[test]
fn a_turn_that_is_left_leaves_no_question_open() {
    for way in WAYS {
        let (client, server) = saying(way, vec![
        vec![started(1, "u1"), approval(0, "a", "u1"), r#"{"id":7,"method":"ping"}"#.to_owned()],
        vec![r#"{"id":2,"result":{"thread":{"id":"b","preview":"","modelProvider":"m","createdAt":1}}}"#.to_owned()],
    ]);
        let turn = client.start_turn("a", "Go.").expect("a turn");
        client
            .start_thread(ThreadStartParams::new())
            .expect("a thread");
        drop(turn);
        drop(client);
        let asked = server.join().expect("the server ends");
        assert!(
            asked.contains(&r#"{"id":0,"result":{"decision":"decline"}}"#.to_owned()),
            "{asked:?}"
        );
        // What is of no turn is refused at once.
        let refused =
            r#"{"id":7,"error":{"code":-32601,"message":"this client does not answer ping"}}"#;
        assert!(asked.contains(&refused.to_owned()), "{asked:?}");
    }
}

#[test]
fn a_turn_that_is_not_read_keeps_its_questions_and_its_end() {
    for way in WAYS {
        let long = "x".repeat(400);
        let mut flood: Vec<_> = (0..50).map(|_| delta("a", "u1", &long)).collect();
        flood.extend([
            approval(0, "a", "u1"),
            started(2, "u2"),
            completed("b", "u2", "completed"),
            completed("a", "u1", "completed"),
        ]);
        let (client, server) = served(way, options().limit(4096), move |lines, writer| {
            let mut server = Served::introduced(lines, writer, "0.169.0");
            server.line();
            server.say(started(1, "u1"));
            server.line();
            flood.iter().for_each(|line| server.say(line));
            server.line()
        });
        let client = client.expect("a client");
        let mut first = client.start_turn("a", "Flood.").expect("a turn");
        client
            .start_turn("b", "Go.")
            .expect("a turn")
            .finish()
            .expect("a completed turn");
        let (mut deltas, mut overruns, mut approvals) = (0, 0, 0);
        for event in &mut first {
            match event {
                Ok(TurnEvent::MessageDelta(_)) => deltas += 1,
                Ok(TurnEvent::Approval(approval)) => {
                    approvals += 1;
                    approval.accept().expect("it waits");
                }
                Ok(_) => {}
                Err(Error::Overrun { lost, .. }) => overruns += lost,
                Err(error) => panic!("{error}"),
            }
        }
        assert!((1..50).contains(&deltas), "{deltas}");
        assert_eq!((deltas + overruns, approvals), (50, 1));
        first.finish().expect("a completed turn");
        drop(client);
        assert_eq!(
            server.join().expect("the server ends"),
            r#"{"id":0,"result":{"decision":"accept"}}"#
        );
    }
}

/// How the client answers an approval with these members: what it sends, and what comes of it.
fn answered(
    way: Way,
    (release, method): (&'static str, &str),
    members: &str,
    answer: impl FnOnce(Approval) -> Result<(), Error>,
) -> (String, Result<(), Error>) {
    let asked = format!(
        r#"{{"id":0,"method":"{method}","params":{{"threadId":"a","turnId":"u1","itemId":"i",{members}}}}}"#
    );
    let (client, server) = served(way, options(), move |lines, writer| {
        let mut server = Served::introduced(lines, writer, release);
        server.line();
        server.say(started(1, "u1"));
        server.say(&asked);
        let answer = server.line();
        server.say(completed("a", "u1", "completed"));
        answer
    });
    let client = client.expect("a client");
    let mut turn = client.start_turn("a", "Go.").expect("a turn");
    let approval = turn.find_map(|event| match event.expect("an event") {
        TurnEvent::Approval(approval) => Some(approval),
        _ => None,
    });
    let result = answer(approval.expect("an approval"));
    turn.finish().expect("a completed turn");
    drop(client);
    (server.join().expect("the server ends"), result)
}

#[test]
fn an_approval_is_answered_with_a_rule() {
    const COMMAND: &str = "item/commandExecution/requestApproval";
    const PROPOSED: &str = r#""command":"npm test","reason":null,"proposedExecpolicyAmendment":["npm","test"],"proposedNetworkPolicyAmendments":[{"host":"example.com","action":"allow"}]"#;
    for way in WAYS {
        let of = |release| (release, COMMAND);
        let first = |approval: Approval| {
            let rules = approval.amendments();
            assert_eq!(rules.len(), 2, "{rules:?}");
            approval.amend(rules[0].clone())
        };
        let (sent, result) = answered(way, of("0.169.0"), PROPOSED, first);
        result.expect("it is sent");
        assert_eq!(
            sent,
            r#"{"id":0,"result":{"decision":{"acceptWithExecpolicyAmendment":{"execpolicy_amendment":["npm","test"]}}}}"#
        );
        let last = |approval: Approval| {
            let rule = approval.amendments().pop().expect("a rule");
            approval.amend(rule)
        };
        let (sent, result) = answered(way, of("0.169.0"), PROPOSED, last);
        result.expect("it is sent");
        assert_eq!(
            sent,
            r#"{"id":0,"result":{"decision":{"applyNetworkPolicyAmendment":{"network_policy_amendment":{"action":"allow","host":"example.com"}}}}}"#
        );
        // One of the client's own.
        let own = |approval: Approval| approval.amend(Amendment::Commands(vec!["ls".into()]));
        let (sent, result) = answered(way, of("0.80.0"), r#""reason":null"#, own);
        result.expect("it is sent");
        assert!(
            sent.contains(r#"{"execpolicy_amendment":["ls"]}"#),
            "{sent}"
        );
    }
}

#[test]
fn a_rule_that_cannot_be_taken_declines() {
    let declined = r#"{"id":0,"result":{"decision":"decline"}}"#;
    let network = |approval: Approval| {
        let rule = approval.amendments().pop().expect("a rule");
        approval.amend(rule)
    };
    let words = |approval: Approval| approval.amend(Amendment::Commands(vec!["ls".into()]));
    for way in WAYS {
        let proposed =
            r#""reason":null,"proposedNetworkPolicyAmendments":[{"host":"h","action":"deny"}]"#;
        let of = ("0.98.0", "item/commandExecution/requestApproval");
        let (sent, result) = answered(way, of, proposed, network);
        assert_eq!(sent, declined);
        let error = result.expect_err("0.98.0 does not know it");
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        let of = ("0.169.0", "item/fileChange/requestApproval");
        let (sent, result) = answered(way, of, r#""reason":null"#, words);
        assert_eq!(sent, declined);
        assert_eq!(
            result.expect_err("a patch").to_string(),
            "item/fileChange/requestApproval takes no rule as its answer"
        );
    }
}
