//! The steps of the model, as items of a turn.

use serde_json::Value;

use super::super::kinds;
use super::super::model::{
    Action, Ask, Call, Decision, Fail, Patch, Plan, Reason, Retry, Say, Search, Spawn,
};
use super::super::patch::{ChangeKind, FileChange, changes, updated_files};
use super::super::refuse::Refused;
use super::super::words::words;
use super::running::Running;
use super::state::AppServer;
use super::templates::timed;
use crate::compose::json::{Node, object, texts};
use crate::compose::settings::absolute;

/// What the client is asked before files are changed.
const PATCH_APPROVALS: [&str; 2] = ["item/fileChange/requestApproval", "applyPatchApproval"];

/// What has no status for it in old releases has failed.
fn declined() -> Node {
    Node::OneOf(vec![Node::from("declined"), Node::from("failed")])
}

impl AppServer {
    /// A step that the model does not end the turn with.
    pub(super) fn step(&mut self, running: &mut Running, action: &Action) -> Result<(), Refused> {
        match action {
            Action::Say(say) => self.say(running, say),
            Action::Reason(reason) => self.reason(running, reason),
            Action::Run(run) => self.run(running, run),
            Action::Patch(patch) => self.patch(running, patch),
            Action::Ask(ask) => self.ask(running, ask),
            Action::Plan(plan) => {
                self.plan(running, plan);
                Ok(())
            }
            Action::Search(search) => self.search(running, search),
            Action::Call(call) => self.call(running, call),
            Action::Spawn(spawn) => self.spawn(running, spawn),
            Action::Retry(_) | Action::Fail(_) | Action::Hang(_) | Action::Usage(_) => Ok(()),
        }
    }

    /// What is left of a step when the client has decided.
    pub(super) fn finish(
        &mut self,
        running: &mut Running,
        action: &Action,
        item: &str,
        started: u64,
        decision: Decision,
    ) -> Result<(), Refused> {
        match action {
            Action::Run(run) if decision.accepts() => {
                if self.observed.starts_commands_late() {
                    let node = self.command_node(running, run, item, None);
                    self.item_started(running, node, started)?;
                }
                self.command_ends(running, run, item, started)
            }
            Action::Run(run) => {
                let node = self.command_node(running, run, item, Some((declined(), None)));
                self.item_completed(running, node, started)
            }
            Action::Patch(patch) if decision.accepts() => {
                self.patch_ends(running, patch, item, started)
            }
            Action::Patch(patch) => {
                let completes = self.observed.completes_cancelled_patches();
                if decision == Decision::Cancel && !completes {
                    return Ok(());
                }
                let node = self.patch_node(running, patch, item, declined());
                self.item_completed(running, node, started)
            }
            _ => Ok(()),
        }
    }

    pub(super) fn user_message(&mut self, running: &Running, input: &Value) {
        let text = input[0]["text"].as_str().unwrap_or_default();
        let plain =
            vec![object! { "type" => "text", "text" => text, "text_elements" => texts([""; 0]) }];
        let node = object! {
            "type" => "userMessage",
            "id" => self.ids.uuid(),
            "clientId" => Node::Null,
            "content" => Node::OneOf(vec![Node::from(input), Node::List(plain)]),
        };
        let now = self.ids.ms();
        // Every release has it.
        let _ = self.item_started(running, node.clone(), now);
        let _ = self.item_completed(running, node, now);
    }

    pub(super) fn message_node(id: &str, text: &str) -> Node {
        object! {
            "type" => "agentMessage",
            "moderation" => Node::Null,
            "id" => id,
            "text" => text,
            "phase" => Node::Null,
            "memoryCitation" => Node::Null,
            "delivery" => Node::Null,
            "questions" => Node::Null,
        }
    }

    fn say(&mut self, running: &mut Running, say: &Say) -> Result<(), Refused> {
        let id = self.ids.model("msg");
        let node = |text: &str| Self::message_node(&id, text);
        let started = self.ids.ms();
        self.item_started(running, node(""), started)?;
        if running.is_review() {
            // What a reviewer says is what the review ends with.
            running.last_message = Some(Node::from(&say.say));
            return Ok(());
        }
        for delta in words(&say.say) {
            let delta = self.delta(running, &id, delta);
            self.note("item/agentMessage/delta", delta);
        }
        running.last_message = Some(timed(node(&say.say), started, Some(self.ids.ms())));
        self.item_completed(running, node(&say.say), started)
    }

    fn reason(&mut self, running: &Running, reason: &Reason) -> Result<(), Refused> {
        let id = self.ids.model("rs");
        let parts = reason.reason.as_slice();
        let node = |parts: &[String]| {
            object! {
                "type" => "reasoning",
                "id" => &id,
                "text" => parts.join("\n"),
                "summary" => texts(parts),
                "content" => Node::List(Vec::new()),
            }
        };
        let started = self.ids.ms();
        self.item_started(running, node(&[]), started)?;
        for (index, part) in (0_u64..).zip(parts) {
            let mut added = self.delta_place(running, &id);
            added.push("summaryIndex", index);
            self.note("item/reasoning/summaryPartAdded", added);
            for delta in words(part) {
                let mut delta = self.delta(running, &id, delta);
                delta.push("summaryIndex", index);
                self.note("item/reasoning/summaryTextDelta", delta);
            }
        }
        self.item_completed(running, node(parts), started)
    }

    fn patch(&mut self, running: &mut Running, patch: &Patch) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let started = self.ids.ms();
        let node = self.patch_node(running, patch, &id, Node::from("inProgress"));
        self.item_started(running, node, started)?;
        if !patch.approval.asks() {
            return self.patch_ends(running, patch, &id, started);
        }
        self.active(&running.thread.clone(), &["waitingOnApproval"]);
        let params = object! {
            "threadId" => &running.thread,
            "conversationId" => &running.thread,
            "turnId" => &running.turn,
            "itemId" => &id,
            "callId" => &id,
            "startedAtMs" => started,
            "fileChanges" => Node::Object(Vec::new()),
            "reason" => Node::Null,
            "grantRoot" => Node::Null,
        };
        let action = Action::Patch(patch.clone());
        self.ask_client(running, &PATCH_APPROVALS, params, &id, started, action)
    }

    fn patch_ends(
        &mut self,
        running: &mut Running,
        patch: &Patch,
        id: &str,
        started: u64,
    ) -> Result<(), Refused> {
        let changes = changes(&patch.patch).unwrap_or_default();
        if !patch.fails && self.observed.sends_patch_output() {
            let delta = self.delta(running, id, &updated_files(&changes));
            self.note(self.observed.patch_output(), delta);
        }
        let status = if patch.fails { "failed" } else { "completed" };
        let node = self.patch_node(running, patch, id, Node::from(status));
        self.item_completed(running, node, started)?;
        if !patch.fails {
            running.changes.extend(changes);
            self.diff(running);
        }
        Ok(())
    }

    fn patch_node(&self, running: &Running, patch: &Patch, id: &str, status: Node) -> Node {
        let cwd = self.cwd(running);
        let changes = changes(&patch.patch).unwrap_or_default();
        let change = |change: &FileChange| {
            let name = change.kind.as_str();
            let mut kind = object! { "type" => name };
            let mut diff = change.diff.clone();
            if let ChangeKind::Update(moved) = &change.kind {
                let moved = moved.as_ref().map(|path| absolute(&cwd, path));
                if let Some(path) = &moved {
                    diff += &format!("\n\nMoved to: {path}");
                }
                kind.push("move_path", moved);
            }
            object! {
                "path" => absolute(&cwd, &change.path),
                "kind" => Node::OneOf(vec![kind, Node::from(name)]),
                "diff" => diff,
            }
        };
        object! {
            "type" => "fileChange",
            "id" => id,
            "changes" => Node::List(changes.iter().map(change).collect()),
            "status" => status,
        }
    }

    fn ask(&mut self, running: &mut Running, ask: &Ask) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let started = self.ids.ms();
        let options = ask.options.iter().map(|option| {
            object! { "label" => &option.label, "description" => &option.description }
        });
        let options: Vec<Node> = options.collect();
        let question = object! {
            "id" => "question",
            "header" => &ask.header,
            "question" => &ask.ask,
            "isOther" => true,
            "isSecret" => false,
            "options" => if options.is_empty() { Node::Null } else { Node::List(options) },
        };
        self.active(&running.thread.clone(), &["waitingOnUserInput"]);
        let params = object! {
            "threadId" => &running.thread,
            "turnId" => &running.turn,
            "itemId" => &id,
            "questions" => vec![question],
            "isBlocking" => true,
            "autoResolutionMs" => Node::Null,
        };
        let methods = ["item/tool/requestUserInput"];
        self.ask_client(
            running,
            &methods,
            params,
            &id,
            started,
            Action::Ask(ask.clone()),
        )
    }

    fn plan(&mut self, running: &Running, plan: &Plan) {
        let steps = plan.plan.iter().map(|step| {
            object! { "step" => &step.step, "status" => step.status.as_str() }
        });
        let updated = object! {
            "threadId" => &running.thread,
            "turnId" => &running.turn,
            "explanation" => plan.explanation.clone(),
            "plan" => Node::List(steps.collect()),
        };
        self.note("turn/plan/updated", updated);
    }

    fn search(&mut self, running: &Running, search: &Search) -> Result<(), Refused> {
        let id = self.ids.model("ws");
        let started = self.ids.ms();
        let query = search.search.as_str();
        let node = |query: &str, action: Node| {
            object! {
                "type" => "webSearch",
                "id" => &id,
                "query" => query,
                "action" => action,
                "results" => Node::Null,
            }
        };
        let action = object! { "type" => "search", "query" => query, "queries" => Node::Null };
        let begun = match self.observed.starts_searches_blank() {
            true => node("", object! { "type" => "other" }),
            false => node(query, Node::Null),
        };
        self.item_started(running, begun, started)?;
        self.item_completed(running, node(query, action), started)
    }

    fn call(&mut self, running: &Running, call: &Call) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let started = self.ids.ms();
        let node = |status: &str, result: Node, duration: Option<i64>| {
            object! {
                "type" => "mcpToolCall",
                "id" => &id,
                "server" => &call.server,
                "tool" => &call.call,
                "status" => status,
                "arguments" => Node::from(&call.arguments),
                "appContext" => Node::Null,
                "mcpAppUi" => Node::Null,
                "pluginId" => Node::Null,
                "readOnlyHint" => Node::Null,
                "result" => result,
                "error" => Node::Null,
                "durationMs" => duration,
            }
        };
        let text = object! { "type" => "text", "text" => &call.result };
        let result = object! {
            "content" => vec![text],
            "structuredContent" => Node::Null,
            "_meta" => Node::Null,
        };
        let status = if call.fails { "failed" } else { "completed" };
        self.item_started(running, node("inProgress", Node::Null, None), started)?;
        self.item_completed(running, node(status, result, Some(5)), started)
    }

    fn spawn(&mut self, running: &Running, spawn: &Spawn) -> Result<(), Refused> {
        let agent = self.ids.uuid();
        let prompt = Node::from(&spawn.spawn);
        let state = |status: &str, message: Option<&str>| {
            let state = object! { "status" => status, "message" => message };
            Node::Object(vec![(agent.clone(), state)])
        };
        let one = [agent.clone()];
        self.agent_call(
            running,
            "spawnAgent",
            &prompt,
            (&[], &one),
            state("pendingInit", None),
        )?;
        match &spawn.answer {
            Some(answer) => {
                let state = state("completed", Some(answer));
                self.agent_call(running, "wait", &Node::Null, (&one, &one), state)
            }
            None => Ok(()),
        }
    }

    /// A call of a tool for agents, with the agents that it names before and after.
    fn agent_call(
        &mut self,
        running: &Running,
        tool: &str,
        prompt: &Node,
        (before, after): (&[String], &[String]),
        states: Node,
    ) -> Result<(), Refused> {
        let id = self.ids.model("call");
        let started = self.ids.ms();
        let node = |status: &str, agents: &[String], states: Node| {
            object! {
                "type" => "collabAgentToolCall",
                "id" => &id,
                "tool" => tool,
                "status" => status,
                "senderThreadId" => &running.thread,
                "receiverThreadIds" => texts(agents),
                "receiverThreadId" => agents.first().map(String::as_str),
                "prompt" => prompt.clone(),
                "model" => Node::Null,
                "reasoningEffort" => Node::Null,
                "agentsStates" => states,
            }
        };
        self.item_started(running, node("inProgress", before, object! {}), started)?;
        self.item_completed(running, node("completed", after, states), started)
    }

    pub(super) fn retry(&mut self, running: &Running, retry: &Retry) -> Result<(), Refused> {
        let error = object! {
            "message" => format!("Reconnecting... {}/{}", retry.attempt, retry.of),
            "codexErrorInfo" => object! {
                "responseStreamDisconnected" => object! { "httpStatusCode" => Node::Null },
            },
            "additionalDetails" => &retry.retry,
            "misalignment" => Node::Null,
        };
        self.error(running, &error, true);
        Ok(())
    }

    pub(super) fn fail(&mut self, running: &Running, fail: &Fail) -> Result<(), Refused> {
        let error = object! {
            "message" => &fail.fail,
            "codexErrorInfo" => kinds::node(&fail.kind, self.writer.release()),
            "additionalDetails" => Node::Null,
            "misalignment" => Node::Null,
        };
        // A refusal for want of tokens tells the limits.
        if fail.kind == "usageLimitExceeded" {
            self.report(running);
        }
        self.status(&running.thread, object! { "type" => "systemError" });
        self.error(running, &error, false);
        self.end(running, "failed", error);
        Ok(())
    }

    fn error(&mut self, running: &Running, error: &Node, retries: bool) {
        let params = object! {
            "error" => error.clone(),
            "willRetry" => retries,
            "threadId" => &running.thread,
            "turnId" => &running.turn,
        };
        self.note("error", params);
    }
}
