//! What Codex always writes although its JSON Schema lets it be left out: the official TypeScript has
//! the member without `?`.
//!
//! The schema describes what is read, too: a member of type `Option` may be missing there, but is
//! written as `null`. TypeScript describes what is written. Where a recording lacks such a member,
//! the recording is right, and `model/left-out.toml` says so.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use codex_wire::Release;
use serde::Deserialize;

use crate::Error;
use crate::archive::Official;
use crate::availability::{Availability, Channels};
use crate::model::{Model, note};
use crate::official::name_of;
use crate::results::Results;
use crate::snapshot::{Body, Kind, Snapshot};
use crate::types::{Signature, Type};
use crate::typescript::{Library, Members, Reader, Required};

/// A member: what it belongs to, `Turn` or `ThreadItem::agentMessage`, and its name.
pub type Place = (String, String);

/// What TypeScript says of a member that may be left out by its schema. Of two statements the greater
/// holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stated {
    /// Nothing: it does not have the member under this name.
    Nothing,
    /// That it is always there.
    Required,
    /// That it may be left out.
    Optional,
}

/// Members that may be left out by their schema and are always written, with the releases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    members: BTreeMap<Place, Availability>,
}

/// Members that TypeScript requires and that recordings lack.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    #[serde(default)]
    entry: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// `ThreadItem::agentMessage.phase @ 0.105.0..`
    members: Vec<String>,
    evidence: String,
}

impl LeftOut {
    /// Reads `left-out.toml`.
    ///
    /// # Errors
    /// When it is malformed or an entry lacks its evidence.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let table: LeftOut = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
        if table
            .entry
            .iter()
            .any(|entry| entry.evidence.trim().is_empty())
        {
            return Err(fault("an entry without evidence".to_owned()));
        }
        Ok(table)
    }

    /// The members, with the releases in which they are known to be left out.
    ///
    /// # Errors
    /// When one is malformed.
    pub fn members(
        &self,
        release_list: &[Release],
    ) -> Result<BTreeMap<Place, Availability>, Error> {
        let mut out: BTreeMap<Place, Availability> = BTreeMap::new();
        for line in self.entry.iter().flat_map(|entry| &entry.members) {
            let (place, releases) = line
                .split_once(" @ ")
                .ok_or_else(|| fault(format!("`{line}` names no releases")))?;
            let (owner, member) = place
                .rsplit_once('.')
                .ok_or_else(|| fault(format!("`{place}` names no member")))?;
            let availability = Availability::parse(releases, release_list).map_err(fault)?;
            note(
                &mut out,
                (owner.to_owned(), member.to_owned()),
                &availability,
            );
        }
        Ok(out)
    }
}

fn fault(message: String) -> Error {
    Error::table("left-out.toml", message)
}

impl Written {
    /// What the archive says, of a model with the corrections made.
    ///
    /// # Errors
    /// When TypeScript has a construct the reader does not know, or `left_out` names a member that
    /// no TypeScript of its releases requires.
    pub fn of(
        archive: &[Official],
        corrected: &Model,
        results: &Results,
        left_out: &LeftOut,
    ) -> Result<Self, Error> {
        let mut out = Written::default();
        for (place, mut all) in stated(archive, corrected, results)? {
            if let Some(required) = all.remove(&Stated::Required) {
                out.members.insert(place, required);
            }
        }
        for (place, releases) in left_out.members(&corrected.releases)? {
            let known = out.members.get_mut(&place);
            match known {
                Some(known) if !known.and(&releases).is_empty() => known.remove(&releases),
                _ => {
                    let (owner, name) = place;
                    return Err(fault(format!("`{owner}.{name}` is not required there")));
                }
            }
        }
        out.members.retain(|_, releases| !releases.is_empty());
        Ok(out)
    }

    /// The releases that always write a member of `owner`, if there are any.
    pub fn member(&self, owner: &str, name: &str) -> Option<&Availability> {
        self.members.get(&(owner.to_owned(), name.to_owned()))
    }

    /// All of them.
    pub fn members(&self) -> impl Iterator<Item = (&Place, &Availability)> {
        self.members.iter()
    }

    /// As text that people can review.
    pub fn text(&self, release_list: &[Release]) -> String {
        let mut out = String::from(
            "# Members that Codex always writes, although its JSON Schema lets them be left out: its\n\
             # TypeScript requires them, and no recording lacks them. Made from the archive.\n",
        );
        let mut last = None;
        for ((owner, name), availability) in &self.members {
            if last != Some(owner) {
                let _ = write!(out, "\n{owner}\n");
                last = Some(owner);
            }
            let _ = writeln!(out, "  {name} @ {}", availability.text(release_list));
        }
        out
    }
}

/// What TypeScript says of each member that may be left out by its schema, in what Codex writes, with
/// the releases that say so.
///
/// # Errors
/// When TypeScript has a construct the reader does not know.
pub fn stated(
    archive: &[Official],
    corrected: &Model,
    results: &Results,
) -> Result<BTreeMap<Place, BTreeMap<Stated, Availability>>, Error> {
    let mut reader = Reader::default();
    let answers = answers(corrected, results)?;
    let mut out: BTreeMap<Place, BTreeMap<Stated, Availability>> = BTreeMap::new();
    for official in archive {
        let release = official.release;
        let (stable, experimental) = official.typescript.read()?;
        // Where there is one document it speaks for both kinds of clients.
        let experimental = experimental.as_ref().unwrap_or(&stable);
        let mut all: BTreeMap<Place, Stated> = BTreeMap::new();
        for (code, is_experimental) in [(&stable, false), (experimental, true)] {
            let said = corrected.at(release, is_experimental);
            let answers = answers.iter().filter_map(|(answer, availability)| {
                let holds = availability.holds(release, is_experimental);
                holds.then_some(answer)
            });
            let mut comparison = Comparison {
                library: &reader.read(code)?,
                said: &said,
                stated: &mut all,
            };
            comparison.all(reached(&said, answers));
        }
        for (place, stated) in all {
            let versions = out.entry(place).or_default().entry(stated).or_default();
            versions.extend(&Availability::once(release, Channels::BOTH));
        }
    }
    Ok(out)
}

/// The definitions that answer requests of clients.
fn answers(corrected: &Model, results: &Results) -> Result<Vec<(Type, Availability)>, Error> {
    let mut out = Vec::new();
    for (kind, method) in corrected.methods.keys() {
        if *kind == Kind::ClientRequest {
            out.extend(results.of(corrected, *kind, method)?);
        }
    }
    Ok(out)
}

/// Compares what a schema says with the types of TypeScript beside it.
struct Comparison<'a> {
    library: &'a Library,
    said: &'a Snapshot,
    stated: &'a mut BTreeMap<Place, Stated>,
}

impl<'a> Comparison<'a> {
    fn all(&mut self, names: BTreeSet<&'a str>) {
        let library = self.library;
        let mut files: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for path in library.paths() {
            let (name, is_newer) = match path.strip_prefix("v2/") {
                Some(name) => (name, true),
                None => (path.rsplit('/').next().unwrap_or(path), false),
            };
            files.entry(name_of(name, is_newer)).or_default().push(path);
        }
        for name in names {
            let Some(body) = self.said.definitions.get(name) else {
                continue;
            };
            // Where TypeScript has no such type, nothing is stated.
            self.body(&Members::default(), (name, body));
            for path in files.get(name).into_iter().flatten() {
                self.file(path, (name, body));
            }
        }
    }

    fn file(&mut self, path: &str, (name, body): (&str, &'a Body)) {
        let tag = match body {
            Body::Tagged { tag, .. } => Some(tag.as_str()),
            Body::Several(bodies) => {
                for body in bodies {
                    self.file(path, (name, body));
                }
                return;
            }
            _ => None,
        };
        if let Some(members) = self.library.members(path, tag) {
            self.body(&members, (name, body));
        }
    }

    fn body(&mut self, members: &Members, (name, body): (&str, &'a Body)) {
        match body {
            Body::Object(object) => self.object(name, &object.members, &members.base),
            Body::Tagged { base, branches, .. } => {
                self.object(name, base, &members.base);
                for (value, branch) in branches {
                    let none = BTreeMap::new();
                    let required = members.variants.get(value).unwrap_or(&none);
                    self.object(&format!("{name}::{value}"), &branch.members, required);
                }
            }
            Body::ExternallyTagged { branches, .. } => {
                for (kind, required) in &members.contents {
                    for content in branches.get(kind).into_iter().flatten().flatten() {
                        self.content(content, required);
                    }
                }
            }
            Body::Several(bodies) => {
                for body in bodies {
                    self.body(members, (name, body));
                }
            }
            Body::AnyOf(_) => {}
        }
    }

    /// An object that has a name in the model alone.
    fn content(&mut self, content: &Type, required: &BTreeMap<String, Required>) {
        let said = self.said;
        if let Type::Reference(name) = content
            && let Some(Body::Object(object)) = said.definitions.get(name)
        {
            self.object(name, &object.members, required);
        }
    }

    fn object(
        &mut self,
        owner: &str,
        members: &BTreeMap<String, Signature>,
        required: &BTreeMap<String, Required>,
    ) {
        for (name, _) in members.iter().filter(|(_, signature)| signature.optional) {
            let stated = match required.get(name) {
                Some(true) => Stated::Required,
                Some(false) => Stated::Optional,
                None => Stated::Nothing,
            };
            let place = (owner.to_owned(), name.clone());
            let known = self.stated.entry(place).or_insert(stated);
            *known = stated.max(*known);
        }
    }
}

/// The definitions of what Codex writes: of its notifications, its requests and its answers.
fn reached<'s>(said: &'s Snapshot, answers: impl Iterator<Item = &'s Type>) -> BTreeSet<&'s str> {
    let mut waiting: Vec<&str> = Vec::new();
    for ((kind, _), params) in &said.methods {
        if let (Kind::ServerRequest | Kind::ServerNotification, Some(params)) = (kind, params) {
            params.value.references(&mut |name| waiting.push(name));
        }
    }
    for answer in answers {
        answer.references(&mut |name| waiting.push(name));
    }
    let mut out = BTreeSet::new();
    while let Some(name) = waiting.pop() {
        if let Some(body) = said.definitions.get(name)
            && out.insert(name)
        {
            body.references(&mut |name| waiting.push(name));
        }
    }
    out
}
