//! The tables of the page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use codex_wire_base::Release;

use super::program::{CLIENTS, Compared, Made, Task};
use super::{built, faults, lines, seen, works};
use crate::install::workspace;
use crate::page::write_between;
use crate::stage::RELEASES;

/// The tables are made of what was seen.
pub(crate) fn test() {
    let page = workspace().join("docs/clients/comparison.md");
    let tables = [
        ("lines", lines()),
        ("releases", releases()),
        ("costs", costs()),
        ("faults", at_faults()),
    ];
    for (name, table) in tables {
        let begin = format!("<!-- {name}: written by the tests -->\n");
        let end = format!("<!-- end of {name} -->\n");
        write_between(&page, &begin, &end, &table);
    }
    let ours = workspace().join("docs/clients/codex-wire-client.md");
    let begin = "<!-- results: written by the tests -->\n";
    write_between(&ours, begin, "<!-- end of results -->\n", &results());
}

/// With how many of the faults our client copes, by scenario and release.
fn results() -> String {
    let client = CLIENTS.iter().find(|client| client.made == Made::Here);
    let mut runs: BTreeMap<(String, Release), (usize, usize)> = BTreeMap::new();
    let client = client.unwrap();
    for (protocol, _) in faults::protocols(client) {
        for (path, what) in seen::read(&faults::file(client, protocol)) {
            let (run, _) = path.rsplit_once('/').unwrap();
            let (scenario, release) = run.rsplit_once('/').unwrap();
            let key = (scenario.to_owned(), release.parse().unwrap());
            let (copes, all) = runs.entry(key).or_default();
            *copes += usize::from(what == "copes");
            *all += 1;
        }
    }
    let mut out = "| scenario | release | copes |\n|---|---|---|\n".to_owned();
    for ((scenario, release), (copes, all)) in runs {
        writeln!(out, "| {scenario} | {release} | {copes} of {all} runs |").unwrap();
    }
    out
}

/// The number of a program on the page.
fn number(task: Task) -> usize {
    let at = Task::ALL.iter().position(|other| *other == task);
    at.unwrap() + 1
}

fn lines() -> String {
    let mut out = "| client | 1 | 2 | 3 | 4 | 5 |\n|---|---|---|---|---|---|\n".to_owned();
    let mut notes = Notes::default();
    for client in CLIENTS {
        write!(out, "| {} |", client.title).unwrap();
        for task in Task::ALL {
            let cell = match client.cannot {
                Some((cannot, why)) if cannot == task => format!("no {}", notes.mark(why)),
                _ => {
                    let count = lines::count(&client.source(task));
                    match client.with_exec.contains(&task) {
                        true => format!("*{count}*"),
                        false => count.to_string(),
                    }
                }
            };
            write!(out, " {cell} |").unwrap();
        }
        out += "\n";
    }
    out + &notes.text()
}

fn releases() -> String {
    let mut out = format!("| client | {} |\n", RELEASES.join(" | "));
    out += &format!("|---|{}\n", "---|".repeat(RELEASES.len()));
    let mut notes = Notes::default();
    for client in CLIENTS {
        let seen = seen::read(&works::file(client));
        write!(out, "| {} |", client.title).unwrap();
        for release in RELEASES {
            write!(
                out,
                " {} |",
                with_release(client, release, &seen, &mut notes)
            )
            .unwrap();
        }
        out += "\n";
    }
    out + &notes.text()
}

fn with_release(client: &Compared, release: &str, seen: &seen::Seen, notes: &mut Notes) -> String {
    let mut works = Vec::new();
    let mut fails = Vec::new();
    for task in client.tasks() {
        let mut why = None;
        for case in works::CASES.iter().filter(|case| case.task == task) {
            let what = seen.get(&format!("{} {release}", case.name));
            match what.map_or("fails: it was not tried", String::as_str) {
                "works" => {}
                what => why = why.or(what.strip_prefix("fails: ").map(str::to_owned)),
            }
        }
        match why {
            None => works.push(number(task).to_string()),
            Some(why) => fails.push(format!("{} {}", number(task), notes.mark(&why))),
        }
    }
    match (works.is_empty(), fails.is_empty()) {
        (_, true) => works.join(", "),
        (true, false) => format!("none: {}", fails.join(", ")),
        (false, false) => format!("{}; not {}", works.join(", "), fails.join(", ")),
    }
}

fn costs() -> String {
    let mut out = "| client | processor seconds | what else |\n|---|---|---|\n".to_owned();
    for client in CLIENTS {
        let seen = seen::read(&built::file(client));
        let of = |name: &str| seen.get(name).map_or("not measured", String::as_str);
        let seconds = of("processor seconds");
        let else_ = match client.made {
            Made::Here | Made::Cargo => format!("{} crates are compiled", of("crates")),
            Made::Npm | Made::Pip => format!("{} MB are installed", of("megabytes")),
        };
        writeln!(out, "| {} | {seconds} | {else_} |", client.title).unwrap();
    }
    out
}

/// A client with a protocol: what was seen, by fault.
struct Column {
    title: String,
    /// The releases with which it works at all.
    releases: BTreeSet<String>,
    faults: BTreeMap<String, BTreeMap<String, usize>>,
}

/// What can be seen at a fault, the worst first.
const WORDS: [&str; 4] = ["wrong", "hangs", "error", "copes"];

fn columns() -> Vec<Column> {
    let mut columns = Vec::new();
    for client in CLIENTS {
        for (protocol, _) in faults::protocols(client) {
            let seen = seen::read(&faults::file(client, protocol));
            let mut column = Column {
                title: format!("{}, {protocol}", client.name),
                releases: BTreeSet::new(),
                faults: BTreeMap::new(),
            };
            for (path, what) in &seen {
                let parts: Vec<&str> = path.split('/').collect();
                let [_, _, release, fault] = parts[..] else {
                    panic!("{path} is not a name of a run");
                };
                if !RELEASES.contains(&release) {
                    continue;
                }
                if fault != "undisturbed" {
                    let words = column.faults.entry(fault.to_owned()).or_default();
                    *words.entry(what.clone()).or_default() += 1;
                } else if what == "copes" {
                    column.releases.insert(release.to_owned());
                }
            }
            columns.push(column);
        }
    }
    columns
}

fn at_faults() -> String {
    let columns = columns();
    let mut out = String::from("| fault |");
    for column in &columns {
        write!(out, " {} |", column.title).unwrap();
    }
    out += &format!("\n|---|{}\n| works with |", "---|".repeat(columns.len()));
    for column in &columns {
        let works = RELEASES
            .iter()
            .filter(|release| column.releases.contains(**release));
        let works: Vec<&str> = works.copied().collect();
        match works.len() == RELEASES.len() {
            true => out += " all three |",
            false => write!(out, " {} |", works.join(", ")).unwrap(),
        }
    }
    out += "\n";
    let names: BTreeSet<&String> = columns.iter().flat_map(|c| c.faults.keys()).collect();
    for name in names {
        write!(out, "| [`{name}`](../faults/{name}.md) |").unwrap();
        for column in &columns {
            let cell = column.faults.get(name).map(cell).unwrap_or_default();
            write!(out, " {cell} |").unwrap();
        }
        out += "\n";
    }
    out
}

/// What was seen of a fault in all scenarios and releases.
fn cell(words: &BTreeMap<String, usize>) -> String {
    let seen = WORDS
        .iter()
        .filter_map(|word| Some((word, words.get(*word)?)));
    let seen: Vec<_> = seen.collect();
    match &seen[..] {
        [(word, _)] => (**word).to_owned(),
        several => {
            let several = several
                .iter()
                .map(|(word, count)| format!("{word} {count}"));
            several.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Notes below a table, each of which is said once.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn mark(&mut self, note: &str) -> String {
        let at = self.0.iter().position(|known| known == note);
        let at = at.unwrap_or_else(|| {
            self.0.push(note.to_owned());
            self.0.len() - 1
        });
        format!("[{}]", at + 1)
    }

    fn text(&self) -> String {
        let lines = (1..).zip(&self.0);
        lines
            .map(|(number, note)| format!("\n[{number}] {note}\n"))
            .collect()
    }
}
