//! Lists the public items of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use quote::ToTokens;
use syn::{Fields, ImplItem, Item, TraitItem, Type, UseTree, Visibility};

use super::sources::{Crate, Module, is_left_out};
use super::spacing::spaced;

/// The public items, each under the name that others use, with its parts.
pub(super) fn list(of: &Crate, generated: &[&str]) -> String {
    let mut lists = Lists {
        of,
        impls: impls(of),
        generated,
        items: BTreeMap::new(),
    };
    lists.module(&of.root, &of.name, &mut BTreeSet::new());
    let mut out = String::new();
    for (name, parts) in &lists.items {
        let _ = writeln!(out, "{name}");
        parts.iter().for_each(|part| {
            let _ = writeln!(out, "  {part}");
        });
    }
    out
}

struct Lists<'c> {
    of: &'c Crate,
    /// What each type has by `impl`, by its name.
    impls: BTreeMap<String, BTreeSet<String>>,
    generated: &'c [&'c str],
    items: BTreeMap<String, BTreeSet<String>>,
}

impl<'c> Lists<'c> {
    /// Adds what a module that is reached by this path has for others.
    fn module(&mut self, module: &'c Module, path: &str, seen: &mut BTreeSet<String>) {
        if !seen.insert(path.to_owned()) {
            return;
        }
        if self.generated.contains(&module.path.as_str()) {
            let generated = format!("mod {path}: what is generated in {}", module.path);
            return self.add(generated, Vec::new());
        }
        for item in &module.items {
            match item {
                Item::Use(item) if is_public(&item.vis) => {
                    self.imported(module, &item.tree, &mut Vec::new(), path, seen);
                }
                _ => self.item(item, None, path),
            }
        }
        for (name, child) in module.children.iter().filter(|(_, child)| child.is_public) {
            self.module(child, &format!("{path}::{name}"), seen);
        }
    }

    /// Adds what `pub use` names.
    fn imported(
        &mut self,
        module: &'c Module,
        tree: &UseTree,
        before: &mut Vec<String>,
        path: &str,
        seen: &mut BTreeSet<String>,
    ) {
        match tree {
            UseTree::Path(tree) => {
                before.push(tree.ident.to_string());
                self.imported(module, &tree.tree, before, path, seen);
                before.pop();
            }
            UseTree::Group(tree) => {
                for tree in &tree.items {
                    self.imported(module, tree, before, path, seen);
                }
            }
            UseTree::Name(tree) => {
                self.named(module, before, &tree.ident.to_string(), None, path, seen);
            }
            UseTree::Rename(tree) => {
                let other = tree.rename.to_string();
                self.named(
                    module,
                    before,
                    &tree.ident.to_string(),
                    Some(&other),
                    path,
                    seen,
                );
            }
            UseTree::Glob(_) => match self.found(module, before) {
                Some(found) => {
                    let mut own = BTreeSet::new();
                    self.module(found, path, &mut own);
                }
                None => self.add(format!("use {path}: {}::*", before.join("::")), Vec::new()),
            },
        }
    }

    fn named(
        &mut self,
        module: &'c Module,
        before: &[String],
        name: &str,
        other: Option<&str>,
        path: &str,
        seen: &mut BTreeSet<String>,
    ) {
        let shown = other.unwrap_or(name);
        let full: Vec<&str> = before.iter().map(String::as_str).chain([name]).collect();
        let Some(home) = self.found(module, before) else {
            return self.add(
                format!("use {path}::{shown}: {}", full.join("::")),
                Vec::new(),
            );
        };
        if let Some(child) = home.children.get(name) {
            return self.module(child, &format!("{path}::{shown}"), seen);
        }
        let own = home
            .items
            .iter()
            .find(|item| name_of(item).as_deref() == Some(name));
        // It may be imported there itself.
        let elsewhere = || {
            let mut all = self
                .of
                .root
                .all()
                .into_iter()
                .flat_map(|module| &module.items);
            all.find(|item| name_of(item).as_deref() == Some(name))
        };
        match own.or_else(elsewhere) {
            Some(item) => self.item(item, Some(shown), path),
            None => self.add(
                format!("use {path}::{shown}: {}", full.join("::")),
                Vec::new(),
            ),
        }
    }

    /// The module of this crate that a path leads to.
    fn found(&self, from: &'c Module, path: &[String]) -> Option<&'c Module> {
        let (mut module, rest) = match path.first().map(String::as_str) {
            Some("crate") => (&self.of.root, &path[1..]),
            Some("self") => (from, &path[1..]),
            None => (from, path),
            Some(first) if from.children.contains_key(first) => (from, path),
            Some("super") => return None,
            Some(_) => return None,
        };
        for name in rest {
            module = module.children.get(name)?;
        }
        Some(module)
    }

    /// Adds an item, if others can use it.
    fn item(&mut self, item: &Item, shown: Option<&str>, path: &str) {
        let Some(name) = name_of(item) else {
            return;
        };
        let shown = format!("{path}::{}", shown.unwrap_or(&name));
        let mut parts: Vec<String> = self
            .impls
            .get(&name)
            .into_iter()
            .flatten()
            .cloned()
            .collect();
        match item {
            Item::Struct(item) if is_public(&item.vis) => {
                parts.extend(derives(&item.attrs));
                parts.extend(fields(&item.fields));
                let generics = tidy(&item.generics);
                self.add(format!("struct {shown}{generics}"), parts);
            }
            Item::Enum(item) if is_public(&item.vis) => {
                parts.extend(derives(&item.attrs));
                for variant in item.variants.iter().filter(|v| !is_left_out(&v.attrs)) {
                    parts.push(format!("{}{}", variant.ident, in_variant(&variant.fields)));
                }
                self.add(format!("enum {shown}{}", tidy(&item.generics)), parts);
            }
            Item::Trait(item) if is_public(&item.vis) => {
                for part in &item.items {
                    let text = match part {
                        TraitItem::Fn(part) if !is_left_out(&part.attrs) => {
                            let has_body = part.default.is_some();
                            format!(
                                "{}{}",
                                tidy(&part.sig),
                                if has_body { " { … }" } else { ";" }
                            )
                        }
                        TraitItem::Const(part) => {
                            format!("const {}: {}", part.ident, tidy(&part.ty))
                        }
                        TraitItem::Type(part) => format!("type {}", part.ident),
                        _ => continue,
                    };
                    parts.push(text);
                }
                self.add(format!("trait {shown}{}", tidy(&item.generics)), parts);
            }
            Item::Fn(item) if is_public(&item.vis) => {
                self.add(format!("fn {shown}: pub {}", tidy(&item.sig)), Vec::new());
            }
            Item::Const(item) if is_public(&item.vis) => {
                self.add(format!("const {shown}: {}", tidy(&item.ty)), Vec::new());
            }
            Item::Static(item) if is_public(&item.vis) => {
                self.add(format!("static {shown}: {}", tidy(&item.ty)), Vec::new());
            }
            Item::Type(item) if is_public(&item.vis) => {
                self.add(format!("type {shown} = {}", tidy(&item.ty)), Vec::new());
            }
            _ => {}
        }
    }

    fn add(&mut self, name: String, parts: Vec<String>) {
        self.items.entry(name).or_default().extend(parts);
    }
}

/// What all types of a crate have by `impl`: public methods, and traits.
fn impls(of: &Crate) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::<String, BTreeSet<String>>::new();
    for item in of.root.all().into_iter().flat_map(|module| &module.items) {
        let Item::Impl(block) = item else {
            continue;
        };
        let Type::Path(of) = &*block.self_ty else {
            continue;
        };
        let Some(name) = of.path.segments.last().map(|last| last.ident.to_string()) else {
            continue;
        };
        let parts = all.entry(name).or_default();
        if let Some((_, of, _)) = &block.trait_ {
            parts.insert(format!("impl {}", tidy(of)));
            continue;
        }
        for item in &block.items {
            match item {
                ImplItem::Fn(item) if is_public(&item.vis) && !is_left_out(&item.attrs) => {
                    parts.insert(format!("pub {}", tidy(&item.sig)));
                }
                ImplItem::Const(item) if is_public(&item.vis) && !is_left_out(&item.attrs) => {
                    parts.insert(format!("pub const {}: {}", item.ident, tidy(&item.ty)));
                }
                _ => {}
            }
        }
    }
    all
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn name_of(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(item) => item.ident.to_string(),
        Item::Enum(item) => item.ident.to_string(),
        Item::Fn(item) => item.sig.ident.to_string(),
        Item::Static(item) => item.ident.to_string(),
        Item::Struct(item) => item.ident.to_string(),
        Item::Trait(item) => item.ident.to_string(),
        Item::Type(item) => item.ident.to_string(),
        _ => return None,
    })
}

/// The traits that are derived, and whether others may not build or match it whole.
fn derives(attributes: &[syn::Attribute]) -> Vec<String> {
    let tells = |attribute: &&syn::Attribute| {
        let path = attribute.path();
        path.is_ident("derive") || path.is_ident("non_exhaustive")
    };
    attributes.iter().filter(tells).map(tidy).collect()
}

/// The fields of a struct that others see.
fn fields(fields: &Fields) -> Vec<String> {
    let public = fields
        .iter()
        .enumerate()
        .filter(|(_, field)| is_public(&field.vis));
    let mut parts: Vec<String> = public
        .filter(|(_, field)| !is_left_out(&field.attrs))
        .map(|(index, field)| {
            let name = field
                .ident
                .as_ref()
                .map_or(index.to_string(), ToString::to_string);
            format!("pub {name}: {}", tidy(&field.ty))
        })
        .collect();
    if fields.iter().any(|field| !is_public(&field.vis)) {
        parts.push("private fields".to_owned());
    }
    parts
}

fn in_variant(fields: &Fields) -> String {
    let types = |open: &str, close: &str| {
        let each = fields.iter().map(|field| match &field.ident {
            Some(name) => format!("{name}: {}", tidy(&field.ty)),
            None => tidy(&field.ty),
        });
        format!("{open}{}{close}", each.collect::<Vec<_>>().join(", "))
    };
    match fields {
        Fields::Named(_) => types(" { ", " }"),
        Fields::Unnamed(_) => types("(", ")"),
        Fields::Unit => String::new(),
    }
}

fn tidy(tokens: &impl ToTokens) -> String {
    spaced(tokens.to_token_stream())
}
