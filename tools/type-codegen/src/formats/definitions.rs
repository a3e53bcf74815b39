//! A format as definitions of the model that protocols have, for languages that write both alike.

use std::collections::BTreeMap;

use codex_wire_schema::ir::Undeclared;

use super::model::{Definition, Format, FormatError, Member, Shape, Type};
use crate::comments::Comment;
use crate::model;

impl Format {
    /// The definitions by their names.
    ///
    /// # Errors
    /// If one has an object without a name, which the model of protocols has not.
    pub(crate) fn definitions(&self) -> Result<BTreeMap<String, model::Definition>, FormatError> {
        let read = |known: &Definition| {
            let shape = self
                .shape(known)
                .map_err(|problem| format!("{}: {problem}", known.name))?;
            let comment = comment(known.doc.as_deref());
            Ok((known.name.clone(), model::Definition { comment, shape }))
        };
        let all: Result<_, String> = self.definitions.iter().map(read).collect();
        all.map_err(|problem| FormatError {
            format: self.name.clone(),
            problem,
        })
    }

    fn shape(&self, definition: &Definition) -> Result<model::Shape, String> {
        match &definition.shape {
            Shape::Object(members) => {
                let members: Result<Vec<_>, _> = members.iter().map(field).collect();
                Ok(model::Shape::Object(members?, Undeclared::Ignored))
            }
            Shape::Other(Type::Union(parts)) => {
                if let Some(words) = strings(parts, &definition.words) {
                    return Ok(model::Shape::Enum(words));
                }
                if let Some(tagged) = self.tagged(parts) {
                    return Ok(tagged);
                }
                Ok(model::Shape::Alias(union(parts)?, Vec::new()))
            }
            Shape::Other(is) => Ok(model::Shape::Alias(kind(is)?, Vec::new())),
        }
    }

    /// A union of objects, each of which has the same member with a word of its own.
    fn tagged(&self, parts: &[Type]) -> Option<model::Shape> {
        let mut key: Option<&str> = None;
        let mut alternatives = Vec::new();
        for part in parts {
            let Type::Named(name) = part else { return None };
            let named = self.definitions.iter().find(|known| known.name == *name)?;
            let Shape::Object(members) = &named.shape else {
                return None;
            };
            let (tag, word) = members.iter().find_map(|member| match &member.is {
                Type::Value(value) => Some((&*member.key, value.as_str()?)),
                _ => None,
            })?;
            if *key.get_or_insert(tag) != tag {
                return None;
            }
            alternatives.push(model::Alternative {
                tag: word.to_owned(),
                definitions: vec![name.clone()],
                comment: comment(named.doc.as_deref()),
                is_current: true,
            });
        }
        Some(model::Shape::Tagged(vec![key?.to_owned()], alternatives))
    }
}

fn field(member: &Member) -> Result<model::Field, String> {
    let (value, nullable) = match &member.is {
        Type::Union(parts) if parts.contains(&Type::Null) => {
            let others: Vec<Type> = parts
                .iter()
                .filter(|part| **part != Type::Null)
                .cloned()
                .collect();
            (union(&others), true)
        }
        is => (kind(is), false),
    };
    Ok(model::Field {
        name: member.key.clone(),
        value: value.map_err(|problem| format!("{}: {problem}", member.key))?,
        optional: !member.is_required,
        nullable,
        comment: comment(member.doc.as_deref()),
    })
}

fn kind(is: &Type) -> Result<model::Type, String> {
    Ok(match is {
        Type::Any => model::Type::Any,
        Type::Null => model::Type::Null,
        Type::Boolean => model::Type::Boolean,
        Type::Integer => model::Type::Integer { is_wide: false },
        Type::Number => model::Type::Number,
        Type::String => model::Type::Text,
        Type::Value(serde_json::Value::String(text)) => model::Type::Constant(text.clone()),
        Type::Value(value) => return Err(format!("{value}: only words are constants")),
        Type::Named(name) => model::Type::Named(name.clone()),
        Type::List(inner) => model::Type::List(Box::new(kind(inner)?)),
        Type::Map(inner) => model::Type::Dict(Box::new(kind(inner)?)),
        Type::Union(parts) => union(parts)?,
        Type::Object(_) => return Err("an object without a name".to_owned()),
    })
}

/// A union that has no name.
fn union(parts: &[Type]) -> Result<model::Type, String> {
    if let Some(words) = strings(parts, &[]) {
        return Ok(model::Type::Strings(words));
    }
    match parts {
        [one] => kind(one),
        parts => {
            let parts: Result<Vec<_>, _> = parts.iter().map(kind).collect();
            Ok(model::Type::Union(parts?))
        }
    }
}

/// The values of an enumeration, if each of them is a word.
fn strings(parts: &[Type], about: &[(String, String)]) -> Option<Vec<model::Alternative>> {
    let word = |part: &Type| {
        let Type::Value(serde_json::Value::String(word)) = part else {
            return None;
        };
        let said = about.iter().find(|(known, _)| known == word);
        Some(model::Alternative {
            tag: word.clone(),
            definitions: Vec::new(),
            comment: comment(said.map(|(_, about)| &**about)),
            is_current: true,
        })
    };
    parts.iter().map(word).collect()
}

/// Our own formats are not those of a release of Codex.
fn comment(doc: Option<&str>) -> Comment {
    Comment {
        text: doc.unwrap_or_default().to_owned(),
        ..Comment::default()
    }
}
