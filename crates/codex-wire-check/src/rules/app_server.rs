//! Rules about requests and responses of the app-server protocol.

use codex_wire_base::Surface;
use codex_wire_base::shape::Lifetime;

use crate::rule::{Exception, Status, connections, rules, since, v};
use crate::severity::Severity;

const REQUESTS: &[Surface] = &[
    Surface::AppServerClientRequests,
    Surface::AppServerServerRequests,
];

const ANSWERS: &[Surface] = &[
    Surface::AppServerClientResponses,
    Surface::AppServerServerResponses,
    Surface::AppServerErrors,
];

rules! {
    RPC_ANSWER_UNASKED {
        demands: "a response or an error answers a request that was sent",
        id: "rpc/answer-unasked",
        about: ANSWERS,
        reading: "The id is that of no request of the other side: it was counted wrongly, or \
            changed its type on the way. `7` and `\"7\"` are two ids, and so are a client's 7 \
            and Codex's. Codex ignores such an answer. Nothing is said where the beginning of \
            the connection is missing or a line before could not be read.",
        evidence: connections!("Codex never does it. Clients did on purpose, in every release."),
    }
    RPC_ANSWERED_TWICE {
        demands: "a request is answered once",
        id: "rpc/answered-twice",
        about: ANSWERS,
        reading: "The first answer counts and Codex ignores the second, so a client that \
            changes its mind about an approval this way is not heard. An id may be used again \
            after its request was answered.",
        evidence: connections!("Codex never does it. Clients did on purpose, in every release."),
    }
    RPC_ARRAY {
        demands: "a line holds one message, not an array",
        id: "rpc/array",
        about: REQUESTS,
        reading: "There are no batches: Codex gives no answer to an array of messages. One of \
            the form `[id, method, params]` it takes for a request, by accident.",
        evidence: connections!("Codex never writes one. Of 104 that clients wrote on purpose, \
            only the form above was answered."),
    }
    RPC_EXPERIMENTAL {
        demands: "a client uses the experimental API only if `initialize` asked for it with \
            `capabilities.experimentalApi`",
        id: "rpc/experimental",
        about: &[Surface::AppServerClientRequests],
        releases: since(v(95)),
        reading: "Codex answers with error -32600 and says `… requires experimentalApi \
            capability`. Members that are absent, `null`, `false` or empty do not count. Answers \
            and notifications may hold experimental members whatever was asked for.",
        evidence: "Of the 1,673 recorded connections, of 15 releases from 0.58.0 to 0.169.0, 64 \
            lines of 11 releases break it, on purpose. Codex refused each of them, and no other \
            for that reason.",
    }
    RPC_ID_IN_USE {
        demands: "the id of a request is not that of another one that still waits",
        id: "rpc/id-in-use",
        about: REQUESTS,
        reading: "Codex answers both, and nobody can tell which answer is whose. Ids of the two \
            sides have nothing to do with each other: Codex counts its own from 0.",
        evidence: connections!("Codex never does it. Clients did on purpose, in every release."),
    }
    RPC_ID_KIND {
        demands: "an id is an integer of 64 bits or a text",
        id: "rpc/id-kind",
        about: REQUESTS,
        reading: "Codex gives no answer to a request with another id: `null`, `1.5`, `true`, \
            2^63. Negative numbers and the empty text are ids.",
        evidence: connections!("Codex's ids are integers from 0. Of the others that clients \
            sent on purpose, none was answered."),
    }
    RPC_NEVER_ANSWERED {
        demands: "a request is answered before the recording ends",
        id: "rpc/never-answered",
        about: REQUESTS,
        level: Severity::Note,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &[],
            level: Some(Severity::Note),
            seen: "requests with an id that is none, and those under way when the client hangs \
                up",
        }],
        reading: "Codex answers every request, if only with an error, but not after the client \
            hangs up. A request of Codex that `serverRequest/resolved` names needs no answer \
            any more. Nothing is said of a recording that is cut or of one side.",
        evidence: connections!("Of their requests 20 wait at the end. Codex stopped reading at a \
            byte that is not UTF-8, or the client hung up: most wait for `turn/interrupt`."),
    }
}
