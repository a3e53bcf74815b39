//! Where links of pages in Markdown lead: to a page of the site, or to the repository.

use std::collections::HashMap;

use crate::Sources;
use crate::address::root_of;
use crate::model::Model;

/// Which page each path of the repository has, and which each name of a part.
pub(crate) struct Links {
    pages: HashMap<String, String>,
    names: HashMap<String, String>,
    repository: String,
}

/// The page of a path of the repository, if the site has it.
pub(crate) fn page_of(path: &str) -> Option<String> {
    if path == "README.md" {
        return Some("guides/readme.html".to_owned());
    }
    let below = path.strip_prefix("docs/")?.strip_suffix(".md")?;
    let page = match below.rsplit_once('/') {
        Some((folder, "README")) => format!("{folder}/index"),
        Some(_) => below.to_owned(),
        None => format!("guides/{below}"),
    };
    Some(format!("{page}.html"))
}

impl Links {
    pub(crate) fn new(sources: &Sources, model: &Model) -> Self {
        let mut pages = HashMap::new();
        for path in sources.pages.keys() {
            pages.extend(page_of(path).map(|page| (path.clone(), page)));
        }
        for path in sources.pictures.keys() {
            let name = path.rsplit('/').next().unwrap_or(path);
            pages.insert(path.clone(), format!("assets/{name}"));
        }
        let mut names = HashMap::new();
        // Names of the app-server, which most pages are about, win.
        for family in &model.families {
            for (at, part) in family.index.parts.iter().enumerate() {
                use codex_wire_schema::find::PartKind::{Kind, Member, Message, Type, Value};
                let name = match part.kind {
                    Message | Type => part.name.to_owned(),
                    Member => format!("{}.{}", part.owner, part.name),
                    Kind | Value => format!("{} {}", part.owner, part.name),
                };
                // Words of a sentence are not names.
                if name.contains(['.', '/', ' ']) || name.starts_with(char::is_uppercase) {
                    names.insert((family.family.as_str(), name), family.link_of(at));
                }
            }
        }
        let mut by_name = HashMap::new();
        for ((family, name), page) in names {
            by_name.insert(format!("{family} {name}"), page);
        }
        Links {
            pages,
            names: by_name,
            repository: sources.repository.clone(),
        }
    }

    /// Where a link of a page leads, as the page writes it.
    pub(crate) fn resolve(&self, from: &str, own: &str, link: &str) -> String {
        if link.starts_with('#') || link.contains("://") || link.starts_with("mailto:") {
            return link.to_owned();
        }
        let (path, anchor) = match link.split_once('#') {
            Some((path, anchor)) => (path, format!("#{anchor}")),
            None => (link, String::new()),
        };
        let target = joined(from, path);
        if let Some(page) = self.pages.get(&target) {
            return format!("{}{page}{anchor}", root_of(own));
        }
        if let Some(page) = self.pages.get(&format!("{target}/README.md")) {
            return format!("{}{page}{anchor}", root_of(own));
        }
        let kind = match target
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'))
        {
            true => "blob",
            false => "tree",
        };
        format!("{}/{kind}/main/{target}{anchor}", self.repository)
    }

    /// The page of a part that is named in code.
    pub(crate) fn named(&self, family: &str, own: &str, name: &str) -> Option<String> {
        let page = self.names.get(&format!("{family} {name}"))?;
        Some(format!("{}{page}", root_of(own)))
    }
}

/// The transcripts of the repository that a page in Markdown links to, by their paths.
pub(crate) fn transcripts_of(path: &str, text: &str) -> impl Iterator<Item = String> {
    let links = text.split("](").skip(1);
    let links = links.filter_map(|rest| rest.split_once(')').map(|(link, _)| link));
    let is_one = |link: &&str| link.contains("fixtures/") && link.ends_with(".jsonl");
    links.filter(is_one).map(move |link| joined(path, link))
}

/// A path from the folder of a file.
pub(crate) fn joined(from: &str, path: &str) -> String {
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
