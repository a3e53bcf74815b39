//! Measures what the fixtures cover: every kind, member and value that the annotated documents
//! declare is searched in every line of every fixture.

mod app_server;
mod calls;
mod description;
mod inventory;
mod origins;
mod page;
mod source;
mod streams;
mod walk;

use std::path::Path;

use anyhow::Result;
use app_server_codegen::store;
use codex_wire::{MessageSet, Release};

pub use description::Description;
pub use inventory::{Feature, Inventory, Row};
pub use origins::{BESIDE_THE_WIRE, BesideTheWire, ORIGINS, Origin, Points};
pub use source::Source;
pub use walk::walk;

use page::Part;
use streams::Streams;

/// Where the page about `codex exec --json` is, under the root of the repository.
pub const EXEC_PAGE: &str = "fixtures/COVERAGE.md";

/// Where the page about the core protocol and the early exec stream is.
pub const CORE_PAGE: &str = "fixtures/COVERAGE-core.md";

/// Where the page about the app-server protocol is.
pub const APP_SERVER_PAGE: &str = "fixtures/COVERAGE-app-server.md";

/// Where the page about session files is, under the root of the repository.
pub const ROLLOUT_PAGE: &str = "fixtures/COVERAGE-rollout.md";

/// Where the page about hooks and `notify` is, under the root of the repository.
pub const HOOKS_PAGE: &str = "fixtures/COVERAGE-hooks.md";

/// A page and where it belongs.
#[derive(Debug)]
pub struct Page {
    /// The file, under the root of the repository.
    pub path: &'static str,
    /// What is to stand in it.
    pub text: String,
}

/// The pages for the fixtures of the repository at `root`, and what the fixtures carry that
/// the documents do not declare.
///
/// # Errors
/// When a fixture or a manifest cannot be read.
pub fn coverage(root: &Path) -> Result<(Vec<Page>, Vec<String>)> {
    let streams = Streams::read(root)?;
    let mut problems = streams.problems.clone();
    let mut of =
        |message_set: MessageSet, from: &[MessageSet]| -> Result<(Inventory, Vec<Release>)> {
            let description = Description::of(message_set);
            let mut inventory = Inventory::new(&description, message_set.release_list().releases());
            let lines = streams
                .lines
                .iter()
                .filter(|line| from.contains(&line.message_set));
            for line in lines {
                line.mark(&description, &mut inventory, &mut problems)?;
            }
            Ok((inventory, streams.recorded_releases(from)))
        };

    let (exec, releases) = of(MessageSet::Exec, &[MessageSet::Exec])?;
    let exec = Page {
        path: EXEC_PAGE,
        text: page::exec(&Part::new("", &exec.rows, &releases, MessageSet::Exec)),
    };

    let both = [MessageSet::CoreEvents, MessageSet::ExecLegacy];
    let (events, of_events) = of(MessageSet::CoreEvents, &both)?;
    let asked = MessageSet::CoreSubmissions;
    let (submissions, of_submissions) = of(asked, &[asked])?;
    let (legacy, of_legacy) = of(MessageSet::ExecLegacy, &[MessageSet::ExecLegacy])?;
    let headers = legacy.beyond(&events);
    let parts = [
        Part::new("Events", &events.rows, &of_events, MessageSet::CoreEvents),
        Part::new("Submissions", &submissions.rows, &of_submissions, asked),
        Part::new(
            "Header lines of the early exec stream",
            &headers,
            &of_legacy,
            MessageSet::ExecLegacy,
        ),
    ];
    let core = Page {
        path: CORE_PAGE,
        text: page::core(&parts),
    };

    let (lines, of_lines) = of(MessageSet::Rollout, &[MessageSet::Rollout])?;
    let (early, of_early) = of(MessageSet::RolloutEarly, &[MessageSet::RolloutEarly])?;
    let parts = [
        Part::new("Lines", &lines.rows, &of_lines, MessageSet::Rollout),
        Part::new(
            "Lines up to 0.29.0",
            &early.rows,
            &of_early,
            MessageSet::RolloutEarly,
        ),
    ];
    let rollout = Page {
        path: ROLLOUT_PAGE,
        text: page::rollout(&parts),
    };

    let (inputs, of_inputs) = of(MessageSet::HooksInput, &[MessageSet::HooksInput])?;
    let (outputs, of_outputs) = of(MessageSet::HooksOutput, &[MessageSet::HooksOutput])?;
    let (payloads, of_payloads) = of(MessageSet::Notify, &[MessageSet::Notify])?;
    let parts = [
        Part::new("Inputs", &inputs.rows, &of_inputs, MessageSet::HooksInput),
        Part::new(
            "Outputs",
            &outputs.rows,
            &of_outputs,
            MessageSet::HooksOutput,
        ),
        Part::new("notify", &payloads.rows, &of_payloads, MessageSet::Notify),
    ];
    let hooks = Page {
        path: HOOKS_PAGE,
        text: page::hooks(&parts),
    };

    let app_server = Page {
        path: APP_SERVER_PAGE,
        text: app_server_page(root, &streams, &mut problems)?,
    };
    Ok((vec![exec, core, app_server, rollout, hooks], problems))
}

/// One page about all message sets, which share their definitions.
fn app_server_page(root: &Path, streams: &Streams, problems: &mut Vec<String>) -> Result<String> {
    let mut inventory = Inventory::default();
    for message_set in app_server::MESSAGE_SETS {
        let description = Description::of(message_set);
        inventory.extend(&description, message_set.release_list().releases());
    }
    for message_set in app_server::MESSAGE_SETS {
        let description = Description::of(message_set);
        let lines = streams.lines.iter();
        for line in lines.filter(|line| line.message_set == message_set) {
            line.mark(&description, &mut inventory, problems)?;
        }
    }
    let contents = app_server::Contents {
        rows: &inventory.rows,
        recorded: &streams.recorded_releases(&app_server::MESSAGE_SETS),
        modules: &app_server::Modules::read(root)?,
        domains: &store::domains(&store::folder())?,
    };
    Ok(contents.page())
}
