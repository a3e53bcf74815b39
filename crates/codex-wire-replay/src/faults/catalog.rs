//! The faults: what the stand-in does, and what a client should do.

use codex_wire_base::Protocol;

use super::fault::{Expectation, Fault, FaultKind, Place};

/// The protocols in which a client meets turns and items.
const TURNS: &[Protocol] = &[Protocol::Exec, Protocol::AppServer];

/// The protocol in which a client sends requests.
const RPC: &[Protocol] = &[Protocol::AppServer];

/// All protocols.
const ALL: &[Protocol] = &[Protocol::Exec, Protocol::AppServer, Protocol::Core];

const NO_REQUESTS: &str = "`codex exec` answers no requests, and `codex proto` answers with events";

const NO_TURNS: &str =
    "`codex proto` is gone since 0.43.0: its turns and its kinds of message get no faults";

/// All faults, in the order of the documentation.
pub const FAULTS: &[Fault] = &[
    Fault {
        id: "fault/turn-fails",
        kind: FaultKind::TurnFails,
        summary: "a turn fails at its end",
        stand_in: "The turn runs as recorded. Where it completed, it fails. The app-server writes what that \
            release writes: the status `systemError` (from 0.105.0), `error` with `willRetry: false`, and \
            `turn/completed` with the status `failed` and the same error. `codex exec` writes `error` and \
            `turn.failed`, and exits with status 1.",
        client: "Report the failure. `turn/completed` says that a turn is over, not that it succeeded: read \
            `turn.status`. Texts that came before the failure are not the result.",
        evidence: "Nearly every client has read a failed turn as success: cc-connect PR 1730, hermes-agent \
            #90436, kata PR 115, `app_server.ex` of symphony. The fixtures `12b_http_500_exhausts` and \
            `error_http500` are recordings of real failures.",
        since: "all releases",
        place: Place::Turn("the first turn"),
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::Failure,
    },
    Fault {
        id: "fault/turn-interrupted",
        kind: FaultKind::TurnInterrupted,
        summary: "a turn is interrupted, and not by this client",
        stand_in: "The turn runs as recorded. Where it completed, it is interrupted, as another client or a \
            signal does it. The app-server writes `turn/completed` with the status `interrupted` and no error. \
            `codex exec` stops without `turn.completed` and `turn.failed`, and exits as it does after SIGINT: \
            with status 1, up to 0.116.0 with 0.",
        client: "Report that the turn did not complete. There is no error: only `turn.status` says it.",
        evidence: "The reports of `fault/turn-fails` name interrupted turns too. The fixtures \
            `08c_interrupt_with_pending_approval` and `sigint_command` are recordings of real interrupts.",
        since: "all releases",
        place: Place::Turn("the first turn"),
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::Failure,
    },
    Fault {
        id: "fault/turn-never-ends",
        kind: FaultKind::TurnNeverEnds,
        summary: "a turn stops in the middle and never ends",
        stand_in: "Everything of the turn is written but its end. The app-server goes on answering, and ends \
            the turn as `interrupted` when the client interrupts it. `codex exec` neither writes nor exits.",
        client: "Give up after a time of silence: interrupt the turn, or end the process. Report the failure.",
        evidence: "openai/codex #28476: `codex exec` 0.139.0 stays silent after `turn.started`, until the client ends it. \
            Many hand-written stand-ins have a mode for it.",
        since: "all releases",
        place: Place::Turn("the first turn"),
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::End,
    },
    Fault {
        id: "fault/future-member",
        kind: FaultKind::FutureMember,
        summary: "messages have members of a later release",
        stand_in: "Every message and every item has one more member: one that a later release added there, or \
            an invented one if none did.",
        client: "Ignore members that you do not know.",
        evidence: "Nearly every release adds members: see the pages of docs/changes. Clients stay behind: SDKs \
            at 0.163.0 meet 0.169.0.",
        since: "all releases",
        place: Place::Kind("all messages"),
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/future-method",
        kind: FaultKind::FutureMethod,
        summary: "a turn has a message of a kind that came later",
        stand_in: "Within the turn, the app-server sends a notification that a later release added, and \
            `codex exec` writes an event of a later kind. It is an invented one if none was added.",
        client: "Ignore messages of a kind that you do not know.",
        evidence: "openai/codex #19348: the Python SDK does not know notifications that Codex sends. codex-codes refuses \
            events of `codex exec` that it does not know.",
        since: "all releases",
        place: Place::Turn("every turn"),
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/future-item",
        kind: FaultKind::FutureItem,
        summary: "a turn has an item of a kind that came later",
        stand_in: "Within the turn, an item starts and completes whose kind a later release added, or an \
            invented one if none did.",
        client: "Ignore items of a kind that you do not know, or show that there was one.",
        evidence: "Clients with closed unions fail at each new kind. Of 0.169.0, the SDKs at 0.163.0 do not know all \
            kinds.",
        since: "all releases",
        place: Place::Turn("every turn"),
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/future-value",
        kind: FaultKind::FutureValue,
        summary: "enumerations have values of a later release",
        stand_in: "In each message, one value of an enumeration becomes one that a later release added, or an \
            invented one if none did. How a turn or an item ended stays as it is.",
        client: "Take a value that you do not know as *other*.",
        evidence: "t3code #8602: the values of `service_tier` changed, and the client refused all of Codex.",
        since: "all releases",
        place: Place::Kind("all messages"),
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/split-writes",
        kind: FaultKind::SplitWrites,
        summary: "lines come in several writes",
        stand_in: "Each line is written in two to four parts, with a pause of 1 ms to 5 ms between them. A part can end \
            in the middle of a character.",
        client: "Collect bytes until the newline, then decode UTF-8.",
        evidence: "Clients that parse each chunk as a line, or decode each chunk on its own.",
        since: "all releases",
        place: Place::None,
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/byte-by-byte",
        kind: FaultKind::ByteByByte,
        summary: "every byte is a write of its own",
        stand_in: "Each byte is written by itself.",
        client: "As with `fault/split-writes`.",
        evidence: "As with `fault/split-writes`; it also finds readers that take quadratic time.",
        since: "all releases",
        place: Place::None,
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/line-separator",
        kind: FaultKind::LineSeparator,
        summary: "texts have the character U+2028",
        stand_in: "In the messages of the agent, U+2028 (line separator) and U+0085 (next line) follow each space and each \
            period. JSON allows both unescaped in strings, and Codex writes them so.",
        client: "Divide the stream at `\\n` only. `str.splitlines` of Python and some readers of lines divide \
            at U+2028 and U+0085 too.",
        evidence: "takt PR 1581: the TypeScript SDK reads lines with `readline` of Node, which divides at U+2028, so a \
            run failed. openclaw #89830: the same with another program.",
        since: "all releases",
        place: Place::None,
        protocols: TURNS,
        refusal: NO_TURNS,
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/long-line",
        kind: FaultKind::LongLine,
        summary: "a line has 5 MB",
        stand_in: "A line gets so many spaces before its last brace that it has 5 MB: nothing but its length \
            changes.",
        client: "Read lines of any length, or of 256 MiB at least. The limit of 64 KiB of Python's `asyncio` is \
            too small.",
        evidence: "Outputs of commands and images in results of tools make such lines; the fixture \
            `output_1m` has one of 1 MB.",
        since: "all releases",
        place: Place::Line("the line that ends a turn"),
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/stdout-noise",
        kind: FaultKind::StdoutNoise,
        summary: "standard output has lines that are not JSON",
        stand_in: "Before the first line, and before some later ones, a line stands that is not JSON.",
        client: "Skip the line, or report that it cannot be read. Do not hang, and do not report success with \
            another result.",
        evidence: "Wrappers of `codex` and shells that print to standard output.",
        since: "not Codex itself: a wrapper, or the system",
        place: Place::None,
        protocols: ALL,
        refusal: "",
        expectation: Expectation::SameOrFailure,
    },
    Fault {
        id: "fault/stderr-flood",
        kind: FaultKind::StderrFlood,
        summary: "standard error gets 1 MiB",
        stand_in: "1 MiB of log lines goes to standard error before the first line, and as much before the line \
            that ends a turn. The stand-in waits until they are read.",
        client: "Read standard error while you read standard output, or send it to a file. Otherwise both \
            processes wait forever.",
        evidence: "`RUST_LOG` makes Codex write as much. The system holds 64 KiB for a reader.",
        since: "all releases",
        place: Place::None,
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/rpc-error",
        kind: FaultKind::RpcError,
        summary: "a request gets the error -32001",
        stand_in: "The first such request is answered with the error -32001, `Server overloaded; retry later.`. \
            The next one is answered as recorded.",
        client: "Send the request again after a while, or report the failure.",
        evidence: "openai/codex #46878: the Python SDK does not send the request again. openai/codex #19366 has logs of \
            the error.",
        since: "the app-server; no fixture has this error",
        place: Place::Kind("the request that starts a turn"),
        protocols: RPC,
        refusal: NO_REQUESTS,
        expectation: Expectation::SameOrFailure,
    },
    Fault {
        id: "fault/rpc-late",
        kind: FaultKind::RpcLate,
        summary: "a response comes late",
        stand_in: "The response comes 1.5 seconds late, and what follows it too.",
        client: "Wait longer. Answer what Codex requests meanwhile.",
        evidence: "Clients with a limit of one second for `initialize`; a first start after an update takes \
            longer.",
        since: "all releases",
        place: Place::Kind("the request that starts a turn"),
        protocols: RPC,
        refusal: NO_REQUESTS,
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/rpc-id-as-text",
        kind: FaultKind::RpcIdAsText,
        summary: "responses have the id of the request as a text",
        stand_in: "A response to the request 3 has the id `\"3\"`.",
        client: "Accept it, or report that the response is unknown. Do not wait forever.",
        evidence: "Proxies between client and Codex that keep ids as strings.",
        since: "not Codex itself: a proxy",
        place: Place::Kind("all responses"),
        protocols: RPC,
        refusal: NO_REQUESTS,
        expectation: Expectation::SameOrFailure,
    },
    Fault {
        id: "fault/rpc-reordered",
        kind: FaultKind::RpcReordered,
        summary: "responses come in reverse order",
        stand_in: "Responses wait up to 50 ms for each other, and come in reverse order. Notifications and \
            requests keep their place.",
        client: "Match responses by their id, not by their order.",
        evidence: "Codex runs requests at the same time: fixtures such as `10a_plain_requests` have responses \
            in another order than the requests.",
        since: "all releases",
        place: Place::None,
        protocols: RPC,
        refusal: NO_REQUESTS,
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/crash-mid-line",
        kind: FaultKind::CrashMidLine,
        summary: "the process ends in the middle of a line",
        stand_in: "Half of the line is written. Then the process exits with status 101, as a Rust program that \
            panics.",
        client: "Report the failure, with the exit status. Do not wait for the rest of the line.",
        evidence: "A client that reads lines sees a line without its newline, and may take it for a whole one.",
        since: "all releases",
        place: Place::Line("the line that ends a turn"),
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Failure,
    },
    Fault {
        id: "fault/exit-without-end",
        kind: FaultKind::ExitWithoutEnd,
        summary: "the process exits with status 0 before the turn ends",
        stand_in: "Instead of writing the line, the process exits with status 0.",
        client: "Report the failure: a turn that did not end did not succeed, whatever the exit status is.",
        evidence: "Up to 0.116.0 `codex exec` exits with status 0 after SIGINT: fixture `sigint_command`.",
        since: "all releases",
        place: Place::Line("the line that ends a turn"),
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Failure,
    },
    Fault {
        id: "fault/ignores-sigterm",
        kind: FaultKind::IgnoresSigterm,
        summary: "the process ignores SIGTERM and the end of its input",
        stand_in: "SIGTERM has no effect, and the process goes on after its standard input has ended. A run of \
            `codex exec` ends as recorded: combine it with `fault/turn-never-ends`.",
        client: "Wait for a moment, then kill the process (SIGKILL).",
        evidence: "Clients that wait forever when they close: a tool that Codex runs can hold it up.",
        since: "all releases",
        place: Place::None,
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Same,
    },
    Fault {
        id: "fault/slow-start",
        kind: FaultKind::SlowStart,
        summary: "nothing is written for three seconds",
        stand_in: "The stand-in waits before it reads and writes anything.",
        client: "Wait longer.",
        evidence: "A first start after an update, or with many MCP servers, takes seconds.",
        since: "all releases",
        place: Place::Milliseconds("3000"),
        protocols: ALL,
        refusal: "",
        expectation: Expectation::Same,
    },
];

/// The fault of that id, with or without `fault/` before it.
pub fn find(id: &str) -> Option<&'static Fault> {
    let short = id.strip_prefix("fault/").unwrap_or(id);
    FAULTS.iter().find(|fault| fault.short() == short)
}
