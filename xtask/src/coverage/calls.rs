//! Sorts the lines of an app-server connection: requests, notifications, and responses with the
//! method of their request.

use std::collections::{BTreeMap, VecDeque};

use codex_wire::MessageSet;
use codex_wire::transcript::Side;
use serde_json::Value;

/// The requests of a transcript that wait for their answers.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// By connection, by whether the client asked, and by id.
    waiting: BTreeMap<(Option<u32>, bool, String), VecDeque<String>>,
}

impl Calls {
    /// What a line is a message of, and the message as the document describes it: a result has
    /// the method it answers in front. Nothing, if the line is not a message or answers nothing.
    pub(super) fn place(
        &mut self,
        from: Side,
        connection: Option<u32>,
        text: &str,
    ) -> Option<(MessageSet, String)> {
        let value: Value = serde_json::from_str(text).ok()?;
        let by_client = from == Side::Client;
        let id = value.get("id").map(Value::to_string);
        if let Some(method) = value.get("method") {
            let method = method.as_str()?;
            let message_set = match (by_client, id) {
                (true, None) => MessageSet::AppServerClientNotifications,
                (false, None) => MessageSet::AppServerServerNotifications,
                (_, Some(id)) => {
                    let waiting = self.waiting.entry((connection, by_client, id));
                    waiting.or_default().push_back(method.to_owned());
                    match by_client {
                        true => MessageSet::AppServerClientRequests,
                        false => MessageSet::AppServerServerRequests,
                    }
                }
            };
            return Some((message_set, text.to_owned()));
        }
        let waiting = self.waiting.get_mut(&(connection, !by_client, id?));
        let method = waiting.and_then(VecDeque::pop_front);
        if value.get("error").is_some() {
            return Some((MessageSet::AppServerErrors, text.to_owned()));
        }
        let members = text.trim_start().strip_prefix('{')?;
        let message = format!("{{\"method\":{},{members}", Value::String(method?));
        match by_client {
            true => Some((MessageSet::AppServerClientResponses, message)),
            false => Some((MessageSet::AppServerServerResponses, message)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_get_the_method_they_answer() {
        let mut calls = Calls::default();
        let mut place = |from, connection, text| calls.place(from, connection, text);
        let asked = r#"{"id":1,"method":"thread/list","params":{}}"#;
        let (message_set, text) = place(Side::Client, None, asked).unwrap();
        assert_eq!(message_set, MessageSet::AppServerClientRequests);
        assert_eq!(text, asked);
        let asked = r#"{"id":1,"method":"item/tool/call","params":{}}"#;
        let (message_set, _) = place(Side::Codex, None, asked).unwrap();
        assert_eq!(message_set, MessageSet::AppServerServerRequests);

        // The same id of the other side, and of another connection, is another request.
        let answer = r#"{"id":1,"result":{}}"#;
        assert_eq!(place(Side::Codex, Some(1), answer), None);
        let (message_set, text) = place(Side::Codex, None, answer).unwrap();
        assert_eq!(message_set, MessageSet::AppServerServerResponses);
        assert_eq!(text, r#"{"method":"thread/list","id":1,"result":{}}"#);
        let (message_set, text) = place(Side::Client, None, answer).unwrap();
        assert_eq!(message_set, MessageSet::AppServerClientResponses);
        assert_eq!(text, r#"{"method":"item/tool/call","id":1,"result":{}}"#);
        assert_eq!(place(Side::Codex, None, answer), None);
    }

    #[test]
    fn what_is_no_answer_is_known_by_its_members() {
        let mut calls = Calls::default();
        let mut message_set = |from: &Side, text| Some(calls.place(from.clone(), None, text)?.0);
        let initialized = r#"{"method":"initialized"}"#;
        let (client, codex) = (&Side::Client, &Side::Codex);
        assert_eq!(
            message_set(client, initialized),
            Some(MessageSet::AppServerClientNotifications)
        );
        assert_eq!(
            message_set(codex, initialized),
            Some(MessageSet::AppServerServerNotifications)
        );
        let refused = r#"{"id":1,"error":{"code":-32600,"message":"no"}}"#;
        assert_eq!(
            message_set(codex, refused),
            Some(MessageSet::AppServerErrors)
        );
        for noise in ["not JSON", "[]", "{}", r#"{"id":1,"method":2}"#] {
            assert_eq!(message_set(client, noise), None, "{noise}");
        }
    }
}
