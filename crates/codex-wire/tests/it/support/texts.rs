//! Strategies for JSON texts in every spelling, and for what is left of them after an accident.

use proptest::collection::vec;
use proptest::prelude::*;

fn space() -> impl Strategy<Value = &'static str> + Clone {
    prop_oneof![
        6 => Just(""),
        1 => Just(" "),
        1 => Just("\t\n\r"),
    ]
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,3})",
        "-?(0|[1-9][0-9]{0,20})(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,4})?",
    ]
}

fn string_piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ -!#-\\[\\]-~]{0,5}",
        1 => any::<char>().prop_filter_map("JSON escapes these", |c| {
            (c >= ' ' && c != '"' && c != '\\').then(|| c.to_string())
        }),
        2 => "\\\\[\"\\\\/bfnrt]",
        1 => "\\\\u00[0-9a-fA-F]{2}",
        1 => "\\\\u[0-9a-cA-CeEfF][0-9a-fA-F]{3}",
        // A pair of surrogates that belongs together.
        1 => "\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}",
    ]
}

/// A string whose surrogates are paired.
pub(crate) fn string() -> impl Strategy<Value = String> {
    vec(string_piece(), 0..4).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// A string with surrogates anywhere: JSON's grammar has it, Rust's strings cannot hold it.
pub(crate) fn string_with_surrogates() -> impl Strategy<Value = String> {
    let surrogate = "\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}";
    vec(prop_oneof![string_piece(), surrogate], 0..4)
        .prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

/// A JSON text with strings from `strings`, in names as well as in values.
pub(crate) fn json<S>(strings: fn() -> S) -> BoxedStrategy<String>
where
    S: Strategy<Value = String> + 'static,
{
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        number(),
        strings(),
    ];
    leaf.prop_recursive(5, 24, 4, move |inner| {
        let spaced = (space(), inner, space()).prop_map(|(a, text, b)| format!("{a}{text}{b}"));
        let member = (space(), strings(), space(), spaced.clone())
            .prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        prop_oneof![
            (space(), vec(spaced, 0..4)).prop_map(|(a, parts)| match &parts[..] {
                [] => format!("[{a}]"),
                parts => format!("[{}]", parts.join(",")),
            }),
            (space(), vec(member, 0..4)).prop_map(|(a, parts)| match &parts[..] {
                [] => format!("{{{a}}}"),
                parts => format!("{{{}}}", parts.join(",")),
            }),
        ]
    })
    .boxed()
}

/// What happens to the bytes of a text.
#[derive(Clone, Debug)]
pub(crate) enum Accident {
    Delete,
    Insert(u8),
    Replace(u8),
    Flip(u8),
    Truncate,
    Double(usize),
}

/// Accidents with their places, as fractions of the text.
pub(crate) fn accidents() -> impl Strategy<Value = Vec<(prop::sample::Index, Accident)>> {
    // Bytes that mean something to JSON, and a few that must not occur.
    let byte = prop_oneof![
        4 => prop::sample::select(&b"{}[]\",:\\/-+.0123456789eEtrufalsn \t\n\r"[..]),
        1 => any::<u8>(),
    ];
    let accident = prop_oneof![
        Just(Accident::Delete),
        byte.clone().prop_map(Accident::Insert),
        byte.prop_map(Accident::Replace),
        (0..8u8).prop_map(|bit| Accident::Flip(1 << bit)),
        Just(Accident::Truncate),
        (1..9usize).prop_map(Accident::Double),
    ];
    vec((any::<prop::sample::Index>(), accident), 1..4)
}

/// The text after the accidents, which need not be UTF-8 any more.
pub(crate) fn after(text: &str, accidents: &[(prop::sample::Index, Accident)]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for (place, accident) in accidents {
        if bytes.is_empty() {
            break;
        }
        let at = place.index(bytes.len());
        match accident {
            Accident::Delete => {
                bytes.remove(at);
            }
            Accident::Insert(byte) => bytes.insert(at, *byte),
            Accident::Replace(byte) => bytes[at] = *byte,
            Accident::Flip(bit) => bytes[at] ^= bit,
            Accident::Truncate => bytes.truncate(at),
            Accident::Double(length) => {
                let piece = bytes[at..bytes.len().min(at + length)].to_vec();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}
