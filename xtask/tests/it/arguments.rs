//! What releases of Codex take on their command line is what is written down. Where a binary was
//! not fetched, its test is ignored.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use similar::TextDiff;
use xtask::app_server::binaries;
use xtask::arguments;

/// Every run asks the last, for neither a program nor what is written down of it changes by itself; each night those that the
/// gate fetches are asked, and the others by whoever has them.
const VERSIONS: [&str; 6] = ["0.42.0", "0.63.0", "0.93.0", "0.98.0", "0.125.0", "0.169.0"];

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |version: &'static str| {
        let program = binaries::find(version);
        let missing = program.is_none();
        let run = move || compare(version, program.as_deref().ok_or("there is no binary")?);
        Trial::test(format!("arguments::codex {version}"), run).with_ignored_flag(missing)
    };
    sampling::spread(VERSIONS, 1)
        .into_iter()
        .map(trial)
        .collect()
}

fn compare(version: &str, program: &Path) -> Result<(), Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (name, recorded, now) in arguments::compare(&root, version.parse()?, program)? {
        // The first releases have no features.
        if recorded.lines().count() < 30 && name != "features" {
            return Err(format!("next to nothing is written down: {recorded}").into());
        }
        if recorded != now {
            let diff = TextDiff::from_lines(&recorded, &now);
            let diff = diff.unified_diff().context_radius(3).to_string();
            let again = format!("`cargo xtask arguments {version}` writes it again");
            return Err(format!("{name} of {version}: {again}\n{diff}").into());
        }
    }
    Ok(())
}
