//! Names of Python.

use std::collections::BTreeSet;

use crate::comments::Comment;
use crate::model::{Definition, Model, Shape, Type};
use crate::names::{free, pascal};

/// Words that a field cannot have as its name: words of the language, types that annotations use, and
/// attributes of models and structs.
const RESERVED: &str = "\
    False None True and as assert async await break class continue def del elif else except finally \
    for from global if import in is lambda match nonlocal not or pass raise return try while with \
    yield bool dict float int list str construct copy from_orm json parse_file parse_obj parse_raw \
    schema schema_json update_forward_refs undeclared validate";

/// The names of the fields of a class, by those on the wire: `threadId` is `thread_id`.
pub(super) fn fields<'n>(wire: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut used = BTreeSet::new();
    let names = wire.map(|name| {
        let mut field = snake(name);
        if RESERVED.split(' ').any(|word| word == field) || is_method(&field) {
            field.push('_');
        }
        while !used.insert(field.clone()) {
            field.push('_');
        }
        field
    });
    names.collect()
}

/// What methods and attributes of pydantic are called behind `model_`.
const METHODS: &str = "\
    computed_fields config construct copy dump dump_json extra fields fields_set json_schema \
    parametrized_name post_init rebuild validate validate_json validate_strings";

/// Whether pydantic has a method or an attribute of this name.
fn is_method(field: &str) -> bool {
    let name = field.strip_prefix("model_");
    name.is_some_and(|name| METHODS.split(' ').any(|method| method == name))
}

/// The model with a name for each enumeration that has none.
pub(super) fn with_named_strings(mut model: Model) -> Model {
    for name in Vec::from_iter(model.definitions.keys().cloned()) {
        let Some(mut definition) = model.definitions.remove(&name) else {
            continue;
        };
        match &mut definition.shape {
            Shape::Object(fields, _) => {
                for field in fields {
                    let inner = format!("{name}{}", pascal(&field.name));
                    name_strings(&mut model, &inner, &field.comment.text, &mut field.value);
                }
            }
            Shape::Alias(Type::Union(parts), _) => {
                for (index, part) in parts.iter_mut().enumerate() {
                    name_strings(&mut model, &format!("{name}Variant{}", index + 1), "", part);
                }
            }
            _ => {}
        }
        model.definitions.insert(name, definition);
    }
    model
}

fn name_strings(model: &mut Model, name: &str, about: &str, value: &mut Type) {
    match value {
        Type::List(inner) | Type::Dict(inner) => name_strings(model, name, about, inner),
        Type::Union(parts) => {
            for part in parts {
                name_strings(model, name, about, part);
            }
        }
        Type::Strings(values) => {
            let names = [name.to_owned(), format!("{name}Value")];
            let name = free(names, |name| model.definitions.contains_key(name));
            let definition = Definition {
                comment: Comment {
                    text: about.to_owned(),
                    ..Comment::default()
                },
                shape: Shape::Enum(std::mem::take(values)),
            };
            model.definitions.insert(name.clone(), definition);
            *value = Type::Named(name);
        }
        _ => {}
    }
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
    }
}
