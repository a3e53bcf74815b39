//! What a client has read of a thread, as 0.163.0 and 0.169.0 say it.

use serde_json::{Value, json};

use super::client::Client;
use super::support::script;

fn client(version: &str) -> Client {
    Client::new(&script("say"), version.parse().unwrap(), "accept").unwrap()
}

#[test]
fn a_thread_says_how_far_it_was_read() {
    for version in ["0.163.0", "0.169.0"] {
        let mut client = client(version);
        let thread = client.thread.clone();
        let of = |thread: &Value| json!({"threadId": thread});
        let read = client.request("thread/read", &of(&thread));
        assert_eq!(read.get("readState"), Some(&Value::Null), "{version}");

        // The first turn stays unread, and each turn changes the revision.
        let first = client.turn("hi");
        let read = client.request("thread/read", &of(&thread))["readState"].clone();
        let unread = json!({"type": "turn", "turnId": first});
        assert_eq!(read["firstUnread"], unread, "{version}");
        client.turn("more");
        let next = client.request("thread/read", &of(&thread))["readState"].clone();
        assert_eq!(next["firstUnread"], unread, "{version}");
        assert_ne!(next["revision"], read["revision"], "{version}");
        let notes = client.lines.iter();
        let mut notes = notes.filter(|(_, line)| line.contains("thread/readState/changed"));
        let (_, last) = notes.next_back().unwrap();
        let last: Value = serde_json::from_str(last).unwrap();
        assert_eq!(
            last["params"],
            json!({"threadId": thread, "readState": next})
        );
        let list = client.request("thread/list", &json!({}));
        let key = thread.as_str().unwrap();
        assert_eq!(list["readStates"], json!({ key: next }), "{version}");

        // A copy has unread turns when it has turns of its own.
        let copy = client.request("thread/fork", &of(&thread))["thread"]["id"].clone();
        let read = client.request("thread/read", &of(&copy))["readState"].clone();
        let revision = format!("initial:{}", copy.as_str().unwrap());
        let expected = json!({"firstUnread": null, "revision": revision});
        assert_eq!(read, expected, "{version}");
    }
    let mut client = client("0.162.1");
    let thread = client.thread.clone();
    client.turn("hi");
    let read = client.request("thread/read", &json!({"threadId": thread}));
    assert_eq!(read.get("readState"), None);
    assert_eq!(
        client.request("thread/list", &json!({})).get("readStates"),
        None
    );
}
