//! Every answer that is made is one that the release could give.

use std::fs;
use std::path::{Path, PathBuf};

use codex_wire_check::{Checker, Options, Writer as Side};
use serde_json::json;

use super::*;

/// A checker of what Codex writes.
fn checker(release: Release) -> Checker {
    let mut options = Options::exact(Protocol::AppServer, release);
    options.profile = codex_wire_check::Profile::Exact;
    options.side = Some(Side::Codex);
    Checker::new(options).expect("a checker")
}

/// An exchange of requests and the answers to them, each of which is made.
struct Exchange {
    release: Release,
    synthesis: Synthesis,
    text: String,
    methods: Vec<String>,
    complaints: Vec<String>,
}

impl Exchange {
    fn of(release: Release) -> Self {
        let start = json!({
            "kind": "start", "transcript": 1, "protocol": "app-server", "release": release.to_string(),
        });
        Exchange {
            release,
            synthesis: Synthesis::new(release, Settings::default(), "gpt-5")
                .expect("a listed release"),
            text: format!("{start}\n"),
            methods: Vec::new(),
            complaints: Vec::new(),
        }
    }

    /// Adds a request and its answer.
    fn ask(&mut self, method: &str, params: Option<&Value>) {
        let Some(made) = self.synthesis.result(method, params) else {
            let complaint = format!("{} {method}: no answer to {params:?}", self.release);
            return self.complaints.push(complaint);
        };
        self.methods.push(method.to_owned());
        let id = self.methods.len();
        let request = match params {
            Some(params) => json!({"id": id, "method": method, "params": params}),
            None => json!({"id": id, "method": method}),
        };
        let response = format!("{{\"id\":{id},\"result\":{}}}", made.result);
        for (from, line) in [("client", request.to_string()), ("codex", response)] {
            self.text += &json!({"kind": "line", "from": from, "line": line}).to_string();
            self.text.push('\n');
        }
    }

    /// What is wrong with the answers.
    fn check(mut self, checker: &Checker) -> Vec<String> {
        let outcome = checker.check("made", self.text.as_bytes());
        let lines: Vec<&str> = self.text.lines().collect();
        for finding in &outcome.findings {
            let line = usize::try_from(finding.place.line).expect("a line") - 1;
            let complaint = format!(
                "{} {}: {} at {}: {}",
                self.release,
                finding.rule.id,
                finding.message,
                finding.place.pointer,
                lines.get(line).unwrap_or(&""),
            );
            self.complaints.push(complaint);
        }
        self.complaints
    }
}

/// The requests that a release has: the smallest of each method.
fn requests(release: Release) -> Vec<(String, Option<Value>)> {
    let writer = Writer::new(&[REQUESTS], release);
    let parts = Parts::new(REQUESTS, release, Profile::Exact, Stability::Experimental);
    let union = parts.root().tagged().expect("a union");
    let methods = union.variants.iter().map(|variant| variant.tag.to_string());
    let requests = methods.map(|method| {
        let wanted = object! { "id" => 1, "method" => &method };
        let request = writer.message(REQUESTS, &wanted).expect("a request");
        let mut request: Value = serde_json::from_str(&request.to_string()).expect("JSON");
        (method, request.get_mut("params").map(Value::take))
    });
    requests.collect()
}

#[test]
fn every_release_has_a_right_answer_to_every_request() {
    let mut complaints = Vec::new();
    let mut answers = 0;
    for release in sampling::spread(Protocol::AppServer.release_list().releases(), 18) {
        let mut exchange = Exchange::of(*release);
        let mut requests = requests(*release);
        requests.sort_by_key(|(method, _)| method != "initialize");
        for (method, params) in &requests {
            exchange.ask(method, params.as_ref());
        }
        answers += exchange.methods.len();
        complaints.extend(exchange.check(&checker(*release)));
    }
    assert!(complaints.is_empty(), "{}", shortened(&complaints));
    assert!(answers > sampling::few_or(750, 5000), "{answers} answers");
}

/// What a real client sent, and Codex answered, has a right answer.
#[test]
fn what_was_recorded_has_a_right_answer() {
    let mut complaints = Vec::new();
    let (mut answers, mut refused) = (0, 0);
    for (release, recordings) in recordings() {
        let checker = checker(release);
        for recording in recordings {
            let messages = messages(&recording);
            let mut exchange = Exchange::of(release);
            for (from, message) in &messages {
                let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str())
                else {
                    continue;
                };
                let is_answer = |(side, answer): &&(bool, Value)| {
                    *side && answer.get("id") == Some(id) && answer.get("method").is_none()
                };
                let Some((_, answer)) = messages.iter().find(is_answer).filter(|_| !from) else {
                    continue;
                };
                let params = message.get("params");
                let error = answer.pointer("/error/message").and_then(Value::as_str);
                if answer.get("result").is_some() {
                    exchange.ask(method, params);
                } else if error.is_some_and(is_refusal_of_schema) {
                    refused += 1;
                    if exchange.synthesis.result(method, params).is_some() {
                        complaints
                            .push(format!("{release} {method}: {error:?}, and here an answer"));
                    }
                }
            }
            answers += exchange.methods.len();
            complaints.extend(exchange.check(&checker));
        }
    }
    assert!(complaints.is_empty(), "{}", shortened(&complaints));
    assert!(answers > 900 && refused > 15, "{answers} and {refused}");
}

/// Whether Codex refused what the schema refuses, too. The schema does not say which texts have to be ids
/// or paths.
fn is_refusal_of_schema(error: &str) -> bool {
    let of_text = ["UUID parsing failed", "AbsolutePathBuf deserialized"];
    error.starts_with("Invalid request: ") && !of_text.iter().any(|text| error.contains(text))
}

/// The recordings of each release.
fn recordings() -> Vec<(Release, Vec<PathBuf>)> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/app-server");
    let folders = fs::read_dir(fixtures).expect("fixtures");
    let folders = folders.filter_map(|folder| {
        let folder = folder.expect("a folder").path();
        let release = folder.file_name()?.to_str()?.parse().ok()?;
        let files = fs::read_dir(folder).ok()?;
        let files = files.map(|file| file.expect("a file").path());
        let is_recording = |path: &PathBuf| path.extension().is_some_and(|ext| ext == "jsonl");
        Some((release, files.filter(is_recording).collect()))
    });
    folders.collect()
}

/// The messages, and whether Codex wrote them.
fn messages(recording: &Path) -> Vec<(bool, Value)> {
    let text = fs::read_to_string(recording).expect("a recording");
    let records = text.lines().map(serde_json::from_str::<Value>);
    let records = records.filter_map(|record| {
        let record = record.expect("a record");
        let line = serde_json::from_str(record["line"].as_str()?).ok()?;
        Some((record["from"] == "codex", line))
    });
    records.collect()
}

/// The first complaints.
fn shortened(complaints: &[String]) -> String {
    let lines = complaints.iter().take(40);
    let lines: Vec<String> = lines.map(|line| line.chars().take(400).collect()).collect();
    format!("{} complaints\n{}", complaints.len(), lines.join("\n"))
}

/// A client waits for the end of a review in the thread that the answer names.
#[test]
fn a_review_is_in_the_thread_that_was_asked() {
    let exchange = Exchange::of(Release::new(0, 169, 0));
    let thread = "019b76da-a801-7daf-bb1d-9e6aa1b965f4";
    let params = json!({"threadId": thread, "target": {"type": "uncommittedChanges"}});
    let made = exchange.synthesis.result("review/start", Some(&params));
    let result: Value = serde_json::from_str(&made.expect("an answer").result).expect("JSON");
    assert_eq!(result["reviewThreadId"], thread);
}
