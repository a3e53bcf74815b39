//! Rules about the items of `codex app-server` and their deltas.

use codex_wire_base::Release;
use codex_wire_base::shape::Lifetime;

use crate::rule::{Exception, Status, between, connected, connections, rules, since, until, v};
use crate::rules::sequence_app_server::{ENDS, TOLD};
use crate::severity::Severity;

rules! {
    APP_ITEM_CHANGED {
        demands: "an item is of the same kind and about the same thing when it completes as when \
            it was started",
        id: "sequence/app-server-item-changed",
        about: TOLD,
        reading: "Compared are the command and its folder, the changes of files, the server, tool \
            and arguments of a call, the content of a user's message, and what a review is about. \
            The actions Codex reads out of a command, its process and its source may change.",
        evidence: connections!("4,967 completions; none breaks it."),
    }
    APP_ITEM_COMPLETED_AGAIN {
        demands: "an item completes once",
        id: "sequence/app-server-item-completed-again",
        about: TOLD,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: until(v(97)),
                of: &["declined commandExecution"],
                level: Some(Severity::Note),
                seen: "0.63.0, 0.72.0 and 0.80.0 complete a declined command twice: `declined`, then \
                    `failed`",
            },
            Exception {
                releases: until(v(97)),
                of: &["late declined commandExecution"],
                level: Some(Severity::Note),
                seen: "recordings of 0.63.0, 0.64.0 and 0.90.0 complete a command that waits when its turn \
                    is interrupted as `failed`, and as `declined` once its approval is declined after \
                    the turn",
            },
            Exception {
                releases: between(v(73), v(132)),
                of: &["declined fileChange"],
                level: Some(Severity::Note),
                seen: "from 0.80.0 to 0.125.0 declined changes complete twice",
            },
        ],
        reading: "A client that counts or shows what completed does so twice. Entering and leaving a \
            review are two items, also where they share an id.",
        evidence: connections!("4,967 items; 18 declined ones complete twice, and 3 since."),
    }
    APP_ITEM_LATE {
        demands: "an item completes before its turn does",
        id: "sequence/app-server-item-late",
        about: TOLD,
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: ENDS,
                of: &["declined commandExecution"],
                level: Some(Severity::Note),
                seen: "recordings of 0.66.0, 0.75.0 and 0.77.0 complete a command that waits when its \
                    turn is interrupted once its approval is declined, after the turn",
            },
            Exception {
                releases: since(v(73)),
                of: &["commandExecution"],
                level: Some(Severity::Note),
                seen: "background terminals end later, from 0.80.0 on; in 0.125.0 to 0.142.0 \
                    ordinary commands often do",
            },
            Exception {
                releases: since(v(142)),
                of: &["subAgentActivity"],
                level: Some(Severity::Note),
                seen: "in 0.157.0 it is told after the turn that an agent has ended",
            },
        ],
        reading: "There is no sign that nothing more comes: read on after `turn/completed`.",
        evidence: connections!("29 commands complete late, and since then an agent and 3 \
            commands that were declined late."),
    }
    APP_ITEM_NEVER_STARTED {
        demands: "an item that completes was started",
        id: "sequence/app-server-item-never-started",
        about: TOLD,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: between(v(87), v(124)),
                of: &["refused commandExecution"],
                level: Some(Severity::Note),
                seen: "from 0.98.0 to 0.116.0 commands that are declined, or whose approval is \
                    answered by an error, are not started",
            },
            Exception {
                releases: between(v(128), Release::new(0, 150, 0)),
                of: &["hookPrompt", "subAgentActivity"],
                level: Some(Severity::Note),
                seen: "0.133.0 and 0.142.0 do not start prompts of hooks, 0.142.0 does not start \
                    one activity of an agent",
            },
        ],
        reading: "The line with its start is missing, or the ids are mixed up. A client that joins \
            a thread late has not seen the start; that is no breach.",
        evidence: connections!("4,967 items; 19 were not started, all as it stands above."),
    }
    APP_ITEM_OPEN {
        demands: "an item that was started completes before its turn does",
        id: "sequence/app-server-item-open",
        about: TOLD,
        releases: ENDS,
        status: Status::Advisory,
        exceptions: &[
            Exception {
                releases: Lifetime::ALWAYS,
                of: &["broken-off agentMessage"],
                level: Some(Severity::Note),
                seen: "a message of the agent that is broken off: by an interrupt, an error, a retry, \
                    a review, or by its next message",
            },
            Exception {
                releases: Lifetime::ALWAYS,
                of: &["interrupted commandExecution"],
                level: Some(Severity::Note),
                seen: "a command that runs, or waits for its approval, when the turn is interrupted",
            },
            Exception {
                releases: since(v(128)),
                of: &["interrupted fileChange"],
                level: Some(Severity::Note),
                seen: "a change of files that is cancelled, from 0.133.0 on",
            },
            Exception {
                releases: since(v(73)),
                of: &["commandExecution"],
                level: Some(Severity::Note),
                seen: "a background terminal, from 0.80.0 on; in 0.125.0 to 0.142.0 also ordinary \
                    commands, which complete a moment later",
            },
        ],
        reading: "A client that shows it as running shows it for ever. Close what is open when the \
            turn ends.",
        evidence: connections!("1,828 turns complete; 225 items are open then, all as it stands above."),
    }
    APP_ITEM_RESULT {
        demands: "the status of a completed item fits its result: a command is `completed` with exit \
            code 0 and not with another, an MCP call with an error is not `completed`, a call of a \
            client's tool is `completed` with `success`",
        id: "sequence/app-server-item-result",
        about: TOLD,
        reading: "A client that goes by the status and one that goes by the result disagree. A \
            command that is declined may have no exit code or any.",
        evidence: connected!("45 commands complete with an exit code other than 0, none of them as \
            `completed`, and 212 with 0, all of them so; 46 MCP calls and 11 calls of clients' \
            tools."),
    }
    APP_ITEM_STARTED_AGAIN {
        demands: "an item is started once",
        id: "sequence/app-server-item-started-again",
        about: TOLD,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: Lifetime::ALWAYS,
            of: &["retried agentMessage"],
            level: Some(Severity::Note),
            seen: "after an error that is tried again the model may repeat the id of the message \
                that was broken off; the text begins anew",
        }],
        reading: "Within a turn an id is given once.",
        evidence: connections!("5,183 starts; only messages after a retry come again."),
    }
    APP_ITEM_STATUS {
        demands: "an item is `inProgress` when it is started, and is not when it completes",
        id: "sequence/app-server-item-status",
        about: TOLD,
        reading: "Judged for commands, file changes and calls of tools. Images have statuses of \
            their own.",
        evidence: connections!("None breaks it."),
    }
    APP_OUTPUT_LATE {
        demands: "output comes while its command or process runs, and a process exits once",
        id: "sequence/app-server-output-late",
        about: TOLD,
        reading: "The answer to `command/exec` ends the command, `process/exited` the process.",
        evidence: connections!("25 pieces of output of commands and 14 of processes, of 0.116.0 and \
            later."),
    }
    APP_PIECE_UNOPENED {
        demands: "a piece of an item comes after it was started and before it completes",
        id: "sequence/app-server-delta-unopened",
        about: TOLD,
        status: Status::Advisory,
        exceptions: &[Exception {
            releases: until(v(61)),
            of: &["output"],
            level: Some(Severity::Note),
            seen: "in recordings of 0.61.0 a patch that `applyPatchApproval` asks about is no item, and \
                its output comes as `item/commandExecution/outputDelta` with the id of the call",
        }],
        reading: "Pieces of texts, of output, of input to terminals, and progress. Changes of files \
            that are told of while the model still writes them come before the item and are not \
            judged.",
        evidence: connections!("7,016 pieces; none breaks it. 3 since do, as it stands above."),
    }
    APP_REASONING_PART {
        demands: "parts of a reasoning are numbered from 0, and of a summary each is added before \
            its text",
        id: "sequence/app-server-reasoning-part",
        about: TOLD,
        reading: "`item/reasoning/summaryPartAdded` begins a part. A part of the content begins with \
            its first piece.",
        evidence: connections!("85 summaries and 25 contents told in pieces."),
    }
    APP_STARTED_RESULT {
        demands: "an item that is started has come to nothing yet: a command has no output, no exit \
            code and no duration, a call no result, no error and no duration",
        id: "sequence/app-server-started-result",
        about: TOLD,
        reading: "A client that takes the result from the first message that has one takes it too \
            early.",
        evidence: connected!("275 commands, 46 MCP calls and 11 calls of clients' tools are started; \
            none breaks it."),
    }
    APP_TEXT_DIFFERS {
        demands: "the pieces of a message, a plan or a reasoning join to the text that it completes \
            with",
        id: "sequence/app-server-text-differs",
        about: TOLD,
        reading: "A client that shows the pieces and one that shows the whole show different things. \
            Where no pieces were told, nothing is compared. The output of commands is not judged: \
            its pieces often leave something out.",
        evidence: connections!("1,591 messages, 12 plans, 85 summaries and 25 contents of reasonings \
            compared."),
    }
}
