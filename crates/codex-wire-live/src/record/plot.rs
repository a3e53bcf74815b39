//! A script as what a model answers to a real Codex.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use codex_wire_record::tools::ToolCall;
use codex_wire_record::{Answer, Configuration, Dialogue, End, Item, Tokens};
use codex_wire_replay::script::Script;
use codex_wire_replay::script::model::{Action, Ask, Fail, Plan, Step, Turn};
use serde_json::{Value, json};

/// How often Codex connects again unless a script says otherwise.
const RETRIES: u32 = 5;

/// Texts of Codex itself about a connection that broke.
const BROKEN: &str = "stream disconnected before completion";

/// A script for a real Codex.
pub(crate) struct Plot {
    script: Script,
}

impl Plot {
    pub(crate) fn new(script: Script) -> Self {
        Plot { script }
    }

    fn actions(&self) -> impl Iterator<Item = &Action> {
        let turns = self.script.turns.iter();
        turns.flat_map(|turn| turn.steps.iter().map(|step| &step.action))
    }

    /// What the model answers.
    pub(crate) fn dialogue(&self) -> Dialogue {
        let mut tokens = Tokens::default();
        let turns = self.script.turns.iter();
        let mut dialogue = Dialogue::new(turns.map(|turn| answers(turn, &mut tokens)));
        for action in self.actions() {
            if let Action::Spawn(spawn) = action {
                let answer = match &spawn.answer {
                    Some(answer) => Answer::message(answer),
                    None => Answer::new([]).then(End::Stalled),
                };
                dialogue.add_agent(&spawn.spawn, answer);
            }
        }
        dialogue
    }

    /// What the script needs of the configuration.
    pub(crate) fn configure(&self, configuration: &mut Configuration) {
        let retries = self.actions().filter_map(|action| match action {
            Action::Retry(retry) => Some(retry.of),
            _ => None,
        });
        configuration.stream_retries = retries.max().unwrap_or(RETRIES);
        configuration.request_retries = 0;
        configuration.has_agents = self
            .actions()
            .any(|action| matches!(action, Action::Spawn(_)));
    }

    /// The MCP servers with the calls of their tools, as JSON.
    pub(crate) fn servers(&self) -> BTreeMap<String, Vec<Value>> {
        let mut servers: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for action in self.actions() {
            if let Action::Call(call) = action {
                let told = ToolCall {
                    tool: call.call.clone(),
                    arguments: call.arguments.clone(),
                    result: call.result.clone(),
                    fails: call.fails,
                };
                let calls = servers.entry(call.server.clone()).or_default();
                calls.push(told.to_json());
            }
        }
        servers
    }

    /// Whether a client is to be asked before something is done.
    pub(crate) fn asks_for_approval(&self) -> bool {
        self.actions().any(|action| action.approval().asks())
    }

    /// Whether the model asks the user.
    pub(crate) fn asks_the_user(&self) -> bool {
        self.actions()
            .any(|action| matches!(action, Action::Ask(_)))
    }

    /// Whether a turn ends only when it is interrupted.
    pub(crate) fn hangs(&self, turn: usize) -> bool {
        let last = self.script.turn(turn).steps.last();
        last.is_some_and(|step| matches!(step.action, Action::Hang(_)))
    }

    /// Makes the files that patches change, as the patches expect them.
    pub(crate) fn make_files(&self, project: &Path) -> io::Result<()> {
        for action in self.actions() {
            let Action::Patch(patch) = action else {
                continue;
            };
            let (mut path, mut text) = (None, String::new());
            for line in patch.patch.lines().chain(["*** End Patch"]) {
                let header =
                    |kind: &str| line.strip_prefix(kind).map(|path| path.trim().to_owned());
                if line.starts_with("*** ") && !line.starts_with("*** Move to: ") {
                    make_file(project, path.take(), &std::mem::take(&mut text))?;
                }
                if let Some(name) =
                    header("*** Update File: ").or_else(|| header("*** Delete File: "))
                {
                    path = Some(name);
                } else if path.is_some()
                    && let Some(old) = line.strip_prefix([' ', '-'])
                {
                    text += old;
                    text.push('\n');
                }
            }
        }
        Ok(())
    }
}

/// Makes a file, unless an earlier patch has made it.
fn make_file(project: &Path, name: Option<String>, text: &str) -> io::Result<()> {
    let Some(name) = name else {
        return Ok(());
    };
    let path = project.join(&name);
    // A patch of files elsewhere is no business of ours.
    let is_within = Path::new(&name)
        .components()
        .all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_within || path.exists() {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// The answers of a turn. The model ends one when it waits for what comes of it.
fn answers(turn: &Turn, tokens: &mut Tokens) -> Vec<Answer> {
    let (mut out, mut items) = (Vec::new(), Vec::new());
    for step in &turn.steps {
        step_of(step, &mut items, &mut out, tokens);
    }
    let last = turn.steps.last().map(|step| &step.action);
    if !items.is_empty() {
        out.push(Answer::new(items).costing(*tokens));
    } else if !matches!(last, Some(Action::Fail(_) | Action::Hang(_))) {
        // What the tools did has to be answered, and it costs nothing.
        out.push(Answer::new([]).costing(Tokens::NONE));
    }
    out
}

fn step_of(step: &Step, items: &mut Vec<Item>, out: &mut Vec<Answer>, tokens: &mut Tokens) {
    let price = *tokens;
    let mut answer = |item: Option<Item>, end: End| {
        items.extend(item);
        let items = std::mem::take(items);
        out.push(Answer::new(items).then(end).costing(price));
    };
    let call = |item: Item| (Some(item), End::Completed);
    let (item, end) = match &step.action {
        Action::Say(say) => return items.push(Item::Message(say.say.clone())),
        Action::Reason(reason) => {
            return items.push(Item::Reasoning(reason.reason.as_slice().to_vec()));
        }
        Action::Search(search) => return items.push(Item::Search(search.search.clone())),
        Action::Usage(usage) => {
            let usage = usage.usage;
            *tokens = Tokens {
                input: usage.input,
                cached: usage.cached,
                output: usage.output,
                reasoning: usage.reasoning,
            };
            return;
        }
        Action::Run(run) => call(Item::Command(run.run.clone())),
        Action::Patch(patch) => call(Item::Patch(patch.patch.trim().to_owned())),
        Action::Ask(ask) => call(Item::Call("request_user_input".to_owned(), question(ask))),
        Action::Plan(plan) => call(Item::Call("update_plan".to_owned(), plan_of(plan))),
        Action::Call(tool) => call(Item::ServerTool {
            server: tool.server.clone(),
            tool: tool.call.clone(),
            arguments: tool.arguments.clone(),
        }),
        Action::Spawn(spawn) => {
            answer(Some(Item::Spawn(spawn.spawn.clone())), End::Completed);
            match spawn.answer {
                Some(_) => call(Item::WaitForAgents),
                None => return,
            }
        }
        Action::Retry(_) => (None, End::Dropped),
        Action::Fail(fail) => (None, failure(fail)),
        Action::Hang(_) => (None, End::Stalled),
        other => unreachable!("a test has every step: {other:?}"),
    };
    answer(item, end);
}

fn question(ask: &Ask) -> Value {
    let options = ask.options.iter();
    let options: Vec<Value> = options
        .map(|option| json!({"label": option.label, "description": option.description}))
        .collect();
    let question = json!({"id": "question", "header": ask.header, "question": ask.ask,
                          "options": options});
    json!({"questions": [question]})
}

fn plan_of(plan: &Plan) -> Value {
    let steps = plan.plan.iter();
    let steps: Vec<Value> = steps
        .map(|step| json!({"step": step.step, "status": step.status.as_str()}))
        .collect();
    match &plan.explanation {
        Some(text) => json!({"explanation": text, "plan": steps}),
        None => json!({"plan": steps}),
    }
}

/// What makes Codex say that. Texts of Codex itself stay its own.
fn failure(fail: &Fail) -> End {
    let text = fail.fail.as_str();
    match fail.kind.as_str() {
        "usageLimitExceeded" => End::refused(429, "usage_limit_reached", text),
        "contextWindowExceeded" => End::failed("context_length_exceeded", text),
        "serverOverloaded" => End::failed("server_is_overloaded", text),
        "unauthorized" => End::refused(401, "invalid_api_key", text),
        "internalServerError" => End::refused(500, "server_error", text),
        "responseStreamDisconnected" => End::Dropped,
        _ if text.starts_with(BROKEN) => End::Dropped,
        // Codex shows the body of this status as it is.
        _ => End::Refused(400, text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_an_answer_of_a_model() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for file in fs::read_dir(crates.join("codex-wire-replay/tests/scripts")).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            Plot::new(Script::parse(&text).unwrap()).dialogue();
        }
    }
}
