//! Corrects the official schemas where they omit something or are wrong. Each correction has a
//! reason and evidence.

use std::collections::BTreeMap;

use serde::Deserialize;

use codex_wire::Release;

use crate::availability::Availability;
use crate::merge::{merge, same_kind};
use crate::model::{Form, FormBody, MemberVersions, Model, Object, Versions, note, whole};
use crate::snapshot::Kind;
use crate::types::{Signature, Type};
use crate::{Error, text};

/// The corrections, in the order of the file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    #[serde(default)]
    entry: Vec<Entry>,
    #[serde(default)]
    family: Vec<Family>,
}

/// A correction: lines of the model to take away and to add.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    reason: String,
    evidence: String,
    /// Whether it says what the schemas of the single messages say, against the bundle. A test holds
    /// it to them.
    #[serde(default)]
    messages: bool,
    #[serde(default)]
    remove: String,
    #[serde(default)]
    add: String,
    /// Forms to take away whole: `tagged Turn by status`.
    #[serde(default)]
    drop: Vec<String>,
}

/// Notifications with one payload, called after the variants of a union.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    reason: String,
    evidence: String,
    prefix: String,
    of: String,
    params: String,
    releases: String,
}

/// What an entry is about.
#[derive(Clone, Debug)]
pub struct Correction {
    /// Why it is made.
    pub reason: String,
    /// Whether the schemas of the single messages say what it says.
    pub messages: bool,
    /// Definitions, each with the releases and, of a tagged union, the variants.
    definitions: Vec<(String, Availability, Option<Variants>)>,
    /// Methods, each with the releases.
    methods: Vec<((Kind, String), Availability)>,
}

/// The tag of a union, and those variants an entry is about, with the releases.
type Variants = (String, BTreeMap<String, Availability>);

impl Correction {
    fn add(&mut self, fragment: &Model) {
        for (method, versions) in &fragment.methods {
            self.methods
                .push((method.clone(), whole(versions.values())));
        }
        for (name, forms) in &fragment.definitions {
            for form in forms {
                let variants = match &form.body {
                    FormBody::Tagged { tag, branches, .. } => {
                        let branch =
                            |(name, (availability, branch)): (&String, &(Availability, Object))| {
                                let members = branch.members.values().flat_map(BTreeMap::values);
                                let members = whole(members);
                                let availability = if members.is_empty() {
                                    availability.clone()
                                } else {
                                    members
                                };
                                (name.clone(), availability)
                            };
                        Some((tag.clone(), branches.iter().map(branch).collect()))
                    }
                    _ => None,
                };
                self.definitions
                    .push((name.clone(), form.availability.clone(), variants));
            }
        }
    }

    /// Whether the entry is about a definition, or about one of the messages or answers of a kind,
    /// in a release: about the variant or the method that `value` is, where there is one.
    pub fn is_about(
        &self,
        release: Release,
        experimental: bool,
        name: &str,
        value: &serde_json::Value,
    ) -> bool {
        let holds = |availability: &Availability| availability.holds(release, experimental);
        let union = name.strip_suffix("-answers").unwrap_or(name);
        if let Some(kind) = Kind::ALL.into_iter().find(|kind| kind.union() == union) {
            let method = value.get("method").and_then(|method| method.as_str());
            return self.methods.iter().any(|((of, own), availability)| {
                *of == kind && Some(own.as_str()) == method && holds(availability)
            });
        }
        self.definitions
            .iter()
            .any(|(own, availability, variants)| {
                own == name
                    && match variants {
                        Some((tag, variants)) => {
                            let variant = value.get(tag).and_then(|tag| tag.as_str());
                            let availability = variant.and_then(|variant| variants.get(variant));
                            availability.is_some_and(holds)
                        }
                        None => holds(availability),
                    }
            })
    }
}

impl Overlay {
    /// What each entry is about, the families behind the others.
    ///
    /// # Errors
    /// When an entry names something the model does not have.
    pub fn corrections(
        &self,
        official: &Model,
        corrected: &Model,
    ) -> Result<Vec<Correction>, Error> {
        let about = |reason: &str| Correction {
            reason: reason.to_owned(),
            messages: false,
            definitions: Vec::new(),
            methods: Vec::new(),
        };
        let mut out = Vec::new();
        for entry in &self.entry {
            let mut correction = about(&entry.reason);
            correction.messages = entry.messages;
            for form in &entry.drop {
                let named = NamedForm::parse(form)?;
                let forms = official.definitions.get(named.name);
                let forms = forms.into_iter().flatten().filter(|form| named.is(form));
                let availability = whole(forms.map(|form| &form.availability));
                correction
                    .definitions
                    .push((named.name.to_owned(), availability, None));
            }
            for lines in [&entry.remove, &entry.add] {
                correction.add(&fragment(corrected, lines)?);
            }
            out.push(correction);
        }
        for family in &self.family {
            let mut correction = about(&family.reason);
            let availability =
                Availability::parse(&family.releases, &corrected.releases).map_err(fault)?;
            let methods = corrected
                .methods
                .keys()
                .filter(|(_, method)| method.starts_with(&family.prefix));
            correction.methods = methods
                .map(|method| (method.clone(), availability.clone()))
                .collect();
            out.push(correction);
        }
        Ok(out)
    }

    /// Reads `overlay.toml`.
    ///
    /// # Errors
    /// When the file is malformed or an entry lacks its reason or evidence.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let overlay: Overlay = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
        let words = overlay.entry.iter().map(|e| (&e.reason, &e.evidence));
        let families = overlay.family.iter().map(|f| (&f.reason, &f.evidence));
        for (reason, evidence) in words.chain(families) {
            if reason.trim().is_empty() || evidence.trim().is_empty() {
                return Err(fault("an entry without reason or evidence".to_owned()));
            }
        }
        Ok(overlay)
    }

    /// The model with the corrections made.
    ///
    /// # Errors
    /// When an entry names something the model does not have.
    pub fn apply(&self, model: &Model) -> Result<Model, Error> {
        let mut model = model.clone();
        for entry in &self.entry {
            entry.apply(&mut model)?;
        }
        for family in &self.family {
            family.apply(&mut model)?;
        }
        Ok(model)
    }

    /// The corrections that can be made of a model without some releases: the others are about what it
    /// does not have.
    #[must_use]
    pub fn of(&self, model: &Model) -> Overlay {
        let mut model = model.clone();
        let mut kept = self.clone();
        kept.entry.retain(|entry| {
            let mut tried = model.clone();
            let fits = entry.apply(&mut tried).is_ok();
            if fits {
                model = tried;
            }
            fits
        });
        kept.family
            .retain(|family| family.apply(&mut model).is_ok());
        kept
    }
}

impl Entry {
    fn apply(&self, model: &mut Model) -> Result<(), Error> {
        for form in &self.drop {
            drop_form(model, form)?;
        }
        let remove = fragment(model, &self.remove)?;
        take(model, &remove)?;
        let add = fragment(model, &self.add)?;
        merge(model, add);
        Ok(())
    }
}

impl Family {
    fn apply(&self, model: &mut Model) -> Result<(), Error> {
        let within = Availability::parse(&self.releases, &model.releases).map_err(fault)?;
        let forms = model.definitions.get(&self.of);
        let Some(FormBody::Tagged { branches, .. }) =
            forms.and_then(|f| f.first()).map(|f| &f.body)
        else {
            return Err(fault(format!("`{}` is not a tagged union", self.of)));
        };
        let mut methods = Vec::new();
        for (tag, (availability, _)) in branches {
            let mut outside = availability.clone();
            outside.remove(&within);
            let mut availability = availability.clone();
            availability.remove(&outside);
            if !availability.is_empty() {
                methods.push((format!("{}{tag}", self.prefix), availability));
            }
        }
        let params = Some(Signature {
            value: Type::Reference(self.params.clone()),
            optional: false,
            nullable: false,
        });
        for (method, availability) in methods {
            let versions = model.methods.entry((Kind::ServerNotification, method));
            note(versions.or_default(), params.clone(), &availability);
        }
        Ok(())
    }
}

fn fault(message: String) -> Error {
    Error::table("overlay.toml", message)
}

fn fragment(model: &Model, lines: &str) -> Result<Model, Error> {
    let mut fragment = Model {
        releases: model.releases.clone(),
        ..Model::default()
    };
    text::parse(&mut fragment, "overlay.toml", lines)?;
    Ok(fragment)
}

/// A form by its kind and name: `tagged Turn by status`.
struct NamedForm<'a> {
    kind: &'a str,
    name: &'a str,
    tag: Option<&'a str>,
}

impl<'a> NamedForm<'a> {
    fn parse(text: &'a str) -> Result<Self, Error> {
        let mut words = text.split(' ');
        match (words.next(), words.next()) {
            (Some(kind), Some(name)) => Ok(NamedForm {
                kind,
                name,
                tag: words.nth(1),
            }),
            _ => Err(fault(format!("`{text}` names no form"))),
        }
    }

    fn is(&self, form: &Form) -> bool {
        match &form.body {
            FormBody::Object(_) => self.kind == "object",
            FormBody::Tagged { tag, .. } => self.kind == "tagged" && Some(tag.as_str()) == self.tag,
            FormBody::ExternallyTagged { .. } => self.kind == "external",
            FormBody::AnyOf(_) => self.kind == "any-of",
        }
    }
}

fn drop_form(model: &mut Model, named: &str) -> Result<(), Error> {
    let missing = || fault(format!("there is no `{named}` to drop"));
    let named = NamedForm::parse(named)?;
    let forms = model.definitions.get_mut(named.name).ok_or_else(missing)?;
    let before = forms.len();
    forms.retain(|form| !named.is(form));
    if forms.len() == before {
        return Err(missing());
    }
    Ok(())
}

/// Takes the leaves of `fragment` away: members, variants, methods.
fn take(model: &mut Model, fragment: &Model) -> Result<(), Error> {
    for (method, versions) in &fragment.methods {
        let known = model.methods.get_mut(method);
        take_versions(known, versions, &method.1)?;
    }
    for (name, versions) in &fragment.beside {
        let known = model.beside.get_mut(name);
        take_versions(known, versions, &name.1)?;
    }
    for (name, forms) in &fragment.definitions {
        for form in forms {
            let known = model
                .definitions
                .get_mut(name)
                .and_then(|known| known.iter_mut().find(|known| same_kind(known, form)))
                .ok_or_else(|| fault(format!("there is no such `{name}`")))?;
            match (&mut known.body, &form.body) {
                (FormBody::Object(known), FormBody::Object(object)) => {
                    take_object(known, object, name)?;
                }
                (
                    FormBody::Tagged { base, branches, .. },
                    FormBody::Tagged {
                        base: other,
                        branches: others,
                        ..
                    },
                ) => {
                    take_members(base, other, name)?;
                    for (tag, (_, branch)) in others {
                        let (_, known) = branches
                            .get_mut(tag)
                            .ok_or_else(|| fault(format!("`{name}` has no variant `{tag}`")))?;
                        take_object(known, branch, name)?;
                    }
                }
                (
                    FormBody::ExternallyTagged { branches, .. },
                    FormBody::ExternallyTagged {
                        branches: others, ..
                    },
                ) => {
                    for (tag, versions) in others {
                        take_versions(branches.get_mut(tag), versions, name)?;
                    }
                    branches.retain(|_, versions| !versions.is_empty());
                }
                (FormBody::AnyOf(branches), FormBody::AnyOf(others)) => {
                    take_versions(Some(branches), others, name)?;
                }
                _ => unreachable!("the forms are of one kind"),
            }
        }
    }
    Ok(())
}

fn take_object(known: &mut Object, object: &Object, place: &str) -> Result<(), Error> {
    take_members(&mut known.members, &object.members, place)?;
    if object.choices.is_empty() {
        return Ok(());
    }
    take_versions(Some(&mut known.choices), &object.choices, place)
}

fn take_members(
    known: &mut MemberVersions,
    members: &MemberVersions,
    place: &str,
) -> Result<(), Error> {
    for (name, versions) in members {
        take_versions(known.get_mut(name), versions, place)?;
    }
    known.retain(|_, versions| !versions.is_empty());
    Ok(())
}

fn take_versions<T: Ord + std::fmt::Debug>(
    known: Option<&mut Versions<T>>,
    versions: &Versions<T>,
    place: &str,
) -> Result<(), Error> {
    let missing = || fault(format!("`{place}` has nothing like {versions:?}"));
    let known = known.ok_or_else(missing)?;
    for (fact, availability) in versions {
        let available = known.get_mut(fact).ok_or_else(missing)?;
        let before = available.clone();
        available.remove(availability);
        if *available == before {
            return Err(missing());
        }
    }
    known.retain(|_, availability| !availability.is_empty());
    Ok(())
}
