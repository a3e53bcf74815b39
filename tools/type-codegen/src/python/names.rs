//! Names of Python.

use std::collections::BTreeSet;

/// Words that a field cannot have as its name: words of the language, types that annotations use, and
/// attributes of models and structs.
const RESERVED: &[&str] = &[
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "match",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "bool",
    "dict",
    "float",
    "int",
    "list",
    "str",
    "construct",
    "copy",
    "from_orm",
    "json",
    "parse_file",
    "parse_obj",
    "parse_raw",
    "schema",
    "schema_json",
    "update_forward_refs",
    "undeclared",
    "validate",
];

/// A name of a class.
pub(super) fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words = words.filter(|word| !word.is_empty()).map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    });
    words.collect()
}

/// The names of the fields of a class, by those on the wire: `threadId` is `thread_id`.
pub(super) fn fields<'n>(wire: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut used = BTreeSet::new();
    let names = wire.map(|name| {
        let mut field = snake(name);
        if RESERVED.contains(&field.as_str()) || field.starts_with("model_") && is_method(&field) {
            field.push('_');
        }
        while !used.insert(field.clone()) {
            field.push('_');
        }
        field
    });
    names.collect()
}

/// Whether pydantic has a method or an attribute of this name.
fn is_method(field: &str) -> bool {
    let known = "computed_fields config construct copy dump dump_json extra fields fields_set \
                 json_schema parametrized_name post_init rebuild validate validate_json validate_strings";
    known
        .split_whitespace()
        .any(|name| field.strip_prefix("model_") == Some(name))
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(index + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before.is_ascii_lowercase()
                    || before.is_ascii_digit()
                    || before.is_ascii_uppercase() && after.is_some_and(char::is_ascii_lowercase)
            });
        if begins {
            out.push('_');
        }
        match letter.is_ascii_alphanumeric() {
            true => out.push(letter.to_ascii_lowercase()),
            false => out.push('_'),
        }
    }
    // A name with an underscore before it is private to a model.
    let out = out.trim_start_matches('_');
    match out.starts_with(|c: char| c.is_ascii_digit()) || out.is_empty() {
        true => format!("n{out}"),
        false => out.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_python() {
        let wire = [
            "threadId",
            "thread_id",
            "_meta",
            "from",
            "mcpServerURLs",
            "model_fields",
            "2nd",
        ];
        assert_eq!(
            fields(wire.into_iter()),
            [
                "thread_id",
                "thread_id_",
                "meta",
                "from_",
                "mcp_server_ur_ls",
                "model_fields_",
                "n2nd"
            ]
        );
        assert_eq!(pascal("thread/started"), "ThreadStarted");
        assert_eq!(pascal("item_type"), "ItemType");
    }
}
