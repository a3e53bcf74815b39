//! Texts that come in many deltas: a line that differs from the one before only in its delta is not
//! read again, and what is found is the same.

use std::path::Path;

use codex_wire::transcript::{Record, Side};
use codex_wire::{Protocol, Release};
use codex_wire_check::{Options, Verdict};
use serde_json::Value;

use super::Ways;
use crate::support::fixtures;

/// Recordings in which items come in deltas.
const RECORDINGS: [&str; 3] = [
    "app-server/0.169.0/02_reasoning.jsonl",
    "app-server/0.98.0/02b_reasoning_raw.jsonl",
    "app-server/0.169.0/13_two_threads_interleaved.jsonl",
];

/// How many deltas there are at least, when each is cut into its characters.
const MANY: usize = 50;

pub(super) fn both_ways() {
    for name in RECORDINGS {
        let path = fixtures().join(name);
        let lines = cut(&path);
        let deltas: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].0).collect();
        assert!(deltas.len() >= MANY, "{name}: {} deltas", deltas.len());
        let release: Release = name.split('/').nth(1).unwrap().parse().unwrap();
        for options in [Options::exact(Protocol::AppServer, release), Options::new()] {
            let ways = Ways::new(&options);
            let whole = log(&lines, None);
            let outcome = ways.on.check("-", &whole[..]);
            assert_eq!(outcome.verdict, Verdict::Conforms, "{name}: {outcome:#?}");
            ways.agree(&path, &whole);
            ways.agree(&path, &log(&padded(&lines), None));
            // The third delta of a text is the first that may be passed over.
            let step = deltas.len() / 12;
            for (change, at) in CHANGES
                .iter()
                .cycle()
                .zip(deltas.iter().skip(2).step_by(step))
            {
                ways.agree(&path, &log(&lines, Some((*at, *change))));
            }
            for (index, change) in CHANGES.iter().enumerate() {
                let at = deltas[2 + index * 3 % (deltas.len() - 2)];
                ways.agree(&path, &log(&lines, Some((at, *change))));
            }
        }
    }
}

/// What is done to a line.
type Change = fn(&str) -> Vec<u8>;

const CHANGES: [Change; 20] = [
    // Pieces: written otherwise, empty, another one, wrong ones.
    |line| line.replace(r#""delta":""#, r#""delta":"\u0041"#).into(),
    |line| line.replace(r#""delta":""#, r#""delta":"x"#).into(),
    |line| line.replace(r#""delta":""#, r#""delta":"é🎈"#).into(),
    |line| line.replace(r#""delta":""#, r#""delta":"","#).into(),
    |line| line.replace(r#""delta":""#, r#""delta":"\"#).into(),
    |line| line.replace(r#""delta":""#, r#""delta":"\ud800"#).into(),
    |line| line.replace(r#""delta":""#, "\"delta\":\"\u{1}").into(),
    |line| {
        line.replace(r#""delta":""#, r#""delta":"","delta":""#)
            .into()
    },
    |line| {
        let mut line = line.as_bytes().to_vec();
        let at = line.windows(9).position(|w| w == b"\"delta\":\"").unwrap() + 9;
        line.insert(at, 0xff);
        line
    },
    // What is around it.
    |line| line.replace("\"params\":{", "\"params\":{\"x\":1,").into(),
    |line| line.replace("Id\":\"", "Id\":\"x").into(),
    |line| line.replace("Index\":0", "Index\":1").into(),
    |line| line.replace("AtMs\":", "AtMs\":1").into(),
    |line| line.replace("AtMs\":", "AtMs\":-").into(),
    |line| line.replace("AtMs\":", "AtMs\":123456789").into(),
    |line| line.replace("elta\",", "elta\" ,").into(),
    |line| format!("{line}\r").into(),
    |line| format!(" {line}").into(),
    // Lines between deltas: none, one of another kind.
    |line| format!("{line}\n\n{line}").into(),
    |line| format!("{line}\n{{\"method\":\"error\"}}\nno JSON\n{line}").into(),
];

/// What Codex wrote in a recording, line by line, each delta cut into its characters; and
/// whether the line is a delta.
fn cut(path: &Path) -> Vec<(bool, String)> {
    let mut lines = Vec::new();
    for record in std::fs::read_to_string(path).unwrap().lines() {
        let Ok(Record::Line(line)) = codex_wire::from_str(record) else {
            continue;
        };
        let (Side::Codex, Some(text)) = (line.from, line.line.into_value()) else {
            continue;
        };
        let message: Value = serde_json::from_str(&text).unwrap();
        let Some(delta) = message["params"]["delta"].as_str() else {
            lines.push((false, text));
            continue;
        };
        let whole = format!("\"delta\":{}", message["params"]["delta"]);
        assert!(text.contains(&whole), "{text}");
        for character in delta.chars() {
            let one = format!("\"delta\":{}", Value::from(character.to_string()));
            lines.push((true, text.replace(&whole, &one)));
        }
    }
    lines
}

/// The same with the deltas of every other item on lines too long to be kept.
fn padded(lines: &[(bool, String)]) -> Vec<(bool, String)> {
    let mut items: Vec<String> = Vec::new();
    let pad = |(is_piece, line): &(bool, String)| {
        if !is_piece {
            return (false, line.clone());
        }
        let message: Value = serde_json::from_str(line).unwrap();
        let item = message["params"]["itemId"].to_string();
        let number = items.iter().position(|known| *known == item);
        let number = number.unwrap_or_else(|| {
            items.push(item);
            items.len() - 1
        });
        match number % 2 {
            0 => (true, line.clone()),
            _ => (
                true,
                line.replacen(':', &format!(":{}", " ".repeat(5000)), 1),
            ),
        }
    };
    lines.iter().map(pad).collect()
}

fn log(lines: &[(bool, String)], change: Option<(usize, Change)>) -> Vec<u8> {
    let mut out = Vec::new();
    for (index, (_, line)) in lines.iter().enumerate() {
        match change {
            Some((at, change)) if at == index => out.extend(change(line)),
            _ => out.extend_from_slice(line.as_bytes()),
        }
        out.push(b'\n');
    }
    out
}
