//! Our client among others: seven clients, five programs, and the figures of `docs/clients/comparison.md`.
//!
//! What was seen stands in files beside the programs, and the tables of the page are made of these files. In every run,
//! each client is tried with the newest release and one fault; in a wide one, with everything. `UPDATE_EXPECT=1` writes
//! what is seen. `cargo test -p codex-wire-cli --test clients -- --measure` writes what building and installing costs.

mod built;
mod faults;
mod lines;
mod page;
mod program;
mod seen;
mod works;

use libtest_mimic::Trial;

use crate::stage::trial;

pub(crate) use self::built::measure_all;
pub(crate) use self::program::{Task, client, install_programs, place_programs};

/// For each client, a test of what works, and one of faults for each protocol; and one of the page.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for client in program::CLIENTS {
        let missing = client.check().err();
        trials.push(trial(
            format!("comparison::{} works", client.name),
            missing.clone(),
            || works::test(client),
        ));
        for (protocol, task) in faults::protocols(client) {
            trials.push(trial(
                format!("comparison::{} faults {protocol}", client.name),
                missing.clone(),
                move || faults::test(client, protocol, task),
            ));
        }
    }
    trials.push(trial("comparison::page".to_owned(), None, page::test));
    trials.push(trial(
        "comparison::our client of an app-server is short".to_owned(),
        None,
        lines::ours_is_short,
    ));
    trials
}
