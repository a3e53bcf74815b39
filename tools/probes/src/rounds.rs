//! Asks a release in rounds: what is asked later depends on what was answered.

use std::collections::{BTreeMap, HashSet};
use std::io;

use app_server_codegen::Model;
use codex_wire_base::Release;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::calls::NEVER_CALLED;
use crate::exec::RUNS;
use crate::folder::{AppServer, Section};
use crate::hooks::{EVENTS, Output};
use crate::log::Log;
use crate::question::{Put, Question, Slot};
use crate::server::Subject;
use crate::walk::{self, STRANGER, strange};

/// The one request that a server acts on when nobody greeted it.
const GREETING: &str = "initialize";

impl AppServer {
    /// Asks a release everything, and forgets what it answered before. `model` says what there is to ask, and
    /// `examples` are asked besides.
    ///
    /// # Errors
    /// When the program cannot be asked.
    pub fn ask(
        &mut self,
        model: &Model,
        examples: &[Question],
        subject: &Subject,
    ) -> io::Result<()> {
        let release = subject.release;
        let mut listed = subject.methods()?;
        listed.sort();
        let questions = walk::questions(model, release, &listed);
        let reads = reads(subject, questions.all)?;
        let of_examples = apart(subject, examples.to_vec())?;
        let empty = json!({});
        let calls: Vec<(String, Option<Value>)> = listed
            .iter()
            .filter(|method| may_be_called(method))
            .map(|method| (method.clone(), Some(empty.clone())))
            .collect();
        let mut called = vec![(true, subject.call(&calls, true)?)];
        if release >= EXPERIMENTAL {
            called.push((false, subject.call(&calls, false)?));
        }
        let mut experimental = questions.experimental;
        experimental.retain(|question| may_be_called(&question.slot.method));
        let gated: Vec<(String, Option<Value>)> = experimental
            .iter()
            .map(|question| {
                let params = question.slot.with(&question.put);
                (question.slot.method.clone(), params)
            })
            .collect();
        let answers = subject.call(&gated, false)?;
        for log in [
            &mut self.reads,
            &mut self.methods,
            &mut self.experimental,
            &mut self.examples,
        ] {
            log.forget(release);
        }
        self.asked.insert(release);
        let add = |log: &mut Log, question: &Question, answer: &Answer| {
            let (sent, put) = (question.slot.text(), question.put.to_string());
            log.add(&question.about, &sent, &put, &answer.to_string(), release);
        };
        for (question, answer) in &reads {
            add(&mut self.reads, question, answer);
        }
        for (question, answer) in experimental.iter().zip(&answers) {
            add(&mut self.experimental, question, answer);
        }
        for (question, answer) in &of_examples {
            add(&mut self.examples, question, answer);
        }
        for (experimental, answers) in &called {
            let mut answers = answers.iter();
            for method in &listed {
                let answer = match may_be_called(method) {
                    true => answers.next().map(Answer::to_string).unwrap_or_default(),
                    false => NOT_CALLED.to_owned(),
                };
                let mut sent = Slot::params(method).text();
                if !experimental {
                    sent += WITHOUT;
                }
                self.methods
                    .add(method, &sent, &empty.to_string(), &answer, release);
            }
        }
        Ok(())
    }
}

/// The first release with an experimental API.
const EXPERIMENTAL: Release = Release::new(0, 95, 0);

/// What follows a call of a client that did not ask for the experimental API.
pub const WITHOUT: &str = ", without the experimental API";

/// Stands for the answer where a method is known, and not called.
pub const NOT_CALLED: &str = "not called";

fn may_be_called(method: &str) -> bool {
    method != GREETING && !NEVER_CALLED.contains(&method)
}

impl Section {
    /// Asks a release what it makes of what hooks print: of what `tried` has for each event, and of more.
    ///
    /// # Errors
    /// When the program does not do what makes an event happen, or says nothing of an output.
    pub fn ask_hooks(
        &mut self,
        subject: &Subject,
        tried: &BTreeMap<String, Vec<Output>>,
    ) -> io::Result<()> {
        let release = subject.release;
        let mut log = Log::default();
        for event in EVENTS.iter().filter(|event| event.since <= release) {
            let tried = tried.get(event.name).map_or(&[][..], Vec::as_slice);
            let outputs = event.outputs(tried);
            let outcomes = subject.hook_outcomes(*event, &outputs)?;
            if outcomes.len() < outputs.len() {
                let text = format!(
                    "{}: outcomes of {} of {} outputs",
                    event.name,
                    outcomes.len(),
                    outputs.len()
                );
                return Err(io::Error::other(text));
            }
            for (output, outcome) in outcomes {
                let sent = output.ending();
                let put = Value::from(output.stdout).to_string();
                log.add(event.name, &sent, &put, &outcome, release);
            }
        }
        self.replace(release, log);
        Ok(())
    }

    /// Asks a release how runs of `codex exec` end.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn ask_exec(&mut self, subject: &Subject) -> io::Result<()> {
        let release = subject.release;
        let mut log = Log::default();
        for run in RUNS {
            let outcome = subject.exec_outcome(run)?;
            log.add(
                run.about,
                &run.command_line(release),
                run.put,
                &outcome,
                release,
            );
        }
        self.replace(release, log);
        Ok(())
    }

    fn replace(&mut self, release: Release, log: Log) {
        self.log.forget(release);
        self.log.extend(log);
        self.asked.insert(release);
    }
}

/// Asks a server that nobody greeted, and asks on where an answer says more.
fn reads(subject: &Subject, mut next: Vec<Question>) -> io::Result<Vec<(Question, Answer)>> {
    let (mut asked, mut known_slots) = (HashSet::new(), HashSet::new());
    let mut all: Vec<(Question, Answer)> = Vec::new();
    while !next.is_empty() {
        next.retain(|question| asked.insert(question.clone()));
        let round = apart(subject, next)?;
        // Of a member that the model has, `null` is asked first.
        let null = Put::Value(Value::Null);
        let known = round.iter().filter(|(question, _)| question.put == null);
        known_slots.extend(known.map(|(question, _)| question.slot.clone()));
        next = Vec::new();
        for (question, answer) in &round {
            let is_foreign = !known_slots.contains(&question.slot);
            next.extend(follow(question, answer, is_foreign));
        }
        all.extend(round);
    }
    Ok(all)
}

/// Asks greetings apart from all else: once greeted, the server would act on what it reads.
fn apart(subject: &Subject, questions: Vec<Question>) -> io::Result<Vec<(Question, Answer)>> {
    let (greetings, others): (Vec<Question>, Vec<Question>) = questions
        .into_iter()
        .partition(|question| question.slot.method == GREETING);
    let mut out = Vec::new();
    for questions in [others, greetings] {
        let answers = subject.ask(&questions)?;
        out.extend(questions.into_iter().zip(answers));
    }
    Ok(out)
}

/// What an answer makes worth asking.
fn follow(question: &Question, answer: &Answer, is_foreign: bool) -> Vec<Question> {
    let again = |put: Value| Question {
        put: Put::Value(put),
        ..question.clone()
    };
    let Put::Value(put) = &question.put else {
        return Vec::new();
    };
    let is_refused = matches!(answer, Answer::Refused(_));
    if *answer == Answer::Unknown {
        return Vec::new();
    }
    // A list of values, asked for by one that no list has.
    if *put == json!(STRANGER) {
        return answer
            .expected()
            .into_iter()
            .map(|value| again(json!(value)))
            .collect();
    }
    if let Value::Object(members) = put {
        if let Some((tag, _)) = members.iter().find(|(_, value)| **value == json!(STRANGER)) {
            let named = |value: String| {
                let mut members = members.clone();
                members.insert(tag.clone(), json!(value));
                again(Value::Object(members))
            };
            return answer.expected().into_iter().map(named).collect();
        }
        // Several members that should be ignored: which are not?
        let strange = |(_, value): &(&String, &Value)| **value == strange();
        let strangers: Vec<&String> = members
            .iter()
            .filter(strange)
            .map(|(name, _)| name)
            .collect();
        if is_refused && strangers.len() > 1 && members.contains_key(STRANGER) {
            let known = members.iter().filter(|member| !strange(member));
            let known: Map<String, Value> = known
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            return strangers
                .into_iter()
                .map(|name| {
                    let mut one = known.clone();
                    one.insert(name.clone(), walk::strange());
                    again(Value::Object(one))
                })
                .collect();
        }
    }
    // A member that the model does not know here, and the release does.
    if is_foreign && is_refused && *put == strange() {
        return [
            Value::Null,
            json!(true),
            json!(5),
            json!(STRANGER),
            json!([]),
            json!({}),
        ]
        .into_iter()
        .map(again)
        .collect();
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(put: Value, answer: &str, is_foreign: bool) -> Vec<String> {
        let question = Question {
            about: "T".to_owned(),
            slot: Slot::parse("thread/start {\"a\":?}").unwrap(),
            put: Put::Value(put),
        };
        let answer = Answer::parse(answer).unwrap();
        let next = follow(&question, &answer, is_foreign);
        next.iter()
            .map(|question| question.put.to_string())
            .collect()
    }

    #[test]
    fn values_that_the_release_names_are_tried() {
        let answer = "refused: unknown variant `walrus`, expected `a` or `b`";
        assert_eq!(after(json!("walrus"), answer, false), [r#""a""#, r#""b""#]);
        assert_eq!(
            after(json!({"kind": "walrus", "n": 1}), answer, false),
            [r#"{"kind":"a","n":1}"#, r#"{"kind":"b","n":1}"#]
        );
        assert!(after(json!("a"), answer, false).is_empty());
    }

    #[test]
    fn strangers_that_are_refused_are_tried_one_by_one() {
        let put = json!({"n": 1, "thread_id": strange(), "walrus": strange()});
        assert_eq!(
            after(put.clone(), "refused: no", false),
            [
                r#"{"n":1,"thread_id":{"walrus":null}}"#,
                r#"{"n":1,"walrus":{"walrus":null}}"#
            ]
        );
        assert!(after(put, "read", false).is_empty());
    }

    #[test]
    fn a_member_that_is_read_though_the_model_has_none_is_tried_on() {
        assert!(after(strange(), "refused: no", true).len() > 3);
        assert!(after(strange(), "refused: no", false).is_empty());
        assert!(after(strange(), "read", true).is_empty());
    }
}
