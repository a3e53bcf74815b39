//! Gives the definitions of a bundle their final names.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Kind, Schema, Text};

/// Appended to the name of a definition that Codex reads in another way than it writes it, where what
/// it writes keeps the name.
pub(super) const READ: &str = "Input";

/// Appended to the name of a definition that Codex writes in another way than it reads it, where what
/// it reads keeps the name.
pub(super) const WRITTEN: &str = "Written";

/// Replaces definitions that only tell releases apart: in one release they are a reference or a
/// simple type. `CollaborationMode` is what `CollaborationModeSince0_90` is since 0.90.0.
pub(super) fn replace_selectors(
    definitions: &mut BTreeMap<Text, Schema>,
    selectors: &BTreeSet<Text>,
) {
    let mut inlined: BTreeMap<Text, Schema> = BTreeMap::new();
    let mut renamed: BTreeMap<Text, Text> = BTreeMap::new();
    for name in selectors {
        let Some(schema) = definitions.get(name) else {
            continue;
        };
        match &schema.kind {
            Kind::Reference(target) if without_releases(target).is_some() => {
                renamed.insert(target.clone(), name.clone());
            }
            Kind::Untagged(_) | Kind::Object(_) => {}
            _ => {
                inlined.insert(name.clone(), schema.clone());
            }
        }
    }
    for (long, name) in &renamed {
        let description = definitions.remove(name).and_then(|alias| alias.description);
        if let Some(mut schema) = definitions.remove(long) {
            schema.description = description.or(schema.description);
            definitions.insert(name.clone(), schema);
        }
    }
    let last = |name: &str| -> Option<Schema> {
        let mut found = inlined.get(name)?;
        // A definition does not lead to itself by references alone.
        while let Some(next) = found.reference().and_then(|name| inlined.get(name)) {
            found = next;
        }
        Some(found.clone())
    };
    for schema in definitions.values_mut() {
        change(schema, &mut |schema| {
            if let Some(found) = schema.reference().and_then(last) {
                schema.kind = found.kind;
                let described = found.description.filter(|text| !is_only_releases(text));
                let own = schema.description.take();
                schema.description = own.or(described);
            }
        });
        rename(schema, |name| match last(name)?.kind {
            Kind::Reference(name) => Some(name),
            _ => None,
        });
        rename(schema, |name| renamed.get(name).cloned());
    }
    definitions.retain(|name, _| !inlined.contains_key(name));
    shorten(definitions);
}

/// Takes the releases out of names, where only one definition has the name without them.
fn shorten(definitions: &mut BTreeMap<Text, Schema>) {
    let mut wanted: BTreeMap<Text, Vec<Text>> = BTreeMap::new();
    for name in definitions.keys() {
        let short = without_releases(name).unwrap_or(name).to_owned();
        wanted.entry(short.into()).or_default().push(name.clone());
    }
    let renamed: BTreeMap<Text, Text> = wanted
        .into_iter()
        .filter_map(|(short, names)| match names.as_slice() {
            [only] if *only != short => Some((only.clone(), short)),
            _ => None,
        })
        .collect();
    for schema in definitions.values_mut() {
        rename(schema, |name| renamed.get(name).cloned());
    }
    for (long, short) in renamed {
        if let Some(schema) = definitions.remove(&long) {
            definitions.insert(short, schema);
        }
    }
}

/// Unites what Codex writes and what it reads, one of which keeps its names. Returns the new names of
/// definitions of the other that differ: with `suffix` appended.
pub(super) fn unite(
    kept: BTreeMap<Text, Schema>,
    mut other: BTreeMap<Text, Schema>,
    suffix: &str,
) -> (BTreeMap<Text, Schema>, BTreeMap<Text, Text>) {
    let mut differ: BTreeSet<Text> = other
        .iter()
        .filter(|(name, schema)| kept.get(*name).is_some_and(|known| known != *schema))
        .map(|(name, _)| name.clone())
        .collect();
    // What leads to a definition that differs also differs.
    loop {
        let before = differ.len();
        for (name, schema) in &other {
            if kept.contains_key(name) {
                let mut leads = false;
                schema.references(&mut |name| leads |= differ.contains(name));
                if leads {
                    differ.insert(name.clone());
                }
            }
        }
        if differ.len() == before {
            break;
        }
    }
    let renamed: BTreeMap<Text, Text> = differ
        .into_iter()
        .map(|name| (name.clone(), format!("{name}{suffix}").into()))
        .collect();
    for schema in other.values_mut() {
        rename(schema, |name| renamed.get(name).cloned());
    }
    let mut all = kept;
    for (name, schema) in other {
        let name = renamed.get(&name).cloned().unwrap_or(name);
        all.insert(name, schema);
    }
    (all, renamed)
}

/// The definitions that these lead to, themselves included.
pub(super) fn reached<'s, 'n>(
    definitions: &'s BTreeMap<Text, Schema>,
    names: impl IntoIterator<Item = &'n str>,
) -> BTreeSet<&'s str> {
    let mut found = BTreeSet::new();
    let known = |name| Some(&**definitions.get_key_value(name)?.0);
    let mut waiting: Vec<&str> = names.into_iter().filter_map(known).collect();
    while let Some(name) = waiting.pop() {
        if let Some((name, schema)) = definitions.get_key_value(name)
            && found.insert(&**name)
        {
            schema.references(&mut |name| waiting.push(name));
        }
    }
    found
}

/// Removes examples in Rust from descriptions.
pub(super) fn trim(schema: &mut Schema) {
    change(schema, &mut |schema| {
        let Some(text) = &schema.description else {
            return;
        };
        if let Some((before, rest)) = text.split_once("```") {
            let after = rest.split_once("```").map_or("", |(_, after)| after);
            let text = format!("{}\n\n{}", before.trim_end(), after.trim_start());
            schema.description = Some(text.trim_end().to_owned().into());
        }
    });
}

/// The name without the releases that are in it, if there are any.
pub(super) fn without_releases(name: &str) -> Option<&str> {
    let mut parts = ["Since0_", "Until0_", "From0_"].iter();
    parts.find_map(|part| {
        let (before, rest) = name.split_once(part)?;
        let is_release = rest.chars().all(|c| c.is_ascii_digit() || c == '_');
        is_release.then_some(before)
    })
}

/// Whether a description only names releases.
fn is_only_releases(text: &str) -> bool {
    ["Since ", "Until ", "From ", "In "]
        .iter()
        .any(|p| text.starts_with(p))
}

/// Calls `see` with every schema below this one, this one last.
fn change(schema: &mut Schema, see: &mut impl FnMut(&mut Schema)) {
    match &mut schema.kind {
        Kind::Array(inner) | Kind::Map(inner) => change(inner, see),
        Kind::Object(object) => {
            for member in &mut object.members {
                change(&mut member.schema, see);
                if let Some(second) = &mut member.second {
                    change(&mut second.schema, see);
                }
            }
        }
        Kind::Untagged(variants) => {
            for variant in variants {
                change(&mut variant.schema, see);
            }
        }
        _ => {}
    }
    see(schema);
}

/// Gives references other names.
fn rename(schema: &mut Schema, to: impl Fn(&str) -> Option<Text>) {
    change(schema, &mut |schema| match &mut schema.kind {
        Kind::Reference(name) => {
            if let Some(renamed) = to(name) {
                *name = renamed;
            }
        }
        Kind::Tagged(union) => {
            for variant in &mut union.variants {
                if let Some(renamed) = to(&variant.definition) {
                    variant.definition = renamed;
                }
            }
        }
        Kind::External(variants) => {
            for variant in variants {
                if let Some(renamed) = to(&variant.definition) {
                    variant.definition = renamed;
                }
            }
        }
        _ => {}
    });
}
