//! The flags that limit how much of an input is read, checked and shown.

use clap::Args;
use codex_wire_check::Limits;

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

/// Reads a number of bytes: `4096`, `64K`, `256M`, `1G`.
fn bytes(text: &str) -> Result<usize, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 20),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|number| *number > 0)
        .ok_or_else(|| "write it like 4096, 64K, 256M or 1G".to_owned())
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

    #[test]
    fn sizes() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("64k"), Ok(65_536));
        assert_eq!(bytes("256M"), Ok(Limits::default().line_bytes));
        assert_eq!(bytes("1G"), Ok(1 << 30));
        for bad in ["", "0", "K", "-1", "1.5M", "1T", "99999999999G", "é"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
