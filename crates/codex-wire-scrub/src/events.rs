//! What begins and ends with a message.

use std::borrow::Cow;

use codex_wire_base::json::tokens::TokenKind;

use crate::cuts::Cuts;
use crate::deltas::Deltas;
use crate::tokens::{decoded, tokens};

/// How deep what an event says of itself stands at most.
const DEEPEST_EVENT: usize = 4;

/// Tells the texts that are followed what begins and ends with a message. Returns its kind.
pub(crate) fn follow<'l>(
    line: &'l [u8],
    deltas: &mut Deltas,
    cuts: &mut Option<Cuts>,
) -> Cow<'l, [u8]> {
    let mut path: Vec<Cow<'_, [u8]>> = Vec::new();
    let mut deeper = 0u64;
    let mut name: Cow<'_, [u8]> = Cow::default();
    let (mut tag, mut event, mut call) = (Cow::default(), Cow::default(), Cow::default());
    let mut text = Cow::default();
    for token in tokens(line, 0) {
        match token.kind {
            TokenKind::Object | TokenKind::Array if path.len() > DEEPEST_EVENT => deeper += 1,
            TokenKind::Object | TokenKind::Array => path.push(std::mem::take(&mut name)),
            TokenKind::Close if deeper > 0 => deeper -= 1,
            TokenKind::Close => {
                path.pop();
            }
            TokenKind::Between => {}
            TokenKind::Key => name = decoded(token.of(line)),
            TokenKind::String | TokenKind::Bare | TokenKind::Cut => {
                let value = token.of(line);
                let name = std::mem::take(&mut name);
                let within = path.get(1..).unwrap_or_default();
                let is = |place: &[&[u8]]| within.iter().eq(place) && deeper == 0;
                let is_event = is(&[b"msg"]) || is(&[b"params", b"msg"]);
                match &*name {
                    b"method" if is(&[]) => tag = decoded(value),
                    b"type" if is_event => event = decoded(value),
                    b"call_id" if is_event => call = decoded(value),
                    b"text" | b"message" if is_event => text = decoded(value),
                    b"id"
                        if is(&[b"params"])
                            || is(&[b"item"])
                            || is(&[b"params", b"item"])
                            || is(&[b"params", b"msg", b"item"]) =>
                    {
                        deltas.end(&decoded(value));
                    }
                    _ => {}
                }
            }
        }
    }
    if event.is_empty() {
        return tag;
    }
    match cuts {
        Some(cuts) => cuts.event(&event, &text),
        None => deltas.event(&event),
    }
    if event.ends_with(b"_begin") || event.ends_with(b"_end") {
        deltas.end(&call);
    }
    event
}
