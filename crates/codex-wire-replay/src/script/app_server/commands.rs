//! Commands that the model runs: as items, and as questions to the client.

use super::super::model::{Action, Run};
use super::super::output::{kept, pieces};
use super::super::refuse::Refused;
use super::running::Running;
use super::state::AppServer;
use crate::compose::json::{Node, object, texts};

/// What the client is asked before a command runs: newer releases first.
const COMMAND_APPROVALS: [&str; 2] = [
    "item/commandExecution/requestApproval",
    "execCommandApproval",
];

impl AppServer {
    pub(super) fn run(&mut self, running: &mut Running, run: &Run) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let started = self.ids.ms();
        let node = self.command_node(running, run, &id, None);
        if !run.approval.asks() {
            self.item_started(running, node, started)?;
            return self.command_ends(running, run, &id, started);
        }
        self.active(&running.thread.clone(), &["waitingOnApproval"]);
        if !self.observed.starts_commands_late() {
            self.item_started(running, node, started)?;
        }
        let argv = first_command(&run.run);
        let amendment = object! {
            "acceptWithExecpolicyAmendment" => object! { "execpolicy_amendment" => texts(&argv) },
        };
        let cwd = self.cwd(running);
        let mut params = object! {
            "kind" => "command",
            "threadId" => &running.thread,
            "conversationId" => &running.thread,
            "turnId" => &running.turn,
            "itemId" => &id,
            "callId" => &id,
            "startedAtMs" => started,
            "environmentId" => "local",
            "command" => Node::OneOf(vec![
                Node::from(self.observed.command(&run.run)),
                texts(["/bin/bash", "-lc", &run.run]),
            ]),
            "cwd" => cwd,
            "commandActions" => actions(run),
            "parsedCmd" => actions_of_old(run),
            "risk" => Node::Null,
            "proposedExecpolicyAmendment" => texts(&argv),
            "availableDecisions" => vec![Node::from("accept"), amendment, Node::from("cancel")],
        };
        if self.observed.says_no_reason() {
            params.push("reason", Node::Null);
        }
        self.ask_client(
            running,
            &COMMAND_APPROVALS,
            params,
            &id,
            started,
            Action::Run(run.clone()),
        )
    }

    pub(super) fn command_ends(
        &mut self,
        running: &Running,
        run: &Run,
        id: &str,
        started: u64,
    ) -> Result<(), Refused> {
        let parts = run.output.as_slice();
        // A short command has ended before its output could be sent.
        if parts.len() > 1 || self.observed.sends_short_output() {
            for piece in parts.iter().flat_map(|part| pieces(part)) {
                let delta = self.delta(running, id, piece);
                self.note("item/commandExecution/outputDelta", delta);
            }
        }
        let status = if run.exit == 0 { "completed" } else { "failed" };
        let result = Some((Node::from(status), Some(run.exit)));
        let node = self.command_node(running, run, id, result);
        self.item_completed(running, node, started)
    }

    /// The command with its status and exit code, or as it runs.
    pub(super) fn command_node(
        &self,
        running: &Running,
        run: &Run,
        id: &str,
        result: Option<(Node, Option<i32>)>,
    ) -> Node {
        let begins = result.is_none();
        let (status, exit) = result.unwrap_or((Node::from("inProgress"), None));
        let output = match exit {
            Some(_) if run.output.as_slice().iter().any(|part| !part.is_empty()) => {
                Node::from(kept(self.observed, run.output.as_slice()))
            }
            // 0.58.0 has no place for `null`.
            _ => Node::OneOf(vec![Node::Null, Node::from("")]),
        };
        // A command that waits for the client has no session yet.
        let runs = match (begins, run.approval.asks()) {
            (false, _) => exit.is_some(),
            (true, true) => self.observed.starts_commands_late(),
            (true, false) => true,
        };
        let source = match runs && self.observed.starts_sessions() {
            true => "unifiedExecStartup",
            false => "agent",
        };
        let process = runs && self.observed.runs_in_sessions();
        let process = Node::from(process.then(|| self::process(id)));
        object! {
            "type" => "commandExecution",
            "id" => id,
            "pluginId" => Node::Null,
            "scriptPath" => Node::Null,
            "command" => self.observed.command(&run.run),
            "cwd" => self.cwd(running),
            "processId" => process,
            "source" => source,
            "status" => status,
            "commandActions" => actions(run),
            "aggregatedOutput" => output,
            "exitCode" => exit,
            "durationMs" => exit.map(|_| 12_i64),
        }
    }
}

/// The number of the session of a command, as Codex makes one up: five digits.
fn process(id: &str) -> String {
    let sum = id
        .bytes()
        .fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 90_000);
    (10_000 + sum).to_string()
}

/// The words of the first command of a line, which Codex proposes to allow from then on.
fn first_command(line: &str) -> Vec<String> {
    let is_end = |word: &String| ["&&", "||", "|", ";"].contains(&word.as_str());
    let words = shlex::split(line).unwrap_or_default();
    words.into_iter().take_while(|word| !is_end(word)).collect()
}

/// What a client shows instead of the command line.
fn actions(run: &Run) -> Node {
    Node::List(vec![object! { "type" => "unknown", "command" => &run.run }])
}

/// The same by the names of the old approvals.
fn actions_of_old(run: &Run) -> Node {
    Node::List(vec![object! { "type" => "unknown", "cmd" => &run.run }])
}
