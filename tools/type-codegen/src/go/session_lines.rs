//! The lines of session files of all releases: those of the newest one, and those that files had before lines had an
//! envelope.

use crate::comments::Comment;
use crate::model::{Field, Model, SESSION_LINE, Shape, Type};

/// A type that is one of several unions and objects, told apart by the members that each of them has.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) comment: Comment,
    pub(super) parts: Vec<Part>,
}

/// A union, or an object.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) is_union: bool,
    /// What it has, and those behind it have not.
    pub(super) having: Vec<String>,
}

impl Choice {
    /// Whether a union or an object is one of its parts.
    pub(super) fn has(&self, name: &str) -> bool {
        self.parts.iter().any(|part| part.name == name)
    }
}

/// Adds the early lines to the newest release, from a model of all releases.
pub(super) fn add_to(newest: &mut Model, all: &Model) -> Option<Choice> {
    let known = all.definitions.get(SESSION_LINE)?;
    let Shape::Having {
        member,
        with,
        without,
    } = &known.shape
    else {
        return None;
    };
    let Shape::Alias(early, _) = all.shape(without)? else {
        return None;
    };
    let text = format!(
        "One line of a session file of any release.\n\n\
         A `{with}` has the member `{member}`. Lines without it are those of 0.20.0 to 0.29.0."
    );
    let comment = Comment {
        text,
        ..Comment::default()
    };
    let mut parts = vec![Part {
        name: with.clone(),
        is_union: true,
        having: vec![member.clone()],
    }];
    for part in early.parts() {
        let Type::Named(name) = part else { continue };
        let (is_union, having) = match all.shape(name)? {
            Shape::Tagged(tags, _) => (true, tags.iter().take(1).cloned().collect()),
            shape => (false, required(shape.fields())),
        };
        parts.push(Part {
            name: name.clone(),
            is_union,
            having,
        });
        add_definition(newest, all, name);
    }
    Some(Choice {
        name: SESSION_LINE.to_owned(),
        comment,
        parts,
    })
}

fn required(fields: &[Field]) -> Vec<String> {
    let fields = fields.iter();
    let fields = fields.filter(|field| !field.optional && !field.nullable);
    fields.map(|field| field.name.clone()).collect()
}

/// Adds a definition, with what it refers to. What the newest release has stays as that has it.
fn add_definition(newest: &mut Model, all: &Model, name: &str) {
    let Some(definition) = all.definitions.get(name) else {
        return;
    };
    if newest.definitions.contains_key(name) {
        return;
    }
    newest
        .definitions
        .insert(name.to_owned(), definition.clone());
    definition
        .shape
        .references(&mut |inner| add_definition(newest, all, inner));
}
