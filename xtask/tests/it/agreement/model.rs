//! The model of a release in the normal form.

use std::collections::{BTreeMap, BTreeSet};

use app_server_codegen::model::{Form, FormBody};
use app_server_codegen::results::Results;
use app_server_codegen::snapshot::Body;
use app_server_codegen::types::{Signature, Type};
use app_server_codegen::{Kind, Model, Snapshot};
use codex_wire::Release;
use codex_wire_schema::Stability;

use super::Document;

/// The definitions that are more than a name for one type.
pub(crate) fn named(model: &Model) -> BTreeSet<String> {
    let names = model.definitions.keys();
    names
        .filter(|name| alias(model, name).is_none())
        .cloned()
        .collect()
}

/// The type a name stands for, in every release.
fn alias<'m>(model: &'m Model, name: &str) -> Option<&'m Type> {
    match model.definitions.get(name)?.as_slice() {
        [
            Form {
                body: FormBody::AnyOf(branches),
                ..
            },
        ] if branches.len() == 1 => branches.keys().next(),
        _ => None,
    }
}

/// What a model says of a release.
pub(crate) fn document(
    model: &Model,
    results: &Results,
    release: Release,
    stability: Stability,
) -> Result<Document, String> {
    let experimental = stability == Stability::Experimental;
    let mut snapshot = model.at(release, experimental);
    let mut answers = BTreeMap::new();
    for (kind, method) in snapshot
        .methods
        .keys()
        .filter(|(kind, _)| kind.is_request())
    {
        let versions = results
            .of(model, *kind, method)
            .map_err(|error| error.to_string())?;
        let mut held = versions
            .into_iter()
            .filter(|(_, availability)| availability.holds(release, experimental));
        let (Some((value, _)), None) = (held.next(), held.next()) else {
            return Err(format!("`{method}` has no result, or several"));
        };
        let value = plain(model, &value);
        answers.insert((*kind, method.clone()), super::signature(value, false));
    }
    envelope(&mut snapshot);
    snapshot
        .definitions
        .retain(|name, _| alias(model, name).is_none());
    for (name, body) in &mut snapshot.definitions {
        freed(model, name, release, experimental, body);
        normal(model, body);
    }
    for params in snapshot.methods.values_mut().flatten() {
        sign(model, params);
    }
    for beside in snapshot.beside.values_mut() {
        sign(model, beside);
    }
    let mut document = Document {
        snapshot,
        results: answers,
    };
    cut(&mut document);
    Ok(document)
}

/// Puts what all requests have beside their params there.
fn envelope(snapshot: &mut Snapshot) {
    let Some(Body::Object(request)) = snapshot.definitions.get("JSONRPCRequest") else {
        return;
    };
    let members: Vec<(String, Signature)> = ["id", "trace"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), request.members.get(name)?.clone())))
        .collect();
    for kind in Kind::ALL.into_iter().filter(|kind| kind.is_request()) {
        let sent = snapshot.methods.keys().any(|(of, _)| *of == kind);
        for (name, signature) in &members {
            if sent && (name == "id" || kind == Kind::ClientRequest) {
                let beside = &mut snapshot.beside;
                beside.insert((kind, name.clone()), signature.clone());
            }
        }
    }
}

/// A list of values that became free text, with the values it last had.
fn freed(model: &Model, name: &str, release: Release, experimental: bool, body: &mut Body) {
    let [
        Form {
            body: FormBody::ExternallyTagged { branches, .. },
            availability: known,
        },
        Form {
            body: FormBody::AnyOf(free),
            availability: open,
        },
    ] = model.definitions[name].as_slice()
    else {
        return;
    };
    let is_text = free.keys().eq([&Type::String]) || free.keys().eq([&Type::NonEmpty]);
    if !is_text || !open.holds(release, experimental) {
        return;
    }
    let Some((_, last)) = known.hull() else {
        return;
    };
    let values = branches.iter().filter(|(_, versions)| {
        let bare = versions.get(&None);
        bare.is_some_and(|availability| availability.holds(last, experimental))
    });
    *body = Body::ExternallyTagged {
        branches: values
            .map(|(value, _)| (value.clone(), BTreeSet::from([None])))
            .collect(),
        open: true,
    };
}

fn normal(model: &Model, body: &mut Body) {
    match body {
        Body::Object(object) => object.members.values_mut().for_each(|s| sign(model, s)),
        Body::Tagged { base, branches, .. } => {
            let base = std::mem::take(base);
            for branch in branches.values_mut() {
                branch.members.extend(base.clone());
                branch.members.values_mut().for_each(|s| sign(model, s));
            }
        }
        Body::ExternallyTagged { branches, .. } => {
            for contents in branches.values_mut() {
                let plain = |content: &Option<Type>| Some(plain(model, content.as_ref()?));
                *contents = contents.iter().map(plain).collect();
            }
        }
        Body::Several(bodies) => bodies.iter_mut().for_each(|body| normal(model, body)),
        Body::AnyOf(branches) => {
            let plain: Vec<Type> = branches.iter().map(|branch| plain(model, branch)).collect();
            *branches = match super::joined(plain) {
                Type::Union(branches) => branches.into_iter().collect(),
                one => BTreeSet::from([one]),
            };
        }
    }
}

fn sign(model: &Model, signature: &mut Signature) {
    let value = plain(model, &super::spelt(signature));
    *signature = super::signature(value, signature.optional);
}

/// A type without names for types, and with one format for what means one thing.
fn plain(model: &Model, value: &Type) -> Type {
    match value {
        Type::Reference(name) => match alias(model, name) {
            Some(alias) => plain(model, alias),
            None => value.clone(),
        },
        Type::Integer(format) => Type::Integer(
            match format.as_str() {
                "uint" => "uint64",
                "" => "int64",
                "int16" => "int32",
                other => other,
            }
            .to_owned(),
        ),
        Type::Number(_) => Type::Number(String::new()),
        Type::Array(inner) => Type::Array(Box::new(plain(model, inner))),
        Type::Map(inner) => Type::Map(Box::new(plain(model, inner))),
        Type::Union(branches) => {
            super::joined(
                branches
                    .iter()
                    .flat_map(|branch| match plain(model, branch) {
                        Type::Union(branches) => branches,
                        one => vec![one],
                    }),
            )
        }
        other => other.clone(),
    }
}

/// Leaves what messages reach, and the definitions that have a schema of their own.
fn cut(document: &mut Document) {
    let snapshot = &mut document.snapshot;
    let mut open: Vec<String> = vec!["ThreadItem".to_owned(), "JSONRPCError".to_owned()];
    let params = snapshot.methods.values().flatten();
    for signature in params
        .chain(snapshot.beside.values())
        .chain(document.results.values())
    {
        signature
            .value
            .references(&mut |name| open.push(name.to_owned()));
    }
    let mut reached = BTreeSet::new();
    while let Some(name) = open.pop() {
        if reached.insert(name.clone())
            && let Some(body) = snapshot.definitions.get(&name)
        {
            references(body, &mut |name| open.push(name.to_owned()));
        }
    }
    snapshot
        .definitions
        .retain(|name, _| reached.contains(name));
}

fn references(body: &Body, visit: &mut dyn FnMut(&str)) {
    let mut members = |members: &BTreeMap<String, Signature>| {
        members.values().for_each(|s| s.value.references(visit));
    };
    match body {
        Body::Object(object) => members(&object.members),
        Body::Tagged { base, branches, .. } => {
            members(base);
            branches
                .values()
                .for_each(|branch| members(&branch.members));
        }
        Body::ExternallyTagged { branches, .. } => {
            let contents = branches.values().flatten().flatten();
            contents.for_each(|content| content.references(visit));
        }
        Body::AnyOf(branches) => branches.iter().for_each(|branch| branch.references(visit)),
        Body::Several(bodies) => bodies.iter().for_each(|body| references(body, visit)),
    }
}
