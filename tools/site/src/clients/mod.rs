//! Which client works with which release of Codex, as the tests of this repository saw it: a page, and a badge for each
//! client.
//!
//! The numbers are those of the pages in `docs/clients`, which these tests write; the days are those on which the
//! recordings were made, which stand in the recordings.

mod badge;
mod recordings;
mod tables;

use std::collections::BTreeSet;

use minijinja::context;
use serde::Serialize;

use crate::pages::{Head, Pages};
use crate::{Error, Sources, markdown};
use recordings::Recordings;
use tables::{Results, Row, results, rows};

/// The page of all clients and releases.
pub(crate) const PAGE: &str = "clients/releases.html";

/// The clients of the page.
pub(crate) struct Clients {
    all: Vec<Client>,
    programs: Programs,
    faults: Vec<Row>,
    recordings: Recordings,
}

/// What other pages say of a client: its title, and where its own page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct User<'c> {
    pub(crate) title: &'c str,
    pub(crate) page: &'c str,
}

/// A client, and the messages that it writes or gets in its recordings.
pub(crate) struct Meets<'c> {
    pub(crate) user: User<'c>,
    pub(crate) messages: &'c BTreeSet<String>,
}

/// A client with the releases that it was tried with.
#[derive(Clone, Debug, Serialize)]
struct Client {
    /// The name of its page, and of its recordings.
    name: String,
    /// The name that the registry has, and the version.
    title: String,
    registry: String,
    protocol: String,
    page: String,
    badge: String,
    releases: Vec<OfRelease>,
    failures: Vec<Failure>,
    /// The days on which it was recorded.
    days: String,
}

/// What came of a release.
#[derive(Clone, Debug, Serialize)]
struct OfRelease {
    release: String,
    passed: usize,
    tried: usize,
    tone: &'static str,
}

/// What a client does not show as its user expects.
#[derive(Clone, Debug, Serialize)]
struct Failure {
    scenarios: String,
    releases: String,
    text: String,
}

/// The programs that several clients have in common.
#[derive(Clone, Debug, Default, Serialize)]
struct Programs {
    releases: Vec<String>,
    clients: Vec<Program>,
}

#[derive(Clone, Debug, Serialize)]
struct Program {
    title: String,
    /// The words of each release, and how they look.
    releases: Vec<(String, &'static str)>,
}

impl Clients {
    pub(crate) fn new(sources: &Sources) -> Self {
        let recordings = Recordings::new(&sources.recordings);
        let text = |path: &str| {
            let text = sources.pages.get(&format!("docs/clients/{path}"));
            text.map(String::as_str).unwrap_or_default()
        };
        // A client, its registry, its protocol, and its page.
        let listed = rows(text("README.md"), "| client | registry |");
        let all = listed.iter().filter_map(|row| {
            let [title, registry, protocol, page] = row.as_slice() else {
                return None;
            };
            let (_, file) = page.split_once("](")?;
            let name = file.strip_suffix(".md)")?;
            let results = results(text(&format!("{name}.md")))?;
            Some(client(
                name,
                [title, registry, protocol],
                &results,
                &recordings,
            ))
        });
        let all: Vec<Client> = all.collect();
        Clients {
            all,
            recordings,
            programs: programs(text("comparison.md")),
            faults: rows(text("comparison.md"), "| fault |"),
        }
    }

    /// The clients with recordings of a protocol.
    pub(crate) fn meet(&self, protocol: &str) -> impl Iterator<Item = Meets<'_>> {
        self.all.iter().filter_map(move |client| {
            Some(Meets {
                user: User {
                    title: &client.title,
                    page: &client.page,
                },
                messages: self.recordings.messages(&client.name, protocol)?,
            })
        })
    }

    /// The badge of the client that a page of the repository is about.
    pub(crate) fn badge_of(&self, path: &str) -> Option<(&str, String)> {
        let name = path.strip_prefix("docs/clients/")?.strip_suffix(".md")?;
        let client = self.all.iter().find(|client| client.name == name)?;
        Some((&client.badge, in_words(client)))
    }

    /// Who handles the fault that a page of the repository is about: the words, and the clients that they are said of.
    pub(crate) fn at_fault(&self, path: &str) -> Vec<(String, Vec<String>)> {
        let name = path.strip_prefix("docs/faults/").unwrap_or_default();
        let name = format!("](../faults/{name})");
        let row = self.faults.iter().find(|row| row[0].ends_with(&name));
        let (Some(head), Some(row)) = (self.faults.first(), row) else {
            return Vec::new();
        };
        let mut out: Vec<(String, Vec<String>)> = Vec::new();
        for (client, word) in head
            .iter()
            .zip(row)
            .skip(1)
            .filter(|(_, word)| !word.is_empty())
        {
            match out.iter_mut().find(|(known, _)| known == word) {
                Some((_, clients)) => clients.push(client.clone()),
                None => out.push((word.clone(), vec![client.clone()])),
            }
        }
        out
    }
}

/// Writes the page and the badges.
pub(crate) fn write(pages: &mut Pages, clients: &Clients) -> Result<(), Error> {
    for client in &clients.all {
        let badge = badge::of(&in_words(client), tone_of(client));
        pages.text(&client.badge, "badge.svg", badge)?;
    }
    let releases: Vec<&str> = match clients.all.first() {
        Some(client) => client
            .releases
            .iter()
            .map(|one| one.release.as_str())
            .collect(),
        None => Vec::new(),
    };
    let head = Head {
        path: PAGE.to_owned(),
        title: "Clients and releases".to_owned(),
        about: "Which clients work with which release of Codex, from runs of this repository."
            .to_owned(),
        section: "clients",
    };
    let site = codex_wire_schema::BASE.trim_end_matches("schemas/");
    let content = context! {
        releases,
        clients => clients.all,
        programs => clients.programs,
        site,
    };
    pages.page(head, "clients.html", content)
}

fn client(
    name: &str,
    [title, registry, protocol]: [&String; 3],
    results: &Results,
    recordings: &Recordings,
) -> Client {
    let releases = results.releases.iter().enumerate().map(|(at, release)| {
        let cells = || results.scenarios.iter().map(|(_, cells)| &*cells[at]);
        let tried = cells().filter(|cell| *cell != "not tried").count();
        let passed = cells().filter(|cell| *cell == "passes").count();
        OfRelease {
            release: release.clone(),
            passed,
            tried,
            tone: tone(passed, tried),
        }
    });
    let failures = results.failures.iter().map(|(number, text)| {
        let mark = format!("fails {number}");
        let mut scenarios = Vec::new();
        let mut of = Vec::new();
        for (scenario, cells) in &results.scenarios {
            for (cell, release) in cells.iter().zip(&results.releases) {
                if *cell == mark {
                    if !scenarios.contains(&scenario.as_str()) {
                        scenarios.push(scenario);
                    }
                    if !of.contains(&release.as_str()) {
                        of.push(release);
                    }
                }
            }
        }
        Failure {
            scenarios: scenarios.join(", "),
            releases: of.join(", "),
            text: text.clone(),
        }
    });
    Client {
        name: name.to_owned(),
        title: markdown::bare(title),
        registry: markdown::bare(registry),
        protocol: markdown::bare(protocol),
        page: format!("clients/{name}.html"),
        badge: format!("clients/badges/{name}.svg"),
        releases: releases.collect(),
        failures: failures.collect(),
        days: recordings.days(name),
    }
}

fn programs(text: &str) -> Programs {
    let mut rows = rows(text, "<!-- releases: written by the tests -->").into_iter();
    let head = rows.next().unwrap_or_default();
    let clients = rows.map(|row| {
        let mut cells = row.iter().map(|cell| without_notes(&markdown::bare(cell)));
        let title = cells.next().unwrap_or_default();
        let releases = cells.map(|cell| {
            let tone = match cell.as_str() {
                cell if cell.starts_with("none") => "bad",
                cell if cell.contains("not ") => "warning",
                _ => "good",
            };
            (cell, tone)
        });
        Program {
            title,
            releases: releases.collect(),
        }
    });
    Programs {
        releases: head.into_iter().skip(1).collect(),
        clients: clients.collect(),
    }
}

/// A cell without the numbers of its notes: `1; not 2 [1]` becomes `1; not 2`.
fn without_notes(cell: &str) -> String {
    let mut parts = cell.split(" [");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once(']').map_or(part, |(_, rest)| rest));
    }
    out
}

fn tone(passed: usize, tried: usize) -> &'static str {
    match passed {
        _ if tried == 0 => "none",
        _ if passed == tried => "good",
        0 => "bad",
        _ => "warning",
    }
}

/// That of the newest release, which is what a user comes with.
fn tone_of(client: &Client) -> &'static str {
    client.releases.last().map_or("none", |newest| newest.tone)
}

/// How many scenarios pass of those that were tried, by release: `0.125.0 1/1, 0.169.0 5/6`.
fn in_words(client: &Client) -> String {
    let releases = client.releases.iter().filter(|one| one.tried > 0);
    let releases = releases.map(|one| format!("{} {}/{}", one.release, one.passed, one.tried));
    releases.collect::<Vec<_>>().join(" · ")
}

#[cfg(test)]
mod tests {
    use super::without_notes;

    #[test]
    fn notes_go_from_a_cell() {
        let cell = "1; not 2 [1], 3 [12]";
        assert_eq!(without_notes(cell), "1; not 2, 3");
        assert_eq!(without_notes("1, 2"), "1, 2");
    }
}
