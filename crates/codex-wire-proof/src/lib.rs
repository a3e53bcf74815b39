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
//! use codex_wire::{Release, Surface, generate::Recipe};
//! use proptest::{strategy::{Strategy, ValueTree}, test_runner::TestRunner};
//!
//! let recipe = Recipe { release: Release::new(0, 125, 0), unknown: false };
//! let messages = codex_wire_proof::messages(Surface::Exec, recipe);
//! let message = messages.new_tree(&mut TestRunner::deterministic()).unwrap().current();
//! assert_eq!(codex_wire_proof::again(Surface::Exec, &message), Ok(message));
//! ```

use codex_wire::core::Submission;
use codex_wire::exec::{self, legacy::LegacyLine};
use codex_wire::generate::{Generate, Recipe};
use codex_wire::{Error, Surface, app_server, core};
use proptest::strategy::{BoxedStrategy, Strategy as _};
use serde_json::Value;

/// Calls `$do` with the type of a surface's messages.
macro_rules! with_type {
    ($surface:expr, $do:ident) => {
        match $surface {
            Surface::Exec => $do!(exec::Event),
            Surface::ExecLegacy => $do!(LegacyLine),
            Surface::CoreEvents => $do!(core::Event),
            Surface::CoreSubmissions => $do!(Submission),
            Surface::AppServerClientRequests => $do!(app_server::ClientRequest),
            Surface::AppServerClientNotifications => $do!(app_server::ClientNotification),
            Surface::AppServerClientResponses => $do!(app_server::ClientResponse),
            Surface::AppServerServerRequests => $do!(app_server::ServerRequest),
            Surface::AppServerServerNotifications => $do!(app_server::ServerNotification),
            Surface::AppServerServerResponses => $do!(app_server::ServerResponse),
            Surface::AppServerErrors => $do!(app_server::ErrorResponse<app_server::ClientSide>),
            Surface::AppServerItems => $do!(app_server::ThreadItem),
            other => panic!("{other} has no type here"),
        }
    };
}

/// Messages of a surface as lines of JSON, as `recipe` asks for.
///
/// # Panics
/// If the surface is newer than this list of their types, which a test finds.
pub fn messages(surface: Surface, recipe: Recipe) -> BoxedStrategy<String> {
    macro_rules! made {
        ($ty:ty) => {
            <$ty>::generate(recipe)
                .prop_map(|message| codex_wire::to_string(&message))
                .boxed()
        };
    }
    with_type!(surface, made)
}

/// The same messages as trees, which keep the last value of a duplicate key.
///
/// # Panics
/// As [`messages`].
pub fn trees(surface: Surface, recipe: Recipe) -> BoxedStrategy<Value> {
    messages(surface, recipe)
        .prop_map(|message| tree(&message))
        .boxed()
}

/// A line as a tree.
///
/// # Panics
/// If it is no JSON, or nests deeper than serde_json reads.
pub fn tree(message: &str) -> Value {
    serde_json::from_str(message).unwrap_or_else(|error| panic!("{error}: {message}"))
}

/// What the type of a surface writes of a message when it has read it.
///
/// # Errors
/// If the type refuses the message.
///
/// # Panics
/// As [`messages`].
pub fn again(surface: Surface, message: &str) -> Result<String, Error> {
    macro_rules! again {
        ($ty:ty) => {
            codex_wire::from_str::<$ty>(message).map(|message| codex_wire::to_string(&message))
        };
    }
    with_type!(surface, again)
}

/// What serde makes of a message in the type of a surface, as a tree.
///
/// # Errors
/// If the type refuses the message.
///
/// # Panics
/// As [`messages`].
pub fn through_serde(surface: Surface, message: &str) -> Result<Value, Error> {
    macro_rules! serialized {
        ($ty:ty) => {{
            let message = codex_wire::from_str::<$ty>(message)?;
            Ok(serde_json::to_value(message).unwrap_or_else(|error| panic!("{error}")))
        }};
    }
    with_type!(surface, serialized)
}

/// The debug text of a message in its type.
///
/// # Errors
/// If the type refuses the message.
///
/// # Panics
/// As [`messages`].
pub fn shown(surface: Surface, message: &str) -> Result<String, Error> {
    macro_rules! shown {
        ($ty:ty) => {
            codex_wire::from_str::<$ty>(message).map(|message| format!("{message:?}"))
        };
    }
    with_type!(surface, shown)
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn every_surface_has_messages_that_its_type_reads() {
        for surface in Surface::ALL.iter().copied() {
            let recipe = Recipe {
                release: surface.timeline().latest(),
                unknown: false,
            };
            let messages = messages(surface, recipe);
            let mut runner = TestRunner::deterministic();
            for _ in 0..20 {
                let message = messages.new_tree(&mut runner).unwrap().current();
                assert_eq!(again(surface, &message).as_ref(), Ok(&message), "{surface}");
                assert!(shown(surface, &message).is_ok());
            }
        }
    }

    /// A list of types is easily wrong by one.
    #[test]
    fn a_surface_has_the_type_of_its_own_messages() {
        let event = r#"{"type":"turn.started"}"#;
        assert_eq!(again(Surface::Exec, event).as_deref(), Ok(event));
        assert!(again(Surface::CoreEvents, event).is_err());
        let request = r#"{"id":7,"method":"thread/list","params":{}}"#;
        let requests = Surface::AppServerClientRequests;
        assert!(shown(requests, request).unwrap().contains("ThreadList("));
        let notifications = Surface::AppServerClientNotifications;
        assert!(shown(notifications, request).unwrap().contains("Unknown("));
    }
}
