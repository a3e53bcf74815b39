//! The rules about a live stream and the session file of the same run.

use crate::rule::{Exception, Status, between, since, until, v};
use crate::rule_macros::rules;
use crate::severity::Severity;

/// Evidence: the pairs that the rules were checked on, then `$text`.
macro_rules! pairs {
    ($text:literal) => {
        concat!(
            "Checked on 589 pairs of a recorded stream and the session files of one of its threads: \
             538 of 22 releases from 0.21.0 to 0.169.0, and 51 of runs in which a release went on \
             with the file of another. Then on 1,463 streams of runs that are not kept: of 29 other \
             releases from 0.23.0 to 0.165.0, and with hooks. ",
            $text
        )
    };
}

rules! {
    WITH_ROLLOUT_ITEM_ADDED {
        summary: "the stream has each item of the session file",
        id: "with-rollout/item-added",
        explanation: "Checked with `--with-rollout`. A turn that ended in the stream has all its messages, \
            commands, file changes, MCP tool calls and web searches there. If the session file has one \
            more, the stream lost it. A call of the model counts as an item if its output shows that it \
            was done: others may have led to nothing. Turns that do not end in the stream may have \
            more in the file, and so may interrupted ones: since 0.150.0, a command that was running is \
            written to the file after the turn.",
        exceptions: &[Exception {
            releases: between(v(61), v(61)),
            of: &["file_change"],
            level: None,
            seen: "the app-server wrote no item for a file change that the client had allowed",
        }],
        evidence: pairs!("Each item of the file is in the stream. Reviews are not compared: the \
            items of the reviewer are in a file of its own. Commands of the user (`userShell`) are \
            not compared either, because only newer files have them."),
    }
    WITH_ROLLOUT_ITEM_DIFFERS {
        summary: "commands, file changes, tool calls and searches say the same in the stream and in the session file",
        id: "with-rollout/item-differs",
        status: Status::Advisory,
        explanation: "Checked with `--with-rollout`. Compared are the command, its exit code, status and \
            output; the paths of a file change and what happens to them; server, tool and arguments of \
            an MCP tool call; the query of a web search. Items are matched by the id of the call, \
            where both sides have it. If the file keeps no items but only calls and their outputs, the \
            exit code and the output are read from the output. An output is compared if neither side \
            shortens it: up to 8 KiB, and not after a time-out.",
        exceptions: &[Exception {
            releases: since(v(131)),
            of: &["function_call"],
            level: Some(Severity::Note),
            seen: "a hook (`PreToolUse`) replaced the command. If the file keeps no item, it has only \
                the call of the model with the command from before",
        }],
        evidence: pairs!("They are equal in each pair: 233 exit codes and 222 outputs that were read from \
            outputs of calls, and 79 of items. Recordings have no outputs that were shortened."),
    }
    WITH_ROLLOUT_ITEM_MISSING {
        summary: "the session file has each item of the stream",
        id: "with-rollout/item-missing",
        explanation: "Checked with `--with-rollout`. Messages, reasoning and what the agent does are in the \
            session file, as items or as calls of the model. If the file lacks one, it was written by \
            another run, or changed. To-do lists, errors and the tools of sub-agents are not compared: \
            the file has no items for them, nor always for what the user declined. A turn that does not end in the stream may have less in the \
            file: up to 0.63.0, what was under way when Codex was killed is lost.",
        exceptions: &[Exception {
            releases: until(v(58)),
            of: &["web_search"],
            level: None,
            seen: "session files up to 0.50.0 do not keep web searches; those of 0.63.0 and later do",
        }],
        evidence: pairs!("Each item of the stream is in the file."),
    }
    WITH_ROLLOUT_ORDER {
        summary: "items have the same order in the stream and in the session file",
        id: "with-rollout/order",
        explanation: "Checked with `--with-rollout`. Messages come in the same order on both sides. So do \
            all items, if the file keeps items. Calls of the model are written when they are made, and \
            items of the stream when they end: their order is not compared.",
        evidence: pairs!("The order is the same in each pair."),
    }
    WITH_ROLLOUT_TEXT_DIFFERS {
        summary: "messages and reasoning have the same text in the stream and in the session file",
        id: "with-rollout/text-differs",
        explanation: "Checked with `--with-rollout`. Compared are the messages of the agent and its summaries \
            of reasoning, and those of the user where the stream has them: the app-server writes \
            them, `codex exec` does not. `codex exec` can be set to hide reasoning; then it is not \
            compared.",
        evidence: pairs!("Of messages, 590 in streams are equal in the file, and no text differs."),
    }
    WITH_ROLLOUT_TURN_ADDED {
        summary: "the stream has each turn of the session file that is between two of its own",
        id: "with-rollout/turn-added",
        explanation: "Checked with `--with-rollout`, for the app-server since 0.100.0: turns have the same ids \
            on both sides. The file may have turns before those of the stream, of earlier runs or of the \
            thread that was forked, and after them.",
        evidence: pairs!("The turns of each stream follow each other in the file, but for reviews."),
    }
    WITH_ROLLOUT_TURN_END {
        summary: "a turn ends in the session file as in the stream",
        id: "with-rollout/turn-end",
        explanation: "Checked with `--with-rollout`. Files before 0.100.0 do not say how a turn ends, except \
            for interruptions. Up to 0.142.0 they do not tell a turn that failed from one that was \
            completed. A turn that does not end in the stream, because Codex was stopped, is not \
            compared.",
        evidence: pairs!("Turns end in the same way in each pair, except for reviews."),
    }
    WITH_ROLLOUT_TURN_MISSING {
        summary: "the session file has each turn of the stream",
        id: "with-rollout/turn-missing",
        explanation: "Checked with `--with-rollout`. Each turn that ended in the stream with a message or \
            another item is in the session file. A thread that was reverted has several files, which \
            have to be named all: name the folder instead.",
        evidence: pairs!("Each turn of the streams is in one of the files of its thread, except for reviews."),
    }
    WITH_ROLLOUT_USAGE_DIFFERS {
        summary: "the stream and the session file count the same tokens",
        id: "with-rollout/usage-differs",
        explanation: "Checked with `--with-rollout`. At the end of a turn, both sides say how many tokens \
            the thread has used: `turn.completed` and `thread/tokenUsage/updated` in streams, \
            `token_count` in files. In files before 0.100.0, where turns have no marks, only the last \
            turn of a stream is compared. Streams and files before 0.34.0 have no such count.",
        evidence: pairs!("The counts are equal at the end of each turn that ended and did not fail. \
            `codex exec` does not count a turn that failed, and counts nothing for a review."),
    }
}
