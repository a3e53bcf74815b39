//! Lends a release what the model does not have in it, and its program lists.

use app_server_codegen::{Kind, Model, Snapshot};
use codex_wire_base::Release;

/// Adds a method that the model does not have in a release, as the nearest release before it has it, or the
/// first one behind it.
pub(super) fn lend(model: &Model, snapshot: &mut Snapshot, method: &str) {
    let key = (Kind::ClientRequest, method.to_owned());
    if snapshot.methods.contains_key(&key) {
        return;
    }
    let availability = model.method_availability(Kind::ClientRequest, method);
    let all: Vec<Release> = availability.iter().map(|(release, _)| release).collect();
    let before = all
        .iter()
        .rev()
        .find(|release| **release < snapshot.release);
    let Some(lender) = before.or(all.first()) else {
        snapshot.methods.insert(key, None);
        return;
    };
    let lender = model.at(*lender, true);
    let Some(params) = lender.methods.get(&key) else {
        return;
    };
    let mut left: Vec<String> = Vec::new();
    if let Some(signature) = params {
        signature
            .value
            .references(&mut |name| left.push(name.to_owned()));
    }
    while let Some(name) = left.pop() {
        let Some(body) = lender.definitions.get(&name) else {
            continue;
        };
        snapshot.definitions.entry(name).or_insert_with(|| {
            body.references(&mut |name| left.push(name.to_owned()));
            body.clone()
        });
    }
    snapshot.methods.insert(key, params.clone());
}
