//! The feed of what releases changed.

use minijinja::context;
use serde::Serialize;

use crate::links::page_of;
use crate::pages::Pages;
use crate::{Error, Sources};

/// How many entries the feed has.
const MOST: usize = 40;

/// A page of changes.
#[derive(Serialize)]
struct Entry {
    title: String,
    page: String,
    date: String,
    summary: String,
    #[serde(skip)]
    order: Vec<u32>,
}

/// Writes it, if it is known when pages were added.
pub(crate) fn write(pages: &mut Pages, sources: &Sources) -> Result<(), Error> {
    if sources.dates.is_empty() {
        return Ok(());
    }
    let mut entries: Vec<Entry> = sources
        .pages
        .iter()
        .filter_map(|(path, text)| entry(path, text, sources))
        .collect();
    // Pages that came at the same time: the newest release first.
    entries.sort_by(|a, b| (&b.date, &b.order).cmp(&(&a.date, &a.order)));
    entries.truncate(MOST);
    let updated = entries.first().map(|entry| entry.date.clone());
    let Some(updated) = updated else {
        return Ok(());
    };
    let site = codex_wire_schema::BASE.trim_end_matches("schemas/");
    pages.text("feed.xml", "feed.xml", context! { entries, updated, site })
}

fn entry(path: &str, text: &str, sources: &Sources) -> Option<Entry> {
    let below = path.strip_prefix("docs/changes/")?;
    let (_, release) = below.strip_suffix(".md")?.split_once('/')?;
    let date = sources.dates.get(path)?;
    let mut lines = text.lines().filter(|line| !line.is_empty());
    let title = lines.find_map(|line| line.strip_prefix("# "))?;
    let summary = lines.next().unwrap_or_default();
    let summary = summary.split(" [").next().unwrap_or_default();
    let numbers = release.split(['.', '-']);
    Some(Entry {
        title: title.to_owned(),
        page: page_of(path)?,
        date: date.clone(),
        summary: summary.to_owned(),
        order: numbers.filter_map(|number| number.parse().ok()).collect(),
    })
}
