//! A fault within a recorded line is reported where it is, however deep.

use codex_wire::app_server::{ClientMessage, ServerMessage};
use codex_wire::{Error, Wire};
use serde::Serialize;

use crate::support::edits::Random;
use crate::support::recordings;
use crate::support::tree::{Node, assert_same};

/// The values in a text, each with its pointer.
fn pointers(node: &Node, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match node {
        Node::Scalar(_) => {}
        Node::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                pointers(element, &format!("{at}/{index}"), out);
            }
        }
        Node::Object(members) => {
            for (key, value) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                pointers(value, &format!("{at}/{key}"), out);
            }
        }
    }
}

fn replace(node: &mut Node, pointer: &str, with: &str) {
    let mut at = node;
    for segment in pointer.split('/').skip(1) {
        let key = segment.replace("~1", "/").replace("~0", "~");
        at = match at {
            Node::Object(members) => members
                .iter_mut()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value)
                .expect("the member"),
            Node::Array(elements) => &mut elements[key.parse::<usize>().expect("an index")],
            Node::Scalar(text) => panic!("{text} has no {key}"),
        };
    }
    *at = Node::Scalar(with.to_owned());
}

fn again<T: Wire + Serialize>(text: &str) -> Result<String, Error> {
    codex_wire::from_str::<T>(text).map(|message| codex_wire::to_string(&message))
}

const WRONG: [&str; 5] = ["null", "7.5", r#""\u0007""#, "[[{}]]", r#"{"@":{}}"#];

#[test]
fn in_any_member_of_any_line() {
    let (mut faults, mut deepest) = (0, 0);
    let mut random = Random::new(4);
    for path in recordings::app_server() {
        for line in recordings::lines(&path) {
            let again = if line.of_codex {
                again::<ServerMessage>
            } else {
                again::<ClientMessage>
            };
            // Long lines say nothing that short ones do not.
            if line.text.len() > 6000 || again(&line.text).is_err() {
                continue;
            }
            let node = Node::parse(&line.text).expect("JSON");
            let mut all = Vec::new();
            pointers(&node, "", &mut all);
            for _ in 0..3 {
                let pointer = &all[random.below(all.len())];
                let wrong = WRONG[random.below(WRONG.len())];
                let mut node = node.clone();
                replace(&mut node, pointer, "\"@@\"");
                let text = node.to_line();
                let at = text.find("\"@@\"").expect("the mark");
                let text = text.replacen("\"@@\"", wrong, 1);
                match again(&text) {
                    Ok(written) => assert_same(&written, &text),
                    Err(error) => {
                        let found = error.pointer();
                        assert!(found.starts_with(pointer), "{error} at {pointer}: {text}");
                        let place = at..at + wrong.len();
                        assert!(place.contains(&error.offset()), "{error}: {text}");
                        faults += 1;
                        deepest = deepest.max(pointer.split('/').count() - 1);
                    }
                }
            }
        }
    }
    assert!(faults > 3000, "only {faults} faults");
    assert!(deepest > 4, "only {deepest} deep");
}
