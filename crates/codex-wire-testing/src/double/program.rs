//! The program that plays.

use std::env;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::installed;
#[cfg(all(unix, feature = "stand-in"))]
use super::own;
use super::plan::Plan;

/// The variable that names the program.
const VARIABLE: &str = "CODEX_WIRE_PROGRAM";

/// Puts a double into a folder. It ends with this process.
pub(super) fn install(folder: &Path, plan: &Plan) -> Result<(), Error> {
    let named = env::var_os(VARIABLE).filter(|path| !path.is_empty());
    let named = plan.manner.program.clone().or(named.map(PathBuf::from));
    #[cfg(all(unix, feature = "stand-in"))]
    if named.is_none()
        && let Some(entry) = own::entry()?
    {
        return own::install(folder, plan, &entry);
    }
    installed::install(
        named.unwrap_or_else(|| installed::NAME.into()),
        folder,
        plan,
    )
}
