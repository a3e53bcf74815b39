//! Writes the coverage page of the app-server: methods line by line, definitions by domain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use app_server_codegen::domains::Domains;
use codex_wire::{MessageSet, Protocol, Release};

use super::inventory::{Feature, Row};
use super::page::{exists, ranges};

/// What is looked through, in the order the page follows. Items stand in notifications and results.
pub(super) const MESSAGE_SETS: [MessageSet; 7] = [
    MessageSet::AppServerClientRequests,
    MessageSet::AppServerServerResponses,
    MessageSet::AppServerServerRequests,
    MessageSet::AppServerClientResponses,
    MessageSet::AppServerServerNotifications,
    MessageSet::AppServerClientNotifications,
    MessageSet::AppServerErrors,
];

const INTRODUCTION: &str = "# What the fixtures cover of the app-server protocol

Written by `cargo xtask generate`; a test holds it up to date. It counts everything the
annotated documents of the app-server protocol declare at any release: methods, and of every
definition that messages reach its members, the values of enumerations and the alternatives of
unions. That a member is `null` or left out counts on its own where the official schemas allow
it. Results count under the method they answer. What Codex refused in a recording does not
count. Ranges run over the recorded releases:
";

const DEFINITIONS: &str = "
Of a definition that is seen in part, the last column has what is not seen, with the releases
that have it where not all with the definition do. A name is a value or kind, or a member with a
value; `null` and absence are said. What is seen whole, and what is never seen, is only named.
";

/// The methods of one side: a title, the union that has them, and the union of their results.
const METHODS: [(&str, &str, Option<&str>); 4] = [
    (
        "Requests of the client",
        "ClientRequest",
        Some("ServerResponse"),
    ),
    ("Requests of Codex", "ServerRequest", Some("ClientResponse")),
    ("Notifications of Codex", "ServerNotification", None),
    ("Notifications of the client", "ClientNotification", None),
];

/// What stands around params and results.
const FRAMES: [&str; 7] = [
    "ClientNotification",
    "ClientRequest",
    "ClientResponse",
    "ErrorResponse",
    "ServerNotification",
    "ServerRequest",
    "ServerResponse",
];

/// The title of the section with what stands around params and results.
const FRAME_SECTION: &str = "frames";

/// The module of every generated type.
#[derive(Debug)]
pub(super) struct Modules(BTreeMap<String, String>);

impl Modules {
    /// Reads the modules of the generated types in the repository at `root`.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let folder = root.join("crates/codex-wire/src/app_server/types");
        let mut modules = BTreeMap::new();
        for entry in fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))? {
            let path = entry?.path();
            let module = path.file_stem().unwrap_or_default().to_string_lossy();
            for line in fs::read_to_string(&path)?.lines() {
                let declared = ["pub struct ", "pub enum ", "pub type "];
                let rest = declared.iter().find_map(|start| line.strip_prefix(start));
                if let Some(rest) = rest {
                    let end = rest.find(|c: char| !c.is_alphanumeric());
                    let name = &rest[..end.unwrap_or(rest.len())];
                    modules.insert(name.to_owned(), module.clone().into_owned());
                }
            }
        }
        Ok(Modules(modules))
    }

    /// The module of a definition; of a part that has no type of its own, that of the type whose
    /// name its own begins with.
    fn of(&self, definition: &str) -> &str {
        if FRAMES.contains(&definition) || ["ErrorObject", "RequestId"].contains(&definition) {
            return FRAME_SECTION;
        }
        let starts = (1..=definition.len()).rev();
        let mut names = starts.filter_map(|end| definition.get(..end));
        let module = names.find_map(|name| self.0.get(name));
        module.map_or("other", String::as_str)
    }
}

/// What is known of a definition.
#[derive(Default)]
struct Tally<'a> {
    rows: Vec<&'a Row>,
}

impl Tally<'_> {
    fn seen(&self) -> usize {
        self.rows.iter().filter(|row| is_seen(row)).count()
    }

    fn recorded(&self) -> BTreeSet<Release> {
        let recorded = self.rows.iter().flat_map(|row| &row.recorded);
        recorded.copied().collect()
    }

    fn exists(&self) -> BTreeSet<Release> {
        let exists = self.rows.iter().flat_map(|row| &row.exists);
        exists.copied().collect()
    }
}

/// What the page is made of.
pub(super) struct Contents<'a> {
    pub(super) rows: &'a [Row],
    /// The releases with recorded transcripts, oldest first.
    pub(super) recorded: &'a [Release],
    pub(super) modules: &'a Modules,
    pub(super) domains: &'a Domains,
}

impl<'a> Contents<'a> {
    /// Renders the page.
    pub(super) fn page(&self) -> String {
        let releases: Vec<String> = self.recorded.iter().map(Release::to_string).collect();
        let mut out = format!("{INTRODUCTION}{}.\n", wrapped(&releases));
        let sections = self.sections();
        self.summary(&sections, &mut out);
        for (title, union, results) in METHODS {
            let _ = writeln!(out, "\n## {title}\n");
            self.methods(union, results, &mut out);
        }
        let _ = write!(out, "\n## Definitions\n{DEFINITIONS}");
        for (name, about) in self.order() {
            if let Some(section) = sections.get(name) {
                let _ = write!(out, "\n### {name}\n\n{about}\n");
                self.definitions(section, &mut out);
            }
        }
        out
    }

    /// Definitions by domain.
    fn sections(&self) -> BTreeMap<&'a str, BTreeMap<&'a str, Tally<'a>>> {
        let mut out: BTreeMap<&str, BTreeMap<&str, Tally<'_>>> = BTreeMap::new();
        for row in self.rows {
            let of = of(&row.feature);
            if matches!(row.feature, Feature::Kind(..)) && FRAMES.contains(&of) {
                continue;
            }
            let definition = of.split('.').next().unwrap_or(of);
            let section = out.entry(self.modules.of(definition)).or_default();
            section.entry(definition).or_default().rows.push(row);
        }
        out
    }

    /// The domains in their order, each with a sentence.
    fn order(&self) -> Vec<(&'a str, &'a str)> {
        let frames = (FRAME_SECTION, "What stands around params and results.");
        let domains = self.domains.all().iter();
        let domains = domains.map(|domain| (domain.name.as_str(), domain.about.as_str()));
        let other = ("other", "What is in no module.");
        [frames].into_iter().chain(domains).chain([other]).collect()
    }

    fn summary(&self, sections: &BTreeMap<&str, BTreeMap<&str, Tally<'_>>>, out: &mut String) {
        out.push_str("\n| methods | seen | of |\n|---|--:|--:|\n");
        for (title, union, results) in METHODS {
            let mut line = |title: &str, union: &str| {
                let rows = self.kinds(union);
                let seen = rows.values().filter(|row| is_seen(row)).count();
                let _ = writeln!(out, "| {title} | {seen} | {} |", rows.len());
            };
            line(title, union);
            if let Some(results) = results {
                line(&format!("{title}: results"), results);
            }
        }
        out.push_str("\n| domain | definitions seen | of | members, values, alternatives seen | of |\n|---|--:|--:|--:|--:|\n");
        let mut total = [0; 4];
        for (name, _) in self.order() {
            let Some(section) = sections.get(name) else {
                continue;
            };
            let numbers = [
                section.values().filter(|tally| tally.seen() > 0).count(),
                section.len(),
                section.values().map(Tally::seen).sum(),
                section.values().map(|tally| tally.rows.len()).sum(),
            ];
            total.iter_mut().zip(numbers).for_each(|(t, n)| *t += n);
            let [a, b, c, d] = numbers;
            let _ = writeln!(out, "| {name} | {a} | {b} | {c} | {d} |");
        }
        let [a, b, c, d] = total;
        let _ = writeln!(out, "| **all** | {a} | {b} | {c} | {d} |");
    }

    /// The alternatives of a union of messages, by method.
    fn kinds(&self, union: &str) -> BTreeMap<&'a str, &'a Row> {
        let rows = self.rows.iter();
        rows.filter_map(|row| match &row.feature {
            Feature::Kind(of, kind) if of == union => Some((kind.as_str(), row)),
            _ => None,
        })
        .collect()
    }

    fn methods(&self, union: &str, results: Option<&str>, out: &mut String) {
        let answers = results.map(|results| self.kinds(results));
        out.push_str(match answers {
            Some(_) => "| method | exists in | seen in | answered in |\n|---|---|---|---|\n",
            None => "| method | exists in | seen in |\n|---|---|---|\n",
        });
        for (method, row) in self.kinds(union) {
            let exists = exists(&row.exists, Protocol::AppServer.release_list());
            let _ = write!(out, "| `{method}` | {exists} | {} |", self.seen_in(row));
            if let Some(answers) = &answers {
                let answered = answers.get(method).map(|row| self.seen_in(row));
                let _ = write!(out, " {} |", answered.unwrap_or_default());
            }
            out.push('\n');
        }
    }

    fn seen_in(&self, row: &Row) -> String {
        match (row.recorded.is_empty(), row.synthetic.is_empty()) {
            (false, _) => ranges(&row.recorded, self.recorded),
            (true, false) => "synthetic".to_owned(),
            (true, true) => "**never**".to_owned(),
        }
    }

    fn definitions(&self, section: &BTreeMap<&str, Tally<'_>>, out: &mut String) {
        let (seen, never): (Vec<_>, Vec<_>) =
            section.iter().partition(|(_, tally)| tally.seen() > 0);
        let (whole, part): (Vec<_>, Vec<_>) = seen
            .into_iter()
            .partition(|(_, tally)| tally.seen() == tally.rows.len());
        if !whole.is_empty() {
            let names: Vec<String> = whole.iter().map(|(name, _)| format!("`{name}`")).collect();
            let _ = writeln!(out, "\n**Seen whole**: {}.", names.join(", "));
        }
        if !part.is_empty() {
            out.push_str("\n| definition | seen | seen in | not seen |\n|---|--:|---|---|\n");
        }
        for (name, tally) in part {
            let _ = writeln!(
                out,
                "| `{name}` | {} of {} | {} | {} |",
                tally.seen(),
                tally.rows.len(),
                ranges(&tally.recorded(), self.recorded),
                missing(name, tally),
            );
        }
        if !never.is_empty() {
            let names: Vec<String> = never.iter().map(|(name, _)| format!("`{name}`")).collect();
            let _ = writeln!(out, "\n**Never**: {}.", names.join(", "));
        }
    }
}

/// Whether any transcript has it.
fn is_seen(row: &Row) -> bool {
    !row.recorded.is_empty() || !row.synthetic.is_empty()
}

/// What a feature is one of: a definition, or a part of one.
fn of(feature: &Feature) -> &str {
    match feature {
        Feature::Kind(of, _)
        | Feature::Member(of, _)
        | Feature::Second(of, _)
        | Feature::Null(of, _)
        | Feature::LeftOut(of, _)
        | Feature::SecondLeftOut(of, _)
        | Feature::Value(of, _) => of,
    }
}

/// What was not seen of a definition, the ways of one member together.
fn missing(definition: &str, tally: &Tally<'_>) -> String {
    let whole = tally.exists();
    let mut out: Vec<(String, Vec<&str>, String)> = Vec::new();
    for row in tally.rows.iter().filter(|row| !is_seen(row)) {
        let (name, way) = match &row.feature {
            Feature::Kind(_, name) | Feature::Value(_, name) => (name, ""),
            Feature::Member(_, name) => (name, "a value"),
            Feature::Null(_, name) => (name, "`null`"),
            Feature::LeftOut(_, name) => (name, "absent"),
            Feature::Second(_, name) => (name, "twice"),
            Feature::SecondLeftOut(_, name) => (name, "once"),
        };
        let path = of(&row.feature)[definition.len()..].trim_start_matches('.');
        let name = match path {
            "" => format!("`{name}`"),
            _ => format!("`{path}.{name}`"),
        };
        let when = match row.exists == whole {
            true => String::new(),
            false => exists(&row.exists, Protocol::AppServer.release_list()),
        };
        match out.last_mut() {
            Some((last, ways, known_when)) if *last == name && *known_when == when => {
                ways.push(way);
            }
            _ => out.push((name, vec![way], when)),
        }
    }
    let words = out.into_iter().map(|(name, ways, when)| {
        let ways = match ways[..] {
            ["" | "a value"] => String::new(),
            _ => format!(" {}", ways.join("/")),
        };
        match when.as_str() {
            "" => format!("{name}{ways}"),
            _ => format!("{name}{ways} ({when})"),
        }
    });
    words.collect::<Vec<_>>().join(", ")
}

/// Words with commas between them, in lines of a readable length.
fn wrapped(words: &[String]) -> String {
    let mut out = String::new();
    let mut column = 0;
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            out.push(',');
            let fits = column + word.len() < 96;
            out.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 2 } else { 0 };
        }
        out.push_str(word);
        column += word.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(feature: Feature, exists: &[Release], recorded: &[Release]) -> Row {
        Row {
            feature,
            exists: exists.iter().copied().collect(),
            recorded: recorded.iter().copied().collect(),
            synthetic: BTreeSet::new(),
        }
    }

    #[test]
    fn the_ways_of_a_member_stand_together() {
        let releases = Protocol::AppServer.release_list();
        let (old, new) = (releases.first(), releases.latest());
        let names = |name: &str| ("Thread".to_owned(), name.to_owned());
        let feature = |make: fn(String, String) -> Feature, name: &str| {
            let (of, name) = names(name);
            make(of, name)
        };
        let rows = [
            row(feature(Feature::Member, "id"), &[old, new], &[old]),
            row(feature(Feature::Member, "name"), &[old, new], &[]),
            row(feature(Feature::Null, "name"), &[old, new], &[]),
            row(feature(Feature::LeftOut, "name"), &[old, new], &[new]),
            row(feature(Feature::Member, "late"), &[new], &[]),
            row(
                Feature::Value("Thread.kind".to_owned(), "a".to_owned()),
                &[old, new],
                &[],
            ),
        ];
        let tally = Tally {
            rows: rows.iter().collect(),
        };
        assert_eq!(tally.seen(), 2);
        assert_eq!(
            missing("Thread", &tally),
            format!("`name` a value/`null`, `late` ({new} →), `kind.a`")
        );
    }

    #[test]
    fn parts_live_with_their_whole() {
        let of_file = |name: &str, module: &str| (name.to_owned(), module.to_owned());
        let modules = Modules(BTreeMap::from([
            of_file("Agent", "item"),
            of_file("AgentStatus", "thread"),
        ]));
        assert_eq!(modules.of("AgentStatus"), "thread");
        assert_eq!(modules.of("AgentStatusErrored"), "thread");
        assert_eq!(modules.of("Agents"), "item");
        assert_eq!(modules.of("ClientRequest"), FRAME_SECTION);
        assert_eq!(modules.of("Unheard"), "other");
    }

    #[test]
    fn long_lists_are_wrapped() {
        let words: Vec<String> = (10..60).map(|n| format!("`word{n}`")).collect();
        let text = wrapped(&words);
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        assert_eq!(text.replace('\n', " "), words.join(", "));
    }
}
