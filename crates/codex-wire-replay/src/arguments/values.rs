//! Values that Codex reads while it reads its arguments, and refuses if it cannot.

use core::net::SocketAddr;
use core::str::FromStr;

use thiserror::Error;

/// Where `codex app-server` listens.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listen {
    /// On standard input.
    Stdio,
    /// On a unix socket; without a path, on the one in the folder of Codex.
    Unix(Option<String>),
    /// On a WebSocket.
    WebSocket(SocketAddr),
    /// Nowhere.
    Off,
}

/// A value of `--listen` or `--profile` that Codex refuses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("invalid value `{value}`; expected {expected}")]
#[non_exhaustive]
pub struct ParseValueError {
    /// The value.
    pub value: String,
    /// What can stand in its place.
    pub expected: String,
}

impl Listen {
    /// Reads the value of `--listen`. `forms` are those that the release knows.
    pub(super) fn read(text: &str, forms: &[&str]) -> Result<Self, ParseValueError> {
        let refusal = || ParseValueError {
            value: text.to_owned(),
            expected: forms.join(", "),
        };
        let form = match text.split_once("://") {
            Some(("ws", _)) => "ws://IP:PORT",
            Some(("unix", path)) if !path.is_empty() => "unix://PATH",
            _ => text,
        };
        if !forms.contains(&form) {
            return Err(refusal());
        }
        match text.split_once("://") {
            Some(("ws", address)) => address
                .parse()
                .map(Listen::WebSocket)
                .map_err(|_| refusal()),
            Some(("unix", path)) => Ok(Listen::Unix((!path.is_empty()).then(|| path.to_owned()))),
            Some(_) => Ok(Listen::Stdio),
            None => Ok(Listen::Off),
        }
    }
}

impl FromStr for Listen {
    type Err = ParseValueError;

    /// Reads the value of `--listen` as 0.169.0 does.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::read(
            text,
            &["stdio://", "unix://", "unix://PATH", "ws://IP:PORT", "off"],
        )
    }
}

/// Reads the value of `--profile`, in releases where it is the name of a file.
pub(super) fn plain(text: &str) -> Result<String, ParseValueError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(ParseValueError {
            value: text.to_owned(),
            expected: "a plain name such as `work`".to_owned(),
        }),
    }
}
