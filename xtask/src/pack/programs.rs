//! The programs in a package: `codex-wire`, and what it runs.

use std::path::Path;

use anyhow::Result;

use super::platforms::Platform;
use super::tarball::Files;
use crate::fixtures::read;

/// Adds the program of a platform, and `codex-wire-table` if it was built beside it: `codex-wire table` runs the one beside
/// itself.
///
/// # Errors
/// If a program cannot be read.
pub(super) fn add(files: &mut Files, platform: &Platform, program: &Path) -> Result<()> {
    files.add_program(&platform.program, read(program)?);
    let table = platform.program.replace("codex-wire", "codex-wire-table");
    let beside = program.with_file_name(&table);
    if beside.is_file() {
        files.add_program(table, read(&beside)?);
    }
    Ok(())
}
