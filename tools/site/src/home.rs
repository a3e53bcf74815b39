//! The first page.

use minijinja::context;
use serde::Serialize;

use crate::model::Model;
use crate::pages::{Head, Pages};
use crate::protocol::overview;
use crate::{Error, Sources};

/// How many releases are named as the newest.
const NEWEST: usize = 6;

/// A release with what it changed.
#[derive(Serialize)]
struct Newest {
    release: String,
    page: String,
    breaking: u32,
    maybe: u32,
    compatible: u32,
}

/// Writes it.
pub(crate) fn write(pages: &mut Pages, model: &Model, sources: &Sources) -> Result<(), Error> {
    let families: Vec<_> = model.families.iter().map(overview).collect();
    let newest: Vec<Newest> = newest(sources);
    let head = Head {
        path: "index.html".to_owned(),
        title: "codex-wire".to_owned(),
        about: "The wire protocols of OpenAI's Codex, described for every release.".to_owned(),
        section: "home",
    };
    pages.page(head, "home.html", context! { families, newest })
}

/// The newest releases of the app-server, from the list of what each changed.
fn newest(sources: &Sources) -> Vec<Newest> {
    let index = sources.pages.get("docs/changes/README.md");
    let rows = index.map(String::as_str).unwrap_or_default().lines();
    let rows = rows.filter_map(|line| {
        let rest = line.strip_prefix("| [")?;
        let (release, rest) = rest.split_once("](")?;
        let (path, rest) = rest.split_once(") |")?;
        path.starts_with("app-server/").then_some(())?;
        let mut counts = rest.split('|').filter_map(|cell| cell.trim().parse().ok());
        let (breaking, maybe, _, compatible) = (
            counts.next()?,
            counts.next()?,
            counts.next()?,
            counts.next()?,
        );
        Some(Newest {
            release: release.to_owned(),
            page: format!("changes/{}.html", path.strip_suffix(".md")?),
            breaking,
            maybe,
            compatible,
        })
    });
    rows.take(NEWEST).collect()
}
