//! What is searched in the browser: a script with the parts that `codex-wire find` looks through, and pages.
//!
//! `assets/find.js` finds in it what `codex_wire_schema::find` finds. Everything is a list, because there are
//! thousands of parts: of a part its kind, name, owner, pointer, kinds, ends of its releases, documentation and link.

use codex_wire_base::{MessageSet, ReleaseBounds};
use codex_wire_schema::find::Way;
use serde_json::{Value, json};

use crate::Sources;
use crate::links::page_of;
use crate::model::{FamilyModel, Model};
use crate::pages::Pages;
use crate::protocol::writer;
use crate::tree::DEEP;

/// Writes the script.
pub(crate) fn write(pages: &mut Pages, model: &Model, sources: &Sources) {
    let index = json!({
        "deep": DEEP,
        "sets": MessageSet::ALL.iter().map(|set| message_set(*set)).collect::<Vec<_>>(),
        "families": model.families.iter().map(family).collect::<Vec<_>>(),
        "pages": of_pages(sources),
    });
    let text = format!("window.codexWireIndex={index};\n");
    pages.file("assets/index.js".to_owned(), text.into_bytes());
}

fn message_set(message_set: MessageSet) -> Value {
    let is_items = message_set == MessageSet::AppServerItems;
    json!([
        message_set.as_str(),
        writer(message_set),
        message_set.is_current(),
        is_items
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
        let mut out = vec![json!(part.kind.as_str()), json!(part.name)];
        out.extend(way_of(way));
        out.extend([
            json!(part.owner),
            json!(part.about),
            json!(model.link_of(at)),
        ]);
        Value::Array(out)
    });
    let edges = index.edges.iter().map(|edge| {
        let mut out = vec![json!(edge.to)];
        out.extend(way_of(&edge.way));
        out.push(json!(edge.way.names));
        Value::Array(out)
    });
    json!({
        "name": model.family.as_str(),
        "owners": index.names,
        "sets": sets.collect::<Vec<_>>(),
        "parts": parts.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}

fn way_of(way: &Way) -> [Value; 4] {
    let bounds = |bounds: ReleaseBounds| {
        let ends = [bounds.since, bounds.until];
        json!(ends.map(|end| end.map(|end| end.to_string())))
    };
    [
        json!(way.from),
        json!(way.pointer),
        json!(way.kinds),
        way.bounds.map(bounds).unwrap_or_default(),
    ]
}

/// Rules, faults, scenarios and guides, by their titles.
fn of_pages(sources: &Sources) -> Value {
    let pages = sources.pages.iter().filter_map(|(path, text)| {
        let page = page_of(path)?;
        let section = page.split('/').next()?.to_owned();
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
        Some(json!([
            kind,
            title.replace('`', ""),
            about.replace('`', ""),
            page
        ]))
    });
    pages.collect()
}
