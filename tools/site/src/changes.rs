//! What any release changed against any other, as data for a script.
//!
//! There are thousands of pairs, so only neighbours are compared here. The script takes the changes of all releases
//! between the two, and leaves out what was undone in between.

use std::collections::BTreeSet;

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_diff::{Change, Comparison, Difference, Verdict, history};
use minijinja::context;
use serde_json::{Map, Value, json};

use crate::Error;
use crate::model::Model;
use crate::pages::{Head, Pages};

/// What each release changed of each protocol, oldest first.
pub(crate) struct Histories(Vec<(Protocol, Vec<Comparison>)>);

impl Histories {
    pub(crate) fn new() -> Self {
        let each = Protocol::ALL.iter().copied();
        Histories(each.map(|protocol| (protocol, history(protocol))).collect())
    }

    /// Those of a protocol.
    pub(crate) fn of(&self, protocol: Protocol) -> &[Comparison] {
        let own = self.0.iter().find(|(known, _)| *known == protocol);
        own.map(|(_, steps)| steps.as_slice()).unwrap_or_default()
    }
}

/// Writes the page and its data.
pub(crate) fn write(pages: &mut Pages, model: &Model, histories: &Histories) -> Result<(), Error> {
    let mut protocols = Map::new();
    for protocol in Protocol::ALL.iter().copied() {
        let steps = histories.of(protocol);
        protocols.insert(protocol.to_string(), of_protocol(protocol, steps, model));
    }
    let reversed: Map<String, Value> = Change::ALL
        .iter()
        .map(|change| {
            (
                change.as_str().to_owned(),
                json!(change.reversed().as_str()),
            )
        })
        .collect();
    let data = json!({ "reversed": reversed, "protocols": protocols });
    let text = format!("window.codexWireChanges={data};\n");
    pages.file("assets/changes.js".to_owned(), text.into_bytes());
    let head = Head {
        path: "changes/compare.html".to_owned(),
        title: "Compare two releases".to_owned(),
        about: "What any release of Codex changed on the wire against any other, breaking first."
            .to_owned(),
        section: "changes",
    };
    pages.page(head, "compare.html", context! {})
}

fn of_protocol(protocol: Protocol, steps: &[Comparison], model: &Model) -> Value {
    let message_sets = MessageSet::from(protocol).conversation();
    let releases: BTreeSet<Release> = message_sets
        .iter()
        .flat_map(|message_set| message_set.release_list().releases())
        .copied()
        .collect();
    let steps = steps.iter().map(|comparison| {
        let differences = comparison.differences.iter();
        let each = differences.map(|difference| described(difference, message_sets, model));
        json!([comparison.after, each.collect::<Vec<_>>()])
    });
    json!({
        "releases": releases.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "steps": steps.collect::<Vec<_>>(),
    })
}

/// The verdict, the change, the place, what was before and after, a sentence, whom it concerns, the page, and a message that
/// breaks.
fn described(difference: &Difference, message_sets: &[MessageSet], model: &Model) -> Value {
    let verdict = match difference.verdict() {
        Verdict::Breaking => 0,
        Verdict::Maybe => 1,
        Verdict::Unknown => 2,
        Verdict::Compatible => 3,
    };
    let page = message_sets
        .first()
        .and_then(|set| model.of(*set)?.page_of_place(&difference.place));
    json!([
        verdict,
        difference.change.as_str(),
        difference.place,
        difference.before,
        difference.after,
        difference.sentence(),
        difference.reach(),
        page.unwrap_or_default(),
        difference.example().filter(|_| verdict == 0),
    ])
}
