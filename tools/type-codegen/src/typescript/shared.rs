//! Shares declarations between the releases of a protocol.
//!
//! Most of what a release declares is what the one before declares: a declaration that neighbours have, with all that
//! it refers to, stands in one file for them. A file is named after the releases that have all that is in it. What is
//! small stands in a file with what else begins in that release, of which later releases take what they have.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire_base::ReleaseRange;

use super::declarations::Declaration;

/// What a release has.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) range: ReleaseRange,
    pub(super) declarations: Vec<Declaration>,
}

/// Consecutive modules: the first and the last of them.
type Run = (usize, usize);

/// Declarations that the same modules have.
#[derive(Debug)]
pub(super) struct Part {
    run: Run,
    pub(super) declarations: Vec<Declaration>,
    /// The names that they use, by the run of those that declare them.
    uses: BTreeMap<Run, BTreeSet<String>>,
}

impl Part {
    /// Whether a module has what is in it.
    pub(super) fn is_of(&self, module: usize) -> bool {
        (self.run.0..=self.run.1).contains(&module)
    }

    fn size(&self) -> usize {
        let texts = self.declarations.iter();
        texts.map(|declaration| declaration.text.len()).sum()
    }
}

/// What stands in one file.
#[derive(Debug)]
pub(super) struct File {
    /// Its name in the folder of the protocol, without an extension.
    pub(super) name: String,
    /// The releases that have something of it.
    pub(super) range: ReleaseRange,
    pub(super) parts: Vec<Part>,
    /// Whether it is of one module alone.
    pub(super) is_own: bool,
}

impl File {
    /// What its declarations use of others, by run.
    fn uses(&self) -> BTreeMap<Run, BTreeSet<&str>> {
        let mut out: BTreeMap<Run, BTreeSet<&str>> = BTreeMap::new();
        for (run, names) in self.parts.iter().flat_map(|part| &part.uses) {
            let known = out.entry(*run).or_default();
            known.extend(names.iter().map(String::as_str));
        }
        out
    }
}

/// The files of modules.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) files: Vec<File>,
    /// The file of each part.
    places: BTreeMap<Run, usize>,
}

/// A part that is smaller stands in one file with others that begin in the same release.
const LEAST: usize = 5_000;

impl Shared {
    /// The files of modules, which are given oldest first.
    pub(super) fn of(modules: &[Module]) -> Self {
        let mut out = Shared {
            files: Vec::new(),
            places: BTreeMap::new(),
        };
        for (run, part) in parts(modules) {
            let (first, last) = (modules[run.0].range, modules[run.1].range);
            let range = ReleaseRange {
                since: first.since,
                until: last.until,
            };
            let is_own = run.0 == run.1;
            let name = match (is_own, part.size() < LEAST) {
                (true, _) => first.since.to_string(),
                (false, true) => format!("from-{}", first.since),
                (false, false) => format!("{}-{}", first.since, last.until),
            };
            let known = out.files.iter().position(|file| file.name == name);
            let place = known.unwrap_or(out.files.len());
            match out.files.get_mut(place) {
                Some(file) => {
                    file.range.until = file.range.until.max(range.until);
                    file.parts.push(part);
                }
                None => out.files.push(File {
                    name,
                    range,
                    parts: vec![part],
                    is_own,
                }),
            }
            out.places.insert(run, place);
        }
        out
    }

    /// The other files that a file uses, with the names.
    pub(super) fn used<'f>(&'f self, file: &'f File) -> BTreeMap<&'f str, BTreeSet<&'f str>> {
        let mut out: BTreeMap<&'f str, BTreeSet<&'f str>> = BTreeMap::new();
        for (run, names) in file.uses() {
            let place = self.places.get(&run).copied();
            let other = place.and_then(|place| self.files.get(place));
            if let Some(other) = other.filter(|other| other.name != file.name) {
                out.entry(&other.name).or_default().extend(names);
            }
        }
        out
    }
}

/// What runs of modules declare.
fn parts(modules: &[Module]) -> BTreeMap<Run, Part> {
    let runs = runs(modules);
    let mut parts: BTreeMap<Run, Part> = BTreeMap::new();
    for (index, module) in modules.iter().enumerate() {
        for (declaration, run) in module.declarations.iter().zip(&runs[index].in_order) {
            // It is taken from the oldest module that has it.
            if run.0 != index {
                continue;
            }
            let part = parts.entry(*run).or_insert_with(|| Part {
                run: *run,
                declarations: Vec::new(),
                uses: BTreeMap::new(),
            });
            for name in declaration.uses() {
                if let Some(other) = runs[index].by_name.get(name) {
                    part.uses.entry(*other).or_default().insert(name.to_owned());
                }
            }
            part.declarations.push(declaration.clone());
        }
    }
    parts
}

/// The run of each declaration of a module.
#[derive(Debug, Default)]
struct Runs<'m> {
    in_order: Vec<Run>,
    by_name: BTreeMap<&'m str, Run>,
}

fn runs(modules: &[Module]) -> Vec<Runs<'_>> {
    let classes = classes(modules);
    let mut out: Vec<Runs<'_>> = modules.iter().map(|_| Runs::default()).collect();
    let has = |module: usize, name: &str, class: usize| classes[module].get(name) == Some(&class);
    for (index, module) in modules.iter().enumerate() {
        for declaration in &module.declarations {
            let name = &*declaration.name;
            let class = classes[index][name];
            // The run is that of the module before, if that has the declaration too.
            let known = index
                .checked_sub(1)
                .filter(|before| has(*before, name, class))
                .map(|before| out[before].by_name[name]);
            let run = known.unwrap_or_else(|| {
                let after = index + 1..modules.len();
                let same = after.take_while(|module| has(*module, name, class));
                (index, index + same.count())
            });
            out[index].in_order.push(run);
            out[index].by_name.insert(name, run);
        }
    }
    out
}

/// A number for each declaration, by its name: two have the same if they, and all that they refer to, are the same.
///
/// At first those with the same text are one class. Those of a class that refer to different classes are divided,
/// until none is.
fn classes(modules: &[Module]) -> Vec<BTreeMap<&str, usize>> {
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut classes: Vec<BTreeMap<&str, usize>> = Vec::new();
    for module in modules {
        let declarations = module.declarations.iter();
        let numbered = declarations.map(|declaration| {
            let next = texts.len();
            let class = *texts.entry(&declaration.text).or_insert(next);
            (&*declaration.name, class)
        });
        classes.push(numbered.collect());
    }
    let mut count = texts.len();
    loop {
        let mut divided: BTreeMap<(usize, Vec<Option<usize>>), usize> = BTreeMap::new();
        let mut next_classes = Vec::with_capacity(classes.len());
        for (module, known) in modules.iter().zip(&classes) {
            let declarations = module.declarations.iter();
            let numbered = declarations.map(|declaration| {
                let uses = declaration.uses.iter();
                let uses = uses.map(|name| known.get(&**name).copied()).collect();
                let next = divided.len();
                let key = (known[&*declaration.name], uses);
                (&*declaration.name, *divided.entry(key).or_insert(next))
            });
            next_classes.push(numbered.collect());
        }
        classes = next_classes;
        if divided.len() == count {
            return classes;
        }
        count = divided.len();
    }
}
