//! What other recorders write is checked as our own transcripts are: the same findings, at true places.

use std::fmt::Write as _;
use std::fs;

use codex_wire_check::{Checker, Converted, Converter, Finding, Options, Outcome};
use libtest_mimic::Trial;
use serde_json::Value;

use crate::support::{fixtures, trial};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("wrapped::findings_are_the_same", findings_are_the_same),
        trial("wrapped::places_are_true", places_are_true),
        trial("wrapped::records_do_not_nest", records_do_not_nest),
        trial("wrapped::sides_are_not_swapped", sides_are_not_swapped),
        trial("wrapped::notifications_are_read", notifications_are_read),
        trial("wrapped::redactions_are_named", redactions_are_named),
    ]
}

/// A line of a transcript, and whether Codex wrote it.
type Recorded = (bool, String);

/// The ways others wrap a line: as a string, or as the message itself.
type Wrap = (&'static str, fn(&Recorded) -> String);

const WRAPS: [Wrap; 10] = [
    ("direction, frame", |(codex, line)| {
        let word = ["client_to_server", "server_to_client"][usize::from(*codex)];
        format!("{{\"direction\":\"{word}\",\"frame\":{line}}}")
    }),
    ("direction, frame as text", |(codex, line)| {
        let word = ["client_to_server", "server_to_client"][usize::from(*codex)];
        format!(
            "{{\"direction\":\"{word}\",\"frame\":{}}}",
            Value::from(line.as_str())
        )
    }),
    ("direction, message", |(codex, line)| {
        let word = ["client-to-server", "server-to-client"][usize::from(*codex)];
        format!("{{\"ts\":\"é\",\"direction\":\"{word}\",\"message\":{line}}}")
    }),
    ("dir, raw", |(codex, line)| {
        let word = ["client", "server"][usize::from(*codex)];
        format!(
            "{{\"dir\":\"{word}\",\"raw\":{}}}",
            Value::from(line.as_str())
        )
    }),
    ("dir, m", |(codex, line)| {
        let word = ["in", "out"][usize::from(*codex)];
        format!("{{\"t\":1, \"dir\":\"{word}\", \"m\": {line} }}")
    }),
    // Where the recorder stood is not known: the message says who wrote it.
    ("sent, m", |(codex, line)| {
        let word = ["sent", "received"][usize::from(*codex)];
        format!("{{\"dir\":\"{word}\",\"m\":{line}}}")
    }),
    ("arrow, m as text", |(codex, line)| {
        let word = ["->", "<-"][usize::from(*codex)];
        format!(
            "{{\"dir\":\"{word}\",\"m\":{}}}",
            Value::from(line.as_str())
        )
    }),
    ("in, frame", |(codex, line)| {
        let word = ["in", "out"][usize::from(*codex)];
        format!("{{\"direction\":\"{word}\",\"frame\":{line}}}")
    }),
    // The client was recorded: what it wrote is `out`.
    ("out, frame of the client", |(codex, line)| {
        let word = ["out", "in"][usize::from(*codex)];
        format!("{{\"direction\":\"{word}\",\"frame\":{line}}}")
    }),
    ("out, m of the client as text", |(codex, line)| {
        let word = ["out", "in"][usize::from(*codex)];
        format!(
            "{{\"dir\":\"{word}\",\"m\":{}}}",
            Value::from(line.as_str())
        )
    }),
];

/// The lines of a recording of both sides that are objects.
fn recorded(name: &str) -> Vec<Recorded> {
    let text = fs::read_to_string(fixtures().join(name)).unwrap();
    let records = text.lines().filter_map(|line| {
        let record: Value = serde_json::from_str(line).unwrap();
        let is_codex = record.get("from")?.as_str()? == "codex";
        Some((is_codex, record.get("line")?.as_str()?.to_owned()))
    });
    records.collect()
}

/// The recordings, each with one message that is wrong.
fn recordings() -> Vec<Vec<Recorded>> {
    [
        "app-server/0.125.0/03b_command_untrusted_decline.jsonl",
        "app-server/0.125.0/08e_steer.jsonl",
    ]
    .map(|name| {
        let mut lines = recorded(name);
        let wrong = lines
            .iter_mut()
            .find(|(_, line)| line.contains("\"turnId\":\""));
        let (_, line) = wrong.unwrap();
        *line = line.replacen("\"turnId\":\"", "\"added\":{\"é\":1},\"turnId\":\"", 1);
        lines
    })
    .into()
}

fn check(text: &str) -> Outcome {
    let mut options = Options::new();
    options.release = Some("0.125.0".parse().unwrap());
    let checker = Checker::new(options).unwrap();
    checker.check("-", text.as_bytes())
}

/// All that does not depend on how the lines are wrapped.
fn essence(outcome: &Outcome) -> Vec<String> {
    let each = |finding: &Finding| {
        let place = &finding.place;
        format!(
            "{} {} {} {:?} {}",
            finding.rule.id, place.line, place.pointer, place.message, finding.message
        )
    };
    outcome.findings.iter().map(each).collect()
}

fn own(lines: &[Recorded]) -> String {
    lines.iter().fold(String::new(), |mut text, (codex, line)| {
        let from = ["client", "codex"][usize::from(*codex)];
        let line = Value::from(line.as_str());
        writeln!(
            text,
            "{{\"kind\":\"line\",\"from\":\"{from}\",\"line\":{line}}}"
        )
        .unwrap();
        text
    })
}

fn wrapped(wrap: Wrap, lines: &[Recorded]) -> Vec<String> {
    lines.iter().map(wrap.1).collect()
}

fn findings_are_the_same() {
    for lines in recordings() {
        let expected = check(&own(&lines));
        assert!(!expected.findings.is_empty(), "nothing to compare");
        for wrap in WRAPS {
            let name = wrap.0;
            let wrapped = wrapped(wrap, &lines);
            let as_lines = check(&(wrapped.join("\n") + "\n"));
            assert_eq!(as_lines.messages, expected.messages, "{name}");
            assert_eq!(essence(&as_lines), essence(&expected), "{name}");
            // An array has them one after the other: the first line of it is `[`.
            let array = format!("[{}\n]\n", wrapped.join(",\n"));
            let as_array = check(&array);
            assert_eq!(essence(&as_array), essence(&expected), "{name} in an array");
        }
    }
}

/// The findings of messages that are wrapped as they are, in pretty-printed arrays too, stand where they
/// say.
fn places_are_true() {
    let places = |text: &str| {
        let outcome = check(text);
        let is_of_member = |finding: &&Finding| finding.place.pointer.ends_with("/added");
        let finding = outcome.findings.iter().find(is_of_member).unwrap();
        let place = &finding.place;
        let start = place.offset as usize;
        assert_eq!(&text[start..start + place.length as usize], "\"added\"");
        let before = &text[..start];
        assert_eq!(place.line as usize, before.matches('\n').count() + 1);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        assert_eq!(place.column as usize, start - line_start + 1);
        if let Some(characters) = place.characters {
            let characters = characters.column as usize;
            assert_eq!(characters, before[line_start..].chars().count() + 1);
        }
        let excerpt = finding.excerpt.as_ref().unwrap();
        assert_eq!(&excerpt.text[excerpt.start..excerpt.end], "\"added\"");
        assert!(!excerpt.text.contains("\\n"), "{}", excerpt.text);
    };
    for lines in recordings() {
        for wrap in WRAPS
            .into_iter()
            .filter(|wrap| !wrap.0.contains("text") && wrap.0 != "dir, raw")
        {
            let wrapped = wrapped(wrap, &lines);
            places(&(wrapped.join("\n") + "\n"));
            places(&format!("[{}]", wrapped.join(",")));
            let values: Vec<Value> = wrapped
                .iter()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            places(&serde_json::to_string_pretty(&values).unwrap());
        }
        let values: Vec<Value> = lines
            .iter()
            .map(|(_, line)| serde_json::from_str(line).unwrap())
            .collect();
        places(&serde_json::to_string_pretty(&values).unwrap());
    }
}

/// A record in a record is a message, and no message of Codex.
fn records_do_not_nest() {
    let inner = "{\"dir\":\"sent\",\"m\":{\"id\":1,\"method\":\"initialized\"}}";
    let outcome = check(&format!("{{\"dir\":\"sent\",\"m\":{inner}}}\n"));
    assert_eq!(outcome.messages, 1);
    assert!(outcome.counts.error > 0, "{:?}", essence(&outcome));
    let deep = (0..100).fold("{}".to_owned(), |deep, _| {
        format!("{{\"dir\":\"sent\",\"m\":{deep}}}")
    });
    assert!(check(&deep).counts.error > 0);
}

/// Recorded on either side, `convert` writes the same transcript; and a line that the wrong side wrote is
/// found in both.
fn sides_are_not_swapped() {
    let converter = Converter::new().unwrap();
    let convert = |text: &str| {
        let mut out = Vec::new();
        let converted = converter.convert("-", text.as_bytes(), &mut out).unwrap();
        assert_eq!(converted, Converted::Written);
        String::from_utf8(out).unwrap()
    };
    for lines in recordings() {
        let wrapped_by = |words: [&str; 2]| {
            let wrap = |(codex, line): &Recorded| {
                let word = words[usize::from(*codex)];
                format!("{{\"direction\":\"{word}\",\"frame\":{line}}}\n")
            };
            lines.iter().map(wrap).collect::<Vec<_>>()
        };
        let (server, client) = (wrapped_by(["in", "out"]), wrapped_by(["out", "in"]));
        assert_eq!(convert(&client.concat()), convert(&server.concat()));
        assert_eq!(
            convert(&client.concat())
                .matches("\"from\":\"client\"")
                .count(),
            lines.iter().filter(|(codex, _)| !codex).count()
        );
        for (own, other) in [(&server, &client), (&client, &server)] {
            let mut mixed = own.clone();
            let at = lines
                .iter()
                .rposition(|(_, line)| line.contains("\"method\""))
                .unwrap();
            mixed[at].clone_from(&other[at]);
            let found = essence(&check(&mixed.concat()));
            let wrong = found.iter().filter(|found| found.contains("wrong-side"));
            assert_eq!(wrong.count(), 1, "{found:#?}");
        }
    }
}

/// An object with nothing but `notifications` is read as the array in it.
fn notifications_are_read() {
    for lines in recordings() {
        let of_codex = lines
            .iter()
            .filter(|(codex, line)| *codex && line.contains("\"method\""));
        let texts: Vec<&str> = of_codex.map(|(_, line)| line.as_str()).collect();
        let array = format!("[{}]", texts.join(",\n"));
        let expected = check(&array);
        assert!(expected.messages > 10);
        let objects = [
            format!("{{\"notifications\": {array}}}\n"),
            format!("{{\n\"notifications\":\n{array}\n}}"),
        ];
        let each: String = texts
            .iter()
            .map(|text| format!("{{\"notifications\":[{text}]}}\n"))
            .collect();
        let without_lines = |outcome: &Outcome| {
            let each = outcome
                .findings
                .iter()
                .map(|f| (f.rule.id, f.message.clone()));
            each.collect::<Vec<_>>()
        };
        for object in objects.iter().chain([&each]) {
            let outcome = check(object);
            assert_eq!(outcome.messages, expected.messages);
            assert_eq!(without_lines(&outcome), without_lines(&expected));
        }
    }
}

/// A finding at a mark of redaction says that it is one.
fn redactions_are_named() {
    for mark in ["[redacted]", "sha256:0f3a9c0b", "[trimmed for fixture]"] {
        let line = format!(
            "{{\"type\":\"item.completed\",\"item\":{{\"id\":\"item_0\",\"type\":\"command_execution\",\
             \"command\":\"ls\",\"aggregated_output\":\"\",\"exit_code\":\"{mark}\",\"status\":\"completed\"}}}}\n"
        );
        let outcome = Checker::new(Options::new())
            .unwrap()
            .check("-", line.as_bytes());
        let finding = outcome
            .findings
            .iter()
            .find(|f| f.place.pointer == "/item/exit_code");
        let help = finding.and_then(|finding| finding.help.as_deref());
        assert!(
            help.is_some_and(|help| help.contains("redaction")),
            "{mark}: {help:?}"
        );
    }
}
