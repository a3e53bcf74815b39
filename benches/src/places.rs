//! The places that a client looks at first.

/// The kind of event and item, whose it is and how it stands.
pub const EXEC: &[&str] = &["/type", "/item/id", "/item/type", "/item/status"];

/// The kind of notification, and whose it is.
pub const APP_SERVER: &[&str] = &[
    "/method",
    "/params/threadId",
    "/params/turnId",
    "/params/itemId",
    "/params/item/id",
    "/params/item/type",
    "/params/item/status",
];

/// The kind of line of a session file, and whose it is.
pub const ROLLOUT: &[&str] = &["/type", "/payload/type", "/payload/turn_id"];
