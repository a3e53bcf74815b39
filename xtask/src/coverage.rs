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
use codex_wire::{Release, Surface};
use codex_wire_model::store;

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
    let mut of = |surface: Surface, from: &[Surface]| -> Result<(Inventory, Vec<Release>)> {
        let description = Description::of(surface);
        let mut inventory = Inventory::new(&description, surface.timeline().releases());
        let lines = streams
            .lines
            .iter()
            .filter(|line| from.contains(&line.surface));
        for line in lines {
            line.mark(&description, &mut inventory, &mut problems)?;
        }
        Ok((inventory, streams.recorded_releases(from)))
    };

    let (exec, releases) = of(Surface::Exec, &[Surface::Exec])?;
    let exec = Page {
        path: EXEC_PAGE,
        text: page::exec(&Part::new("", &exec.rows, &releases, Surface::Exec)),
    };

    let both = [Surface::CoreEvents, Surface::ExecLegacy];
    let (events, of_events) = of(Surface::CoreEvents, &both)?;
    let asked = Surface::CoreSubmissions;
    let (submissions, of_submissions) = of(asked, &[asked])?;
    let (legacy, of_legacy) = of(Surface::ExecLegacy, &[Surface::ExecLegacy])?;
    let headers = legacy.beyond(&events);
    let parts = [
        Part::new("Events", &events.rows, &of_events, Surface::CoreEvents),
        Part::new("Submissions", &submissions.rows, &of_submissions, asked),
        Part::new(
            "Header lines of the early exec stream",
            &headers,
            &of_legacy,
            Surface::ExecLegacy,
        ),
    ];
    let core = Page {
        path: CORE_PAGE,
        text: page::core(&parts),
    };

    let app_server = Page {
        path: APP_SERVER_PAGE,
        text: app_server_page(root, &streams, &mut problems)?,
    };
    Ok((vec![exec, core, app_server], problems))
}

/// One page about all surfaces, which share their definitions.
fn app_server_page(root: &Path, streams: &Streams, problems: &mut Vec<String>) -> Result<String> {
    let mut inventory = Inventory::default();
    for surface in app_server::SURFACES {
        let description = Description::of(surface);
        inventory.extend(&description, surface.timeline().releases());
    }
    for surface in app_server::SURFACES {
        let description = Description::of(surface);
        let lines = streams.lines.iter();
        for line in lines.filter(|line| line.surface == surface) {
            line.mark(&description, &mut inventory, problems)?;
        }
    }
    let contents = app_server::Contents {
        rows: &inventory.rows,
        recorded: &streams.recorded_releases(&app_server::SURFACES),
        modules: &app_server::Modules::read(root)?,
        domains: &store::domains(&store::folder())?,
    };
    Ok(contents.page())
}
