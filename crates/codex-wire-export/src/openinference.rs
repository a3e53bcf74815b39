//! The semantic conventions of OpenInference, as its package for Python has them in 0.1.42.
//!
//! What they have no name for stands in `metadata`, an object in JSON.

use std::borrow::Cow;

use codex_wire_session::{Body, Item, Response, Thread, Tokens, Turn};
use serde_json::{Map, Value, json};

use crate::tool::Tool;
use crate::trace::otlp::{Attributes, Kind};
use crate::trace::{Named, Summary, Usage, Vocabulary};

/// The conventions, with or without what was said.
pub(crate) struct OpenInference {
    pub(crate) content: bool,
}

impl Vocabulary for OpenInference {
    fn schema_url(&self) -> Option<&'static str> {
        None
    }

    fn thread<'a>(&self, thread: &'a Thread, _: &Summary, usage: Usage) -> Named<'a> {
        let agent = thread.lineage.nickname.as_deref().unwrap_or("codex");
        let mut said = of_kind("AGENT", thread);
        said.text("agent.name", agent);
        tokens(&mut said, usage);
        let cwd = thread.cwd.as_ref().filter(|_| self.content);
        let name = thread.name.as_ref().filter(|_| self.content);
        metadata(
            &mut said,
            [
                ("release", json!(thread.release)),
                ("client", json!(thread.client)),
                ("name", json!(name)),
                ("cwd", json!(cwd)),
                ("lineage", json!(thread.lineage)),
            ],
        );
        named(agent, said)
    }

    fn turn<'a>(&self, thread: &'a Thread, turn: &'a Turn, usage: Usage) -> Named<'a> {
        let mut said = of_kind("CHAIN", thread);
        tokens(&mut said, usage);
        // Where no response has the tokens, the model stands here as well.
        if usage.is_some() {
            said.known("llm.model_name", turn.settings.model.as_deref());
        }
        if self.content {
            value(&mut said, Side::Input, turn.prompt().map(Cow::Borrowed));
            value(&mut said, Side::Output, turn.answer().map(Cow::Borrowed));
        }
        let kind = turn.error.as_ref().and_then(|error| error.kind.as_ref());
        metadata(
            &mut said,
            [
                ("id", json!(turn.id)),
                ("status", json!(turn.status)),
                ("error", json!(kind)),
                ("retries", json!((turn.retries > 0).then_some(turn.retries))),
                ("is_rolled_back", json!(turn.is_rolled_back.then_some(true))),
                ("effort", json!(turn.settings.effort)),
            ],
        );
        named("turn", said)
    }

    fn response<'a>(&self, thread: &'a Thread, response: &'a Response) -> Named<'a> {
        let mut said = of_kind("LLM", thread);
        said.known("llm.model_name", response.model.as_deref());
        said.known("llm.provider", thread.model_provider.as_deref());
        tokens(&mut said, Some(response.tokens));
        named(response.model.as_deref().unwrap_or("response"), said)
    }

    fn tool<'a>(&self, thread: &'a Thread, tool: &Tool<'a>) -> Named<'a> {
        let mut said = of_kind("TOOL", thread);
        said.text("tool.name", tool.name.clone());
        said.known("tool.id", tool.item.id.as_deref());
        if self.content {
            let arguments = match tool.arguments() {
                Value::Null => None,
                Value::String(text) => Some(text.into()),
                arguments => {
                    let text = arguments.to_string();
                    said.text("tool.parameters", text.clone());
                    said.text("input.mime_type", "application/json");
                    Some(text.into())
                }
            };
            value(&mut said, Side::Input, arguments);
            value(&mut said, Side::Output, tool.output());
        }
        metadata(
            &mut said,
            [
                ("status", json!(tool.status)),
                ("exit_code", json!(tool.exit_code)),
                ("line", json!(tool.item.lines.from)),
            ],
        );
        named(tool.name.clone(), said)
    }

    fn event<'a>(&self, item: &'a Item) -> Option<(Cow<'a, str>, Attributes<'a>)> {
        // Its spans have the events of OpenTelemetry, and those are for errors.
        let Body::Error(error) = &item.body else {
            return None;
        };
        let mut said = Attributes::default();
        said.text("exception.type", error.kind.as_deref().unwrap_or("_OTHER"));
        said.text("exception.message", &*error.message);
        Some(("exception".into(), said))
    }
}

fn of_kind<'a>(kind: &'static str, thread: &'a Thread) -> Attributes<'a> {
    let mut said = Attributes::default();
    said.text("openinference.span.kind", kind);
    said.known("session.id", thread.id.as_deref());
    said
}

fn named<'a>(name: impl Into<Cow<'a, str>>, attributes: Attributes<'a>) -> Named<'a> {
    Named {
        name: name.into(),
        kind: Kind::Internal,
        attributes,
    }
}

fn tokens(said: &mut Attributes<'_>, usage: Usage) {
    let Some(Tokens {
        input,
        cached_input,
        cache_write_input,
        output,
        reasoning_output,
        total,
        ..
    }) = usage
    else {
        return;
    };
    said.count("llm.token_count.prompt", input);
    said.count("llm.token_count.completion", output);
    said.some("llm.token_count.total", total);
    said.some("llm.token_count.prompt_details.cache_read", cached_input);
    said.some(
        "llm.token_count.prompt_details.cache_write",
        cache_write_input,
    );
    said.some(
        "llm.token_count.completion_details.reasoning",
        reasoning_output,
    );
}

enum Side {
    Input,
    Output,
}

fn value<'a>(said: &mut Attributes<'a>, side: Side, text: Option<Cow<'a, str>>) {
    if let Some(text) = text {
        let key = match side {
            Side::Input => "input.value",
            Side::Output => "output.value",
        };
        said.text(key, text);
    }
}

/// What the conventions have no name for; null and empty objects are left out.
fn metadata<const N: usize>(said: &mut Attributes<'_>, members: [(&str, Value); N]) {
    let is_said = |value: &Value| match value {
        Value::Null => false,
        Value::Object(members) => !members.is_empty(),
        _ => true,
    };
    let members = members.into_iter().filter(|(_, value)| is_said(value));
    let members: Map<String, Value> = members
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    if !members.is_empty() {
        said.text("metadata", Value::Object(members).to_string());
    }
}
