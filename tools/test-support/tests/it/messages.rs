//! Each message set has the type of its own messages.

use codex_wire::MessageSet;
use codex_wire::generate::Recipe;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use test_support::{again, messages, shown};

#[test]
fn every_message_set_has_messages_that_its_type_reads() {
    for message_set in MessageSet::ALL.iter().copied() {
        let recipe = Recipe {
            release: message_set.release_list().latest(),
            unknown: false,
        };
        let messages = messages(message_set, recipe);
        let mut runner = TestRunner::deterministic();
        for _ in 0..20 {
            let message = messages.new_tree(&mut runner).unwrap().current();
            assert_eq!(
                again(message_set, &message).as_ref(),
                Ok(&message),
                "{message_set}"
            );
            assert!(shown(message_set, &message).is_ok());
        }
    }
}

/// A list of types is easily wrong by one.
#[test]
fn a_message_set_has_the_type_of_its_own_messages() {
    let event = r#"{"type":"turn.started"}"#;
    assert_eq!(again(MessageSet::Exec, event).as_deref(), Ok(event));
    assert!(again(MessageSet::CoreEvents, event).is_err());
    let request = r#"{"id":7,"method":"thread/list","params":{}}"#;
    let requests = MessageSet::AppServerClientRequests;
    assert!(shown(requests, request).unwrap().contains("ThreadList("));
    let notifications = MessageSet::AppServerClientNotifications;
    assert!(shown(notifications, request).unwrap().contains("Unknown("));
}
