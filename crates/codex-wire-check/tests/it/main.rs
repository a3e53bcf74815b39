//! The checker over every transcript there is, over transcripts that are wrong in one way each,
//! and over whatever can be generated. Each transcript and each property is a named test; see
//! `--help` for filters.

#![allow(clippy::unwrap_used, reason = "a helper of tests fails by panicking")]

mod agreement;
mod app_server;
mod conform;
mod conform_app_server;
mod conform_core;
mod conform_rollout;
mod examples;
mod fast_path;
mod history_base;
mod hooks;
mod hooks_files;
mod hooks_order;
mod hostile;
mod identify;
mod invalid;
mod lossless;
mod mcp_server;
mod observe;
mod open;
mod robust;
mod rules;
mod schema_values;
mod sequence;
mod sequence_app_server;
mod sequence_core;
mod sequence_exec;
mod sequence_rollout;
mod shapes;
mod support;
mod with_rollout;
mod wrapped;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if robust::is_child() {
        return robust::child();
    }
    let mut trials: Vec<Trial> = Vec::new();
    trials.extend(app_server::trials());
    trials.extend(conform::trials());
    trials.extend(conform_core::trials());
    trials.extend(conform_app_server::trials());
    trials.extend(conform_rollout::trials());
    trials.extend(examples::trials());
    trials.extend(history_base::trials());
    trials.extend(hooks::trials());
    trials.extend(hooks_files::trials());
    trials.extend(hooks_order::trials());
    trials.extend(hostile::trials());
    trials.extend(identify::trials());
    trials.extend(invalid::trials());
    trials.extend(mcp_server::trials());
    trials.extend(wrapped::trials());
    trials.extend(sequence_exec::trials());
    trials.extend(sequence_app_server::trials());
    trials.extend(sequence_core::trials());
    trials.extend(sequence_rollout::trials());
    trials.extend(lossless::trials());
    trials.extend(agreement::trials());
    trials.extend(fast_path::trials());
    trials.extend(robust::trials());
    trials.extend(rules::trials());
    trials.extend(schema_values::trials());
    trials.extend(sequence::trials());
    trials.extend(shapes::trials());
    trials.extend(with_rollout::trials());
    trials.extend(observe::trials());
    trials.extend(open::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
