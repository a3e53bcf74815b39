//! What no recording answers, and the error that the client gets for it.
//!
//! The errors are those that real releases gave in recordings.

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::annotated;
use codex_wire_schema::ir::{Object, TaggedVariant};
use serde_json::Value;

use crate::matching::Difference;

/// Something that the client sent and no recording answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// What it sent: a method, or the method that an answer is to.
    pub what: String,
    /// The message of the error that it got; `None` if the session ended instead.
    pub error: Option<String>,
    /// The recorded request that is most like it.
    pub nearest: Option<Nearest>,
}

/// A recorded request, and how the one of the client differs from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// The name of the recording.
    pub recording: String,
    /// The line in it.
    pub line: u64,
    /// What differs; empty if it was played already.
    pub differences: Vec<Difference>,
}

/// An error of JSON-RPC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
}

impl From<&str> for RpcError {
    fn from(message: &str) -> Self {
        invalid(message)
    }
}

/// The error for a request before `initialize`.
pub(crate) const NOT_INITIALIZED: &str = "Not initialized";

/// The error for a second `initialize`.
pub(crate) const ALREADY_INITIALIZED: &str = "Already initialized";

/// The error that a release gives for a request that no recording answers. Nearly every error of Codex
/// has the code -32600.
///
/// If the release would have accepted the request, the message says that it was not recorded.
pub(crate) fn error_of(
    method: &str,
    params: Option<&Value>,
    release: Option<Release>,
    is_experimental: bool,
    is_known_thread: &dyn Fn(&str) -> bool,
    nearest: Option<&Nearest>,
) -> RpcError {
    let listed = release.and_then(|release| Protocol::AppServer.release_list().floor(release));
    if let Some(release) = listed {
        let Some(variant) = variant_of(method, release) else {
            return unknown_method(method, release);
        };
        if variant.availability.is_experimental(release) && !is_experimental {
            return invalid(&format!("{method} requires experimentalApi capability"));
        }
        if let Some(missing) = missing_member(variant, params, release) {
            return invalid(&format!("Invalid request: missing field `{missing}`"));
        }
    }
    let thread = params.and_then(|params| params.get("threadId")?.as_str());
    if let Some(thread) = thread.filter(|thread| !is_known_thread(thread)) {
        return unknown_thread(method, thread);
    }
    let mut message = format!("no recording answers this {method}");
    if let Some(nearest) = nearest {
        let differences: Vec<String> = nearest
            .differences
            .iter()
            .map(ToString::to_string)
            .collect();
        if !differences.is_empty() {
            message = format!("{message}: {}", differences.join("; "));
        }
    }
    invalid(&message)
}

fn invalid(message: &str) -> RpcError {
    RpcError {
        code: -32600,
        message: message.to_owned(),
    }
}

fn variant_of(method: &str, release: Release) -> Option<&'static TaggedVariant> {
    let union = annotated(MessageSet::AppServerClientRequests)
        .root()
        .tagged()?;
    let variant = union.variant(method)?;
    variant.availability.contains(release).then_some(variant)
}

fn unknown_method(method: &str, release: Release) -> RpcError {
    let union = annotated(MessageSet::AppServerClientRequests)
        .root()
        .tagged();
    let known: Vec<String> = union
        .into_iter()
        .flat_map(|union| &union.variants)
        .filter(|variant| variant.availability.contains(release))
        .map(|variant| format!("`{}`", variant.tag))
        .collect();
    invalid(&format!(
        "Invalid request: unknown variant `{method}`, expected one of {}",
        known.join(", ")
    ))
}

/// The first required member that the request lacks. `null` counts as missing.
fn missing_member(
    variant: &TaggedVariant,
    params: Option<&Value>,
    release: Release,
) -> Option<String> {
    let document = annotated(MessageSet::AppServerClientRequests);
    let message = document.schema(&variant.definition)?.object()?;
    let member = message.member("params")?;
    let may_lack = |object: &Object, name: &str| {
        object.member(name).is_none_or(|member| {
            let lacks = member.optional.iter().chain(&member.nullable);
            member.has_default
                || !member.availability.contains(release)
                || lacks.into_iter().any(|range| range.contains(release))
        })
    };
    let params = params.filter(|params| !params.is_null());
    let Some(params) = params else {
        return (!may_lack(message, "params")).then(|| "params".to_owned());
    };
    let object = document.resolve(&member.schema).object()?;
    let names = object.members.iter().map(|member| member.name.as_ref());
    let ordered = object.required.iter().map(AsRef::as_ref).chain(names);
    let members = params.as_object()?;
    ordered
        .filter(|name: &&str| !may_lack(object, name))
        .find(|name| !members.contains_key(*name))
        .map(str::to_owned)
}

fn unknown_thread(method: &str, thread: &str) -> RpcError {
    let is_hex = |c: char| c.is_ascii_hexdigit() || c == '-';
    if let Some((at, c)) = thread.char_indices().find(|(_, c)| !is_hex(*c)) {
        return invalid(&format!(
            "invalid thread id: invalid character: expected an optional prefix of `urn:uuid:` followed \
             by [0-9a-fA-F-], found `{c}` at {}",
            at + 1
        ));
    }
    invalid(&match method {
        "thread/resume" | "thread/fork" | "thread/archive" => {
            format!("no rollout found for thread id {thread}")
        }
        "thread/unarchive" => format!("no archived rollout found for thread id {thread}"),
        "thread/read" => format!("thread not loaded: {thread}"),
        _ => format!("thread not found: {thread}"),
    })
}
