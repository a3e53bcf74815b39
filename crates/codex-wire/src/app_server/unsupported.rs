//! What a release does not know of what a client is about to send.

use serde::Serialize;

use crate::app_server::envelope::{ClientNotification, ClientRequest};
use crate::json::Raw;
use crate::unsupported::{Unsupported, of, of_text};
use crate::{Described as _, Error, Protocol, Release, Wire};

/// Lists the members, kinds and values that `release` does not know of params, of a result, or of a whole
/// [`ClientRequest`], in the order of the wire.
///
/// ```
/// use codex_wire::app_server::{ThreadStartParams, unsupported};
/// use codex_wire::{Maybe, Release};
///
/// let mut params = ThreadStartParams::new();
/// params.service_name = Maybe::Value("my-client".into());
/// let found = unsupported(&params, Release::new(0, 98, 0));
/// assert_eq!(found[0].to_string(), "the member `serviceName` at /serviceName (0.105.0 or later)");
/// assert!(unsupported(&params, Release::new(0, 169, 0)).is_empty());
/// ```
///
/// Which members are experimental is not asked: a client that did not opt in is refused them, by any release. The
/// [availability](crate::Availability) of a part says so.
pub fn unsupported<T: Wire + Serialize>(value: &T, release: Release) -> Vec<Unsupported> {
    of(value, Protocol::AppServer, release)
}

/// As [`unsupported`], of JSON text that was made by hand or by another program: of params, or of a whole line as a
/// [`ClientRequest`].
///
/// ```
/// use codex_wire::Release;
/// use codex_wire::app_server::{ClientRequest, unsupported_text};
///
/// let line = r#"{"id":1,"method":"turn/steer","params":{}}"#;
/// let found = unsupported_text::<ClientRequest>(line, Release::new(0, 58, 0))?;
/// assert_eq!(found[0].to_string(), "the method `turn/steer` (0.99.0 or later)");
/// # Ok::<(), codex_wire::Error>(())
/// ```
///
/// # Errors
/// If the text is not JSON.
pub fn unsupported_text<T: Wire>(text: &str, release: Release) -> Result<Vec<Unsupported>, Error> {
    of_text::<T>(text, Protocol::AppServer, release)
}

/// As [`unsupported`], of a method by its name, with JSON that was made by hand; pointers begin with `/params`. The
/// method is a part as well.
///
/// ```
/// use codex_wire::Release;
/// use codex_wire::app_server::unsupported_call;
///
/// let params = serde_json::json!({"threadId": "t", "input": [], "effort": "walrus"});
/// let found = unsupported_call("turn/start", &params.into(), Release::new(0, 98, 0));
/// assert_eq!(found[0].to_string(), "the value `walrus` at /params/effort (in no known release)");
/// ```
pub fn unsupported_call(method: &str, params: &Raw, release: Release) -> Vec<Unsupported> {
    let line = format!(
        r#"{{"method":{},"params":{}}}"#,
        serde_json::json!(method),
        params.get()
    );
    let is_notification = ClientNotification::availability(method).is_some();
    let found = match is_notification {
        true => unsupported_text::<ClientNotification>(&line, release),
        false => unsupported_text::<ClientRequest>(&line, release),
    };
    // A name and a value that was read: the line is JSON.
    found.unwrap_or_default()
}
