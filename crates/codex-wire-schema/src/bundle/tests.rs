use codex_wire_base::shape::ReleaseBounds;

use super::*;
use crate::ir::Object;

/// Every bundle there is, one per release range and stability.
fn bundles() -> impl Iterator<Item = Bundle> {
    BundleName::ALL.into_iter().flat_map(|name| {
        let stabilities = match name.has_stabilities() {
            true => &Stability::ALL[..],
            false => &[Stability::Experimental],
        };
        name.ranges().into_iter().flat_map(move |range| {
            stabilities
                .iter()
                .map(move |stability| Bundle::new(name, range.since, *stability))
        })
    })
}

#[test]
fn every_bundle_is_closed() {
    let mut count = 0;
    for bundle in bundles() {
        let place = format!("{} {} {}", bundle.name, bundle.releases, bundle.stability);
        count += 1;
        assert!(!bundle.roots.is_empty(), "{place}: no messages");
        for (name, schema) in &bundle.definitions {
            schema.references(&mut |target| {
                assert!(
                    bundle.definitions.contains_key(target),
                    "{place}: {name} refers to {target}, which is not there"
                );
            });
            let rival = |short: &str| {
                let mut names = bundle.definitions.keys();
                names.any(|other| {
                    other != name && settle::without_releases(other).unwrap_or(other) == short
                })
            };
            if let Some(short) = settle::without_releases(name) {
                assert!(rival(short), "{place}: {name} could be {short}");
            }
        }
        let names = bundle.roots.iter().map(|root| &*root.definition);
        let reached = settle::reached(&bundle.definitions, names);
        for name in bundle.definitions.keys() {
            assert!(
                reached.contains(&**name),
                "{place}: nothing leads to {name}"
            );
        }
        let mut lower = BTreeMap::new();
        for name in bundle.definitions.keys() {
            if let Some(other) = lower.insert(name.to_lowercase(), name) {
                panic!("{place}: {other} and {name} differ in case alone");
            }
        }
    }
    assert!(count > 200, "{count} bundles");
}

#[test]
fn every_range_of_a_message_set_is_in_one_range_of_its_bundle() {
    for name in BundleName::ALL {
        let ranges = name.ranges();
        for release in name.releases() {
            let holding = ranges.iter().filter(|range| range.contains(release));
            assert_eq!(holding.count(), 1, "{name} {release}");
        }
    }
}

#[test]
fn requests_have_params_and_results() {
    let bundle = Bundle::new(
        BundleName::AppServer,
        Release::new(0, 169, 0),
        Stability::Experimental,
    );
    let method = |name: &str| {
        let mut methods = bundle.methods.iter();
        methods
            .find(|method| method.name == name)
            .expect("a method")
    };
    let start = method("thread/start");
    let params = start.params.as_ref().expect("params");
    assert_eq!(params.schema.reference(), Some("ThreadStartParams"));
    let result = start.result.as_ref().expect("a result");
    assert_eq!(result.reference(), Some("ThreadStartResponse"));
    assert!(!start.is_experimental && !start.by_codex);
    assert!(method("turn/started").result.is_none());
    for method in &bundle.methods {
        assert_eq!(
            method.result.is_some(),
            method.kind == MethodKind::Request,
            "{}",
            method.name
        );
    }
    let stable = Bundle::new(
        BundleName::AppServer,
        Release::new(0, 169, 0),
        Stability::Stable,
    );
    assert!(stable.methods.len() < bundle.methods.len());
    assert!(stable.methods.iter().all(|method| !method.is_experimental));
}

#[test]
fn members_keep_their_releases() {
    let bundle = Bundle::new(
        BundleName::Exec,
        Release::new(0, 125, 0),
        Stability::Experimental,
    );
    let usage = &bundle.definitions["Usage"];
    let member = usage.member("reasoning_output_tokens").expect("a member");
    assert_eq!(
        member.availability.range.since,
        Some(Release::new(0, 125, 0))
    );
    assert!(member.optional.is_empty());
}

#[test]
fn what_differs_between_directions_has_two_names() {
    let object = |name: &str, optional: bool, kind: Kind| {
        let member = Member {
            name: name.to_owned().into(),
            availability: Availability::ALWAYS,
            optional: optional
                .then_some(ReleaseBounds::ALWAYS)
                .into_iter()
                .collect(),
            nullable: Vec::new(),
            written: Vec::new(),
            has_default: false,
            second: None,
            schema: Schema::of(kind),
        };
        Schema::of(Kind::Object(Object {
            members: vec![member],
            ..Object::default()
        }))
    };
    let side = |optional: bool| -> BTreeMap<Text, Schema> {
        let turn = object("policy", false, Kind::Reference("Policy".into()));
        let policy = object("network", optional, Kind::Boolean);
        let usage = object("tokens", false, Kind::Number);
        let named = [("Turn", turn), ("Policy", policy), ("Usage", usage)];
        let named = named.into_iter();
        named.map(|(name, schema)| (name.into(), schema)).collect()
    };
    let (all, renamed) = settle::unite(side(false), side(true), settle::READ);
    let names: Vec<&str> = all.keys().map(|name| &**name).collect();
    assert_eq!(
        names,
        ["Policy", "PolicyInput", "Turn", "TurnInput", "Usage"]
    );
    let policy = all["TurnInput"].member("policy").expect("a member");
    assert_eq!(policy.schema.reference(), Some("PolicyInput"));
    assert_eq!(renamed.len(), 2);
    let (same, renamed) = settle::unite(side(true), side(true), settle::READ);
    assert_eq!((same.len(), renamed.len()), (3, 0));
}
