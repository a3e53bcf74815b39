//! Folds a release into the model, and out again.
//!
//! Releases can be folded in in any order. Folding one out leaves the model as it was before.

use std::collections::{BTreeMap, BTreeSet};

use codex_wire::Release;

use crate::availability::{Availability, Channels};
use crate::model::{Form, FormBody, Model, Object, Versions, note};
use crate::snapshot::{Body, Members, Snapshot};
use crate::types::Signature;

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
        for (method, params) in &snapshot.methods {
            let versions = self.methods.entry(method.clone()).or_default();
            note(versions, params.clone(), availability);
        }
        add_members(&mut self.beside, &snapshot.beside, availability);
        let bodies = snapshot.definitions.iter().flat_map(|(name, body)| {
            let several = match body {
                Body::Several(bodies) => bodies.as_slice(),
                one => std::slice::from_ref(one),
            };
            several.iter().map(move |body| (name, body))
        });
        for (name, body) in bodies {
            let forms = self.definitions.entry(name.clone()).or_default();
            if !forms.iter().any(|form| form.body.is_like(body)) {
                forms.push(Form {
                    availability: Availability::default(),
                    body: FormBody::empty(body),
                });
                forms.sort_by_key(|form| form.body.order());
            }
            for form in forms.iter_mut().filter(|form| form.body.is_like(body)) {
                form.availability.extend(availability);
                form.body.add(body, availability);
            }
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
    fn empty(body: &Body) -> Self {
        match body {
            Body::Object(_) => FormBody::Object(Object::default()),
            Body::Tagged { tag, .. } => FormBody::Tagged {
                tag: tag.clone(),
                base: BTreeMap::new(),
                branches: BTreeMap::new(),
            },
            Body::ExternallyTagged { .. } => FormBody::ExternallyTagged {
                branches: BTreeMap::new(),
                open: Availability::default(),
            },
            Body::AnyOf(_) => FormBody::AnyOf(BTreeMap::new()),
            Body::Several(_) => unreachable!("several forms are added one by one"),
        }
    }

    fn is_like(&self, body: &Body) -> bool {
        match (self, body) {
            (FormBody::Tagged { tag, .. }, Body::Tagged { tag: other, .. }) => tag == other,
            (FormBody::Object(_), Body::Object(_))
            | (FormBody::ExternallyTagged { .. }, Body::ExternallyTagged { .. })
            | (FormBody::AnyOf(_), Body::AnyOf(_)) => true,
            _ => false,
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

    fn add(&mut self, body: &Body, availability: &Availability) {
        match (self, body) {
            (FormBody::Object(object), Body::Object(members)) => object.add(members, availability),
            (
                FormBody::Tagged { base, branches, .. },
                Body::Tagged {
                    base: other,
                    branches: others,
                    ..
                },
            ) => {
                add_members(base, other, availability);
                for (tag, members) in others {
                    let (available, object) = branches.entry(tag.clone()).or_default();
                    available.extend(availability);
                    object.add(members, availability);
                }
            }
            (
                FormBody::ExternallyTagged { branches, open },
                Body::ExternallyTagged {
                    branches: others,
                    open: also,
                },
            ) => {
                if *also {
                    open.extend(availability);
                }
                for (tag, contents) in others {
                    let versions = branches.entry(tag.clone()).or_default();
                    for content in contents {
                        note(versions, content.clone(), availability);
                    }
                }
            }
            (FormBody::AnyOf(branches), Body::AnyOf(others)) => {
                for branch in others {
                    note(branches, branch.clone(), availability);
                }
            }
            _ => unreachable!("forms are alike"),
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
    fn add(&mut self, members: &Members, availability: &Availability) {
        add_members(&mut self.members, &members.members, availability);
        if members.closed {
            self.closed.extend(availability);
        }
        if members.others {
            self.others.extend(availability);
        }
        if !members.choice.is_empty() {
            note(&mut self.choices, members.choice.clone(), availability);
        }
    }

    fn forget(&mut self, release: Release) {
        self.closed.forget(release);
        self.others.forget(release);
        prune(&mut self.choices, release);
        forget(&mut self.members, |versions| prune(versions, release));
    }
}

fn add_members<K: Ord + Clone>(
    into: &mut BTreeMap<K, Versions<Signature>>,
    members: &BTreeMap<K, Signature>,
    availability: &Availability,
) {
    for (name, signature) in members {
        let versions = into.entry(name.clone()).or_default();
        note(versions, signature.clone(), availability);
    }
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
