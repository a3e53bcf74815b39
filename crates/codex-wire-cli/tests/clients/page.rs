//! The pages of the clients: which scenarios pass, by release.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use libtest_mimic::Trial;

use crate::client::{CLIENTS, Client};
use crate::differences;
use crate::install;
use crate::shown::Shown;
use crate::stage::{RELEASES, SHOWN, trial};

const BEGIN: &str = "<!-- results: written by the tests -->\n";
const END: &str = "<!-- end of results -->\n";

/// A test for each page.
pub(crate) fn trials() -> Vec<Trial> {
    let page = |client: &Client| {
        let client = *client;
        trial(format!("{}::page", client.name), None, move || page(client))
    };
    let differences = trial("differences".to_owned(), None, differences);
    CLIENTS.iter().map(page).chain([differences]).collect()
}

/// The table of the differences is that of the tests.
fn differences() {
    write_between(
        &install::workspace().join("docs/clients/README.md"),
        "<!-- differences: written by the tests -->\n",
        "<!-- end of differences -->\n",
        &differences::table(),
    );
}

/// The table of a page says what the client showed.
fn page(client: Client) {
    let path = install::workspace()
        .join("docs/clients")
        .join(format!("{}.md", client.name));
    write_between(&path, BEGIN, END, &results(client));
}

/// What stands between two lines of a page is this.
pub(crate) fn write_between(path: &Path, begin: &str, end: &str, written: &str) {
    let text = fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(begin).expect("where it begins");
    let (_, after) = rest.split_once(end).expect("where it ends");
    let text = format!("{before}{begin}{written}{end}{after}");
    golden_files::assert_file(path, &text);
}

fn results(client: Client) -> String {
    let mut out = format!("| scenario | {} |\n", RELEASES.join(" | "));
    out += &format!("|---|{}\n", "---|".repeat(RELEASES.len()));
    let mut failures: Vec<String> = Vec::new();
    for scenario in client.scenarios {
        write!(out, "| {} |", scenario.name).unwrap();
        for release in RELEASES {
            if !scenario.is_tried_with(release) {
                out += " not tried |";
                continue;
            }
            let path = client.recordings(scenario, release).join(SHOWN);
            let shown = fs::read_to_string(&path).unwrap();
            let cell = match (scenario.expected)(&Shown::read(&shown, "/stage")) {
                Ok(()) => "passes".to_owned(),
                Err(failure) => format!("fails [{}]", number_of(&failure, &mut failures)),
            };
            write!(out, " {cell} |").unwrap();
        }
        out += "\n";
    }
    for (number, failure) in (1..).zip(&failures) {
        write!(out, "\n[{number}] `` {failure} ``\n").unwrap();
    }
    out
}

/// The number of a failure, which is listed once.
fn number_of(failure: &str, failures: &mut Vec<String>) -> usize {
    // Behind this, Codex lists all methods of the release.
    let failure = failure.split(", expected one of").next().unwrap_or(failure);
    let words: Vec<&str> = failure.split_whitespace().collect();
    let failure = words.join(" ");
    let at = failures.iter().position(|known| *known == failure);
    let at = at.unwrap_or_else(|| {
        failures.push(failure);
        failures.len() - 1
    });
    at + 1
}
