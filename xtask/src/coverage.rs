//! Measures what the fixtures cover: every kind, member and value that the annotated documents
//! declare is searched in every line of every fixture.

mod app_server;
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
use codex_wire::MessageSet;

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

/// A page about message sets.
struct Layout {
    path: &'static str,
    render: fn(&[Part]) -> String,
    /// The title and the message set of each part.
    parts: &'static [(&'static str, MessageSet)],
}

/// The pages apart from that about the app-server.
const PAGES: [Layout; 4] = [
    Layout {
        path: EXEC_PAGE,
        render: page::exec,
        parts: &[("", MessageSet::Exec)],
    },
    Layout {
        path: CORE_PAGE,
        render: page::core,
        parts: &[
            ("Events", MessageSet::CoreEvents),
            ("Submissions", MessageSet::CoreSubmissions),
            (
                "Header lines of the early exec stream",
                MessageSet::ExecLegacy,
            ),
        ],
    },
    Layout {
        path: ROLLOUT_PAGE,
        render: page::rollout,
        parts: &[
            ("Lines", MessageSet::Rollout),
            ("Lines up to 0.29.0", MessageSet::RolloutEarly),
        ],
    },
    Layout {
        path: HOOKS_PAGE,
        render: page::hooks,
        parts: &[
            ("Inputs", MessageSet::HooksInput),
            ("Outputs", MessageSet::HooksOutput),
            ("notify", MessageSet::Notify),
        ],
    },
];

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
    let mut pages = Vec::new();
    for layout in PAGES {
        let mut parts: Vec<Part> = Vec::new();
        for &(title, message_set) in layout.parts {
            let mut from = vec![message_set];
            if message_set == MessageSet::CoreEvents {
                from.push(MessageSet::ExecLegacy);
            }
            let description = Description::of(message_set);
            let release_list = message_set.release_list();
            let mut inventory = Inventory::new(&description, release_list.releases());
            streams.mark(&from, &description, &mut inventory, &mut problems)?;
            let mut rows = inventory.rows;
            if message_set == MessageSet::ExecLegacy {
                let events = &parts[0].rows;
                rows.retain(|row| events.iter().all(|event| event.feature != row.feature));
            }
            parts.push(Part {
                title,
                rows,
                recorded: streams.recorded_releases(&from),
                release_list,
            });
        }
        pages.push(Page {
            path: layout.path,
            text: (layout.render)(&parts),
        });
    }
    pages.push(Page {
        path: APP_SERVER_PAGE,
        text: app_server_page(root, &streams, &mut problems)?,
    });
    Ok((pages, problems))
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
        streams.mark(&[message_set], &description, &mut inventory, problems)?;
    }
    let contents = app_server::Contents {
        rows: &inventory.rows,
        recorded: &streams.recorded_releases(&app_server::MESSAGE_SETS),
        modules: &app_server::Modules::read(root)?,
        domains: &store::domains(&store::folder())?,
    };
    Ok(contents.page())
}
