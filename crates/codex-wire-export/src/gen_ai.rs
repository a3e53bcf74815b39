//! The semantic conventions of OpenTelemetry for generative AI, 1.41.1: the last version before they moved to a
//! repository of their own.
//!
//! What they have no name for stands under `codex_wire.…`, as they ask of custom attributes.

use std::borrow::Cow;

use codex_wire_session::{Body, Item, Message, Response, Role, Thread, Tokens, Turn, TurnStatus};
use serde_json::{Value, json};

use crate::reasoning::thought;
use crate::tool::Tool;
use crate::trace::otlp::{Attributes, Kind};
use crate::trace::{Named, Summary, Usage, Vocabulary};

const SCHEMA: &str = "https://opentelemetry.io/schemas/1.41.1";

/// The conventions, with or without what was said.
#[derive(Clone, Copy)]
pub(crate) struct GenAi {
    pub(crate) content: bool,
}

impl GenAi {
    /// The span of a message or thought that came after the end of its turn, if it says anything.
    pub(crate) fn late_message<'a>(
        &self,
        thread: &'a Thread,
        turn: &Turn,
        item: &Item,
    ) -> Option<Named<'a>> {
        if !self.content {
            return None;
        }
        let (key, value) = match &item.body {
            Body::Message(message) if message.role != Role::Assistant => {
                ("gen_ai.input.messages", input(message)?)
            }
            _ => ("gen_ai.output.messages", output(turn, item)?),
        };
        let mut said = Attributes::default();
        common(&mut said, thread);
        said.text(key, Value::from(vec![value]).to_string());
        Some(Named {
            name: "message".into(),
            kind: Kind::Internal,
            attributes: said,
        })
    }
}

impl Vocabulary for GenAi {
    fn schema_url(&self) -> Option<&'static str> {
        Some(SCHEMA)
    }

    fn thread<'a>(&self, thread: &'a Thread, turns: &Summary, usage: Usage) -> Named<'a> {
        let mut said = Attributes::default();
        let agent = thread.lineage.nickname.as_deref().unwrap_or("codex");
        said.text("gen_ai.operation.name", "invoke_agent");
        common(&mut said, thread);
        said.text("gen_ai.agent.name", agent);
        said.known("gen_ai.agent.version", thread.release.as_deref());
        said.owned("gen_ai.request.model", turns.model.as_deref());
        if let Some(git) = &thread.git {
            said.known("vcs.ref.head.name", git.branch.as_deref());
            said.known("vcs.ref.head.revision", git.commit.as_deref());
        }
        said.owned("error.type", turns.error_type());
        tokens(&mut said, usage);
        said.known("codex_wire.client", thread.client.as_deref());
        said.known(
            "codex_wire.thread.forked_from",
            thread.lineage.forked_from.as_deref(),
        );
        said.known("codex_wire.thread.path", thread.lineage.path.as_deref());
        said.flag("codex_wire.thread.is_review", thread.lineage.is_review);
        if self.content {
            said.known("codex_wire.thread.name", thread.name.as_deref());
            said.known("process.working_directory", thread.cwd.as_deref());
        }
        Named {
            name: format!("invoke_agent {agent}").into(),
            kind: Kind::Internal,
            attributes: said,
        }
    }

    fn turn<'a>(&self, thread: &'a Thread, turn: &'a Turn, usage: Usage) -> Named<'a> {
        let mut said = Attributes::default();
        common(&mut said, thread);
        said.known("gen_ai.request.model", turn.settings.model.as_deref());
        said.known("error.type", error_type(turn));
        tokens(&mut said, usage);
        said.known("codex_wire.turn.id", turn.id.as_deref());
        said.text("codex_wire.turn.status", status(turn));
        said.some("codex_wire.turn.retries", turn.retries.into());
        said.flag("codex_wire.turn.is_rolled_back", turn.is_rolled_back);
        let settings = &turn.settings;
        said.known("codex_wire.settings.effort", settings.effort.as_deref());
        said.known("codex_wire.settings.mode", settings.mode.as_deref());
        said.known(
            "codex_wire.settings.approval_policy",
            settings.approval_policy.as_deref(),
        );
        said.known(
            "codex_wire.settings.sandbox_policy",
            settings.sandbox_policy.as_deref(),
        );
        if self.content {
            let input: Vec<Value> = turn.messages().filter_map(input).collect();
            if !input.is_empty() {
                said.text("gen_ai.input.messages", Value::from(input).to_string());
            }
            let output: Vec<Value> = outputs(turn).collect();
            if !output.is_empty() {
                said.text("gen_ai.output.messages", Value::from(output).to_string());
            }
        }
        Named {
            name: "turn".into(),
            kind: Kind::Internal,
            attributes: said,
        }
    }

    fn response<'a>(&self, thread: &'a Thread, response: &'a Response) -> Named<'a> {
        let mut said = Attributes::default();
        said.text("gen_ai.operation.name", "chat");
        common(&mut said, thread);
        said.known("gen_ai.request.model", response.model.as_deref());
        tokens(&mut said, Some(response.tokens));
        Named {
            name: match &response.model {
                Some(model) => format!("chat {model}").into(),
                None => "chat".into(),
            },
            kind: Kind::Client,
            attributes: said,
        }
    }

    fn tool<'a>(&self, thread: &'a Thread, tool: &Tool<'a>) -> Named<'a> {
        let mut said = Attributes::default();
        said.text("gen_ai.operation.name", "execute_tool");
        common(&mut said, thread);
        said.text("gen_ai.tool.name", tool.name.clone());
        said.known("gen_ai.tool.call.id", tool.item.id.as_deref());
        if let Some(code) = tool.exit_code {
            said.number("process.exit.code", code);
        }
        said.known("error.type", tool.failure());
        said.count("codex_wire.line", tool.item.lines.from);
        if self.content {
            match tool.arguments() {
                Value::Null => {}
                Value::String(text) => said.text("gen_ai.tool.call.arguments", text),
                arguments => said.text("gen_ai.tool.call.arguments", arguments.to_string()),
            }
            if let Some(output) = tool.output() {
                said.text("gen_ai.tool.call.result", output);
            }
        }
        Named {
            name: format!("execute_tool {}", tool.name).into(),
            kind: Kind::Internal,
            attributes: said,
        }
    }

    fn event<'a>(&self, item: &'a Item) -> Option<(Cow<'a, str>, Attributes<'a>)> {
        let mut said = Attributes::default();
        let name = match &item.body {
            Body::Message(_) | Body::Reasoning(_) => return None,
            Body::Error(error) => {
                said.text("exception.type", error.kind.as_deref().unwrap_or("_OTHER"));
                said.text("exception.message", &*error.message);
                said.flag("codex_wire.error.will_retry", error.will_retry);
                "exception"
            }
            Body::Warning(warning) => {
                said.text("codex_wire.warning.message", &*warning.message);
                "codex_wire.warning"
            }
            Body::Approval(approval) => {
                said.text("codex_wire.approval.about", &*approval.about);
                said.known("codex_wire.approval.item", approval.item.as_deref());
                if let Some(answer) = &approval.answer {
                    said.known("codex_wire.approval.decision", answer.decision.as_deref());
                    said.known("codex_wire.approval.by", answer.by.as_deref());
                }
                "codex_wire.approval"
            }
            Body::HookRun(hook) => {
                said.text("codex_wire.hook.event", &*hook.event);
                said.known("codex_wire.hook.status", hook.status.as_deref());
                "codex_wire.hook"
            }
            Body::Review(review) => match review.is_end {
                true => "codex_wire.review.end",
                false => "codex_wire.review.begin",
            },
            Body::Compaction(_) => "codex_wire.compaction",
            Body::Plan(_) => "codex_wire.plan",
            Body::Image(image) => match image.is_generated {
                true => "codex_wire.image.generated",
                false => "codex_wire.image.viewed",
            },
            Body::Command(_) => "codex_wire.user_command",
            Body::Other(other) => {
                said.text("codex_wire.other.kind", &*other.kind);
                "codex_wire.other"
            }
            _ => "codex_wire.item",
        };
        said.count("codex_wire.line", item.lines.from);
        if self.content {
            text(&mut said, item);
        }
        Some((name.into(), said))
    }
}

/// The attributes of each span of a thread.
fn common<'a>(said: &mut Attributes<'a>, thread: &'a Thread) {
    said.known("gen_ai.conversation.id", thread.id.as_deref());
    said.known("gen_ai.provider.name", thread.model_provider.as_deref());
}

fn tokens(said: &mut Attributes<'_>, usage: Usage) {
    let Some(Tokens {
        input,
        cached_input,
        cache_write_input,
        output,
        reasoning_output,
        ..
    }) = usage
    else {
        return;
    };
    said.count("gen_ai.usage.input_tokens", input);
    said.count("gen_ai.usage.output_tokens", output);
    said.some("gen_ai.usage.cache_read.input_tokens", cached_input);
    said.some(
        "gen_ai.usage.cache_creation.input_tokens",
        cache_write_input,
    );
    said.some("gen_ai.usage.reasoning.output_tokens", reasoning_output);
}

fn error_type(turn: &Turn) -> Option<&str> {
    let kind = turn.error.as_ref().and_then(|error| error.kind.as_deref());
    (turn.status == TurnStatus::Failed).then(|| kind.unwrap_or("_OTHER"))
}

fn status(turn: &Turn) -> &'static str {
    match turn.status {
        TurnStatus::Completed => "completed",
        TurnStatus::Failed => "failed",
        TurnStatus::Interrupted => "interrupted",
        TurnStatus::Unfinished => "unfinished",
        _ => "unmarked",
    }
}

/// A message to the agent. What Codex itself adds has the role of the system.
fn input(message: &Message) -> Option<Value> {
    let role = match message.role {
        Role::Assistant => return None,
        Role::Context => "system",
        _ => "user",
    };
    let parts = json!([{ "type": "text", "content": message.text }]);
    Some(match &message.author {
        Some(name) => json!({ "role": role, "parts": parts, "name": name }),
        None => json!({ "role": role, "parts": parts }),
    })
}

/// What the agent said and thought.
fn outputs(turn: &Turn) -> impl Iterator<Item = Value> {
    turn.items.iter().filter_map(|item| output(turn, item))
}

/// What an item says if the agent said or thought it. The conventions want a reason for the end of each message: that of
/// its turn.
fn output(turn: &Turn, item: &Item) -> Option<Value> {
    let reason = match turn.status {
        TurnStatus::Completed => "stop",
        TurnStatus::Failed => "error",
        _ => status(turn),
    };
    let part = match &item.body {
        Body::Message(message) if message.role == Role::Assistant => {
            json!({ "type": "text", "content": message.text })
        }
        Body::Reasoning(reasoning) => {
            json!({ "type": "reasoning", "content": thought(reasoning) })
        }
        _ => return None,
    };
    Some(json!({ "role": "assistant", "parts": [part], "finish_reason": reason }))
}

/// The text of an item without a span.
fn text<'a>(said: &mut Attributes<'a>, item: &'a Item) {
    let text = match &item.body {
        Body::Compaction(compaction) => compaction.summary.as_deref(),
        Body::Review(review) => review.text.as_deref(),
        Body::Plan(plan) => Some(&*plan.text),
        Body::Image(image) => image.path.as_deref(),
        Body::Command(command) => Some(&*command.command),
        Body::Approval(approval) => approval.command.as_deref().or(approval.reason.as_deref()),
        Body::Other(other) => return said.text("codex_wire.text", other.value.to_string()),
        _ => None,
    };
    said.known("codex_wire.text", text);
}
