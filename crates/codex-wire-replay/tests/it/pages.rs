//! The pages about faults and scenarios are what the lists of them say.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use codex_wire_replay::faults::{Expectation, FAULTS, Fault};
use codex_wire_replay::scenarios::{SCENARIOS, Scenario};

const FAULT_HEAD: &str =
    "<!-- Written from the list of faults by `cargo xtask generate --only faults`. -->\n\n";

const SCENARIO_HEAD: &str =
    "<!-- Written from the list of scenarios by `cargo xtask generate --only faults`. -->\n\n";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn expected(fault: &Fault) -> &'static str {
    match fault.expectation {
        // `conformance` leaves these characters out before it compares.
        Expectation::Same if !fault.residue.is_empty() => {
            "the same as without the fault, but texts have these characters"
        }
        Expectation::Same => "the same as without the fault",
        Expectation::Failure(_) => "something else than without the fault: it reports the failure",
        Expectation::SameOrFailure => {
            "the same as without the fault, or a failure with another exit status"
        }
        Expectation::End => "something else than without the fault; it ends by itself",
    }
}

fn fault_page(fault: &Fault) -> String {
    // A text that a fault leaves out is empty.
    let said = [
        fault.id,
        fault.summary,
        fault.stand_in,
        fault.client,
        fault.evidence,
    ];
    assert!(!said.contains(&""), "{fault:?}");
    let protocols: Vec<String> = fault.protocols.iter().map(|p| format!("`{p}`")).collect();
    let refusal = match fault.refusal {
        "" => String::new(),
        reason => format!(" It is refused for others: {reason}."),
    };
    format!(
        "{FAULT_HEAD}# `{}`\n\n{}.\n\n| | |\n|---|---|\n| protocols | {} |\n| since | {} |\n| where | {} |\n| what the client \
         shows | {} |\n\n**What the stand-in does.** {}{refusal}\n\n**What a client should do.** {}\n\n**Evidence.** {}\n\n\
         ```sh\ncodex-wire replay --install stand-in --fault {} run.jsonl\n```\n",
        fault.id,
        capital(fault.summary),
        protocols.join(", "),
        fault.since,
        fault.place.sentence(),
        expected(fault),
        fault.stand_in,
        fault.client,
        fault.evidence,
        fault.short(),
    )
}

fn scenario_page(scenario: &Scenario) -> String {
    let mut page = format!(
        "{SCENARIO_HEAD}# `{}`\n\n{}.\n\n**Why.** {}\n\n**What a client should do.** {}\n\n**Who got it wrong.** {}\n\n| release | \
         recording |\n|---|---|\n",
        scenario.name,
        capital(scenario.summary),
        scenario.why,
        scenario.client,
        scenario.evidence
    );
    for (release, path) in scenario.recordings {
        writeln!(page, "| {release} | [`{path}`](../../../fixtures/{path}) |").unwrap();
    }
    page
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().to_string() + chars.as_str()
    })
}

#[test]
fn pages_of_faults() {
    let mut pages: BTreeMap<String, String> = FAULTS
        .iter()
        .map(|fault| (format!("{}.md", fault.short()), fault_page(fault)))
        .collect();
    let mut index = format!(
        "{FAULT_HEAD}# Faults\n\n`codex-wire replay --fault ID` injects these {} faults. [Playing](../replay.md#faults) says how, \
         and [conformance](../conformance.md) runs your client against all of them.\n\n| fault | what happens | the client \
         shows |\n|---|---|---|\n",
        FAULTS.len()
    );
    for fault in FAULTS {
        let short = fault.short();
        let (summary, expected) = (fault.summary, expected(fault));
        writeln!(
            index,
            "| [`{}`]({short}.md) | {summary} | {expected} |",
            fault.id
        )
        .unwrap();
    }
    pages.insert("README.md".to_owned(), index);
    golden_files::assert_folder(&docs().join("faults"), "md", &pages);
}

#[test]
fn pages_of_scenarios() {
    let mut pages: BTreeMap<String, String> = SCENARIOS
        .iter()
        .map(|scenario| (format!("{}.md", scenario.name), scenario_page(scenario)))
        .collect();
    let mut index = format!(
        "{SCENARIO_HEAD}# Scenarios\n\n| scenario | what happens | releases |\n|---|---|---|\n"
    );
    for scenario in SCENARIOS {
        let (name, summary) = (scenario.name, scenario.summary);
        let releases: Vec<&str> = scenario
            .recordings
            .iter()
            .map(|(release, _)| *release)
            .collect();
        writeln!(
            index,
            "| [`{name}`]({name}.md) | {summary} | {} |",
            releases.join(", ")
        )
        .unwrap();
    }
    pages.insert("README.md".to_owned(), index);
    golden_files::assert_folder(&docs().join("scenarios"), "md", &pages);
}

/// Each file of the catalogue is a fault, and has the name of it.
#[test]
fn every_fault_has_a_file() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/faults/catalog");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| {
        let name = entry.unwrap().file_name().into_string().unwrap();
        name.strip_suffix(".rs").unwrap().replace('_', "-")
    });
    let mut files: Vec<String> = files.filter(|name| name != "mod").collect();
    let mut listed: Vec<&str> = FAULTS.iter().map(|fault| fault.short()).collect();
    files.sort();
    listed.sort_unstable();
    assert_eq!(listed, files);
}

#[test]
fn texts_are_sentences() {
    for fault in FAULTS {
        for text in [fault.stand_in, fault.client, fault.evidence] {
            assert!(text.ends_with('.'), "{}: {text}", fault.id);
        }
        assert!(
            !fault.summary.ends_with('.') && !fault.refusal.ends_with('.'),
            "{}",
            fault.id
        );
    }
    for scenario in SCENARIOS {
        for text in [scenario.why, scenario.client, scenario.evidence] {
            assert!(text.ends_with('.'), "{}: {text}", scenario.name);
        }
        for (release, path) in scenario.recordings {
            assert!(crate::client::fixtures().join(path).is_file(), "{path}");
            assert!(path.contains(&format!("/{release}/")), "{path}");
        }
    }
}
