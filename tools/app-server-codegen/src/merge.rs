//! Adds what one model says to another.

use std::collections::BTreeMap;

use crate::model::{Form, FormBody, Model, Object, Versions, note};

pub(crate) fn same_kind(a: &Form, b: &Form) -> bool {
    match (&a.body, &b.body) {
        (FormBody::Tagged { tag, .. }, FormBody::Tagged { tag: other, .. }) => tag == other,
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    }
}

pub(crate) fn merge(model: &mut Model, fragment: Model) {
    merge_all(&mut model.methods, fragment.methods);
    merge_all(&mut model.beside, fragment.beside);
    for (name, forms) in fragment.definitions {
        let known = model.definitions.entry(name).or_default();
        for form in forms {
            match known.iter_mut().find(|known| same_kind(known, &form)) {
                Some(known) => merge_form(known, form),
                None => known.push(form),
            }
        }
    }
}

fn merge_form(known: &mut Form, form: Form) {
    known.availability.extend(&form.availability);
    match (&mut known.body, form.body) {
        (FormBody::Object(known), FormBody::Object(object)) => merge_object(known, object),
        (
            FormBody::Tagged { base, branches, .. },
            FormBody::Tagged {
                base: other,
                branches: others,
                ..
            },
        ) => {
            merge_all(base, other);
            for (tag, (availability, branch)) in others {
                let (available, known) = branches.entry(tag).or_default();
                available.extend(&availability);
                merge_object(known, branch);
            }
        }
        (
            FormBody::ExternallyTagged { branches, open },
            FormBody::ExternallyTagged {
                branches: others,
                open: other,
            },
        ) => {
            open.extend(&other);
            merge_all(branches, others);
        }
        (FormBody::AnyOf(branches), FormBody::AnyOf(others)) => merge_versions(branches, others),
        _ => unreachable!("the forms are of one kind"),
    }
}

fn merge_object(known: &mut Object, object: Object) {
    known.closed.extend(&object.closed);
    known.others.extend(&object.others);
    merge_versions(&mut known.choices, object.choices);
    merge_all(&mut known.members, object.members);
}

fn merge_all<K: Ord, T: Ord>(known: &mut BTreeMap<K, Versions<T>>, more: BTreeMap<K, Versions<T>>) {
    for (name, versions) in more {
        merge_versions(known.entry(name).or_default(), versions);
    }
}

fn merge_versions<T: Ord>(known: &mut Versions<T>, versions: Versions<T>) {
    for (fact, availability) in versions {
        note(known, fact, &availability);
    }
}
