//! Renders what a client has to expect: JSON for machines, Markdown for pull requests.

use std::fmt::Write as _;

use codex_wire_base::Release;
use serde_json::{Value, json};

use super::page::{RestOfChanges, UnwrittenLine, Upgrade, UpgradeVerdict, UsedChanges};
use super::trial::{ClientFailure, ClientResult, ClientTrial, Shows};
use crate::change::Verdict;

/// The schema of [`Upgrade::to_json`].
pub const UPGRADE_SCHEMA: &str = codex_wire_schema::own::UPGRADE;

impl Upgrade {
    /// The page as JSON, a document of [`UPGRADE_SCHEMA`].
    pub fn to_json(&self) -> Value {
        let recordings: Vec<Value> = self.recordings.iter().map(UsedChanges::to_json).collect();
        let client = self.client.as_ref().map(|trials| {
            let trials = trials.iter().map(ClientTrial::to_json);
            trials.collect::<Vec<_>>()
        });
        let rest: Vec<Value> = self.rest.iter().map(RestOfChanges::to_json).collect();
        json!({
            "version": 1,
            "from": self.from.to_string(),
            "to": self.to.to_string(),
            "verdict": self.verdict().as_str(),
            "breaks": {"recordings": self.broken_uses(), "client": self.new_failures()},
            "recordings": recordings,
            "behaviour": self.behaviour.to_json(),
            "client": client,
            "rest": rest,
        })
    }

    /// The page as Markdown, most urgent first.
    pub fn to_markdown(&self) -> String {
        let Upgrade { from, to, .. } = self;
        let mut out = format!("# Codex {}\n", self.summary());
        for used in &self.recordings {
            let counts = used.comparison.counts();
            let _ = writeln!(
                out,
                "\n## What the recordings of {} use: {counts}",
                used.protocol
            );
            for unwritten in &used.unwritten {
                let _ = writeln!(out, "\n{}", unwritten.sentence(self.from));
            }
            let mut sections = String::new();
            used.comparison.sections(&mut sections);
            // They are below the heading of this section.
            let sections = sections.trim_start().replace("\n## ", "\n### ");
            let sections = match sections.strip_prefix("## ") {
                Some(rest) => format!("### {rest}"),
                None => sections,
            };
            if !sections.is_empty() {
                let _ = write!(out, "\n{sections}");
            }
        }
        let _ = writeln!(
            out,
            "\n## Behaviour\n\n{}",
            self.behaviour.to_markdown().trim_end()
        );
        if let Some(trials) = &self.client {
            let _ = writeln!(
                out,
                "\n## The client in the stand-in\n\n| scenario | {from} | {to} | shows |\n|---|---|---|---|"
            );
            for trial in trials {
                let cell = |result: &ClientResult| result.sentence().replace('|', "\\|");
                let (before, after) = (cell(&trial.before), cell(&trial.after));
                let shows = trial.shows.map_or("", Shows::as_str).replace('-', " ");
                let _ = writeln!(
                    out,
                    "| `{}` | {before} | {after} | {shows} |",
                    trial.scenario
                );
            }
        }
        let _ = writeln!(
            out,
            "\n## The rest, which only a reader of everything meets\n"
        );
        for rest in &self.rest {
            let protocol = rest.protocol;
            let _ = writeln!(
                out,
                "- {protocol}: {} (`codex-wire diff {protocol} {from} {to}`)",
                rest.sentence()
            );
        }
        out
    }
}

impl UsedChanges {
    fn to_json(&self) -> Value {
        json!({
            "path": self.path,
            "inputs": self.inputs,
            "protocol": self.protocol.as_str(),
            "messages": self.messages,
            "unwritten": self.unwritten.iter().map(UnwrittenLine::to_json).collect::<Vec<_>>(),
            "differences": self.comparison.to_json(),
        })
    }
}

impl UnwrittenLine {
    /// The line in words.
    pub fn sentence(&self, release: Release) -> String {
        let UnwrittenLine {
            path,
            line,
            message,
        } = self;
        format!("{path}:{line} is not of {release}: {message}")
    }

    fn to_json(&self) -> Value {
        json!({"path": self.path, "line": self.line, "message": self.message})
    }
}

impl UpgradeVerdict {
    /// Its name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            UpgradeVerdict::Breaks => "breaks",
            UpgradeVerdict::NothingBreaks => "nothing-breaks",
            UpgradeVerdict::CannotTell => "cannot-tell",
        }
    }
}

impl Shows {
    /// Its name, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Shows::TheSame => "the-same",
            Shows::SomethingElse => "something-else",
            Shows::Nothing => "nothing",
        }
    }
}

impl ClientTrial {
    fn to_json(&self) -> Value {
        json!({
            "scenario": self.scenario,
            "before": self.before.to_json(),
            "after": self.after.to_json(),
            "shows": self.shows.map(Shows::as_str),
        })
    }
}

impl ClientResult {
    fn to_json(&self) -> Value {
        let (result, reason) = match self {
            ClientResult::Works => ("works", None),
            ClientResult::Fails(_) => ("fails", None),
            ClientResult::NotTried(reason) => ("not-tried", Some(reason)),
        };
        let failures: Vec<Value> = self.failures().iter().map(ClientFailure::to_json).collect();
        json!({"result": result, "reason": reason, "failures": failures})
    }
}

impl ClientFailure {
    fn to_json(&self) -> Value {
        json!({"fault": self.fault, "finding": self.finding, "message": self.message})
    }
}

impl RestOfChanges {
    fn to_json(&self) -> Value {
        let mut out = json!({"protocol": self.protocol.as_str()});
        for (verdict, count) in Verdict::ALL.iter().zip(self.counts) {
            out[verdict.as_str()] = count.into();
        }
        out
    }
}
