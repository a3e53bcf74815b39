//! What is searched in the browser: a script with the parts that `codex-wire find` looks through and the titles of pages,
//! and another one with their documentation.
//!
//! `assets/find.js` finds in them what `codex_wire_schema::find` finds. Names are enough for nearly every search, and
//! documentation is more than half of the bytes: it comes behind. Everything is a list, because there are thousands of
//! parts, and what follows from something else is 0: of a part its kind, name, owner, pointer, kinds, ends of its
//! releases, the name of what it stands in, and its anchor.

use codex_wire_base::{MessageSet, ReleaseBounds};
use codex_wire_schema::find::{PartKind, Way};
use serde_json::{Value, json};

use crate::Sources;
use crate::links::page_of;
use crate::markdown::bare;
use crate::model::{FamilyModel, Model, escaped};
use crate::pages::Pages;
use crate::protocol::writer;
use crate::tree::DEEP;

/// Writes the scripts.
pub(crate) fn write(pages: &mut Pages, model: &Model, sources: &Sources) {
    let listed: Vec<Listed> = listed(sources).collect();
    let index = json!({
        "deep": DEEP,
        "sets": MessageSet::ALL.iter().map(|set| message_set(*set)).collect::<Vec<_>>(),
        "families": model.families.iter().map(family).collect::<Vec<_>>(),
        "pages": listed.iter().map(|page| json!([page.kind, page.title, page.link])).collect::<Vec<_>>(),
    });
    let text = format!("window.codexWireIndex={index};\n");
    pages.file("assets/index.js".to_owned(), text.into_bytes());
    let of_family = |family: &FamilyModel| -> Value {
        let parts = family.index.parts.iter();
        parts.map(|part| json!(part.about)).collect()
    };
    let texts = json!({
        "families": model.families.iter().map(of_family).collect::<Vec<_>>(),
        "pages": listed.iter().map(|page| &page.about).collect::<Vec<_>>(),
    });
    let text = format!("window.codexWireTexts={texts};\n");
    pages.file("assets/texts.js".to_owned(), text.into_bytes());
}

fn message_set(message_set: MessageSet) -> Value {
    let is_items = message_set == MessageSet::AppServerItems;
    let list = message_set.release_list();
    json!([
        message_set.as_str(),
        writer(message_set),
        message_set.is_current(),
        is_items,
        list.first().to_string(),
        list.latest().to_string(),
    ])
}

fn family(model: &FamilyModel) -> Value {
    let index = model.index;
    let sets = index.message_sets.iter().map(|set| {
        let at = MessageSet::ALL.iter().position(|one| one == set);
        json!(at)
    });
    let parts = index.parts.iter().enumerate().map(|(at, part)| {
        let way = &index.ways[at];
        let kind = KINDS.iter().position(|kind| *kind == part.kind);
        let anchor = escaped(&model.anchors[at]);
        json!([
            kind,
            part.name,
            way.from,
            or_zero(&way.pointer, &format!("/{}", part.name)),
            kinds(way),
            bounds(way),
            or_zero(part.owner, index.names[way.from]),
            or_zero(&anchor, part.name),
        ])
    });
    let edges = index.edges.iter().map(|edge| {
        let way = &edge.way;
        json!([
            edge.to,
            way.from,
            way.pointer,
            kinds(way),
            bounds(way),
            way.names
        ])
    });
    json!({
        "name": model.family.as_str(),
        "owners": index.names,
        "sets": sets.collect::<Vec<_>>(),
        "parts": parts.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}

/// The kinds of parts, in the order in which they are found.
const KINDS: [PartKind; 5] = [
    PartKind::Message,
    PartKind::Kind,
    PartKind::Member,
    PartKind::Value,
    PartKind::Type,
];

/// A text, or 0 if it is the usual one.
fn or_zero(text: &str, usual: &str) -> Value {
    match text == usual {
        true => json!(0),
        false => json!(text),
    }
}

fn kinds(way: &Way) -> Value {
    match way.kinds.is_empty() {
        true => json!(0),
        false => json!(way.kinds),
    }
}

/// The ends of the releases; 0 if they are all, null if there are none.
fn bounds(way: &Way) -> Value {
    let ends = |bounds: ReleaseBounds| match bounds == ReleaseBounds::ALWAYS {
        true => json!(0),
        false => json!([bounds.since, bounds.until].map(|end| end.map(|end| end.to_string()))),
    };
    way.bounds.map(ends).unwrap_or_default()
}

/// A rule, fault, scenario, client or guide.
struct Listed {
    kind: &'static str,
    title: String,
    about: String,
    link: String,
}

/// Rules, faults, scenarios and guides, by their titles.
fn listed(sources: &Sources) -> impl Iterator<Item = Listed> {
    sources.pages.iter().filter_map(|(path, text)| {
        let link = page_of(path)?;
        let section = link.split('/').next()?.to_owned();
        (section != "changes").then_some(())?;
        let mut lines = text.lines();
        let title = lines.find_map(|line| line.strip_prefix("# "))?;
        let about = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let kind = match section.as_str() {
            "rules" => "rule",
            "faults" => "fault",
            "scenarios" => "scenario",
            "clients" => "client",
            _ => "guide",
        };
        Some(Listed {
            kind,
            title: bare(title),
            about: bare(about),
            link,
        })
    })
}
