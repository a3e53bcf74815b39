//! The lines of a recording, read.

use std::sync::Arc;

use crate::compose::json::Node;
use crate::recording::{Lines, RecordedLine, Recording, Writer};
use crate::text::Text;

use super::parse;

/// A line: where it stood, and what it says.
#[derive(Clone, Debug)]
pub(super) struct Told {
    /// The line that it comes from. A line that is added takes the place of its neighbour.
    pub(super) line: RecordedLine,
    /// What it says; none if it is not a JSON object. Then the text stays.
    pub(super) node: Option<Node>,
}

impl Told {
    /// A line of Codex that was not recorded, at the place of this one. Its text is empty.
    pub(super) fn beside(&self, node: Node) -> Told {
        let line = RecordedLine {
            writer: Writer::Codex,
            text: Text::default(),
            ..self.line.clone()
        };
        Told {
            line,
            node: Some(node),
        }
    }

    /// Whether Codex wrote it.
    pub(super) fn is_written(&self) -> bool {
        self.line.writer == Writer::Codex
    }
}

/// The lines of a recording. Lines of plain output that are not UTF-8 are none of Codex, and are left
/// out.
pub(super) fn lines(recording: &Recording) -> Vec<Told> {
    let told = |line: RecordedLine| {
        let node = parse::node(&line.text);
        let node = node.filter(|node| matches!(node, Node::Object(_)));
        Told { line, node }
    };
    match &recording.lines {
        Lines::Transcript(lines) => lines.iter().cloned().map(told).collect(),
        Lines::Plain(bytes) => {
            let all = (1..).zip(bytes.split(|byte| *byte == b'\n'));
            let texts = all.filter_map(|(number, line)| {
                let text = std::str::from_utf8(line).ok()?.into();
                let line = RecordedLine {
                    writer: Writer::Codex,
                    connection: 0,
                    ms: None,
                    number,
                    text,
                };
                (!line.text.is_empty()).then_some(line)
            });
            texts.map(told).collect()
        }
    }
}

/// A recording with these lines, of the same form. What nothing changed keeps its text.
pub(super) fn recording(recording: &Recording, lines: Vec<Told>) -> Recording {
    let lines = lines.into_iter().map(|told| {
        let text = match told.node {
            Some(node) => {
                let same = parse::node(&told.line.text).is_some_and(|old| old == node);
                match same {
                    true => told.line.text,
                    false => node.to_string().into(),
                }
            }
            None => told.line.text,
        };
        RecordedLine { text, ..told.line }
    });
    let lines = match &recording.lines {
        Lines::Transcript(_) => Lines::Transcript(lines.collect()),
        Lines::Plain(_) => {
            let lines = lines.flat_map(|line| format!("{}\n", line.text).into_bytes());
            Lines::Plain(Arc::new(lines.collect()))
        }
    };
    Recording {
        lines,
        ..recording.clone()
    }
}
