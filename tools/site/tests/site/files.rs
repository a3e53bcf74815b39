//! Looks at the files of the site: its links, its anchors, its size.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::convert::Infallible;

use codex_wire_base::MessageSet;
use codex_wire_schema::find::{PartKind, families, index};
use codex_wire_schema::{BASE, Identity, archive, publish};
use libtest_mimic::Trial;
use sampling::{Extent, extent};
use serde_json::Value;

use crate::{FILES, root};

/// The tests.
pub(crate) fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 9] = [
        (
            "each_link_leads_to_a_file_and_each_anchor_is_there",
            each_link_leads_to_a_file_and_each_anchor_is_there,
        ),
        (
            "each_part_of_each_protocol_has_an_anchor",
            each_part_of_each_protocol_has_an_anchor,
        ),
        (
            "identifiers_of_a_page_are_its_own",
            identifiers_of_a_page_are_its_own,
        ),
        ("the_first_page_is_small", the_first_page_is_small),
        ("no_page_asks_another_host", no_page_asks_another_host),
        (
            "each_rule_shows_both_transcripts_as_timelines",
            each_rule_shows_both_transcripts_as_timelines,
        ),
        (
            "each_scenario_shows_its_recordings",
            each_scenario_shows_its_recordings,
        ),
        (
            "each_schema_is_where_its_id_says",
            each_schema_is_where_its_id_says,
        ),
        (
            "each_client_has_a_row_and_a_badge",
            each_client_has_a_row_and_a_badge,
        ),
    ];
    let trial = |(name, run): (&str, fn())| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    tests.map(trial).into()
}

/// The pages, by their paths.
fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pages = FILES.iter().filter(|(path, _)| path.ends_with(".html"));
    pages.map(|(path, bytes)| (path.as_str(), std::str::from_utf8(bytes).unwrap()))
}

/// The values of an attribute in a page, as they are meant.
fn attributes(page: &str, name: &str) -> Vec<String> {
    let begin = format!(" {name}=\"");
    let values = page.split(begin.as_str()).skip(1);
    let values = values.filter_map(|rest| rest.split_once('"').map(|(value, _)| value));
    values.map(unescaped).collect()
}

fn unescaped(text: &str) -> String {
    let mut out = text.to_owned();
    for (entity, c) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
        ("&#39;", "'"),
        ("&#x2f;", "/"),
        ("&amp;", "&"),
    ] {
        out = out.replace(entity, c);
    }
    out
}

/// An anchor as its identifier has it.
fn unquoted(anchor: &str) -> String {
    let mut out = anchor.to_owned();
    for (escaped, c) in [
        ("%22", "\""),
        ("%3C", "<"),
        ("%3E", ">"),
        ("%23", "#"),
        ("%60", "`"),
        ("%25", "%"),
    ] {
        out = out.replace(escaped, c);
    }
    out
}

fn joined(from: &str, path: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => assert!(
                parts.pop().is_some(),
                "{from}: {path} leads out of the site"
            ),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn each_link_leads_to_a_file_and_each_anchor_is_there() {
    let mut schemas: HashSet<String> = publish()
        .into_iter()
        .map(|file| format!("schemas/{}", file.path))
        .collect();
    // Those of single releases are of the whole site: another test compares them with what it is made of.
    schemas.extend(schemas_of_releases(|_| true));
    let ids: HashMap<&str, HashSet<String>> = pages()
        .map(|(path, page)| (path, attributes(page, "id").into_iter().collect()))
        .collect();
    let mut links = 0;
    let mut wrong = BTreeSet::new();
    for (path, page) in pages() {
        let all = attributes(page, "href").into_iter();
        for link in all.chain(attributes(page, "src")) {
            if link.starts_with("https://") || link.starts_with("http://") {
                continue;
            }
            links += 1;
            let (target, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match target {
                "" => path.to_owned(),
                target => joined(path, target),
            };
            let is_there = FILES.contains_key(&target) || schemas.contains(&target);
            let has_anchor = anchor.is_empty()
                || ids
                    .get(target.as_str())
                    .is_some_and(|ids| ids.contains(&unquoted(anchor)));
            if !is_there || !has_anchor {
                wrong.insert(format!("{path}: {link}"));
            }
        }
    }
    assert!(links > 50_000, "{links} links");
    let shown: Vec<_> = wrong.iter().take(20).collect();
    assert!(
        wrong.is_empty(),
        "{} links lead nowhere: {shown:#?}",
        wrong.len()
    );
}

fn each_part_of_each_protocol_has_an_anchor() {
    let mut parts = 0;
    for family in families() {
        let index = index(family);
        for (part, way) in index.parts.iter().zip(index.ways) {
            parts += 1;
            let name = family.as_str();
            if part.kind == PartKind::Message {
                let page = format!("protocol/{name}/messages/{}.html", part.name);
                assert!(FILES.contains_key(&page), "no page {page}");
                continue;
            }
            let definitions = index.names.len() - index.message_sets.len();
            let folder = if way.from < definitions {
                "types"
            } else {
                "sets"
            };
            let page = format!("protocol/{name}/{folder}/{}.html", index.names[way.from]);
            let text = FILES.get(&page).unwrap_or_else(|| panic!("no page {page}"));
            let text = std::str::from_utf8(text).unwrap();
            // An anchor ends with the name of the part.
            let mut ids = attributes(text, "id").into_iter();
            let named = part.name.replace(' ', "_");
            let has = ids.any(|id| id.contains(&named) || named.is_empty());
            assert!(
                has || part.kind == PartKind::Type,
                "{page} has no {}",
                part.name
            );
        }
    }
    assert!(parts > 8_000, "{parts} parts");
}

fn identifiers_of_a_page_are_its_own() {
    for (path, page) in pages() {
        let mut seen = HashSet::new();
        for id in attributes(page, "id") {
            assert!(!id.contains(char::is_whitespace), "{path}: {id}");
            assert!(seen.insert(id.clone()), "{path} has {id} twice");
        }
    }
}

fn the_first_page_is_small() {
    let files = [
        "index.html",
        "assets/site.css",
        "assets/site.js",
        "assets/icon.svg",
    ];
    let len: usize = files.iter().map(|file| FILES[*file].len()).sum();
    assert!(len < 100_000, "{len} bytes");
    let page = std::str::from_utf8(&FILES["index.html"]).unwrap();
    let mut asked = attributes(page, "src");
    asked.retain(|file| !files.contains(&file.as_str()));
    assert_eq!(asked, Vec::<String>::new());
}

fn no_page_asks_another_host() {
    for (path, page) in pages() {
        for name in ["src", "srcset", "data", "action"] {
            for value in attributes(page, name) {
                assert!(!value.contains("//"), "{path}: {name}={value}");
            }
        }
        for sheet in page.split("<link rel=\"stylesheet\"").skip(1) {
            let address = attributes(sheet, "href").into_iter().next();
            assert!(
                address.is_some_and(|address| !address.contains("//")),
                "{path}"
            );
        }
    }
}

fn repository(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

/// A page of the site.
fn page(path: &str) -> &'static str {
    let bytes = FILES.get(path).unwrap_or_else(|| panic!("no page {path}"));
    std::str::from_utf8(bytes).unwrap()
}

const TIMELINE: &str = "<pre class=\"timeline\"";

fn each_rule_shows_both_transcripts_as_timelines() {
    let mut rules = 0;
    for (path, page) in pages() {
        let Some((_, pair)) = page.split_once("<section class=\"passes\">") else {
            continue;
        };
        rules += 1;
        let (passes, fails) = pair.split_once("<section class=\"fails\">").unwrap();
        let id = path.strip_prefix("rules/").unwrap();
        let id = id.strip_suffix(".html").unwrap();
        for (example, name) in [(passes, "pass"), (fails, "fail")] {
            let transcripts = attributes(example, "href").into_iter();
            let transcripts = transcripts.filter(|link| link.ends_with(".jsonl")).count();
            let shown = example.matches(TIMELINE).count();
            assert!(shown > 0 || id.starts_with("home/"), "{id}: {name}");
            assert_eq!(shown, transcripts, "{id}: {name}");
        }
        // Rules about two inputs find nothing in one of them.
        if !id.starts_with("home/") && !id.starts_with("with-rollout/") {
            assert!(fails.contains(&format!("[{id}]")), "{id} is not in place");
            let before = passes.contains(&format!(" [{id}]</span>"));
            assert!(!before, "{id} is broken by what should pass");
        }
    }
    assert!(rules > 200, "{rules} rules");
}

fn each_scenario_shows_its_recordings() {
    for (path, page) in pages() {
        let Some(name) = path.strip_prefix("scenarios/") else {
            continue;
        };
        let Some(name) = name.strip_suffix(".html").filter(|name| *name != "index") else {
            continue;
        };
        let named = repository(&format!("docs/scenarios/{name}.md"));
        let named = named.matches("](../../../fixtures/").count();
        assert!(named > 0, "{name}");
        assert_eq!(page.matches(TIMELINE).count(), named, "{name}");
    }
}

/// The numbers stand on the page of each client, which its tests write.
fn each_client_has_a_row_and_a_badge() {
    let table = page("clients/releases.html");
    let index = repository("docs/clients/README.md");
    let names = index.lines().filter_map(|line| {
        let (_, link) = line.strip_prefix("| `")?.rsplit_once("](")?;
        link.strip_suffix(".md) |")
    });
    let mut clients = 0;
    for name in names {
        clients += 1;
        let row = table.split_once(&format!("<tr id=\"{name}\">"));
        let (_, row) = row.unwrap_or_else(|| panic!("no row for {name}"));
        let (row, _) = row.split_once("</tr>").unwrap();
        let results = repository(&format!("docs/clients/{name}.md"));
        let (_, results) = results
            .split_once("<!-- results: written by the tests -->")
            .unwrap();
        let passes = results.matches("passes |").count();
        let tried = passes + results.matches("fails [").count();
        let mut in_row = (0, 0);
        for cell in row.split("<td class=\"cell ").skip(1) {
            let (_, text) = cell.split_once('>').unwrap();
            let (text, _) = text.split_once('<').unwrap();
            let (one, all) = text.split_once(" of ").unwrap();
            in_row.0 += one.parse::<usize>().unwrap();
            in_row.1 += all.parse::<usize>().unwrap();
        }
        assert_eq!(in_row, (passes, tried), "{name}");
        let badge = page(&format!("clients/badges/{name}.svg"));
        let mut in_badge = (0, 0);
        let (_, text) = badge.split_once("<title>Codex: ").unwrap();
        let (text, _) = text.split_once("</title>").unwrap();
        for release in text.split(" · ") {
            let (_, numbers) = release.split_once(' ').unwrap();
            let (one, all) = numbers.split_once('/').unwrap();
            in_badge.0 += one.parse::<usize>().unwrap();
            in_badge.1 += all.parse::<usize>().unwrap();
        }
        assert_eq!(in_badge, (passes, tried), "{name}");
    }
    assert!(clients > 10, "{clients} clients");
}

/// The schemas of single releases that pages link to, of some message sets.
fn schemas_of_releases(wanted: impl Fn(MessageSet) -> bool) -> HashSet<String> {
    let mut out = HashSet::new();
    for (path, page) in pages().filter(|(path, _)| path.contains("/sets/")) {
        for link in attributes(page, "href") {
            let Some((_, schema)) = link.split_once("../schemas/") else {
                continue;
            };
            let id = Identity::of(&format!("{BASE}{schema}"));
            let id = id.unwrap_or_else(|| panic!("{path}: {schema} is not a schema"));
            let is_latest = schema.contains("/latest.") || id.profile.is_none();
            if !is_latest && wanted(id.message_set) {
                out.insert(format!("schemas/{schema}"));
            }
        }
    }
    out
}

/// Each schema of the site is where its `$id` says, and pages link to each: of some message sets, or all of them.
fn each_schema_is_where_its_id_says() {
    let few = [
        MessageSet::Exec,
        MessageSet::HooksOutput,
        MessageSet::AppServerErrors,
    ];
    let sets = match extent() {
        Extent::Wide | Extent::All => MessageSet::ALL,
        Extent::Sample => &few,
    };
    let id_of = |text: &str| {
        let schema: Value = serde_json::from_str(text).unwrap();
        schema["$id"].as_str().map(str::to_owned)
    };
    let mut archived = HashSet::new();
    let none: Result<(), Infallible> = archive(sets, &mut |file| {
        // The catalogue has no address of its own, and documents of all releases are among them.
        if let Some(id) = id_of(&file.text) {
            assert_eq!(id, format!("{BASE}{}", file.path));
        }
        archived.insert(format!("schemas/{}", file.path));
        Ok(())
    });
    none.unwrap();
    let published: HashSet<String> = publish()
        .iter()
        .map(|file| format!("schemas/{}", file.path))
        .collect();
    let mut checked = 0;
    for file in publish() {
        let Some(id) = id_of(&file.text) else {
            continue;
        };
        let Some(path) = id.strip_prefix(BASE) else {
            assert!(!id.contains("://"), "{}: nothing is at {id}", file.path);
            continue;
        };
        // What the repository keeps as the latest is named after its first release.
        if Identity::of(&id).is_some_and(|id| !sets.contains(&id.message_set)) {
            continue;
        }
        // Those for generators of code are of several message sets.
        if id.contains(".codegen.") && sets != MessageSet::ALL {
            continue;
        }
        checked += 1;
        let path = format!("schemas/{path}");
        assert!(
            archived.contains(&path) || published.contains(&path),
            "{}: nothing is at {id}",
            file.path
        );
    }
    assert!(checked > 20, "{checked} schemas");
    let linked = schemas_of_releases(|set| sets.contains(&set));
    let missing: Vec<_> = linked
        .iter()
        .filter(|path| !archived.contains(*path))
        .collect();
    assert!(missing.is_empty(), "nothing is at {missing:?}");
    assert!(linked.len() > 20, "{} links", linked.len());
}
