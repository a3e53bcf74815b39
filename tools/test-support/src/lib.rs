//! Makes messages of every message set as any release writes them, for the tests of other crates.
//!
//! Functions take and return text, so that their callers need not name the types. `messages` makes
//! messages; `again`, `through_serde` and `shown` read them into their type and report the result.
//! There are more than a thousand types: the code that makes, reads and writes them is compiled
//! here, once for all tests. This crate is not optimised in tests, which would take longer than it
//! saves. Its own tests compare types and schemas: what the types write for a release is what its
//! schemas accept.
//!
//! It must not know schemas, transcripts, findings or files; its tests know the schemas.
//!
//! ```
//! use codex_wire::{Release, MessageSet, generate::Recipe};
//! use proptest::{strategy::{Strategy, ValueTree}, test_runner::TestRunner};
//!
//! let recipe = Recipe { release: Release::new(0, 125, 0), unknown: false };
//! let messages = test_support::messages(MessageSet::Exec, recipe);
//! let message = messages.new_tree(&mut TestRunner::deterministic()).unwrap().current();
//! assert_eq!(test_support::again(MessageSet::Exec, &message), Ok(message));
//! ```

use codex_wire::core_protocol::Submission;
use codex_wire::exec::{self, legacy::LegacyLine};
use codex_wire::generate::{Generate, Recipe};
use codex_wire::{Error, MessageSet, app_server, core_protocol, hooks, notify, rollout};
use proptest::strategy::{BoxedStrategy, Strategy as _};
use serde_json::Value;

/// Calls `$do` with the type of a message set's messages.
macro_rules! with_type {
    ($message_set:expr, $do:ident) => {
        match $message_set {
            MessageSet::Exec => $do!(exec::Event),
            MessageSet::ExecLegacy => $do!(LegacyLine),
            MessageSet::CoreEvents => $do!(core_protocol::Event),
            MessageSet::CoreSubmissions => $do!(Submission),
            MessageSet::AppServerClientRequests => $do!(app_server::ClientRequest),
            MessageSet::AppServerClientNotifications => $do!(app_server::ClientNotification),
            MessageSet::AppServerClientResponses => $do!(app_server::ClientResponse),
            MessageSet::AppServerServerRequests => $do!(app_server::ServerRequest),
            MessageSet::AppServerServerNotifications => $do!(app_server::ServerNotification),
            MessageSet::AppServerServerResponses => $do!(app_server::ServerResponse),
            MessageSet::AppServerErrors => $do!(app_server::ErrorResponse<app_server::ClientSide>),
            MessageSet::AppServerItems => $do!(app_server::ThreadItem),
            MessageSet::HooksInput => $do!(hooks::HookInput),
            MessageSet::HooksOutput => $do!(hooks::HookOutput),
            MessageSet::Notify => $do!(notify::UserNotification),
            MessageSet::Rollout => $do!(rollout::RolloutLine),
            MessageSet::RolloutEarly => $do!(rollout::EarlyLine),
            other => panic!("{other} has no type here"),
        }
    };
}

/// Messages of a message set as lines of JSON, as `recipe` asks for.
///
/// # Panics
/// If the message set is newer than this list of their types, which a test finds.
pub fn messages(message_set: MessageSet, recipe: Recipe) -> BoxedStrategy<String> {
    macro_rules! made {
        ($ty:ty) => {
            <$ty>::generate(recipe)
                .prop_map(|message| codex_wire::to_string(&message))
                .boxed()
        };
    }
    with_type!(message_set, made)
}

/// The same messages as trees, which keep the last value of a duplicate key.
///
/// # Panics
/// As [`messages`].
pub fn trees(message_set: MessageSet, recipe: Recipe) -> BoxedStrategy<Value> {
    messages(message_set, recipe)
        .prop_map(|message| tree(&message))
        .boxed()
}

/// A line as a tree.
///
/// # Panics
/// If it is not JSON, or nests deeper than serde_json reads.
pub fn tree(message: &str) -> Value {
    serde_json::from_str(message).unwrap_or_else(|error| panic!("{error}: {message}"))
}

/// What the type of a message set writes of a message when it has read it.
///
/// # Errors
/// If the type refuses the message.
///
/// # Panics
/// As [`messages`].
pub fn again(message_set: MessageSet, message: &str) -> Result<String, Error> {
    macro_rules! again {
        ($ty:ty) => {
            codex_wire::from_str::<$ty>(message).map(|message| codex_wire::to_string(&message))
        };
    }
    with_type!(message_set, again)
}

/// What serde makes of a message in the type of a message set, as a tree.
///
/// # Errors
/// If the type refuses the message.
///
/// # Panics
/// As [`messages`].
pub fn through_serde(message_set: MessageSet, message: &str) -> Result<Value, Error> {
    macro_rules! serialized {
        ($ty:ty) => {{
            let message = codex_wire::from_str::<$ty>(message)?;
            Ok(serde_json::to_value(message).unwrap_or_else(|error| panic!("{error}")))
        }};
    }
    with_type!(message_set, serialized)
}

/// The debug text of a message in its type.
///
/// # Errors
/// If the type refuses the message.
///
/// # Panics
/// As [`messages`].
pub fn shown(message_set: MessageSet, message: &str) -> Result<String, Error> {
    macro_rules! shown {
        ($ty:ty) => {
            codex_wire::from_str::<$ty>(message).map(|message| format!("{message:?}"))
        };
    }
    with_type!(message_set, shown)
}
