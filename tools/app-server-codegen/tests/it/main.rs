//! The model: that it says of every release what its official documents say, that it is what
//! the archive folds to, and that the tables beside it fit. See `--help` for filters.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod drift;
mod folding;
mod messages;
mod names;
mod official;
mod support;
mod tables;
mod written;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(official::trials());
    trials.extend(messages::trials());
    trials.extend(drift::trials());
    trials.extend(folding::trials());
    trials.extend(names::trials());
    trials.extend(tables::trials());
    trials.extend(written::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
