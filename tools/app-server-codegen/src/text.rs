//! Reads and writes the model as text that people can review.
//!
//! ```text
//! releases
//!   0.58.0 0.59.0 0.60.1
//!
//! client request thread/start: ThreadStartParams @ 0.58.0..
//! server notification beside emittedAtMs?: int64 @ exp 0.147.0..
//!
//! object Turn @ 0.58.0..
//!   id: string
//!   startedAt?: int64 | null @ 0.120.0..
//!
//! tagged ThreadItem by type @ 0.58.0..
//!   agentMessage
//!     id: string
//!     text: string
//!
//! external ReviewDecision @ 0.58.0..
//!   approved
//!   denied @ 0.58.0..0.144.6
//!   denied: ReviewDecisionDenied @ 0.147.0..
//!
//! any-of ThreadListCwdFilter @ 0.124.0..
//!   [string]
//!   string
//!
//! object Picture @ 0.156.0..
//!   at least one of: fileId | url
//!   fileId?: string
//!   url?: string
//! ```
//!
//! Behind `@` stand the releases; a line without them has those of what it belongs to.
//! `exp` marks releases that have it in the experimental API only. `?` marks members that may
//! be left out. `closed` says that Codex refuses other members, `...` that it writes others
//! itself, or of a list that any other string or object is taken too. `at least one of` lists sets
//! of members, the names in a set joined by `+`: one set has to be there whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use codex_wire::Release;

use crate::Error;
use crate::availability::Availability;
use crate::model::{Form, FormBody, MemberVersions, Model, Object, Versions, note};
use crate::snapshot::{Choice, Kind};
use crate::types::{Signature, Type};

/// Writes releases and methods: everything but the definitions.
pub fn methods(model: &Model) -> String {
    let mut out = String::from("releases\n");
    for line in model.releases.chunks(12) {
        out.push(' ');
        for release in line {
            let _ = write!(out, " {release}");
        }
        out.push('\n');
    }
    let writer = Writer {
        release_list: &model.releases,
    };
    for kind in Kind::ALL {
        out.push('\n');
        for ((of, name), versions) in &model.beside {
            if *of == kind {
                for (signature, availability) in versions {
                    let words = kind.words();
                    let line = format!("{words} beside {}", member(name, signature));
                    writer.line(&mut out, 0, &line, availability, None);
                }
            }
        }
        for ((of, method), versions) in &model.methods {
            if *of == kind {
                for (params, availability) in versions {
                    let line = match params {
                        Some(params) => format!("{} {}", kind.words(), member(method, params)),
                        None => format!("{} {method}", kind.words()),
                    };
                    writer.line(&mut out, 0, &line, availability, None);
                }
            }
        }
    }
    out
}

/// Writes the definitions of which `wanted` is true.
pub fn definitions(model: &Model, wanted: impl Fn(&str) -> bool) -> String {
    let mut out = String::new();
    let writer = Writer {
        release_list: &model.releases,
    };
    for (name, forms) in &model.definitions {
        if !wanted(name) {
            continue;
        }
        for form in forms {
            if !out.is_empty() {
                out.push('\n');
            }
            writer.form(&mut out, name, form);
        }
    }
    out
}

struct Writer<'a> {
    release_list: &'a [Release],
}

impl Writer<'_> {
    fn line(
        &self,
        out: &mut String,
        depth: usize,
        text: &str,
        availability: &Availability,
        of: Option<&Availability>,
    ) {
        let _ = write!(out, "{}{text}", "  ".repeat(depth));
        if of != Some(availability) {
            let _ = write!(out, " @ {}", availability.text(self.release_list));
        }
        out.push('\n');
    }

    fn form(&self, out: &mut String, name: &str, form: &Form) {
        let availability = &form.availability;
        match &form.body {
            FormBody::Object(object) => {
                self.line(out, 0, &format!("object {name}"), availability, None);
                self.object(out, 1, object, availability);
            }
            FormBody::Tagged {
                tag,
                base,
                branches,
            } => {
                self.line(
                    out,
                    0,
                    &format!("tagged {name} by {tag}"),
                    availability,
                    None,
                );
                if !base.is_empty() {
                    out.push_str("  base\n");
                    self.members(out, 2, base, availability);
                }
                for (tag, (available, branch)) in branches {
                    self.line(out, 1, tag, available, Some(availability));
                    self.object(out, 2, branch, available);
                }
            }
            FormBody::ExternallyTagged { branches, open } => {
                self.line(out, 0, &format!("external {name}"), availability, None);
                if !open.is_empty() {
                    self.line(out, 1, "...", open, Some(availability));
                }
                for (tag, versions) in branches {
                    for (content, available) in versions {
                        let text = match content {
                            Some(content) => format!("{tag}: {content}"),
                            None => tag.clone(),
                        };
                        self.line(out, 1, &text, available, Some(availability));
                    }
                }
            }
            FormBody::AnyOf(branches) => {
                self.line(out, 0, &format!("any-of {name}"), availability, None);
                for (branch, available) in branches {
                    self.line(out, 1, &branch.to_string(), available, Some(availability));
                }
            }
        }
    }

    fn object(&self, out: &mut String, depth: usize, object: &Object, availability: &Availability) {
        if !object.closed.is_empty() {
            self.line(out, depth, "closed", &object.closed, Some(availability));
        }
        if !object.others.is_empty() {
            self.line(out, depth, "...", &object.others, Some(availability));
        }
        for (choice, available) in &object.choices {
            let text = format!("{CHOICE}{}", choice_text(choice));
            self.line(out, depth, &text, available, Some(availability));
        }
        self.members(out, depth, &object.members, availability);
    }

    fn members(
        &self,
        out: &mut String,
        depth: usize,
        members: &MemberVersions,
        availability: &Availability,
    ) {
        for (name, versions) in members {
            for (signature, available) in versions {
                self.line(
                    out,
                    depth,
                    &member(name, signature),
                    available,
                    Some(availability),
                );
            }
        }
    }
}

fn member(name: &str, signature: &Signature) -> String {
    let mark = if signature.optional { "?" } else { "" };
    format!("{name}{mark}: {signature}")
}

/// How a line begins that lists sets of members.
const CHOICE: &str = "at least one of: ";

/// Sets of members as text: `fileId | url`, with `+` between the members of a set.
pub(crate) fn choice_text(choice: &Choice) -> String {
    let set = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" + ");
    choice.iter().map(set).collect::<Vec<_>>().join(" | ")
}

fn parse_choice(text: &str) -> Result<Choice, String> {
    let name = |name: &str| match name.trim() {
        "" => Err(format!("`{text}` has a member without a name")),
        name => Ok(name.to_owned()),
    };
    let set = |set: &str| set.split('+').map(name).collect();
    text.split('|').map(set).collect()
}

/// Adds what a file says to `model`. The file with the releases comes first.
///
/// # Errors
/// When a line is malformed.
pub fn parse(model: &mut Model, file: &str, text: &str) -> Result<(), Error> {
    let mut parser = Parser {
        model,
        now: Now::Nothing,
    };
    for (index, line) in text.lines().enumerate() {
        parser.line(line).map_err(|message| Error::Text {
            file: file.to_owned(),
            line: index + 1,
            message,
        })?;
    }
    parser.close();
    Ok(())
}

struct Parser<'a> {
    model: &'a mut Model,
    now: Now,
}

/// What the lines that follow belong to.
enum Now {
    Nothing,
    Releases,
    Definition {
        name: String,
        form: Form,
        branch: Option<String>,
    },
}

impl Parser<'_> {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let depth = line.len() - line.trim_start().len();
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        if depth == 0 {
            self.close();
        } else if matches!(self.now, Now::Releases) {
            for release in line.split_whitespace() {
                let release = release.parse::<Release>().map_err(|e| e.to_string())?;
                self.model.releases.push(release);
            }
            return Ok(());
        }
        let (text, availability) = match line.split_once(" @ ") {
            Some((text, availability)) => (
                text,
                Some(Availability::parse(availability, &self.model.releases)?),
            ),
            None => (line, None),
        };
        if depth == 0 {
            return self.head(text, availability);
        }
        let Now::Definition { form, branch, .. } = &mut self.now else {
            return Err("an indented line that belongs to nothing".to_owned());
        };
        let whole = &form.availability;
        match &mut form.body {
            FormBody::Object(object) => object_line(object, text, availability, whole),
            FormBody::Tagged { base, branches, .. } => {
                if depth == 2 {
                    *branch = (text != "base").then(|| text.to_owned());
                    if let Some(tag) = branch {
                        let availability = availability.unwrap_or_else(|| whole.clone());
                        branches.insert(tag.clone(), (availability, Object::default()));
                    }
                    return Ok(());
                }
                match branch {
                    None => member_line(base, text, availability, whole),
                    Some(tag) => {
                        let (available, object) = branches.get_mut(tag).ok_or("no such variant")?;
                        object_line(object, text, availability, available)
                    }
                }
            }
            FormBody::ExternallyTagged { open, .. } if text == "..." => {
                *open = availability.unwrap_or_else(|| whole.clone());
                Ok(())
            }
            FormBody::ExternallyTagged { branches, .. } => {
                let (tag, content) = match text.split_once(": ") {
                    Some((tag, content)) => (tag, Some(Type::parse(content)?)),
                    None => (text, None),
                };
                let availability = availability.unwrap_or_else(|| whole.clone());
                let versions = branches.entry(tag.to_owned()).or_default();
                note(versions, content, &availability);
                Ok(())
            }
            FormBody::AnyOf(branches) => {
                let availability = availability.unwrap_or_else(|| whole.clone());
                note(branches, Type::parse(text)?, &availability);
                Ok(())
            }
        }
    }

    fn head(&mut self, text: &str, availability: Option<Availability>) -> Result<(), String> {
        if text == "releases" {
            self.now = Now::Releases;
            return Ok(());
        }
        let availability = availability.ok_or("the releases are missing")?;
        for kind in Kind::ALL {
            let Some(rest) = text.strip_prefix(kind.words()) else {
                continue;
            };
            let rest = rest.trim_start();
            if let Some(rest) = rest.strip_prefix("beside ") {
                let (name, signature) = parse_member(rest)?;
                let versions = self.model.beside.entry((kind, name)).or_default();
                note(versions, signature, &availability);
                return Ok(());
            }
            let (method, params) = match rest.split_once(": ") {
                Some(_) => {
                    let (method, params) = parse_member(rest)?;
                    (method, Some(params))
                }
                None => (rest.to_owned(), None),
            };
            let versions = self.model.methods.entry((kind, method)).or_default();
            note(versions, params, &availability);
            return Ok(());
        }
        let (word, rest) = text.split_once(' ').ok_or("a name is missing")?;
        let (name, body) = match word {
            "object" => (rest, FormBody::Object(Object::default())),
            "external" => {
                let body = FormBody::ExternallyTagged {
                    branches: BTreeMap::new(),
                    open: Availability::default(),
                };
                (rest, body)
            }
            "any-of" => (rest, FormBody::AnyOf(BTreeMap::new())),
            "tagged" => {
                let (name, tag) = rest.split_once(" by ").ok_or("`by` is missing")?;
                let body = FormBody::Tagged {
                    tag: tag.to_owned(),
                    base: BTreeMap::new(),
                    branches: BTreeMap::new(),
                };
                (name, body)
            }
            other => return Err(format!("`{other}` begins nothing")),
        };
        self.now = Now::Definition {
            name: name.to_owned(),
            form: Form { availability, body },
            branch: None,
        };
        Ok(())
    }

    fn close(&mut self) {
        if let Now::Definition { name, form, .. } = std::mem::replace(&mut self.now, Now::Nothing) {
            self.model.definitions.entry(name).or_default().push(form);
        }
    }
}

fn object_line(
    object: &mut Object,
    text: &str,
    availability: Option<Availability>,
    whole: &Availability,
) -> Result<(), String> {
    if text == "closed" {
        object.closed = availability.unwrap_or_else(|| whole.clone());
        return Ok(());
    }
    if text == "..." {
        object.others = availability.unwrap_or_else(|| whole.clone());
        return Ok(());
    }
    if let Some(sets) = text.strip_prefix(CHOICE) {
        let availability = availability.unwrap_or_else(|| whole.clone());
        note(&mut object.choices, parse_choice(sets)?, &availability);
        return Ok(());
    }
    member_line(&mut object.members, text, availability, whole)
}

fn member_line(
    members: &mut MemberVersions,
    text: &str,
    availability: Option<Availability>,
    whole: &Availability,
) -> Result<(), String> {
    let (name, signature) = parse_member(text)?;
    let availability = availability.unwrap_or_else(|| whole.clone());
    let versions: &mut Versions<Signature> = members.entry(name).or_default();
    note(versions, signature, &availability);
    Ok(())
}

/// Reads `name: type` or `name?: type`.
pub(crate) fn parse_member(text: &str) -> Result<(String, Signature), String> {
    let (name, value) = text
        .split_once(": ")
        .ok_or_else(|| format!("`{text}` is not a member"))?;
    let (name, optional) = match name.strip_suffix('?') {
        Some(name) => (name, true),
        None => (name, false),
    };
    Ok((name.to_owned(), Signature::parse(value, optional)?))
}
