//! The generated corpus of core events: the pieces that `codex proto` of 0.42.0 writes while a
//! model speaks and a command prints.
//!
//! Recorded pieces are as long as a scripted model makes them. Here a piece of a message or of
//! reasoning has one to four words, as a real model streams them, and a piece of output 20 to
//! 4000 bytes. Of a hundred pieces 70 are of messages, 20 of reasoning and 10 of output.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::random::Random;
use crate::text;

/// Events of about `size` bytes, the same every time.
pub(crate) fn pieces(size: usize) -> Vec<u8> {
    let mut out = String::with_capacity(size + 8192);
    let mut random = Random::new(42);
    let mut id = 1;
    while out.len() < size {
        // A new turn now and then.
        if random.permille(5) {
            id += 1;
        }
        let kind = random.below(100);
        let msg = match kind {
            0..70 => delta("agent_message_delta", &mut random),
            70..85 => delta("agent_reasoning_delta", &mut random),
            85..90 => delta("agent_reasoning_raw_content_delta", &mut random),
            _ => output(&mut random),
        };
        let _ = writeln!(out, r#"{{"id":"{id}","msg":{msg}}}"#);
    }
    out.into_bytes()
}

fn delta(kind: &str, random: &mut Random) -> String {
    let words = 1 + random.below(4);
    let mut text = text::words(random, words);
    text.push(if random.permille(100) { '\n' } else { ' ' });
    let text = serde_json::Value::String(text);
    format!(r#"{{"type":"{kind}","delta":{text}}}"#)
}

fn output(random: &mut Random) -> String {
    // Each doubling of the size is as likely as the next.
    let size = (20 << random.below(8)) + random.below(20);
    let chunk = STANDARD.encode(text::output(random, size));
    let (call, stream) = (random.uuid(), ["stdout", "stderr"][random.below(2)]);
    format!(
        r#"{{"type":"exec_command_output_delta","call_id":"call_{call}","stream":"{stream}","chunk":"{chunk}"}}"#
    )
}

#[cfg(test)]
#[cfg(feature = "types")]
mod tests {
    use std::collections::BTreeMap;

    use codex_wire::core_protocol::{Event, EventKind};
    use codex_wire::{Protocol, from_slice};
    use codex_wire_check::{Checker, Options, Verdict};

    use super::*;
    use crate::corpus::PIECES_RELEASE;

    #[test]
    fn is_what_the_release_writes() {
        let stream = pieces(1 << 20);
        assert_eq!(stream, pieces(1 << 20));
        let checker = Checker::new(crate::shapes_only(Options::exact(
            Protocol::Core,
            PIECES_RELEASE,
        )))
        .unwrap();
        let outcome = checker.check("generated", &stream[..]);
        assert_eq!(outcome.verdict, Verdict::Conforms, "{:?}", outcome.findings);
    }

    #[test]
    fn has_the_pieces_it_says() {
        let stream = pieces(1 << 20);
        let mut counts = BTreeMap::new();
        let mut sizes = Vec::new();
        for line in stream.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            let event: Event = from_slice(line).unwrap();
            assert!(event.msg.is_delta());
            *counts.entry(format!("{:?}", event.kind())).or_insert(0) += 1;
            if event.kind() == EventKind::ExecCommandOutputDelta {
                sizes.push(line.len());
            }
        }
        let all: usize = counts.values().sum();
        assert_eq!(counts.len(), 4, "{counts:?}");
        assert!((67..73).contains(&(counts["AgentMessageDelta"] * 100 / all)));
        assert!((8..12).contains(&(counts["ExecCommandOutputDelta"] * 100 / all)));
        assert!(sizes.iter().max() > Some(&3000));
    }
}
