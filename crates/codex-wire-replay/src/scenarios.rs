//! The scenarios of `codex-wire conformance`: which recordings they are, and what they try.

use codex_wire_base::Protocol;

/// What a client does in a scenario, and why.
#[derive(Debug)]
#[non_exhaustive]
pub struct Scenario {
    /// The name: the protocol and a word.
    pub name: &'static str,
    /// The protocol that the client has to speak.
    pub protocol: Protocol,
    /// What happens.
    pub summary: &'static str,
    /// Why it is worth trying.
    pub why: &'static str,
    /// What a client should do.
    pub client: &'static str,
    /// Who got it wrong.
    pub evidence: &'static str,
    /// The recordings by release, each as its path below `fixtures`; the oldest release first.
    pub recordings: &'static [(&'static str, &'static str)],
}

/// All scenarios.
pub const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "app-server/turn",
        protocol: Protocol::AppServer,
        summary: "a turn without questions",
        why: "Every client does this: `initialize`, `initialized`, `thread/start`, `turn/start`, and then it reads until \
            the turn is over.",
        client: "Show the last message of the agent, and end with success only if `turn.status` in `turn/completed` is \
            `completed`.",
        evidence: "With `fault/turn-fails`: cc-connect PR 1730, hermes-agent #90436, kata PR 115.",
        recordings: &[
            ("0.98.0", "app-server/0.98.0/02b_reasoning_raw.jsonl"),
            ("0.125.0", "app-server/0.125.0/14a_web_search.jsonl"),
            ("0.163.0", "app-server/0.163.0/02h_raw_events.jsonl"),
            ("0.169.0", "app-server/0.169.0/02_reasoning.jsonl"),
        ],
    },
    Scenario {
        name: "app-server/approval",
        protocol: Protocol::AppServer,
        summary: "a turn in which Codex asks whether it may run a command",
        why: "A client that does not answer waits forever, and Codex waits for it. Only accepting was recorded.",
        client: "Answer the request of Codex with `{\"decision\":\"accept\"}`, then read on as in `app-server/turn`.",
        evidence: "Clients that read requests of Codex as notifications, since both have a method.",
        recordings: &[
            (
                "0.63.0",
                "app-server/0.63.0/03a_command_untrusted_accept.jsonl",
            ),
            (
                "0.169.0",
                "app-server/0.169.0/03a_command_untrusted_accept.jsonl",
            ),
        ],
    },
    Scenario {
        name: "app-server/patch",
        protocol: Protocol::AppServer,
        summary: "a turn in which Codex asks whether it may change files",
        why: "The request for file changes is another method than that for commands.",
        client: "Answer the request of Codex with `{\"decision\":\"accept\"}`, then read on as in `app-server/turn`.",
        evidence: "As `app-server/approval`.",
        recordings: &[("0.169.0", "app-server/0.169.0/04a_patch_accept.jsonl")],
    },
    Scenario {
        name: "exec/message",
        protocol: Protocol::Exec,
        summary: "a run with one message",
        why: "The smallest run there is.",
        client: "Show the message, and end with success only after `turn.completed`.",
        evidence: "With `fault/exit-without-end`: clients that trust the exit status alone.",
        recordings: &[
            ("0.44.0", "exec/0.44.0/message.jsonl"),
            ("0.98.0", "exec/0.98.0/message.jsonl"),
            ("0.125.0", "exec/0.125.0/message.jsonl"),
            ("0.169.0", "exec/0.169.0/message.jsonl"),
        ],
    },
    Scenario {
        name: "exec/command",
        protocol: Protocol::Exec,
        summary: "a run with a command",
        why: "Items start and complete, and only the last message is the result.",
        client: "As `exec/message`.",
        evidence: "codex-codes refuses kinds of item that it does not know.",
        recordings: &[
            ("0.98.0", "exec/0.98.0/command_ok.jsonl"),
            ("0.125.0", "exec/0.125.0/command_ok.jsonl"),
            ("0.169.0", "exec/0.169.0/command_ok.jsonl"),
        ],
    },
];
