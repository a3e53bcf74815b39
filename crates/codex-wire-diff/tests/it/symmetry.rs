//! What is added one way is removed the other.

use std::collections::BTreeSet;

use codex_wire_base::{Protocol, Surface};
use codex_wire_diff::{Change, Comparison};
use proptest::prelude::*;

use crate::support::of_surface;

/// A difference without what follows from it: what happened, where, and to what.
pub(crate) type Fact = (Change, [String; 2], [Option<String>; 2]);

/// The differences of a comparison as facts.
pub(crate) fn facts(comparison: &Comparison) -> BTreeSet<Fact> {
    let differences = comparison.differences.iter();
    differences
        .map(|d| {
            let places = [d.former_place.clone(), d.place.clone()];
            (d.change, places, [d.before.clone(), d.after.clone()])
        })
        .collect()
}

/// The facts of the way back.
pub(crate) fn turned(comparison: &Comparison) -> BTreeSet<Fact> {
    let differences = comparison.differences.iter();
    differences
        .map(|d| {
            let places = [d.place.clone(), d.former_place.clone()];
            (
                d.change.reversed(),
                places,
                [d.after.clone(), d.before.clone()],
            )
        })
        .collect()
}

fn releases(surface: Surface) -> impl Strategy<Value = (Surface, usize, usize)> {
    let count = surface.timeline().releases().len();
    (Just(surface), 0..count, 0..count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_way_back_undoes_the_way_there(
        (surface, one, other) in prop_oneof![
            releases(Surface::Exec),
            releases(Surface::CoreEvents),
            releases(Surface::CoreSubmissions),
            releases(Surface::AppServerServerRequests),
            releases(Surface::AppServerServerNotifications),
            releases(Surface::AppServerClientRequests),
        ]
    ) {
        let all = surface.timeline().releases();
        let there = of_surface(surface, all[one], all[other]);
        let back = of_surface(surface, all[other], all[one]);
        prop_assert_eq!(turned(&there), facts(&back));
        prop_assert_eq!(there.messages, [back.messages[1], back.messages[0]]);
        if one == other {
            prop_assert!(there.differences.is_empty());
        }
    }
}

#[test]
fn a_release_does_not_differ_from_itself() {
    for protocol in Protocol::ALL {
        let latest = protocol.timeline().latest().to_string();
        let found = crate::support::between(*protocol, &latest, &latest);
        assert!(
            found.differences.is_empty(),
            "{protocol}: {:?}",
            facts(&found)
        );
        assert!(found.messages[0] > 0);
    }
}
