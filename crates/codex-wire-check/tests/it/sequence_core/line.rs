//! A line of either side.

use serde_json::Value;

/// A line of the stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) client: bool,
    pub(crate) value: Value,
}

impl Line {
    pub(crate) fn id(&self) -> &str {
        self.value["id"].as_str().unwrap_or_default()
    }

    /// The event or the operation.
    pub(super) fn body(&self) -> &Value {
        let key = if self.client { "op" } else { "msg" };
        &self.value[key]
    }

    pub(crate) fn tag(&self) -> &str {
        self.body()["type"].as_str().unwrap_or_default()
    }

    pub(super) fn text(&self, key: &str) -> &str {
        self.body()[key].as_str().unwrap_or_default()
    }

    pub(super) fn call(&self) -> &str {
        self.text("call_id")
    }
}
