//! What the rules about requests and responses are about.

use codex_wire_base::Surface;

pub(crate) const REQUESTS: &[Surface] = &[
    Surface::AppServerClientRequests,
    Surface::AppServerServerRequests,
];

pub(crate) const ANSWERS: &[Surface] = &[
    Surface::AppServerClientResponses,
    Surface::AppServerServerResponses,
    Surface::AppServerErrors,
];
