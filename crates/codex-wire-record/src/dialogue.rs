//! What the model answers each thread: turn by turn, whatever else happens.
//!
//! A request does not say which turn it belongs to. It holds the whole conversation, so its last
//! message shows whether the turn goes on: it is the output of a tool then.

use std::collections::HashMap;

use serde_json::Value;

use crate::answer::{Answer, End, Item, Tokens};

/// The answers of each turn. After the last turn, that turn comes again.
#[derive(Clone, Debug, Default)]
pub struct Dialogue {
    turns: Vec<Vec<Answer>>,
    /// What other agents answer, by their prompts.
    agents: Vec<(String, Answer)>,
    threads: HashMap<String, Place>,
    /// Whether a thread may have had turns before.
    resumes: bool,
}

/// How far a thread is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    turn: usize,
    /// How many answers of the turn were given.
    given: usize,
    /// How long the conversation was at the last request.
    length: usize,
}

impl Dialogue {
    /// A dialogue with the answers of each turn.
    pub fn new(turns: impl IntoIterator<Item = Vec<Answer>>) -> Self {
        Dialogue {
            turns: turns.into_iter().collect(),
            ..Dialogue::default()
        }
    }

    /// What an agent answers that is started with this prompt.
    pub fn add_agent(&mut self, prompt: &str, answer: Answer) {
        self.agents.push((prompt.to_owned(), answer));
    }

    /// The same dialogue, where a thread that is new to it may have had turns before: it goes on with the next one.
    #[must_use]
    pub fn resuming(mut self, resumes: bool) -> Self {
        self.resumes = resumes;
        self
    }

    /// The answer to a request.
    pub(crate) fn answer(&mut self, request: &Value) -> Option<Answer> {
        let input = request["input"].as_array().map_or(&[][..], Vec::as_slice);
        if let Some((_, answer)) = self.agent(input) {
            return Some(answer.clone());
        }
        let thread = request["prompt_cache_key"].as_str().unwrap_or_default();
        let known = self.threads.get(thread).copied();
        let mut place = known.unwrap_or_else(|| Place {
            turn: if self.resumes { turns_before(input) } else { 0 },
            ..Place::default()
        });
        let last = self.given(place);
        let is_over = place.given >= self.turn(place.turn).len();
        if input.len() == place.length && last.is_some_and(|last| fails(&last.end, is_over)) {
            // Codex tries again what has failed.
            return last.cloned();
        }
        if place.given > 0 && (is_over || last.is_some_and(requests_tools)) {
            if has_prompt(input) {
                // The turn before may have been interrupted.
                place.turn += 1;
                place.given = 0;
            } else if is_over {
                // News of other agents come after the end, and need no answer.
                return Some(Answer::new([]).costing(Tokens::NONE));
            }
        }
        let answer = self.turn(place.turn).get(place.given).cloned();
        place.given += 1;
        place.length = input.len();
        self.threads.insert(thread.to_owned(), place);
        answer
    }

    fn turn(&self, index: usize) -> &[Answer] {
        let last = self.turns.len().saturating_sub(1);
        self.turns.get(index.min(last)).map_or(&[], Vec::as_slice)
    }

    /// The answer that was given last.
    fn given(&self, place: Place) -> Option<&Answer> {
        self.turn(place.turn).get(place.given.checked_sub(1)?)
    }

    /// The agent to which the last message is the prompt.
    fn agent(&self, input: &[Value]) -> Option<&(String, Answer)> {
        let last = input.last()?;
        let text = prompt(last).or_else(|| letter(last))?;
        let mut agents = self.agents.iter();
        agents.find(|(prompt, _)| text.contains(prompt.as_str()))
    }
}

/// Whether the turn fails with this end. A connection that breaks is followed by another answer, unless there
/// is none.
fn fails(end: &End, is_last: bool) -> bool {
    match end {
        End::Failed(..) | End::Refused(..) => true,
        End::Dropped => is_last,
        End::Completed | End::Stalled => false,
    }
}

/// Whether the model waits for outputs of tools.
fn requests_tools(answer: &Answer) -> bool {
    let beside = |item: &Item| {
        matches!(
            item,
            Item::Message(_) | Item::Reasoning(_) | Item::Search(_)
        )
    };
    !answer.items.iter().all(beside)
}

/// Whether the user has said something since the model did. What Codex adds in the name of the user has a
/// tag: news of other agents, for example.
fn has_prompt(input: &[Value]) -> bool {
    let said = input.iter().rev().take_while(|item| !is_of_model(item));
    said.filter_map(prompt).any(|text| !text.starts_with('<'))
}

/// How many turns a conversation had before the one that its last messages begin: so many times did the user say
/// something after the model had.
fn turns_before(input: &[Value]) -> usize {
    let said = input.split(is_of_model);
    let turns = said.filter(|messages| has_prompt(messages)).count();
    turns.saturating_sub(1)
}

/// Whether the model, or a tool, wrote an item of a conversation.
fn is_of_model(item: &Value) -> bool {
    let kind = item["type"].as_str().unwrap_or("message");
    kind != "message" || item["role"] == "assistant"
}

/// The text of a message of the user.
fn prompt(item: &Value) -> Option<String> {
    let is_message = item["type"].as_str().is_none_or(|kind| kind == "message");
    if !is_message || item["role"] != "user" {
        return None;
    }
    text(item)
}

/// A message of another agent, which is also how agents of the second kind get their prompts. Up to
/// 0.137.0 it looks like a message of the model; later the text may be one that only the model can read.
fn letter(item: &Value) -> Option<String> {
    match item["type"].as_str() {
        Some("agent_message") => text(item),
        _ => text(item).filter(|text| text.starts_with("{\"author\":")),
    }
}

/// The text of the parts of an item.
fn text(item: &Value) -> Option<String> {
    let parts = item["content"].as_array()?.iter();
    let texts =
        parts.filter_map(|part| part["text"].as_str().or(part["encrypted_content"].as_str()));
    Some(texts.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn user(text: &str) -> Value {
        json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
    }

    fn output() -> Value {
        json!({"type": "function_call_output", "call_id": "c", "output": "{}"})
    }

    fn ask(dialogue: &mut Dialogue, thread: &str, input: &[Value]) -> Answer {
        let request = json!({"prompt_cache_key": thread, "input": input});
        dialogue.answer(&request).unwrap()
    }

    #[test]
    fn each_thread_has_all_turns_and_the_last_one_again() {
        let first = vec![Answer::command("ls"), Answer::message("one")];
        let second = vec![Answer::message("two")];
        let mut dialogue = Dialogue::new([first.clone(), second.clone()]);
        for thread in ["a", "b"] {
            let mut input = vec![user("hi")];
            assert_eq!(ask(&mut dialogue, thread, &input), first[0]);
            input.push(output());
            assert_eq!(ask(&mut dialogue, thread, &input), first[1]);
            for _ in 0..2 {
                input.push(user("more"));
                assert_eq!(ask(&mut dialogue, thread, &input), second[0]);
            }
        }
    }

    #[test]
    fn a_thread_of_an_earlier_run_goes_on_with_the_next_turn() {
        let answers = ["one", "two", "three"].map(|text| vec![Answer::message(text)]);
        let dialogue = Dialogue::new(answers).resuming(true);
        let said = json!({"type": "message", "role": "assistant", "content": []});
        let place = user("<environment_context>");
        let first = vec![place.clone(), user("hi")];
        let second = [&first[..], &[output(), said.clone(), user("more")]].concat();
        let third = [&second[..], &[said, place, user("and more")]].concat();
        for (input, expected) in [(first, "one"), (second, "two"), (third, "three")] {
            // Each run has a model of its own.
            let mut dialogue = dialogue.clone();
            assert_eq!(ask(&mut dialogue, "a", &input), Answer::message(expected));
        }
    }

    #[test]
    fn a_prompt_after_a_call_begins_a_turn() {
        let first = vec![Answer::command("ls"), Answer::message("one")];
        let mut dialogue = Dialogue::new([first.clone(), vec![Answer::message("two")]]);
        assert_eq!(ask(&mut dialogue, "a", &[user("hi")]), first[0]);
        let next = ask(&mut dialogue, "a", &[user("hi"), output(), user("no")]);
        assert_eq!(next, Answer::message("two"));
        // News of Codex are not a prompt.
        assert_eq!(ask(&mut dialogue, "b", &[user("hi")]), first[0]);
        let news = user("<subagent_notification>");
        assert_eq!(
            ask(&mut dialogue, "b", &[user("hi"), output(), news]),
            first[1]
        );
    }

    #[test]
    fn what_failed_fails_again_and_what_broke_goes_on() {
        let failed = Answer::new([]).ending(End::refused(500, "", ""));
        let broken = Answer::message("a").then(End::Dropped);
        let turn = vec![broken.clone(), failed.clone()];
        let mut dialogue = Dialogue::new([turn, vec![Answer::message("two")]]);
        let mut input = vec![user("hi")];
        assert_eq!(ask(&mut dialogue, "a", &input), broken);
        assert_eq!(ask(&mut dialogue, "a", &input), failed);
        assert_eq!(ask(&mut dialogue, "a", &input), failed);
        input.push(user("again"));
        assert_eq!(ask(&mut dialogue, "a", &input), Answer::message("two"));
    }

    #[test]
    fn agents_have_answers_of_their_own() {
        let mut dialogue = Dialogue::new([vec![Answer::message("root")]]);
        dialogue.add_agent("Count.", Answer::message("three"));
        let input = [user("hi"), user("Count.")];
        assert_eq!(ask(&mut dialogue, "b", &input), Answer::message("three"));
        assert_eq!(
            ask(&mut dialogue, "a", &input[..1]),
            Answer::message("root")
        );
    }
}
