//! Reads the messages of all fixtures, each with its message set, release and place.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use codex_wire::{MessageSet, Protocol, Release};
use codex_wire_check::{Checker, Event, Options, Profile, Severity, Step, Writer};
use serde_json::{Value, json};

use super::description::Description;
use super::inventory::Inventory;
use super::source::Source;
use super::walk::walk;
use crate::fixtures::{self, Folder};

/// The messages of all fixtures.
pub(super) struct Streams {
    lines: Vec<Line>,
    /// What should not be in a fixture.
    pub(super) problems: Vec<String>,
    /// What transcripts of both directions are checked with.
    checker: Checker,
}

/// A message.
struct Line {
    /// What it is a message of.
    message_set: MessageSet,
    release: Release,
    source: Source,
    file: String,
    number: u64,
    text: String,
}

/// A fixture.
struct Fixture<'a> {
    file: String,
    release: &'a str,
    source: Source,
}

impl Streams {
    /// Reads all fixtures. Of what clients wrote, those lines are left out that the release
    /// refuses or that carry members it passes over: recordings contain some on purpose.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut options = Options::new();
        options.profile = Profile::Exact;
        let mut streams = Streams {
            lines: Vec::new(),
            problems: Vec::new(),
            checker: Checker::new(options)?,
        };
        for folder in Folder::ALL {
            for entry in fixtures::read_recorded(root, folder)? {
                streams.add(
                    root,
                    folder,
                    &Fixture {
                        file: format!("{}/{}", folder.path(), entry.file),
                        release: &entry.release,
                        source: Source::Recorded,
                    },
                )?;
            }
        }
        streams.add_session_files(root)?;
        streams.add_hooks(root)?;
        for entry in fixtures::read_synthetic(root)? {
            let folder = Folder::of(&entry.file)
                .with_context(|| format!("{}: in no known folder", entry.file))?;
            streams.add(
                root,
                folder,
                &Fixture {
                    file: format!("{}/{}", fixtures::SYNTHETIC, entry.file),
                    release: &entry.release,
                    source: Source::Synthetic,
                },
            )?;
        }
        Ok(streams)
    }

    /// The releases that messages of these message sets were recorded from, oldest first.
    pub(super) fn recorded_releases(&self, of: &[MessageSet]) -> Vec<Release> {
        let recorded = self
            .lines
            .iter()
            .filter(|line| line.source == Source::Recorded && of.contains(&line.message_set));
        let releases: BTreeSet<Release> = recorded.map(|line| line.release).collect();
        releases.into_iter().collect()
    }

    fn add(&mut self, root: &Path, folder: Folder, fixture: &Fixture<'_>) -> Result<()> {
        let path = root.join(&fixture.file);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", fixture.file))?;
        match folder {
            Folder::Exec => self.add_bare(MessageSet::Exec, fixture, &text),
            Folder::ExecLegacy => self.add_bare(MessageSet::ExecLegacy, fixture, &text),
            Folder::Core | Folder::AppServer => self.add_transcript(folder, fixture, &text),
            // It has no schemas.
            Folder::McpServer => Ok(()),
        }
    }

    /// The session files of one release each. What Codex has compressed is there plain, too.
    fn add_session_files(&mut self, root: &Path) -> Result<()> {
        let place = fixtures::RUNS[0];
        for run in fixtures::read_runs(root, place)? {
            let release: Release = run.release.parse()?;
            let is_early = release < MessageSet::Rollout.release_list().first();
            let message_set = match is_early {
                true => MessageSet::RolloutEarly,
                false => MessageSet::Rollout,
            };
            let plain = |file: &&fixtures::RunFile| file.path.ends_with(".jsonl");
            for file in run
                .files
                .iter()
                .filter(|file| file.is_session())
                .filter(plain)
            {
                let file = format!("{place}/{}/{}", run.path, file.path);
                let text = fs::read_to_string(root.join(&file))
                    .with_context(|| format!("cannot read {file}"))?;
                let fixture = Fixture {
                    file,
                    release: &run.release,
                    source: Source::Recorded,
                };
                self.add_bare(message_set, &fixture, &text)?;
            }
        }
        Ok(())
    }

    /// What hooks read, what they printed and Codex took, and the payloads of `notify`.
    fn add_hooks(&mut self, root: &Path) -> Result<()> {
        for place in [fixtures::HOOKS, fixtures::OUTCOMES, fixtures::NOTIFY] {
            for recording in fixtures::read_recordings(root, place)? {
                let file = format!("{place}/{}", recording.file);
                let text = fs::read_to_string(root.join(&file))
                    .with_context(|| format!("cannot read {file}"))?;
                let fixture = Fixture {
                    file,
                    release: &recording.release,
                    source: Source::Recorded,
                };
                if place == fixtures::NOTIFY {
                    self.add_bare(MessageSet::Notify, &fixture, &text)?;
                    continue;
                }
                for (line, number) in text.split_terminator('\n').zip(1..) {
                    let line: Value = serde_json::from_str(line)?;
                    if let Some((message_set, text)) = of_hook(place, &line) {
                        self.lines
                            .push(Line::new(message_set, &fixture, number, text)?);
                    }
                }
            }
        }
        Ok(())
    }

    fn add_bare(
        &mut self,
        message_set: MessageSet,
        fixture: &Fixture<'_>,
        text: &str,
    ) -> Result<()> {
        for (index, line) in text.split('\n').enumerate() {
            if !line.is_empty() {
                let number = index as u64 + 1;
                self.lines
                    .push(Line::new(message_set, fixture, number, line.to_owned())?);
            }
        }
        Ok(())
    }

    /// Both directions of a connection. Lines of clients that the checker does not pass are left out, and what it
    /// denies of Codex is a problem.
    fn add_transcript(&mut self, folder: Folder, fixture: &Fixture<'_>, text: &str) -> Result<()> {
        let mut messages = Vec::new();
        let observed = self
            .checker
            .observe(&fixture.file, text.as_bytes(), |step| {
                messages.extend(message(step).map(|message| (step.line, message)));
                Ok(())
            });
        let mut set_aside = BTreeSet::new();
        for finding in observed?.findings {
            let line = finding.place.line;
            let by_client = finding.writer == Some(Writer::Client);
            // The checker knows the defects of an app-server, which it only notes.
            if by_client || folder == Folder::AppServer {
                set_aside.insert(line);
            }
            if !by_client && finding.severity == Severity::Error {
                let problem = format!("{}, line {line}: {}", fixture.file, finding.message);
                self.problems.push(problem);
            }
        }
        messages.retain(|(line, _)| !set_aside.contains(line));
        for (number, (message_set, message)) in messages {
            let line = Line::new(message_set, fixture, number, message)?;
            self.lines.push(line);
        }
        Ok(())
    }

    /// Notes in the inventory what the messages of these message sets carry.
    pub(super) fn mark(
        &self,
        of: &[MessageSet],
        description: &Description,
        inventory: &mut Inventory,
        problems: &mut Vec<String>,
    ) -> Result<()> {
        let lines = self.lines.iter();
        for line in lines.filter(|line| of.contains(&line.message_set)) {
            line.mark(description, inventory, problems)?;
        }
        Ok(())
    }
}

/// The message of a line as its document describes it, and what it is a message of: a result has the method that it
/// answers beside it.
fn message(step: &Step<'_>) -> Option<(MessageSet, String)> {
    let Event::Message { message, .. } = step.event else {
        return None;
    };
    let mut message = message.clone();
    let message_set = match step.kind() {
        Some((message_set, name)) => {
            if message_set.protocol() == Protocol::AppServer {
                message["method"] = name.into();
            }
            message_set
        }
        None => message.get("error").map(|_| MessageSet::AppServerErrors)?,
    };
    Some((message_set, message.to_string()))
}

/// The message in a recorded line about a hook: what it read, or what Codex took of what it printed,
/// with its event beside it.
fn of_hook(place: &str, line: &Value) -> Option<(MessageSet, String)> {
    if place == fixtures::HOOKS {
        return Some((MessageSet::HooksInput, line["stdin"].as_str()?.to_owned()));
    }
    let output: Value = serde_json::from_str(line["stdout"].as_str()?).ok()?;
    let is_taken = output.is_object() && line["exit"] == 0 && line["status"] != "failed";
    let whole = json!({"hook_event_name": line["event"], "output": output});
    is_taken.then(|| (MessageSet::HooksOutput, whole.to_string()))
}

impl Line {
    fn new(
        message_set: MessageSet,
        fixture: &Fixture<'_>,
        number: u64,
        text: String,
    ) -> Result<Self> {
        Ok(Line {
            message_set,
            release: fixture.release.parse()?,
            source: fixture.source,
            file: fixture.file.clone(),
            number,
            text,
        })
    }

    /// Notes in the inventory what the message carries. A message of the early exec stream
    /// that is not an event is passed over where events are described. Messages of the app-server
    /// have passed the checker; what it lets pass without a name has no feature.
    fn mark(
        &self,
        description: &Description,
        inventory: &mut Inventory,
        problems: &mut Vec<String>,
    ) -> Result<()> {
        let Line { file, number, .. } = self;
        let release = self.release;
        let place = || format!("{file}, line {number}");
        let described_as_events = description.root == "Event";
        if self.message_set == MessageSet::ExecLegacy && described_as_events && !self.is_event() {
            return Ok(());
        }
        let speaks = self
            .message_set
            .release_list()
            .floor(release)
            .with_context(|| format!("{file}: {release} is older than the protocol"))?;
        for feature in walk(description, speaks, &self.text).with_context(place)? {
            let is_known = inventory.mark(&feature, speaks, release, self.source);
            // Codex takes outputs of hooks that its schema refuses.
            let may_be_unknown =
                self.message_set.is_declared() || self.message_set == MessageSet::HooksOutput;
            if !is_known && !may_be_unknown {
                problems.push(format!("{}: {release} has no {feature}", place()));
            }
        }
        Ok(())
    }

    fn is_event(&self) -> bool {
        use codex_wire::exec::legacy::LegacyLine;
        matches!(codex_wire::from_str(&self.text), Ok(LegacyLine::Event(_)))
    }
}
