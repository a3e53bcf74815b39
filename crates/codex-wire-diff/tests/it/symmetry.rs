//! What is added one way is removed the other.

use std::collections::BTreeSet;

use codex_wire_base::{MessageSet, Protocol};
use codex_wire_diff::{Change, Comparison};
use proptest::prelude::*;

use crate::support::of_message_set;

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

fn releases(message_set: MessageSet) -> impl Strategy<Value = (MessageSet, usize, usize)> {
    let count = message_set.release_list().releases().len();
    (Just(message_set), 0..count, 0..count)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_way_back_undoes_the_way_there(
        (message_set, one, other) in prop_oneof![
            releases(MessageSet::Exec),
            releases(MessageSet::CoreEvents),
            releases(MessageSet::CoreSubmissions),
            releases(MessageSet::AppServerServerRequests),
            releases(MessageSet::AppServerServerNotifications),
            releases(MessageSet::AppServerClientRequests),
        ]
    ) {
        let all = message_set.release_list().releases();
        let there = of_message_set(message_set, all[one], all[other]);
        let back = of_message_set(message_set, all[other], all[one]);
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
        let latest = protocol.release_list().latest().to_string();
        let found = crate::support::between(*protocol, &latest, &latest);
        assert!(
            found.differences.is_empty(),
            "{protocol}: {:?}",
            facts(&found)
        );
        assert!(found.messages[0] > 0);
    }
}
