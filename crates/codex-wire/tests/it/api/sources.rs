//! Reads the sources of a crate: its modules, with their items.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use syn::{Attribute, Item, Meta, Visibility};

/// A crate.
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) root: Module,
}

/// A module, with what stands in it except for tests and what is hidden.
#[derive(Default)]
pub(super) struct Module {
    /// Its path in the crate.
    pub(super) path: String,
    pub(super) is_public: bool,
    pub(super) items: Vec<Item>,
    pub(super) children: BTreeMap<String, Module>,
}

/// How a file is read; `None` if there is none.
type Read<'r> = &'r dyn Fn(&Path) -> Option<String>;

impl Crate {
    pub(super) fn read(name: &str, root: &Path) -> Self {
        Self::of(name, root, &|path| std::fs::read_to_string(path).ok())
    }

    pub(super) fn of(name: &str, root: &Path, read: Read<'_>) -> Self {
        let text = read(root).expect("a crate has a root");
        let folder = root.parent().unwrap_or(Path::new("")).to_owned();
        Crate {
            name: name.to_owned(),
            root: Module::of(parse(&text, root), (name, &folder), true, read),
        }
    }
}

impl Module {
    /// A module of this path, whose children stand in this folder.
    fn of(
        items: Vec<Item>,
        (path, folder): (&str, &Path),
        is_public: bool,
        read: Read<'_>,
    ) -> Self {
        let mut module = Module {
            path: path.to_owned(),
            is_public,
            ..Module::default()
        };
        for item in items {
            if is_left_out(attributes(&item)) {
                continue;
            }
            let Item::Mod(child) = item else {
                module.items.push(item);
                continue;
            };
            let name = child.ident.to_string();
            let below = folder.join(&name);
            let is_public = matches!(child.vis, Visibility::Public(_));
            let items = match child.content {
                Some((_, items)) => items,
                None => {
                    let files = [folder.join(format!("{name}.rs")), below.join("mod.rs")];
                    let text = |file: &PathBuf| Some((read(file)?, file.clone()));
                    let (text, file) = files.iter().find_map(text).expect("a module has a file");
                    parse(&text, &file)
                }
            };
            let path = format!("{path}::{name}");
            let child = Module::of(items, (&path, &below), is_public, read);
            module.children.insert(name, child);
        }
        module
    }

    /// The module and all below it.
    pub(super) fn all(&self) -> Vec<&Module> {
        let below = self.children.values().flat_map(Module::all);
        std::iter::once(self).chain(below).collect()
    }
}

fn parse(text: &str, path: &Path) -> Vec<Item> {
    let file = syn::parse_file(text);
    file.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        .items
}

/// Whether it is a test or hidden from the documentation.
pub(super) fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("doc") => list.tokens.to_string() == "hidden",
        Meta::List(list) if list.path.is_ident("cfg") => {
            matches!(list.tokens.to_string().as_str(), "test" | "doctest")
        }
        _ => false,
    })
}

pub(super) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
