//! The pages of the clients: which scenarios pass, by release.

use std::fmt::Write as _;
use std::fs;

use libtest_mimic::Trial;

use crate::client::{CLIENTS, Client};
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
    CLIENTS.iter().map(page).collect()
}

/// The table of a page says what the client showed.
fn page(client: Client) {
    let path = install::workspace()
        .join("docs/clients")
        .join(format!("{}.md", client.name));
    let text = fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("where the results begin");
    let (_, after) = rest.split_once(END).expect("where the results end");
    let text = format!("{before}{BEGIN}{}{END}{after}", results(client));
    golden_files::assert_file(&path, &text);
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
    let at = failures.iter().position(|known| known == failure);
    let at = at.unwrap_or_else(|| {
        failures.push(failure.to_owned());
        failures.len() - 1
    });
    at + 1
}
