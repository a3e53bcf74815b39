//! What differs between a request and a recorded one, in words.

use codex_wire_replay::Difference;

/// What differs. The texts of the user are left out: reports hold no payload.
pub(crate) fn listed(differences: &[Difference]) -> String {
    let places = differences.iter().map(|difference| {
        let place = match difference.pointer.as_str() {
            "" => "the whole",
            pointer => pointer,
        };
        match (&difference.recorded, &difference.sent) {
            (Some(_), None) => format!("`{place}` is missing"),
            (None, Some(_)) => format!("`{place}` was not recorded"),
            _ if difference.is_name => format!("`{place}` names something else"),
            _ => format!("`{place}` has another value"),
        }
    });
    places.collect::<Vec<_>>().join("; ")
}
