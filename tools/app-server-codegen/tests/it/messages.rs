//! Messages = corrected model: what the schema of a single message says is what the corrected
//! model says of that message, except for corrections that stand on other evidence.
//!
//! A bundle has one definition for each name, where the files of single messages have two. So the
//! names of both sides do not count. A file is followed from its root, and each definition that it
//! refers to is compared with the one that the model refers to at the same place.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::LazyLock;

use app_server_codegen::archive::{MessageFile, Messages, Official};
use app_server_codegen::official::{name_of, read_knowing};
use app_server_codegen::overlay::{Correction, Overlay};
use app_server_codegen::snapshot::{Body, Kind, Members};
use app_server_codegen::types::{Signature, Type};
use app_server_codegen::{Model, Snapshot};
use codex_wire::Release;
use libtest_mimic::{Failed, Trial};
use serde_json::{Map, Value, json};

use crate::support::{CORRECTED, MODEL, OFFICIALS, TABLES, trial};

pub(crate) fn trials() -> Vec<Trial> {
    // A wide run compares all.
    let tried = sampling::spread(&*OFFICIALS, 8);
    let releases = tried.into_iter().map(|official| {
        let name = format!("messages::{}", official.release);
        trial(&name, move || equal(official))
    });
    let mut trials: Vec<Trial> = releases.collect();
    trials.push(trial("messages::a-difference-is-noticed", noticed));
    trials
}

/// The corrections that stand on other evidence.
static CORRECTIONS: LazyLock<Vec<Correction>> = LazyLock::new(|| {
    let all = TABLES.overlay.corrections(&MODEL, &CORRECTED).unwrap();
    all.into_iter().filter(|one| !one.messages).collect()
});

fn equal(official: &Official) -> Result<(), Failed> {
    let found = unlike(official, &CORRECTED)?;
    let lines = found.into_iter().map(|(line, files)| {
        let some: Vec<String> = files.iter().take(3).cloned().collect();
        format!("{line} ({} files: {})", files.len(), some.join(", "))
    });
    crate::support::none(&lines.collect::<Vec<_>>())
}

/// Where a model says something else than the files of a release, and which files say it.
fn unlike(
    official: &Official,
    model: &Model,
) -> Result<BTreeMap<String, BTreeSet<String>>, Failed> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (stable, experimental) = official.messages.read()?;
    // Where there are files of one kind they speak for both kinds of clients.
    let of_stable: &[bool] = match experimental {
        None => &[false, true],
        Some(_) => &[false],
    };
    let mut sides: Vec<(&Messages, bool)> = Vec::new();
    sides.extend(
        of_stable
            .iter()
            .map(|is_experimental| (&stable, *is_experimental)),
    );
    sides.extend(experimental.iter().map(|messages| (messages, true)));
    for (messages, is_experimental) in sides {
        let mut comparison = Comparison {
            release: official.release,
            is_experimental,
            model: model.at(official.release, is_experimental),
            files: Files::read(official.release, messages)?,
            same: BTreeSet::new(),
        };
        for (path, file) in &messages.files {
            for line in comparison.file(path, file) {
                found.entry(line).or_default().insert(path.clone());
            }
        }
    }
    Ok(found)
}

/// The files of a release, read.
struct Files {
    /// The definitions that most files have.
    shared: BTreeMap<String, Body>,
    /// By path: the root, and the definitions that the file has in another form.
    own: BTreeMap<String, Snapshot>,
}

impl Files {
    fn read(release: Release, messages: &Messages) -> Result<Self, Failed> {
        let all: BTreeSet<&String> = messages
            .files
            .values()
            .flat_map(|file| file.own.keys())
            .chain(messages.definitions.keys())
            .collect();
        let read = |definitions: Map<String, Value>| {
            let mut document = json!({ "definitions": definitions });
            renumber(&mut document, &all);
            read_knowing(release, &document, &BTreeSet::new())
        };
        let shared = messages.definitions.clone().into_iter().collect();
        let mut own = BTreeMap::new();
        for (path, file) in &messages.files {
            let mut definitions: Map<String, Value> = file.own.clone().into_iter().collect();
            definitions.insert(root(path).to_owned(), file.schema.clone());
            own.insert(path.clone(), read(definitions)?);
        }
        Ok(Files {
            shared: read(shared)?.definitions,
            own,
        })
    }
}

/// The name of what a file is about.
fn root(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Where a file has two definitions of one name, the second has a number: `TextElement2`. Objects
/// without a name are called after it, and the table of names knows none with numbers.
fn renumber(document: &mut Value, all: &BTreeSet<&String>) {
    let named = |name: &str| {
        let plain = name.strip_suffix('2')?;
        all.contains(&plain.to_owned())
            .then(|| format!("Core{plain}"))
    };
    match document {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/definitions/").and_then(named)
            {
                *reference = format!("#/definitions/{name}");
            }
            let renamed: Vec<(String, String)> = fields
                .keys()
                .filter_map(|name| Some((name.clone(), named(name)?)))
                .collect();
            for (name, new) in renamed {
                if let Some(value) = fields.remove(&name) {
                    fields.insert(new, value);
                }
            }
            fields.values_mut().for_each(|value| renumber(value, all));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| renumber(item, all)),
        _ => {}
    }
}

/// The files of a release beside the model of it.
struct Comparison {
    release: Release,
    is_experimental: bool,
    model: Snapshot,
    files: Files,
    /// Shared definitions that are what the definition of the model is, in files that have no
    /// definition in another form.
    same: BTreeSet<Pair>,
}

/// The name of a definition in a file, and in the model.
type Pair = (String, String);

impl Comparison {
    /// What a file says and the model does not.
    fn file(&mut self, path: &str, file: &MessageFile) -> Vec<String> {
        let own = &self.files.own[path];
        let mut walk = Walk {
            of: self,
            own,
            is_corrected: false,
            waiting: VecDeque::new(),
            found: Vec::new(),
        };
        if own.methods.is_empty() {
            walk.root(root(path), path.starts_with("v2/"));
        } else {
            walk.methods();
        }
        let mut seen: BTreeSet<Pair> = BTreeSet::new();
        while let Some(pair) = walk.waiting.pop_front() {
            let is_known = file.own.is_empty() && self.same.contains(&pair);
            if !is_known && seen.insert(pair.clone()) {
                walk.definition(&pair.0, &pair.1);
            }
        }
        let found = walk.found;
        if file.own.is_empty() && found.is_empty() {
            seen.retain(|(name, _)| self.files.shared.contains_key(name));
            self.same.extend(seen);
        }
        found
    }
}

/// A file as it is followed.
struct Walk<'a> {
    of: &'a Comparison,
    own: &'a Snapshot,
    /// Whether a correction is about where the walk is.
    is_corrected: bool,
    waiting: VecDeque<Pair>,
    found: Vec<String>,
}

impl Walk<'_> {
    fn root(&mut self, name: &str, is_newer: bool) {
        // A few files at the root are about what the bundle has among the newer definitions.
        let known = [name_of(name, is_newer), name_of(name, true)];
        let known = known
            .into_iter()
            .find(|name| self.of.model.definitions.contains_key(name));
        match known {
            // What requests without params have for them, in a file of its own.
            None if name == "Option<()>" => {}
            Some(known) => self.waiting.push_back((name_of(name, true), known)),
            None => self.found.push(format!("{name}: the model says nothing")),
        }
    }

    /// All messages of a kind.
    fn methods(&mut self) {
        let (own, model) = (self.own, &self.of.model);
        for ((kind, method), params) in &own.methods {
            let known = model.methods.get(&(*kind, method.clone()));
            let is_same = match (params, known) {
                (Some(params), Some(Some(known))) => self.signatures(params, known),
                (None, Some(None)) => true,
                _ => false,
            };
            if !is_same {
                self.method(*kind, method);
            }
        }
        let kinds: BTreeSet<Kind> = own.methods.keys().map(|(kind, _)| *kind).collect();
        for (kind, method) in model.methods.keys() {
            if kinds.contains(kind) && !own.methods.contains_key(&(*kind, method.clone())) {
                self.method(*kind, method);
            }
        }
        for (place, signature) in &own.beside {
            let known = model.beside.get(place);
            if !known.is_some_and(|known| self.signatures(signature, known)) {
                self.found
                    .push(format!("every {}: `{}`", place.0.words(), place.1));
            }
        }
    }

    fn method(&mut self, kind: Kind, method: &str) {
        let line = format!("{} {method}", kind.words());
        self.differ(kind.union(), &json!({ "method": method }), line);
    }

    /// Says a difference that no correction makes.
    fn differ(&mut self, name: &str, value: &Value, line: String) {
        if !self.is_corrected(name, value) {
            self.found.push(line);
        }
    }

    /// Whether a correction is about a definition, or the variant of it that `value` is.
    fn is_corrected(&self, name: &str, value: &Value) -> bool {
        let Comparison {
            release,
            is_experimental,
            ..
        } = *self.of;
        let is_about = |one: &Correction| one.is_about(release, is_experimental, name, value);
        CORRECTIONS.iter().any(is_about)
    }

    fn definition(&mut self, name: &str, known: &str) {
        let theirs = self.own.definitions.get(name);
        let theirs = theirs.or_else(|| self.of.files.shared.get(name));
        let ours = self.of.model.definitions.get(known);
        let (theirs, ours) = match (theirs, ours) {
            (Some(theirs), Some(ours)) => (theirs, ours),
            (None, _) => return self.found.push(format!("the file has no {name}")),
            (_, None) => return self.found.push(format!("the model has no {known}")),
        };
        match (theirs, ours) {
            (Body::Object(theirs), Body::Object(ours)) => {
                self.object((known, None), theirs, ours);
            }
            (
                Body::Tagged {
                    tag,
                    base,
                    branches,
                },
                Body::Tagged {
                    tag: our_tag,
                    base: our_base,
                    branches: our_branches,
                },
            ) if tag == our_tag => {
                let whole = |members: &BTreeMap<String, Signature>| Members {
                    members: members.clone(),
                    ..Members::default()
                };
                self.object((known, None), &whole(base), &whole(our_base));
                for variant in names(branches, our_branches) {
                    let at = (known, Some((tag.as_str(), variant.as_str())));
                    match (branches.get(variant), our_branches.get(variant)) {
                        (Some(theirs), Some(ours)) => self.object(at, theirs, ours),
                        _ => self.at(at, ""),
                    }
                }
            }
            (
                Body::ExternallyTagged { branches, open },
                Body::ExternallyTagged {
                    branches: our_branches,
                    open: our_open,
                },
            ) => {
                if open != our_open {
                    self.at((known, None), "...");
                }
                for kind in names(branches, our_branches) {
                    let [theirs, ours] = [branches, our_branches].map(|all| {
                        let contents = all.get(kind).into_iter().flatten();
                        let none = contents.clone().any(Option::is_none);
                        (none, contents.flatten().collect::<Vec<_>>())
                    });
                    if theirs.0 != ours.0 || !self.alternatives(&theirs.1, &ours.1) {
                        self.at((known, None), kind);
                    }
                }
            }
            (Body::AnyOf(theirs), Body::AnyOf(ours)) => {
                let [theirs, ours] = [theirs, ours].map(|all| all.iter().collect::<Vec<_>>());
                if !self.alternatives(&theirs, &ours) {
                    self.at((known, None), "");
                }
            }
            _ => self.at((known, None), ""),
        }
    }

    fn object(&mut self, at: Spot<'_>, theirs: &Members, ours: &Members) {
        let rest = |members: &Members| (members.closed, members.others, members.choice.clone());
        if rest(theirs) != rest(ours) {
            self.at(at, "");
        }
        self.is_corrected = self.is_corrected(at.0, &value(at.1));
        for name in names(&theirs.members, &ours.members) {
            let is_same = match (theirs.members.get(name), ours.members.get(name)) {
                (Some(theirs), Some(ours)) => self.signatures(theirs, ours),
                _ => false,
            };
            if !is_same {
                self.at(at, name);
            }
        }
        self.is_corrected = false;
    }

    /// Says a difference in a part of a definition.
    fn at(&mut self, (known, variant): Spot<'_>, part: &str) {
        let mut line = match variant {
            Some((_, variant)) => format!("{known}<{variant}>"),
            None => known.to_owned(),
        };
        if !part.is_empty() {
            line = format!("{line}.{part}");
        }
        self.differ(known, &value(variant), line);
    }

    fn signatures(&mut self, theirs: &Signature, ours: &Signature) -> bool {
        let rest = |signature: &Signature| (signature.optional, signature.nullable);
        rest(theirs) == rest(ours) && self.types(&theirs.value, &ours.value)
    }

    /// Whether two types are the same, except for definitions they refer to; those wait.
    fn types(&mut self, theirs: &Type, ours: &Type) -> bool {
        match (theirs, ours) {
            (Type::Reference(name), Type::Reference(known)) => {
                // A correction may put another definition here, which is not compared with this one.
                if !self.is_corrected || name == known {
                    self.waiting.push_back((name.clone(), known.clone()));
                }
                true
            }
            (Type::Array(theirs), Type::Array(ours)) | (Type::Map(theirs), Type::Map(ours)) => {
                self.types(theirs, ours)
            }
            (Type::Union(theirs), Type::Union(ours)) => {
                let [theirs, ours] = [theirs, ours].map(|all| all.iter().collect::<Vec<_>>());
                self.alternatives(&theirs, &ours)
            }
            _ => theirs == ours,
        }
    }

    /// Of several definitions, those of the same name belong together, and the others as they come.
    fn alternatives(&mut self, theirs: &[&Type], ours: &[&Type]) -> bool {
        let (same, theirs): (Vec<&Type>, Vec<&Type>) =
            theirs.iter().partition(|one| ours.contains(one));
        let ours: Vec<&Type> = ours
            .iter()
            .copied()
            .filter(|one| !same.contains(one))
            .collect();
        theirs.len() == ours.len()
            && same.iter().all(|one| self.types(one, one))
            && theirs
                .iter()
                .zip(ours)
                .all(|(one, other)| self.types(one, other))
    }
}

/// A part of a definition: all of it, or the variant with this value of the tag.
type Spot<'a> = (&'a str, Option<(&'a str, &'a str)>);

/// What has a variant's tag.
fn value(variant: Option<(&str, &str)>) -> Value {
    variant.map_or(Value::Null, |(tag, variant)| json!({ tag: variant }))
}

fn names<'a, T>(
    first: &'a BTreeMap<String, T>,
    second: &'a BTreeMap<String, T>,
) -> BTreeSet<&'a String> {
    first.keys().chain(second.keys()).collect()
}

/// Where the model has the bundle's definition instead of the file's, it is said.
fn noticed() -> Result<(), Failed> {
    let text = "[[entry]]\nreason = \"r\"\nevidence = \"e\"\n\
        remove = \"\"\"\ntagged TurnItem by type @ 0.59.0..0.114.0\n  UserMessage\n    content: [CoreUserInput] @ 0.110.0..0.114.0\n\"\"\"\n\
        add = \"\"\"\ntagged TurnItem by type @ 0.59.0..0.114.0\n  UserMessage\n    content: [UserInput] @ 0.110.0..0.114.0\n\"\"\"\n";
    let altered = Overlay::parse(text)?.apply(&CORRECTED)?;
    let wanted = Release::new(0, 111, 0);
    let official = OFFICIALS.iter().find(|one| one.release == wanted);
    let found = unlike(official.ok_or("no release")?, &altered)?;
    let lines: Vec<&str> = found.keys().map(String::as_str).collect();
    match lines.contains(&"UserInput<local_image>") {
        true => Ok(()),
        false => Err(format!("{lines:#?}").into()),
    }
}
