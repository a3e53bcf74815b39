//! What no recording answers, and the error that the client gets for it.
//!
//! The errors are those that real releases gave in recordings.

use codex_wire_base::{MessageSet, Protocol, Release};
use codex_wire_schema::annotated;
use codex_wire_schema::ir::{Object, TaggedVariant};
use serde_json::Value;

use crate::compose::observed::Observed;
use crate::matching::Difference;

/// Something that the client sent and no recording answers, nor the script.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Miss {
    /// What it sent: a method, or the method that an answer is to.
    pub what: String,
    /// Whether a script is played, and not recordings.
    pub is_of_script: bool,
    /// Whether the client got an answer, which was made from the schema of the release.
    pub is_answered: bool,
    /// The message of the error that it got; `None` if it got an answer, or the session ended.
    pub error: Option<String>,
    /// The closest recorded request.
    pub nearest: Option<Nearest>,
}

impl Miss {
    /// A script does not go on after what the client sent.
    pub(crate) fn of_script(what: String) -> Self {
        Miss {
            what,
            is_of_script: true,
            is_answered: false,
            error: None,
            nearest: None,
        }
    }

    /// Whether the client got nothing for it: then the session ends, because silence would make it wait forever.
    pub(crate) fn ends(&self) -> bool {
        self.error.is_none() && !self.is_answered
    }

    /// What is played has nothing for it, in words.
    pub fn message(&self) -> String {
        let Miss { what, .. } = self;
        match (self.is_of_script, &self.error, self.is_answered) {
            // Of a script, whatever the client gets is an answer of its own.
            (true, Some(error), _) => {
                // An unknown method is refused with the list of all that there are.
                let error = error.split(", expected one of").next().unwrap_or_default();
                format!("{what} is refused: {error}")
            }
            (true, None, true) => format!("the script does not answer {what}"),
            (true, None, false) => format!("the script does not go on after {what}"),
            (false, None, false) => format!("no recording goes on after {what}"),
            (false, ..) => format!("no recording answers {what}"),
        }
    }
}

/// A recorded request, and how the one of the client differs from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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

/// Why the release would refuse a request; nothing if it would accept it. Nearly every error of Codex
/// has the code -32600.
pub(crate) fn refusal_of(
    method: &str,
    params: Option<&Value>,
    release: Option<Release>,
    is_experimental: bool,
    is_known_thread: &dyn Fn(&str) -> bool,
) -> Option<RpcError> {
    let listed = release.and_then(|release| Protocol::AppServer.release_list().floor(release));
    if let Some(release) = listed {
        let Some(variant) = variant_of(method, release) else {
            return Some(unknown_method(method, release));
        };
        if variant.availability.is_experimental(release) && !is_experimental {
            let message = format!("{method} requires experimentalApi capability");
            return Some(invalid(&message));
        }
        if let Some(missing) = missing_member(variant, params, release) {
            let message = format!("Invalid request: missing field `{missing}`");
            return Some(invalid(&message));
        }
    }
    let thread = params.and_then(|params| params.get("threadId")?.as_str());
    let unknown = thread.filter(|thread| !is_known_thread(thread));
    unknown.map(|thread| unknown_thread(method, thread, release))
}

/// The error for a request that the release would have accepted, and that no recording answers.
pub(crate) fn not_recorded(method: &str, nearest: Option<&Nearest>) -> RpcError {
    let mut message = format!("no recording answers this {method}");
    if let Some(nearest) = nearest {
        let differences: Vec<String> = nearest
            .differences
            .iter()
            .map(ToString::to_string)
            .collect();
        message = match differences.is_empty() {
            false => format!("{message}: {}", differences.join("; ")),
            true if is_turn(method) => {
                format!("{message}: all turns that were recorded were played")
            }
            true => format!("{message}: all that were recorded were played"),
        };
    }
    invalid(&message)
}

/// Whether a method begins a turn.
pub fn is_turn(method: &str) -> bool {
    let turns = ["turn/start", "sendUserTurn", "sendUserMessage"];
    turns.contains(&method) || ["user_input", "user_turn"].contains(&method)
}

/// The error for parameters that the release does not accept. Codex says which, in words of its own.
pub(crate) fn wrong_parameters(method: &str, release: Release) -> RpcError {
    invalid(&format!(
        "Invalid request: {release} does not accept these parameters of {method}"
    ))
}

/// The error for a request that the release would have accepted, and that a script has nothing for.
pub(crate) fn not_scripted(method: &str) -> RpcError {
    invalid(&format!("the script does not answer this {method}"))
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

/// Whether nothing in a text is wrong for the id of a thread.
pub(crate) fn is_thread_id(text: &str) -> bool {
    wrong_character(text).is_none()
}

/// The first character that no id of a thread has, and where it stands.
fn wrong_character(thread: &str) -> Option<(usize, char)> {
    let is_hex = |c: char| c.is_ascii_hexdigit() || c == '-';
    thread.char_indices().find(|(_, c)| !is_hex(*c))
}

fn unknown_thread(method: &str, thread: &str, release: Option<Release>) -> RpcError {
    if let Some((at, c)) = wrong_character(thread) {
        let what = match (method, release) {
            ("thread/resume" | "thread/fork" | "thread/archive", Some(release)) => {
                Observed(release).id_to_resume()
            }
            _ => "thread",
        };
        return invalid(&format!(
            "invalid {what} id: invalid character: expected an optional prefix of `urn:uuid:` followed \
             by [0-9a-fA-F-], found `{c}` at {}",
            at + 1
        ));
    }
    invalid(&match method {
        "thread/resume" | "thread/fork" | "thread/archive" => {
            format!("no rollout found for thread id {thread}")
        }
        "thread/unarchive" => format!("no archived rollout found for thread id {thread}"),
        "thread/read" | "thread/turns/list" => format!("thread not loaded: {thread}"),
        _ => format!("thread not found: {thread}"),
    })
}
