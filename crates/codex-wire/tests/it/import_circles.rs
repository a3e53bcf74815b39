//! The files of a crate import each other in one direction only: no file imports another that
//! imports it again, directly or through others. Who reads a file then has to know only the files
//! below it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::support::files;

/// Crates whose files still import each other in circles.
const EXCEPTED: &[&str] = &[
    "codex-wire",
    "codex-wire-base",
    "codex-wire-check",
    "codex-wire-derive",
    "codex-wire-diff",
    "codex-wire-model",
    "codex-wire-program",
    "codex-wire-schema",
];

#[test]
fn files_do_not_import_in_circles() {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(files::root().join("crates"))
        .expect("the folder of crates")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    folders.push(files::root().join("xtask"));
    let mut circles = Vec::new();
    for folder in folders {
        let name = folder.file_name().and_then(|name| name.to_str());
        let excepted = name.is_some_and(|name| EXCEPTED.contains(&name));
        let sources = Sources::read(&folder.join("src"));
        let found = sources.circles();
        assert!(
            !excepted || !found.is_empty(),
            "{name:?} has no circles any longer: take it out of EXCEPTED"
        );
        if !excepted {
            let show = |circle: &Vec<PathBuf>| {
                let files: Vec<String> = circle.iter().map(|file| files::short(file)).collect();
                files.join("\n    imports ")
            };
            circles.extend(found.iter().map(show));
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}

/// The sample has each kind of import once; without any of them, its circle is not found.
#[test]
fn every_kind_of_import_is_seen() {
    let file = |text: &str| text.parse::<TokenStream>().expect("tokens");
    let sources = |texts: &[(&str, &str)]| Sources {
        files: texts
            .iter()
            .map(|(path, text)| (module_path(Path::new(path)), (path.into(), file(text))))
            .collect(),
    };
    for (a, b) in [
        ("use crate::b::B;", "use super::a::A;"),
        ("use crate::{b, c::{self, C}};", "fn f() { crate::a::f() }"),
        ("m!(crate::b::B);", "mod inner { use super::super::a::A; }"),
        ("use crate::b::B;", "use crate::Renamed;"),
        ("use crate::b::B;", "use crate::Listed;"),
    ] {
        let root = "mod a; mod b; pub use a::A as Renamed; pub use a::{A, Listed};";
        let with =
            |a, b| sources(&[("lib.rs", root), ("a.rs", a), ("b.rs", b), ("c.rs", "")]).circles();
        assert_eq!(with(a, b).len(), 1, "{a}\n{b}");
        assert!(with(a, "").is_empty(), "{a}");
        assert!(with("", b).is_empty(), "{b}");
    }
    let parent = "mod child; pub use child::C;";
    let with = |child| sources(&[("lib.rs", ""), ("p/mod.rs", parent), ("p/child.rs", child)]);
    assert_eq!(with("use super::P;").circles().len(), 1);
    for none in [
        "pub(in crate::p) struct C;",
        "#[cfg(test)] mod tests { use super::super::P; }",
        "use super::C;",
    ] {
        assert!(with(none).circles().is_empty(), "{none}");
    }
}

type Module = Vec<String>;

/// The files of a crate by the path of their module.
struct Sources {
    files: BTreeMap<Module, (PathBuf, TokenStream)>,
}

/// A path as it is written, in the module where it stands.
struct Mention {
    module: Module,
    path: Vec<String>,
    /// The name under which it is exported again, for `pub use`.
    exported: Option<String>,
}

impl Sources {
    fn read(folder: &Path) -> Self {
        let read = |path: PathBuf| {
            let tokens = files::read(&path).parse().expect("a file of Rust");
            let module = module_path(path.strip_prefix(folder).expect("a file below"));
            (module, (path, tokens))
        };
        let mut paths = files::below(folder, "rs");
        // A program beside a library is a crate of its own, which only imports.
        if folder.join("lib.rs").exists() {
            paths.retain(|path| *path != folder.join("main.rs"));
        }
        let files = paths.into_iter().map(read).collect();
        Sources { files }
    }

    /// A circle for each file that is in one, without those that were found before.
    fn circles(&self) -> Vec<Vec<PathBuf>> {
        let imports = self.imports();
        let mut found: BTreeSet<&Module> = BTreeSet::new();
        let mut circles = Vec::new();
        for start in imports.keys() {
            if found.contains(start) {
                continue;
            }
            // The shortest way back to the file.
            let mut before: BTreeMap<&Module, &Module> = BTreeMap::new();
            let mut queue = VecDeque::from([start]);
            while let Some(file) = queue.pop_front() {
                for next in &imports[file] {
                    if !before.contains_key(next) {
                        before.insert(next, file);
                        queue.push_back(next);
                    }
                }
            }
            if !before.contains_key(start) {
                continue;
            }
            let mut circle = vec![start];
            let mut file = before[start];
            while file != start {
                circle.push(file);
                file = before[file];
            }
            circle.push(start);
            circle.reverse();
            found.extend(circle.iter().copied());
            let path = |module: &&Module| self.files[*module].0.clone();
            circles.push(circle.iter().map(path).collect());
        }
        circles
    }

    /// The files that each file imports from.
    fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let mut mentions: BTreeMap<&Module, Vec<Mention>> = BTreeMap::new();
        for (module, (_, tokens)) in &self.files {
            let list = mentions.entry(module).or_default();
            collect(tokens.clone(), module, list);
        }
        let mut exports: BTreeMap<(Module, String), Vec<String>> = BTreeMap::new();
        for mention in mentions.values().flatten() {
            if let (Some(name), Some(path)) = (&mention.exported, self.absolute(mention)) {
                exports.insert((mention.module.clone(), name.clone()), path);
            }
        }
        let imports = |(module, mentions): (&Module, Vec<Mention>)| {
            let paths = mentions.iter().filter_map(|mention| self.absolute(mention));
            let files = paths.map(|path| self.file_of(path, &exports));
            let others = files.filter(|file| file != module).collect();
            (module.clone(), others)
        };
        mentions.into_iter().map(imports).collect()
    }

    /// The path from the root of the crate, if it leads into the crate.
    fn absolute(&self, mention: &Mention) -> Option<Vec<String>> {
        let Mention { module, path, .. } = mention;
        let mut from = module.clone();
        let mut rest = path.as_slice();
        match rest.first()?.as_str() {
            "crate" => from.clear(),
            "self" | "super" => {}
            child => {
                let known = |module: &Module| module.starts_with(from.as_slice());
                let is_child =
                    |m: &Module| known(m) && m.get(from.len()).is_some_and(|n| n == child);
                return self.files.keys().any(is_child).then(|| {
                    from.extend(path.iter().cloned());
                    from
                });
            }
        }
        while let [first, others @ ..] = rest {
            match first.as_str() {
                "super" => drop(from.pop()?),
                "crate" | "self" => {}
                _ => break,
            }
            rest = others;
        }
        from.extend(rest.iter().cloned());
        Some(from)
    }

    /// The file that has what an absolute path names. What is exported again is where it comes from.
    fn file_of(
        &self,
        path: Vec<String>,
        exports: &BTreeMap<(Module, String), Vec<String>>,
    ) -> Module {
        for length in (0..=path.len()).rev() {
            let module = path[..length].to_vec();
            if !self.files.contains_key(&module) {
                continue;
            }
            let source = path.get(length);
            let source = source.and_then(|name| exports.get(&(module.clone(), name.clone())));
            return match source {
                Some(source) if *source != path => self.file_of(source.clone(), exports),
                _ => module,
            };
        }
        Module::new()
    }
}

/// The path of the module in a file.
fn module_path(file: &Path) -> Module {
    let names = file.with_extension("");
    let mut names: Module = names
        .iter()
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    if names
        .last()
        .is_some_and(|name| ["mod", "lib", "main"].contains(&name.as_str()))
    {
        names.pop();
    }
    names
}

/// Collects the paths in a module, except in its tests.
fn collect(tokens: TokenStream, module: &Module, out: &mut Vec<Mention>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    let mut public = false;
    while at < tokens.len() {
        let rest = &tokens[at..];
        at += match rest {
            [first, TokenTree::Group(test), ..]
                if is(first, "#") && test.to_string().replace(' ', "") == "[cfg(test)]" =>
            {
                // An item ends with its first block or semicolon.
                let ends = |token: &TokenTree| is(token, ";") || block(token).is_some();
                let end = rest.iter().skip(2).position(ends);
                end.map_or(rest.len(), |end| end + 3)
            }
            [first, second, ..] if is(first, "pub") => {
                public = true;
                let scope = matches!(second, TokenTree::Group(_));
                1 + usize::from(scope)
            }
            [first, name, third, ..] if is(first, "mod") && block(third).is_some() => {
                let mut inner = module.clone();
                inner.push(name.to_string());
                collect(block(third).unwrap_or_default(), &inner, out);
                3
            }
            [first, ..] if is(first, "use") => {
                let end = rest.iter().position(|token| is(token, ";"));
                let end = end.unwrap_or(rest.len());
                import(&rest[1..end], &[], public, module, out);
                end
            }
            [TokenTree::Ident(_), ..] => {
                let mut path = Vec::new();
                let length = names(rest, &mut path);
                if path.len() > 1 {
                    out.push(Mention {
                        module: module.clone(),
                        path,
                        exported: None,
                    });
                }
                public = false;
                length
            }
            [TokenTree::Group(group), ..] => {
                collect(group.stream(), module, out);
                1
            }
            _ => 1,
        };
    }
}

/// Collects the paths of a `use`.
fn import(
    tokens: &[TokenTree],
    before: &[String],
    public: bool,
    module: &Module,
    out: &mut Vec<Mention>,
) {
    let mut path = before.to_vec();
    let length = names(tokens, &mut path);
    if path.last().is_some_and(|name| name == "self") && path.len() > 1 {
        path.pop();
    }
    match &tokens[length..] {
        [.., TokenTree::Group(group)] if group.delimiter() == Delimiter::Brace => {
            let list: Vec<TokenTree> = group.stream().into_iter().collect();
            for item in list.split(|token| is(token, ",")) {
                if !item.is_empty() {
                    import(item, &path, public, module, out);
                }
            }
        }
        rest => {
            let name = match rest {
                [first, name, ..] if is(first, "as") => Some(name.to_string()),
                _ => path.last().cloned(),
            };
            out.push(Mention {
                module: module.clone(),
                path,
                exported: name.filter(|_| public),
            });
        }
    }
}

/// Adds the names of a path, and returns the number of tokens.
fn names(tokens: &[TokenTree], path: &mut Vec<String>) -> usize {
    let mut at = 0;
    while let Some(TokenTree::Ident(name)) = tokens.get(at) {
        path.push(name.to_string());
        at += 1;
        match &tokens[at..] {
            [first, second, TokenTree::Ident(_), ..] if is(first, ":") && is(second, ":") => {
                at += 2;
            }
            _ => break,
        }
    }
    at
}

fn is(token: &TokenTree, text: &str) -> bool {
    matches!(token, TokenTree::Ident(_) | TokenTree::Punct(_)) && token.to_string() == text
}

fn block(token: &TokenTree) -> Option<TokenStream> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    }
}
