//! What no schema says of two releases: which names mean the same, and which values are nearest.
//!
//! Everything else follows from the availability of members, kinds and values. Each entry names the
//! recordings that show it.

/// Kinds that another release calls by another name.
const KINDS: &[(&str, &str)] = &[
    // `fixtures/exec/0.42.0` begins with `session.created`, `fixtures/exec/0.44.0` with
    // `thread.started`; both hold the id by which the run is resumed.
    ("session.created", "thread.started"),
    // The same folders: the item of a message.
    ("assistant_message", "agent_message"),
];

/// Members that another release calls by another name, beside those that differ in case and
/// separators alone.
const MEMBERS: &[(&str, &str)] = &[
    // With `session.created`, see above.
    ("session_id", "thread_id"),
    // Entries of the history: the documents of 0.30.0 and of 0.31.0.
    ("session_id", "conversation_id"),
];

/// For a value that a release does not have, those that are nearest, the best first.
///
/// - A declined patch is `failed` where there is no `declined`: `fixtures/exec/0.53.0` and before.
/// - Efforts of reasoning are ordered, and so is how often Codex asks; the neighbour is taken.
/// - Ways to log in that are new become those that they extend.
/// - `unifiedExecStartup` is how a command of the agent starts: `fixtures/app-server/0.80.0` calls
///   the same commands `agent`.
/// - What Codex has no own word for it calls `other` or `unknown`.
const VALUES: &[(&str, &[&str])] = &[
    ("accept_with_execpolicy_amendment", &["accept", "approved"]),
    ("apply_network_policy_amendment", &["accept"]),
    ("acceptForSession", &["accept", "approved_for_session"]),
    ("chatgptAuthTokens", &["chatgpt", "apikey"]),
    ("chatgpt_auth_tokens", &["chatgpt", "apikey"]),
    ("agentIdentity", &["chatgpt", "apikey"]),
    ("personalAccessToken", &["chatgpt", "apikey"]),
    ("bedrockApiKey", &["apikey"]),
    ("declined", &["failed"]),
    ("externalSandbox", &["dangerFullAccess"]),
    ("granular", &["on-request"]),
    ("interrupted", &["errored", "failed", "completed"]),
    ("max", &["xhigh", "high"]),
    ("minimal", &["low"]),
    ("none", &["minimal", "low"]),
    ("on-failure", &["on-request"]),
    ("reject", &["on-request"]),
    ("resume_agent", &["wait"]),
    ("resumeAgent", &["wait"]),
    ("ultra", &["max", "xhigh", "high"]),
    ("unifiedExecInteraction", &["agent"]),
    ("unifiedExecStartup", &["agent"]),
    ("unless-trusted", &["untrusted"]),
    ("untrusted", &["unlessTrusted"]),
    ("xhigh", &["high"]),
];

/// What Codex says where it has no word of its own.
const UNSPECIFIC: &[&str] = &["other", "unknown"];

/// Whether two names are equal except for their case and their separators.
pub(super) fn alike(one: &str, other: &str) -> bool {
    let letters = |text: &str| {
        let bytes = text.bytes().filter(|byte| !matches!(byte, b'_' | b'-'));
        bytes
            .map(|byte| byte.to_ascii_lowercase())
            .collect::<Vec<_>>()
    };
    one == other || letters(one) == letters(other)
}

/// The kind that a release has for what another one calls `kind`.
pub(super) fn kind<'n>(kind: &str, has: impl Fn(&str) -> Option<&'n str>) -> Option<&'n str> {
    has(kind).or_else(|| renamed(KINDS, kind).find_map(&has))
}

/// The names that a member may have in other releases.
pub(super) fn member(name: &str) -> impl Iterator<Item = &'static str> {
    renamed(MEMBERS, name)
}

fn renamed(
    table: &'static [(&'static str, &'static str)],
    name: &str,
) -> impl Iterator<Item = &'static str> {
    let name = name.to_owned();
    table.iter().filter_map(move |(one, other)| match () {
        () if *one == name => Some(*other),
        () if *other == name => Some(*one),
        () => None,
    })
}

/// The value of a release that is nearest to one that it does not have.
pub(super) fn value<'n>(value: &str, has: impl Fn(&str) -> Option<&'n str>) -> Option<&'n str> {
    let near = VALUES.iter().find(|(name, _)| alike(name, value));
    let near = near.map_or(&[][..], |(_, near)| near).iter();
    near.chain(UNSPECIFIC).find_map(|name| has(name))
}
