//! What is read once for all trials.

use std::sync::LazyLock;

use app_server_codegen::archive::{self, Official};
use app_server_codegen::repository::Tables;
use app_server_codegen::rust::{Plan, Sources};
use app_server_codegen::written::Written;
use app_server_codegen::{Model, Snapshot, store};
use libtest_mimic::{Failed, Trial};

/// The archive of what releases say.
pub(crate) static OFFICIALS: LazyLock<Vec<Official>> =
    LazyLock::new(|| archive::read(&archive::folder()).unwrap());

/// What their schemas say, in their order.
pub(crate) static SNAPSHOTS: LazyLock<Vec<(Snapshot, Option<Snapshot>)>> = LazyLock::new(|| {
    let read = |official: &Official| official.snapshots().unwrap();
    OFFICIALS.iter().map(read).collect()
});

/// The model as its text says it.
pub(crate) static MODEL: LazyLock<Model> = LazyLock::new(|| store::load(&store::folder()).unwrap());

/// The tables beside the model.
pub(crate) static TABLES: LazyLock<Tables> = LazyLock::new(|| Tables::load().unwrap());

/// The model with the corrections made.
pub(crate) static CORRECTED: LazyLock<Model> =
    LazyLock::new(|| TABLES.overlay.apply(&MODEL).unwrap());

/// What Codex always writes of what may be left out.
pub(crate) static WRITTEN: LazyLock<Written> = LazyLock::new(|| {
    Written::of(&OFFICIALS, &CORRECTED, &TABLES.results, &TABLES.left_out).unwrap()
});

/// The types.
pub(crate) static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let sources = Sources {
        model: &CORRECTED,
        written: &WRITTEN,
        domains: &TABLES.domains,
        features: &TABLES.features,
        docs: &TABLES.docs,
        results: &TABLES.results,
        accessors: &TABLES.accessors,
    };
    Plan::new(&sources).unwrap()
});

pub(crate) fn trial(
    name: &str,
    runner: impl FnOnce() -> Result<(), Failed> + Send + 'static,
) -> Trial {
    Trial::test(name, runner)
}

/// Nothing is left to complain of.
pub(crate) fn none(complaints: &[String]) -> Result<(), Failed> {
    match complaints.is_empty() {
        true => Ok(()),
        false => Err(complaints.join("\n").into()),
    }
}
