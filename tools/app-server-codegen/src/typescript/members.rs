//! Finds the members of a type: of each variant, with what it embeds.

use std::collections::BTreeMap;

use super::library::{File, Library};
use super::parse::Type;

/// Whether TypeScript requires a member: it stands there without `?`.
pub type Required = bool;

/// The members of an object, or those of each variant of a union.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Of all variants together.
    pub base: BTreeMap<String, Required>,
    /// By the tag that was asked for.
    pub variants: BTreeMap<String, BTreeMap<String, Required>>,
    /// The objects without a name that are the content of a kind, `{"kind": {…}}`, by kind.
    pub contents: BTreeMap<String, BTreeMap<String, Required>>,
}

/// How deep types that embed each other are followed.
const DEEPEST: usize = 16;

/// An object that a type can be: its members, and what they hold.
type Shape<'l> = BTreeMap<&'l str, (Required, &'l Type)>;

impl Library {
    /// The members of the type in a file, if its values are objects or kinds; of a union, told apart by `tag`.
    pub fn members(&self, path: &str, tag: Option<&str>) -> Option<Members> {
        let file = self.files.get(path)?;
        let shapes = self.shapes(file, &file.declared, DEEPEST);
        if shapes.is_empty() {
            return None;
        }
        let mut out = Members::default();
        let mut by_tag: BTreeMap<String, Vec<Shape<'_>>> = BTreeMap::new();
        for shape in &shapes {
            if let Some((_, Type::Literal(value))) = tag.and_then(|tag| shape.get(tag)) {
                by_tag.entry(value.clone()).or_default().push(shape.clone());
            }
            if let [(kind, (true, Type::Object(_)))] = shape.iter().collect::<Vec<_>>().as_slice() {
                let inner = self.shapes(file, shape[*kind].1, DEEPEST);
                out.contents.insert((**kind).to_owned(), common(&inner));
            }
        }
        for (value, shapes) in by_tag {
            out.variants.insert(value, common(&shapes));
        }
        out.base = common(&shapes);
        Some(out)
    }

    /// The objects that a type can be.
    fn shapes<'l>(&'l self, file: &'l File, of: &'l Type, depth: usize) -> Vec<Shape<'l>> {
        match of {
            Type::Object(members) => {
                let members = members.iter();
                let members = members.map(|m| (&*m.name, (m.is_required, &m.value)));
                vec![members.collect()]
            }
            Type::OneOf(all) => {
                let all = all.iter();
                all.flat_map(|one| self.shapes(file, one, depth)).collect()
            }
            Type::All(all) => {
                let mut out = vec![Shape::new()];
                for one in all {
                    let more = self.shapes(file, one, depth);
                    // What is not an object adds no members: `Record<string, never>`.
                    if more.is_empty() {
                        continue;
                    }
                    let joined = |before: &Shape<'l>| {
                        let before = before.clone();
                        more.iter().map(move |more| {
                            let mut whole = before.clone();
                            whole.extend(more.iter().map(|(name, it)| (*name, *it)));
                            whole
                        })
                    };
                    out = out.iter().flat_map(joined).collect();
                }
                out
            }
            Type::Named(name) => {
                let target = file.imports.get(name).and_then(|path| self.files.get(path));
                match target {
                    Some(target) if depth > 0 => self.shapes(target, &target.declared, depth - 1),
                    _ => Vec::new(),
                }
            }
            Type::Literal(_) | Type::Plain => Vec::new(),
        }
    }
}

/// The members that these have: required if all have it and none may leave it out.
fn common(shapes: &[Shape<'_>]) -> BTreeMap<String, Required> {
    let mut out: BTreeMap<String, Required> = BTreeMap::new();
    for name in shapes.iter().flat_map(BTreeMap::keys) {
        let requires = |shape: &Shape<'_>| shape.get(name).is_some_and(|(required, _)| *required);
        out.entry((*name).to_owned())
            .or_insert_with(|| shapes.iter().all(requires));
    }
    out
}
