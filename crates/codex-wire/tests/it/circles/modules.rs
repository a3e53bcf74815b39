//! Reads the modules of a crate as tokens, and follows the paths that stand in them.
//!
//! A path that begins with `crate`, `self`, `super`, a child module or an imported name is followed to
//! the module that defines what it names; re-exports do not count as definitions. The methods of a type
//! may stand in several modules: a call of one on `self` is followed to the module that has it. Tests
//! are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// The modules of a crate, each known by its number. The root is number 0.
#[derive(Default)]
pub(super) struct Modules {
    modules: Vec<Module>,
}

/// A module, in a file of its own or within one.
#[derive(Default)]
struct Module {
    name: String,
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
    /// The paths that stand in it, except for imports.
    paths: BTreeSet<Vec<String>>,
    /// The words that stand in it without a path.
    words: BTreeSet<String>,
    impls: Vec<Impl>,
}

/// An `impl` block.
struct Impl {
    /// The path of its type.
    of: Vec<String>,
    /// The methods that it adds to the type; none if it implements a trait.
    methods: BTreeSet<String>,
    /// The methods that it calls on `self`.
    calls: BTreeSet<String>,
}

/// A type: the module that defines it, and its name.
type Type = (usize, String);

/// The names that are being followed, each with the module it stands in.
type Seen = BTreeSet<(usize, String)>;

/// What a path leads to.
enum Target {
    Module(usize),
    /// Something that the module defines.
    Item(usize),
}

impl Modules {
    /// Reads the files of a crate from its root.
    pub(super) fn read(root: &Path) -> Self {
        let folder = root.parent().expect("a folder");
        let root = root.file_name().expect("a name").to_string_lossy();
        Self::of(&root, &|path| {
            std::fs::read_to_string(folder.join(path)).ok()
        })
    }

    /// Reads the files of a crate, by their paths from the folder of its root.
    pub(super) fn of(root: &str, read: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut all = Self::default();
        all.read_file("crate", (root, ""), None, read);
        all
    }

    pub(super) fn name(&self, module: usize) -> &str {
        &self.modules[module].name
    }

    /// The file a module stands in.
    pub(super) fn file(&self, module: usize) -> &str {
        &self.modules[module].file
    }

    /// The modules from the root down to one.
    pub(super) fn line_to(&self, module: usize) -> Vec<usize> {
        let parents = std::iter::successors(Some(module), |at| self.modules[*at].parent);
        let mut line: Vec<usize> = parents.collect();
        line.reverse();
        line
    }

    /// What each module uses of others: the module that defines it, and the path that leads there.
    pub(super) fn uses(&self) -> Vec<BTreeMap<usize, String>> {
        let methods = self.methods();
        let mut uses: Vec<BTreeMap<usize, String>> = Vec::new();
        for (index, module) in self.modules.iter().enumerate() {
            let mut here = BTreeMap::new();
            let is_facade = |path: &[String]| self.is_re_export(index, path);
            let imports = module.imports.values().filter(|path| !is_facade(path));
            for path in module.paths.iter().chain(imports) {
                if let Some(Target::Item(target)) = self.follow(index, path, &mut Seen::new()) {
                    here.entry(target).or_insert_with(|| path.join("::"));
                }
            }
            // What a word stands for may have come with all of another module.
            let words = module.words.iter().filter(|_| !module.globs.is_empty());
            for word in words {
                if let Some(Target::Item(target)) = self.named(index, word, &[], &mut Seen::new()) {
                    here.entry(target).or_insert_with(|| word.clone());
                }
            }
            for block in &module.impls {
                let Some(of) = self.type_of(index, block) else {
                    continue;
                };
                for call in &block.calls {
                    if let Some(target) = methods.get(&(of.clone(), call.as_str())) {
                        here.entry(*target)
                            .or_insert_with(|| format!("self.{call}()"));
                    }
                }
            }
            here.remove(&index);
            uses.push(here);
        }
        uses
    }

    /// The module that has each method, by type and name.
    fn methods(&self) -> BTreeMap<(Type, &str), usize> {
        let mut methods = BTreeMap::new();
        for (index, module) in self.modules.iter().enumerate() {
            for block in &module.impls {
                let Some(of) = self.type_of(index, block) else {
                    continue;
                };
                let here = block.methods.iter();
                methods.extend(here.map(|name| ((of.clone(), name.as_str()), index)));
            }
        }
        methods
    }

    /// The type of an `impl` block, if it is one of this crate.
    fn type_of(&self, module: usize, block: &Impl) -> Option<Type> {
        match self.follow(module, &block.of, &mut Seen::new())? {
            Target::Item(definer) => Some((definer, block.of.last()?.clone())),
            Target::Module(_) => None,
        }
    }

    /// Reads a file, whose children stand in a folder.
    fn read_file(
        &mut self,
        name: &str,
        (path, folder): (&str, &str),
        parent: Option<usize>,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let text = read(path).unwrap_or_else(|| panic!("there is no {path}"));
        let tokens: TokenStream = text.parse().unwrap_or_else(|e| panic!("{path}: {e}"));
        self.read_module(name, (path, folder), parent, tokens, read)
    }

    fn read_module(
        &mut self,
        name: &str,
        (file, folder): (&str, &str),
        parent: Option<usize>,
        tokens: TokenStream,
        read: &dyn Fn(&str) -> Option<String>,
    ) -> usize {
        let index = self.modules.len();
        self.modules.push(Module {
            name: name.to_owned(),
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
                        self.read_module(&name, place, Some(index), group.stream(), read)
                    }
                    _ => {
                        let paths = [format!("{below}.rs"), format!("{below}/mod.rs")];
                        let path = paths.iter().find(|path| read(path).is_some());
                        // One with a path of its own is a file of another crate.
                        let Some(path) = path else { return at + 2 };
                        self.read_file(&name, (path, &format!("{below}/")), Some(index), read)
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
            (TokenTree::Ident(word), _) if word == "impl" => {
                self.modules[index]
                    .impls
                    .extend(Impl::read(&tokens[at + 1..]));
                at + 1
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

    /// What a path in a module leads to; nothing where that is not part of the crate.
    fn follow(&self, from: usize, path: &[String], seen: &mut Seen) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut module = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            name => return self.named(from, name, rest, seen),
        };
        while let Some((name, further)) = rest.split_first() {
            if name != "super" {
                return self.member(module, name, further, seen);
            }
            module = self.modules[module].parent?;
            rest = further;
        }
        Some(Target::Module(module))
    }

    /// What a name behind the path of a module leads to, and a path behind it.
    fn member(
        &self,
        module: usize,
        name: &str,
        rest: &[String],
        seen: &mut Seen,
    ) -> Option<Target> {
        let here = &self.modules[module];
        let is_explained = here.children.contains_key(name) || here.imports.contains_key(name);
        let is_new = !seen.contains(&(module, name.to_owned()));
        self.named(module, name, rest, seen).or_else(|| {
            // The module has it all the same: a macro defines it, unless it is of another crate.
            let mut is_known = |glob: &Vec<String>| self.follow(module, glob, seen).is_some();
            let is_defined = is_new && !is_explained && here.globs.iter().all(&mut is_known);
            is_defined.then_some(Target::Item(module))
        })
    }

    /// What a name within a module leads to, and a path behind it.
    fn named(&self, module: usize, name: &str, rest: &[String], seen: &mut Seen) -> Option<Target> {
        let here = &self.modules[module];
        if let Some(child) = here.children.get(name) {
            return match rest.split_first() {
                Some((name, rest)) => self.member(*child, name, rest, seen),
                None => Some(Target::Module(*child)),
            };
        }
        if here.defines.contains(name) {
            return Some(Target::Item(module));
        }
        if !seen.insert((module, name.to_owned())) {
            return None;
        }
        if let Some(import) = here.imports.get(name) {
            let path: Vec<String> = import.iter().chain(rest).cloned().collect();
            return self.follow(module, &path, seen);
        }
        here.globs.iter().find_map(|glob| {
            let found = self.follow(module, glob, seen)?;
            match found {
                Target::Module(other) if other != module => self.named(other, name, rest, seen),
                _ => None,
            }
        })
    }

    /// Whether a module only hands on what a child of it defines: the name stands in no path and no
    /// other word of it is known, so this is a guess by what it defines itself.
    fn is_re_export(&self, module: usize, path: &[String]) -> bool {
        let module = &self.modules[module];
        let is_of_child = path.iter().find(|word| *word != "self");
        let is_of_child = is_of_child.is_some_and(|first| module.children.contains_key(first));
        is_of_child && module.defines.is_empty()
    }
}

impl Impl {
    /// Reads what follows `impl`.
    fn read(tokens: &[TokenTree]) -> Option<Self> {
        let is_body = |token: &TokenTree| match token {
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            _ => false,
        };
        let end = tokens.iter().position(is_body)?;
        let TokenTree::Group(body) = &tokens[end] else {
            return None;
        };
        // What stands in angle brackets is left out, and so is the trait.
        let mut depth = 0;
        let mut of = Vec::new();
        let mut is_of_trait = false;
        for token in &tokens[..end] {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '<' => depth += 1,
                TokenTree::Punct(mark) if mark.as_char() == '>' => depth -= 1,
                TokenTree::Ident(word) if depth == 0 && word == "where" => break,
                TokenTree::Ident(word) if depth == 0 && word == "for" => {
                    is_of_trait = true;
                    of.clear();
                }
                TokenTree::Ident(word) if depth == 0 => of.push(word.to_string()),
                _ => {}
            }
        }
        let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
        let functions = tokens.windows(2).filter(|pair| pair[0].to_string() == "fn");
        let mut methods: BTreeSet<String> = functions.map(|pair| pair[1].to_string()).collect();
        if is_of_trait {
            methods.clear();
        }
        let mut calls = BTreeSet::new();
        calls_on_self(body.stream(), &mut calls);
        Some(Impl { of, methods, calls })
    }
}

/// The methods that are called as `self.method(…)` or `Self::method(…)`.
fn calls_on_self(tokens: TokenStream, calls: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let marks = match token {
            TokenTree::Group(group) => {
                calls_on_self(group.stream(), calls);
                continue;
            }
            TokenTree::Ident(word) if word == "self" => ".",
            TokenTree::Ident(word) if word == "Self" => "::",
            _ => continue,
        };
        let behind: Vec<String> = tokens[at + 1..]
            .iter()
            .take(4)
            .map(ToString::to_string)
            .collect();
        let (found, rest) = behind.split_at(marks.len().min(behind.len()));
        if found.concat() == marks && rest.len() > 1 && (rest[1].starts_with('(') || rest[1] == ":")
        {
            calls.insert(rest[0].clone());
        }
    }
}

/// Whether an attribute leaves something out of everything but tests.
fn is_for_tests(attribute: &str) -> bool {
    let attribute: String = attribute.split_whitespace().collect();
    attribute.starts_with("[cfg(test)") || attribute.starts_with("[cfg(all(test")
}
