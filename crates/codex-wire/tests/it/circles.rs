//! Holds that the files of a crate import each other in one direction only.
//!
//! The files are read as tokens. A path that begins with `crate`, `self`, `super`, a child module or
//! an imported name is followed to the file that defines what it names; re-exports do not count as
//! definitions. Tests are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::support::files;

/// Folders whose files may use each other, and why. Such a circle has no file outside of the folder.
const TOGETHER: &[(&str, &str)] = &[(
    "crates/codex-wire/src/app_server/types/",
    "generated from the protocol, whose types refer to each other in circles, and divided by topic",
)];

#[test]
fn no_files_import_each_other() {
    let mut circles: Vec<Vec<String>> = Vec::new();
    for folder in folders() {
        for root in ["src/lib.rs", "src/main.rs"] {
            let root = folder.join(root);
            if root.is_file() {
                let source = format!("{}/src", files::short(&folder));
                let named = |file: String| format!("{source}/{file}");
                let found = Crate::read(&root).circles().into_iter();
                circles.extend(found.map(|circle| circle.into_iter().map(named).collect()));
            }
        }
    }
    for (folder, _) in TOGETHER {
        let all = circles.len();
        circles.retain(|circle| !circle.iter().all(|file| file.starts_with(folder)));
        assert!(circles.len() < all, "{folder} has no circle any more");
    }
    assert!(circles.is_empty(), "files import each other: {circles:#?}");
}

#[test]
fn circles_are_found() {
    let of = |files: &[(&str, &str)]| {
        let read = |path: &str| {
            let found = files.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned())
        };
        Crate::of(&read).circles()
    };
    // Imports, inline paths, re-exports and glob imports are all followed.
    let ways = [
        ("use crate::b::B;", "use crate::a::A;"),
        ("use crate::b::B;", "fn f() { crate::a::A::new() }"),
        ("use crate::B;", "use super::A;"),
        ("use crate::B;", "use crate::a::*; struct C(A);"),
        (
            "use crate::{b, c};\nfn f() { b::B; }",
            "macro_call!{ super::a::A }",
        ),
    ];
    for (a, b) in ways {
        let root = "mod a; mod b; mod c; pub use a::A; pub use b::*;";
        let [a, b] = [format!("{a} pub struct A;"), format!("{b} pub struct B;")];
        let found = of(&[("lib.rs", root), ("a.rs", &a), ("b.rs", &b), ("c.rs", "")]);
        assert_eq!(found, [["a.rs", "b.rs"]], "{a} {b}");
    }
    // A parent that re-exports is no circle, one that is used is; tests may use what they like.
    let parent = ("a.rs", "mod c; pub use c::C; pub struct P;");
    let none = [
        ("lib.rs", "mod a; pub use a::C;"),
        parent,
        (
            "a/c.rs",
            "pub struct C;\n#[cfg(test)] mod tests { use super::super::P; }",
        ),
    ];
    assert_eq!(of(&none), Vec::<Vec<String>>::new());
    let used = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod c; pub struct P(c::C);"),
        ("a/c.rs", "use super::P; pub struct C;"),
    ];
    assert_eq!(of(&used), [["a.rs", "a/c.rs"]]);
    // Names that a parent only hands on are followed to their files.
    let siblings = |c: &str| {
        let c = format!("use super::*; pub struct C{c};");
        of(&[
            ("lib.rs", "mod a;"),
            ("a.rs", "mod b; mod c; pub use b::*; pub use c::*;"),
            ("a/b.rs", "use super::*; pub struct B(C);"),
            ("a/c.rs", &c),
        ])
    };
    assert_eq!(siblings("(B)"), [["a/b.rs", "a/c.rs"]]);
    assert_eq!(siblings(""), Vec::<Vec<String>>::new());
}

/// The crates of the workspace.
fn folders() -> Vec<PathBuf> {
    let root = files::root();
    let mut folders: Vec<PathBuf> = ["crates", "tools"]
        .into_iter()
        .flat_map(|name| std::fs::read_dir(root.join(name)).expect("a folder of crates"))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.extend(["xtask", "benches"].map(|name| root.join(name)));
    folders.sort();
    folders
}

/// The modules of a crate.
#[derive(Default)]
struct Crate {
    modules: Vec<Module>,
}

/// A module, in a file of its own or within one.
#[derive(Default)]
struct Module {
    /// The file it stands in.
    file: String,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// What it defines.
    defines: BTreeSet<String>,
    /// What it imports, by the name it has here.
    imports: BTreeMap<String, Vec<String>>,
    /// What it imports all of.
    globs: Vec<Vec<String>>,
    /// The paths that stand in it, imports included.
    paths: BTreeSet<Vec<String>>,
    /// The words that stand in it without a path.
    words: BTreeSet<String>,
}

/// What a path leads to.
enum Target {
    Module(usize),
    /// Something that the module defines.
    Item(usize),
}

impl Crate {
    /// Reads the files of a crate from its root.
    fn read(root: &Path) -> Self {
        let folder = root.parent().expect("a folder").to_owned();
        let name = root.file_name().expect("a name").to_string_lossy();
        let read = |path: &str| {
            let path = if path == "lib.rs" { &*name } else { path };
            std::fs::read_to_string(folder.join(path)).ok()
        };
        Self::of(&read)
    }

    /// Reads the files of a crate, by their paths from that of `lib.rs`.
    fn of(read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut all = Crate::default();
        all.file("lib.rs", "", None, read);
        all
    }

    /// Reads a file, whose children stand in a folder.
    fn file(
        &mut self,
        path: &str,
        folder: &str,
        parent: Option<usize>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let text = read(path).unwrap_or_else(|| panic!("there is no {path}"));
        let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{path}: {e}"));
        self.module((path, folder), parent, tokens, read)
    }

    fn module(
        &mut self,
        (file, folder): (&str, &str),
        parent: Option<usize>,
        tokens: TokenStream,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let index = self.modules.len();
        self.modules.push(Module {
            file: file.to_owned(),
            parent,
            ..Module::default()
        });
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.item(index, folder, &tokens, at, read);
        }
        index
    }

    /// Reads on from a token of a module: an item, or a part of one. Returns where the rest begins.
    fn item(
        &mut self,
        index: usize,
        folder: &str,
        tokens: &[TokenTree],
        at: usize,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let after = |at: usize| tokens.get(at).map(ToString::to_string);
        match (&tokens[at], after(at + 1)) {
            // `#[cfg(test)]` and what it stands before.
            (TokenTree::Punct(mark), Some(attribute))
                if mark.as_char() == '#' && is_for_tests(&attribute) =>
            {
                let ends = |token: &TokenTree| match token {
                    TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                    TokenTree::Punct(mark) => mark.as_char() == ';',
                    _ => false,
                };
                let rest = tokens[at + 2..].iter().position(ends);
                rest.map_or(tokens.len(), |rest| at + 2 + rest + 1)
            }
            (TokenTree::Ident(word), Some(name)) if word == "mod" => {
                let (below, child) = (format!("{folder}{name}"), tokens.get(at + 2));
                let file = self.modules[index].file.clone();
                let child = match child {
                    Some(TokenTree::Group(group)) => {
                        let place = (file.as_str(), &*format!("{below}/"));
                        self.module(place, Some(index), group.stream(), read)
                    }
                    _ => {
                        let paths = [format!("{below}.rs"), format!("{below}/mod.rs")];
                        let path = paths.iter().find(|path| read(path).is_some());
                        // One with a path of its own is a file of another crate.
                        let Some(path) = path else { return at + 2 };
                        self.file(path, &format!("{below}/"), Some(index), read)
                    }
                };
                self.modules[index].children.insert(name, child);
                at + 3
            }
            (TokenTree::Ident(word), _) if word == "use" => {
                let ends = |token: &TokenTree| token.to_string() == ";";
                let rest = tokens[at + 1..].iter().position(ends);
                let end = rest.map_or(tokens.len(), |rest| at + 1 + rest);
                self.imports(index, &[], &tokens[at + 1..end]);
                end
            }
            (TokenTree::Ident(word), Some(name))
                if [
                    "fn", "struct", "enum", "trait", "type", "const", "static", "union",
                ]
                .contains(&word.to_string().as_str()) =>
            {
                let name = if name == "mut" {
                    after(at + 2)
                } else {
                    Some(name)
                };
                self.modules[index].defines.extend(name);
                at + 1
            }
            // What a macro is called with may define something.
            (TokenTree::Punct(mark), _) if mark.as_char() == '!' && at > 0 => {
                let words = tokens.get(at + 1..).unwrap_or_default().iter().take(2);
                for word in words {
                    match word {
                        TokenTree::Ident(name) => {
                            self.modules[index].defines.insert(name.to_string());
                        }
                        TokenTree::Group(group) => {
                            let names =
                                group.stream().into_iter().filter_map(|token| match token {
                                    TokenTree::Ident(name) => Some(name.to_string()),
                                    _ => None,
                                });
                            let names: Vec<String> = names.collect();
                            self.modules[index].defines.extend(names);
                        }
                        _ => {}
                    }
                }
                at + 1
            }
            (TokenTree::Group(group), _) => {
                self.body(index, group.stream());
                at + 1
            }
            (TokenTree::Ident(_), _) => self.path(index, tokens, at),
            _ => at + 1,
        }
    }

    /// Reads what stands within braces, brackets or parentheses.
    fn body(&mut self, index: usize, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = match &tokens[at] {
                TokenTree::Group(group) => {
                    self.body(index, group.stream());
                    at + 1
                }
                TokenTree::Ident(word) if word == "use" => {
                    let ends = |token: &TokenTree| token.to_string() == ";";
                    let rest = tokens[at + 1..].iter().position(ends);
                    let end = rest.map_or(tokens.len(), |rest| at + 1 + rest);
                    self.imports(index, &[], &tokens[at + 1..end]);
                    end
                }
                TokenTree::Ident(_) => self.path(index, &tokens, at),
                _ => at + 1,
            };
        }
    }

    /// Reads a path, or a single word. Returns where it ends.
    fn path(&mut self, index: usize, tokens: &[TokenTree], mut at: usize) -> usize {
        let mut path = Vec::new();
        while let Some(TokenTree::Ident(word)) = tokens.get(at) {
            path.push(word.to_string());
            let is_further = |at: usize| tokens.get(at).is_some_and(|t| t.to_string() == ":");
            if !is_further(at + 1) || !is_further(at + 2) {
                at += 1;
                break;
            }
            at += 3;
        }
        match path.as_slice() {
            [word] => self.modules[index].words.insert(word.clone()),
            _ => self.modules[index].paths.insert(path),
        };
        at
    }

    /// Reads the tree of a `use`.
    fn imports(&mut self, index: usize, before: &[String], tokens: &[TokenTree]) {
        let mut path = before.to_vec();
        let mut name = None;
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    name = tokens.get(at + 1).map(ToString::to_string);
                    at += 1;
                }
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Punct(mark) if mark.as_char() == '*' => {
                    self.modules[index].globs.push(path);
                    return;
                }
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    for part in inner.split(|token| token.to_string() == ",") {
                        if !part.is_empty() {
                            self.imports(index, &path, part);
                        }
                    }
                    return;
                }
                _ => {}
            }
            at += 1;
        }
        if let Some(last) = name.or_else(|| path.last().cloned()) {
            self.modules[index].imports.insert(last, path);
        }
    }

    /// What a path in a module leads to; nothing where that is no part of the crate.
    fn follow(&self, from: usize, path: &[String], depth: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut module = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            name => return self.named(from, name, rest, depth),
        };
        while let Some((first, further)) = rest.split_first() {
            rest = match first.as_str() {
                "super" => {
                    module = self.modules[module].parent?;
                    further
                }
                name => return self.named(module, name, further, depth),
            };
        }
        Some(Target::Module(module))
    }

    /// What a name in a module leads to, and a path behind it.
    fn named(&self, module: usize, name: &str, rest: &[String], depth: usize) -> Option<Target> {
        let here = &self.modules[module];
        if depth == 0 {
            return None;
        }
        if let Some(child) = here.children.get(name) {
            return match rest.split_first() {
                Some((name, rest)) => self.named(*child, name, rest, depth),
                None => Some(Target::Module(*child)),
            };
        }
        if let Some(import) = here.imports.get(name) {
            let path: Vec<String> = import.iter().chain(rest).cloned().collect();
            // A name of another crate may be imported under itself.
            let is_outside = import.first().is_some_and(|first| first == name);
            return if is_outside {
                None
            } else {
                self.follow(module, &path, depth - 1)
            };
        }
        if here.defines.contains(name) {
            return Some(Target::Item(module));
        }
        here.globs
            .iter()
            .find_map(|glob| match self.follow(module, glob, depth / 4)? {
                Target::Module(other) if other != module => {
                    self.named(other, name, rest, depth / 4)
                }
                _ => None,
            })
    }

    /// The files that each file needs.
    fn needs(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut needs: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            let here = needs.entry(&module.file).or_default();
            let is_facade = |path: &[String]| self.is_re_export(index, path);
            let imports = module.imports.values().filter(|path| !is_facade(path));
            for path in module.paths.iter().chain(imports) {
                if let Some(Target::Item(target)) = self.follow(index, path, 16) {
                    here.insert(&self.modules[target].file);
                }
            }
            // What a word stands for may have come with all of another module.
            let words = module.words.iter().filter(|_| !module.globs.is_empty());
            for word in words {
                if let Some(Target::Item(target)) = self.named(index, word, &[], 16) {
                    here.insert(&self.modules[target].file);
                }
            }
            here.remove(module.file.as_str());
        }
        needs
    }

    /// Whether a module only hands on what a child of it defines: the name stands in no path and no
    /// other word of it is known, so this is a guess by what it defines itself.
    fn is_re_export(&self, module: usize, path: &[String]) -> bool {
        let module = &self.modules[module];
        let is_of_child = path.iter().find(|word| *word != "self");
        let is_of_child = is_of_child.is_some_and(|first| module.children.contains_key(first));
        is_of_child && module.defines.is_empty()
    }

    /// Groups of files that need each other.
    fn circles(&self) -> Vec<Vec<String>> {
        let needs = self.needs();
        let reached: BTreeMap<&str, BTreeSet<&str>> = needs
            .keys()
            .map(|file| {
                let mut reached = BTreeSet::new();
                let mut left: Vec<&str> = needs[file].iter().copied().collect();
                while let Some(next) = left.pop() {
                    if reached.insert(next) {
                        left.extend(needs.get(next).into_iter().flatten());
                    }
                }
                (*file, reached)
            })
            .collect();
        let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
        for (file, below) in &reached {
            if below.contains(file) {
                let together = below.iter().filter(|other| reached[*other].contains(file));
                circles.insert(together.map(|file| (*file).to_owned()).collect());
            }
        }
        circles.into_iter().collect()
    }
}

/// Whether an attribute leaves something out of everything but tests.
fn is_for_tests(attribute: &str) -> bool {
    let attribute: String = attribute.split_whitespace().collect();
    attribute.starts_with("[cfg(test)") || attribute.starts_with("[cfg(all(test")
}
