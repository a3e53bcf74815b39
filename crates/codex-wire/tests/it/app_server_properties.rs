//! Values of every type of the app-server, as its releases write them, come back equal from
//! their JSON; a fault in a member is reported in that member.

use std::collections::BTreeMap;

use codex_wire::app_server::{
    ClientNotification, ClientRequest, ClientResponse, ClientSide, ErrorObject, ErrorResponse,
    RequestId, Response, ServerNotification, ServerRequest, ServerResponse, ServerSide,
};
use codex_wire::generate::Recipe;
use codex_wire::shape::{Form, ReleaseBounds};
use codex_wire::{ErrorKind, Release};
use proptest::test_runner::TestRunner;

use crate::app_server_samples::{Type, Unseen, of};
use crate::app_server_types::{all, releases};
use crate::support::tree::{Node, Tree, assert_same};

/// The lines and what they are made of, which are written by hand.
fn lines() -> Vec<Type> {
    vec![
        of::<RequestId>(),
        of::<ErrorObject>(),
        of::<Response<ClientSide>>(),
        of::<ErrorResponse<ServerSide>>(),
        of::<ClientRequest>(),
        of::<ClientNotification>(),
        of::<ClientResponse>(),
        of::<ServerRequest>(),
        of::<ServerNotification>(),
        of::<ServerResponse>(),
    ]
}

/// The first and the last release that have a type, and some between.
fn sampled(ty: &Type) -> Vec<Release> {
    let mut all = releases(ty.shape);
    all.retain(|release| {
        (ty.possible)(Recipe {
            release: *release,
            unknown: false,
        })
    });
    let between =
        ["0.63.0", "0.98.0", "0.125.0", "0.157.0"].map(|text| text.parse().expect("a release"));
    let ends = [all[0], all[all.len() - 1]];
    all.into_iter()
        .filter(|release| between.contains(release) || ends.contains(release))
        .collect()
}

/// What all samples together have shown.
#[derive(Default)]
struct Tally {
    types: usize,
    values: usize,
    /// The variants and states that were wanted, all of which came up.
    seen: usize,
    /// The types whose text came back the same but was read as another shape of several.
    other_shape: BTreeMap<&'static str, usize>,
}

/// Makes values of a type, at least `cases` per recipe, and in its last release until every
/// variant and every state has come up.
fn round_trips(ty: &Type, cases: usize, tally: &mut Tally) {
    let mut runner = TestRunner::deterministic();
    let sampled = sampled(ty);
    let last = sampled[sampled.len() - 1];
    tally.types += 1;
    for release in sampled {
        for unknown in [false, true] {
            let recipe = Recipe { release, unknown };
            let mut next = (ty.values)(recipe);
            let mut unseen = Unseen::of(ty.shape, release);
            tally.seen += unseen.left().len();
            let mut variants = BTreeMap::new();
            let whole = release == last && !unknown;
            let most = cases
                + if whole {
                    60 * unseen.left().len() + 300
                } else {
                    0
                };
            for made in 0..most {
                if made >= cases && unseen.left().is_empty() {
                    break;
                }
                let sample = next(&mut runner);
                tally.values += 1;
                let about = || format!("{} of {release}: {}", ty.name, sample.text);
                let (same, written) = sample
                    .back
                    .as_ref()
                    .unwrap_or_else(|error| panic!("{error}\n{}", about()));
                if !same {
                    let tree = |text: &str| Tree::parse(text).expect("JSON");
                    let alike = tree(written) == tree(&sample.text);
                    assert!(alike, "{}\n{written}", about());
                    *tally.other_shape.entry(ty.name).or_default() += 1;
                }
                unseen.see(&sample, &mut variants);
            }
            if whole {
                let left = unseen.left();
                assert!(
                    left.is_empty(),
                    "{} of {release} never had {left:?}",
                    ty.name
                );
            }
        }
    }
}

impl Tally {
    /// Where an older release had another shape of a value, and the current shape fits its
    /// values too, they are read as that. It stays the exception.
    fn assert_shapes(&self) {
        let others: usize = self.other_shape.values().sum();
        assert!(others * 25 < self.values, "{:#?}", self.other_shape);
    }
}

#[test]
fn every_type() {
    let mut tally = Tally::default();
    for ty in all() {
        round_trips(&ty, 6, &mut tally);
    }
    assert!(tally.types > 1500, "{} types", tally.types);
    assert!(tally.seen > 40_000, "{} variants and states", tally.seen);
    tally.assert_shapes();
}

#[test]
fn every_kind_of_line() {
    let mut tally = Tally::default();
    for ty in lines() {
        round_trips(&ty, 40, &mut tally);
    }
    assert!(tally.seen > 3000, "{} variants and states", tally.seen);
    tally.assert_shapes();
}

/// The members of an object that a type names, and whether they have to be there.
fn members(ty: &Type, release: Release) -> Vec<(&'static str, bool)> {
    let members = match &ty.shape.form {
        Form::Object(members) => members,
        Form::Tagged { base, .. } | Form::Adjacent { base, .. } => base,
        _ => return Vec::new(),
    };
    // A release may demand what the type does not: it reads all releases.
    let always = |name| {
        let member = members.iter().find(|m| m.name == name);
        member.is_some_and(|m| {
            let whole =
                m.availability.range == ReleaseBounds::ALWAYS && m.availability.gaps.is_empty();
            whole && m.optional.is_empty() && m.nullable.is_empty()
        })
    };
    members
        .iter()
        .filter(|member| member.is_available(release))
        .map(|member| (member.name, always(member.name)))
        .collect()
}

/// Values of every JSON kind that hardly any member takes.
const WRONG: [&str; 6] = [
    "null",
    "true",
    "7.5",
    r#""\u0007""#,
    "[[{}]]",
    r#"{"@":{}}"#,
];

/// Whatever is wrong with a member is reported at that member, with its place; and what is taken
/// all the same comes back.
#[test]
fn a_fault_has_its_place_in_every_type() {
    let (mut faults, mut missing) = (0, 0);
    for ty in all().iter().chain(&lines()) {
        let releases = sampled(ty);
        let release = releases[releases.len() - 1];
        let recipe = Recipe {
            release,
            unknown: false,
        };
        let sample = (ty.values)(recipe)(&mut TestRunner::deterministic());
        let Ok(Node::Object(whole)) = Node::parse(&sample.text) else {
            continue;
        };
        for (name, required) in members(ty, release) {
            let Some(index) = whole.iter().position(|(key, _)| key == name) else {
                continue;
            };
            for wrong in WRONG {
                let mut members = whole.clone();
                members[index].1 = Node::Scalar("\"@@\"".to_owned());
                let text = Node::Object(members).to_line();
                let at = text.find("\"@@\"").expect("the mark");
                let text = text.replacen("\"@@\"", wrong, 1);
                match (ty.again)(&text) {
                    Ok(written) => assert_same(&written, &text),
                    Err(error) => {
                        faults += 1;
                        let pointer = error.pointer();
                        let below = pointer.strip_prefix(&format!("/{name}"));
                        let inside =
                            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
                        assert!(inside, "{}: {error}: {text}", ty.name);
                        let place = at..at + wrong.len();
                        assert!(
                            place.contains(&error.offset()),
                            "{}: {error}: {text}",
                            ty.name
                        );
                    }
                }
            }
            if required {
                let mut members = whole.clone();
                members.remove(index);
                let text = Node::Object(members).to_line();
                let error = (ty.again)(&text).expect_err("a member is missing");
                assert!(
                    matches!(error.kind(), ErrorKind::Missing(found) if *found == name),
                    "{}: {error}: {text}",
                    ty.name
                );
                assert_eq!(
                    (error.pointer().as_str(), error.offset()),
                    ("", 0),
                    "{text}"
                );
                missing += 1;
            }
        }
    }
    assert!(faults > 10_000, "only {faults} faults");
    assert!(missing > 1000, "only {missing} missing members");
}
