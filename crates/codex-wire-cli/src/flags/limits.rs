//! The flags that limit how much of an input is read, checked and shown.

use clap::Args;
use codex_wire_check::Limits;

use crate::flags::values::bytes;

/// How much of an input to read, check and show.
#[derive(Clone, Debug, Args)]
pub(crate) struct LimitFlags {
    /// Show payload text in excerpts; it is masked otherwise
    #[arg(long)]
    pub(crate) show_values: bool,

    /// The longest line to check, in bytes; K, M and G are powers of 1024
    #[arg(long, value_name = "N", value_parser = bytes, default_value = "256M")]
    #[arg(help_heading = "Limits")]
    pub(crate) max_line_bytes: usize,

    /// The deepest nesting of arrays and objects to check, at most 127
    #[arg(long, value_name = "N", value_parser = depth, default_value = DEEPEST)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_depth: usize,

    /// How many values of an invalid message to check
    #[arg(long, value_name = "N", default_value_t = Limits::default().values)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_values: usize,

    /// How many findings of an input to list, or `all`; the others are only counted
    ///
    /// 0 lists none. The counts and the exit code do not depend on it.
    #[arg(long, value_name = "N", value_parser = findings, default_value = FINDINGS)]
    #[arg(help_heading = "Limits")]
    pub(crate) max_findings: usize,
}

impl LimitFlags {
    /// The limits of a checker with these flags.
    pub(crate) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        limits.line_bytes = self.max_line_bytes;
        limits.depth = self.max_depth;
        limits.values = self.max_values;
        limits.findings = self.max_findings;
        limits
    }
}

/// How many findings of an input are listed unless the user says otherwise.
const FINDINGS: &str = "1000";

/// Reads how many findings to list.
fn findings(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        text => text
            .parse()
            .map_err(|_| "write a number, or `all`".to_owned()),
    }
}

/// The deepest nesting that the checker's JSON reader supports.
const DEEPEST: &str = "127";

/// Reads a depth. A deeper one is refused: such values are never read.
fn depth(text: &str) -> Result<usize, String> {
    let depth = text.parse().ok();
    depth
        .filter(|depth| (1..=Limits::default().depth).contains(depth))
        .ok_or_else(|| format!("write a number from 1 to {DEEPEST}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths() {
        assert_eq!(depth(DEEPEST), Ok(Limits::default().depth));
        assert_eq!(depth("1"), Ok(1));
        for bad in ["", "0", "128", "-1", "x"] {
            assert!(depth(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_of_findings() {
        assert_eq!(findings(FINDINGS), Ok(Limits::default().findings));
        assert_eq!(findings("0"), Ok(0));
        assert_eq!(findings("all"), Ok(usize::MAX));
        for bad in ["", "-1", "none", "1k"] {
            assert!(findings(bad).is_err(), "{bad}");
        }
    }
}
