//! Parses the values that flags of several commands take.

use std::num::NonZeroUsize;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use codex_wire_base::{MessageSet, Protocol};
use codex_wire_check::Writer;
use codex_wire_report::Format;
use codex_wire_schema::{Profile, Stability};

/// Reads one of a set of names, which the help text and the error list.
pub(crate) fn named<T: Clone + Send + Sync + 'static>(
    all: impl IntoIterator<Item = T>,
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let all: Vec<T> = all.into_iter().collect();
    let names: Vec<&'static str> = all.iter().cloned().map(name).collect();
    PossibleValuesParser::new(&names).try_map(move |text| {
        let at = names.iter().position(|name| *name == text);
        at.map(|at| all[at].clone()).ok_or("not one of the names")
    })
}

/// A number of threads.
pub(crate) fn threads() -> impl TypedValueParser<Value = NonZeroUsize> {
    |text: &str| {
        let number = text.parse::<usize>().ok().and_then(NonZeroUsize::new);
        number.ok_or("a number from 1 on is needed")
    }
}

pub(crate) fn protocol() -> impl TypedValueParser<Value = Protocol> {
    named(Protocol::ALL.iter().copied(), Protocol::as_str)
}

/// The name of a message set on the command line, where `core` stands for its events.
pub(crate) fn message_set_name(message_set: MessageSet) -> &'static str {
    match message_set {
        MessageSet::CoreEvents => Protocol::Core.as_str(),
        other => other.as_str(),
    }
}

pub(crate) fn side() -> impl TypedValueParser<Value = Writer> {
    named([Writer::Codex, Writer::Client], Writer::as_str)
}

/// A side of a recording. Hooks have a name of their own.
pub(crate) fn writer() -> impl TypedValueParser<Value = Writer> {
    const NAMES: [&str; 3] = ["codex", "client", "hook"];
    PossibleValuesParser::new(NAMES).map(|name| match name.as_str() {
        "codex" => Writer::Codex,
        _ => Writer::Client,
    })
}

pub(crate) fn profile() -> impl TypedValueParser<Value = Profile> {
    named(Profile::ALL, Profile::as_str)
}

pub(crate) fn stability() -> impl TypedValueParser<Value = Stability> {
    named(Stability::ALL, Stability::as_str)
}

/// The formats of commands that check nothing: text or one JSON document.
pub(crate) fn text_or_json() -> impl TypedValueParser<Value = Format> {
    named([Format::Text, Format::Json], Format::as_str)
}

/// Reads a number of bytes: `4096`, `64K`, `256M`, `1G`.
pub(crate) fn size(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
        Some(b'm' | b'M') => (&text[..text.len() - 1], 20),
        Some(b'g' | b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(1 << shift))
        .filter(|number| *number > 0)
        .ok_or_else(|| "write it like 4096, 64K, 256M or 1G".to_owned())
}

/// The same, of what has to fit into memory at once.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    usize::try_from(size(text)?).map_err(|_| "this is more than this machine can hold".to_owned())
}

/// Reads a time in seconds: `5`, `0.5`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "write it like 5 or 0.5".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("64k"), Ok(65_536));
        assert_eq!(bytes("256M"), Ok(256 << 20));
        assert_eq!(bytes("1G"), Ok(1 << 30));
        assert_eq!(size("16G"), Ok(16 << 30));
        for bad in ["", "0", "K", "-1", "1.5M", "1T", "99999999999G", "é"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn times() {
        assert_eq!(seconds("5"), Ok(Duration::from_secs(5)));
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["", "0", "-1", "1s", "inf", "NaN", "1e99"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
