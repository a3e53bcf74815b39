//! The pages that the repository has in Markdown.

use minijinja::context;
use serde::Serialize;

use crate::clients::Clients;
use crate::links::{Links, joined, page_of, transcripts_of};
use crate::markdown::{self, References};
use crate::pages::{Head, Pages};
use crate::timelines::Timelines;
use crate::{Error, Sources};

/// What the guides are about, in the order in which they are listed.
const GROUPS: [(&str, &str); 6] = [
    ("Begin", "README.md"),
    (
        "Check",
        "checking reports configuration endings session-files databases hooks identification folders",
    ),
    (
        "Look up and compare",
        "looking-up comparing schemas languages surfaces session-surfaces transcripts",
    ),
    ("Test a client", "replay scripts conformance record"),
    (
        "Read sessions",
        "show session usage exporting reading scrubbing accounting",
    ),
    (
        "About the project",
        "stability decisions limits origins tests releasing",
    ),
];

/// A page in a list.
#[derive(Serialize)]
struct Listed {
    title: String,
    page: String,
    about: String,
}

/// A group of pages.
#[derive(Serialize)]
struct Group {
    title: &'static str,
    guides: Vec<Listed>,
}

/// Writes them.
pub(crate) fn write(
    pages: &mut Pages,
    sources: &Sources,
    links: &Links,
    clients: &Clients,
) -> Result<(), Error> {
    let mut guides = Vec::new();
    let timelines = Timelines::new(&sources.transcripts);
    for (path, text) in &sources.pages {
        let Some(own) = page_of(path) else { continue };
        let section = own.split('/').next().unwrap_or_default().to_owned();
        // A page of changes is about one protocol.
        let family = match path.strip_prefix("docs/changes/") {
            Some(rest) => rest.split('/').next().unwrap_or_default(),
            None => "app-server",
        };
        let family = if family == "exec-legacy" {
            "core"
        } else {
            family
        };
        let references = References {
            link: &|link| links.resolve(path, &own, link),
            code: &|name| links.named(family, &own, name),
            example: &|link| timelines.of(&joined(path, link)),
        };
        let rendered = markdown::page(text, &references);
        let title = match rendered.title.as_str() {
            "" => path.clone(),
            title => title.to_owned(),
        };
        if section == "guides" {
            guides.push((
                path.clone(),
                Listed {
                    title: title.clone(),
                    page: own.clone(),
                    about: rendered.about.clone(),
                },
            ));
        }
        let section = match section.as_str() {
            "guides" => "guides",
            "changes" => "changes",
            "rules" => "rules",
            "faults" => "faults",
            "scenarios" => "scenarios",
            _ => "clients",
        };
        let above = match own.matches('/').count() {
            0 => String::new(),
            _ if own == format!("{section}/index.html") => String::new(),
            _ => format!("{section}/index.html"),
        };
        let compare = own == "changes/index.html";
        // A rule shows its transcripts where it names them.
        let recorded = match section {
            "scenarios" => recorded(path, text, &timelines),
            _ => Vec::new(),
        };
        let badge = clients.badge_of(path);
        let at_fault = clients.at_fault(path);
        let head = Head {
            path: own,
            title: title.clone(),
            about: rendered.about,
            section,
        };
        let content = context! { title, html => rendered.html, above, section, compare, badge, at_fault, recorded, source => path };
        pages.page(head, "guide.html", content)?;
    }
    for (path, picture) in &sources.pictures {
        let name = path.rsplit('/').next().unwrap_or(path);
        pages.file(format!("assets/{name}"), picture.clone());
    }
    index(pages, guides)
}

/// The recordings that a page names, newest first, each as a timeline.
fn recorded(path: &str, text: &str, timelines: &Timelines<'_>) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = transcripts_of(path, text)
        .filter_map(|transcript| {
            let timeline = timelines.of(&transcript)?;
            Some((transcript, timeline))
        })
        .collect();
    out.reverse();
    out
}

fn index(pages: &mut Pages, mut guides: Vec<(String, Listed)>) -> Result<(), Error> {
    let mut groups: Vec<Group> = Vec::new();
    for (title, names) in GROUPS {
        let mut of_group = Vec::new();
        for name in names.split(' ') {
            let path = format!("docs/{name}.md");
            if let Some(at) = guides
                .iter()
                .position(|(own, _)| *own == path || own == name)
            {
                of_group.push(guides.remove(at).1);
            }
        }
        groups.push(Group {
            title,
            guides: of_group,
        });
    }
    // What no group names is listed all the same.
    if let Some(last) = groups.last_mut() {
        last.guides
            .extend(guides.into_iter().map(|(_, listed)| listed));
    }
    groups.retain(|group| !group.guides.is_empty());
    let head = Head {
        path: "guides/index.html".to_owned(),
        title: "Guides".to_owned(),
        about: "How to check, look up, compare, replay and read what Codex says.".to_owned(),
        section: "guides",
    };
    pages.page(head, "guides.html", context! { groups })
}
