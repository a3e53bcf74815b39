//! Leaves out of schemas and TypeScript what people read and programs do not.

use serde_json::{Map, Value};

/// A schema without titles, descriptions and default values, its keys sorted.
pub(super) fn without_prose(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let kept = fields
                .into_iter()
                .filter(|(key, _)| !["title", "description", "default"].contains(&key.as_str()))
                .map(|(key, value)| {
                    let value = match (key.as_str(), value) {
                        // The keys are names here, not keywords.
                        ("properties", Value::Object(named)) => sorted(each(named)),
                        ("definitions", Value::Object(named)) => definitions(named),
                        (_, value) => without_prose(value),
                    };
                    (key, value)
                });
            sorted(kept)
        }
        Value::Array(list) => list.into_iter().map(without_prose).collect(),
        plain => plain,
    }
}

/// The newer name space stands among the definitions as if it were one of them.
fn definitions(mut named: Map<String, Value>) -> Value {
    let newer = match named.remove("v2") {
        Some(Value::Object(newer)) => Some(("v2".to_owned(), sorted(each(newer)))),
        _ => None,
    };
    sorted(each(named).chain(newer))
}

fn each(named: Map<String, Value>) -> impl Iterator<Item = (String, Value)> {
    let schemas = named.into_iter();
    schemas.map(|(name, schema)| (name, without_prose(schema)))
}

fn sorted(fields: impl Iterator<Item = (String, Value)>) -> Value {
    let mut fields: Vec<(String, Value)> = fields.collect();
    fields.sort_by(|a, b| a.0.cmp(&b.0));
    Value::Object(fields.into_iter().collect())
}

/// TypeScript without comments, blank lines and spaces at the ends of lines.
pub(super) fn without_comments(code: &str) -> String {
    let mut kept = String::new();
    let mut rest = code;
    while let Some(at) = rest.find(['"', '/']) {
        let (before, here) = rest.split_at(at);
        kept.push_str(before);
        let end = if here.starts_with('"') {
            let end = string_end(here);
            kept.push_str(&here[..end]);
            end
        } else if here.starts_with("//") {
            here.find('\n').unwrap_or(here.len())
        } else if here.starts_with("/*") {
            here.find("*/").map_or(here.len(), |end| end + 2)
        } else {
            kept.push('/');
            1
        };
        rest = &here[end..];
    }
    kept.push_str(rest);
    let lines = kept.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// Where a string ends that begins a text.
fn string_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_go_and_strings_stay() {
        let code = "// Generated.\n\n/** a \"b\n * c */\nexport type A = { \"method\": \"a//b/*\\\"\", \n/* d */\nid: string, };\n";
        assert_eq!(
            without_comments(code),
            "export type A = { \"method\": \"a//b/*\\\"\",\nid: string, };"
        );
        assert_eq!(without_comments("a / \"b"), "a / \"b");
        assert_eq!(without_comments("a /* b"), "a");
    }
}
