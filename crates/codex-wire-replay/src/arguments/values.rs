//! Values that Codex reads while it reads its arguments, and refuses if it cannot.

use core::net::SocketAddr;
use core::str::FromStr;

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

impl Listen {
    /// Reads the value of `--listen`. `refusal` is what the release says to one that it does not know;
    /// it names the forms that it does.
    pub(super) fn read(text: &str, refusal: &str) -> Result<Self, String> {
        let is_known = |form: &str| refusal.contains(&format!("`{form}`"));
        if let Some(address) = text.strip_prefix("ws://")
            && is_known("ws://IP:PORT")
        {
            return address.parse().map(Listen::WebSocket).map_err(|_| {
                format!("invalid websocket --listen URL `{text}`; expected `ws://IP:PORT`")
            });
        }
        if let Some(path) = text.strip_prefix("unix://")
            && is_known("unix://")
        {
            return Ok(Listen::Unix((!path.is_empty()).then(|| path.to_owned())));
        }
        match text {
            "stdio://" => Ok(Listen::Stdio),
            "off" if is_known("off") => Ok(Listen::Off),
            _ => Err(refusal.replace("?bogus", text)),
        }
    }
}

/// What 0.169.0 says to a value of `--listen` that it does not know.
const UNKNOWN: &str = "unsupported --listen URL `?bogus`; expected `stdio://`, `unix://`, \
                       `unix://PATH`, `ws://IP:PORT`, or `off`";

impl FromStr for Listen {
    type Err = String;

    /// Reads the value of `--listen` as 0.169.0 does.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::read(text, UNKNOWN)
    }
}

/// Reads the value of `--profile`, in releases where it is the name of a file.
pub(super) fn profile(text: &str, refusal: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(refusal.replace("?bogus", text)),
    }
}
