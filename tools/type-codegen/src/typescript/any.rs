//! The module of all releases of a protocol.
//!
//! The compiler narrows a union by a member only if each of its objects has that member. Where releases name
//! their tag differently, or one part of a union has none, objects say so: `type?: never`. An object that has had
//! its tag under two names is two: a `switch` over the current kinds has no case for an absent tag.

use std::collections::{BTreeMap, BTreeSet};

use crate::comments::Comment;
use crate::model::{Definition, Field, Model, Shape, Type};
use crate::names::free;

/// The model as the compiler can narrow it.
pub(super) fn narrowable(mut model: Model) -> Model {
    split_by_tag(&mut model);
    with_all_tags(model)
}

/// Makes two objects of each that has its tag under either of two names.
fn split_by_tag(model: &mut Model) {
    for union in Vec::from_iter(model.definitions.keys().cloned()) {
        let Some(mut definition) = model.definitions.remove(&union) else {
            continue;
        };
        if let Shape::Tagged(tags, variants) = &mut definition.shape
            && let [tag, former] = tags.as_slice()
        {
            for variant in variants {
                let Some(name) = variant.definitions.first().cloned() else {
                    continue;
                };
                if let Some(older) = split(model, &name, tag, former) {
                    variant.definitions.insert(1, older);
                }
            }
        }
        model.definitions.insert(union, definition);
    }
}

/// Leaves the object the tag of today, and makes another one with the former tag. Returns its name.
fn split(model: &mut Model, name: &str, tag: &str, former: &str) -> Option<String> {
    let definition = model.definitions.get_mut(name)?;
    let mut older = definition.clone();
    let (Shape::Object(fields, _), Shape::Object(older_fields, _)) =
        (&mut definition.shape, &mut older.shape)
    else {
        return None;
    };
    let place = |name: &str| fields.iter().position(|field| field.name == name);
    let (tag, former) = (place(tag)?, place(former)?);
    let until = fields[former].comment.until?.to_string();
    for (fields, present, missing) in [(fields, tag, former), (older_fields, former, tag)] {
        fields[present].optional = false;
        let name = std::mem::take(&mut fields[missing].name);
        fields[missing] = absent(name);
    }
    let until = until.trim_end_matches(".0").replace('.', "_");
    let names = [format!("{name}Until{until}"), format!("Former{name}")];
    let name = free(names, |name| model.definitions.contains_key(name));
    model.definitions.insert(name.clone(), older);
    Some(name)
}

/// The model, in which each object of a union has every tag of the union, or says that it has none.
fn with_all_tags(mut model: Model) -> Model {
    let mut lacking: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for definition in model.definitions.values() {
        let mut tags = BTreeSet::new();
        let mut objects = BTreeSet::new();
        gather(
            &model.definitions,
            &definition.shape,
            &mut tags,
            &mut objects,
        );
        for object in objects {
            lacking.entry(object).or_default().extend(tags.clone());
        }
    }
    for (name, tags) in lacking {
        let Some(Shape::Object(fields, _)) = model.definitions.get_mut(&name).map(|d| &mut d.shape)
        else {
            continue;
        };
        let has = |tag: &String| fields.iter().any(|field| field.name == *tag);
        let missing: Vec<String> = tags.into_iter().filter(|tag| !has(tag)).collect();
        fields.extend(missing.into_iter().map(absent));
    }
    model
}

/// A member that an object never has.
pub(super) fn absent(name: String) -> Field {
    Field {
        name,
        value: Type::Never,
        optional: true,
        nullable: false,
        comment: Comment::default(),
    }
}

/// The tags by which a union is told apart, and the names of the objects in it.
fn gather(
    known: &BTreeMap<String, Definition>,
    shape: &Shape,
    tags: &mut BTreeSet<String>,
    objects: &mut BTreeSet<String>,
) {
    let mut see = |name: &str| match known.get(name).map(|known| &known.shape) {
        Some(Shape::Object(..)) => {
            objects.insert(name.to_owned());
        }
        Some(shape) => gather(known, shape, tags, objects),
        None => {}
    };
    match shape {
        Shape::Tagged(own, variants) => {
            let definitions = variants.iter().flat_map(|variant| &variant.definitions);
            definitions.for_each(|name| see(name));
            tags.extend(own.iter().cloned());
        }
        Shape::Having { with, without, .. } => {
            see(with);
            see(without);
        }
        Shape::Alias(value, _) => {
            for part in value.parts() {
                if let Type::Named(name) = part {
                    see(name);
                }
            }
        }
        Shape::Object(..) | Shape::External(_) | Shape::Enum(_) => {}
    }
}
