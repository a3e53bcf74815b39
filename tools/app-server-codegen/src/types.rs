//! Types of values as short expressions: `[Thread]`, `{string}`, `int64`, `A | B`.

use std::fmt;

/// The format of whole numbers from one upwards; the official schemas say `uint` or `uint64` with a minimum.
pub const NONZERO: &str = "uint-from-1";

/// The type of a value. Its member says whether it may be `null` or left out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// Any value.
    Any,
    /// `null` alone.
    Null,
    /// `true` or `false`.
    Boolean,
    /// Text.
    String,
    /// Text of at least one character.
    NonEmpty,
    /// A whole number, with the format that bounds it.
    Integer(String),
    /// One fixed whole number.
    Fixed(u8),
    /// A number, with its format.
    Number(String),
    /// One fixed string.
    Literal(String),
    /// A definition.
    Reference(String),
    /// An array.
    Array(Box<Type>),
    /// An object whose names are data.
    Map(Box<Type>),
    /// One of several.
    Union(Vec<Type>),
}

impl Type {
    /// Calls `visit` with the name of every definition the type refers to.
    pub fn references<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match self {
            Type::Reference(name) => visit(name),
            Type::Array(inner) | Type::Map(inner) => inner.references(visit),
            Type::Union(branches) => branches.iter().for_each(|branch| branch.references(visit)),
            _ => {}
        }
    }

    /// Reads what `Display` writes.
    ///
    /// # Errors
    /// In words, when the text is malformed.
    pub fn parse(text: &str) -> Result<Type, String> {
        let branches: Vec<&str> = split_union(text);
        if branches.len() > 1 {
            let branches: Result<Vec<_>, _> = branches.into_iter().map(Type::parse).collect();
            return Ok(Type::Union(branches?));
        }
        let text = text.trim();
        let inside = |open, close| text.strip_prefix(open)?.strip_suffix(close);
        if let Some(inner) = inside('[', ']') {
            return Ok(Type::Array(Box::new(Type::parse(inner)?)));
        }
        if let Some(inner) = inside('{', '}') {
            return Ok(Type::Map(Box::new(Type::parse(inner)?)));
        }
        if let Some(inner) = inside('"', '"') {
            return Ok(Type::Literal(inner.to_owned()));
        }
        Ok(match text {
            "any" => Type::Any,
            "null" => Type::Null,
            "boolean" => Type::Boolean,
            "string" => Type::String,
            "string-not-empty" => Type::NonEmpty,
            "integer" => Type::Integer(String::new()),
            "int16" | "int32" | "int64" | "uint8" | "uint16" | "uint32" | "uint64" | "uint"
            | NONZERO => Type::Integer(text.to_owned()),
            "number" => Type::Number(String::new()),
            "float" | "double" => Type::Number(text.to_owned()),
            name if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
                Type::Reference(name.to_owned())
            }
            other => match other.parse() {
                Ok(number) => Type::Fixed(number),
                Err(_) => return Err(format!("`{other}` is not a type")),
            },
        })
    }
}

/// The variants of a union at the top level of an expression.
fn split_union(text: &str) -> Vec<&str> {
    let mut branches = Vec::new();
    let (mut depth, mut begin) = (0_i32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            '|' if depth == 0 => {
                branches.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    branches.push(&text[begin..]);
    branches
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Any => f.write_str("any"),
            Type::Null => f.write_str("null"),
            Type::Boolean => f.write_str("boolean"),
            Type::String => f.write_str("string"),
            Type::NonEmpty => f.write_str("string-not-empty"),
            Type::Integer(format) if format.is_empty() => f.write_str("integer"),
            Type::Number(format) if format.is_empty() => f.write_str("number"),
            Type::Integer(format) | Type::Number(format) => f.write_str(format),
            Type::Literal(text) => write!(f, "\"{text}\""),
            Type::Fixed(number) => write!(f, "{number}"),
            Type::Reference(name) => f.write_str(name),
            Type::Array(inner) => write!(f, "[{inner}]"),
            Type::Map(inner) => write!(f, "{{{inner}}}"),
            Type::Union(branches) => {
                for (index, branch) in branches.iter().enumerate() {
                    if index > 0 {
                        f.write_str(" | ")?;
                    }
                    write!(f, "{branch}")?;
                }
                Ok(())
            }
        }
    }
}

/// The type of a member and how it is present.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// The type of its value.
    pub value: Type,
    /// Whether it may be left out.
    pub optional: bool,
    /// Whether it may be `null`. Never set for `any`, which accepts `null` like everything else.
    pub nullable: bool,
}

impl Signature {
    /// Reads `type` or `type | null`; whether it is optional stands at the name.
    ///
    /// # Errors
    /// In words, when the text is malformed.
    pub fn parse(text: &str, optional: bool) -> Result<Self, String> {
        let (value, nullable) = match text.strip_suffix("| null") {
            Some(value) => (value.trim(), true),
            None => (text, false),
        };
        Ok(Signature {
            value: Type::parse(value)?,
            optional,
            nullable,
        })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value)?;
        if self.nullable {
            f.write_str(" | null")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_and_written_back() {
        for text in [
            "any",
            "boolean",
            "uint64",
            "uint-from-1",
            "string-not-empty",
            "integer",
            "double",
            "Thread",
            "[Thread]",
            "{[string]}",
            "\"a b\"",
            "Thread | [int64 | string] | string",
        ] {
            assert_eq!(Type::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "int", "[string", "thread", "string |"] {
            assert!(Type::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn null_beside_a_type_is_said_of_the_member() {
        let signature = Signature::parse("[string] | null", true).unwrap();
        assert!(signature.nullable && signature.optional);
        assert_eq!(signature.value, Type::Array(Box::new(Type::String)));
        assert_eq!(signature.to_string(), "[string] | null");
        let null = Signature::parse("null", false).unwrap();
        assert!(!null.nullable);
        assert_eq!(null.value, Type::Null);
    }

    #[test]
    fn references_are_found_at_any_depth() {
        let value = Type::parse("{[Item]} | Turn").unwrap();
        let mut found = Vec::new();
        value.references(&mut |name| found.push(name.to_owned()));
        assert_eq!(found, ["Item", "Turn"]);
    }
}
