//! Finds types that contain themselves.

use std::collections::{BTreeMap, BTreeSet};

use super::planned::Plan;
use crate::rust::items::ItemBody;

/// Puts a box where a type would hold itself, and marks the members that lead back.
pub(super) fn box_cycles(plan: &mut Plan) {
    let mut edges: BTreeMap<String, BTreeSet<(String, bool)>> = BTreeMap::new();
    let all = plan.domains.values().chain(plan.unions.values()).flatten();
    for item in all {
        let targets = edges.entry(item.name.clone()).or_default();
        for value in item.body.values() {
            targets.extend(mentions(value));
        }
    }
    let reaches = |from: &str, to: &str, direct: bool| -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(name) = open.pop() {
            if name == to {
                return true;
            }
            if !seen.insert(name.clone()) {
                continue;
            }
            for (next, straight) in edges.get(&name).into_iter().flatten() {
                if *straight || !direct {
                    open.push(next.clone());
                }
            }
        }
        false
    };
    let all = plan.domains.values_mut().chain(plan.unions.values_mut());
    for item in all.flatten() {
        let name = item.name.clone();
        if let ItemBody::Struct { fields, .. } = &mut item.body {
            for field in fields {
                let leads_back = mentions(&field.value)
                    .into_iter()
                    .filter(|(target, _)| reaches(target, &name, false));
                for (target, straight) in leads_back {
                    field.recursive = true;
                    if straight && reaches(&target, &name, true) {
                        field.value = format!("Box<{}>", field.value);
                    }
                }
            }
        }
    }
}

impl ItemBody {
    /// The types of its parts.
    pub(crate) fn values(&self) -> Vec<&str> {
        match self {
            ItemBody::Struct { fields, union, .. } => fields
                .iter()
                .map(|field| field.value.as_str())
                .chain(union.iter().map(|(_, name)| name.as_str()))
                .collect(),
            ItemBody::Strings { .. } | ItemBody::Alias(_) => Vec::new(),
            ItemBody::Tagged { variants, .. }
            | ItemBody::ExternallyTagged { variants }
            | ItemBody::Untagged { variants }
            | ItemBody::Methods { variants, .. } => variants
                .iter()
                .filter_map(|variant| variant.value.as_deref())
                .collect(),
        }
    }
}

/// The types a Rust type mentions, and whether without a list or map between.
fn mentions(value: &str) -> Vec<(String, bool)> {
    let straight = !value.starts_with("Vec<") && !value.starts_with("Map<");
    let inner = value
        .rsplit('<')
        .next()
        .unwrap_or(value)
        .trim_end_matches('>');
    vec![(inner.to_owned(), straight)]
}
