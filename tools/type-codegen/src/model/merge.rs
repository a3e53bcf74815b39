//! One model of several releases: a member that not all of them always write is optional, and a union has the
//! variants of all.

use std::mem::discriminant;

use codex_wire_base::MessageSet;

use super::{
    Alternative, Answer, Definition, Field, Method, Model, Root, SESSION_LINE, Shape, Type,
};
use crate::comments::Comment;

impl Model {
    /// Makes one of several, which are given oldest first. What a comment says is from the newest that has the part.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn merged(models: impl IntoIterator<Item = Model>) -> Model {
        let mut models: Vec<Model> = models.into_iter().collect();
        let mut merged = models.pop().expect("a protocol has releases");
        for older in models.into_iter().rev() {
            merged.add(older);
        }
        merged.name_session_lines();
        merged
    }

    /// Adds the model of an older release.
    fn add(&mut self, older: Model) {
        self.releases.since = older.releases.since;
        let (roots, methods, answers) = (older.roots, older.methods, older.answers);
        let is_same = |a: &Root, b: &Root| a.definition == b.definition;
        unite(&mut self.roots, roots, is_same, |_, _| {});
        let is_same =
            |a: &Method, b: &Method| (a.by_codex, a.kind, &a.name) == (b.by_codex, b.kind, &b.name);
        unite(&mut self.methods, methods, is_same, |known, older| {
            for (known, older) in known.params.iter_mut().zip(older.params) {
                known.add(older);
            }
        });
        let is_same = |a: &Answer, b: &Answer| (a.message_set, &a.to) == (b.message_set, &b.to);
        unite(&mut self.answers, answers, is_same, |known, older| {
            add_fields(&mut known.fields, older.fields);
        });
        for (name, mut definition) in older.definitions {
            definition.shape.retire();
            self.define(name, definition);
        }
    }

    /// Gives a name to what a session file of any release has: those of the first releases have other lines.
    fn name_session_lines(&mut self) {
        let root = |set| {
            let root = self.roots.iter().find(|root| root.message_set == set)?;
            Some(root.definition.clone())
        };
        let both = root(MessageSet::Rollout).zip(root(MessageSet::RolloutEarly));
        let Some((with, without)) = both else { return };
        let text = format!(
            "One line of a session file of any release.\n\n\
             A `{with}` has the member `payload`. A line without it is an `{without}`, of 0.20.0 to 0.29.0."
        );
        let shape = Shape::Having {
            member: "payload".to_owned(),
            with,
            without,
        };
        let comment = Comment {
            text,
            ..Comment::default()
        };
        let name = SESSION_LINE.to_owned();
        self.definitions.insert(name, Definition { comment, shape });
    }

    /// Adds a definition of an older release.
    fn define(&mut self, name: String, older: Definition) {
        let Some(mut known) = self.definitions.remove(&name) else {
            self.definitions.insert(name, older);
            return;
        };
        match (&mut known.shape, older.shape) {
            (Shape::Object(fields, _), Shape::Object(older, _)) => add_fields(fields, older),
            (Shape::Tagged(tags, variants), Shape::Tagged(more, older)) => {
                add_tags(tags, more);
                add_alternatives(variants, older);
            }
            (Shape::External(known), Shape::External(older))
            | (Shape::Enum(known), Shape::Enum(older)) => add_alternatives(known, older),
            (Shape::Alias(value, comments), Shape::Alias(older, _)) => {
                let either = value.or(&older);
                if !either.parts().starts_with(value.parts()) {
                    comments.clear();
                }
                *value = either;
            }
            // The shapes differ: the name stands for one or the other.
            (newer, shape) => {
                let comment = known.comment.clone();
                let newer = self.part(&name, newer.clone(), comment);
                let value = newer.or(&self.part(&name, shape, older.comment));
                known.shape = Shape::Alias(value, Vec::new());
            }
        }
        self.definitions.insert(name, known);
    }

    /// What a name that has several shapes has of one: what an alias is, or a definition of its own.
    fn part(&mut self, name: &str, shape: Shape, comment: Comment) -> Type {
        let suffix = match shape {
            Shape::Alias(value, _) => return value,
            Shape::Object(..) | Shape::Having { .. } => "Object",
            Shape::Tagged(..) => "Kinds",
            Shape::External(_) => "Variants",
            Shape::Enum(_) => "Text",
        };
        let part = format!("{name}{suffix}");
        self.define(part.clone(), Definition { comment, shape });
        Type::Named(part)
    }
}

/// Gives what is known to `add`, and adds the rest.
fn unite<T>(
    known: &mut Vec<T>,
    older: Vec<T>,
    is_same: impl Fn(&T, &T) -> bool,
    add: impl Fn(&mut T, T),
) {
    for old in older {
        match known.iter_mut().find(|known| is_same(known, &old)) {
            Some(known) => add(known, old),
            None => known.push(old),
        }
    }
}

/// Adds the older names of a tag behind the current one.
pub(super) fn add_tags(tags: &mut Vec<String>, older: Vec<String>) {
    unite(tags, older, String::eq, |_, _| {});
}

fn add_fields(fields: &mut Vec<Field>, mut older: Vec<Field>) {
    let has = |fields: &[Field], name: &str| fields.iter().any(|field| field.name == name);
    for field in fields.iter_mut() {
        field.optional |= !has(&older, &field.name);
    }
    for field in &mut older {
        field.optional |= !has(fields, &field.name);
    }
    unite(fields, older, |a, b| a.name == b.name, Field::add);
}

fn add_alternatives(alternatives: &mut Vec<Alternative>, older: Vec<Alternative>) {
    let is_same = |a: &Alternative, b: &Alternative| a.tag == b.tag;
    unite(alternatives, older, is_same, |known, older| {
        let definitions = older.definitions;
        unite(&mut known.definitions, definitions, String::eq, |_, _| {});
    });
}

impl Shape {
    /// Says of kinds and values that an older release has them.
    fn retire(&mut self) {
        if let Shape::Tagged(_, all) | Shape::External(all) | Shape::Enum(all) = self {
            for alternative in all {
                alternative.is_current = false;
            }
        }
    }
}

impl Field {
    fn add(&mut self, older: Field) {
        self.value = self.value.or(&older.value);
        self.optional |= older.optional;
        self.nullable |= older.nullable;
    }
}

impl Type {
    /// Either of two types.
    pub(super) fn or(&self, other: &Type) -> Type {
        let mut all: Vec<Type> = Vec::new();
        for part in self.parts().iter().chain(other.parts()) {
            if !all.iter_mut().any(|known| known.join(part)) {
                all.push(part.clone());
            }
        }
        // A list of anything may hold what another list holds.
        for anything in [
            Type::List(Box::new(Type::Any)),
            Type::Dict(Box::new(Type::Any)),
        ] {
            if all.contains(&anything) {
                let is_such = |one: &Type| discriminant(one) == discriminant(&anything);
                all.retain(|one| !is_such(one) || *one == anything);
            }
        }
        match all.as_slice() {
            _ if all.contains(&Type::Any) || all.contains(&Type::Never) => Type::Any,
            [one] => one.clone(),
            _ => Type::Union(all),
        }
    }

    /// Makes one of two types that differ in detail alone; false if they differ.
    fn join(&mut self, other: &Type) -> bool {
        match (&mut *self, other) {
            (Type::Integer { is_wide }, Type::Integer { is_wide: other }) => *is_wide |= other,
            (Type::Strings(values), Type::Strings(other)) => {
                add_alternatives(values, other.clone());
            }
            (one, other) => return one == other,
        }
        true
    }
}
