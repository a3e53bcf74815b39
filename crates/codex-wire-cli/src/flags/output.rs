//! The flag that limits how much is written.

use clap::Args;

use super::values::size;

/// How much to write.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputFlags {
    /// The most to write to standard output and files together, in bytes; K, M and G are powers of 1024
    ///
    /// Beyond it, the command ends with exit code 2, and no file is left half written.
    #[arg(long, value_name = "N", value_parser = size, default_value = "16G")]
    #[arg(help_heading = "Limits")]
    pub(crate) max_output: u64,
}
