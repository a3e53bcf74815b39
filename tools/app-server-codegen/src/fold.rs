//! Folds a release into the model, and out again.
//!
//! Releases can be folded in in any order. Folding one out leaves the model as it was before.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::Release;

use crate::availability::{Availability, Channels};
use crate::merge::merge;
use crate::model::{Form, FormBody, Model, Object, Versions};
use crate::snapshot::{Body, Members, Snapshot};

impl Model {
    /// Adds a release, whatever order releases come in. A release known already is replaced.
    pub fn fold(&mut self, stable: &Snapshot, experimental: Option<&Snapshot>) {
        let release = stable.release;
        self.forget(release);
        let at = self.releases.partition_point(|known| *known < release);
        self.releases.insert(at, release);
        match experimental {
            None => self.add(stable, &Availability::once(release, Channels::BOTH)),
            Some(experimental) => {
                let only = |stable| Channels {
                    stable,
                    experimental: !stable,
                };
                self.add(stable, &Availability::once(release, only(true)));
                self.add(experimental, &Availability::once(release, only(false)));
            }
        }
    }

    /// Takes a release out.
    pub fn forget(&mut self, release: Release) {
        self.releases.retain(|known| *known != release);
        forget(&mut self.methods, |versions| prune(versions, release));
        forget(&mut self.beside, |versions| prune(versions, release));
        forget(&mut self.definitions, |forms| {
            for form in forms.iter_mut() {
                form.availability.forget(release);
                form.body.forget(release);
            }
            forms.retain(|form| !form.availability.is_empty());
            forms.is_empty()
        });
    }

    fn add(&mut self, snapshot: &Snapshot, availability: &Availability) {
        let forms = |body: &Body| {
            let several = match body {
                Body::Several(bodies) => bodies.as_slice(),
                one => std::slice::from_ref(one),
            };
            let form = |body| Form {
                availability: availability.clone(),
                body: FormBody::of(body, availability),
            };
            several.iter().map(form).collect()
        };
        let definitions = snapshot.definitions.iter();
        let said = Model {
            releases: Vec::new(),
            methods: each(&snapshot.methods, availability),
            beside: each(&snapshot.beside, availability),
            definitions: definitions
                .map(|(name, body)| (name.clone(), forms(body)))
                .collect(),
        };
        merge(self, said);
        for forms in self.definitions.values_mut() {
            forms.sort_by_key(|form| form.body.order());
        }
    }

    /// What the model says of a release, as its official document says it.
    pub fn at(&self, release: Release, experimental: bool) -> Snapshot {
        let view = View {
            release,
            experimental,
        };
        Snapshot {
            release,
            methods: view.members(&self.methods),
            beside: view.members(&self.beside),
            definitions: self
                .definitions
                .iter()
                .filter_map(|(name, forms)| {
                    let held = forms.iter().filter(|form| view.holds(&form.availability));
                    let mut bodies: Vec<Body> = held.map(|form| view.body(&form.body)).collect();
                    let body = match bodies.len() {
                        0 | 1 => bodies.pop()?,
                        _ => Body::Several(bodies),
                    };
                    Some((name.clone(), body))
                })
                .collect(),
        }
    }
}

struct View {
    release: Release,
    experimental: bool,
}

impl View {
    fn holds(&self, availability: &Availability) -> bool {
        availability.holds(self.release, self.experimental)
    }

    fn one<T: Clone>(&self, versions: &Versions<T>) -> Option<T> {
        let (fact, _) = versions
            .iter()
            .find(|(_, availability)| self.holds(availability))?;
        Some(fact.clone())
    }

    fn all<T: Clone + Ord>(&self, versions: &Versions<T>) -> BTreeSet<T> {
        versions
            .iter()
            .filter(|(_, availability)| self.holds(availability))
            .map(|(fact, _)| fact.clone())
            .collect()
    }

    fn members<K: Ord + Clone, T: Clone>(
        &self,
        members: &BTreeMap<K, Versions<T>>,
    ) -> BTreeMap<K, T> {
        members
            .iter()
            .filter_map(|(name, versions)| Some((name.clone(), self.one(versions)?)))
            .collect()
    }

    fn object(&self, object: &Object) -> Members {
        Members {
            members: self.members(&object.members),
            closed: self.holds(&object.closed),
            others: self.holds(&object.others),
            choice: self.one(&object.choices).unwrap_or_default(),
        }
    }

    fn body(&self, body: &FormBody) -> Body {
        match body {
            FormBody::Object(object) => Body::Object(self.object(object)),
            FormBody::Tagged {
                tag,
                base,
                branches,
            } => Body::Tagged {
                tag: tag.clone(),
                base: self.members(base),
                branches: branches
                    .iter()
                    .filter(|(_, (availability, _))| self.holds(availability))
                    .map(|(tag, (_, branch))| (tag.clone(), self.object(branch)))
                    .collect(),
            },
            FormBody::ExternallyTagged { branches, open } => Body::ExternallyTagged {
                branches: branches
                    .iter()
                    .map(|(tag, versions)| (tag.clone(), self.all(versions)))
                    .filter(|(_, contents)| !contents.is_empty())
                    .collect(),
                open: self.holds(open),
            },
            FormBody::AnyOf(branches) => Body::AnyOf(self.all(branches)),
        }
    }
}

impl FormBody {
    fn of(body: &Body, availability: &Availability) -> Self {
        match body {
            Body::Object(members) => FormBody::Object(Object::of(members, availability)),
            Body::Tagged {
                tag,
                base,
                branches,
            } => FormBody::Tagged {
                tag: tag.clone(),
                base: each(base, availability),
                branches: branches
                    .iter()
                    .map(|(tag, members)| {
                        let branch = (availability.clone(), Object::of(members, availability));
                        (tag.clone(), branch)
                    })
                    .collect(),
            },
            Body::ExternallyTagged { branches, open } => FormBody::ExternallyTagged {
                branches: branches
                    .iter()
                    .map(|(tag, contents)| (tag.clone(), all(contents, availability)))
                    .collect(),
                open: when(*open, availability),
            },
            Body::AnyOf(branches) => FormBody::AnyOf(all(branches, availability)),
            Body::Several(_) => unreachable!("several forms are added one by one"),
        }
    }

    /// The order forms are kept in, so that the order of folding does not show.
    fn order(&self) -> (u8, String) {
        match self {
            FormBody::Object(_) => (0, String::new()),
            FormBody::Tagged { tag, .. } => (1, tag.clone()),
            FormBody::ExternallyTagged { .. } => (2, String::new()),
            FormBody::AnyOf(_) => (3, String::new()),
        }
    }

    fn forget(&mut self, release: Release) {
        match self {
            FormBody::Object(object) => object.forget(release),
            FormBody::Tagged { base, branches, .. } => {
                forget(base, |versions| prune(versions, release));
                forget(branches, |(availability, object)| {
                    availability.forget(release);
                    object.forget(release);
                    availability.is_empty()
                });
            }
            FormBody::ExternallyTagged { branches, open } => {
                open.forget(release);
                forget(branches, |versions| prune(versions, release));
            }
            FormBody::AnyOf(branches) => {
                prune(branches, release);
            }
        }
    }
}

impl Object {
    fn of(members: &Members, availability: &Availability) -> Self {
        let choice = Some(&members.choice).filter(|choice| !choice.is_empty());
        Object {
            members: each(&members.members, availability),
            closed: when(members.closed, availability),
            others: when(members.others, availability),
            choices: all(choice, availability),
        }
    }

    fn forget(&mut self, release: Release) {
        self.closed.forget(release);
        self.others.forget(release);
        prune(&mut self.choices, release);
        forget(&mut self.members, |versions| prune(versions, release));
    }
}

fn when(is_so: bool, availability: &Availability) -> Availability {
    match is_so {
        true => availability.clone(),
        false => Availability::default(),
    }
}

/// Each fact, with its releases.
fn each<K: Ord + Clone, T: Ord + Clone>(
    facts: &BTreeMap<K, T>,
    availability: &Availability,
) -> BTreeMap<K, Versions<T>> {
    let facts = facts.iter();
    facts
        .map(|(name, fact)| (name.clone(), all([fact], availability)))
        .collect()
}

/// All of these, with their releases.
fn all<'f, T: Ord + Clone + 'f>(
    facts: impl IntoIterator<Item = &'f T>,
    availability: &Availability,
) -> Versions<T> {
    let facts = facts.into_iter().cloned();
    facts.map(|fact| (fact, availability.clone())).collect()
}

/// Forgets a release in all versions; whether none is left.
fn prune<T: Ord>(versions: &mut Versions<T>, release: Release) -> bool {
    versions.retain(|_, availability| {
        availability.forget(release);
        !availability.is_empty()
    });
    versions.is_empty()
}

/// Drops the entries that `emptied` says are empty.
fn forget<K: Ord, V>(map: &mut BTreeMap<K, V>, mut emptied: impl FnMut(&mut V) -> bool) {
    map.retain(|_, value| !emptied(value));
}
