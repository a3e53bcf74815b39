//! What of a value its type does not know, found in the value's debug text: that shows every
//! member of every type, without a walk written for each.

use std::collections::BTreeSet;

/// The variants that keep what is unknown.
const VARIANTS: [&str; 2] = ["Unknown", "Unrecognized"];

/// What those variants hold, by the name of its type.
const HOLDERS: [&str; 3] = ["Unknown", "UnknownCall", "UnknownExternal"];

/// The unknown parts of a value, each as the type that keeps it and what it keeps.
pub(crate) fn unknowns(value: &impl std::fmt::Debug) -> BTreeSet<String> {
    let text = format!("{value:?}");
    let tokens = tokens(&text);
    let mut out = BTreeSet::new();
    // The names in front of the open brackets.
    let mut open: Vec<&str> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = |back: usize| index.checked_sub(back).map_or("", |at| tokens[at]);
        let after = |ahead: usize| tokens.get(index + ahead).copied().unwrap_or("");
        match *token {
            "(" | "{" | "[" => {
                open.push(before(1));
                let is_type = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase());
                if VARIANTS.contains(&before(1)) && *token == "(" {
                    let held = after(1);
                    if !is_type(held) || HOLDERS.contains(&held) {
                        let kept = match held {
                            name if HOLDERS.contains(&name) => tag(&tokens[index + 1..]),
                            raw => raw,
                        };
                        out.insert(format!("{} {kept}", last(&open[..open.len() - 1])));
                    }
                }
                if before(1) == "Extra" && after(1) == "[" {
                    members(&tokens[index + 1..], |name| {
                        out.insert(format!("{} + {name}", last(&open[..open.len() - 1])));
                    });
                }
            }
            ")" | "}" | "]" => {
                open.pop();
            }
            _ => {}
        }
    }
    out
}

/// The tag in `Unknown { tag: "…", …`.
fn tag<'a>(tokens: &[&'a str]) -> &'a str {
    let mut strings = tokens.iter().filter(|token| token.starts_with('"'));
    strings.next().copied().unwrap_or("")
}

/// The innermost type.
fn last<'a>(open: &[&'a str]) -> &'a str {
    let is_type = |name: &&&str| name.starts_with(|c: char| c.is_ascii_uppercase());
    let known = |name: &&&str| !["Value", "Some"].contains(*name) && is_type(name);
    open.iter().rev().find(known).copied().unwrap_or("")
}

/// The names in `[("name", …), …]`.
fn members(tokens: &[&str], mut found: impl FnMut(&str)) {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        match *token {
            "(" | "{" | "[" => {
                depth += 1;
                if depth == 2 && *token == "(" {
                    found(tokens[index + 1]);
                }
            }
            ")" | "}" | "]" => {
                depth -= 1;
                if depth == 0 {
                    return;
                }
            }
            _ => {}
        }
    }
}

/// Words, strings and brackets.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => {
                let mut escaped = false;
                let closing = rest[1..].char_indices().find(|(_, c)| {
                    let closes = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    closes
                });
                closing.map_or(rest.len(), |(at, _)| at + 2)
            }
            c if c.is_alphanumeric() || c == '_' => {
                let word = |c: char| c.is_alphanumeric() || c == '_';
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, behind) = rest.split_at(end);
        if !token.trim().is_empty() && !matches!(token, "," | ":") {
            out.push(token);
        }
        rest = behind;
    }
    out
}

#[test]
fn unknown_parts_are_found() {
    use codex_wire::exec::Event;
    let of = |text: &str| {
        let event: Event = codex_wire::from_str(text).unwrap();
        unknowns(&event).into_iter().collect::<Vec<_>>().join("; ")
    };
    assert_eq!(
        of(r#"{"type":"error","message":"extra: Extra([(\"x\", 1)]) Unknown(7)"}"#),
        ""
    );
    assert_eq!(
        of(r#"{"type":"error","message":"m","x":{"a":["Unknown"]},"y":1}"#),
        "ErrorEvent + \"x\"; ErrorEvent + \"y\""
    );
    assert_eq!(of(r#"{"type":"new","x":1}"#), " \"new\"; Unknown + \"x\"");
    assert_eq!(
        of(
            r#"{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[],"status":"odd"}}"#
        ),
        "FileChangeItem \"odd\""
    );
}
