//! Rubbish, floods and deep nesting in what looks like the app-server: nothing panics, nothing is
//! lost, and what waits for an answer is bounded.

use codex_wire::transcript::Record;
use codex_wire::{Maybe, Protocol, Release};
use codex_wire_check::{Checker, Options, Verdict};
use libtest_mimic::Trial;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::fmt::Write as _;

use crate::robust::sound;
use crate::support::property::holds;
use crate::support::{transcripts, trial};

pub(super) fn trials() -> Vec<Trial> {
    vec![
        trial("app_server::robust::any_pieces", any_pieces),
        trial("app_server::robust::any_damage", any_damage),
        trial("app_server::robust::any_cut", any_cut),
        trial("app_server::robust::any_depth", any_depth),
        trial(
            "app_server::robust::what_waits_is_bounded",
            what_waits_is_bounded,
        ),
    ]
}

fn options() -> [Options; 3] {
    let mut small = Options::new();
    small.protocol = Some(Protocol::AppServer);
    small.limits.line_bytes = 60;
    small.limits.depth = 4;
    small.limits.findings = 2;
    small.limits.sequence_ids = 2;
    small.show_values = true;
    let exact = |release| Options::exact(Protocol::AppServer, release);
    [
        small,
        exact(Release::new(0, 80, 0)),
        exact(Release::new(0, 169, 0)),
    ]
}

/// Bytes, many of which look like JSON-RPC, as a plain log and as a recording.
fn any_pieces() {
    let pieces: Vec<&str> = vec![
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\n",
        "\\",
        "null",
        "1.5",
        "-1",
        "18446744073709551616",
        "\"id\":1",
        "\"id\":\"a\"",
        "\"id\":null",
        "\"result\":{}",
        "\"error\":{\"code\":-32600,\"message\":\"m\"}",
        "\"method\":\"turn/start\"",
        "\"method\":\"item/tool/call\"",
        "\"method\":\"item/completed\"",
        "\"params\":{\"threadId\":\"t\",\"turnId\":\"u\"",
        "\"params\":[]",
        "{\"id\":1,\"method\":\"initialize\",\"params\":{\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}\n",
        "{\"id\":1,\"result\":{\"userAgent\":\"a/0.98.0 (b)\"}}\n",
        "{\"id\":1,\"result\":{\"userAgent\":\"a/9.9.9\"}}\n",
        "{\"method\":\"turn/completed\",\"params\":{\"threadId\":\"t\"}}\n",
        "{\"id\":0,\"method\":\"item/tool/call\",\"params\":{}}\n",
        "{\"kind\":\"connected\",\"connection\":7}\n",
        "{\"kind\":\"line\",\"from\":\"client\",\"line\":\"{\\\"id\\\":1}\"}\n",
        "{\"kind\":\"line\",\"from\":\"codex\",\"connection\":7,\"line\":\"[]\"}\n",
        "{\"kind\":\"exit\"}\n",
    ];
    let inputs = prop::collection::vec(select(pieces), 0..24)
        .prop_map(|pieces| pieces.concat().into_bytes());
    for options in options() {
        let checker = Checker::new(options).unwrap();
        holds(file!(), 500, "pieces", &inputs, |input| {
            sound(&checker.check("-", input.as_slice()), &input)
        });
    }
}

/// Recorded connections, shortened to their first lines, which are the ones with most kinds.
fn connections() -> Vec<Vec<u8>> {
    let connections = transcripts("app-server").into_iter().map(|path| {
        let text = std::fs::read_to_string(path).unwrap();
        let first: Vec<&str> = text.split_inclusive('\n').take(25).collect();
        first.concat().into_bytes()
    });
    connections.filter(|bytes| bytes.len() < 30_000).collect()
}

fn any_damage() {
    let bytes = prop_oneof![
        any::<u8>(),
        select(b"{}[],:\"\\ \n\r\t-.0e".to_vec()),
        select(vec![0x00, 0x80, 0xc3, 0xef, 0xff]),
    ];
    let edits = prop::collection::vec((any::<Index>(), 0..3usize, bytes), 1..5);
    let damaged = (select(connections()), edits).prop_map(|(mut bytes, edits)| {
        for (index, edit, byte) in edits {
            let at = index.index(bytes.len());
            match edit {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => drop(bytes.remove(at)),
            }
        }
        bytes
    });
    for options in options() {
        let checker = Checker::new(options).unwrap();
        holds(file!(), 100, "damage", &damaged, |input| {
            sound(&checker.check("-", input.as_slice()), &input)
        });
    }
}

/// Wherever a connection is cut, no message before the cut is lost.
fn any_cut() {
    let cuts = (select(connections()), any::<Index>())
        .prop_map(|(bytes, index)| bytes[..index.index(bytes.len() + 1)].to_vec());
    for options in options().into_iter().skip(1) {
        let checker = Checker::new(options).unwrap();
        holds(file!(), 100, "cut", &cuts, |input| {
            let outcome = checker.check("-", input.as_slice());
            sound(&outcome, &input)?;
            let said = messages(&input);
            match outcome.messages == said {
                true => Ok(()),
                false => Err(format!("{} messages of {said}", outcome.messages)),
            }
        });
    }
}

/// How many messages a recording holds: lines that are objects, whatever they say.
fn messages(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let is_message = |record: &&str| {
        let Ok(Record::Line(line)) = codex_wire::from_str(record) else {
            return false;
        };
        let Maybe::Value(line) = line.line else {
            return false;
        };
        serde_json::from_str::<serde_json::Map<_, _>>(&line).is_ok()
    };
    text.split('\n').filter(is_message).count() as u64
}

/// Values within values, in a place where anything may stand, where something else is wanted,
/// and around the message.
fn any_depth() {
    let places = [
        "/params/arguments",
        "/params/threadId",
        "/params",
        "/id",
        "",
    ];
    let nested = (select(places.to_vec()), 1..400usize, any::<bool>());
    let inputs = nested.prop_map(|(place, depth, array)| {
        let (open, close) = if array { ("[", "]") } else { ("{\"a\":", "}") };
        let deep = format!("{}0{}", open.repeat(depth), close.repeat(depth));
        let line = r#"{"id":"@/id","method":"item/tool/call","params":"@/params"}"#;
        let params = r#"{"threadId":"@/params/threadId","arguments":"@/params/arguments"}"#;
        let line = match place {
            "" => deep,
            "/id" | "/params" => line.replace(&format!("\"@{place}\""), &deep),
            _ => line
                .replace("\"@/params\"", params)
                .replace(&format!("\"@{place}\""), &deep),
        };
        format!("{line}\n").into_bytes()
    });
    for options in options() {
        let checker = Checker::new(options).unwrap();
        holds(file!(), 150, "depth", &inputs, |input| {
            let outcome = checker.check("-", input.as_slice());
            sound(&outcome, &input)?;
            // Anything may stand for arguments; elsewhere something is said of each.
            let text = String::from_utf8_lossy(&input);
            let anything = text.contains("@/params/threadId") && !text.contains("@/params/arg");
            match outcome.verdict {
                Verdict::Findings | Verdict::Unreadable => Ok(()),
                _ if anything => Ok(()),
                _ => Err("nothing was found".to_owned()),
            }
        });
    }
}

/// Ten thousand requests without a response, of as many connections: no more of them are listed
/// of than may be remembered, and one that is remembered is still paired.
fn what_waits_is_bounded() {
    let mut options = Options::exact(Protocol::AppServer, Release::new(0, 169, 0));
    options.limits.sequence_ids = 50;
    let checker = Checker::new(options).unwrap();
    let mut input = String::new();
    for id in 0..10_000 {
        let line = format!(
            r#"{{\"id\":{id},\"method\":\"thread/archive\",\"params\":{{\"threadId\":\"t\"}}}}"#
        );
        let _ = writeln!(
            input,
            r#"{{"kind":"line","from":"client","connection":{},"line":"{line}"}}"#,
            id % 1000
        );
    }
    let last = r#"{\"id\":9999,\"result\":{}}"#;
    let _ = writeln!(
        input,
        r#"{{"kind":"line","from":"codex","connection":999,"line":"{last}"}}"#
    );
    let outcome = checker.check("-", input.as_bytes());
    assert_eq!(outcome.messages, 10_001);
    let about = |rule: &str| {
        outcome
            .findings
            .iter()
            .filter(|f| f.rule.id == rule)
            .count()
    };
    assert!(
        about("rpc/never-answered") <= 50,
        "{}",
        about("rpc/never-answered")
    );
    assert_eq!(about("rpc/answer-unasked"), 0);
}
