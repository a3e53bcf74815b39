//! What the rules about requests and responses are about.

use codex_wire_base::MessageSet;

pub(crate) const REQUESTS: &[MessageSet] = &[
    MessageSet::AppServerClientRequests,
    MessageSet::AppServerServerRequests,
];

pub(crate) const ANSWERS: &[MessageSet] = &[
    MessageSet::AppServerClientResponses,
    MessageSet::AppServerServerResponses,
    MessageSet::AppServerErrors,
];
