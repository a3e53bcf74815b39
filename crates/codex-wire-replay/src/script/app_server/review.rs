//! A review that the client asks for: a turn of the script whose last message is the result.

use serde_json::Value;

use super::running::{Running, TurnKind};
use super::state::{AppServer, Thread};
use crate::compose::json::{Node, object};
use crate::miss;
use crate::synthesis::Synthesis;

/// What is reviewed.
struct Target {
    /// In the words in which Codex tells the user.
    hint: String,
    /// In the words in which it asks the reviewer, the same from 0.98.0 to 0.165.0.
    prompt: String,
}

impl Target {
    /// What the client names; an error is the one that it gets.
    fn of(target: &Value) -> Option<Result<Self, &'static str>> {
        let text = |name: &str| target[name].as_str().map(str::trim);
        let (hint, prompt) = match target["type"].as_str()? {
            "uncommittedChanges" => (
                "current changes".to_owned(),
                "Review the current code changes (staged, unstaged, and untracked files) and provide prioritized \
                 findings."
                    .to_owned(),
            ),
            "baseBranch" => match text("branch")? {
                "" => return Some(Err("branch must not be empty")),
                branch => (
                    format!("changes against '{branch}'"),
                    format!(
                        "Review the code changes against the base branch '{branch}'. Start by finding the merge diff \
                         between the current branch and {branch}'s upstream e.g. (`git merge-base HEAD \"$(git \
                         rev-parse --abbrev-ref \"{branch}@{{upstream}}\")\"`), then run `git diff` against that SHA \
                         to see what changes we would merge into the {branch} branch. Provide prioritized, \
                         actionable findings."
                    ),
                ),
            },
            "commit" => match (text("sha")?, text("title")) {
                ("", _) => return Some(Err("sha must not be empty")),
                (sha, title) => {
                    let short: String = sha.chars().take(7).collect();
                    let named = |begin: &str, end: &str| {
                        title.map_or_else(String::new, |title| format!("{begin}{title}{end}"))
                    };
                    (
                        format!("commit {short}{}", named(": ", "")),
                        format!(
                            "Review the code changes introduced by commit {sha}{}. Provide prioritized, actionable \
                             findings.",
                            named(" (\"", "\")")
                        ),
                    )
                }
            },
            "custom" => match text("instructions")? {
                "" => return Some(Err("instructions must not be empty")),
                instructions => (instructions.to_owned(), instructions.to_owned()),
            },
            _ => return None,
        };
        Some(Ok(Target { hint, prompt }))
    }
}

impl AppServer {
    pub(super) fn review_start(&mut self, id: &Value, params: Option<&Value>) {
        let given = params.unwrap_or(&Value::Null);
        let target = self
            .thread_of(given)
            .cloned()
            .zip(Target::of(&given["target"]));
        let Some((thread, target)) = target else {
            return self.other(id, "review/start", params);
        };
        let target = match target {
            Ok(target) => target,
            Err(error) => return self.refuse(id, error),
        };
        if thread.running.is_some() {
            return self.refuse(id, miss::not_scripted("review/start"));
        }
        let is_read = |synthesis: &Synthesis| synthesis.reads("review/start", params);
        match given["delivery"].as_str() {
            Some("detached") if !self.synthesis.as_ref().is_some_and(is_read) => {
                self.refuse(
                    id,
                    "Invalid request: unknown variant `detached`, expected `inline`",
                );
            }
            Some("detached") => self.detached(id, &thread, target),
            _ => self.review(id, &thread.id, &target),
        }
    }

    /// A review in a thread of its own.
    fn detached(&mut self, id: &Value, from: &Thread, mut target: Target) {
        if self.observed.deprecates_detached_reviews() {
            let notice = object! {
                "summary" => "review/start with delivery \"detached\" is deprecated and will be removed in a future \
                              release.",
                "details" => "Use thread/start followed by review/start with delivery \"inline\" for a separate review \
                              thread, or thread/fork followed by turn/start with your own review instructions.",
            };
            self.note("deprecationNotice", notice);
        }
        if self.observed.history_mode() == "paginated" {
            return self.refuse(id, "paginated threads do not support detached review");
        }
        let thread = Thread {
            id: self.ids.uuid(),
            created: self.ids.seconds(),
            turns: 0,
            past: Vec::new(),
            ..from.clone()
        };
        let name = thread.id.clone();
        self.threads.insert(name.clone(), thread.clone());
        let started = object! { "thread" => self.thread_node(&thread) };
        self.note("thread/started", started);
        if !self.observed.detached_reviews_are_turns() {
            return self.review(id, &name, &target);
        }
        let home = self.settings.codex_home.trim_end_matches('/');
        target.prompt = format!(
            "Use [$review-agent]({home}/skills/.system/review-agent/SKILL.md) for this review.\n\n{}",
            target.prompt
        );
        self.begin_of_script(&name);
        self.review_response(id, &name, &target.hint);
        self.started(&name, &input(&target.prompt));
        // Every step was tried when the server was made.
        let _ = self.go_on(&name);
    }

    /// A review in this thread.
    fn review(&mut self, id: &Value, name: &str, target: &Target) {
        self.begin_of_script(name);
        self.review_response(id, name, &target.hint);
        let Some(mut running) = self.take(name) else {
            return;
        };
        if let Some(state) = self.threads.get_mut(name) {
            let used = std::mem::take(&mut state.used);
            running.kind = TurnKind::Review { used };
        }
        if self.observed.starts_reviews_by_another_id() {
            self.review_mode(&running, "enteredReviewMode", &target.hint);
            self.active(name, &[]);
            let another = Running {
                turn: self.ids.uuid(),
                ..running.clone()
            };
            let mut turn = self.turn_node(&another, "inProgress", true, Node::Null);
            turn.set("rootTurnId", &running.turn);
            self.note(
                "turn/started",
                object! { "threadId" => name, "turn" => turn },
            );
        } else {
            let turn = self.review_turn(&running, &target.hint);
            self.note(
                "turn/started",
                object! { "threadId" => name, "turn" => turn },
            );
            self.review_mode(&running, "enteredReviewMode", &target.hint);
            self.active(name, &[]);
        }
        self.user_message(&running, &input(&target.prompt));
        self.put(running);
        // Every step was tried when the server was made.
        let _ = self.go_on(name);
    }

    fn review_response(&mut self, id: &Value, name: &str, hint: &str) {
        let Some(running) = self.running(name) else {
            return;
        };
        let turn = self.review_turn(&running, hint);
        let result = object! { "turn" => turn, "reviewThreadId" => name };
        self.respond(id, "review/start", &result);
    }

    /// The turn as the response has it: with what is reviewed, in the words of the user.
    fn review_turn(&self, running: &Running, hint: &str) -> Node {
        let mut turn = self.turn_node(running, "inProgress", false, Node::Null);
        let asked = object! {
            "type" => "userMessage",
            "id" => &running.turn,
            "clientId" => Node::Null,
            "content" => Node::from(&input(hint)),
            "startedAtMs" => Node::Null,
            "completedAtMs" => Node::Null,
        };
        turn.set("rootTurnId", Node::Null);
        turn.set("items", Node::List(vec![asked]));
        turn
    }
}

/// A text, as the client would write it.
fn input(text: &str) -> Value {
    serde_json::json!([{"type": "text", "text": text, "text_elements": []}])
}
