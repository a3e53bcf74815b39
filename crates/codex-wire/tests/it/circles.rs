//! Holds that the modules of a crate use each other in one direction only.
//!
//! The parts of a module are its children, each with everything below it, and what it defines itself.
//! No two parts of one module may need each other, at any level. A module that only re-exports its
//! children defines nothing, and is not a part. A type whose methods stand in several modules does not hide
//! that one of these needs another: calls on `self` count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::support::files;

use modules::Modules;

mod modules;

/// Circles that stay.
const STAY: &[Stays] = &[Stays {
    module: "crates/codex-wire/src::app_server::types",
    why: "generated from the protocol, whose types refer to each other in circles, and divided by topic",
}];

/// A circle that stays.
struct Stays {
    /// The path of the module.
    module: &'static str,
    why: &'static str,
}

/// Parts of a module that use each other.
#[derive(Debug)]
struct Circle {
    /// The path of the module.
    module: String,
    /// The names of its children, or `self` for what it defines itself.
    parts: Vec<String>,
    /// Which of these uses which, each with an example.
    #[expect(dead_code, reason = "a failing test shows it")]
    uses: Vec<String>,
}

#[test]
fn no_modules_use_each_other() {
    let mut found: Vec<Circle> = Vec::new();
    for folder in folders() {
        let source = folder.join("src");
        let roots = files::below(&source, "rs").into_iter().filter(|path| {
            let is_program = path.parent().is_some_and(|folder| folder.ends_with("bin"));
            is_program || path.ends_with("src/lib.rs") || path.ends_with("src/main.rs")
        });
        for root in roots {
            found.extend(circles(&Modules::read(&root), &files::short(&source)));
        }
    }
    for stays in STAY {
        let all = found.len();
        found.retain(|circle| circle.module != stays.module);
        let (module, why) = (stays.module, stays.why);
        assert!(
            found.len() < all,
            "{module} has no such circle any more: {why}"
        );
    }
    assert!(found.is_empty(), "modules use each other: {found:#?}");
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

/// The circles of a crate, whose root has this name.
fn circles(modules: &Modules, root: &str) -> Vec<Circle> {
    // By the module whose parts they are: which part uses which, and an example.
    let mut levels: BTreeMap<usize, BTreeMap<(usize, usize), String>> = BTreeMap::new();
    for (user, uses) in modules.uses().into_iter().enumerate() {
        let from = modules.line_to(user);
        for (used, path) in uses {
            let to = modules.line_to(used);
            let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
            let level = from[shared - 1];
            let part = |line: &[usize]| line.get(shared).copied().unwrap_or(level);
            let example = || format!("{}: {path}", modules.file(user));
            let uses = levels.entry(level).or_default();
            uses.entry((part(&from), part(&to))).or_insert_with(example);
        }
    }
    let mut circles = Vec::new();
    for (level, uses) in levels {
        let name = |part: usize| match part == level {
            true => "self",
            false => modules.name(part),
        };
        for group in circular(uses.keys().copied()) {
            let within = |(a, b): &(usize, usize)| group.contains(a) && group.contains(b);
            let names = modules.line_to(level).into_iter().skip(1);
            let module = std::iter::once(root).chain(names.map(|part| modules.name(part)));
            circles.push(Circle {
                module: module.collect::<Vec<_>>().join("::"),
                parts: group.iter().map(|part| name(*part).to_owned()).collect(),
                uses: uses
                    .iter()
                    .filter(|(pair, _)| within(pair))
                    .map(|((a, b), by)| format!("{} uses {} ({by})", name(*a), name(*b)))
                    .collect(),
            });
        }
    }
    circles
}

/// The groups whose members all need each other, of pairs of one that needs another.
fn circular(pairs: impl Iterator<Item = (usize, usize)>) -> BTreeSet<BTreeSet<usize>> {
    let mut needs: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (from, to) in pairs {
        needs.entry(from).or_default().insert(to);
    }
    let reach = |from: usize| {
        let mut reached = BTreeSet::new();
        let mut left = vec![from];
        while let Some(next) = left.pop() {
            let further = needs.get(&next).into_iter().flatten();
            left.extend(further.filter(|part| reached.insert(**part)));
        }
        reached
    };
    let reached: BTreeMap<usize, BTreeSet<usize>> =
        needs.keys().map(|part| (*part, reach(*part))).collect();
    let needs = |from: usize, to: usize| reached.get(&from).is_some_and(|all| all.contains(&to));
    let is_circular = reached.keys().filter(|part| needs(**part, **part));
    is_circular
        .map(|part| {
            let together = reached[part].iter().filter(|other| needs(**other, *part));
            together.copied().collect()
        })
        .collect()
}

#[test]
fn circles_are_found() {
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
        let found = found(&[("lib.rs", root), ("a.rs", &a), ("b.rs", &b), ("c.rs", "")]);
        assert_eq!(found, ["crate: a b"], "{a} {b}");
    }
}

#[test]
fn what_macros_define_is_found() {
    let files = |b: &str| {
        found(&[
            ("lib.rs", "mod a; mod b; pub use b::*;"),
            ("a.rs", "use crate::b::Made; pub struct A(Made);"),
            ("b.rs", b),
        ])
    };
    let made = "make! { Rule => { Made { before: u64 } } }";
    assert_eq!(files(&format!("{made} use crate::a::A;")), ["crate: a b"]);
    assert_eq!(files(made), Vec::<String>::new());
    let re_exported = "pub use other_crate::Made; use crate::a::A;";
    assert_eq!(files(re_exported), Vec::<String>::new());
    let macros = [
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "macro_rules! make { () => { $crate::b::B } } pub(crate) use make;",
        ),
        ("b.rs", "use crate::a::make; pub struct B; make!();"),
    ];
    assert_eq!(found(&macros), ["crate: a b"]);
}

#[test]
fn circles_of_subtrees_are_found() {
    // No file needs another in a circle here, but the modules do.
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a.rs", "mod top; mod bottom;"),
        ("a/top.rs", "use crate::b::B; pub struct Top(B);"),
        ("a/bottom.rs", "pub struct Bottom;"),
        (
            "b.rs",
            "use crate::a::bottom::Bottom; pub struct B(Bottom);",
        ),
        ("c.rs", "use crate::{a::top::Top, b::B}; struct C(Top, B);"),
    ];
    assert_eq!(found(&files), ["crate: a b"]);
    let deeper = [
        ("lib.rs", "mod outer;"),
        ("outer.rs", "mod a; mod b;"),
        ("outer/a.rs", "mod top; mod bottom;"),
        ("outer/a/top.rs", "use crate::outer::b::B; struct Top(B);"),
        ("outer/a/bottom.rs", "pub struct Bottom;"),
        ("outer/b.rs", "pub struct B(super::a::bottom::Bottom);"),
    ];
    assert_eq!(found(&deeper), ["crate::outer: a b"]);
}

#[test]
fn methods_of_a_type_are_followed() {
    let files = |b: &str| {
        found(&[
            ("lib.rs", "mod a; mod b; mod c;"),
            (
                "a.rs",
                "pub struct A<T>(T); impl<T> A<T> { fn a(&self) { self.0.c(); self.b(|| ()) } }",
            ),
            ("b.rs", b),
            ("c.rs", "pub trait C { fn c(&self); }"),
        ])
    };
    let b = "impl<T: Copy> super::a::A<T> where T: Clone { fn b(&self) {} }";
    assert_eq!(files(b), ["crate: a b"]);
    let imported = "use crate::a::A; impl<T> A<T> { fn b(&self) {} }";
    assert_eq!(files(imported), ["crate: a b"]);
    // Of a trait it is not known which type's is meant, and a member is not a method.
    let of_trait = "impl<T> Trait for super::a::A<T> { fn b(&self) {} }";
    assert_eq!(files(of_trait), Vec::<String>::new());
    let other = "use crate::a::A; impl Other { fn b(&self) {} } struct Other(A<u8>);";
    assert_eq!(files(other), Vec::<String>::new());
    let through = [
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "pub struct A; impl A { fn new() { Self::b::<u8>(); } }",
        ),
        ("b.rs", "impl crate::a::A { fn b<T>() {} }"),
    ];
    assert_eq!(found(&through), ["crate: a b"]);
}

#[test]
fn a_parent_takes_part_with_what_it_defines() {
    // One that re-exports is not a part, and tests may use what they like.
    let none = [
        ("lib.rs", "mod a; pub use a::C;"),
        ("a.rs", "mod c; pub use c::C; pub struct P;"),
        (
            "a/c.rs",
            "pub struct C;\n#[cfg(test)] mod tests { use super::super::P; }",
        ),
    ];
    assert_eq!(found(&none), Vec::<String>::new());
    let used = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod c; pub struct P(c::C);"),
        ("a/c.rs", "use super::P; pub struct C;"),
    ];
    assert_eq!(found(&used), ["crate::a: self c"]);
    let of_the_root = [
        (
            "lib.rs",
            "mod a; pub struct Root(a::c::C); pub struct Other;",
        ),
        ("a.rs", "pub mod c;"),
        ("a/c.rs", "pub struct C(crate::Other);"),
    ];
    assert_eq!(found(&of_the_root), ["crate: self a"]);
    // Names that a parent only hands on are followed to their modules.
    let siblings = |c: &str| {
        let c = format!("use super::*; pub struct C{c};");
        found(&[
            ("lib.rs", "mod a;"),
            ("a.rs", "mod b; mod c; pub use b::*; pub use c::*;"),
            ("a/b.rs", "use super::*; pub struct B(C);"),
            ("a/c.rs", &c),
        ])
    };
    assert_eq!(siblings("(B)"), ["crate::a: b c"]);
    assert_eq!(siblings(""), Vec::<String>::new());
}

/// The circles of a crate with these files: the module, and its parts that use each other.
fn found(files: &[(&str, &str)]) -> Vec<String> {
    let read = |path: &str| {
        let found = files.iter().find(|(name, _)| *name == path);
        found.map(|(_, text)| (*text).to_owned())
    };
    let found = circles(&Modules::of("lib.rs", &read), "crate");
    let found = found.into_iter();
    found
        .map(|circle| format!("{}: {}", circle.module, circle.parts.join(" ")))
        .collect()
}
